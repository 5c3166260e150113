"""The kinds of chart: lines, bars and points with several series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sfumato.common.charts.picture import HEIGHT, WIDTH, Picture, Value, altair, distinct_labels, short
from sfumato.common.charts.theme import DASHES, SHAPES, Palette
from sfumato.errors import ParameterError

#: The thickness of a horizontal bar, and the space between the bars of two categories.
BAR, BAR_GAP = 14, 10
#: The most letters of the names below vertical bars that stand side by side; more are set at an angle.
MOST_LETTERS = 32

#: The default format of numbers: no exponents, no trailing zeros, few digits.
PLAIN = ",.6~r"

#: The values of several series, each as long as the axis; not-a-number is not drawn.
Series = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class Axis:
    """What an axis measures and how.

    Attributes
    ----------
    title
        What it measures, with its unit.
    form
        How numbers are written, as in d3: ``".0%"``, ``",.0f"``, or `PLAIN`.
    log
        Whether each step multiplies instead of adding.
    low, high
        Where it begins and ends; a linear one begins at 0 by default.
    ticks
        The values to be written at it; chosen for you if left out.
    """

    title: str
    form: str = PLAIN
    log: bool = False
    low: float | None = None
    high: float | None = None
    ticks: Sequence[float] | None = None

    def scale(self, values: Sequence[float]) -> dict[str, Any]:
        """The scale for some values; a logarithmic one cannot show 0 or less."""
        if self.log:
            low, high = self._ends(values)
            return {"type": "log", "domain": [low, high], "nice": False}
        low = self.low if self.low is not None else min(0.0, *values, 0.0)
        high = self.high if self.high is not None else max(*values, low, 0.0)
        return {"domain": [low, high if high > low else low + 1], "nice": self.high is None, "zero": False}

    def _ends(self, values: Sequence[float]) -> tuple[float, float]:
        """Where a logarithmic axis begins and ends: at 1, 2 or 5 times a power of ten."""
        low = self.low if self.low is not None else min(values, default=1.0)
        high = self.high if self.high is not None else max(values, default=10.0)
        places = _log_ticks(low, high)
        return (
            low if self.low is not None else min(places[0], low),
            high if self.high is not None else max(places[-1], low * 1.1),
        )

    def _ticks(self, values: Sequence[float]) -> Sequence[float] | None:
        if self.ticks is not None or not self.log:
            return self.ticks
        places = _log_ticks(*self._ends(values))
        powers = [place for place in places if math.isclose(math.log10(place) % 1, 0, abs_tol=1e-9)]
        return powers if len(powers) > 3 else places

    def shown(self, values: Sequence[float], **more: Any) -> Any:
        """The axis as a Vega-Lite definition."""
        alt = altair()
        ticks = self._ticks(values)
        given: dict[str, Any] = {"tickCount": 7, "labelOverlap": "greedy"} if ticks is None else {"values": list(ticks)}
        axis = alt.Axis(title=self.title, format=self.form, **given, **more)
        return {"scale": alt.Scale(**self.scale(values)), "axis": axis}


def lines(
    title: str, x: Axis, y: Axis, xs: Sequence[float], series: Series, *, steps: bool = False, description: str = ""
) -> Picture:
    """One line per series over the same places of an axis; a series may end early, or lack places."""
    points = [
        {"series": name, "x": at, "y": value, "order": place}
        for name, values in series.items()
        for place, (at, value) in enumerate(zip(xs, values, strict=False))
        if drawable(at, x) and drawable(value, y)
    ]
    named = list(series)

    def draw(palette: Palette) -> Any:
        alt = altair()
        base = alt.Chart(_values(alt, points)).encode(
            x=alt.X("x:Q", **x.shown(_known(points, "x"), grid=False)),
            y=alt.Y("y:Q", **y.shown(_known(points, "y"), domain=False, ticks=False)),
            color=_colour(alt, named, palette),
        )
        dashes = _by_series(alt.StrokeDash, alt, named, [list(dash) for dash in _cycle(DASHES, len(named))])
        line = base.mark_line(strokeWidth=2, interpolate="step-after" if steps else "linear")
        shapes = _by_series(alt.Shape, alt, named, _cycle(SHAPES, len(named)))
        point = base.mark_point(filled=True, opacity=1, size=50 if not steps else 0)
        drawn = alt.layer(line.encode(strokeDash=dashes, order="order:Q"), point.encode(shape=shapes))
        return drawn.properties(width=WIDTH, height=HEIGHT)

    places = range(len(xs))
    rows = tuple((xs[at], *(values[at] if at < len(values) else None for values in series.values())) for at in places)
    return Picture(title, description or _said(title, x.title, y.title, named), (x.title, *named), rows, draw)


def bars(
    title: str,
    of: str,
    y: Axis,
    categories: Sequence[str],
    series: Series,
    *,
    across: bool = False,
    mark: tuple[str, float] | None = None,
    description: str = "",
) -> Picture:
    """Draw bars for every category, side by side where there are several series.

    Parameters
    ----------
    title, description
        What the chart shows.
    of
        What the categories are.
    y
        What the bars measure; they begin at its origin.
    categories, series
        The numbers.
    across
        Whether bars are horizontal, which leaves room for long names.
    mark
        A line across all bars at some value, and what it is.
    """
    _refuse_logarithm(y)
    labels, named = distinct_labels(categories), list(series)
    points = [
        {"category": label, "series": name, "value": value, "shown": formatted(value, y.form)}
        for name, values in series.items()
        for label, value in zip(labels, values, strict=True)
        if drawable(value, y)
    ]

    def draw(palette: Palette) -> Any:
        alt = altair()
        reached = [*_known(points, "value"), *([mark[1]] if mark else [])]
        measured, place, offset = (alt.X, alt.Y, alt.YOffset) if across else (alt.Y, alt.X, alt.XOffset)
        parts = {
            "measured": measured("value:Q", **y.shown(reached, domain=False, ticks=False)),
            "place": place(
                "category:N",
                sort=labels,
                scale=alt.Scale(paddingInner=0.3, paddingOuter=0.15),
                axis=_category_axis(alt, of, across, labels),
            ),
        }
        encoded = {("x" if across else "y"): parts["measured"], ("y" if across else "x"): parts["place"]}
        chart = alt.Chart(_values(alt, points))
        if len(named) > 1:
            offsets = {("yOffset" if across else "xOffset"): offset("series:N", sort=named)}
            drawn = chart.mark_bar().encode(**encoded, **offsets, color=_colour(alt, named, palette))
        else:
            drawn = chart.mark_bar(color=palette.accent).encode(**encoded)
        layers = [drawn, *(_marked(alt, mark, across, palette) if mark else [])]
        if len(named) == 1:
            layers += _numbers_at(chart, encoded, across, palette)
        height = len(labels) * (BAR * len(named) + BAR_GAP) if across else HEIGHT
        return alt.layer(*layers).properties(width=WIDTH, height=height)

    rows = tuple((name, *(values[at] for values in series.values())) for at, name in enumerate(categories))
    return Picture(title, description or _said(title, of, y.title, named), (of, *named), rows, draw)


def histogram(
    title: str,
    x: Axis,
    unit: str,
    edges: Sequence[float],
    shares: Mapping[str, Sequence[float]],
    *,
    dates: bool = False,
    description: str = "",
) -> Picture:
    """Draw shares between edges of a scale as areas, so that wide bins do not look fuller than they are.

    Parameters
    ----------
    title, description
        What the chart shows.
    x
        What the scale measures.
    unit
        What the height is a share per, such as a day.
    edges, shares
        Where the bins begin and, last, where the last one ends; for two series the share in each bin.
    dates
        Whether edges are days since 1970.
    """
    named = list(shares)
    places = [edge * DAY for edge in edges] if dates else list(edges)
    bins = list(pairwise(places))
    widths = [later - edge for edge, later in pairwise(edges)]
    heights = {name: [share / width for share, width in zip(shares[name], widths, strict=True)] for name in named}
    y = Axis(f"share of people per {unit}", ".1%", low=0)
    areas = [
        {"series": named[0], "x": low, "to": high, "y": height, "ground": 0}
        for (low, high), height in zip(bins, heights[named[0]], strict=True)
    ]
    outline = [
        {"series": named[1], "x": place, "y": height, "order": at}
        for at, (place, height) in enumerate(_outline(places, heights[named[1]]))
    ]

    def draw(palette: Palette) -> Any:
        alt = altair()
        reached = [*_known(areas, "y"), *_known(outline, "y")]
        kind, form = ("T", {"format": "%Y", "tickCount": 5}) if dates else ("Q", {"format": PLAIN, "tickCount": 6})
        scale = alt.Scale(domain=[places[0], places[-1]], nice=False, zero=False, **({"type": "utc"} if dates else {}))
        axis = alt.Axis(title=x.title, grid=False, labelOverlap="greedy", **form)
        shared = {
            "x": alt.X(f"x:{kind}", scale=scale, axis=axis),
            "y": alt.Y("y:Q", **y.shown(reached, domain=False, ticks=False)),
            "color": _colour(alt, named, palette),
        }
        area = alt.Chart(_values(alt, areas)).mark_rect(fillOpacity=0.5)
        line = alt.Chart(_values(alt, outline)).mark_line(strokeWidth=1.5)
        layers = (area.encode(**shared, x2="to", y2="ground"), line.encode(**shared, order="order:Q"))
        return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)

    rows = tuple((*ends, *(shares[name][at] for name in named)) for at, ends in enumerate(bins))
    headers = ("from", "to", *named)
    return Picture(title, description or _said(title, x.title, y.title, named), headers, rows, draw)


#: A day in the milliseconds of Vega's times.
DAY = 86_400_000


def _outline(places: Sequence[float], heights: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yield the corners of a line around bars, from the ground to the ground."""
    yield places[0], 0.0
    for at, height in enumerate(heights):
        yield places[at], height
        yield places[at + 1], height
    yield places[-1], 0.0


