"""What happened to a column: its distribution before and after, and how often each level was used.

The bins are those that the release shows: its labels, or stretches between the ends of its intervals. So no value of
the original, no rare category and no extreme can get into a report that is not in the release already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.hierarchies import ROOT, Hierarchy
from sfumato.queries.columns import ScaleColumn
from sfumato.queries.opening import open_shown
from sfumato.reading.columns import ShownColumn, read_column
from sfumato.reading.extents import positions
from sfumato.release.values import ValueCounts
from sfumato.report import charts
from sfumato.verify.classes import code_column

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]

#: How many bins a picture has at most, besides those of what is not told.
MOST_BINS = 12

HIDDEN, MISSING, OTHERS, ANY = "not told (*)", "missing", "all others", "any value"


@dataclass(frozen=True)
class Level:
    """One level of a column's hierarchy, and the share of released rows that is shown at it."""

    name: str
    groups: int | None
    share: float


@dataclass(frozen=True)
class ColumnFacts:
    """A quasi-identifier before and after.

    Attributes
    ----------
    labels
        The bins, each in words that the release shows.
    before, after
        The share of rows in each of them; what hides behind a wide cell is spread over the bins that it may be in.
    gone
        The share of the suppressed rows in each of them, where enough rows were suppressed to tell.
    levels
        How often each level was used.
    lost
        The share of its detail that it lost, as read from the release.
    """

    name: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    gone: tuple[float, ...] = ()
    levels: tuple[Level, ...] = field(default=(), repr=False)
    lost: float = 0.0

    @property
    def kept(self) -> float:
        """How much of the distribution is where it was: 1 less half of what moved."""
        return 1 - sum(abs(one - other) for one, other in zip(self.before, self.after, strict=True)) / 2

    @property
    def picture(self) -> charts.Picture:
        """The two distributions side by side."""
        return charts.column_before_after(self.name, self.labels, self.before, self.after, self.kept)


@dataclass(frozen=True)
class Bins:
    """Bins of a column: how many people of the original are in each, and the share of every shown cell in each."""

    labels: list[str]
    before: Numbers
    gone: Numbers
    shares: Numbers


def describe_column(
    table: pa.Table,
    name: str,
    originals: ValueCounts,
    hierarchy: Hierarchy | None,
    least: int,
    statistic: str | None = None,
) -> ColumnFacts | None:
    """Return what happened to a column; None where what it shows cannot be read.

    Parameters
    ----------
    table
        The released table.
    name
        The quasi-identifier.
    originals
        How often each value of the original occurs.
    hierarchy
        How it was generalized.
    least
        Fewer people than these are never told about.
    statistic
        ``"midpoint"`` or ``"mean"`` where a class shows that instead of a range.
    """
    try:
        shown = read_column(table, name, originals.values, hierarchy)
        column = open_shown(table, name, hierarchy, statistic)
    except DataError:
        return None
    before, gone = (_by_code(shown, counts) for counts in (originals.counts, originals.suppressed))
    cells = np.bincount(shown.cell_of_row, minlength=len(shown.first))
    if isinstance(column, ScaleColumn):
        bins = _scale_bins(column, shown, before, gone, least)
    else:
        bins = _tree_bins(_texts(table, name), shown, before, gone, cells, least)
    after = cells[: len(bins.shares)] @ bins.shares
    people, released = max(1, before.sum()), max(1, cells.sum())
    told = (bins.before > 0) | (after > 0)
    return ColumnFacts(
        name,
        tuple(label for label, keep in zip(bins.labels, told, strict=True) if keep),
        _rounded(bins.before[told] / people),
        _rounded(after[told] / released),
        _rounded(bins.gone[told] / gone.sum()) if gone.sum() >= least else (),
        tuple(_levels(shown, _texts(table, name), cells)),
        _lost(shown, cells),
    )


def _by_code(shown: ShownColumn, counts: Codes) -> Codes:
    """Return counts by the codes of the reading, where several spellings may be one value; missing ones last."""
    known = len(shown.original)
    return np.bincount(
        np.append(shown.original, shown.domain.size), weights=counts[: known + 1], minlength=shown.domain.size + 1
    ).astype(np.int64)


def _texts(table: pa.Table, name: str) -> list[str | None]:
    """Return what the different cells show; nothing for a column that is shown by its bounds."""
    if name not in table.column_names:
        return []
    return [*code_column(name, table.column(name)).values.cast(pa.string()).to_pylist(), None]


# Numbers and dates: stretches between the ends that the release shows


