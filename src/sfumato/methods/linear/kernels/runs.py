"""The cut of an order into runs that are all large enough, with the least loss.

Units (rows, groups of equal rows, or small classes) stand in a fixed order, and classes are runs of neighbours. The
loss of a run never falls when units join it, so a run that could be two allowed runs is never needed: with rows and
k-anonymity every run holds k to 2k - 1 rows. A dynamic program over prefixes finds the optimum in one pass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.linear.kernels.packed_boxes import changed_cost, larger, smaller, spare_bits
from sfumato.table.kernels.spans import Spans

#: The loss of a prefix that no cut covers; a whole table loses less than half of it.
UNREACHABLE = 1 << 61


@inner
def whole(penalty: float, scale: float) -> int:
    """A loss as a whole number of units."""
    return np.int64(penalty * scale + 0.5)


@kernel
def cheapest_runs(
    lo: NDArray[np.uint64],
    hi: NDArray[np.uint64],
    ends: NDArray[np.int64],
    latest: NDArray[np.int64],
    price: int,
    scale: float,
    width: int,
    spans: Spans,
    loss: NDArray[np.int64],
    begin: NDArray[np.int32],
    done: int,
    until: int,
) -> None:
    """Find the least loss of every prefix of the units, and where the last run of that cut begins.

    Parameters
    ----------
    lo, hi
        The packed bounds of every unit; the same array twice if units are rows.
    ends
        The number of rows before each unit, followed by the number of all rows.
    latest
        For every position between units, the latest position where a run that ends there may begin; -1 for none. A run
        that begins earlier is allowed too.
    price
        The cost of leaving out a row; ``begin`` is then negative. ``UNREACHABLE`` if no row may be left out.
    scale
        How many units of ``loss`` and ``price`` a loss of 1 has. Whole numbers add up exactly, in any order.
    width, spans
        The width of a field, and the costs of spans.
    loss, begin
        The output; ``loss[0]`` is 0. Prefixes that no cut covers have a loss of ``UNREACHABLE`` or more.
    done, until
        The number of units already processed, and the number to process in all.
    """
    words = lo.shape[1]
    spare = spare_bits(width)
    box_lo = np.empty(words, np.uint64)
    box_hi = np.empty(words, np.uint64)
    costs = np.empty(len(spans.weight))
    for stop in range(done + 1, until + 1):
        loss[stop], begin[stop] = UNREACHABLE, -stop
        if price < UNREACHABLE and loss[stop - 1] < UNREACHABLE:
            loss[stop] = loss[stop - 1] + price * (ends[stop] - ends[stop - 1])
        start = latest[stop]
        if start < 0:
            continue
        earliest = latest[start] + 1
        costs[:] = 0.0
        penalty = 0.0
        for word in range(words):
            low, high = lo[stop - 1, word], hi[stop - 1, word]
            for unit in range(start, stop - 1):
                low = smaller(low, lo[unit, word], spare, width)
                high = larger(high, hi[unit, word], spare, width)
            penalty += changed_cost(low, high, low ^ high, word, width, costs, spans)
            box_lo[word], box_hi[word] = low, high
        best = loss[start] + (ends[stop] - ends[start]) * whole(penalty, scale)
        best_start = start
        for earlier in range(start - 1, earliest - 1, -1):
            for word in range(words):
                low = smaller(box_lo[word], lo[earlier, word], spare, width)
                high = larger(box_hi[word], hi[earlier, word], spare, width)
                changed = (low ^ box_lo[word]) | (high ^ box_hi[word])
                if changed:
                    penalty += changed_cost(low, high, changed, word, width, costs, spans)
                    box_lo[word], box_hi[word] = low, high
            total = loss[earlier] + (ends[stop] - ends[earlier]) * whole(penalty, scale)
            if total < best:
                best, best_start = total, earlier
        if best < loss[stop]:
            loss[stop], begin[stop] = best, best_start


@kernel
def shortest_runs(
    place: NDArray[np.float64], ends: NDArray[np.int64], latest: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Do the same as `cheapest_runs` with the length on the curve in place of the loss: no boxes, no costs."""
    units = len(place)
    loss = np.full(units + 1, np.inf)
    begin = np.full(units + 1, -1, np.int32)
    loss[0] = 0.0
    for stop in range(1, units + 1):
        start = latest[stop]
        if start < 0:
            continue
        best, best_start = np.inf, -1
        for earlier in range(start, latest[start], -1):
            total = loss[earlier] + (ends[stop] - ends[earlier]) * (place[stop - 1] - place[earlier])
            if total < best:
                best, best_start = total, earlier
        if best < np.inf:
            loss[stop], begin[stop] = best, best_start
    return loss, begin


@kernel
def run_of_unit(begin: NDArray[np.int32]) -> NDArray[np.int32]:
    """Trace the runs back from the end; return the run of every unit, -1 for units left out."""
    units = len(begin) - 1
    runs = np.zeros(units, np.int32)
    stop = units
    while stop > 0:
        if begin[stop] < 0:
            stop -= 1
            runs[stop] = -1
        else:
            stop = begin[stop]
            runs[stop] = 1
    count = np.int32(-1)
    for unit in range(units):
        if runs[unit] >= 0:
            count += runs[unit]
            runs[unit] = count
    return runs
