"""Boxes of grid cells: what a search over cuts of a table asks about them.

The rows of a table that lie in the same cell of the grid of all cuts can never be told apart, so they are one *atom*.
A box is a stretch of the array of atoms; cutting it moves atoms, so that each side is a stretch again. One pass over
a box sums, for every slab of every attribute, all that is needed to know both sides of every cut at once: their rows,
their floors, and the sum of their atoms' random words, which names the set of rows whatever box it was found in.
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
        The slab of every atom in every attribute, counted over all attributes: a cut has the number of the last slab
        on its left.
    slabs
        Where the slabs of each attribute begin.
    edges
        The first and the last code of every slab.
    rows
        How many rows each atom holds.
    floors
        What the rows of each atom cost at least in any allowed class.
    words
        Two random words per atom.
    codes
        The smallest and the largest code of every atom in every attribute.
    values_at, values
        The sensitive values of every atom, as places in the flat histogram, with their counts.
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
    """What a class costs, and what is known about that without looking at it.

    Attributes
    ----------
    by_size
        What a class of each size costs, spans left aside.
    floor
        What so many rows cost at least, however they are cut into classes.
    spread
        What a row costs whose class tells nothing; in between, in proportion to the class's penalty.
    suppressed
        What a row costs that is left out; infinite where none may be.
    gap
        How far above the bound an answer may stay, as a share.
    smallest
        A size below which no class is allowed.
    by_rows
        Whether the size alone decides what a class costs and whether it is allowed.
    by_block
        Whether a class costs more than all this, which nobody but a caller in Python can say.
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
    """A table on its grid, what classes cost, what they must keep, and what they cost by what they span."""

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
    """Sum the atoms of a box up to and including every slab of every attribute: what lies left of the cut after it.

    The floors go to the first column of ``sides``.
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
    """Return the smallest and the largest code of a box in every attribute."""
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
    """Return what a box costs as one class; infinite if it may not be one."""
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
    """Return what a class costs, given what it holds and spans; infinite if it is not allowed."""
    costs = problem.costs
    if not class_allowed(rows, histogram, bounds[0], bounds[1], problem.rules):
        return np.inf
    penalty = box_penalty(problem.spans, bounds) if costs.spread > 0 else 0.0
    return costs.by_size[rows] + costs.spread * rows * penalty


@inner
def narrowed(problem: Problem, bounds: NDArray[np.int64], attribute: int, cut: int, left: int, right: int) -> float:
    """Return what both sides of a cut cost by their spans if they are narrower in the attribute of the cut alone."""
    spans, edges = problem.spans, problem.grid.edges
    lo, hi = bounds[0, attribute], bounds[1, attribute]
    whole = span_cost(spans, attribute, lo, hi)
    saved = left * (whole - span_cost(spans, attribute, lo, edges[cut, 1]))
    saved += right * (whole - span_cost(spans, attribute, edges[cut + 1, 0], hi))
    return problem.costs.spread * ((left + right) * box_penalty(spans, bounds) - spans.weight[attribute] * saved)


@inner
def move_left(grid: Grid, order: NDArray[np.int32], start: int, close: int, cut: int) -> int:
    """Move the atoms on the left of a cut to the front of a box; return where the others begin."""
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
    """Return the attribute that a cut belongs to."""
    attribute = 0
    while grid.slabs[attribute + 1] <= cut:
        attribute += 1
    return attribute
