"""Workbooks: a sheet with the names of columns, and a row per record below."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from sfumato.common.progress import Tell, silent
from sfumato.errors import SchemaError, SourceError, listed
from sfumato.io.files import shown
from sfumato.io.headers import (
    MOST_TITLES,
    looks_headless,
    made_distinct,
    said_headless,
    said_titles,
    said_twice,
    titles_above,
)
from sfumato.io.library import ImportedSource, chosen, library
from sfumato.io.python_values import to_column, written
from sfumato.io.source import FileOptions, checked_names, gathered

#: How an encrypted workbook begins, and every workbook in Excel's old format.
_OLE = bytes.fromhex("D0CF11E0A1B11AE1")
#: The rows that show where the table begins.
_HEAD_ROWS = 60

Row = Sequence[Any]


class NumberedRow(NamedTuple):
    """A row of a sheet that is not empty, and its number there."""

    number: int
    cells: Row


class MergedCells(NamedTuple):
    """A rectangle of cells that are merged, by the numbers of rows and columns from 1, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


class WorkbookSource(ImportedSource):
    """A sheet of a workbook. A formula has its last computed value; empty cells and errors are missing.

    The sheet stays as compact as the library keeps it; rows become Python values one by one.
    """

    _digits_count = False

    def __init__(self, path: Path, form: str, options: FileOptions) -> None:
        super().__init__(path, form)
        self._calamine = library("python_calamine", "Reading spreadsheets", "excel")
        with open(path, "rb") as file:
            book = self._book(file)
            sheets = {name: sheet for name in book.sheet_names if (sheet := book.get_sheet_by_name(name)).height}
            self.sheet = chosen(path, list(sheets), options, "sheet")
            self._opened = sheets[self.sheet]
        merged = self._opened.merged_cell_ranges or ()
        self._merged = [MergedCells(a[0] + 1, a[1] + 1, b[0] + 1, b[1] + 1) for a, b in merged]
        self._header = self._find_header(options.skip)
        self._places = self._find_columns()
        self.columns = checked_names(self._places)
        self._mixed: dict[str, tuple[int, int]] = {}

    def place(self, row: int) -> str:
        """Say which row of the sheet it is."""
        rows = self._rows_below()
        return f"row {next(islice(rows, row, None)).number:,} of sheet '{self.sheet}'"

    def _rows(self) -> Iterator[NumberedRow]:
        """Yield the rows that are not empty."""
        for number, cells in enumerate(self._opened.iter_rows(), start=1):
            if any(cell != "" for cell in cells):
                yield NumberedRow(number, cells)

    def _rows_below(self) -> Iterator[NumberedRow]:
        """Yield the rows below the header; every row of a merged cell has its value."""
        last = self._header[-1].number
        below = [one for one in self._merged if one.top > last]
        values: dict[MergedCells, Any] = {}
        for row in self._rows():
            if row.number <= last:
                continue
            spanning = [one for one in below if one.top <= row.number <= one.bottom]
            cells = list(row.cells)
            for one in spanning:
                value = values.setdefault(one, cells[one.left - 1])
                cells[one.left - 1 : one.right] = [value] * (one.right - one.left + 1)
            yield NumberedRow(row.number, cells) if spanning else row

    def _find_header(self, skip: int | None) -> list[NumberedRow]:
        """Find the rows that hold the names: below titles, and several if cells of the first are merged."""
        head = list(islice((row for row in self._rows() if row.number > (skip or 0)), _HEAD_ROWS))
        if not head:
            raise SourceError(f"Sheet '{self.sheet}' of {shown(self.path)} has nothing below row {skip:,}.")
        titles = self._titles(head) if skip is None else 0
        if titles:
            self.remark(*said_titles(titles, "row", f"sheet '{self.sheet}'"))
        header = head[titles:][: self._header_height(head[titles:])]
        if len(header) > 1:
            self.remark(
                f"The header of sheet '{self.sheet}' has {len(header):,} rows; the names in them are joined.",
                "If that is wrong, say how many rows stand above the names (skip=, on the command line --skip).",
            )
        return header

    def _titles(self, head: Sequence[NumberedRow]) -> int:
        """Count the rows above the header: those with one cell, merged or beside empty ones."""
        across = {one.top for one in self._merged if one.right > one.left}
        titles = 0
        for row in head[:MOST_TITLES]:
            if sum(cell != "" for cell in row.cells) > 1 or row.number not in across:
                break
            titles += 1
        return titles or titles_above([[_text(cell) for cell in row.cells] for row in head])

    def _header_height(self, head: Sequence[NumberedRow]) -> int:
        """Count the rows of the header; merged cells that do not stand above names are refused."""
        first = head[0].number
        merged = [one for one in self._merged if one.top <= first <= one.bottom]
        if not merged:
            return 1
        height = max(2, *(one.bottom - first + 1 for one in merged))
        below = head[1:height]
        if len(below) < height - 1 or any(
            cell != "" and not isinstance(cell, str) for row in below for cell in row.cells
        ):
            raise SchemaError(
                f"The header of sheet '{self.sheet}' of {shown(self.path)} has merged cells (row {first}). Take them "
                "apart, so that every column has one name in one row, or say how many rows stand above the header "
                "(skip=, on the command line --skip)."
            )
        return height

    def _find_columns(self) -> dict[str, int]:
        """Find the place of every name; a column without a name and without values does not count."""
        names = [self._name(place) for place in range(len(self._header[0].cells))]
        filled = [False] * len(names)
        last, count = self._header[-1].number, 0
        for row in self._rows_below():
            last, count = row.number, count + 1
            filled = [was or cell != "" for was, cell in zip(filled, row.cells, strict=False)]
        self._tell_empty(last - self._header[-1].number - count)
        empty = [str(place + 1) for place, name in enumerate(names) if not name and filled[place]]
        if empty:
            raise SchemaError(
                f"Sheet '{self.sheet}' of {shown(self.path)} has no name in row {self._header[0].number} for column "
                f"{listed(empty)}. The header has to hold the names of all columns: say how many rows stand above it "
                "(skip=, on the command line --skip), or remove them."
            )
        places = [place for place, name in enumerate(names) if name]
        distinct, changed = made_distinct([names[place] for place in places])
        if changed:
            self.remark(*said_twice(changed), *changed, severity="warning")
        self._look_for_names(distinct, places)
        return dict(zip(distinct, places, strict=True))

    def _look_for_names(self, names: Sequence[str], places: Sequence[int]) -> None:
        head = [row.cells for row in islice(self._rows_below(), _HEAD_ROWS)]
        suspects = looks_headless(names, [[_text(cells[place]) for cells in head] for place in places])
        if suspects:
            self.remark(*said_headless(), *suspects, severity="error")

    def _name(self, place: int) -> str:
        """The name of a column: what stands in the rows of the header, a merged cell for all of its columns."""
        parts = []
        for row in self._header:
            spanning = [one for one in self._merged if one.top == row.number and one.left <= place + 1 <= one.right]
            found = _text(row.cells[spanning[0].left - 1 if spanning else place])
            parts += [found] if found and found not in parts else []
        return " ".join(parts)

    def _tell_empty(self, between: int) -> None:
        if between > 0:
            self.remark(f"Sheet '{self.sheet}' has {between:,} empty rows between others.", "They are left out.")

    def _book(self, file: Any) -> Any:
        try:
            return self._calamine.CalamineWorkbook.from_filelike(file)
        except self._calamine.CalamineError:
            file.seek(0)
            if self._has_password(file.read(len(_OLE))):
                raise SourceError(
                    f"{shown(self.path)} is protected by a password. Save it without one in a place that only you can "
                    "read, and read that."
                ) from None
            raise self.damaged("a workbook") from None

    def _has_password(self, head: bytes) -> bool:
        """Whether a workbook that cannot be opened is encrypted; given its name, the library looks more closely."""
        try:
            self._calamine.CalamineWorkbook.from_path(str(self.path)).close()
        except self._calamine.PasswordError:
            return True
        except self._calamine.CalamineError:
            pass
        return self.form != "xls" and head == _OLE

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        places = [self._places[name] for name in columns]
        cells: list[list[Any]] = [[] for _ in columns]
        for row in self._rows_below():
            for values, place in zip(cells, places, strict=True):
                value = row.cells[place]
                values.append(None if value == "" else value)
        by_name = dict(zip(columns, cells, strict=True))
        self._mixed |= {name: _numbers_and_words(values) for name, values in by_name.items()}
        return gathered(
            columns, lambda name: to_column(name, by_name[name], name in as_text, self.expected(name)), tell
        )

    def read(
        self,
        columns: Sequence[str],
        as_text: Collection[str] = (),
        tell: Tell = silent,
        na: Mapping[str, Collection[str]] | None = None,
    ) -> pa.Table:
        """Read columns, and remark on those that became text because they mix words with numbers."""
        table = super().read(columns, as_text, tell, na)
        for name in columns:
            if name not in as_text and pa.types.is_dictionary(table.column(name).type):
                self._tell_mixed(name)
        return table

    def _tell_mixed(self, name: str) -> None:
        numbers, words = self._mixed[name]
        if numbers and words:
            self.remark(
                f"Column {listed([name])} holds {numbers:,} numbers and {_counted(words)}; it is read as text.",
                "Name the texts that mean 'no value' (na=, on the command line --na), and the rest are numbers; remove "
                "rows of totals or units.",
                name,
            )


def _counted(texts: int) -> str:
    return "1 text" if texts == 1 else f"{texts:,} texts"


def _text(cell: Any) -> str:
    return "" if cell == "" else written(cell).strip()


def _numbers_and_words(values: Sequence[Any]) -> tuple[int, int]:
    numbers = sum(isinstance(value, float | int) and not isinstance(value, bool) for value in values)
    return numbers, sum(isinstance(value, str) for value in values)
