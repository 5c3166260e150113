"""Tables of SQLite databases, through the standard library; the file is opened read-only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from sfumato.common.progress import Tell
from sfumato.errors import DataError, listed
from sfumato.io.columns import tidy, unified
from sfumato.io.inference import inferred
from sfumato.io.library import ImportedSource, chosen
from sfumato.io.source import BATCH_ROWS, FileOptions, checked_names, gathered
from sfumato.io.sql import identifier

#: How every SQLite file begins.
MAGIC = b"SQLite format 3\0"

_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"


def is_sqlite(path: Path) -> bool:
    """Whether a file is an SQLite database, whatever its name says."""
    try:
        if not path.is_file():  # to open a pipe would wait for somebody to write
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


class SqliteSource(ImportedSource):
    """A table or a view. A column has the type of its values: one that mixes text with numbers is text."""

    _digits_count = False

    def __init__(self, path: Path, form: str, options: FileOptions) -> None:
        super().__init__(path, form)
        try:
            with closing(self._connected()) as connection:
                names = [name for (name,) in connection.execute(_TABLES)]
                self.table = chosen(path, names, options, "table")
                cursor = connection.execute(f"SELECT * FROM {identifier(self.table)} LIMIT 0")
                self.columns = checked_names(column[0] for column in cursor.description)
        except sqlite3.Error:
            raise self.damaged("an SQLite database (one of DuckDB is opened by sfumato.engines)") from None

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{quote(str(self.path.absolute()))}?mode=ro", uri=True)

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        try:
            with closing(self._connected()) as connection:
                return gathered(columns, lambda name: self._column(connection, name, name in as_text), tell)
        except sqlite3.Error:
            raise self.damaged("an SQLite database with text in UTF-8") from None

    def _column(self, connection: sqlite3.Connection, name: str, as_text: bool) -> pa.ChunkedArray:
        column, table = identifier(name), identifier(self.table)
        kinds = {kind for (kind,) in connection.execute(f"SELECT DISTINCT typeof({column}) FROM {table}")} - {"null"}
        if "blob" in kinds:
            raise DataError(f"Column {listed([name])} holds binary data, which cannot be released. Leave it out.")
        if as_text or "text" in kinds:
            cells = connection.execute(f"SELECT CAST({column} AS TEXT) FROM {table}")
            words = unified([part.dictionary_encode() for part in _batches(cells, pa.string())])
            return words if as_text or not pa.types.is_dictionary(words.type) else inferred(words, self.expected(name))
        kind = pa.float64() if "real" in kinds else pa.int64() if kinds else pa.null()
        parts = list(_batches(connection.execute(f"SELECT {column} FROM {table}"), kind))
        return tidy(name, pa.chunked_array(parts, kind))


def _batches(cursor: sqlite3.Cursor, kind: pa.DataType) -> Iterator[pa.Array]:
    """Yield the values of a query with one column in batches; an empty table gives one empty batch."""
    while True:
        rows = cursor.fetchmany(BATCH_ROWS)
        yield pa.array([value for (value,) in rows], kind)
        if len(rows) < BATCH_ROWS:
            return
