"""A line plot as SVG, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 400, 70, 50, 40, 150
COLOURS = ("#1b6ca8", "#7fb2d9", "#c8553d", "#e9a89b", "#2a7f4f", "#555555", "#8d5fb0")


def line_plot(title: str, axis: str, xs: Sequence[float], lines: Mapping[str, Sequence[float]]) -> str:
    """Return a plot with one line per name; the y axis begins at 0."""
    top = max(max(values) for values in lines.values()) or 1.0
    low, high = min(xs), max(xs)
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP

    def point(x: float, y: float) -> tuple[float, float]:
        share = (x - low) / (high - low) if high > low else 0.5
        return LEFT + across * share, HEIGHT - BOTTOM - up * y / top

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="14">{escape(title)}</text>',
        f'<text x="{LEFT + across / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(axis)}</text>',
    ]
    for step in range(5):
        value = top * step / 4
        _, y = point(low, value)
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + across}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for x in xs:
        place, y = point(x, 0.0)
        parts.append(f'<text x="{place:.1f}" y="{y + 18:.1f}" text-anchor="middle">{x:g}</text>')
    for at, (name, values) in enumerate(lines.items()):
        colour = COLOURS[at % len(COLOURS)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(point, xs, values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = TOP + 18 * at + 10
        parts.append(f'<text x="{LEFT + across + 12}" y="{y}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])
