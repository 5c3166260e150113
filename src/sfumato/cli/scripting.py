"""``sfumato sql``: search where the data is, and print the statements that make the release there."""

from __future__ import annotations

from dataclasses import replace

from sfumato.cli.explaining import require_full_domain
from sfumato.cli.request import Request
from sfumato.cli.screen import answer, say
from sfumato.engines import Database, DuckDB, InPlace, PostgreSQL, search_in_place
from sfumato.errors import ParameterError
from sfumato.methods.lattice.full_domain import FullDomain
from sfumato.pipeline import Options


def run(request: Request, place: str, table: str | None, release: str, kind: str, create: bool) -> None:
    """Search, then print the script; with ``create`` also run it."""
    if request.method is None and request.policy is None:
        request = replace(request, method="lattice")
    policy = request.to_policy()
    require_full_domain(policy.method)
    assert isinstance(policy.method, FullDomain)
    refuse_options(policy.options)
    with open_database(place, table) as database:
        if create and not database.lasting:
            raise ParameterError(
                f"--create needs a database to make the {kind} in: a DuckDB file, or postgresql://…. For a Parquet or "
                "CSV file, run the printed statements where the release belongs, or use 'sfumato anonymize'."
            )
        found = search_in_place(
            database,
            policy.schema,
            privacy=policy.privacy,
            method=policy.method,
            suppression=policy.options.suppression,
        )
        answer(found.sql(release, kind).rstrip("\n"))
        say(describe(found))
        if create:
            found.create(release, kind)
            say(f"made the {kind} {release}, and checked it")


def refuse_options(options: Options) -> None:
    """Refuse what a policy may ask for and a database does not do, rather than do something else."""
    usual = Options()
    for name in ("missing", "intervals", "keep_order"):
        if getattr(options, name) != getattr(usual, name):
            raise ParameterError(
                f"'{name}' is {getattr(options, name)!r} in the policy, but in a database it can only be "
                f"{getattr(usual, name)!r}."
            )


def open_database(place: str, table: str | None) -> Database:
    """Open a file with DuckDB, or a PostgreSQL database by its address."""
    if not place.startswith(("postgresql://", "postgres://")):
        return DuckDB(place, table)
    if table is None:
        raise ParameterError("Say which table of the database is meant: --table NAME.")
    return PostgreSQL(place, table)


def describe(found: InPlace) -> str:
    """Return the chosen levels in one line."""
    levels = ", ".join(f"{name}={level}" for name, level in found.levels.items())
    return f"levels {levels}; {found.suppressed:,} rows left out"
