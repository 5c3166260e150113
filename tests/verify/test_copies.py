"""What was made of checked files is taken for checked only if it reads the same, cell for cell."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import VerificationError
from sfumato.verify import copies
from sfumato.verify.copies import check_copies, check_same_rows, digest_of

ROWS: dict[str, list[Any]] = {
    "age": ["[20, 29]", "[20, 29]", "*", None, "[30, 39]"],
    "pay": [1.5, math.nan, -0.0, None, 2.5],
    "visits": [1, 2, 3, None, 5],
}


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Write some rows to two files; two of them are compared at a time."""
    monkeypatch.setattr(copies, "BATCH", 2)
    table = pa.table(ROWS)
    paths = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    pq.write_table(table.slice(0, 3), paths[0], row_group_size=2)
    pq.write_table(table.slice(3), paths[1])
    return paths


def written(folder: Path, **columns: list[Any]) -> Path:
    path = folder / "written.parquet"
    pq.write_table(pa.table(ROWS | columns), path, compression="zstd", row_group_size=4)
    return path


def test_the_same_rows_in_one_file_pass(checked: list[Path], tmp_path: Path) -> None:
    check_same_rows(checked, written(tmp_path))


@pytest.mark.parametrize(
    "columns",
    [
        {"age": ["[20, 29]", "[20, 29]", "*", "*", "[30, 39]"]},
        {"age": ["[20, 29]", "*", "[20, 29]", None, "[30, 39]"]},
        {"pay": [1.5, None, -0.0, None, 2.5]},
        {"pay": [1.5, math.nan, 0.0, None, 2.5]},
        {"visits": [1, 2, 3, 0, 5]},
        {"visits": [1.0, 2.0, 3.0, None, 5.0]},
        {"more": [1, 2, 3, 4, 5]},
    ],
    ids=str,
)
def test_any_other_cell_is_refused(checked: list[Path], tmp_path: Path, columns: dict[str, list[Any]]) -> None:
    with pytest.raises(VerificationError, match="not written as they were checked"):
        check_same_rows(checked, written(tmp_path, **columns))


@pytest.mark.parametrize("take", [slice(0, 4), slice(0, 0)], ids=str)
def test_lost_and_added_rows_are_refused(checked: list[Path], tmp_path: Path, take: slice) -> None:
    fewer = tmp_path / "fewer.parquet"
    pq.write_table(pa.table({name: values[take] for name, values in ROWS.items()}, pa.table(ROWS).schema), fewer)
    with pytest.raises(VerificationError, match="Not all of the rows"):
        check_same_rows(checked, fewer)
    with pytest.raises(VerificationError, match="Not all of the rows"):
        check_same_rows([fewer], written(tmp_path))


def test_a_copy_is_the_same_to_the_last_byte(checked: list[Path]) -> None:
    digests = [digest_of(path) for path in checked]
    check_copies(checked, digests)
    with open(checked[1], "r+b") as file:
        file.seek(40)
        file.write(b"\0\1")
    with pytest.raises(VerificationError, match="1 of 2 files differ"):
        check_copies(checked, digests)
