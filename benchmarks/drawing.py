"""The figures of benchmarks: the product's own charts, written as SVG, each line with its name at its end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.measure import RESULTS
from benchmarks.papers.experiment import Panel
from sfumato.common.charts import charts
from sfumato.common.charts.figures import drawable, formatted
from sfumato.common.charts.picture import HEIGHT, WIDTH, altair
from sfumato.common.charts.theme import Palette

#: If the largest figure is more than this many times the least, an axis from 0 would show only the largest.
WIDE = 15

#: The most lines of one picture: more cannot be told apart.
MOST_LINES = 6

#: How far apart the names at the ends of lines stand at least, and how far from the lines.
LINE_HEIGHT, BESIDE = 14.0, 9.0

Lines = Mapping[str, Sequence[float | None]]


def pictures(panel: Panel, title: str, own: Sequence[str]) -> Iterator[charts.Picture]:
    """Yield one picture of at most six lines, or two: the papers' methods, and Sfumato's own beside the first of them.

    The paper's own numbers are lines too, where there is room for them; else they have a picture of their own.
    """
    theirs = {f"{name} (paper)": values for name, values in panel.paper.items()}
    lines = dict(panel.lines)
    if len(lines) + len(theirs) <= MOST_LINES:
        yield picture(panel, title, lines | theirs)
    elif len(lines) <= MOST_LINES:
        yield picture(panel, title, lines)
        if theirs:
            same_order = {name: panel.paper[name] for name in lines if name in panel.paper}
            yield picture(panel, f"{title}; the paper's", same_order)
    else:
        papers = {name: values for name, values in lines.items() if name not in own}
        first = next(iter(papers))
        yield picture(panel, title, papers)
        yield picture(panel, f"{title}; Sfumato's own", {name: lines[name] for name in lines if name in {first, *own}})


def picture(panel: Panel, title: str, lines: Lines) -> charts.Picture:
    """Draw a line per name, which stands at its end; axes of widely spread numbers are logarithmic."""
    values = [value for line in lines.values() for value in line if value is not None and math.isfinite(value)]
    up, across = spread(values), spread(panel.xs)
    low, high = ends(values, up)
    y = charts.Axis(f"{panel.unit}, logarithmic" if up else panel.unit, log=up, low=low, high=high)
    x = charts.Axis(panel.axis, log=across, ticks=list(panel.xs), low=min(panel.xs), high=max(panel.xs))
    plain = charts.lines(title, x, y, panel.xs, lines)
    if len(lines) < 2:
        return plain

    def draw(palette: Palette) -> Any:
        alt = altair()
        chart = plain.draw(palette)
        for layer in chart.layer:
            for channel in ("color", "strokeDash", "shape"):
                if layer.encoding[channel] is not alt.Undefined:
                    layer.encoding[channel]["legend"] = None
        colours = colours_of(palette, len(lines))
        named = zip(lines, colours, heights(lines, y), strict=True)
        labels = [
            alt.Chart(alt.InlineData(values=[{"name": name}]))
            .mark_text(align="left", baseline="middle", color=colour, fontSize=12)
            .encode(text="name:N", x=alt.value(WIDTH + BESIDE), y=alt.value(height))
            for name, colour, height in named
            if height is not None
        ]
        return alt.layer(chart, *labels).properties(width=WIDTH, height=HEIGHT)

    told = f"{plain.description} {range_of(values)}"
    return charts.Picture(plain.title, told, plain.headers, plain.rows, draw)


def colours_of(palette: Palette, count: int) -> list[str]:
    """The colours of lines, as the product's charts give them."""
    return [palette.series[at % len(palette.series)] for at in range(count)]


def range_of(values: Sequence[float]) -> str:
    return f"From {formatted(min(values))} to {formatted(max(values))}." if values else ""


def ends(values: Sequence[float], log: bool) -> tuple[float, float]:
    """Where the upward axis begins and ends: with room above, and at 0 unless steps multiply."""
    high = max(values, default=1.0)
    return (min(values) / 1.2, high * 1.2) if log else (min(0.0, *values, 0.0), high * 1.05 or 1.0)


def heights(lines: Lines, axis: charts.Axis) -> list[float | None]:
    """Where the names of lines stand, in pixels from the top: at their ends, and none on another."""
    wanted: dict[int, float] = {}
    for at, values in enumerate(lines.values()):
        last = [value for value in values if drawable(value, axis)]
        if last and last[-1] is not None:
            wanted[at] = HEIGHT * (1 - share(last[-1], axis))
    order = sorted(wanted, key=lambda at: wanted[at])
    placed: list[float] = []
    for at in order:
        placed.append(max(wanted[at], placed[-1] + LINE_HEIGHT) if placed else max(wanted[at], 0.0))
    over = placed[-1] - HEIGHT if placed else 0.0
    for place in range(len(placed) - 1, -1, -1):  # push back what stands below the picture
        limit = HEIGHT if place == len(placed) - 1 else placed[place + 1] - LINE_HEIGHT
        placed[place] = min(placed[place], limit) if over > 0 else placed[place]
    where = dict(zip(order, placed, strict=True))
    return [where.get(at) for at in range(len(lines))]


def share(value: float, axis: charts.Axis) -> float:
    """How far up a value stands on an axis."""
    low, high = axis.low or 0.0, axis.high or 1.0
    if axis.log:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def spread(values: Sequence[float]) -> bool:
    """Whether figures are far enough apart for a logarithmic axis, which cannot show 0."""
    return bool(values) and min(values) > 0 and max(values) > WIDE * min(values)


def save(picture: charts.Picture, name: str) -> None:
    """Write a figure into the folder of results, and say where it is."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}.svg"
    picture.write(file)
    print(f"  drawn: {file.relative_to(RESULTS.parent.parent)}", flush=True)
