"""``sfumato utility``: what is left of a table in its release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.screen import answer, answer_json, is_watched, wrapped

Label = Annotated[
    str | None,
    typer.Option(
        "--label", metavar="COLUMN", help="The column that a classifier is to learn; by default a sensitive one."
    ),
]
HeldOut = Annotated[
    Path | None,
    typer.Option(
        "--held-out", metavar="FILE", help="Original rows that are not in the release, to test a classifier on."
    ),
]


@options.takes(only={"quasi_identifiers", "sensitive", "hierarchies", "policy", "seed"} | options.FILE)
def utility(
    original: options.Original,
    release: options.Released,
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    label: Label = None,
    held_out: HeldOut = None,
    time_limit: options.TimeLimit = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure what is left of a table in its release, made by any tool, in figures and sentences.

    For example: sfumato utility patients.csv release.csv --qi age --qi zip --hierarchy zip=prefix --sensitive disease
    """
    from sfumato.api.utility import utility as measure
    from sfumato.cli.request import opened
    from sfumato.cli.table import Input, known_columns

    with opened(Input(str(original), read_as, table), asked) as (people, policy):
        found = measure(
            people,
            release,
            quasi_identifiers=known_columns(policy.schema),
            policy=policy,
            label=label if label is not None else next(iter(policy.schema.sensitive), None),
            held_out=held_out,
            seed=policy.seed,
            time_limit=time_limit,
            progress=is_watched(),
        )
    if as_json:
        answer_json(found.to_dict() | {"notes": list(found.notes)})
    else:
        answer(wrapped(found.summary()))
