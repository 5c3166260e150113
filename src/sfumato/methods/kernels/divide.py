"""A table divided into parts: every part is a contiguous range of rows, and a cut reorders rows within it.

Codes are stored column by column, so every pass over a part reads memory in order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner
from sfumato.table.kernels.rules import Rules, class_allowed, counts_values, limits_spans
from sfumato.table.kernels.spans import Spans

#: The larger side of a cut waits while the smaller is cut, so at most as many parts wait as a row number has bits.
MOST_WAITING = 65


class PartedTable(NamedTuple):
    """The table being cut: codes and sensitive codes column by column, and the original row at each place."""

    codes: NDArray[np.unsignedinteger]
    sensitive: NDArray[np.int32]
    order: NDArray[np.int64]


class Cutting(NamedTuple):
    """How to cut: the rules that both sides must keep, and which cuts are tried."""

    rules: Rules
    spans: Spans
    smallest: int
    relaxed: bool
    along_taxonomy: bool


@inner
def set_aside(place: NDArray[np.int64], start: int, middle: int, stop: int) -> tuple[int, int]:
    """Put the larger side of a cut aside; return the smaller, which is cut first."""
    if middle - start < stop - middle:
        place[0], place[1] = middle, stop
        return start, middle
    place[0], place[1] = start, middle
    return middle, stop


@inner
def sides_allowed(
    layout: PartedTable,
    cutting: Cutting,
    start: int,
    middle: int,
    stop: int,
    bounds: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> bool:
    """Whether both sides of a cut keep every rule."""
    if min(middle - start, stop - middle) < cutting.smallest:
        return False
    needs_counts, needs_bounds = counts_values(cutting.rules), limits_spans(cutting.rules)
    if not (needs_counts or needs_bounds):
        return True
    inner = np.empty(bounds.shape, np.int64)
    for side in range(2):
        begin, end = (start, middle) if side == 0 else (middle, stop)
        if needs_bounds:
            find_bounds(layout.codes, begin, end, inner)
        if needs_counts:
            count_values(layout.sensitive, cutting.rules.counts_at, begin, end, histogram)
        if not class_allowed(end - begin, histogram, inner[0], inner[1], cutting.rules):
            return False
    return True


@inner
def find_bounds(codes: NDArray[np.unsignedinteger], start: int, stop: int, bounds: NDArray[np.int64]) -> None:
    """Find the smallest and the largest code of every attribute."""
    for attribute in range(len(codes)):
        column = codes[attribute]
        lo = hi = column[start]
        for row in range(start + 1, stop):
            lo = min(lo, column[row])
            hi = max(hi, column[row])
        bounds[0, attribute], bounds[1, attribute] = lo, hi


@inner
def count_values(
    sensitive: NDArray[np.int32], counts_at: NDArray[np.int64], start: int, stop: int, histogram: NDArray[np.int64]
) -> None:
    """Count the values of every sensitive column."""
    histogram[:] = 0
    for column in range(len(sensitive)):
        offset = counts_at[column]
        for row in range(start, stop):
            histogram[offset + sensitive[column, row]] += 1
