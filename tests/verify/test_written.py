"""What was verified is what readers find in the file, or there is no file."""

from __future__ import annotations

import csv
import os
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import VerificationError
from sfumato.io import parquet
from sfumato.io import write as writing
from sfumato.verify.written import _is_copy, _is_same_text, is_same

INF = float("inf")


def release(values: list[Any], kind: pa.DataType | None = None, **options: Any) -> sf.Release:
    """A release with one class of all rows, and these sensitive values in it."""
    table = pa.table({"age": [30] * len(values), "s": pa.array(values, kind)})
    return sf.anonymize(table, quasi_identifiers="age", sensitive="s", method="mondrian", seed=1, **options)


def distinct_as_text(path: Path) -> int:
    with open(path, newline="", encoding="utf-8") as file:
        return len({row[1] for row in list(csv.reader(file))[1:]})


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["", None], "as plain text.*empty text and missing.*'s'"),
        (["a\rb", "a\nb"], "as plain text.*line breaks.*'s'"),
        (["NA", None], "defaults of pandas.*'s'"),
        (["None", "null"], "defaults of pandas.*'s'"),
    ],
)
def test_values_that_readers_take_for_one_are_refused(
    tmp_path: Path, ending: str, values: list[Any], message: str
) -> None:
    made = release(values, l=2)
    path = tmp_path / f"release.{ending}"
    path.write_text("as it was")
    with pytest.raises(VerificationError, match=message):
        made.write(path)
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() == "as it was"
    made.write(tmp_path / "release.parquet")
    made.write(tmp_path / "release.jsonl")


@pytest.mark.parametrize("values", [["=x", "'=x"], ["'=x", "''=x"], [INF, -INF], [INF, None], ["x", " x"], ["+", "'+"]])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_values_that_differ_are_written_differently(tmp_path: Path, values: list[Any], ending: str) -> None:
    path = tmp_path / f"release.{ending}"
    assert release(values, l=2).write(path).ok
    assert sf.check(path, quasi_identifiers="age", sensitive="s", l=2)
    if ending == "csv":
        assert distinct_as_text(path) == 2
        assert pd.read_csv(path)["s"].nunique(dropna=False) == 2


def test_what_breaks_no_promise_is_written_and_told(tmp_path: Path) -> None:
    told = release(["NA", "x", "y", None], l=2).write(tmp_path / "a.csv").notes
    assert len(told) == 1
    assert "Column 's' holds 'NA'" in told[0]
    assert release(["x", "y"], l=2).write(tmp_path / "a.csv").notes == ()


def test_a_taxonomy_knows_values_that_got_an_apostrophe(tmp_path: Path) -> None:
    tree = sf.Taxonomy.from_dict({"measured": ["+", "-"], "unknown": ["?"]})
    closeness = sf.TCloseness(0.9, distance="hierarchical", taxonomy=tree)
    release(["+", "-", "?", ""][:3], privacy=[sf.KAnonymity(2), closeness]).write(tmp_path / "a.csv")
    assert sorted(row.split(",")[1] for row in (tmp_path / "a.csv").read_text().split()[1:]) == ["'+", "'-", "?"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_writer_that_loses_or_changes_rows_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    made = release(["x", "y", "z", "x"], l=2)
    form = writing._WRITERS[ending]
    swapped = made.table.set_column(1, "s", pa.array([*made.table["s"].to_pylist()[1:], "x"]))
    for wrong, message in ((made.table.slice(1), "rows were written"), (swapped, "written differently")):
        monkeypatch.setitem(writing._WRITERS, ending, lambda _, path, tell, wrong=wrong: form(wrong, path, tell))
        with pytest.raises(VerificationError, match=message):
            made.write(tmp_path / f"a.{ending}")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("column", ["age", "s", "pay"])
@pytest.mark.parametrize("row", [0, 7, 8, 30])
def test_a_cell_that_changes_in_any_row_group_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, row: int
) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 8)
    rows = {"age": [30 + at % 4 for at in range(31)], "s": ["x", "y", None] * 10 + ["z"], "pay": [0.5, -0.0, 2.5] * 10}
    table = pa.table(rows | {"pay": [*rows["pay"], None]})
    made = sf.anonymize(table, quasi_identifiers="age", sensitive=["s", "pay"], k=2, seed=1)
    assert _is_copy(made.write(tmp_path / "a.parquet") and tmp_path / "a.parquet", made.table)
    cells = made.table.column(column).to_pylist()
    cells[row] = next(one for one in cells if one != cells[row] and one is not None)
    other = made.table.set_column(made.table.column_names.index(column), column, pa.array(cells))
    parquet.write_parquet(other, tmp_path / "b.parquet", lambda share: None)
    assert not _is_copy(tmp_path / "b.parquet", made.table)
    for part in (made.table.slice(1), made.table.slice(0, 30), made.table.slice(0, 0)):
        parquet.write_parquet(part, tmp_path / "c.parquet", lambda share: None)
        assert not _is_copy(tmp_path / "c.parquet", made.table)


TEXTS = st.sampled_from(["a", "b", "c", ""])


@st.composite
def texts(draw: st.DrawFn, unique: bool) -> pa.ChunkedArray:
    """A column of text in one or two chunks with a dictionary, which may hold a text twice, or unused ones."""
    dictionary = pa.array(draw(st.lists(st.none() | TEXTS, min_size=1, max_size=6, unique=unique)), pa.string())
    cells = draw(st.lists(st.none() | st.integers(0, len(dictionary) - 1), max_size=8))
    whole = pa.DictionaryArray.from_arrays(pa.array(cells, pa.int32()), dictionary)
    cut = draw(st.integers(0, len(whole)))
    return pa.chunked_array([whole.slice(0, cut), whole.slice(cut)])


@given(st.data())
def test_columns_of_text_are_compared_cell_by_cell(data: st.DataObject) -> None:
    unique = data.draw(st.booleans())
    one, other = data.draw(texts(unique)), data.draw(texts(unique))
    for column in (one, other.slice(0, len(one)), _coded_again(one)):
        equal = column.to_pylist() == one.to_pylist()
        nulls = any(None in chunk.dictionary.to_pylist() for chunk in (*one.chunks, *column.chunks))
        if len(one) == len(column) and _is_same_text(one, column):
            assert equal
        if equal and unique and not nulls:
            assert is_same(one, column)


def _coded_again(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same cells with the dictionary of what occurs, as a file has it."""
    return pa.chunked_array([pa.array(column.to_pylist(), pa.string()).dictionary_encode()])


def test_the_manifest_is_for_its_owner_alone(tmp_path: Path) -> None:
    release(["x", "y"], l=2).write(tmp_path / "a.csv", manifest=tmp_path / "manifest.json")
    assert stat.S_IMODE((tmp_path / "manifest.json").stat().st_mode) == 0o600
