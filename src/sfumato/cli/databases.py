"""Tables in databases, as they are named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.engines import Database

ADDRESSES = ("postgresql://", "postgres://")
ENDINGS = (".duckdb", ".ddb", ".db")


def is_database(place: str) -> bool:
    """Return whether a table is in a database, by how the place is written.

    >>> [is_database(place) for place in ("postgresql://me@host/clinic", "clinic.duckdb", "clinic.csv")]
    [True, True, False]
    """
    return is_address(place) or Path(place).suffix.lower() in ENDINGS


def is_address(place: str) -> bool:
    """Return whether a database is reached by its address, not as a file."""
    return place.startswith(ADDRESSES)


def open_database(place: str, table: str | None, read_only: bool = False) -> Database:
    """Open a file with DuckDB, or a PostgreSQL database by its address."""
    from sfumato.engines import DuckDB, PostgreSQL  # noqa: PLC0415

    if not is_address(place):
        return DuckDB(place, table, read_only)
    if table is None:
        raise ParameterError("Name the table of the database with --table NAME.")
    return PostgreSQL(place, table)
