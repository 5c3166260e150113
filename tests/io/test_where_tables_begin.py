"""Titles, headers of several rows, headers that are missing, names that occur twice, line ends of several kinds."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import sfumato as sf
from sfumato.errors import CautionError, DataError, SourceError
from sfumato.io import open_source


def remarks_of(path: Path, **options: Any) -> tuple[dict[str, list[object]], str]:
    """Read a file; return its columns and what was said about it."""
    source = open_source(path, **options)
    return source.read(source.columns).to_pydict(), "\n".join(map(str, source.remarks))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\r\n1,2\n3,4\r\n5,6\n", "end in different ways"),
        (b"a,b\n1,2\r\n3,4\n5,6\r", "end in different ways"),
        (b"a,b\r1,2\n3,4\r5,6", "end in different ways"),
        (b"Report of 2024\n\na,b\n1,2\n3,4\n5,6\n", "The first 2 lines of the file are taken for titles"),
        (b"Report\ra,b\r1,2\r3,4\r5,6", "The first line of the file is taken for titles"),
        (b'"Report, of 2024"\r\n"two\r\nlines"\r\na,b\r\n1,2\r\n3,4\r\n5,6\r\n', "The first 3 lines"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_line_ends_and_titles(tmp_path: Path, content: bytes, said: str, packed: bool) -> None:
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    found, remarks = remarks_of(path)
    assert found == {"a": [1, 3, 5], "b": [2, 4, 6]}
    assert said in remarks


@pytest.mark.parametrize(
    "above",
    [
        "",
        "Krankenhaus\n",
        "Bericht\n\n",
        "Bericht;;\nMai 2021;;\n;;\n",
        "sep=;\n",
        "# made by a tool\n# twice\n",
        "\n\n",
    ],
)
@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_header_above_decimal_commas_is_no_title(tmp_path: Path, above: str, blank: str, end: str) -> None:
    rows = [(20 + n, f"{150 + n},{n % 10}", f"{n},5") for n in range(30)]
    lines = ["Alter;Größe;Dosis", *(f"{age};{height};{dose}{blank}" for age, height, dose in rows)]
    (tmp_path / "a.csv").write_bytes((above + "\n".join(lines) + "\n").replace("\n", end).encode())
    found, remarks = remarks_of(tmp_path / "a.csv")
    assert list(found) == ["Alter", "Größe", "Dosis"], remarks
    assert found["Alter"] == [row[0] for row in rows]
    assert found["Dosis"] == [n + 0.5 for n in range(30)]
    assert ("taken for titles" in remarks) == bool(above)


def test_line_breaks_in_cells_are_no_ends_of_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'a,b\r\n1,"x\ny"\r\n2,z\r\n')
    assert remarks_of(tmp_path / "a.csv") == ({"a": [1, 2], "b": ["x\ny", "z"]}, "")


def test_lines_are_counted_with_the_titles(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Report\n\na,b\n1,2\n3\n")
    source = open_source(path)
    with pytest.raises(SourceError, match=r"^Line 5 of"):
        source.read(source.columns)
    assert source.place(0) == "line 4"


def test_how_many_lines_stand_above_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y\nname,age\nAnn,34\n")
    assert remarks_of(path, skip=1)[0] == {"name": ["Ann"], "age": [34]}
    path.write_text("Report\nname,age\nAnn,34\n")
    assert list(remarks_of(path, skip=0, separator=";")[0]) == ["Report"]
    with pytest.raises(SourceError, match="is empty"):
        open_source(path, skip=9)


@pytest.mark.parametrize(
    "content",
    [
        "name,note\nx,a;b\ny,c;d\nz,e;f\n",  # semicolons in cells
        "country,2019,2020\nA,1,2\nB,3,4\n",  # years are names
        "name\nx\ny\n",
        "id,\n1,a\n2,b\n",  # a column without a name
    ],
)
def test_sound_headers_raise_no_question(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.csv").write_text(content)
    found, remarks = remarks_of(tmp_path / "a.csv")
    assert remarks == ""
    assert next(iter(found)) == content.split(",", maxsplit=1)[0].split("\n", maxsplit=1)[0]


def test_a_missing_header_stops_the_release(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("34,F,53715\n" + "".join(f"{30 + n},{'MF'[n % 2]},5370{n % 3}\n" for n in range(20)))
    with pytest.raises(CautionError, match="header seems to be missing"):
        sf.anonymize(path, quasi_identifiers=["34", "F"], rest="drop", k=2)
    confirmed = sf.anonymize(path, quasi_identifiers=["34", "F"], rest="drop", k=2, confirm=["34", "F", "53715"])
    assert confirmed.achieved.k >= 2


def test_a_header_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,sex\n")
    with pytest.raises(DataError, match="has no rows"):
        sf.anonymize(tmp_path / "a.csv", quasi_identifiers=["age", "sex"], k=2)


def test_names_that_occur_twice_are_said_aloud(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,sex,age\n1,f,2\n")
    source = open_source(tmp_path / "a.csv")
    assert source.columns == ("age", "sex", "age_2")
    assert [(remark.columns, remark.severity) for remark in source.remarks] == [(("age_2",), "warning")]


def workbook(path: Path, rows: Sequence[Sequence[Any]], merged: Sequence[str] = ()) -> Path:
    """Write a sheet with merged cells."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(path)
    return path


