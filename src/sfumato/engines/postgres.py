"""PostgreSQL, through ADBC: results come as Arrow, without a row in between."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sfumato.engines.base import Database, identifier, qualified
from sfumato.errors import MissingExtraError, SourceError
from sfumato.io.inference import inferred


class PostgreSQL(Database):
    """A table in a PostgreSQL database.

    Parameters
    ----------
    uri
        Where the database is, such as ``postgresql://user@host/database``.
    table
        The table or view, with its schema if that is not on the search path: ``"clinic.patients"``.
    """

    name = "postgresql"

    def __init__(self, uri: str, table: str) -> None:
        try:
            from adbc_driver_postgresql import dbapi  # noqa: PLC0415
        except ImportError:
            raise MissingExtraError("PostgreSQL", "postgres") from None
        self.source = qualified(table)
        try:
            self._connection: Any = dbapi.connect(uri, autocommit=True)
        except dbapi.Error as error:
            raise SourceError(f"The database cannot be reached: {_first_line(error)}") from None
        self._error = dbapi.Error

    def query(self, sql: str) -> pa.Table:
        return _without_extensions(self._fetch(sql))

    def rows(self) -> pa.Table:
        fetched = self._fetch(f"SELECT * FROM {self.source}")
        rows = _without_extensions(fetched)
        for at, column in enumerate(fetched.columns):
            if getattr(column.type, "type_name", None) == "numeric":
                numbers = inferred(pa.chunked_array([rows.column(at).combine_chunks().dictionary_encode()]))
                rows = rows.set_column(at, fetched.column_names[at], numbers)
        return rows

    def _fetch(self, sql: str) -> pa.Table:
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
                return cursor.fetch_arrow_table()
            except self._error as error:
                raise SourceError(f"PostgreSQL refuses a query: {_first_line(error)}") from None

    def execute(self, sql: str) -> None:
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
            except self._error as error:
                raise SourceError(f"PostgreSQL refuses a statement: {_first_line(error)}") from None

    def load(self, name: str, table: pa.Table) -> None:
        self.execute(f"DROP TABLE IF EXISTS {identifier(name)}")
        with self._connection.cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="create", temporary=True)

    def close(self) -> None:
        self._connection.close()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _without_extensions(table: pa.Table) -> pa.Table:
    """Return numbers that the driver hands over as text of an extension type as plain text."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        wrapped = isinstance(column.type, pa.BaseExtensionType)
        columns[name] = column.cast(column.type.storage_type) if wrapped else column
    return pa.table(columns)
