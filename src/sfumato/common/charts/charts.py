"""The charts of a release, of a comparison and of a search, from plain numbers.

Each function returns a `Picture`: ``.chart`` is an Altair chart, ``.headers`` and ``.rows`` are its twin as a table,
``.svg()``, ``.png()`` and ``.write(path)`` save it without the network. `lines`, `bars` and `points` draw anything
else, such as the figures of a benchmark.

Examples
--------
>>> picture = loss_by_column({"age": 0.4, "town": 0.1})
>>> picture.title
'age lost most: 40% of its detail'
>>> picture.rows
(('age', 0.4), ('town', 0.1))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sfumato.common.charts.figures import Axis, Series, bars, formatted, histogram, lines, points
from sfumato.common.charts.picture import Picture, distinct_labels, inline, short

__all__ = [
    "Axis",
    "Picture",
    "Scale",
    "Series",
    "bars",
    "class_sizes",
    "column_before_after",
    "cost_over_time",
    "distinct_labels",
    "formatted",
    "histogram",
    "inline",
    "lattice",
    "lines",
    "loss_against_k",
    "loss_by_column",
    "points",
    "risk_before_after",
]

#: The most bars of a chart; the table has all.
MOST_BARS = 30

PERCENT = ".0%"

#: The share from which on an axis of shares ends at 1.
NEARLY_ALL = 0.8

#: Where the bins of class sizes end, as multiples of the smallest class.
SIZE_STEPS = (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True)
class Scale:
    """Bins on a scale: where each begins and, last, where the last one ends; the share in each, before and after."""

    edges: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    dates: bool = False


def loss_by_column(losses: Mapping[str, float], overall: float | None = None) -> Picture:
    """What every column lost, as a share of its detail, the largest first.

    Parameters
    ----------
    losses
        The share of detail that every column lost, from 0 to 1.
    overall
        The same for all columns together.
    """
    ranked = dict(sorted(losses.items(), key=lambda item: -item[1]))
    if not ranked or not any(ranked.values()):
        title = "No column lost any detail"
    else:
        name, worst = next(iter(ranked.items()))
        title = f"{short(name)} lost most: {formatted(worst, PERCENT)} of its detail"
    drawn = list(ranked)[:MOST_BARS]
    picture = bars(
        title,
        "column",
        Axis("detail lost (100% is everything)", PERCENT, low=0, high=_highest(ranked.values())),
        drawn,
        {"lost": [ranked[name] for name in drawn]},
        across=True,
        mark=None if overall is None else (f"all columns {formatted(overall, PERCENT)}", overall),
    )
    return Picture(title, picture.description, picture.headers, tuple(ranked.items()), picture.draw)


def class_sizes(classes: Mapping[int, int], promised: int | None = None) -> Picture:
    """The distribution of class sizes, by people.

    Parameters
    ----------
    classes
        For every size of a class, how many classes have it.
    promised
        The size that no class is below, where one was promised.
    """
    smallest = min(classes, default=0)
    binned = _binned(classes, promised)
    total = sum(size * count for size, count in classes.items()) or 1
    people = [rows / total for _, _, rows in binned]
    title = _least_alike(smallest)
    if promised is not None and smallest:
        title += f"; {promised - 1:,} were promised"
    picture = bars(
        title,
        "people who look alike",
        Axis("share of people", PERCENT, low=0),
        [b[0] for b in binned],
        {"people": people},
    )
    rows = tuple((label, count, share) for (label, count, _), share in zip(binned, people, strict=True))
    headers = ("people who look alike", "classes", "share of people")
    return Picture(title, picture.description, headers, rows, picture.draw)


def _least_alike(smallest: int) -> str:
    """Say how many people look alike at least, in the smallest class."""
    if smallest == 1:
        return "Somebody looks like nobody else"
    return f"Everybody looks like at least {smallest - 1:,} others" if smallest else "No class is released"


def risk_before_after(bands: Sequence[str], before: Sequence[float], after: Sequence[float]) -> Picture:
    """The share of people per band of risk, in the original and in the release.

    Parameters
    ----------
    bands
        How many people look alike: ``"1"``, ``"2"``, ``"3–4"`` …
    before, after
        The share of people in every band.
    """
    alone = [shares[0] if shares else 0.0 for shares in (before, after)]
    title = f"Before, {formatted(alone[0], '.1%')} of people looked like nobody else; now {_share(alone[1])}"
    return bars(
        title,
        "people who look alike",
        Axis("share of people", PERCENT, low=0, high=_highest([*before, *after])),
        bands,
        {"before": before, "after": after},
    )


def column_before_after(
    name: str,
    labels: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    kept: float | None = None,
    scale: Scale | None = None,
) -> Picture:
    """The distribution of a column in the original and in the release, on a scale as areas between its edges.

    Parameters
    ----------
    name
        The column.
    labels
        What the release shows of it; nothing finer is drawn.
    before, after
        The share of people at every label.
    kept
        How alike the two are, from 0 to 1, where it is known.
    scale
        Where the bins are on a scale of numbers or days; the last labels may be beside it, such as missing values.
    """
    alike = "" if kept is None else f": {formatted(kept, PERCENT)} of it is where it was"
    title = f"{short(name)} before and after{alike}"
    if scale is not None:
        shares = {"before": scale.before, "after": scale.after}
        unit = "day" if scale.dates else "unit"
        drawn = histogram(title, Axis(short(name)), unit, scale.edges, shares, dates=scale.dates)
        rows = tuple(zip(labels, before, after, strict=True))
        return Picture(title, drawn.description, (short(name), "before", "after"), rows, drawn.draw)
    return bars(
        title,
        short(name),
        Axis("share of people", PERCENT, low=0),
        labels,
        {"before": before, "after": after},
        across=len(labels) > 12 or max((len(label) for label in labels), default=0) > 10,
    )


def loss_against_k(
    losses: Mapping[str, Mapping[int, float]],
    bounds: Mapping[int, float] | None = None,
    frontier: Sequence[tuple[str, int]] = (),
) -> Picture:
    """The loss of every method as k grows, and the lower bound for any method.

    Parameters
    ----------
    losses
        For every method its loss at every k.
    bounds
        For every k a loss that no method can beat.
    frontier
        The methods and k that no other beats.
    """
    ks = sorted({k for curve in losses.values() for k in curve} | set(bounds or {}))
    series = {name: [curve.get(k) for k in ks] for name, curve in losses.items()}
    if bounds:
        series["no release can lose less"] = [bounds.get(k) for k in ks]
    best = {name: sum(1 for one, _ in frontier if one == name) for name in losses}
    leader = max(best, key=lambda name: best[name], default=None) if any(best.values()) else None
    title = "What is lost as k grows" if leader is None else f"{leader} loses least at {best[leader]} of {len(ks)} k"
    wide = bool(ks) and ks[-1] > 10 * ks[0]
    x = Axis("k: how many people look alike", log=wide, ticks=ks, low=None if wide or not ks else ks[0])
    return lines(title, x, Axis("loss (GCP: 0 nothing, 1 everything)", low=0), ks, series)


def cost_over_time(
    seconds: Sequence[float], costs: Sequence[float | None], bounds: Sequence[float | None], measure: str = "cost"
) -> Picture:
    """How a search converged: the best cost so far, and the lower bound.

    Parameters
    ----------
    seconds
        When something better was known.
    costs, bounds
        The best cost and the bound at that time.
    measure
        What the search minimized.
    """
    cost = next((value for value in reversed(costs) if value is not None), None)
    bound = next((value for value in reversed(bounds) if value is not None), None)
    title = f"{measure} over time"
    if cost is not None and bound:
        gap = max(0.0, cost / bound - 1)
        title = (
            f"After {formatted(seconds[-1])} s, {measure} {formatted(cost)} is proven to be the least"
            if gap < 1e-9
            else f"After {formatted(seconds[-1])} s, {measure} {formatted(cost)} is at most {gap:.1%} above the least"
        )
    series = {"best found": costs, "bound": bounds}
    return lines(title, Axis("seconds"), Axis(measure, low=0), seconds, series, steps=True)


def lattice(nodes: Sequence[tuple[str, int, float, str]], answers: int | None = None) -> Picture:
    """The nodes of a lattice of levels: how much each generalizes and what it loses.

    Parameters
    ----------
    nodes
        The name of every node, the sum of its levels, its loss, and its status: ``"chosen"``, ``"minimal"`` …
    answers
        How many nodes there are in all, where not all of them are drawn.
    """
    heights = sorted({height for _, height, _, _ in nodes})
    chosen = [loss for _, _, loss, kind in nodes if kind == "chosen"]
    many = len(nodes) if answers is None else answers
    title = f"{many:,} {'node' if many == 1 else 'nodes'} of the lattice {'keeps' if many == 1 else 'keep'} every rule"
    if chosen:
        title += f"; the chosen one loses {formatted(chosen[0], '.1%')}"
    return points(
        title,
        Axis("sum of levels", low=0, ticks=range(max(heights, default=0) + 1) if len(heights) < 20 else None),
        Axis("loss (GCP: 0 nothing, 1 everything)", low=0),
        [(name if len(nodes) <= 12 or kind == "chosen" else "", height, loss) for name, height, loss, kind in nodes],
        kinds=[kind for _, _, _, kind in nodes],
    )


def _highest(shares: Iterable[float]) -> float | None:
    """Where an axis of shares ends: at all if one comes near it, else where the shares end."""
    return 1 if max(shares, default=0.0) > NEARLY_ALL else None


def _share(value: float) -> str:
    return "nobody does" if value == 0 else f"{formatted(value, '.1%')} do"


def _binned(classes: Mapping[int, int], split: int | None = None) -> list[tuple[str, int, int]]:
    """Bin class sizes, from the smallest class on: how many classes and people are in each; one begins at ``split``."""
    if not classes:
        return []
    smallest, largest = min(classes), max(classes)
    starts = sorted({int(smallest * step) for step in SIZE_STEPS if smallest * step <= largest})
    if split is not None and smallest < split <= largest:
        starts = sorted({*starts, split})
    found = []
    for start, after in zip(starts, [*starts[1:], largest + 1], strict=True):
        inside = {size: count for size, count in classes.items() if start <= size < after}
        if inside:
            last = min(after - 1, largest)
            label = f"{start:,}" if last == start else f"{start:,}–{last:,}"
            found.append((label, sum(inside.values()), sum(size * count for size, count in inside.items())))
    return found
