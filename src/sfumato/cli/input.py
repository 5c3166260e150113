"""The table that a command reads: a file, stdin, or a table in a database."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sfumato.cli.options import Asked
from sfumato.cli.screen import paragraphs, say
from sfumato.errors import ParameterError
from sfumato.io import FileOptions, Source, open_source, open_stdin
from sfumato.io.missing import EVERY_COLUMN
from sfumato.io.spool import STANDARD
from sfumato.io.sqlite import is_sqlite

if TYPE_CHECKING:
    from sfumato.engines import Database

ADDRESSES = ("postgresql://", "postgres://")
ENDINGS = (".duckdb", ".ddb", ".db")


class Input(NamedTuple):
    """Where the table is: a path, ``-`` for stdin in some format, or a database and a table in it."""

    place: str
    read_as: str | None = None
    table: str | None = None

    def open(self, asked: Asked) -> Path | Source:
        """Return the path of the table, or a source of rows that can be read only once: stdin, or a database."""
        if is_sqlite(Path(self.place)):
            return open_source(self.place, sheet=self.table or asked.sheet)
        if self.table is not None or is_database(self.place):
            database = open_database(self.place, self.table, read_only=True)
            source = database.open()
            weakref.finalize(source, database.close)  # the source reads rows later, from the open database
            return source
        if self.place != STANDARD:
            return Path(self.place)
        return open_stdin(self.read_as, file_options(asked))


def columns_of(table: Path | Source, asked: Asked) -> Callable[[], Sequence[str]]:
    """Return a function that reads the names of the columns; few requests need them this early."""
    return lambda: open_source(table, **vars(file_options(asked))).columns


def file_options(asked: Asked) -> FileOptions:
    """Collect the options about reading a file."""
    separator = None if asked.separator is None else separator_of(asked.separator)
    return FileOptions(separator, asked.encoding, asked.sheet, asked.layout)


def separator_of(text: str) -> str:
    r"""Accept ``tab`` and ``\t`` for a tab, which is hard to type in a shell."""
    return "\t" if text in {"\\t", "tab"} else text


def missing_codes(texts: Sequence[str]) -> dict[str, list[str]]:
    """Group the values that mean "no value" by column.

    >>> missing_codes(["?,N/A", "age=999,-9"])
    {'*': ['?', 'N/A'], 'age': ['999', '-9']}
    """
    codes: dict[str, list[str]] = {}
    for text in texts:
        column, equals, values = text.partition("=")
        name, said = (column.strip(), values) if equals and column.strip() else (EVERY_COLUMN, text)
        codes.setdefault(name, []).extend(part.strip() for part in said.split(","))
    return codes


def print_remarks(source: Source) -> None:
    """Print what the reader had to guess about a file."""
    for remark in source.remarks:
        say(paragraphs(f"Note: {remark}"))


def is_database(place: str) -> bool:
    """Tell by its name whether a place is a database.

    >>> [is_database(place) for place in ("postgresql://me@host/clinic", "clinic.duckdb", "clinic.csv")]
    [True, True, False]
    """
    return is_address(place) or Path(place).suffix.lower() in ENDINGS


def is_address(place: str) -> bool:
    """Tell whether a database has an address instead of a file."""
    return place.startswith(ADDRESSES)


def open_database(place: str, table: str | None, read_only: bool = False) -> Database:
    """Open a file with DuckDB, or a PostgreSQL database by its address."""
    from sfumato.engines import DuckDB, PostgreSQL

    if not is_address(place):
        return DuckDB(place, table, read_only)
    if table is None:
        raise ParameterError("Name the table of the database with --table NAME.")
    return PostgreSQL(place, table)
