"""A line plot as SVG, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 680, 400, 70, 50, 50, 170
COLOURS = ("#1b6ca8", "#e08a1e", "#2a7f4f", "#c8352d", "#8d5fb0", "#444444", "#17a2b8")

#: Where the longest time is so many times the shortest, an axis from 0 shows only the longest. Losses can be 0.
WIDE = 30
SECONDS = "seconds"


def line_plot(title: str, axis: str, unit: str, xs: Sequence[float], lines: Mapping[str, Sequence[float]]) -> str:
    """Return a plot with one line per name, as far as it has values; the axis of widely spread times is logarithmic."""
    shown = [value for values in lines.values() for value in values if math.isfinite(value)]
    top = max(shown, default=0.0) or 1.0
    least = min((value for value in shown if value > 0), default=top)
    ticks = powers(least, top) if unit == SECONDS and top > WIDE * least else steps(top)
    logarithmic = ticks[0] > 0
    low, high = min(xs), max(xs)
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP

    def height(y: float) -> float:
        if logarithmic:
            return math.log(max(y, ticks[0]) / ticks[0]) / math.log(ticks[-1] / ticks[0])
        return y / ticks[-1]

    def point(x: float, y: float) -> tuple[float, float]:
        share = (x - low) / (high - low) if high > low else 0.5
        return LEFT + across * share, HEIGHT - BOTTOM - up * height(y)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
        f'<text x="{LEFT}" y="38">{escape(unit)}{" (logarithmic)" if logarithmic else ""}</text>',
        f'<text x="{LEFT + across / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(axis)}</text>',
    ]
    for value in ticks:
        _, y = point(low, value)
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + across}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{readable(value)}</text>')
    for x in xs:
        place, _ = point(x, ticks[0])
        parts.append(f'<text x="{place:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{readable(x)}</text>')
    drawn = [(name, values, COLOURS[at % len(COLOURS)]) for at, (name, values) in enumerate(lines.items()) if values]
    for at, (name, values, colour) in enumerate(drawn):
        places = [point(x, y) for x, y in zip(xs, values, strict=False)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        y = TOP + 18 * at + 10
        parts.append(f'<text x="{LEFT + across + 14}" y="{y}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def steps(top: float) -> list[float]:
    """Return about five round numbers from 0 up to something not below the largest value."""
    size = 10.0 ** math.floor(math.log10(top / 4))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor * 5 >= top)
    return [step * at for at in range(math.ceil(top / step - 1e-9) + 1)]


def powers(least: float, top: float) -> list[float]:
    """Return the powers of ten around some values."""
    return [10.0**at for at in range(math.floor(math.log10(least)), math.ceil(math.log10(top)) + 1)]


def readable(value: float) -> str:
    """Return a number without an exponent where that is short."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
