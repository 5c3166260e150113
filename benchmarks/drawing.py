"""The figures of benchmarks: the product's own charts, written as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.measure import RESULTS
from benchmarks.papers.experiment import Panel
from sfumato.common.charts import charts

#: If the largest figure is more than this many times the least, an axis from 0 would show only the largest.
WIDE = 15

#: With more lines than this, colours would repeat; the paper's own figures are then only in the table.
COLOURS = 7


def picture(panel: Panel, title: str) -> charts.Picture:
    """A line per name, the paper's own numbers among them; axes of widely spread numbers are logarithmic."""
    theirs = {f"{name} (paper)": values for name, values in panel.paper.items()}
    lines = dict(panel.lines) | (theirs if len(panel.lines) + len(theirs) <= COLOURS else {})
    values = [value for line in lines.values() for value in line if value is not None and math.isfinite(value)]
    up = spread(values)
    across = spread(panel.xs)
    y = charts.Axis(f"{panel.unit}, logarithmic" if up else panel.unit, log=up)
    x = charts.Axis(panel.axis, log=across, ticks=list(panel.xs), low=min(panel.xs), high=max(panel.xs))
    return charts.lines(title, x, y, panel.xs, lines)


def spread(values: Sequence[float]) -> bool:
    """Whether figures are far enough apart for a logarithmic axis, which cannot show 0."""
    return bool(values) and min(values) > 0 and max(values) > WIDE * min(values)


def save(picture: charts.Picture, name: str) -> None:
    """Write a figure into the folder of results, and say where it is."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}.svg"
    picture.write(file)
    print(f"  drawn: {file.relative_to(RESULTS.parent.parent)}", flush=True)
