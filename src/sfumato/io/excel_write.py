"""Workbooks, written: one sheet with the names and the rows, and nothing else.

Text is written as text, so that no spreadsheet runs it as a formula.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import DataError, listed
from sfumato.io.columns import decoded
from sfumato.io.library import library
from sfumato.io.lines import CHUNK_ROWS, text_cells
from sfumato.io.python_values import EXACT

#: What a sheet can hold, header included, and how long a text in a cell can be.
MOST_ROWS, MOST_COLUMNS, LONGEST_TEXT = 1_048_576, 16_384, 32_767
#: Excel counts days from 1900 and takes that year for a leap year; earlier dates are text.
FIRST_DATE = dt.date(1900, 3, 1)
#: The file does not say when it was made.
_NEVER = dt.datetime(1980, 1, 1)

SHEET = "release"


def require_excel() -> Any:
    """Import XlsxWriter; if it is missing, the error names the pip line."""
    return library("xlsxwriter", "Writing workbooks", "excel")


def write_excel(table: pa.Table, path: Path, tell: Tell) -> None:
    """Write a table as a workbook with one sheet."""
    xlsxwriter = require_excel()
    if table.num_rows >= MOST_ROWS or table.num_columns > MOST_COLUMNS:
        raise DataError(
            f"A sheet of a workbook has at most {MOST_ROWS - 1:,} rows below its header and {MOST_COLUMNS:,} columns; "
            f"this release has {table.num_rows:,} and {table.num_columns:,}. Write CSV or Parquet."
        )
    columns = [_cells(name, table.column(name)) for name in table.column_names]
    with xlsxwriter.Workbook(str(path), {"constant_memory": True, "in_memory": False}) as book:
        book.set_properties({"created": _NEVER})
        sheet = book.add_worksheet(SHEET)
        writers = [_writer(sheet, book, column) for column in columns]
        for place, name in enumerate(table.column_names):
            sheet.write_string(0, place, name)
        for start in range(0, table.num_rows, CHUNK_ROWS):
            chunks = [column.slice(start, CHUNK_ROWS).to_pylist() for column in columns]
            for row, cells in enumerate(zip(*chunks, strict=True), start=start + 1):
                for place, (write, cell) in enumerate(zip(writers, cells, strict=True)):
                    if cell is not None:
                        write(row, place, cell)
            tell(min(1.0, (start + CHUNK_ROWS) / table.num_rows))
    tell(1.0)


def _writer(sheet: Any, book: Any, column: pa.ChunkedArray) -> Callable[[int, int, Any], object]:
    """How the cells of a column are written."""
    if pa.types.is_boolean(column.type):
        return sheet.write_boolean
    if pa.types.is_date(column.type):
        style = book.add_format({"num_format": "yyyy-mm-dd"})
        return lambda row, place, cell: sheet.write_datetime(row, place, cell, style)
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    return sheet.write_number if is_number else sheet.write_string


def _cells(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Bring a column into a type that a sheet has; what it would round becomes text."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return column
    if pa.types.is_integer(kind) and not pc.any(pc.greater_equal(pc.abs_checked(column), EXACT)).as_py():
        return column
    if pa.types.is_floating(kind) and not pc.any(pc.is_inf(column)).as_py():
        return pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    if pa.types.is_date(kind) and not pc.any(pc.less(column.cast(pa.date32()), pa.scalar(FIRST_DATE))).as_py():
        return column.cast(pa.date32())
    is_text = pa.types.is_dictionary(kind) or pa.types.is_string(kind)
    texts = decoded(column) if is_text else pa.chunked_array([text_cells(column, lambda cells: cells)])
    if (pc.max(pc.utf8_length(texts)).as_py() or 0) > LONGEST_TEXT:
        raise DataError(
            f"Column {listed([name])} holds text of more than {LONGEST_TEXT:,} characters, which a cell of a workbook "
            "cannot hold. Shorten it, or write CSV or Parquet."
        )
    return texts
