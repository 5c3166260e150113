"""``sfumato sql``: search where the data is, and print the statements that make the release there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.screen import answer_verbatim, say
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.engines import InPlace

#: Options about reading a file, and options that look at single rows, which stay in the database.
READING = {"preset", "na", "confirm", "strict", "person", "weights", "transform", "pseudonymize", "sample"}


@options.takes(without=options.SHOWN | options.ENGINE | options.FILE | options.WRITING | READING)
def sql(
    place: Annotated[
        str, typer.Argument(metavar="IN", help="A Parquet, CSV or DuckDB file, or postgresql://user@host/database.")
    ],
    asked: options.Asked,
    table: options.Table = None,
    release: Annotated[str, typer.Option("--release", metavar="NAME", help="The name of the release.")] = "release",
    kind: Annotated[str, typer.Option("--as", metavar="view|table", help="Make a view or a table.")] = "view",
    create: Annotated[
        bool, typer.Option("--create", help="Also run the SQL in the database, and check the result.")
    ] = False,
) -> None:
    """Find a full-domain release of a table that stays in its database, and print the SQL that makes it there.

    For example: sfumato sql orders.parquet --qi zip --qi day --rest drop --hierarchy zip=prefix -k 10
    """
    from sfumato.cli.request import by_lattice, require_full_domain, to_policy
    from sfumato.cli.table import open_database
    from sfumato.engines import search_for

    with open_database(place, table) as database:
        policy = to_policy(by_lattice(asked), database.columns)
        require_full_domain(policy.method)
        if create and not database.lasting:
            raise ParameterError(
                f"--create needs a database to make the {kind} in: a DuckDB file, or postgresql://…. For a Parquet or "
                "CSV file, run the printed statements where the release belongs, or use 'sfumato anonymize'."
            )
        found = search_for(database, policy)
        if create:
            found.create(release, kind)
        answer_verbatim((found.script if create else found.sql)(release, kind).rstrip("\n"))
        say(describe(found))
        say(f"made the {kind} {release}, and checked it" if create else "not run, so not checked: --create does both")


def describe(found: InPlace) -> str:
    """Name the chosen levels in one line."""
    levels = ", ".join(f"{name}={level}" for name, level in found.levels.items())
    return f"levels {levels}; {found.suppressed:,} rows left out"
