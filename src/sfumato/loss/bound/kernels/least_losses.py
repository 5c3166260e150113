"""The least that a row must lose because its class holds other rows too, from comparing pairs of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.spans import KIND, TREE, Spans, span_cost

#: How many rows before and after a row are compared with it first.
BESIDE = 32


class SortedRows(NamedTuple):
    """The distinct rows of a table in ascending order.

    Attributes
    ----------
    codes, counts
        The codes of every row, and how often it occurs.
    skips
        For every row and leading attribute, the first later row that differs from it in that attribute or one before:
        if two rows are too far apart in these, so are all rows in between.
    """

    codes: NDArray[np.unsignedinteger]
    counts: NDArray[np.int64]
    skips: NDArray[np.int32]


@kernel
def least_losses(
    chosen: NDArray[np.int64], rows: SortedRows, k: int, spans: Spans, losses: NDArray[np.float64]
) -> None:
    """Compute for the chosen rows their loss in a class with their (k - 1)-th nearest row.

    A class of k rows spans at least what a row spans together with any single one of the others.
    """
    nearest, weight = np.empty(k + 1), np.empty(k + 1, np.int64)
    for at, this in enumerate(chosen):
        losses[at], _ = nearest_loss(this, rows, k, spans, nearest, weight)


@inner
def nearest_loss(
    this: int, rows: SortedRows, k: int, spans: Spans, nearest: NDArray[np.float64], weight: NDArray[np.int64]
) -> tuple[float, int]:
    """Compute what a row loses with its (k - 1)-th nearest row, given scratch for losses and counts.

    Also return how many rows it was compared with.
    """
    held, reached, worst, compared = 0, rows.counts[this] - 1, np.inf, 0
    if reached >= k - 1:
        return 0.0, compared
    begin, end = max(0, this - BESIDE), min(len(rows.codes), this + BESIDE + 1)
    # Adjacent rows come first: they soon show which others are too far away.
    for first, last in ((begin, end), (0, begin), (end, len(rows.codes))):
        after = first
        while after < last:
            other = after
            compared += 1
            loss, after = apart(this, other, rows, spans, worst)
            if loss < worst and other != this:
                held, reached = hold(nearest, weight, held, reached, loss, rows.counts[other], k - 1)
                if reached >= k - 1:
                    worst = nearest[held - 1]
    return nearest[held - 1] if held else 0.0, compared


@inner
def apart(this: int, other: int, rows: SortedRows, spans: Spans, limit: float) -> tuple[float, int]:
    """Compute what two rows lose as a class, and the next row that may be nearer if that reaches the limit."""
    total = 0.0
    for attribute in range(rows.codes.shape[1]):
        one, two = np.int64(rows.codes[this, attribute]), np.int64(rows.codes[other, attribute])
        if one != two:
            before = total
            total += spans.weight[attribute] * span_cost(spans, attribute, min(one, two), max(one, two))
            if total >= limit:
                return total, _next(one, other, attribute, rows, spans, limit - before)
    return total, other + 1


@inner
def _next(code: int, other: int, attribute: int, rows: SortedRows, spans: Spans, limit: float) -> int:
    """Find the next row that is not too far away in an attribute, or that differs in an earlier one.

    Codes are in an order in which a wider span never costs less, except on grids.
    """
    if attribute >= rows.skips.shape[1]:
        return other + 1
    begin = np.int64(rows.skips[other, attribute])
    if spans.index[attribute, KIND] > TREE:
        return begin
    end = np.int64(rows.skips[other, attribute - 1]) if attribute else len(rows.codes)
    if rows.codes[other, attribute] > code:
        return end
    while begin < end:
        middle = (begin + end) // 2
        there = np.int64(rows.codes[middle, attribute])
        if there < code and spans.weight[attribute] * span_cost(spans, attribute, there, code) >= limit:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def nearest_losses(
    codes: NDArray[np.unsignedinteger],
    counts: NDArray[np.int64],
    begins: NDArray[np.int64],
    k: int,
    spans: Spans,
    limits: NDArray[np.float64],
    losses: NDArray[np.float64],
    weights: NDArray[np.int64],
) -> None:
    """Compute for the first rows of ``codes`` their losses with the nearest of the other rows, and the counts of these.

    The first ``len(limits)`` rows are the queries; the others are distinct rows that occur ``counts`` times each, and
    those between two of ``begins`` agree in the first attribute. For each query the nearest rows are written, nearest
    first, until they occur k times together, and none whose loss reaches the limit of the query.
    """
    asking = len(limits)
    for this in range(asking):
        held, reached, worst = 0, 0, limits[this]
        for group in range(len(begins) - 1):
            shared = pair_loss(codes, this, begins[group], spans, 0, 1, 0.0, worst)
            if shared >= worst:
                continue
            for other in range(begins[group], begins[group + 1]):
                loss = pair_loss(codes, this, other, spans, 1, codes.shape[1], shared, worst)
                if loss >= worst:
                    continue
                held, reached = hold(losses[this], weights[this], held, reached, loss, counts[other - asking], k)
                if reached >= k:
                    worst = losses[this, held - 1]
        weights[this, held:] = 0


@inner
def hold(
    nearest: NDArray[np.float64],
    weight: NDArray[np.int64],
    held: int,
    reached: int,
    loss: float,
    count: int,
    enough: int,
) -> tuple[int, int]:
    """Insert a loss among the least so far; return how many are held, and how often their rows occur together."""
    place = held
    while place > 0 and nearest[place - 1] > loss:
        nearest[place], weight[place] = nearest[place - 1], weight[place - 1]
        place -= 1
    nearest[place], weight[place] = loss, count
    held += 1
    reached += count
    # Drop the farthest as long as the others are enough.
    while reached - weight[held - 1] >= enough:
        held -= 1
        reached -= weight[held]
    return held, reached


@inner
def pair_loss(
    codes: NDArray[np.unsignedinteger],
    first: int,
    second: int,
    spans: Spans,
    begin: int,
    end: int,
    before: float,
    limit: float,
) -> float:
    """Add what two rows lose as a class in some attributes to ``before``; above the limit, any larger number."""
    total = before
    for attribute in range(begin, end):
        one, two = np.int64(codes[first, attribute]), np.int64(codes[second, attribute])
        if one != two:
            lo: int = min(one, two)
            hi: int = max(one, two)
            total += spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
            if total >= limit:
                return total
    return total


@kernel
def least_total(falling: NDArray[np.float64], k: int) -> float:
    """Compute the least total if rows share classes of at least k and each class loses what its dearest row must.

    ``falling`` holds what every row must lose, largest first; it is best if the dearest rows share classes.
    """
    rows = len(falling)
    least = np.full(rows + 1, np.inf)
    least[0] = 0.0
    for stop in range(k, rows + 1):
        for start in range(max(0, stop - 2 * k + 1), stop - k + 1):
            least[stop] = min(least[stop], least[start] + (stop - start) * falling[start])
    return least[rows]
