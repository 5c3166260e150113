"""A check of both sides of every cut of a box, before the search visits any of them.

Sizes rule out most cuts of a box, and models that require more than a size rule out most of the others. One pass over
a box counts the sensitive values on the left of every cut, so the search need not visit a side to learn that it is not
allowed, or what it costs if that depends on sizes alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner
from sfumato.methods.enumeration.kernels.boxes import Grid, Problem
from sfumato.table.kernels.rules import KIND, SIZE, SPAN, class_allowed

#: A side as a class: not allowed, not known, or allowed with the cost of its size.
FORBIDDEN, UNKNOWN, COSTS_ITS_SIZE = range(3)


@inner
def looks_ahead(problem: Problem) -> bool:
    """Whether a side that is not allowed rules out its cut, and models depend on more than sizes."""
    costs, table = problem.costs, problem.rules.table
    if costs.by_rows or not costs.monotone or costs.suppressed < np.inf:
        return False
    more = False
    for rule in range(len(table)):
        more |= table[rule, KIND] != SIZE
    return more


@inner
def sum_values(grid: Grid, order: NDArray[np.int32], start: int, close: int, counts: NDArray[np.int64]) -> None:
    """Sum the counts of sensitive values of a box up to and including every slab of every attribute."""
    counts[:] = 0
    for at in range(start, close):
        atom = order[at]
        for place in range(grid.values_at[atom], grid.values_at[atom + 1]):
            value, count = grid.values[place, 0], grid.values[place, 1]
            for attribute in range(grid.cells.shape[1]):
                counts[grid.cells[atom, attribute], value] += count
    for attribute in range(grid.cells.shape[1]):
        for slab in range(grid.slabs[attribute] + 1, grid.slabs[attribute + 1]):
            for value in range(counts.shape[1]):
                counts[slab, value] += counts[slab - 1, value]


@inner
def judge_side(
    problem: Problem,
    counts: NDArray[np.int64],
    bounds: NDArray[np.int64],
    attribute: int,
    cut: int,
    right: bool,
    rows: int,
) -> int:
    """Classify a side of a cut, given the sums of its box and what the box spans."""
    costs, grid, table = problem.costs, problem.grid, problem.rules.table
    last = grid.slabs[attribute + 1] - 1
    histogram = np.empty(counts.shape[1], np.int64)
    for value in range(len(histogram)):
        histogram[value] = counts[last, value] - counts[cut, value] if right else counts[cut, value]
    # These bounds may be wider than the side itself, so it is ruled out only if even they are too short.
    lo, hi = bounds[0].copy(), bounds[1].copy()
    if right:
        lo[attribute] = max(lo[attribute], grid.edges[cut + 1, 0])
    else:
        hi[attribute] = min(hi[attribute], grid.edges[cut, 1])
    if not class_allowed(rows, histogram, lo, hi, problem.rules):
        return FORBIDDEN
    if costs.spread > 0 or costs.by_block:
        return UNKNOWN
    for rule in range(len(table)):
        if table[rule, KIND] == SPAN:
            return UNKNOWN
    return COSTS_ITS_SIZE
