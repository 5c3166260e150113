"""``sfumato init``: questions about every column, then a first policy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.profile import READ, profile_of, reason
from sfumato.cli.screen import paragraphs, say
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.profiles import ColumnProfile, Profile
    from sfumato.profiles.proposal import Attempt, Outcome
    from sfumato.run.request import Request

#: A larger table is tried on this many of its rows.
TRIED_ROWS = 50_000

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
    from sfumato.io.spool import STANDARD
    from sfumato.profiles.draft import draft, suggested_k

    _refuse_output(place, output)
    given = Input(place, read_as, table)
    found = profile_of(given, asked)
    if not found.rows:
        raise ParameterError("The table has no rows, so that nothing can be suggested.")
    roles = found.roles if yes else ask_roles(found)
    k = asked.k if yes or asked.k is not None else ask_k(suggested_k(found, found.schema(roles)))
    reading = {name: value for name, value in vars(file_options(asked)).items() if value is not None}
    attempt = trials(lambda: given.open(asked), found.rows) if yes and place != STANDARD else None
    made = draft(found, roles, k, reading, attempt)
    if not made.policy.schema.quasi_identifiers:
        how = "Run it without --yes, and name one at least." if yes else "Name one at least."
        raise ParameterError(f"No column is a quasi-identifier, so that there is nothing to protect. {how}")
    for path in made.files(output).values():
        check_writable(path, table=False)
    for caution in made.cautions(found):
        say(paragraphs(f"Warning: {caution}"))
    for line in made.summary():
        say(paragraphs(line))
    for path in made.write(output, place):
        say(f"wrote {path}")
    private = "\nThe hierarchy files hold values of the table: keep them private. " if made.listed else "\n"
    say(f"{private}Read the policy, then:\n  sfumato anonymize {place} -o release.csv --policy {output}")


def trials(opened: Callable[[], object], rows: int) -> Attempt:
    """Make a function that tries a policy on a table, opened anew each time: what it loses, what guardrails say."""
    from sfumato.errors import CautionError, DataError, HierarchyError, InfeasibleError
    from sfumato.profiles.proposal import Outcome
    from sfumato.run.build import anonymize_for
    from sfumato.table.sampling import Sample

    sample = None if rows <= TRIED_ROWS else Sample(TRIED_ROWS / rows)

    def attempt(request: Request) -> Outcome:
        try:
            release = anonymize_for(opened(), replace(request, sample=sample, seed=0))
        except CautionError as refusal:
            return Outcome(None, tuple(refusal.cautions))
        except (InfeasibleError, DataError, HierarchyError):
            return Outcome(None)
        return Outcome(release.loss["gcp"], tuple(release.cautions))

    return attempt


def _refuse_output(place: str, output: Path) -> None:
    """Refuse, before any question, a policy file that cannot or must not be written."""
    from sfumato.cli.files import read_files, refuse_misnamed, refuse_overwriting
    from sfumato.io import check_writable

    refuse_overwriting({"policy": output}, read_files(place))
    check_writable(output, table=False)
    refuse_misnamed("policy", output)


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
        given = _answer("  role", column.role).lower()
        fits = [role for role in ROLES if role.startswith(given)]
        if given in ROLES or len(fits) == 1:
            return given if given in ROLES else fits[0]
        say(HELP if given == "?" else f"  Say one of {', '.join(ROLES)}; the first letters are enough.")


def _answer(question: str, suggested: str) -> str:
    """Ask on the terminal; where nobody can answer, say what to do."""
    try:
        return str(typer.prompt(question, default=suggested, err=True)).strip()
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        say("")
        raise ParameterError("There is no answer to read. With --yes all suggestions are taken.") from None


def ask_k(suggested: int) -> int:
    """Ask for k."""
    while True:
        given = _answer("k: everybody looks like at least k - 1 others", str(suggested))
        if given.isdecimal() and int(given) >= 2:
            return int(given)
        say("  Say a whole number of at least 2.")
