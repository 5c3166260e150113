"""Spreadsheets: a sheet with a row of column names and a row per record below."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.common.progress import Tell, silent
from sfumato.errors import SchemaError, SourceError, listed
from sfumato.io.files import shown
from sfumato.io.library import ImportedSource, chosen, library
from sfumato.io.python_values import to_column, written
from sfumato.io.source import FileOptions, checked_names, gathered

#: How an encrypted workbook begins, and every workbook in Excel's old format.
_OLE = bytes.fromhex("D0CF11E0A1B11AE1")

Row = Sequence[Any]


class WorkbookSource(ImportedSource):
    """A sheet of a workbook. A formula has its last computed value; empty cells and errors are missing."""

    _digits_count = False

    def __init__(self, path: Path, form: str, options: FileOptions) -> None:
        super().__init__(path, form)
        self._calamine = library("python_calamine", "Reading spreadsheets", "excel")
        with open(path, "rb") as file:
            book = self._book(file)
            sheets = {name: sheet for name in book.sheet_names if (sheet := book.get_sheet_by_name(name)).height}
            self.sheet = chosen(path, list(sheets), options, "sheet")
            self._rows = self._filled(sheets[self.sheet])
        self.columns = checked_names(self._names)

    def place(self, row: int) -> str:
        """Say which row of the sheet it is."""
        return f"row {self._numbers[row + 1]:,} of sheet '{self.sheet}'"

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

    def _filled(self, sheet: Any) -> list[Row]:
        """The header and the rows below; empty rows are left out."""
        self._first = sheet.start[0]
        self._refuse_merged(sheet)
        numbered = list(enumerate(sheet.to_python(skip_empty_area=True), start=self._first + 1))
        filled = [(number, row) for number, row in numbered if any(cell != "" for cell in row)]
        between = filled[-1][0] - self._first - len(filled)
        if between:
            self.remark(f"Sheet '{self.sheet}' has {between:,} empty rows between others.", "They are left out.")
        self._numbers = [number for number, _ in filled]
        return [row for _, row in filled]

    def _refuse_merged(self, sheet: Any) -> None:
        merged = [place for place in sheet.merged_cell_ranges or () if place[0][0] <= self._first <= place[1][0]]
        if merged:
            raise SchemaError(
                f"The header of sheet '{self.sheet}' of {shown(self.path)} has merged cells (row {self._first + 1}). "
                "Take them apart, so that every column has one name in one row, and remove titles above it."
            )

    @cached_property
    def _names(self) -> list[str]:
        """The names in the first row; a column without a name and without values does not count."""
        header = self._rows[0]
        width = max((place + 1 for row in self._rows for place, cell in enumerate(row) if cell != ""), default=0)
        names = ["" if cell == "" else written(cell).strip() for cell in header[:width]]
        empty = [str(place + 1) for place, name in enumerate(names) if not name and self._is_filled(place)]
        if empty:
            raise SchemaError(
                f"Sheet '{self.sheet}' of {shown(self.path)} has no name in row {self._first + 1} for column "
                f"{listed(empty)}. That row has to hold the names of all columns: remove titles above it."
            )
        return [name for name in names if name]

    def _is_filled(self, place: int) -> bool:
        return any(row[place] != "" for row in self._rows)

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        def column(name: str) -> pa.ChunkedArray:
            place = self._place_of(name)
            values = [None if row[place] == "" else row[place] for row in self._rows[1:]]
            return to_column(name, values, name in as_text, self.expected(name))

        return gathered(columns, column, tell)

    def _place_of(self, name: str) -> int:
        return ["" if cell == "" else written(cell).strip() for cell in self._rows[0]].index(name)

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
        values = [row[self._place_of(name)] for row in self._rows[1:]]
        numbers = sum(isinstance(value, float | int) and not isinstance(value, bool) for value in values)
        words = sum(isinstance(value, str) and value != "" for value in values)
        if numbers and words:
            self.remark(
                f"Column {listed([name])} holds {numbers:,} numbers and {words:,} texts; it is read as text.",
                "Name the texts that mean 'no value' (na=, on the command line --na), and the rest are numbers.",
                name,
            )
