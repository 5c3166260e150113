"""DuckDB: tables of a database file, and Parquet and CSV files as if they were tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from sfumato.errors import SourceError
from sfumato.io import Source, open_file
from sfumato.io.databases.database import Database, table_or_query
from sfumato.io.files import record_batches
from sfumato.io.sql import identifier, literal, qualified

#: The memory that DuckDB may take while it streams a table.
STREAM_MEMORY = "256MB"

READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv"}


class DuckDB(Database):
    """A table that DuckDB reads.

    Parameters
    ----------
    path
        A Parquet or CSV file, or a DuckDB database.
    table
        The table of a DuckDB database.
    read_only
        Open a database read-only; then a release cannot be made in place.
    query
        A query on the database instead of a table: ``"SELECT * FROM orders WHERE year = 2024"``.

    Examples
    --------
    >>> DuckDB("orders.duckdb", table="orders")  # doctest: +SKIP
    """

    name = "duckdb"

    def __init__(
        self,
        path: str | os.PathLike[str],
        table: str | None = None,
        read_only: bool = False,
        query: str | None = None,
    ) -> None:
        file = Path(path)
        if not file.is_file():
            raise SourceError(f"There is no file {str(file)!r}. Check the path.")
        self._file = file
        reader = READERS.get(file.suffix.lower())
        if reader is not None and (table or query) is not None:
            raise SourceError(f"{str(file)!r} is a file, not a database: it has no table {table!r}. Leave 'table' out.")
        try:
            if reader is not None:
                self._connection = duckdb.connect()
                self.lasting = False
                self.source = f"{reader}({literal(str(file.absolute()))})"
            else:
                self._connection = duckdb.connect(str(file), read_only=read_only)
                self.source = table_or_query(table, query) or qualified(self._only_table(file))
        except duckdb.Error as error:
            raise SourceError(f"{str(file)!r} cannot be opened by DuckDB: {_first_line(error)}") from None

    def open(self) -> Source:
        """Open the table; a file as if its path had been given."""
        return super().open() if self.lasting else open_file(self._file)

    def read_as_text(self, names: Sequence[str]) -> None:
        if names and self.source.startswith("read_csv("):
            types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
            self.source = f"{self.source.removesuffix(')')}, types={{{types}}})"

    def _only_table(self, file: Path) -> str:
        names = [row[0] for row in self._connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        if len(names) != 1:
            raise SourceError(f"{str(file)!r} has {len(names)} tables. Say which one is meant: table='…'.")
        return str(names[0])

    def query(self, sql: str) -> pa.Table:
        try:
            return self._connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise _refusal("a query", error) from None

    def kinds(self) -> pa.Schema:
        return self.query(f"SELECT * FROM {self.source} t LIMIT 0").schema

    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        names = ", ".join(identifier(name) for name in columns)
        try:
            # A cursor, since any other query on the connection would end the stream.
            reader = record_batches(self._connection.cursor().sql(f"SELECT {names} FROM {self.source} t"))
        except duckdb.Error as error:
            raise _refusal("a query", error) from None
        return pa.RecordBatchReader.from_batches(reader.schema, self._within_memory(reader))

    def _within_memory(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Keep DuckDB from caching pages it has already streamed, which would take most of the memory."""
        self.execute(f"SET memory_limit = '{STREAM_MEMORY}'")
        try:
            yield from batches
        except (duckdb.Error, pa.ArrowException) as error:
            raise SourceError(f"DuckDB cannot read the table to its end: {type(error).__name__}.") from None
        finally:
            self.execute("RESET memory_limit")

    def execute(self, sql: str) -> None:
        try:
            self._connection.execute(sql)
        except duckdb.Error as error:
            raise _refusal("a statement", error) from None

    def load(self, name: str, table: pa.Table) -> None:
        self._connection.register("sfumato_arrow", table)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {identifier(name)} AS FROM sfumato_arrow")
        self._connection.unregister("sfumato_arrow")

    def close(self) -> None:
        self._connection.close()


def _refusal(what: str, error: duckdb.Error) -> SourceError:
    """The error for what DuckDB does not run; one about data would quote values, so it only says so."""
    if isinstance(error, duckdb.DataError | duckdb.IntegrityError | duckdb.InvalidInputException):
        return SourceError(
            "DuckDB cannot convert or compute a value of the table. Look at the types of its columns and at what the "
            "query computes."
        )
    return SourceError(f"DuckDB refuses {what}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
