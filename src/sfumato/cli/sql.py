"""``sfumato sql``: search where the data is, and print the statements that make the release there."""

from __future__ import annotations

from sfumato.cli.databases import open_database
from sfumato.cli.explain import full_domain_policy
from sfumato.cli.options import Asked
from sfumato.cli.screen import answer, say
from sfumato.engines import InPlace, search_for
from sfumato.errors import ParameterError


def run(asked: Asked, place: str, table: str | None, release: str, kind: str, create: bool) -> None:
    """Search, then print the script; with ``create`` also run it."""
    with open_database(place, table) as database:
        policy = full_domain_policy(asked, database.columns)
        if create and not database.lasting:
            raise ParameterError(
                f"--create needs a database to make the {kind} in: a DuckDB file, or postgresql://…. For a Parquet or "
                "CSV file, run the printed statements where the release belongs, or use 'sfumato anonymize'."
            )
        found = search_for(database, policy)
        answer(found.sql(release, kind).rstrip("\n"))
        say(describe(found))
        if create:
            found.create(release, kind)
            say(f"made the {kind} {release}, and checked it")


def describe(found: InPlace) -> str:
    """Return the chosen levels in one line."""
    levels = ", ".join(f"{name}={level}" for name, level in found.levels.items())
    return f"levels {levels}; {found.suppressed:,} rows left out"
