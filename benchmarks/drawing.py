"""The figures of benchmarks: the product's own charts, written as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.measure import RESULTS
from sfumato.report import charts

#: Where the longest time is so many times the shortest, an axis from 0 shows only the longest. Losses can be 0.
WIDE = 30
SECONDS = "seconds"


def line_plot(
    title: str,
    axis: str,
    unit: str,
    xs: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    order: Iterable[str] = (),
) -> charts.Picture:
    """Return a line per name, as far as it has values; the axis of widely spread times is logarithmic.

    What is named in ``order`` has the same colour in every figure, also where others are missing.
    """
    drawn = {name: lines.get(name, []) for name in dict.fromkeys([*order, *lines])}
    shown = [value for values in drawn.values() for value in values if math.isfinite(value) and value > 0]
    spread = bool(shown) and max(shown) > WIDE * min(shown)
    logarithmic = unit == SECONDS and spread
    y = charts.Axis(f"{unit}, logarithmic" if logarithmic else unit, log=logarithmic)
    across = charts.Axis(axis, ticks=list(xs), low=min(xs), high=max(xs))
    return charts.lines(title, across, y, xs, drawn)


def save(picture: charts.Picture, name: str) -> None:
    """Write a figure into the folder of results, and say where it is."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}.svg"
    picture.write(file)
    print(f"  drawn: {file.relative_to(RESULTS.parent.parent)}", flush=True)
