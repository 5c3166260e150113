"""Sizes as people write them, what is free, and what a table would take."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.common import parameters
from sfumato.errors import ParameterError
from sfumato.io import memory, open_source


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GB", 4 * 10**9),
        ("4 gb", 4 * 10**9),
        ("4g", 4 * 10**9),
        ("512MiB", 512 << 20),
        ("1.5GiB", 3 << 29),
        ("100000000", 10**8),
        ("100000000B", 10**8),
        (1 << 30, 1 << 30),
        ("1TB", 10**12),
    ],
)
def test_a_size_is_read_as_people_write_it(text: object, size: int) -> None:
    assert parameters.size("anonymize", "memory", text) == size


@pytest.mark.parametrize(
    "wrong", ["", "four", "4XB", "-4GB", "GB", "1kB", 0, 5, -1, True, 4.5e9, "4GB!", "nan", None, []]
)
def test_what_is_no_size_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="'memory' parameter of anonymize must be a size such as '4GB'"):
        parameters.size("anonymize", "memory", wrong)


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (25e9, "25 GB")])
def test_sizes_are_written_as_people_read_them(size: float, words: str) -> None:
    assert memory.in_words(size) == words


def test_a_share_of_what_is_free_may_be_taken() -> None:
    free = memory.free_memory()
    assert parameters.LEAST_SIZE < memory.allowed_memory("anonymize", None) < free
    assert memory.allowed_memory("anonymize", "1GB") == 10**9
    assert memory.resident_memory() > 0


def test_the_limit_of_a_container_counts(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    limits = {inner: ("max", 10), inner.parent: (2_000, 500)}
    for group, (limit, used) in limits.items():
        (group / "memory.max").write_text(f"{limit}\n", encoding="ascii")
        (group / "memory.current").write_text(f"{used}\n", encoding="ascii")
        (group / "memory.stat").write_text("anon 5\ninactive_file 100\n", encoding="ascii")
    assert list(memory._free_in_group(inner)) == []
    assert list(memory._free_in_group(inner.parent)) == [1_600]


def table(rows: int) -> pa.Table:
    return pa.table(
        {
            "age": pa.array([number % 90 for number in range(rows)]),
            "town": pa.array([f"town {number % 50}" for number in range(rows)]),
            "note": pa.array([f"a note of its own {number:09}" for number in range(rows)]),
        }
    )


def test_files_tell_how_large_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 40_000
    people = table(rows)
    pq.write_table(people, tmp_path / "people.parquet")
    lines = "".join(
        f"{a},{t},{n}\n" for a, t, n in zip(*(people[name].to_pylist() for name in people.column_names), strict=True)
    )
    text = f"age,town,note\n{lines}"
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr("sfumato.io.files.SMALL", 1_000)
    own = rows * len("a note of its own 000000000")
    for name, tolerance in (("people.parquet", 1.0), ("people.csv", 1.1), ("people.csv.gz", 8.0)):
        extent = open_source(tmp_path / name).extent(["age", "town", "note"])
        assert extent is not None
        assert rows / tolerance <= extent.rows <= rows * tolerance, name
        assert own / tolerance / 1.5 <= extent.text_bytes <= own * tolerance * 1.5, name
        few = open_source(tmp_path / name).extent(["age", "town"])
        assert few is not None
        assert few.text_bytes < own / 3, name
    assert open_source(people).extent(["age"]) == (rows, 0)


def test_more_rows_and_columns_take_more_memory() -> None:
    few, many = open_source(table(1_000)), open_source(table(3_000))
    narrow = memory.memory_to_anonymize(few, ["age"])
    assert narrow is not None
    assert narrow - memory.PROGRAM == 1_000 * memory.CELL
    wide = memory.memory_to_anonymize(many, ["age", "town"])
    assert wide is not None
    assert wide - memory.PROGRAM == 6 * (narrow - memory.PROGRAM)
