"""``sfumato init``: questions about every column, then a first policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.profile import READ, profile_of, reason
from sfumato.cli.screen import paragraphs, say
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.profiles import ColumnProfile, Profile

HELP = """\
identifier        names somebody, or could say anything about them; never released
person            whose row it is, where people have several; never released, people are counted instead of rows
quasi-identifier  what others may know or see; made coarser until enough people look alike
sensitive         what nobody should learn about somebody
plain             released as it is
weight            how many people a row stands for
"""

PolicyToWrite = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The policy file to write.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Take all suggestions instead of asking.")]


@options.takes(only=READ | options.WRITING | {"k"})
def init(
    place: options.Place,
    asked: options.Asked,
    output: PolicyToWrite = Path("policy.toml"),
    table: options.Table = None,
    read_as: options.From = None,
    yes: Yes = False,
) -> None:
    """Ask for the role of each column, with a suggestion, and write a first policy and its hierarchies.

    For example: sfumato init patients.csv -o policy.toml
    """
    from sfumato.cli.table import Input, file_options
    from sfumato.io import check_writable
    from sfumato.profiles.draft import draft, suggested_k

    _refuse_output(place, output)
    found = profile_of(Input(place, read_as, table), asked)
    if not found.rows:
        raise ParameterError("The table has no rows, so that nothing can be suggested.")
    roles = found.roles if yes else ask_roles(found)
    k = asked.k if yes or asked.k is not None else ask_k(suggested_k(found, found.schema(roles)))
    reading = {name: value for name, value in vars(file_options(asked)).items() if value is not None}
    made = draft(found, roles, k, reading)
    if not made.policy.schema.quasi_identifiers:
        raise ParameterError("No column is a quasi-identifier, so that there is nothing to protect. Name one at least.")
    for path in made.files(output).values():
        check_writable(path, table=False)
    for caution in found.cautions_for(roles):
        say(paragraphs(f"Warning: {caution}"))
    for path in made.write(output, place):
        say(f"wrote {path}")
    private = "\nThe hierarchy files hold values of the table: keep them private. " if made.listed else "\n"
    say(f"{private}Read the policy, then:\n  sfumato anonymize {place} -o release.csv --policy {output}")


def _refuse_output(place: str, output: Path) -> None:
    """Refuse, before any question, a policy file that cannot or must not be written."""
    from sfumato.cli.files import read_files, refuse_overwriting
    from sfumato.io import check_writable

    refuse_overwriting({"policy": output}, read_files(place))
    check_writable(output, table=False)


def ask_roles(found: Profile) -> Mapping[str, str]:
    """Ask for the role of every column; Enter takes the suggestion."""
    say(f"{found.rows:,} rows, {len(found.columns)} columns. Enter takes the suggestion, ? explains the roles.\n")
    return {column.name: ask_role(column, found.rows) for column in found.columns}


def ask_role(column: ColumnProfile, rows: int) -> str:
    """Ask for the role of a column until the answer is one."""
    from sfumato.assess.cautions.caution import percent
    from sfumato.profiles.roles import ROLES

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
    """Ask for k."""
    while True:
        given = typer.prompt("k: everybody looks like at least k - 1 others", default=str(suggested), err=True).strip()
        if given.isdecimal() and int(given) >= 2:
            return int(given)
        say("  Say a whole number of at least 2.")