def _scale_bins(column: ScaleColumn, shown: ShownColumn, before: Codes, gone: Codes, least: int) -> Bins:
    low, high = column.extents.low, column.extents.high
    told = np.isfinite(low) & np.isfinite(high)
    at = positions(shown.domain.values, column.order)
    edges = _edges(np.unique(low[told]), at, before[: len(at)], least)
    if not len(edges):
        return _untold(before, gone, low <= high)
    shares = np.zeros((column.size, len(edges) + 2))
    below = [column.share_below(float(np.nextafter(edge, -np.inf))) for edge in edges[1:]]
    ends = np.stack([np.zeros(column.size), *below, np.ones(column.size)], axis=1)
    shares[:, :-2] = np.clip(np.diff(ends, axis=1), 0.0, 1.0) * told[:, None]
    hidden = ~told & (low <= high)
    shares[:, -2], shares[:, -1] = hidden, ~told & ~hidden
    place = np.append(np.clip(np.searchsorted(edges, at, side="right") - 1, 0, None), len(edges) + 1)
    counted, left = (_counted(place, one, len(edges) + 2) for one in (before, gone))
    return Bins([*_stretches(edges, float(high[told].max()), column), HIDDEN, MISSING], counted, left, shares)


def _untold(before: Codes, gone: Codes, hidden: NDArray[np.bool_]) -> Bins:
    """Return the bins of a column of which nothing is shown: it had values, and they are not told."""
    counted, left = (np.array([one[:-1].sum(), 0, one[-1]], float) for one in (before, gone))
    return Bins([ANY, HIDDEN, MISSING], counted, left, np.column_stack([np.zeros(len(hidden)), hidden, ~hidden]))


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
    """Return what the bins are called: from where to where they reach."""
    if column.order is not None:
        names = [str(column.order[int(edge)]) for edge in edges]
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
    if column.kind is not None:
        first, end = (str(np.datetime64(int(np.floor(days)), "D")) for days in (low, high))
        return f"{first} – {end}"
    if low == high:
        return f"{low:.10g}"
    if column.whole or last:
        return f"{low:.10g} – {high:.10g}"
    return f"{low:.10g} – under {high:.10g}"


# Categories: the narrowest labels that the release shows


def _tree_bins(
    texts: Sequence[str | None], shown: ShownColumn, before: Codes, gone: Codes, cells: Codes, least: int
) -> Bins:
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
    # A label of which no value occurs can only have come from elsewhere; it counts with the others.
    found[(total[:, 0] == 0) & ~missing, -1] = 1.0
    found[hidden | missing] = 0.0
    shares = np.column_stack([found, hidden, missing])
    counted, left = (
        np.array([*(one[column].sum() for column in columns), 0.0, one[size]], float) for one in (before, gone)
    )
    labels = charts.distinct_labels([str(texts[cell]) for cell in picked])
    return Bins([*labels, OTHERS if labels else ANY, HIDDEN, MISSING], counted, left, shares)


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


# Levels and losses


def _levels(shown: ShownColumn, texts: Sequence[str | None], cells: Codes) -> list[Level]:
    """Return how often each level was used; without declared levels, values and intervals."""
    total = max(1, int(cells.sum()))
    level_of: dict[str | None, int] = {}
    for number, level in enumerate(shown.domain.levels):
        for label in level.labels.to_pylist():
            level_of.setdefault(label, number)
    single = shown.low == shown.high if shown.numbers is not None else np.zeros(len(cells), bool)
    used = np.zeros(len(shown.domain.levels) + 3)
    between, missing, value = len(used) - 3, len(used) - 2, 0
    for cell, count in enumerate(cells.tolist()):
        text = texts[cell] if texts else ""
        if text is None:
            used[missing] += count
        elif text in level_of:
            used[level_of[text]] += count
        else:
            used[value if single[cell] else between] += count
    named = [Level(level.name, len(level.labels), used[at] / total) for at, level in enumerate(shown.domain.levels)]
    apart = "intervals" if shown.numbers is not None else "sets of values"
    more = [Level(title, None, used[at] / total) for at, title in ((between, apart), (missing, MISSING)) if used[at]]
    return [*named[:-1], *more, *named[-1:]]


def _lost(shown: ShownColumn, cells: Codes) -> float:
    """Return the share of detail that is lost, by the spans that the cells show."""
    size = shown.domain.size
    used = np.flatnonzero(cells)
    first = np.where(shown.last >= shown.first, shown.first, size).min(axis=1)[used]
    last = np.where(shown.last >= shown.first, shown.last, -1).max(axis=1)[used]
    costs = np.where(last >= size, np.where(first >= size, 0.0, 1.0), 0.0)
    inside = (last < size) & (first <= last)
    costs[inside] = shown.domain.span_costs(first[inside], last[inside])
    return float(cells[used] @ costs / max(1, cells.sum()))


def _rounded(shares: Numbers) -> tuple[float, ...]:
    """Return shares that are exact enough to look at, and not exact enough to count single people by."""
    return tuple(round(float(share), 4) for share in shares)
