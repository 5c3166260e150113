"""The commands to begin with: ``sfumato profile`` and ``sfumato init``, from a table to a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options as given
from sfumato.cli.exits import explained

#: How a table is to be read.
READ = given.FILE | {"na"}

Shown = Annotated[
    int, typer.Option("--show", metavar="N", help="Also show the N most frequent values of every column.")
]


@given.asking(only=READ)
def profile(
    place: given.Place,
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    show: Shown = 0,
    as_json: given.AsJson = False,
) -> None:
    """Say what each column of a table is, whom it singles out, and which role it should have; shows no values.

    For example: sfumato profile patients.csv
    """
    with explained():
        from sfumato.cli.profile import show_profile  # noqa: PLC0415

        show_profile(asked, place, table, read_as, show, as_json=as_json)


Written = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The policy file to write.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Take all suggestions instead of asking.")]
Force = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]


@given.asking(only=READ | {"k"})
def init(
    place: given.Place,
    asked: given.Asked,
    output: Written = Path("policy.toml"),
    table: given.Table = None,
    read_as: given.From = None,
    yes: Yes = False,
    force: Force = False,
) -> None:
    """Ask what each column of a table is, suggest an answer, and write a policy to begin with and its hierarchies.

    For example: sfumato init patients.csv -o policy.toml
    """
    with explained():
        from sfumato.cli.init import Place, write_policy  # noqa: PLC0415

        write_policy(asked, Place(place, output, table, read_as), yes=yes, force=force)
