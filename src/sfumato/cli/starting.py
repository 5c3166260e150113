"""The commands to begin with: ``sfumato profile`` says what is in a table."""

from __future__ import annotations

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
