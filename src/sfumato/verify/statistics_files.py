"""Files of other programs as these show them: of SPSS and Stata with value labels instead of codes, of Excel, of R."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import MissingExtraError, SourceError, shortened

STATISTICS = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta"}


def read_statistics(path: Path, form: str, places: Sequence[int] | None = None) -> pa.Table:
    """Read the columns at some places of a file, or all, under their names in the file.

    An empty text is missing: neither program distinguishes the two.
    """
    try:
        library = import_module("pyreadstat")
        values, about = getattr(library, STATISTICS[form])(str(path), output_format="dict")
    except ImportError:
        raise MissingExtraError("Reading SPSS and Stata files", "statistics") from None
    except Exception:
        # The library's message may quote the file.
        raise SourceError(f"{shortened(str(path), 300)} cannot be read back.") from None
    names = about.column_names if places is None else [about.column_names[place] for place in places]
    labels = about.variable_value_labels
    return pa.Table.from_arrays([_column(values[name], labels.get(name, {})) for name in names], names=list(names))


def _column(values: list[Any], labels: dict[Any, str]) -> pa.ChunkedArray:
    seen = [None if value in (None, "") or value != value else labels.get(value, value) for value in values]  # noqa: PLR0124
    mixed = len({type(value) for value in seen if value is not None}) > 1
    texts = [None if value is None else str(value) for value in seen] if mixed else seen
    column = pa.array(texts)
    return pa.chunked_array([column.dictionary_encode() if pa.types.is_string(column.type) else column])


#: The formats that are read here, and the extra that each needs.
FOREIGN = {"xlsx": "excel", "rds": "statistics"}


def read_foreign(path: Path, form: str, names: Sequence[str], places: Sequence[int]) -> pa.Table:
    """Read the columns at some places of a workbook or of a data frame of R, and check that the names are these."""
    read = _read_workbook if form == "xlsx" else _read_r
    try:
        found, columns = read(path)
    except ImportError:
        raise MissingExtraError(f"Reading .{form} files", FOREIGN[form]) from None
    except Exception:
        # The library's message may quote the file.
        raise SourceError(f"{shortened(str(path), 300)} cannot be read back.") from None
    if found != list(names):
        raise SourceError(f"{shortened(str(path), 300)} does not have the columns that were written.")
    return pa.Table.from_arrays([columns[place] for place in places], names=[names[place] for place in places])


def _read_workbook(path: Path) -> tuple[list[str], list[pa.ChunkedArray]]:
    calamine = import_module("python_calamine")
    with open(path, "rb") as file:
        book = calamine.CalamineWorkbook.from_filelike(file)
        [sheet] = book.sheet_names
        header, *rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    cells = zip(*rows, strict=True) if rows else ([] for _ in header)
    return [str(name) for name in header], [
        _sheet_column([None if one == "" else one for one in column]) for column in cells
    ]


def _read_r(path: Path) -> tuple[list[str], list[pa.ChunkedArray]]:
    pyreadr = import_module("pyreadr")
    [frame] = pyreadr.read_r(str(path), output_format="polars").values()
    return list(frame.columns), [pa.chunked_array(frame[name].to_arrow()) for name in frame.columns]


def _sheet_column(cells: list[Any]) -> pa.ChunkedArray:
    values = [None if cell == "" else cell for cell in cells]
    mixed = len({type(value) for value in values if value is not None}) > 1
    column = pa.array([None if value is None else repr(value) for value in values] if mixed else values)
    return pa.chunked_array([column.dictionary_encode() if pa.types.is_string(column.type) else column])
