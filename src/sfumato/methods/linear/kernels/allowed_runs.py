"""The runs with the least loss that satisfy every privacy rule.

As in `runs`, but the rules are evaluated for every run, because a run may be allowed although a longer one is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.rules import Rules, class_allowed
from sfumato.table.kernels.spans import Spans, box_penalty

#: Runs of up to this many units are always tried.
LEAST_REACH = 16


@kernel
def cheapest_allowed_runs(
    codes: NDArray[np.unsignedinteger],
    sensitive: NDArray[np.int32],
    ends: NDArray[np.int64],
    rules: Rules,
    spans: Spans,
    longest: int,
    begin: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Find the least loss of every prefix of the units; ``begin``, -1 at first, gets where the last run of it begins.

    Unit ``u`` holds the rows ``ends[u]:ends[u + 1]`` of ``codes`` and ``sensitive``. Runs are tried up to twice the
    length of the shortest allowed one. The search for that one goes back ``longest`` units, and further only after a
    stretch in which no run could end; the last run may go back to the start, since the whole table is allowed.
    """
    units = len(ends) - 1
    loss = np.full(units + 1, np.inf)
    loss[0] = 0.0
    bounds = np.empty((2, codes.shape[1]), np.int64)
    histogram = np.empty(max(1, rules.counts_at[-1]), np.int64)
    reached = 0
    for stop in range(1, units + 1):
        # After a stretch in which no run could end, runs must reach back across it.
        limit = units if stop == units else longest + 2 * (stop - reached)
        histogram[:] = 0
        shrink_to(bounds, codes, ends[stop - 1])
        penalty = 0.0
        for start in range(stop - 1, -1, -1):
            if add_rows(codes, sensitive, ends[start], ends[start + 1], rules.counts_at, histogram, bounds):
                penalty = box_penalty(spans, bounds)
            size = ends[stop] - ends[start]
            total = loss[start] + size * penalty
            if total < loss[stop] and class_allowed(size, histogram, bounds[0], bounds[1], rules):
                if loss[stop] == np.inf:
                    # A run twice as long can usually be split into two allowed ones.
                    limit = max(LEAST_REACH, 2 * (stop - start))
                loss[stop], begin[stop] = total, start
            if stop - start >= limit:
                break
        if loss[stop] < np.inf:
            reached = stop
    return loss


@kernel
def greedy_runs(sensitive: NDArray[np.int32], codes: NDArray[np.unsignedinteger], rules: Rules) -> NDArray[np.int64]:
    """Close each run as soon as it is allowed; return where the runs end. Rows after the last end belong to none."""
    ends = np.empty(len(codes), np.int64)
    count = start = 0
    bounds = np.empty((2, codes.shape[1]), np.int64)
    histogram = np.zeros(max(1, rules.counts_at[-1]), np.int64)
    tried = 0
    for row in range(len(codes)):
        if row == start:
            histogram[:] = 0
            shrink_to(bounds, codes, row)
            tried = 0
        add_rows(codes, sensitive, row, row + 1, rules.counts_at, histogram, bounds)
        size = row + 1 - start
        # Evaluating the rules only after the run has grown by a sixteenth keeps long runs affordable.
        if size > tried + tried // 16:
            tried = size
            if class_allowed(size, histogram, bounds[0], bounds[1], rules):
                ends[count] = row + 1
                count += 1
                start = row + 1
    return ends[:count]


@inner
def shrink_to(bounds: NDArray[np.int64], codes: NDArray[np.unsignedinteger], row: int) -> None:
    """Reset a box to a single row."""
    for attribute in range(codes.shape[1]):
        bounds[0, attribute] = bounds[1, attribute] = codes[row, attribute]


@inner
def add_rows(
    codes: NDArray[np.unsignedinteger],
    sensitive: NDArray[np.int32],
    start: int,
    stop: int,
    counts_at: NDArray[np.int64],
    histogram: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> bool:
    """Add rows to the histogram and the box of a class; return whether the box grew."""
    grew = False
    for row in range(start, stop):
        for attribute in range(codes.shape[1]):
            code = np.int64(codes[row, attribute])
            if code < bounds[0, attribute]:
                bounds[0, attribute] = code
                grew = True
            if code > bounds[1, attribute]:
                bounds[1, attribute] = code
                grew = True
        for column in range(sensitive.shape[1]):
            histogram[counts_at[column] + sensitive[row, column]] += 1
    return grew
