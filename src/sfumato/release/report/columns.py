"""What happened to a column: its distribution before and after, and how often each level was used.

The bins are those that the release shows: its labels, or stretches between the ends of its intervals. So no value of
the original, no rare category and no extreme can get into a report that is not in the release already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from sfumato.assess.queries.columns import ReleasedColumn, ScaleColumn
from sfumato.assess.queries.open_column import open_shown
from sfumato.common.charts import charts
from sfumato.common.grouping import code_column
from sfumato.errors import DataError
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.reading.column import ShownColumn, read_column
from sfumato.release.report.bins import MISSING, Codes, Numbers, ReportBins, scale_bins, tree_bins
from sfumato.release.values import ValueCounts


@dataclass(frozen=True)
class LevelUse:
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
        The share of the suppressed rows in each of them, where enough rows were suppressed to report it.
    levels
        How often each level was used.
    lost
        The share of its detail that it lost, as read from the release.
    scale
        Where the bins are on a scale of numbers or days, if they are.
    unchanged
        Whether every released cell shows the value itself.
    """

    name: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    gone: tuple[float, ...] = ()
    levels: tuple[LevelUse, ...] = field(default=(), repr=False)
    lost: float = 0.0
    scale: charts.Scale | None = field(default=None, repr=False)
    unchanged: bool = False

    @property
    def kept(self) -> float:
        """The share of the distribution that did not move: 1 minus the total variation distance."""
        return 1 - sum(abs(one - other) for one, other in zip(self.before, self.after, strict=True)) / 2

    @property
    def picture(self) -> charts.Picture:
        """The two distributions side by side."""
        return charts.column_before_after(self.name, self.labels, self.before, self.after, self.kept, self.scale)


def describe_column(
    table: pa.Table,
    name: str,
    originals: ValueCounts,
    hierarchy: Hierarchy | None,
    least: int,
    statistic: str | None = None,
) -> ColumnFacts | None:
    """Compare a column before and after; None if the released cells cannot be read.

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
        The fewest people that any bin may report.
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
        bins = scale_bins(column, shown, before, gone, least)
    else:
        bins = tree_bins(_texts(table, name), shown, before, gone, cells, least)
    after = cells[: len(bins.shares)] @ bins.shares
    people, released = max(1, before.sum()), max(1, cells.sum())
    occurs = (bins.before > 0) | (after > 0)
    return ColumnFacts(
        name,
        tuple(label for label, keep in zip(bins.labels, occurs, strict=True) if keep),
        _rounded(bins.before[occurs] / people),
        _rounded(after[occurs] / released),
        _rounded(bins.gone[occurs] / gone.sum()) if gone.sum() >= least else (),
        tuple(_levels(shown, _texts(table, name), cells)),
        lost := _lost(shown, cells),
        _scale(bins, column, after / released, people),
        unchanged=lost == 0 and statistic is None and name in table.column_names,
    )


def _scale(bins: ReportBins, column: ReleasedColumn, after: Numbers, people: int) -> charts.Scale | None:
    """Where the bins are on a scale, if there is one: numbers, or days."""
    if bins.edges is None:
        return None
    many = len(bins.edges) - 1
    shares = (_rounded(bins.before[:many] / people), _rounded(after[:many]))
    return charts.Scale(tuple(bins.edges.tolist()), *shares, dates=getattr(column, "kind", None) is not None)


def _by_code(shown: ShownColumn, counts: Codes) -> Codes:
    """Counts by the codes of the reading, in which several spellings may be one value; missing ones last."""
    known = len(shown.original)
    return np.bincount(
        np.append(shown.original, shown.domain.size), weights=counts[: known + 1], minlength=shown.domain.size + 1
    ).astype(np.int64)


def _texts(table: pa.Table, name: str) -> list[str | None]:
    """The texts of the distinct cells; none for a column that is released as bounds."""
    if name not in table.column_names:
        return []
    return [*code_column(name, table.column(name)).values.cast(pa.string()).to_pylist(), None]


def _levels(shown: ShownColumn, texts: Sequence[str | None], cells: Codes) -> list[LevelUse]:
    """How often each level was used; without declared levels, values and intervals."""
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
    named = [LevelUse(level.name, len(level.labels), used[at] / total) for at, level in enumerate(shown.domain.levels)]
    apart = "intervals" if shown.numbers is not None else "sets of values"
    more = [LevelUse(title, None, used[at] / total) for at, title in ((between, apart), (missing, MISSING)) if used[at]]
    return [*named[:-1], *more, *named[-1:]]


def _lost(shown: ShownColumn, cells: Codes) -> float:
    """The share of detail that is lost, by the spans that the cells show."""
    size = shown.domain.size
    used = np.flatnonzero(cells)
    first = np.where(shown.last >= shown.first, shown.first, size).min(axis=1)[used]
    last = np.where(shown.last >= shown.first, shown.last, -1).max(axis=1)[used]
    costs = np.where(last >= size, np.where(first >= size, 0.0, 1.0), 0.0)
    inside = (last < size) & (first <= last)
    costs[inside] = shown.domain.span_costs(first[inside], last[inside])
    return float(cells[used] @ costs / max(1, cells.sum()))


def _rounded(shares: Numbers) -> tuple[float, ...]:
    """Round shares: exact enough to look at, too coarse to count single people by."""
    return tuple(round(float(share), 4) for share in shares)
