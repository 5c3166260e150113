"""``sfumato attack``: attacks on a release by someone who knows some columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.exits import FAILED, INTERRUPTED
from sfumato.cli.screen import answer, answer_json, is_watched

Knows = Annotated[
    list[str] | None,
    typer.Option(
        "--knows", metavar="COLUMN", help="A quasi-identifier that the attacker knows (repeat); all by default."
    ),
]
Chosen = Annotated[
    list[str] | None, typer.Option("--attack", metavar="NAME", help="Try this attack only (repeat for more).")
]
Previous = Annotated[
    list[Path] | None,
    typer.Option("--previous", metavar="FILE", help="Another release of the same people (repeat)."),
]
Control = Annotated[
    Path | None,
    typer.Option("--control", metavar="FILE", help="People who are not in the original, to compare with."),
]
Targets = Annotated[int, typer.Option("--targets", metavar="N", help="How many people to attack.")]
Show = Annotated[
    int, typer.Option("--show", metavar="N", help="Show the values of up to N people who are found with certainty.")
]


@options.takes(
    only={"quasi_identifiers", "sensitive", "hierarchies", "k", "l", "na", "transform", "policy", "seed"} | options.FILE
)
def attack(
    original: options.Original,
    release: options.Released,
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    knows: Knows = None,
    attacks: Chosen = None,
    previous: Previous = None,
    control: Control = None,
    targets: Targets = 1_000,
    show: Show = 0,
    time_limit: options.TimeLimit = None,
    as_json: options.AsJson = False,
) -> None:
    """Attack a release as someone who knows some columns of the people in it; exit code 1 if a promise is broken.

    For example: sfumato attack patients.csv release.csv --qi age --qi zip --sensitive disease -k 10
    """
    from sfumato.api.attack import attack as attack_release
    from sfumato.cli.request import opened
    from sfumato.cli.table import Input, known_columns
    from sfumato.common.patience import INTERRUPT

    with opened(Input(str(original), read_as, table), asked) as (people, policy):
        report = attack_release(
            people,
            release,
            quasi_identifiers=known_columns(policy.schema),
            knows=knows,
            attacks=attacks or (),
            previous=previous or (),
            control=control,
            policy=policy,
            targets=targets,
            show=show,
            seed=policy.seed,
            time_limit=time_limit,
            progress=is_watched(),
        )
    if as_json:
        answer_json(report.to_dict())
    else:
        answer(report.summary())
    if not report.ok:
        raise typer.Exit(FAILED)
    if report.ended == INTERRUPT:
        raise typer.Exit(INTERRUPTED)
