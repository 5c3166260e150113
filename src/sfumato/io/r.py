"""R data frames, as ``saveRDS`` and ``save`` write them, read; and written as ``readRDS`` reads them.

Written in R's own serialization, version 2, without any metadata: numbers, truth values, dates and times have their
types of R, all else is text.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import DataError, SourceError, listed
from sfumato.io.columns import decoded
from sfumato.io.files import shown
from sfumato.io.frames import open_frame
from sfumato.io.library import ImportedSource, chosen, library
from sfumato.io.lines import text_cells
from sfumato.io.python_values import EXACT
from sfumato.io.source import FileOptions, Source

#: The column that pyreadr makes of the names of rows.
ROW_NAMES = "rownames"


def require_r() -> Any:
    """Import pyreadr, by which written files are checked; if it is missing, the error names the pip line."""
    return library("pyreadr", "Writing an R file, and checking it,", "statistics")


def open_r(path: Path, form: str, options: FileOptions) -> Source:
    """Open a data frame that ``saveRDS`` or ``save`` wrote; a factor is a column of its levels."""
    pyreadr = library("pyreadr", "Reading an R file", "statistics")
    try:
        found = pyreadr.read_r(str(path), output_format="polars")
    except Exception:
        raise ImportedR(path, form).damaged("an R file with a data frame, as saveRDS or save writes it") from None
    if form == "rds":
        return ImportedR(path, form, _opened(next(iter(found.values())))) if found else _nothing(path)
    frames = {str(name): frame for name, frame in found.items() if len(frame.columns)}
    if not frames:
        return _nothing(path)
    return ImportedR(path, form, _opened(frames[chosen(path, list(frames), options, "data frame")]))


def _opened(frame: Any) -> Source:
    """Open a frame, without the names of rows that only number them."""
    if ROW_NAMES in frame.columns and frame[ROW_NAMES].to_list() == [str(row + 1) for row in range(len(frame))]:
        frame = frame.drop(ROW_NAMES)
    return open_frame(frame)


def _nothing(path: Path) -> Source:
    raise SourceError(f"{shown(path)} holds no data frame. Save one with saveRDS.")


class ImportedR(ImportedSource):
    """An R data frame, through the frame that pyreadr makes."""

    _digits_count = False
    _reads_words = True

    def __init__(self, path: Path, form: str, frame: Source | None = None) -> None:
        super().__init__(path, form)
        self._frame = frame
        self.columns = () if frame is None else frame.columns

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        assert self._frame is not None
        return self._frame.stored().read(columns, as_text, tell)


# Writing

# The types of R's values, and what is added to them: it has attributes, is an object with a class, has a tag.
_SYMBOL, _PAIRS, _CHARACTERS, _LOGICAL, _INTEGER, _REAL, _STRINGS, _LIST = 1, 2, 9, 10, 13, 14, 16, 19
_OBJECT, _ATTRIBUTES, _TAG = 0x100, 0x200, 0x400
_NIL = struct.pack(">i", 0xFE)
_UTF8 = 0x8000

_MISSING_INTEGER = -(2**31)
#: The one among the numbers that are none by which R means a missing value.
_MISSING_REAL = np.uint64(0x7FF00000000007A2)

#: Version 2 of the format, written as R 3.5 does, readable since R 2.3.
_HEAD = b"X\n" + struct.pack(">iii", 2, 0x00030500, 0x00020300)


def write_rds(table: pa.Table, path: Path, tell: Tell) -> None:
    """Write a table as a data frame of R."""
    with (
        open(path, "wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed,
    ):
        packed.write(_HEAD + struct.pack(">ii", _LIST | _OBJECT | _ATTRIBUTES, table.num_columns))
        for done, name in enumerate(table.column_names, start=1):
            packed.writelines(_column(name, table.column(name)))
            tell(done / table.num_columns)
        attributes = {
            "names": _strings(table.column_names),
            "class": _strings(["data.frame"]),
            "row.names": _integers(np.array([_MISSING_INTEGER, -table.num_rows], np.int64)),
        }
        packed.write(_attributes(attributes))


def _column(name: str, column: pa.ChunkedArray) -> Iterator[bytes]:
    kind = column.type
    if pa.types.is_boolean(kind):
        yield struct.pack(">ii", _LOGICAL, len(column)) + _as_integers(column)
    elif pa.types.is_integer(kind) and _fits(column):
        yield struct.pack(">ii", _INTEGER, len(column)) + _as_integers(column)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        yield struct.pack(">ii", _REAL, len(column)) + _reals(_exact(name, column))
    elif pa.types.is_date(kind):
        days = column.cast(pa.date32()).cast(pa.int32())
        yield from _of_class(days, ["Date"], {})
    elif pa.types.is_timestamp(kind):
        seconds = pc.divide(column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()).cast(pa.float64()), 1e6)
        yield from _of_class(seconds, ["POSIXct", "POSIXt"], {"tzone": _strings(["UTC"])})
    else:
        yield _texts(column)


def _of_class(numbers: pa.ChunkedArray, classes: Sequence[str], others: dict[str, bytes]) -> Iterator[bytes]:
    yield struct.pack(">ii", _REAL | _OBJECT | _ATTRIBUTES, len(numbers)) + _reals(numbers.cast(pa.float64()))
    yield _attributes({"class": _strings(classes), **others})


def _fits(column: pa.ChunkedArray) -> bool:
    ends = pc.min_max(column).as_py()
    return ends["min"] is None or (ends["min"] > _MISSING_INTEGER and ends["max"] < 2**31)


def _exact(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_integer(column.type) and pc.any(pc.greater_equal(pc.abs_checked(column), EXACT)).as_py():
        raise DataError(
            f"Column {listed([name])} holds whole numbers of 16 digits and more, which R rounds. Make it text, or "
            "write CSV."
        )
    return column.cast(pa.float64())


def _as_integers(column: pa.ChunkedArray) -> bytes:
    return column.cast(pa.int32()).fill_null(_MISSING_INTEGER).to_numpy().astype(">i4").tobytes()


def _reals(column: pa.ChunkedArray) -> bytes:
    missing = pc.is_null(column, nan_is_null=True).to_numpy()
    numbers = np.where(missing, 0.0, column.fill_null(0.0).to_numpy()) + 0.0
    bits = np.where(missing, _MISSING_REAL, numbers.view(np.uint64))
    return bits.astype(">u8").tobytes()


def _texts(column: pa.ChunkedArray) -> bytes:
    is_text = pa.types.is_dictionary(column.type) or pa.types.is_string(column.type)
    texts = decoded(column) if is_text else pa.chunked_array([text_cells(column, lambda cells: cells)])
    coded = texts.cast(pa.large_string()).dictionary_encode().unify_dictionaries()
    written = [_characters(text) for text in (coded.chunk(0).dictionary.to_pylist() if coded.num_chunks else ())]
    written.append(_characters(None))
    places = [-1 if place is None else place for chunk in coded.chunks for place in chunk.indices.to_pylist()]
    return struct.pack(">ii", _STRINGS, len(texts)) + b"".join([written[place] for place in places])


def _characters(text: str | None) -> bytes:
    if text is None:
        return struct.pack(">ii", _CHARACTERS, -1)
    encoded = text.encode()
    return struct.pack(">ii", _CHARACTERS | _UTF8, len(encoded)) + encoded


def _strings(texts: Sequence[str]) -> bytes:
    return struct.pack(">ii", _STRINGS, len(texts)) + b"".join(map(_characters, texts))


def _integers(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bytes:
    return struct.pack(">ii", _INTEGER, len(numbers)) + numbers.astype(">i4").tobytes()


def _attributes(values: dict[str, bytes]) -> bytes:
    """A list of names with their values, as R chains them."""
    pairs = (
        struct.pack(">i", _PAIRS | _TAG) + struct.pack(">i", _SYMBOL) + _characters(name) + value
        for name, value in values.items()
    )
    return b"".join(pairs) + _NIL
