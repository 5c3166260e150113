"""The best single-dimension recoding: every value of a quasi-identifier is shown by the same group in all rows.

The loss of such a recoding is a sum over columns, and each column alone must already keep the models. So every column
gets a list of the ways to recode it, cheapest first. A best-first search combines ways of the first columns, ordered by
their loss plus the least loss of the other columns, and prunes combinations that break a model. The first combination
of all columns is optimal; until then the smallest sum in the queue is a lower bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.base import Task
from sfumato.methods.recoding_models.value_groups import Span, broken_rows, mean_cost
from sfumato.table.frequency import group_rows

#: The search gives up on a column with more ways to recode it.
MOST_WAYS = 4_096

#: The search gives up after examining this many rows.
WORK = 10_000_000

#: A way to recode a column: its groups in order.
Way = tuple[Span, ...]

#: A function that lists the ways to recode a column by allowed groups; None if there are too many.
Ways = Callable[[Domain, Callable[[Span], bool]], "list[Way] | None"]


@dataclass(order=True)
class Combined:
    """Ways of the first columns, and the classes of all but the last of them."""

    least: float
    serial: int
    ways: tuple[int, ...] = field(compare=False)
    classes: NDArray[np.int64] = field(compare=False, repr=False)


@dataclass(frozen=True)
class BestColumns:
    """The result of a search: the way of every column if proven optimal, a lower bound, and the number of checks."""

    ways: tuple[Way, ...] | None
    bound: float
    checks: int


def best_ways(task: Task, ways_of: Ways, at_most: float) -> BestColumns:
    """Search for the recoding with the least total loss; stop once nothing can lose less than ``at_most``."""
    lists = [_priced_ways(task, at, ways_of) for at in range(len(task.microdata.domains))]
    if any(found is None for found in lists):
        return BestColumns(None, 0.0, 0)
    columns = [found for found in lists if found]
    if len(columns) < len(lists):  # no way to recode some column is allowed: the table itself breaks a model
        return BestColumns(None, 0.0, 0)
    rest = np.append(np.cumsum([ways[0][0] for ways in columns][::-1])[::-1], 0.0)
    serial, checks, work = count(), 0, 0
    start = np.zeros(len(task.microdata), np.int64)
    waiting = [Combined(float(rest[0]), next(serial), (0,), start)]
    while waiting:
        found = heapq.heappop(waiting)
        if found.least >= at_most or work > WORK:
            return BestColumns(None, min(found.least, at_most), checks)
        *before, last = found.ways
        ways = columns[len(before)]
        if last + 1 < len(ways):
            more = ways[last + 1][0] - ways[last][0]
            heapq.heappush(waiting, Combined(found.least + more, next(serial), (*before, last + 1), found.classes))
        checks, work = checks + 1, work + len(start)
        classes = _divided(task, found.classes, len(before), ways[last][1])
        if classes is None:
            continue
        if len(found.ways) == len(columns):
            chosen = tuple(columns[at][way][1] for at, way in enumerate(found.ways))
            return BestColumns(chosen, found.least, checks)
        heapq.heappush(waiting, Combined(found.least, next(serial), (*found.ways, 0), classes))
    return BestColumns(None, at_most, checks)


def _divided(task: Task, classes: NDArray[np.int64], at: int, way: Way) -> NDArray[np.int64] | None:
    """Divide classes by a way of one more column; None if some class is not allowed."""
    part = np.searchsorted([last for _, last in way], task.microdata.codes[:, at])
    grouped = group_rows(np.stack([classes, part], axis=1), [int(classes.max(initial=0)) + 1, len(way)])
    divided = grouped.of_row.astype(np.int64)
    return None if len(broken_rows(task, np.arange(len(divided)), divided)) else divided


def _priced_ways(task: Task, at: int, ways_of: Ways) -> list[tuple[float, Way]] | None:
    """List the ways to recode a column that are allowed for it alone, each with its loss, cheapest first."""
    microdata = task.microdata
    domain, codes = microdata.domains[at], microdata.codes[:, at]
    known: dict[Span, bool] = {}

    def allowed(span: Span) -> bool:
        if span not in known:
            rows = np.flatnonzero((codes >= span[0]) & (codes <= span[1]))
            known[span] = not len(rows) or not len(broken_rows(task, rows, np.zeros(len(rows), np.int64)))
        return known[span]

    ways = ways_of(domain, allowed)
    if ways is None:
        return None
    counts, weight = microdata.marginals[at], float(microdata.weights[at])
    return sorted((weight * mean_cost(domain, counts, way), way) for way in ways)


def least_by_column(task: Task, spans_of: Callable[[Domain], NDArray[np.int64] | None]) -> float:
    """Bound the total loss of any single-dimension recoding from below, by the number of rows of every group.

    Where suppression is allowed, a group with too few rows is suppressed, which costs each of its rows the maximum.
    """
    microdata, smallest = task.microdata, task.requirements.smallest_class
    total = 0.0
    for at, domain in enumerate(microdata.domains):
        spans = spans_of(domain)
        if spans is None:
            continue
        lo, hi = spans.T
        reached = np.append(0, np.cumsum(microdata.marginals[at]))
        rows = reached[hi + 1] - reached[lo]
        short = (rows > 0) & (rows < smallest)
        costs = np.where(short, rows if task.suppressible else np.inf, rows * domain.span_costs(lo, hi))
        total += float(microdata.weights[at]) * _least_cover(domain.size, lo, hi, costs)
    return total


def _least_cover(size: int, lo: NDArray[np.int64], hi: NDArray[np.int64], costs: NDArray[np.float64]) -> float:
    """Compute the least cost of spans that together cover every code once."""
    least = np.append(0.0, np.full(size, np.inf))
    order = np.argsort(hi, kind="stable")
    for end, spans in zip(range(size), np.split(order, np.searchsorted(hi[order], np.arange(1, size))), strict=True):
        least[end + 1] = (least[lo[spans]] + costs[spans]).min(initial=np.inf)
    return float(least[-1])