def points(
    title: str,
    x: Axis,
    y: Axis,
    named: Sequence[tuple[str, float, float]],
    *,
    kinds: Sequence[str] = (),
    description: str = "",
) -> Picture:
    """Draw points, each at its place and labelled by its name, which may be empty; ``kinds`` colours them by kind."""
    of = list(kinds) or [""] * len(named)
    order = list(dict.fromkeys(of))
    shown = [
        {"name": short(name), "x": at, "y": value, "series": kind}
        for (name, at, value), kind in zip(named, of, strict=True)
        if drawable(at, x) and drawable(value, y)
    ]

    def draw(palette: Palette) -> Any:
        alt = altair()
        base = alt.Chart(_values(alt, shown)).encode(
            x=alt.X("x:Q", **x.shown(_known(shown, "x"), grid=False)),
            y=alt.Y("y:Q", **y.shown(_known(shown, "y"), domain=False, ticks=False)),
        )
        labels = base.mark_text(align="left", dx=8, fontSize=11, color=palette.ink).encode(text="name:N")
        shapes = _by_series(alt.Shape, alt, order, _cycle(SHAPES, len(order)))
        dots = base.mark_point(filled=True, opacity=1, size=60).encode(color=_colour(alt, order, palette), shape=shapes)
        return alt.layer(dots, labels).properties(width=WIDTH, height=HEIGHT)

    rows = tuple((*one, kind) if kinds else one for one, kind in zip(named, of, strict=True))
    headers = ("name", x.title, y.title, *(["kind"] if kinds else []))
    return Picture(title, description or _said(title, x.title, y.title, order), headers, rows, draw)


