"""Boxes of grid cells, and the operations that a search over cuts performs on them.

No cut separates rows in the same cell of the grid of all cuts, so they form one *atom*. A box is a stretch of the array
of atoms; cutting it moves atoms, so that each side is a stretch again. One pass over a box sums, for every slab of
every attribute, all that is needed to know both sides of every cut at once: their rows, their floors, and the sum of
their atoms' random words, which identifies the set of rows independently of the box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner
from sfumato.table.kernels.rules import Rules, class_allowed
from sfumato.table.kernels.spans import Spans, box_penalty, span_cost


class Grid(NamedTuple):
    """The atoms of a table, and the slabs between its cuts.

    Attributes
    ----------
    cells
        The slab of every atom in every attribute, numbered over all attributes: a cut has the number of the last slab
        on its left.
    slabs
        Where the slabs of each attribute begin.
    edges
        The first and the last code of every slab.
    rows
        The number of rows of each atom.
    floors
        A lower bound of the cost of the rows of each atom in any allowed class.
    words
        Two random words per atom.
    codes
        The smallest and the largest code of every atom in every attribute.
    values_at, values
        The sensitive values of every atom, as indices of the flat histogram, with their counts.
    """

    cells: NDArray[np.int32]
    slabs: NDArray[np.int64]
    edges: NDArray[np.int64]
    rows: NDArray[np.int64]
    floors: NDArray[np.float64]
    words: NDArray[np.uint64]
    codes: NDArray[np.int32]
    values_at: NDArray[np.int64]
    values: NDArray[np.int64]


class BoxCosts(NamedTuple):
    """The cost of a class, and bounds that hold for any class.

    Attributes
    ----------
    by_size
        The cost of a class of each size, apart from its span.
    floor
        A lower bound of the cost of each number of rows, for any partition into classes.
    spread
        The cost of a row in a class that spans every domain; it scales with the penalty of the class.
    suppressed
        The cost of a row that is left out; infinite if none may be.
    gap
        The permitted gap between an answer and its bound, as a share.
    smallest
        The size below which no class is allowed.
    by_rows
        Whether both the cost of a class and whether it is allowed depend on its size alone.
    by_block
        Whether the cost has another part, which only the caller in Python can compute.
    monotone
        Whether merging allowed classes gives an allowed one.
    """

    by_size: NDArray[np.float64]
    floor: NDArray[np.float64]
    spread: float
    suppressed: float
    gap: float
    smallest: int
    by_rows: bool
    by_block: bool
    monotone: bool


class Problem(NamedTuple):
    """A table on its grid, the costs of classes, the rules they must satisfy, and the costs of spans."""

    grid: Grid
    costs: BoxCosts
    rules: Rules
    spans: Spans


@inner
def sum_slabs(
    grid: Grid,
    order: NDArray[np.int32],
    start: int,
    close: int,
    rows: NDArray[np.int64],
    words: NDArray[np.uint64],
    sides: NDArray[np.float64],
) -> None:
    """Sum the atoms of a box up to and including every slab of every attribute, which is the left side of that cut.

    The sums of floors are written to the first column of ``sides``.
    """
    rows[:] = 0
    words[:] = 0
    sides[:, 0] = 0.0
    for at in range(start, close):
        atom = order[at]
        size, floor = grid.rows[atom], grid.floors[atom]
        first, second = grid.words[atom, 0], grid.words[atom, 1]
        for attribute in range(grid.cells.shape[1]):
            slab = grid.cells[atom, attribute]
            rows[slab] += size
            words[slab, 0] += first
            words[slab, 1] += second
            sides[slab, 0] += floor
    for attribute in range(grid.cells.shape[1]):
        for slab in range(grid.slabs[attribute] + 1, grid.slabs[attribute + 1]):
            rows[slab] += rows[slab - 1]
            words[slab, 0] += words[slab - 1, 0]
            words[slab, 1] += words[slab - 1, 1]
            sides[slab, 0] += sides[slab - 1, 0]


@inner
def find_spans(grid: Grid, order: NDArray[np.int32], start: int, close: int) -> NDArray[np.int64]:
    """Find the smallest and the largest code of a box in every attribute."""
    attributes = grid.cells.shape[1]
    bounds = np.empty((2, attributes), np.int64)
    for attribute in range(attributes):
        bounds[0, attribute] = grid.codes[order[start], 0, attribute]
        bounds[1, attribute] = grid.codes[order[start], 1, attribute]
    for at in range(start + 1, close):
        for attribute in range(attributes):
            bounds[0, attribute] = min(bounds[0, attribute], grid.codes[order[at], 0, attribute])
            bounds[1, attribute] = max(bounds[1, attribute], grid.codes[order[at], 1, attribute])
    return bounds


@inner
def class_cost(problem: Problem, order: NDArray[np.int32], start: int, close: int, rows: int) -> float:
    """The cost of a box as one class; infinite if that is not allowed."""
    costs, grid = problem.costs, problem.grid
    if costs.by_rows or rows < costs.smallest:
        return costs.by_size[rows] if rows >= costs.smallest else np.inf
    bounds = find_spans(grid, order, start, close)
    histogram = np.zeros(max(1, problem.rules.counts_at[-1]), np.int64)
    if len(grid.values):
        for at in range(start, close):
            for place in range(grid.values_at[order[at]], grid.values_at[order[at] + 1]):
                histogram[grid.values[place, 0]] += grid.values[place, 1]
    return cost_of(problem, rows, bounds, histogram)


@inner
def cost_of(problem: Problem, rows: int, bounds: NDArray[np.int64], histogram: NDArray[np.int64]) -> float:
    """The cost of a class, given what it contains and spans; infinite if it is not allowed."""
    costs = problem.costs
    if not class_allowed(rows, histogram, bounds[0], bounds[1], problem.rules):
        return np.inf
    penalty = box_penalty(problem.spans, bounds) if costs.spread > 0 else 0.0
    return costs.by_size[rows] + costs.spread * rows * penalty


@inner
def narrowed(problem: Problem, bounds: NDArray[np.int64], attribute: int, cut: int, left: int, right: int) -> float:
    """Estimate the span costs of both sides of a cut, as if they became narrower only in the attribute of the cut."""
    spans, edges = problem.spans, problem.grid.edges
    lo, hi = bounds[0, attribute], bounds[1, attribute]
    whole = span_cost(spans, attribute, lo, hi)
    saved = left * (whole - span_cost(spans, attribute, lo, edges[cut, 1]))
    saved += right * (whole - span_cost(spans, attribute, edges[cut + 1, 0], hi))
    return problem.costs.spread * ((left + right) * box_penalty(spans, bounds) - spans.weight[attribute] * saved)


@inner
def move_left(grid: Grid, order: NDArray[np.int32], start: int, close: int, cut: int) -> int:
    """Move the atoms on the left of a cut to the front of a box; return where the right side begins."""
    attribute = attribute_of(grid, cut)
    left, right = start, close - 1
    while True:
        while left <= right and grid.cells[order[left], attribute] <= cut:
            left += 1
        while left <= right and grid.cells[order[right], attribute] > cut:
            right -= 1
        if left > right:
            return left
        order[left], order[right] = order[right], order[left]
        left += 1
        right -= 1


@inner
def attribute_of(grid: Grid, cut: int) -> int:
    """The attribute of a cut."""
    attribute = 0
    while grid.slabs[attribute + 1] <= cut:
        attribute += 1
    return attribute
