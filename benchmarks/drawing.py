"""The figures of benchmarks: the product's own charts, written as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.measure import RESULTS
from benchmarks.papers.experiment import Panel
from sfumato.common.charts import charts

#: Where the largest figure is so many times the least, an axis from 0 shows only the largest.
WIDE = 15

#: Beyond so many lines colours would be used twice; the paper's own are left to the table then.
COLOURS = 7


def picture(panel: Panel, title: str) -> charts.Picture:
    """Return a line per name, the paper's own numbers among them; axes of widely spread numbers are logarithmic."""
    theirs = {f"{name} (paper)": values for name, values in panel.paper.items()}
    lines = dict(panel.lines) | (theirs if len(panel.lines) + len(theirs) <= COLOURS else {})
    values = [value for line in lines.values() for value in line if value is not None and math.isfinite(value)]
    up = spread(values)
    across = spread(panel.xs)
    y = charts.Axis(f"{panel.unit}, logarithmic" if up else panel.unit, log=up)
    x = charts.Axis(panel.axis, log=across, ticks=list(panel.xs), low=min(panel.xs), high=max(panel.xs))
    return charts.lines(title, x, y, panel.xs, lines)


def spread(values: Sequence[float]) -> bool:
    """Return whether figures are so far apart that steps should multiply; 0 cannot be shown then."""
    return bool(values) and min(values) > 0 and max(values) > WIDE * min(values)


def save(picture: charts.Picture, name: str) -> None:
    """Write a figure into the folder of results, and say where it is."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}.svg"
    picture.write(file)
    print(f"  drawn: {file.relative_to(RESULTS.parent.parent)}", flush=True)
