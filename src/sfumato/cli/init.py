"""``sfumato init``: questions about every column, and then a policy to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sfumato.assess.cautions.caution import percent
from sfumato.cli.databases import is_address
from sfumato.cli.files import refuse_overwriting
from sfumato.cli.options import Asked
from sfumato.cli.profile import profile_of, reason
from sfumato.cli.request import file_options, given_table
from sfumato.cli.screen import is_watched, paragraphs, say
from sfumato.errors import OutputError, ParameterError
from sfumato.io import check_writable
from sfumato.io.spool import STANDARD
from sfumato.profiles import ColumnProfile, Profile
from sfumato.profiles.draft import Draft, draft, suggested_k
from sfumato.profiles.roles import ROLES

HELP = """\
identifier        names somebody, or could say anything about them; never released
person            whose row it is, where people have several; never released, people are counted instead of rows
quasi-identifier  what others may know or see; made coarser until enough people look alike
sensitive         what nobody should learn about somebody
plain             released as it is
weight            how many people a row stands for
"""


@dataclass(frozen=True)
class Place:
    """Where the table is, and where the policy goes."""

    table: str
    output: Path
    name: str | None = None
    read_as: str | None = None


def write_policy(asked: Asked, place: Place, yes: bool, force: bool) -> None:
    """Ask about every column, or take all suggestions, and write the policy with its hierarchies."""
    _refuse(place, force)
    found = profile_of(asked, given_table(place.table, asked, place.read_as, place.name), progress=is_watched())
    if not found.rows:
        raise ParameterError("The table has no rows, so that nothing can be suggested.")
    roles = found.roles if yes else ask_roles(found)
    k = asked.k if yes or asked.k is not None else ask_k(suggested_k(found, found.schema(roles)))
    made = draft(found, roles, k, _options(asked))
    if not made.policy.schema.quasi_identifiers:
        raise ParameterError("No column is a quasi-identifier, so that there is nothing to protect. Name one at least.")
    _refuse_existing([place.output, *made.files(place.output).values()], force)
    for caution in found.cautions_for(roles):
        say(paragraphs(f"Warning: {caution}"))
    for path in made.write(place.output, place.table):
        say(f"wrote {path}")
    say(_next(made, place))


def _refuse(place: Place, force: bool) -> None:
    """Find out before any question that the policy cannot be written."""
    if place.table != STANDARD and not is_address(place.table):
        refuse_overwriting({"policy": place.output}, {"input": Path(place.table)})
    check_writable(place.output, table=False)
    _refuse_existing([place.output], force)


def _refuse_existing(paths: list[Path], force: bool) -> None:
    existing = [path for path in paths if path.exists()]
    if existing and not force:
        raise OutputError(f"{existing[0]} exists already. Name another file with -o, or say --force to write over it.")


def _options(asked: Asked) -> dict[str, Any]:
    """Return how the file is to be read, as far as that was said."""
    return {name: value for name, value in vars(file_options(asked)).items() if value is not None}


def ask_roles(found: Profile) -> Mapping[str, str]:
    """Ask for the role of every column; Enter takes the suggestion."""
    say(f"{found.rows:,} rows, {len(found.columns)} columns. Enter takes the suggestion, ? explains the roles.\n")
    return {column.name: ask_role(column, found.rows) for column in found.columns}


def ask_role(column: ColumnProfile, rows: int) -> str:
    """Ask for the role of a column until the answer is one."""
    facts = column.facts
    missing = f", {percent(facts.missing, rows)} missing" if facts.missing else ""
    alone = f", {percent(facts.unique, rows)} of the rows alone with theirs" if facts.unique else ""
    say(paragraphs(f"{column.name}: {column.kind}, {facts.different:,} values{missing}{alone}"))
    say(paragraphs(f"  {column.suggestion.certainty}: {reason(column)}"))
    while True:
        given = typer.prompt("  role", default=column.role, err=True).strip().lower()
        fits = [role for role in ROLES if role.startswith(given)]
        if given in ROLES or len(fits) == 1:
            return given if given in ROLES else fits[0]
        say(HELP if given == "?" else f"  Say one of {', '.join(ROLES)}; the first letters are enough.")


def ask_k(suggested: int) -> int:
    """Ask how many people have to look alike."""
    while True:
        given = typer.prompt("k: everybody looks like at least k - 1 others", default=str(suggested), err=True).strip()
        if given.isdecimal() and int(given) >= 2:
            return int(given)
        say("  Say a whole number of at least 2.")


def _next(made: Draft, place: Place) -> str:
    listed = "\nThe hierarchy files hold values of the table: keep them private. " if made.listed else "\n"
    return f"{listed}Read the policy, then:\n  sfumato anonymize {place.table} -o release.csv --policy {place.output}"
