"""The table of a command, as the options describe it: where it is, how to read it, and the role of each column."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.cli.options import Asked
from sfumato.cli.screen import paragraphs, say
from sfumato.cli.shorthand import hierarchy_of, split_pair
from sfumato.errors import ParameterError, SchemaError, listed
from sfumato.io import FileOptions, Source, open_source, open_stdin
from sfumato.io.missing import EVERY_COLUMN
from sfumato.io.spool import STANDARD
from sfumato.io.sqlite import is_sqlite
from sfumato.table.schema import Declared, Schema

if TYPE_CHECKING:
    from sfumato.engines import Database

#: Prefixes of database addresses, and endings of the names of database files.
ADDRESSES = ("postgresql://", "postgres://")
ENDINGS = (".duckdb", ".ddb", ".db")
SQLITE_ENDINGS = (".sqlite", ".sqlite3")

#: The options that name columns.
NAMED = ("quasi_identifiers", "sensitive", "identifiers", "plain")


class Input(NamedTuple):
    """Where the table is: a path, ``-`` for stdin in some format, or a database and a table in it."""

    place: str
    read_as: str | None = None
    table: str | None = None

    def open(self, asked: Asked) -> Path | Source:
        """Open the table: its path, or a source of rows that can be read only once, such as stdin or a database."""
        in_database = self.table is not None or is_database(self.place)
        if (in_database or self.place.lower().endswith(SQLITE_ENDINGS)) and is_sqlite(Path(self.place)):
            return open_source(self.place, sheet=self.table or asked.sheet)
        if in_database:
            database = open_database(self.place, self.table, read_only=True)
            source = database.open()
            weakref.finalize(source, database.close)  # the source reads rows later, from the open database
            return source
        if self.place != STANDARD:
            return Path(self.place)
        return open_stdin(self.read_as, file_options(asked))


def columns_of(table: Path | Source, asked: Asked) -> Callable[[], Sequence[str]]:
    """Make a function that reads the column names, since few requests need them this early."""
    return lambda: open_source(table, **vars(file_options(asked))).columns


def file_options(asked: Asked) -> FileOptions:
    """Collect the options about reading a file."""
    separator = None if asked.separator is None else separator_of(asked.separator)
    dates = None if asked.dates is None else date_forms(asked.dates)
    return FileOptions(separator, asked.encoding, asked.sheet, asked.layout, asked.decimal, dates, asked.skip)


def date_forms(texts: Sequence[str]) -> dict[str, str]:
    """Sort the forms of dates by column.

    >>> date_forms(["%d.%m.%Y", "born=%m/%d/%y"])
    {'*': '%d.%m.%Y', 'born': '%m/%d/%y'}
    """
    forms: dict[str, str] = {}
    for text in texts:
        column, equals, form = text.partition("=")
        forms |= {column.strip(): form.strip()} if equals and column.strip() else {EVERY_COLUMN: text.strip()}
    return forms


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
    """Whether a place is a database, judged by its name.

    >>> [is_database(place) for place in ("postgresql://me@host/clinic", "clinic.duckdb", "clinic.csv")]
    [True, True, False]
    """
    return is_address(place) or Path(place).suffix.lower() in ENDINGS


def is_address(place: str) -> bool:
    """Whether a database has an address instead of a file."""
    return place.startswith(ADDRESSES)


def open_database(place: str, table: str | None, read_only: bool = False) -> Database:
    """Open a file with DuckDB, or a PostgreSQL database by its address."""
    from sfumato.engines import DuckDB, PostgreSQL

    if not is_address(place):
        return DuckDB(place, table, read_only)
    if table is None:
        raise ParameterError("Name the table of the database with --table NAME.")
    return PostgreSQL(place, table)


def with_separate_columns(asked: Asked, columns: Callable[[], Sequence[str]]) -> Asked:
    """Split ``--qi a,b,c`` into three columns, unless the table has one of that name.

    ``columns`` reads the names of the table's columns; it is called only if an option holds a comma.
    """
    named: dict[str, Any] = {option: _separated(getattr(asked, option), columns) for option in NAMED}
    return replace(asked, **named)


def _separated(names: Sequence[str] | None, columns: Callable[[], Sequence[str]]) -> list[str] | None:
    if names is None or not any("," in name for name in names):
        return None if names is None else list(names)
    known = columns()
    return [one for name in names for one in ([name] if name in known or "," not in name else _listed(name))]


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def roles_and_reading(asked: Asked, columns: Callable[[], Sequence[str]]) -> tuple[Schema, FileOptions]:
    """Collect the roles of columns and how to read the file, from the options and the policy file if there is one."""
    asked = with_separate_columns(asked, columns)
    said = file_options(asked)
    if asked.policy is None:
        return schema_of(asked, Schema()), said
    from sfumato.api.policy import Policy

    policy = Policy.read(asked.policy)
    reading = {name: getattr(policy, name) or None if value is None else value for name, value in vars(said).items()}
    return schema_of(asked, policy.schema), FileOptions(**reading)


def schema_of(asked: Asked, base: Schema) -> Schema:
    """Give each column that an option names the role of that option; all others keep the role of the policy."""
    said = Schema(
        asked.quasi_identifiers or (), asked.sensitive or (), asked.identifiers or (), asked.plain or (), asked.rest
    )
    person = base.person if asked.person is None else asked.person
    weights = base.survey_weights if asked.weights is None else asked.weights
    said_elsewhere = {*said.quasi_identifiers, *said.sensitive, *said.identifiers, *said.plain}
    named = {*said_elsewhere, person, weights}
    elsewhere = named - set(said.quasi_identifiers)
    kept = {name: hierarchy for name, hierarchy in base.quasi_identifiers.items() if name not in elsewhere}
    declared = {**kept, **{name: None for name in said.quasi_identifiers if name not in kept}}
    return Schema(
        {**declared, **_hierarchies(asked, declared)},
        sensitive=_joined(base.sensitive, said.sensitive, named),
        identifiers=_joined(base.identifiers, said.identifiers, named),
        plain=_joined(base.plain, said.plain, named),
        rest=base.rest if asked.rest is None else asked.rest,
        weights={name: weight for name, weight in base.weights.items() if name in declared},
        person=None if person in said_elsewhere else person,
        survey_weights=None if weights in said_elsewhere else weights,
    )


def _joined(base: Iterable[str], said: Sequence[str], named: set[str | None]) -> list[str]:
    return [*(name for name in base if name not in named), *said]


def _hierarchies(asked: Asked, declared: Iterable[str]) -> dict[str, Declared]:
    given: dict[str, Declared] = {}
    for text in asked.hierarchies or ():
        column, how = split_pair("--hierarchy", text, "COLUMN=HOW, such as age=numeric:5,10 or zip=zip.csv")
        if column not in declared:
            raise SchemaError(
                f"--hierarchy is given for '{column}', which is not a quasi-identifier. Declare it with "
                f"--qi {column}. Quasi-identifiers: {listed(declared) or 'none'}."
            )
        if column in given:
            raise SchemaError(f"--hierarchy is given twice for '{column}'. Give it once.")
        given[column] = hierarchy_of(how, f"--hierarchy {column}={how}")
    return given


def known_columns(schema: Schema) -> Mapping[str, Declared]:
    """The columns that an attacker may know; if there are none, say how to name them."""
    if not schema.quasi_identifiers:
        raise SchemaError("Name the columns that an attacker may know with --qi COLUMN or --policy FILE.")
    return schema.quasi_identifiers
