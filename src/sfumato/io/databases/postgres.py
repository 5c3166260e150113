"""PostgreSQL through ADBC, which returns results as Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from sfumato.errors import MissingExtraError, SourceError
from sfumato.io.databases.database import Database, table_or_query
from sfumato.io.inference import Narrowing, converted_to
from sfumato.io.sql import identifier

#: Classes of SQLSTATE for errors about data and about constraints.
ABOUT_DATA = ("22", "23")


class PostgreSQL(Database):
    """A table in a PostgreSQL database.

    Parameters
    ----------
    uri
        Where the database is, such as ``postgresql://user@host/database``.
    table
        The table or view, with its schema if that is not on the search path: ``"clinic.patients"``.
    query
        A query instead of a table: ``"SELECT * FROM patients WHERE year = 2024"``.
    """

    name = "postgresql"

    def __init__(self, uri: str, table: str | None = None, query: str | None = None) -> None:
        try:
            from adbc_driver_postgresql import dbapi  # noqa: PLC0415
        except ImportError:
            raise MissingExtraError("PostgreSQL", "postgres") from None
        source = table_or_query(table, query)
        if source is None:
            raise SourceError("Name a table of the database, or a query.")
        self.source = source
        try:
            self._connection: Any = dbapi.connect(uri, autocommit=True)
        except dbapi.Error as error:
            raise SourceError(f"The database cannot be reached: {_first_line(error)}") from None
        # What fails while rows arrive is an error of Arrow's.
        self._errors = (dbapi.Error, OSError, pa.ArrowException)

    def query(self, sql: str) -> pa.Table:
        return _without_extensions(self._fetch(sql))

    def kinds(self) -> pa.Schema:
        return self._fetch(f"SELECT * FROM {self.source} t LIMIT 0").schema

    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        kinds = self._fetch(self._select(columns, " LIMIT 0")).schema
        exact = [one.name for one in kinds if getattr(one.type, "type_name", None) == "numeric"]
        # Both queries see the same snapshot of the table, whatever others write meanwhile.
        self.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        try:
            found = self._numbers(exact)
        except BaseException:
            self.execute("ROLLBACK")
            raise
        schema = pa.schema([(one.name, found.get(one.name) or _plain(one.type)) for one in kinds])
        return pa.RecordBatchReader.from_batches(schema, self._converted(columns, schema))

    def _numbers(self, names: Sequence[str]) -> dict[str, pa.DataType]:
        """Find types for NUMERIC columns, which come as text: integers if all are whole, else inferred."""
        narrowing = {name: Narrowing() for name in names}
        for batch in self._batches(self._select(names)) if names else ():
            for name in names:
                narrowing[name].look(_without_extension(batch.column(name)))
        return {name: pa.string() if pa.types.is_null(one.kind) else one.kind for name, one in narrowing.items()}

    def _converted(self, columns: Sequence[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self._batches(self._select(columns)):
                plain = [_without_extension(column) for column in batch.columns]
                pieces = [
                    converted_to(column, kind) if column.type != kind else column
                    for column, kind in zip(plain, schema.types, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(pieces, schema=schema)
        finally:
            self.execute("COMMIT")

    def _batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a query as they arrive."""
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
                yield from cursor.fetch_record_batch()
            except self._errors as error:
                raise _refusal("a query", error) from None

    def _select(self, columns: Sequence[str], after: str = "") -> str:
        return f"SELECT {', '.join(self._read(name) for name in columns)} FROM {self.source} t{after}"

    def _read(self, name: str) -> str:
        column = identifier(name)
        return f"CAST({column} AS VARCHAR) AS {column}" if name in self._of_other_types else column

    @cached_property
    def _of_other_types(self) -> frozenset[str]:
        """The columns of types that the driver does not know, such as ``citext`` and enumerations: they are texts."""
        return frozenset(
            one.name
            for one in self.kinds()
            if isinstance(one.type, pa.BaseExtensionType) and pa.types.is_binary(one.type.storage_type)
        )

    def _fetch(self, sql: str) -> pa.Table:
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
                return cursor.fetch_arrow_table()
            except self._errors as error:
                raise _refusal("a query", error) from None

    def execute(self, sql: str) -> None:
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
            except self._errors as error:
                raise _refusal("a statement", error) from None

    def load(self, name: str, table: pa.Table) -> None:
        self.execute(f"DROP TABLE IF EXISTS {identifier(name)}")
        with self._connection.cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="create", temporary=True)

    def close(self) -> None:
        self._connection.close()


def _refusal(what: str, error: Any) -> SourceError:
    """The error for what PostgreSQL does not run; one about data would quote values, so it only says so."""
    state = str(getattr(error, "sqlstate", None) or "")
    if state.startswith(ABOUT_DATA) or not hasattr(error, "sqlstate"):
        return SourceError(
            "PostgreSQL cannot convert or compute a value of the table. Look at the types of its columns and at what "
            "the query computes."
        )
    return SourceError(f"PostgreSQL refuses {what}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _without_extensions(table: pa.Table) -> pa.Table:
    """Convert numbers that the driver returns as text of an extension type to plain text."""
    return pa.table({name: _without_extension(table.column(name)) for name in table.column_names})


def _without_extension(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    plain = _plain(column.type)
    return column if column.type == plain else column.cast(plain)


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
