"""The bins in which a report counts a column: labels that the release shows, or ranges between ends that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.queries.columns import ScaleColumn
from sfumato.common.charts import charts
from sfumato.hierarchies import ROOT
from sfumato.hierarchies.reading.column import ShownColumn
from sfumato.hierarchies.reading.extents import positions

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]

#: How many bins a picture has at most, besides those for hidden and missing values.
MOST_BINS = 12

HIDDEN, MISSING, OTHERS, ANY = "hidden (*)", "missing", "all others", "any value"


@dataclass(frozen=True)
class ReportBins:
    """The bins of a column: how many people of the original are in each, and the share of every shown cell in each.

    ``edges`` are the places on a scale between which the first bins lie, where there is one.
    """

    labels: list[str]
    before: Numbers
    gone: Numbers
    shares: Numbers
    edges: Numbers | None = None


# Numbers and dates: stretches between the ends that the release shows


def scale_bins(column: ScaleColumn, shown: ShownColumn, before: Codes, gone: Codes, least: int) -> ReportBins:
    """The bins of numbers, dates and orders.

    Parameters
    ----------
    column, shown
        What the release shows, as queries read it and as matched with the original.
    before, gone
        How many people of the original have each code, and how many of these are suppressed.
    least
        The fewest people that may make up a bin.
    """
    shown_low, shown_high = column.extents.low, column.extents.high
    some = shown_low <= shown_high
    stated = some & (np.isfinite(shown_low) | np.isfinite(shown_high))
    low, high = column.ends
    at = positions(shown.domain.values, column.order)
    edges = _edges(np.unique(low[stated]), at, before[: len(at)], least)
    if not len(edges):
        return _untold(before, gone, some)
    shares = np.zeros((column.size, len(edges) + 2))
    below = [column.share_below(float(np.nextafter(edge, -np.inf))) for edge in edges[1:]]
    ends = np.stack([np.zeros(column.size), *below, np.ones(column.size)], axis=1)
    shares[:, :-2] = np.clip(np.diff(ends, axis=1), 0.0, 1.0) * stated[:, None]
    shares[:, -2], shares[:, -1] = some & ~stated, ~some
    place = np.append(np.clip(np.searchsorted(edges, at, side="right") - 1, 0, None), len(edges) + 1)
    counted, left = (_counted(place, one, len(edges) + 2) for one in (before, gone))
    labels = _stretches(edges, float(high[stated].max()), column)
    if (shown_low[stated] == -np.inf).any() and len(edges) > 1:
        labels[0] = f"below {_place(edges[1], column)}"
    if (shown_high[stated] == np.inf).any():
        labels[-1] = f"{_place(edges[-1], column)} and above"
    top = float(high[stated].max()) + (column.kind is not None or column.whole)
    on_scale = column.order is None and top > edges[-1]
    return ReportBins([*labels, HIDDEN, MISSING], counted, left, shares, np.append(edges, top) if on_scale else None)


def _untold(before: Codes, gone: Codes, hidden: NDArray[np.bool_]) -> ReportBins:
    """The bins of a column whose values are all hidden."""
    counted, left = (np.array([one[:-1].sum(), 0, one[-1]], float) for one in (before, gone))
    return ReportBins([ANY, HIDDEN, MISSING], counted, left, np.column_stack([np.zeros(len(hidden)), hidden, ~hidden]))


def _counted(bins: Codes, counts: Codes, size: int) -> Numbers:
    """Add counts up by the bin that each is in."""
    return np.bincount(bins, weights=counts, minlength=size).astype(np.float64)


def _edges(ends: Numbers, at: Numbers, counts: Codes, least: int) -> Numbers:
    """Choose where bins begin: at ends that the release shows, with about as many people in each, and never few."""
    if not len(ends):
        return ends
    order = np.argsort(at)
    below = np.append(0, np.cumsum(counts[order]))[np.searchsorted(at[order], ends)]
    total = int(counts.sum())
    room = max(least, total / MOST_BINS if len(ends) > MOST_BINS else least)
    chosen, begun = [float(ends[0])], 0
    for end, count in zip(ends[1:].tolist(), below[1:].tolist(), strict=True):
        if count - begun >= room and total - count >= least:
            chosen.append(end)
            begun = count
    return np.array(chosen)


def _stretches(edges: Numbers, top: float, column: ScaleColumn) -> list[str]:
    """The labels of the bins: where each begins and ends."""
    if column.order is not None:
        names = [_place(edge, column) for edge in edges]
        return [f"{name} up to {later}" for name, later in pairwise(names)] + [
            f"{name} and above" for name in names[-1:]
        ]
    whole = column.whole and column.kind is None
    ends = [*(edge - 1 if whole else edge for edge in edges[1:].tolist()), top]
    return [
        _stretch(low, high, column, last == len(edges))
        for last, (low, high) in enumerate(zip(edges, ends, strict=True), 1)
    ]


def _stretch(low: float, high: float, column: ScaleColumn, last: bool) -> str:
    first, end = _place(low, column), _place(high, column)
    if low == high:
        return first
    return f"{first} – {end}" if column.kind is not None or column.whole or last else f"{first} – under {end}"


def _place(at: float, column: ScaleColumn) -> str:
    """Format a place of the scale: a number, a day, or a value of an order."""
    if column.order is not None:
        return str(column.order[int(at)])
    return str(np.datetime64(int(np.floor(at)), "D")) if column.kind is not None else f"{at:.10g}"


# Categories: the narrowest labels that the release shows


def tree_bins(
    texts: Sequence[str | None], shown: ShownColumn, before: Codes, gone: Codes, cells: Codes, least: int
) -> ReportBins:
    """The bins of categories, as in `scale_bins`; ``cells`` counts the rows that show each of ``texts``."""
    size = shown.domain.size
    bin_of = np.full(size + 1, -1, np.int64)
    bin_of[size] = -2
    picked = _narrowest(texts, shown, before, cells, least)
    for number, cell in enumerate(picked):
        for first, last in _ranges(shown, cell):
            bin_of[first : last + 1] = number
    columns = [*(bin_of == number for number in range(len(picked))), bin_of == -1]
    below = np.cumsum(np.pad(np.stack(columns), ((0, 0), (1, 0))), axis=1)
    found = np.zeros((len(texts), len(columns)))
    for first, last in zip(shown.first.T, shown.last.T, strict=True):
        found += np.where(last >= first, below[:, np.minimum(last + 1, size + 1)] - below[:, first], 0).T
    hidden = np.array([text == ROOT for text in texts])
    missing = np.array([text is None for text in texts])
    total = found.sum(axis=1, keepdims=True)
    found = np.divide(found, total, out=np.zeros_like(found), where=total > 0)
    # A label none of whose values occurs in the original cannot come from it; it is counted among the others.
    found[(total[:, 0] == 0) & ~missing, -1] = 1.0
    found[hidden | missing] = 0.0
    shares = np.column_stack([found, hidden, missing])
    counted, left = (
        np.array([*(one[column].sum() for column in columns), 0.0, one[size]], float) for one in (before, gone)
    )
    labels = charts.distinct_labels([str(texts[cell]) for cell in picked])
    return ReportBins([*labels, OTHERS if labels else ANY, HIDDEN, MISSING], counted, left, shares)


def _narrowest(texts: Sequence[str | None], shown: ShownColumn, before: Codes, cells: Codes, least: int) -> list[int]:
    """Choose cells that share no value, the narrowest first, and of these the ones with most people, in their order."""
    below = np.append(0, np.cumsum(before))
    width = np.maximum(shown.last - shown.first + 1, 0).sum(axis=1)
    people = np.where(shown.last >= shown.first, below[shown.last + 1] - below[shown.first], 0).sum(axis=1)
    wanted = [at for at, text in enumerate(texts) if text not in {None, ROOT} and cells[at] and people[at] >= least]
    taken = np.zeros(shown.domain.size + 1, bool)
    apart: list[int] = []
    for cell in sorted(wanted, key=lambda at: (width[at], -people[at], at)):
        if not any(taken[first : last + 1].any() for first, last in _ranges(shown, cell)):
            apart.append(cell)
            for first, last in _ranges(shown, cell):
                taken[first : last + 1] = True
    largest = sorted(apart, key=lambda at: -people[at])[:MOST_BINS]
    return sorted(largest, key=lambda at: int(shown.first[at].min()))


def _ranges(shown: ShownColumn, cell: int) -> list[tuple[int, int]]:
    pairs = zip(shown.first[cell].tolist(), shown.last[cell].tolist(), strict=True)
    return [(first, last) for first, last in pairs if first <= last]
