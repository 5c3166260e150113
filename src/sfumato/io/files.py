"""What all file sources share: checks of paths, compression, and text formats read by DuckDB batch by batch."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import stat
import zlib
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

import duckdb
import pyarrow as pa

from sfumato.common.progress import Tell
from sfumato.common.threads import how_many, in_order
from sfumato.errors import SourceError, did_you_mean, shortened
from sfumato.io.columns import DICTIONARY, canonical, decoded, encoded, is_text, tidy
from sfumato.io.inference import Narrowing, inferred
from sfumato.io.missing import codes_for, without_codes
from sfumato.io.readings import Expected, TextReading
from sfumato.io.source import BATCH_ROWS, Source, TableSize, without_nulls
from sfumato.io.spool import SHOWN

#: The share of the time that goes into parsing cells; the rest goes into inferring types.
PARSING = 0.8

#: Files below this size count as small, whatever is in them.
SMALL = 1 << 24

#: How many rows are sampled to see whether values repeat; if more than this share is distinct, they hardly do.
SAMPLED_ROWS = 20_000
OWN_VALUES = 0.3

#: About how many times smaller compressed text is.
PACKED = 8

#: What is raised for a damaged file.
READ_ERRORS = (pa.ArrowException, OSError, UnicodeError, EOFError)


def query_errors() -> tuple[type[Exception], ...]:
    """What is raised where DuckDB reads; a function, since DuckDB is loaded only when needed."""
    return (duckdb.Error, *READ_ERRORS)


class FileSource(Source):
    """A file with its path, its format and its error messages.

    Attributes
    ----------
    path
        The file.
    form
        Its format: ``"csv"``, ``"jsonl"``, ``"json"``, ``"parquet"`` or ``"arrow"``.
    separator
        What separates the cells of delimited text.
    """

    form: str
    separator: str = ","
    spool: object = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state = _state(path)

    def check_unchanged(self) -> None:
        if _state(self.path) != self._state:
            raise SourceError(
                f"{shown(self.path)} changed while it was read, so nothing is made of it. Wait until nobody writes it, "
                "or copy it, and start again."
            )

    @abstractmethod
    def _explained(self, error: Exception) -> SourceError:
        """Say what is wrong with the file, and in which line, without quoting the file."""

    def to_native(self, table: pa.Table) -> pa.Table:
        """Keep an Arrow table, whose text stays dictionary-encoded, since it may be large."""
        return canonical(table)


class QueriedSource(FileSource):
    """A text file, of which DuckDB reads the selected columns."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._kinds: dict[object, dict[str, TextReading | pa.DataType]] = {}

    @abstractmethod
    def _query(self, columns: Sequence[str], as_text: frozenset[str]) -> str:
        """The SQL that selects these columns in this order."""

    def extent(self, columns: Sequence[str]) -> TableSize:
        """Estimate the rows from the length of the first lines, and the text that does not repeat from a sample."""
        size, head = _unpacked_size(self.path), _head(self.path)
        rows = int(head.count(b"\n") * size / max(1, len(head))) + 1
        if size < SMALL:
            return TableSize(rows, size)
        names = [f"v{number}" for number in range(len(columns))]
        sample = f"(SELECT * FROM ({self._query(columns, frozenset(columns))}) LIMIT {SAMPLED_ROWS})"
        numbers = (f"avg(strlen({name})), approx_count_distinct({name}) / count(*)" for name in names)
        try:
            with session() as connection:
                query = f"SELECT {', '.join(numbers)} FROM {sample} AS sample({', '.join(names)})"
                facts = [number or 0.0 for number in connection.sql(query).fetchall()[0]]
        except query_errors() as error:
            raise self._explained(error) from None
        own = sum(length for length, distinct in zip(facts[::2], facts[1::2], strict=True) if distinct > OWN_VALUES)
        return TableSize(rows, int(rows * own))

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        expected = guessed_lines(self.path)

        def tell_rows(rows: float) -> None:
            if expected:
                tell(PARSING * min(rows / expected, 1.0))

        def typed(read: tuple[str, pa.ChunkedArray]) -> pa.ChunkedArray:
            name, column = read
            column = column if name in as_text else inferred(column, self.expected(name))
            return column if column.type == DICTIONARY else tidy(name, column, name in as_text)

        table: dict[str, pa.ChunkedArray] = {}
        read = zip(columns, self._run(self._query(columns, as_text), tell_rows), strict=True)
        for name, column in zip(columns, in_order(typed, read), strict=True):
            table[name] = column
            tell(PARSING + (1 - PARSING) * len(table) / len(columns))
        return pa.table(table)

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        """Infer the types of text columns from all of their values, piece by piece."""
        found = self._found(columns, as_text, na)
        return pa.schema([(name, one.kind if isinstance(one, TextReading) else one) for name, one in found.items()])

    def _found(
        self, columns: Sequence[str], as_text: Collection[str], na: Mapping[str, Collection[str]] | None
    ) -> dict[str, TextReading | pa.DataType]:
        """Find how text columns are read, and the types of all others."""
        asked = (tuple(columns), frozenset(as_text), repr(na))
        if asked not in self._kinds:
            looks = {name: Narrowing(self._expected_without(name, na)) for name in columns if name not in as_text}
            kinds: dict[str, pa.DataType] = dict.fromkeys(columns, pa.null())
            for batch in self._texts(columns, frozenset(as_text), na):
                for name, column in zip(columns, batch, strict=True):
                    kinds[name] = column.type
                    if name in looks and is_text(column.type):
                        looks[name].look(column)
            for name, look in looks.items():
                if is_text(kinds[name]) and look.reading is not None:
                    self.expected(name).tell(look.reading)
                kinds[name] = (look.reading or look.kind) if is_text(kinds[name]) else kinds[name]
            self._kinds[asked] = kinds
        return self._kinds[asked]

    def _expected_without(self, name: str, na: Mapping[str, Collection[str]] | None) -> Expected:
        """What is known about a column; without its codes for missing values, digits mean numbers in JSON as well."""
        expected = self.expected(name)
        return replace(expected, numbers=True) if codes_for(name, na or {}) else expected

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        found = self._found(columns, as_text, na)
        kinds = without_nulls(self.kinds(columns, as_text, na))
        for batch in self._texts(columns, frozenset(as_text), na):
            pieces = [
                _converted(column, found[field.name]) if is_text(column.type) else column
                for column, field in zip(batch, kinds, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(pieces, schema=kinds)
        self.check_unchanged()

    def _texts(
        self, columns: Sequence[str], as_text: frozenset[str], na: Mapping[str, Collection[str]] | None
    ) -> Iterator[list[pa.Array]]:
        """Yield columns as they stand in the file, with the codes for missing values made missing."""
        for batch in self._stream(self._query(columns, as_text)):
            yield [
                decoded(without_codes(pa.chunked_array([column]), codes_for(name, na or {}), True)).combine_chunks()
                for name, column in zip(columns, batch.columns, strict=True)
            ]

    def _stream(self, query: str) -> Iterator[pa.RecordBatch]:
        try:
            with session() as connection:
                yield from record_batches(connection.sql(query))
        except query_errors() as error:
            raise self._explained(error) from None

    def _run(self, query: str, tell_rows: Tell) -> list[pa.ChunkedArray]:
        try:
            with session() as connection:
                return encoded(record_batches(connection.sql(query)), tell_rows)
        except query_errors() as error:
            # Without the cause, since such errors quote lines of the file.
            raise self._explained(error) from None


def _converted(texts: pa.Array, found: TextReading | pa.DataType) -> pa.Array:
    """Give texts the type that was found for them; without values they are text."""
    return found.convert(texts.cast(pa.string())) if isinstance(found, TextReading) else texts.cast(pa.string())


@contextmanager
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private DuckDB for one read, without network access and without leftovers."""
    with duckdb.connect() as connection:
        connection.execute("SET autoinstall_known_extensions = false")
        connection.execute("SET preserve_insertion_order = true")
        connection.execute(f"SET threads = {how_many()}")
        connection.execute("SET TimeZone = 'UTC'")
        # Wide cells can fill a batch beyond 32-bit offsets.
        connection.execute("SET arrow_large_buffer_size = true")
        yield connection


def record_batches(relation: duckdb.DuckDBPyRelation) -> pa.RecordBatchReader:
    """Stream a relation instead of materializing it."""
    if hasattr(relation, "to_arrow_reader"):
        return relation.to_arrow_reader(BATCH_ROWS)
    return relation.fetch_record_batch(BATCH_ROWS)  # the name before DuckDB 1.4


def _beside(path: Path) -> list[str]:
    """List the files in the folder of a path, as far as it can be read."""
    try:
        return [one.name for one in os.scandir(path.parent)]
    except OSError:
        return []


#: An address, whose second slash is gone from a path.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/")


def check_readable(path: Path) -> None:
    """Check that a path is a regular file that can be read and is not empty."""
    try:
        mode = os.stat(path).st_mode
        is_empty = stat.S_ISREG(mode) and not _first_byte(path)
    except FileNotFoundError:
        hint = did_you_mean(path.name, _beside(path)) or "Check the path."
        if _ADDRESS.match(str(path)):
            hint = "Tables are read from this machine: download it first."
        raise SourceError(f"There is no file {shown(path)}. {hint}") from None
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


#: How compressed text files are opened, by the ending of their names.
PACKINGS: dict[str, Callable[[Path], object]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": lambda path: pa.input_stream(str(path), compression="zstd"),
}

#: What is raised for a compressed file that is damaged or is none.
PACKING_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, pa.ArrowException)


def opened(path: Path) -> IO[bytes]:
    """Open a text file in binary mode, decompressed if its name says that it is compressed."""
    unpacking = PACKINGS.get(path.suffix.lower())
    return open(path, "rb") if unpacking is None else cast("IO[bytes]", unpacking(path))


def guessed_lines(path: Path, sample: int = 1 << 16) -> float:
    """Estimate the number of lines from the length of the first ones; 0 for compressed files, where that says nothing.

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


def _state(path: Path) -> tuple[int, int, int] | None:
    """Size, time of modification and inode, which change when a file is written or replaced."""
    with suppress(OSError, ValueError):
        facts = os.stat(path)
        return facts.st_size, facts.st_mtime_ns, facts.st_ino
    return None


def _unpacked_size(path: Path) -> int:
    return os.path.getsize(path) * (PACKED if path.suffix.lower() in PACKINGS else 1)


def _head(path: Path, size: int = 1 << 16) -> bytes:
    with suppress(*PACKING_ERRORS), opened(path) as file:
        return file.read(size)
    return b""


def shown(path: Path) -> str:
    """Quote a path for a message."""
    return shortened(SHOWN.get(path, str(path)), 300)
