"""What used to change silently: lost lines, wrapped numbers, infinite means, tables of pseudonyms beyond reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, SourceError
from sfumato.io import open_source, write_table
from sfumato.io.files import QueriedSource
from sfumato.table.pseudonyms import read_kept, write_kept
from sfumato.table.transforms import TransformContext


@pytest.mark.parametrize("last", ["33", "33,4,5", "33,"])
def test_a_damaged_last_line_is_refused_even_if_a_reader_loses_it(
    last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "people.csv", tmp_path / "whole.csv"
    whole.write_text("age,zip\n" + "20,1\n" * 50, encoding="utf-8")
    path.write_text("age,zip\n" + "20,1\n" * 50 + last, encoding="utf-8")
    if last == "33,":
        assert open_source(path).read(["age"]).num_rows == 51
        return
    run = QueriedSource._run

    def losing(self: Any, query: str, tell: Any) -> Any:
        return run(self, query.replace(str(path), str(whole)), tell)

    monkeypatch.setattr(QueriedSource, "_run", losing)
    with pytest.raises(SourceError, match=r"Line 52 .* and the header has 2"):
        open_source(path).read(["age"])


def test_a_table_of_pseudonyms_can_hold_any_text(tmp_path: Path) -> None:
    names = ["a\rb", "a\r\nb", "a\nb", 'a"b', "a,b", " ", "\ta", "plain", "\r", "é\u2028"]
    known = {name: f"p{place:019d}" for place, name in enumerate(names)}
    write_kept(tmp_path / "kept.csv", known)
    assert read_kept(tmp_path / "kept.csv") == known


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        (sf.Clip(bottom=-5), [0, 2**63 + 5, 7, None]),
        (sf.Clip(top=-1), [-1, -1, -1, None]),
        (sf.Clip(bottom=-5, top=10), [0, 10, 7, None]),
        (sf.Clip(bottom=3, top=2**63 + 1), [3, 2**63 + 1, 7, None]),
        (sf.Clip(bottom=3), [3, 2**63 + 5, 7, None]),
    ],
)
def test_clipping_unsigned_numbers_does_not_wrap(clip: sf.Clip, expected: list[int | None]) -> None:
    table = pa.table({"a": pa.array([0, 2**63 + 5, 7, None], pa.uint64())})
    assert clip.apply("a", TransformContext(table, Secret(1))).to_pylist() == expected


def test_means_of_the_largest_numbers_are_finite() -> None:
    table = pa.table({"a": [1.7e308, 1.6e308, 1.5e308, 1.4e308] * 3})
    release = sf.anonymize(table, quasi_identifiers="a", k=4, intervals="mean", method="mondrian")
    shown = np.array(release.table.column("a").to_pylist())
    assert np.isfinite(shown).all()
    assert np.isclose(np.mean(shown / 1e308), 1.55)


@pytest.mark.parametrize("name", [" age", "=age"])
def test_an_engine_writes_csv_whatever_the_names_of_columns(name: str, tmp_path: Path) -> None:
    table = pa.table({name: list(range(100)), "x": ["a", "b"] * 50})
    release = sf.anonymize(table, quasi_identifiers=[name], rest="plain", k=5, engine="duckdb", method="mondrian")
    assert release.write(tmp_path / "release.csv").ok


@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("us")])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_infinite_dates_are_not_written_as_text(kind: pa.DataType, ending: str, tmp_path: Path) -> None:
    storage = pa.int32() if kind == pa.date32() else pa.int64()
    dates = pa.array([2**31 - 1 if kind == pa.date32() else 2**63 - 1, 0], storage).cast(kind)
    with pytest.raises(DataError, match="infinite dates"):
        write_table(pa.table({"until": dates}), tmp_path / f"release.{ending}")
    assert not list(tmp_path.iterdir())


def test_utility_reads_dates_in_their_own_format() -> None:
    days = [f"{day:02d}.{month:02d}.1990" for day in range(1, 21) for month in range(1, 7)]
    table = pa.table({"born": days, "x": ["a", "b", "c", "d"] * 30})
    release = sf.anonymize(
        table, quasi_identifiers={"born": sf.Dates(format="%d.%m.%Y")}, sensitive="x", k=5, method="mondrian", seed=1
    )
    assert 0 <= sf.utility(table, release, seed=1)["total_variation"].value < 0.5
