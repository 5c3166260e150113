"""``sfumato frontier``: what each k costs and what it protects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.compare import SHARED, Sizes, sizes_of
from sfumato.cli.exits import FAILED, INTERRUPTED
from sfumato.cli.screen import answer, answer_json, is_watched, say

if TYPE_CHECKING:
    from sfumato.release.frontier_point import FrontierPoint
    from sfumato.run.frontier import Frontier

NoBounds = Annotated[
    bool, typer.Option("--no-bounds", help="Leave out the losses that no release can beat, which take longest.")
]


@options.takes(only={*SHARED, "method", "confirm"} - options.WRITING)
def frontier(
    place: options.Place,
    asked: options.Asked,
    k: Sizes = ["2,3,5,7,10,15,20,30,50,75,100"],  # noqa: B006
    no_bounds: NoBounds = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what each k costs and what it protects, on a table that is read once.

    For example: sfumato frontier patients.csv --qi age --qi zip --rest drop -k 5,10,20
    """
    from sfumato.api.frontier import frontier_for
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import Input, columns_of
    from sfumato.common.progress import silent
    from sfumato.privacy import KAnonymity

    data = Input(place).open(asked)
    policy = to_policy(asked, columns_of(data, asked))
    others = [model for model in policy.privacy if not isinstance(model, KAnonymity)]
    progress = silent if quiet else is_watched()
    sizes = sizes_of(",".join(k))
    found = frontier_for(data, replace(policy, privacy=others), sizes, bounds=not no_bounds, progress=progress)
    ended = _ended_early(found)
    if as_json:
        answer_json(found.to_dict())
    else:
        answer("\n".join(lines(found.points)))
    if ended:
        say(f"Interrupted. Not done: {_pending(found)}.")
        raise typer.Exit(INTERRUPTED)
    if all(point.failed for point in found.points):
        raise typer.Exit(FAILED)


def _ended_early(found: Frontier) -> bool:
    """Compute all points; whether Ctrl-C ended it, which keeps those that are done."""
    try:
        for _ in found:
            pass
    except KeyboardInterrupt:
        if len(found.pending) == len(found.sizes):
            raise
        return True
    return False


def _pending(found: Frontier) -> str:
    return "k=" + ", ".join(f"{k:,}" for k in sorted(found.pending)) if found.pending else "bounds"


def lines(points: tuple[FrontierPoint, ...]) -> list[str]:
    """Lay out the points as a table, header first."""
    header = ("k", "has k", "lost", "bound", "highest risk", "mean risk", "classes")
    rows = [header, *(_cells(point) for point in points if point.failed is None and not point.approximate)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(header))]
    shown = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    failed = [f"k={point.k:,}: {point.failed}" for point in points if point.failed is not None]
    return [*(shown if len(shown) > 1 else []), *failed]


def _cells(point: FrontierPoint) -> tuple[str, ...]:
    bound = "" if point.bound is None else f"{point.bound:.4f}"
    risks = [f"{risk:.1%}" for risk in (point.highest, point.mean) if risk is not None]
    return f"{point.k:,}", f"{point.achieved:,}", f"{point.gcp:.4f}", bound, *risks, f"{point.classes:,}"