def drawable(value: float | None, axis: Axis) -> bool:
    """Whether a value can be shown on an axis."""
    return value is not None and math.isfinite(value) and (value > 0 or not axis.log)


def formatted(value: Value, form: str = PLAIN) -> str:
    """Format a number for readers, in the form of its axis.

    >>> formatted(0.25, ".0%"), formatted(1234567.0, ",.0f"), formatted(0.034567), formatted(None)
    ('25%', '1,234,567', '0.03457', '–')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, str):
        return value
    if form == PLAIN:
        return f"{value:,.0f}" if abs(value) >= 10_000 or isinstance(value, int) else f"{value:,.4g}"
    if form.endswith("%") and 0 < value < 0.001:
        return "< 0.1%"
    return format(value, form)


def _log_ticks(low: float, high: float) -> list[float]:
    """The powers of ten, and 2 and 5 times each, from just below some values to just above.

    >>> _log_ticks(0.03, 4)
    [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0]
    """
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    places = [float(f"{factor}e{power}") for power in powers for factor in (1, 2, 5)]
    below = max((place for place in places if place <= low * (1 + 1e-9)), default=low)
    above = min((place for place in places if place >= high * (1 - 1e-9)), default=high)
    return [place for place in places if below <= place <= above]


def _values(alt: Any, records: list[dict[str, Any]]) -> Any:
    return alt.InlineData(values=records)


def _known(records: Sequence[Mapping[str, Any]], key: str) -> list[float]:
    return [float(record[key]) for record in records]


def _colour(alt: Any, named: Sequence[str], palette: Palette) -> Any:
    """The colours of series; before and after look the same in every picture."""
    chosen = _cycle(palette.series, len(named))
    if list(named) == ["before", "after"]:
        chosen = [palette.before, palette.accent]
    return _by_series(alt.Color, alt, named, chosen)


def _by_series(channel: Any, alt: Any, named: Sequence[str], values: Sequence[Any]) -> Any:
    """An encoding channel that distinguishes series; a single series needs no legend."""
    legend = {} if len(named) > 1 else {"legend": None}
    return channel("series:N", sort=list(named), scale=alt.Scale(domain=list(named), range=list(values)), **legend)


def _cycle(values: Sequence[Any], count: int) -> list[Any]:
    """As many styles as there are series; each round begins one later, so none meets its colour again."""
    return [values[(at + at // len(values)) % len(values)] for at in range(count)]


def _category_axis(alt: Any, of: str, across: bool, labels: Sequence[str]) -> Any:
    """The axis of categories; for horizontal bars, its title stands above the names instead of beside them."""
    look: dict[str, Any] = {"title": of, "ticks": False, "domain": across, "grid": False}
    if across:
        return alt.Axis(**look, titleAngle=0, titleAlign="right", titleAnchor="start", titleX=-6, titleY=-10)
    crowded = len(labels) * max((len(label) for label in labels), default=0) > MOST_LETTERS
    return alt.Axis(**look, labelAngle=-40 if crowded else 0)


def _numbers_at(chart: Any, encoded: Mapping[str, Any], across: bool, palette: Palette) -> Iterator[Any]:
    """Yield the exact numbers at the ends of bars, on a rim of paper that keeps lines off them."""
    place = {"align": "left", "dx": 5} if across else {"baseline": "bottom", "dy": -4}
    for look in ({"color": palette.paper, "stroke": palette.paper, "strokeWidth": 4}, {"color": palette.ink}):
        yield chart.mark_text(fontSize=11, **look, **place).encode(**encoded, text="shown:N")


def _marked(alt: Any, mark: tuple[str, float], across: bool, palette: Palette) -> Iterator[Any]:
    """Yield a line across all bars and what it is."""
    name, value = mark
    chart = alt.Chart(_values(alt, [{"name": name, "value": value}]))
    if across:
        yield chart.mark_rule(strokeDash=[5, 3], color=palette.ink).encode(x="value:Q")
        yield chart.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=palette.ink).encode(
            x="value:Q", y=alt.value(0), text="name:N"
        )
    else:
        yield chart.mark_rule(strokeDash=[5, 3], color=palette.ink).encode(y="value:Q")
        yield chart.mark_text(align="right", baseline="bottom", dy=-3, color=palette.ink).encode(
            y="value:Q", x=alt.value("width"), text="name:N"
        )


def _refuse_logarithm(axis: Axis) -> None:
    if axis.log:
        raise ParameterError("Bars are lengths from 0, which a logarithmic axis does not have. Draw lines or points.")


def _said(title: str, x: str, y: str, named: Sequence[str]) -> str:
    of = f" of {', '.join(named)}" if len(named) > 1 else ""
    return f"{title.rstrip('.')}. A chart of {y}{of} by {x}; the same numbers stand in a table."
