"""A parser of delimited text: every cell is the text that it shows, and every record is accounted for."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv

from sfumato.errors import SourceError, shortened

TEXT = pa.dictionary(pa.int32(), pa.string())

_BLOCK = 1 << 22
_LARGEST_BLOCK = 2**31 - 1
#: A cell must not be longer than two of these.
_STREAMED_BLOCK = 1 << 25


def read_header(path: Path, separator: str) -> list[str]:
    """The names of the columns: the cells of the first record, stripped.

    A column without a name is named by its place, as pandas does.
    """
    with _explained(path), opened(path) as file:
        text = io.TextIOWrapper(cast("BinaryIO", file), encoding="utf-8-sig", newline="")
        records = csv.reader(text, delimiter=separator, strict=True)
        header = next((record for record in records if record), [])
        return [name.strip() or f"Unnamed: {place}" for place, name in enumerate(header)]


def read_delimited(path: Path, width: int, places: Sequence[int], separator: str) -> pa.Table:
    """Read the columns at ``places`` of a file with ``width`` columns; an empty unquoted cell is missing.

    Raises
    ------
    SourceError
        If not every record of the file becomes a row of the table.
    """
    with _explained(path):
        table = _parsed(path, width, places, separator)
        _account_for_rows(path, table.num_rows, alone=width == 1)
    return table


def stream_delimited(path: Path, width: int, places: Sequence[int], separator: str) -> Iterator[pa.RecordBatch]:
    """Read the same in batches, for files that do not fit in memory."""
    with _explained(path):
        rows = 0
        with opened(path) as file:
            options = _options(width, places, separator, _STREAMED_BLOCK, pa.string())
            for batch in pyarrow.csv.open_csv(file, *options):
                rows += batch.num_rows
                yield batch
        _account_for_rows(path, rows, alone=width == 1)


def _parsed(path: Path, width: int, places: Sequence[int], separator: str) -> pa.Table:
    for block in (_BLOCK, _LARGEST_BLOCK):
        try:
            with opened(path) as file:
                return pyarrow.csv.read_csv(file, *_options(width, places, separator, block))
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error) or block == _LARGEST_BLOCK:
                raise
    raise AssertionError("unreachable")


def _options(
    width: int, places: Sequence[int], separator: str, block: int, kind: pa.DataType = TEXT
) -> tuple[object, ...]:
    names = [str(place) for place in range(width)]
    chosen = [str(place) for place in places]
    return (
        # The header is parsed as a record and then skipped, since it may have several lines.
        pyarrow.csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=block),
        pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True, ignore_empty_lines=True),
        pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(chosen, kind),
            include_columns=chosen,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _account_for_rows(path: Path, rows: int, alone: bool) -> None:
    """Compare the number of rows with the number of records counted from the bytes."""
    with opened(path) as file:
        count = count_records(iter(lambda: file.read(_BLOCK), b""))
    if count.open_quote:
        raise SourceError(f"{_named(path)} has a quotation mark that is not closed. Close it, or double it.")
    if count.records - 1 != rows:
        raise SourceError(
            f"{_named(path)} has {count.records - 1:,} records after its header, but {rows:,} rows could be read, so "
            "it cannot be checked. Save it again as CSV with quotation marks around text, or as Parquet."
        )
    if alone and count.blank:
        raise SourceError(
            f"{_named(path)} has one column and {count.blank:,} empty lines, which are missing values to some readers "
            'and nothing to others, so it cannot be checked. Write "" for a missing value.'
        )


def _named(path: Path) -> str:
    return shortened(str(path), 300)


def opened(path: Path) -> IO[bytes]:
    """Open a file in binary mode, decompressed if its name ends in ``.gz``."""
    return cast("IO[bytes]", gzip.open(path)) if path.name.lower().endswith(".gz") else open(path, "rb")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Report which file cannot be read, without quoting it."""
    try:
        yield
    except SourceError:
        raise
    except (pa.ArrowException, csv.Error, OSError, EOFError, zlib.error, ValueError):
        raise SourceError(
            f"{shortened(str(path), 300)} cannot be read as delimited text in UTF-8 with as many cells in every line "
            "as in the header, so it cannot be checked."
        ) from None


# Readers have been known to lose rows: the last one of a file, or all after a header of two lines. So the rows that a
# reader returns are compared with a count from the bytes, which knows nothing but quotation marks and line ends.

NEWLINE, RETURN, QUOTE = b'\n\r"'


@dataclass
class RecordCount:
    """The count so far.

    Attributes
    ----------
    records
        Lines that are not empty, the header included; line breaks between quotation marks do not end a line.
    blank
        Empty lines.
    """

    records: int = 0
    blank: int = 0
    _quoted: bool = False
    _filled: bool = False
    _after_return: bool = False

    @property
    def open_quote(self) -> bool:
        """Whether a quotation mark was opened and never closed."""
        return self._quoted

    def add(self, chunk: bytes) -> None:
        """Count another chunk."""
        if not chunk:
            return
        data = np.frombuffer(chunk, np.uint8)
        places = np.flatnonzero((data == NEWLINE) | (data == RETURN) | (data == QUOTE))
        marks = data[places]
        quotes = marks == QUOTE
        quoted = (np.cumsum(quotes) + self._quoted) % 2 == 1
        is_end = ~quotes & ~quoted
        ends, kinds = places[is_end], marks[is_end]
        before = np.append(-1, ends[:-1])
        filled = ends - before > 1
        # A line feed right after a carriage return does not end another line.
        second = (kinds == NEWLINE) & ~filled & (np.append(NEWLINE, kinds[:-1]) == RETURN)
        if len(ends):
            filled[0] |= self._filled
            second[0] = kinds[0] == NEWLINE and ends[0] == 0 and self._after_return
        self.records += int(filled.sum())
        self.blank += int((~filled & ~second).sum())
        last = int(ends[-1]) if len(ends) else -1
        self._filled = len(data) - 1 > last or (not len(ends) and self._filled)
        self._after_return = bool(len(ends) and not self._filled and kinds[-1] == RETURN)
        self._quoted = bool(quoted[-1]) if len(quoted) else self._quoted

    def end(self) -> RecordCount:
        """Count a last line that has no line end."""
        self.records += self._filled
        self._filled = False
        return self


def count_records(chunks: Iterable[bytes]) -> RecordCount:
    r"""Count the records of a text that comes in pieces.

    Examples
    --------
    >>> count = count_records([b'name,note\r\nEva,"two\nli', b'nes"\r\n\r\nTom,'])
    >>> count.records, count.blank
    (3, 1)
    """
    count = RecordCount()
    for chunk in chunks:
        count.add(chunk)
    return count.end()
