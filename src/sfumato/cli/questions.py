"""The commands that ask what a table is worth to an attacker: ``sfumato risk``."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli import options as given
from sfumato.cli.exits import explained

Population = Annotated[
    str | None,
    typer.Option(
        "--population",
        metavar="FILE|NUMBER",
        help="Whom the people were drawn from: a table of them, their number, or (below 1) the share that was drawn.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="How many people of the population each row stands for."),
]
Person = Annotated[
    str | None,
    typer.Option("--person", metavar="COLUMN", help="Whose row it is, where people have several; never released."),
]
Thresholds = Annotated[
    list[float] | None,
    typer.Option("--threshold", metavar="RISK", help="Report who is above this risk, such as 0.09 (repeat)."),
]
UniquesUpTo = Annotated[
    int | None,
    typer.Option("--uniques", metavar="N", help="Also find who is unique by at most N columns, with SUDA's scores."),
]
Drivers = Annotated[bool, typer.Option("--drivers", help="Also say which columns drive the risk.")]


@given.asking(only={"quasi_identifiers", "sensitive", "hierarchies", "separator", "policy"})
def risk(
    table: given.Input,
    asked: given.Asked,
    population: Population = None,
    weights: Weights = None,
    person: Person = None,
    threshold: Thresholds = None,
    drivers: Drivers = False,
    uniques: UniquesUpTo = None,
    as_json: given.AsJson = False,
) -> None:
    """Say how likely it is that people in a table are found, and what drives that.

    For example: sfumato risk patients.csv --qi age --qi zip --sensitive disease --drivers
    """
    with explained():
        from sfumato.cli import judging  # noqa: PLC0415

        beyond = judging.Beyond(population, weights, person, threshold or (), drivers, uniques)
        judging.show_risk(asked, table, beyond, as_json=as_json)
