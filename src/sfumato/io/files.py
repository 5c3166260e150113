"""Files: only the columns asked for are read, in the order of the file; text formats through DuckDB, batch by batch."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import os
import stat
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

import duckdb
import pyarrow as pa

from sfumato.errors import SourceError, shortened
from sfumato.io import arrow
from sfumato.io.base import Extent, Source
from sfumato.io.spooling import SHOWN
from sfumato.progress import Tell

#: Rows per batch: few enough that a batch as plain text is small beside the table.
BATCH_ROWS = 250_000

#: The share of the time that goes into cells; the rest goes into what their columns mean.
PARSING = 0.8

#: Files below this size are small, whatever is in them.
SMALL = 1 << 24

#: So many rows tell whether values repeat themselves; if more than this share are their own, they hardly do.
SAMPLED_ROWS = 20_000
OWN_VALUES = 0.3

#: How many times smaller text is packed, about.
PACKED = 8

#: What DuckDB and Arrow raise when a file is not as it should be.
READ_ERRORS = (duckdb.Error, pa.ArrowException, OSError, UnicodeError, EOFError)


class FileSource(Source):
    """A file: knows its path, and what to say when it cannot be read.

    Attributes
    ----------
    path
        The file.
    form
        How it is to be read: ``"csv"``, ``"jsonl"``, ``"json"``, ``"parquet"`` or ``"arrow"``.
    separator
        What parts the cells of delimited text.
    """

    form: str
    separator: str = ","
    spool: object = None

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def _explained(self, error: Exception) -> SourceError:
        """Say what is wrong with the file, and in which line, without quoting the file."""

    def to_native(self, table: pa.Table) -> pa.Table:
        """Return an Arrow table, its text still as dictionaries, since it may be large."""
        return arrow.canonical(table)


class QueriedSource(FileSource):
    """A file of text: DuckDB selects the columns."""

    @abstractmethod
    def _query(self, columns: Sequence[str], as_text: frozenset[str]) -> str:
        """Return the SQL that selects these columns in this order."""

    def _typed(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Give a column that was read as text the type that it deserves."""
        return column

    def extent(self, columns: Sequence[str]) -> Extent:
        """Guess the rows by the length of the first lines, and the text that does not repeat itself by a sample."""
        size, head = _unpacked_size(self.path), _head(self.path)
        rows = int(head.count(b"\n") * size / max(1, len(head))) + 1
        if size < SMALL:
            return Extent(rows, size)
        names = [f"v{number}" for number in range(len(columns))]
        sample = f"(SELECT * FROM ({self._query(columns, frozenset(columns))}) LIMIT {SAMPLED_ROWS})"
        numbers = (f"avg(strlen({name})), approx_count_distinct({name}) / count(*)" for name in names)
        try:
            with session() as connection:
                query = f"SELECT {', '.join(numbers)} FROM {sample} AS sample({', '.join(names)})"
                facts = [number or 0.0 for number in connection.sql(query).fetchall()[0]]
        except READ_ERRORS as error:
            raise self._explained(error) from None
        own = sum(length for length, distinct in zip(facts[::2], facts[1::2], strict=True) if distinct > OWN_VALUES)
        return Extent(rows, int(rows * own))

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        table: dict[str, pa.ChunkedArray] = {}
        expected = guessed_lines(self.path)

        def tell_rows(rows: float) -> None:
            if expected:
                tell(PARSING * min(rows / expected, 1.0))

        for name, column in zip(columns, self._run(self._query(columns, as_text), tell_rows), strict=True):
            typed = column if name in as_text else self._typed(column)
            is_ready = typed.type == arrow.DICTIONARY
            table[name] = typed if is_ready else arrow.tidy(name, typed, name in as_text)
            tell(PARSING + (1 - PARSING) * len(table) / len(columns))
        return pa.table(table)

    def _run(self, query: str, tell_rows: Tell) -> list[pa.ChunkedArray]:
        try:
            with session() as connection:
                return arrow.encoded(record_batches(connection.sql(query)), tell_rows)
        except READ_ERRORS as error:
            # The cause stays behind: such errors quote lines of the file.
            raise self._explained(error) from None


@contextmanager
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a DuckDB of our own for one read, which asks nothing of the network and leaves nothing behind."""
    with duckdb.connect() as connection:
        connection.execute("SET autoinstall_known_extensions = false")
        connection.execute("SET preserve_insertion_order = true")
        connection.execute("SET TimeZone = 'UTC'")
        # Wide cells fill a batch beyond what 32-bit offsets reach.
        connection.execute("SET arrow_large_buffer_size = true")
        yield connection


def record_batches(relation: duckdb.DuckDBPyRelation) -> pa.RecordBatchReader:
    """Stream a relation instead of materializing it."""
    if hasattr(relation, "to_arrow_reader"):
        return relation.to_arrow_reader(BATCH_ROWS)
    return relation.fetch_record_batch(BATCH_ROWS)  # the name before DuckDB 1.4


def check_readable(path: Path) -> None:
    """Make sure that a path leads to a file with something in it, or say what is in the way."""
    try:
        mode = os.stat(path).st_mode
        is_empty = stat.S_ISREG(mode) and not _first_byte(path)
    except FileNotFoundError:
        raise SourceError(f"There is no file {shown(path)}. Check the path.") from None
    except PermissionError:
        raise SourceError(f"{shown(path)} may not be read. Check its permissions.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise SourceError(f"{shown(path)} cannot be read: {reason}.") from None
    if stat.S_ISDIR(mode):
        raise SourceError(f"{shown(path)} is a directory. Name a file in it.")
    if not stat.S_ISREG(mode):
        raise SourceError(f"{shown(path)} is not a regular file. Save the data to a file first.")
    if is_empty:
        raise SourceError(f"{shown(path)} is empty. It needs a header and rows.")


def _first_byte(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(1)


#: How packed text files are opened, by the ending of their names.
PACKINGS: dict[str, Callable[[Path], object]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": lambda path: pa.input_stream(str(path), compression="zstd"),
}

#: What is raised by a packed file that is none, or was cut short.
PACKING_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException)


def opened(path: Path) -> IO[bytes]:
    """Open a text file for its bytes, unpacked if the ending of its name says that it is packed."""
    unpacking = PACKINGS.get(path.suffix.lower())
    return open(path, "rb") if unpacking is None else cast("IO[bytes]", unpacking(path))


def guessed_lines(path: Path, sample: int = 1 << 16) -> float:
    """Guess how many lines a file has by the length of its first ones; 0 where that tells nothing, as in a packed file.

    Examples
    --------
    >>> guessed_lines(Path("people.csv.gz"))
    0.0
    """
    if path.suffix.lower() in PACKINGS:
        return 0.0
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(sample)
        lines = head.count(b"\n") or head.count(b"\r")
        return lines * os.fstat(file.fileno()).st_size / max(1, len(head))
    return 0.0


def _unpacked_size(path: Path) -> int:
    return os.path.getsize(path) * (PACKED if path.suffix.lower() in PACKINGS else 1)


def _head(path: Path, size: int = 1 << 16) -> bytes:
    with suppress(*PACKING_ERRORS), opened(path) as file:
        return file.read(size)
    return b""


def shown(path: Path) -> str:
    """Quote a path for a message."""
    return shortened(SHOWN.get(path, str(path)), 300)


def literal(text: str) -> str:
    """Quote text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Quote a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal_path(path: Path) -> str:
    """Quote a path for SQL, so that ``*``, ``?`` and ``[`` mean themselves."""
    return literal(glob.escape(str(path.absolute())))