PEOPLE = [["age", "city", "sex"], [34, "x", "f"], [51, "y", "m"]]
READ = {"age": [34, 51], "city": ["x", "y"], "sex": ["f", "m"]}


@pytest.mark.parametrize(
    ("rows", "merged", "said"),
    [
        ([["Report"], [], ["2024"], *PEOPLE], [], "The first 2 rows of sheet 'Sheet' are taken for titles"),
        ([["Report"], *PEOPLE], ["A1:C1"], "The first row of sheet 'Sheet' is taken for titles"),
    ],
)
def test_titles_of_sheets(tmp_path: Path, rows: list[list[Any]], merged: list[str], said: str) -> None:
    found, remarks = remarks_of(workbook(tmp_path / "a.xlsx", rows, merged))
    assert found == READ
    assert said in remarks
    assert remarks_of(tmp_path / "a.xlsx", skip=len(rows) - len(PEOPLE)) == (READ, "")


def test_headers_of_several_rows(tmp_path: Path) -> None:
    rows = [["id", "Person", None, "Money"], [None, "age", "city", "pay"], [1, 34, "x", 5], [2, 51, "y", 6]]
    path = workbook(tmp_path / "a.xlsx", rows, ["A1:A2", "B1:C1"])
    found, remarks = remarks_of(path)
    assert list(found) == ["id", "Person age", "Person city", "Money pay"]
    assert "has 2 rows" in remarks
    assert open_source(path).place(0) == "row 3 of sheet 'Sheet'"


def test_sheets_without_a_header_and_with_names_twice(tmp_path: Path) -> None:
    headless = workbook(tmp_path / "a.xlsx", [["34", "F"], ["35", "M"], ["36", "F"]])
    assert [remark.severity for remark in open_source(headless).remarks] == ["error"]
    twice = workbook(tmp_path / "b.xlsx", [["age", "age"], [1, 2]])
    assert remarks_of(twice)[0] == {"age": [1], "age_2": [2]}
    with pytest.raises(SourceError, match="has nothing below row 9"):
        open_source(twice, skip=9)


def test_written_values_in_sheets(tmp_path: Path) -> None:
    rows = [["admission_date", "pay"], [43831, "1.234,50 €"], [43832, "12,00 €"]]
    found, remarks = remarks_of(workbook(tmp_path / "a.xlsx", rows))
    assert [str(day) for day in found["admission_date"]] == ["2020-01-01", "2020-01-02"]
    assert found["pay"] == [1234.5, 12.0]
    assert "Excel's serial numbers" in remarks
