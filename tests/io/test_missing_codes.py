"""Values that the caller takes for missing become so, from files and frames alike."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.errors import ParameterError
from sfumato.io import open_source
from sfumato.io.missing import missing_codes

CELLS = {
    "bmi": ["21.5", "?", "30", "N/A"],
    "age": [34, 999, 51, 999],
    "seen": ["2024-01-03", "?", "2024-02-01", "2024-02-01"],
    "job": ["clerk", "?", "999", "baker"],
}
NA = {"*": ("?", "N/A"), "age": ("999",)}
EXPECTED = {
    "bmi": [21.5, None, 30.0, None],
    "age": [34, None, 51, None],
    "job": ["clerk", None, "999", "baker"],
}


def csv(folder):
    path = folder / "people.csv"
    pd.DataFrame(CELLS).to_csv(path, index=False)
    return path


INPUTS = {
    "pandas": lambda folder: pd.DataFrame(CELLS),
    "polars": lambda folder: pl.DataFrame(CELLS),
    "pyarrow": lambda folder: pa.table(CELLS),
    "dictionary": lambda folder: pa.table({name: pa.array(cells).dictionary_encode() for name, cells in CELLS.items()}),
    "csv": csv,
}


@pytest.mark.parametrize("kind", INPUTS)
def test_codes_become_missing_and_the_rest_what_it_is(kind, tmp_path) -> None:
    table = open_source(INPUTS[kind](tmp_path)).read(list(CELLS), na=NA)
    assert {name: table[name].to_pylist() for name in EXPECTED} == EXPECTED
    assert pa.types.is_date32(table["seen"].type)
    assert table["seen"].null_count == 1


def test_a_column_to_be_read_as_text_stays_text() -> None:
    table = open_source(pa.table({"zip": ["02139", "?"]})).read(["zip"], as_text=["zip"], na={"*": ("?",)})
    assert table["zip"].to_pylist() == ["02139", None]


def test_columns_without_codes_are_left_alone() -> None:
    table = pa.table({"number": ["1", "2"], "flag": [True, False], "price": [1.5, 999.0]})
    read = open_source(table).read(table.column_names, na={"*": ("?", "999", "1.5x")})
    assert read.to_pydict() == {"number": ["1", "2"], "flag": [True, False], "price": [1.5, None]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("?", {"*": ("?",)}),
        (["?", 999, -1.0], {"*": ("?", "999", "-1")}),
        ({"age": 999, "*": ["?"]}, {"age": ("999",), "*": ("?",)}),
        ((), {}),
        ({}, {}),
    ],
)
def test_codes_are_said_in_several_ways(given, expected) -> None:
    assert missing_codes("anonymize", "na", given) == expected


@pytest.mark.parametrize("given", [None, True, [None], {"age": [object()]}, {1: "?"}])
def test_what_is_no_code_is_refused(given) -> None:
    with pytest.raises(ParameterError, match="'na' parameter of anonymize"):
        missing_codes("anonymize", "na", given)


def test_a_header_without_a_name_is_named_as_pandas_does(tmp_path) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame({"age": [1, 2]}).to_csv(path)
    assert open_source(path).columns == ("Unnamed: 0", "age")
    assert tuple(pd.read_csv(path).columns) == ("Unnamed: 0", "age")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a,b\n1,2\n3,4\n", "line 3"), ("a,b\r\n1,2\r\n3,4\r\n", "line 3"), ('a,b\n"1\n",2\n3,4\n', "row 2")],
)
def test_a_row_of_a_file_is_found_by_its_line(tmp_path, text, expected) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    assert open_source(path).place(1) == expected


def test_a_row_of_a_frame_is_found_by_its_number() -> None:
    assert open_source(pa.table({"a": [1, 2]})).place(1) == "row 2"
