"""Cut a table in two at a median, and each half again, until no cut is allowed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.kernels.divide import MOST_WAITING, Cutting, PartedTable, find_bounds, set_aside, sides_allowed
from sfumato.table.kernels.spans import FIRST, LAST, PARENT, TREE_AT, Spans, common_ancestor, is_tree, span_cost


@kernel
def cut_until_done(
    layout: PartedTable, cutting: Cutting, begins: NDArray[np.bool_], start: int, stop: int, grain: int
) -> None:
    """Cut the rows ``start:stop`` into parts, marking where each begins; parts of at most ``grain`` rows stay whole."""
    attributes = len(layout.codes)
    bounds = np.empty((2, attributes), np.int64)
    histogram = np.empty(max(1, cutting.rules.counts_at[-1]), np.int64)
    waiting = np.empty((MOST_WAITING, 2), np.int64)
    count = 1
    waiting[0, 0], waiting[0, 1] = start, stop
    while count:
        count -= 1
        start, stop = waiting[count, 0], waiting[count, 1]
        begins[start] = True
        while stop - start > grain:
            middle = cut_once(layout, cutting, start, stop, bounds, histogram)
            if middle == start:
                break
            begins[middle] = True
            start, stop = set_aside(waiting[count], start, middle, stop)
            count += 1


@inner
def cut_once(
    layout: PartedTable,
    cutting: Cutting,
    start: int,
    stop: int,
    bounds: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> int:
    """Cut a part in two at the median of its widest attribute that allows it.

    Return where the second side begins, or ``start`` when no attribute allows a cut.
    """
    if stop - start < 2 * cutting.smallest:
        return start
    attributes = len(layout.codes)
    find_bounds(layout.codes, start, stop, bounds)
    widths = np.empty(attributes)
    for attribute in range(attributes):
        lo, hi = bounds[0, attribute], bounds[1, attribute]
        # Negative: nothing to cut. An attribute of weight 0 may still be cut, after all others.
        widths[attribute] = (
            span_cost(cutting.spans, attribute, lo, hi) * cutting.spans.weight[attribute] if lo < hi else -1.0
        )
    for _ in range(attributes):
        attribute = np.int64(0)
        for other in range(1, attributes):
            if widths[other] > widths[attribute]:
                attribute = np.int64(other)
        if widths[attribute] < 0:
            break
        lo, hi = bounds[0, attribute], bounds[1, attribute]
        middle = cut_attribute(layout, cutting, start, stop, attribute, lo, hi, bounds, histogram)
        if middle != start:
            return middle
        widths[attribute] = -1.0
    return start


@inner
def cut_attribute(
    layout: PartedTable,
    cutting: Cutting,
    start: int,
    stop: int,
    attribute: int,
    lo: int,
    hi: int,
    bounds: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> int:
    """Cut a part at the median of one attribute; return where the second side begins, or ``start``."""
    codes = layout.codes[attribute]
    half = (stop - start + 1) // 2
    first = last = median(codes, start, stop, lo, hi)
    if cutting.along_taxonomy and is_tree(cutting.spans, attribute):
        first, last = median_child(cutting.spans, attribute, lo, hi, first)
    elif cutting.relaxed:
        middle = move_below(layout, attribute, start, stop, first)
        move_below(layout, attribute, middle, stop, first + 1)
        return start + half if sides_allowed(layout, cutting, start, start + half, stop, bounds, histogram) else start
    below, upto = count_below(codes, start, stop, first), count_below(codes, start, stop, last + 1)
    # The rows at the median may go to either side: the more even cut is tried first, then the other.
    before = abs(below - half) <= abs(upto - half)
    for _ in range(2):
        left = below if before else upto
        if min(left, stop - start - left) >= cutting.smallest:
            middle = move_below(layout, attribute, start, stop, first if before else last + 1)
            if sides_allowed(layout, cutting, start, middle, stop, bounds, histogram):
                return middle
        before = not before
    return start


@inner
def median(column: NDArray[np.unsignedinteger], start: int, stop: int, lo: int, hi: int) -> int:
    """Find the lower median of a stretch of codes from ``lo`` to ``hi``."""
    half = (stop - start + 1) // 2
    if hi - lo > 4 * (stop - start):
        # A wide domain and few rows: bisect the range of codes instead of counting each code.
        while lo < hi:
            code = (lo + hi) // 2
            if count_below(column, start, stop, code + 1) >= half:
                hi = code
            else:
                lo = code + 1
        return lo
    counts = np.zeros(hi - lo + 1, np.int64)
    for row in range(start, stop):
        counts[np.int64(column[row]) - lo] += 1
    code = lo
    reached = counts[0]
    while reached < half:
        code += 1
        reached += counts[code - lo]
    return code


@inner
def median_child(spans: Spans, attribute: int, lo: int, hi: int, code: int) -> tuple[int, int]:
    """Find the child of the part's common ancestor above a code; return the first and the last code below it."""
    at = spans.index[attribute, TREE_AT]
    ancestor = common_ancestor(spans, attribute, lo, hi)
    node = np.int64(code)
    while spans.nodes[at + node, PARENT] != ancestor:
        node = np.int64(spans.nodes[at + node, PARENT])
    return np.int64(spans.nodes[at + node, FIRST]), np.int64(spans.nodes[at + node, LAST])


@inner
def count_below(column: NDArray[np.unsignedinteger], start: int, stop: int, bound: int) -> int:
    """Count the codes below a bound."""
    found = 0
    for row in range(start, stop):
        found += column[row] < bound
    return found


@inner
def move_below(layout: PartedTable, attribute: int, start: int, stop: int, bound: int) -> int:
    """Move the rows with a code below ``bound`` to the front; return where the others begin."""
    codes, sensitive, order = layout
    column = codes[attribute]
    left, right = start, stop - 1
    while True:
        while left <= right and column[left] < bound:
            left += 1
        while left <= right and column[right] >= bound:
            right -= 1
        if left > right:
            return left
        for other in range(len(codes)):
            codes[other, left], codes[other, right] = codes[other, right], codes[other, left]
        for other in range(len(sensitive)):
            sensitive[other, left], sensitive[other, right] = sensitive[other, right], sensitive[other, left]
        order[left], order[right] = order[right], order[left]
        left += 1
        right -= 1
