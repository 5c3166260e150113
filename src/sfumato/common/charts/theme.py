"""The look of every picture: colours for light and dark paper, and what lines and marks look like without colour.

Colours differ in lightness as well as in hue, so that they can be distinguished in print and by colour-blind readers;
lines also differ in their dashes, and points in their shapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Palette:
    """The colours of one kind of paper."""

    paper: str
    ink: str
    muted: str
    grid: str
    accent: str
    before: str
    second: str
    third: str
    fourth: str
    fifth: str
    sixth: str

    @property
    def series(self) -> tuple[str, ...]:
        """The colours of several series, in the order in which they are used."""
        return (self.accent, self.before, self.second, self.third, self.fourth, self.fifth, self.sixth)


LIGHT = Palette(
    paper="#ffffff",
    ink="#1f2a33",
    muted="#55626c",
    grid="#e3e7ea",
    accent="#1d4f7a",
    before="#c6801f",
    second="#1f8a6d",
    third="#b2402b",
    fourth="#8a5fa6",
    fifth="#59646e",
    sixth="#3492bd",
)
DARK = Palette(
    paper="#14191e",
    ink="#e8ecef",
    muted="#a9b4bd",
    grid="#2c353d",
    accent="#7db3e0",
    before="#dd9a3c",
    second="#4fc0a0",
    third="#e5806b",
    fourth="#bb95d6",
    fifth="#9aa5af",
    sixth="#62c1ea",
)

#: How the lines of several series differ besides their colour.
DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (5, 2), (2, 4), (12, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

#: Fonts that every system has, so that nothing is fetched.
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"


def config(palette: Palette) -> dict[str, Any]:
    """The look as a Vega-Lite configuration."""
    text = {"labelColor": palette.muted, "titleColor": palette.ink, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": palette.paper,
        "font": FONT,
        "aria": False,  # the picture as a whole is described; reading every bar aloud is what the table is for
        "title": {
            "anchor": "start",
            "color": palette.ink,
            "fontSize": 15,
            "fontWeight": 600,
            "offset": 14,
            "subtitleColor": palette.muted,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
        },
        "view": {"stroke": None},
        "axis": {
            **text,
            "titleFontWeight": 400,
            "titlePadding": 8,
            "domainColor": palette.muted,
            "tickColor": palette.muted,
            "gridColor": palette.grid,
            "labelPadding": 5,
            "labelLimit": 280,
        },
        "legend": {**text, "title": None, "orient": "top", "symbolStrokeWidth": 2, "labelLimit": 260, "columns": 4},
        "range": {"category": list(palette.series)},
    }


def colours(light: Palette = LIGHT, dark: Palette = DARK) -> Iterator[tuple[str, str, str]]:
    """Yield every colour by its name, on light and on dark paper."""
    for one in fields(Palette):
        yield one.name, getattr(light, one.name), getattr(dark, one.name)


def dark_rules(scope: str = "svg") -> str:
    """Style rules that turn inline pictures for light paper into those for dark paper."""
    return "\n".join(
        f'{scope} [{what}="{light}"] {{ {what}: {dark} }}'
        for _, light, dark in colours()
        for what in ("fill", "stroke")
    )
