"""Delimited text as it is written: every cell is the text that it shows, and every record is accounted for."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

import pyarrow as pa
import pyarrow.csv

from sfumato.errors import SourceError, shortened
from sfumato.verify.records import count_records

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
    where = shortened(str(path), 300)
    if count.open_quote:
        raise SourceError(f"{where} has a quotation mark that is not closed. Close it, or double it.")
    if count.records - 1 != rows:
        raise SourceError(
            f"{where} has {count.records - 1:,} records after its header, but {rows:,} rows could be read, so it "
            "cannot be checked. Save it again as CSV with quotation marks around text, or as Parquet."
        )
    if alone and count.blank:
        raise SourceError(
            f"{where} has one column and {count.blank:,} empty lines, which are missing values to some readers and "
            'nothing to others, so it cannot be checked. Write "" for a missing value.'
        )


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
