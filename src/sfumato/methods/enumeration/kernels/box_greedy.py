"""Mondrian on a grid: median cuts of the widest attribute, restricted to the cuts of the grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.enumeration.kernels.box_memo import WHOLE, Memo, add_entry
from sfumato.methods.enumeration.kernels.boxes import Problem, class_cost, find_spans, move_left, sum_slabs
from sfumato.table.kernels.spans import span_cost


@kernel
def cut_greedily(problem: Problem, memo: Memo, order: NDArray[np.int32], own: float) -> float:
    """Fill an empty memo with the boxes of Mondrian's partition; ``own`` is the cost of the table without a cut.

    Returns the cost of that partition.
    """
    grid = problem.grid
    slabs = grid.slabs[-1]
    rows, words, sides = np.empty(slabs, np.int64), np.empty((slabs, 2), np.uint64), np.empty((slabs, 4))
    most = min(len(memo.words), 2 * (len(problem.costs.by_size) // problem.costs.smallest) + 3)
    boxes = np.empty((most, 4), np.int64)
    uncut = np.empty(2)
    boxes[0, 0], boxes[0, 1] = 0, len(order)
    count, at = 1, 0
    costs = np.empty(most)
    costs[0] = own
    while at < count:
        start, close = boxes[at, 0], boxes[at, 1]
        sum_slabs(grid, order, start, close, rows, words, sides)
        last = grid.slabs[1] - 1
        add_entry(memo, words[last, 0], words[last, 1], -np.inf, costs[at], WHOLE)
        boxes[at, 2] = -1
        if count + 2 <= most:
            cut = median_cut(problem, order, start, close, rows, uncut)
            if cut >= 0:
                middle = move_left(grid, order, start, close, cut)
                boxes[at, 2], boxes[at, 3] = cut, count
                boxes[count, 0], boxes[count, 1], costs[count] = start, middle, uncut[0]
                boxes[count + 1, 0], boxes[count + 1, 1], costs[count + 1] = middle, close, uncut[1]
                count += 2
        at += 1
    for box in range(count - 1, -1, -1):
        if boxes[box, 2] >= 0:
            both = costs[boxes[box, 3]] + costs[boxes[box, 3] + 1]
            # If costs are not known here, all cuts are kept: the caller evaluates them together.
            if both < costs[box] or problem.costs.by_block:
                costs[box] = both
                memo.bounds[box, 1], memo.cuts[box, 0] = both, boxes[box, 2]
    return costs[0]


@inner
def median_cut(
    problem: Problem,
    order: NDArray[np.int32],
    start: int,
    close: int,
    rows: NDArray[np.int64],
    uncut: NDArray[np.float64],
) -> int:
    """Find the allowed cut nearest to the median of the widest attribute that has one; -1 if none has.

    The costs of its sides are written to ``uncut``.
    """
    slabs = problem.grid.slabs
    attributes = len(slabs) - 1
    bounds = find_spans(problem.grid, order, start, close)
    widths = np.empty(attributes)
    for attribute in range(attributes):
        weight = problem.spans.weight[attribute]
        widths[attribute] = weight * span_cost(problem.spans, attribute, bounds[0, attribute], bounds[1, attribute])
    for turn in range(2 * attributes):
        if turn % 2 == 0:
            attribute = widest(widths)
            begin, last = slabs[attribute], slabs[attribute + 1] - 1
            median = begin
            while 2 * rows[median] < rows[last]:
                median += 1
            # The slab of the median may go to either side: the more even cut is tried first, then the other.
            before = median > begin and rows[median - 1] + rows[median] >= rows[last]
        cut = median - 1 if before == (turn % 2 == 0) else median
        if begin <= cut < last and sides_allowed(problem, order, start, close, cut, rows[cut], rows[last], uncut):
            return cut
    return -1


@inner
def widest(widths: NDArray[np.float64]) -> int:
    """Find the attribute with the largest width, and mark it as used."""
    best = np.int64(0)
    for attribute in range(1, len(widths)):
        if widths[attribute] > widths[best]:
            best = np.int64(attribute)
    widths[best] = -1.0
    return best


@inner
def sides_allowed(
    problem: Problem,
    order: NDArray[np.int32],
    start: int,
    close: int,
    cut: int,
    left: int,
    rows: int,
    uncut: NDArray[np.float64],
) -> bool:
    """Whether both sides of a cut may be classes; their costs are written to ``uncut``."""
    if min(left, rows - left) < problem.costs.smallest:
        return False
    middle = move_left(problem.grid, order, start, close, cut)
    for side in range(2):
        begin, end = (middle, close) if side else (start, middle)
        uncut[side] = class_cost(problem, order, begin, end, rows - left if side else left)
        if uncut[side] == np.inf:
            return False
    return True
