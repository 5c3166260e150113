"""Workbooks written by openpyxl and odfpy: types, sheets, headers, passwords."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import MissingExtraError, ParameterError, SchemaError, SourceError
from sfumato.io import library as imported
from sfumato.io import open_source

Sheets = dict[str, Sequence[Sequence[Any]]]


@pytest.fixture
def workbook(tmp_path: Path) -> Callable[..., Path]:
    """Write sheets of rows to a workbook."""

    def write(sheets: Sheets, merged: str | None = None) -> Path:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(list(row))
        if merged:
            book.worksheets[0].merge_cells(merged)
        path = tmp_path / "people.xlsx"
        book.save(path)
        return path

    return write


HEADER = ["age", "zip", "born", "at", "member", 2024, "pay", "code"]
ROWS = [
    [34, "02139", dt.date(1990, 1, 2), dt.datetime(2020, 1, 1, 3, 4, 5), True, 1, 1.5, "A1"],
    [None, "10001", dt.date(1931, 12, 31), dt.datetime(2020, 1, 2), False, 2, None, 7],
    [51, None, None, None, None, 3, "=1/0", 8.5],
]


def test_every_type_of_a_sheet_is_kept(workbook: Callable[..., Path]) -> None:
    source = open_source(workbook({"People": [HEADER, *ROWS], "Sheet2": []}))
    assert source.read(source.columns).to_pydict() == {
        "age": [34, None, 51],
        "zip": ["02139", "10001", None],
        "born": [dt.date(1990, 1, 2), dt.date(1931, 12, 31), None],
        "at": [dt.datetime(2020, 1, 1, 3, 4, 5), dt.datetime(2020, 1, 2), None],
        "member": [True, False, None],
        "2024": [1, 2, 3],
        "pay": [1.5, None, None],
        "code": ["A1", "7", "8.5"],
    }
    assert source.place(1) == "row 3 of sheet 'People'"
    [remark] = source.remarks
    assert str(remark).startswith("Column 'code' holds 2 numbers and 1 text; it is read as text.")


def test_words_for_missing_leave_numbers(workbook: Callable[..., Path]) -> None:
    source = open_source(workbook({"A": [["pay"], [12], ["n/a"], [13.5]]}))
    assert source.read(["pay"], na={"*": ["n/a"]})["pay"].to_pylist() == [12, None, 13.5]
    assert source.remarks == ()


def test_open_document_spreadsheets(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [34, None, 51], "city": ["Łódź", "", None], "born": [dt.date(1990, 1, 2)] * 3})
    frame.to_excel(tmp_path / "a.ods", index=False, engine="odf")
    source = open_source(tmp_path / "a.ods")
    assert source.read(source.columns).to_pydict() == {
        "age": [34, None, 51],
        "city": ["Łódź", None, None],
        "born": [dt.date(1990, 1, 2)] * 3,
    }


def test_one_of_several_sheets_is_chosen_by_name(workbook: Callable[..., Path]) -> None:
    path = workbook({"2023": [["age"], [1]], "Lists": [["x"], ["y"]], "2024": [["age"], [2], [3]]})
    with pytest.raises(SourceError, match=r"has 3 sheets: '2023', 'Lists', '2024'. Choose one .*--sheet '2023'"):
        open_source(path)
    with pytest.raises(ParameterError, match=r"has no sheet '2025'\. It has '2023', 'Lists', '2024'"):
        open_source(path, sheet="2025")
    release = sf.anonymize(path, quasi_identifiers="age", k=2, sheet="2024")
    assert (release.verification.rows, release.manifest["options"]["sheet"]) == (2, "2024")


def test_empty_rows_are_left_out_and_told(workbook: Callable[..., Path]) -> None:
    source = open_source(workbook({"A": [[None], ["age", None], [1], [None], [2]]}))
    assert (source.columns, source.read(["age"])["age"].to_pylist()) == (("age",), [1, 2])
    assert "1 empty rows between" in str(source.remarks[0])
    assert source.place(1) == "row 5 of sheet 'A'"


def test_every_row_of_a_merged_cell_has_its_value(workbook: Callable[..., Path]) -> None:
    source = open_source(
        workbook({"A": [["age", "ward", "sex"], [1, "x", "f"], [2, None, "m"], [3, "y", None]]}, "B2:B3")
    )
    assert source.read(["ward", "sex"]).to_pydict() == {"ward": ["x", "x", "y"], "sex": ["f", "m", None]}


@pytest.mark.parametrize(
    ("rows", "merged", "message"),
    [
        ([["Person", None, "pay"], [1, "x", 2]], "A1:B1", "has merged cells"),
        ([["Patients of 2024"], ["age", "city"], [1, "x"]], None, "no name in row 1 for column '2'"),
        ([["age", None], [1, 2]], None, "no name in row 1 for column '2'"),
    ],
)
def test_a_header_that_is_none_is_refused(
    workbook: Callable[..., Path], rows: Sequence[Sequence[Any]], merged: str | None, message: str
) -> None:
    path = workbook({"A": rows}, merged)
    with pytest.raises(SchemaError, match=message):
        open_source(path)


def test_a_password_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(bytes.fromhex("D0CF11E0A1B11AE1") + b"\0" * 2_000)
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">'
        "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
    )
    with zipfile.ZipFile(tmp_path / "b.ods", "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("META-INF/manifest.xml", manifest)
        file.writestr("content.xml", "encrypted")
    for name in ("a.xlsx", "b.ods"):
        with pytest.raises(SourceError, match="protected by a password"):
            open_source(tmp_path / name)


def test_a_damaged_workbook_is_refused(workbook: Callable[..., Path]) -> None:
    path = workbook({"A": [["age"], [1]]})
    path.write_bytes(path.read_bytes()[:3_000])
    with pytest.raises(SourceError, match="is not a workbook, or was cut short"):
        open_source(path)


@pytest.mark.parametrize(
    ("name", "extra"), [("a.xlsx", "excel"), ("a.sav", "statistics"), ("a.dta", "statistics"), ("a.rds", "statistics")]
)
def test_a_missing_library_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, extra: str
) -> None:
    (tmp_path / name).write_text("x")

    def no_module(_: str) -> None:
        raise ImportError

    monkeypatch.setattr(imported, "import_module", no_module)
    with pytest.raises(MissingExtraError, match=rf"pip install 'sfumato\[{extra}\]'"):
        open_source(tmp_path / name)
