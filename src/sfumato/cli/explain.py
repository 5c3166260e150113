"""``sfumato explain``: why a release looks as it does, and what other settings would cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.screen import answer, answer_json, is_watched, paragraphs
from sfumato.errors import ParameterError

#: What --what-if can change.
WISHES = ("k", "suppression", "without")

Row = Annotated[
    int | None,
    typer.Option("--row", metavar="N", min=1, help="Explain this row of the table, counted from 1."),
]
Column = Annotated[
    str | None, typer.Option("--column", metavar="COLUMN", help="Explain only what holds this quasi-identifier back.")
]
WhatIf = Annotated[
    list[str] | None,
    typer.Option(
        "--what-if",
        metavar="WISH",
        help="Run again with this change and show what it costs: k=20, suppression=0.02 or without=COLUMN (repeat).",
    ),
]


@options.takes(without=options.WRITING | options.SHOWN)
def explain(
    place: options.Place,
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    row: Row = None,
    column: Column = None,
    what_if: WhatIf = None,
    as_json: options.AsJson = False,
) -> None:
    """Explain what holds a release, a column or a row back, and what the next finer or safer release would cost.

    For example: sfumato explain patients.csv --qi age --qi zip --rest drop -k 10 --method mondrian --what-if k=20
    """
    from sfumato.cli.request import by_lattice, to_policy
    from sfumato.cli.table import Input, columns_of, print_remarks

    data = Input(place, read_as, table).open(asked)
    policy = to_policy(by_lattice(asked), columns_of(data, asked))
    source = policy.open(data)
    release = policy.run(source, progress=is_watched())
    found = release.explain(None if row is None else row - 1, column, progress=is_watched(), **wishes_of(what_if or ()))
    print_remarks(source)
    by_levels = policy.method.recoding == "full-domain" and row is None and column is None
    why = list(release.explanation.lines()) if by_levels else list(found.why)
    if as_json:
        levels = {"levels": release.levels} if by_levels else {}
        answer_json({**levels, "explanation": why, "what_if": list(found.what_if)})
    else:
        answer(paragraphs("\n".join([*why, *found.what_if])) if not by_levels else "\n".join([*why, *found.what_if]))


def wishes_of(texts: Sequence[str]) -> dict[str, Any]:
    """Read what --what-if says, as arguments of ``Release.explain``."""
    from sfumato.cli.shorthand import literal, split_pair

    wishes: dict[str, Any] = {}
    for text in texts:
        name, value = split_pair("--what-if", text, "k=20, suppression=0.02 or without=COLUMN")
        if name not in WISHES:
            raise ParameterError(f"--what-if knows {', '.join(WISHES)}, but not '{name}'.")
        if name == "without":
            wishes.setdefault(name, []).append(value)
        else:
            wishes[name] = literal(value)
    return wishes
