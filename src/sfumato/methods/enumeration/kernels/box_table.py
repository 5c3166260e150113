"""A dynamic program over all boxes of a small grid, from single cells to the whole.

An interval of slabs ``lo..hi`` has the number ``hi (hi + 1) / 2 + hi - lo``, which is larger than that of every
interval within it. The number of a box combines the numbers of its intervals, so boxes in ascending order find their
parts already solved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.enumeration.kernels.box_memo import LEFT_OUT, WHOLE
from sfumato.methods.enumeration.kernels.boxes import Grid, Problem, cost_of


class BoxTable(NamedTuple):
    """All boxes of a grid, by their numbers.

    Attributes
    ----------
    strides
        The difference between the numbers of boxes whose intervals of an attribute have consecutive numbers.
    rows
        The number of rows of each box.
    bounds
        Its smallest and largest code of every attribute; empty if only sizes matter.
    counts
        Its counts of sensitive values; empty if they do not matter.
    values
        The cost of its best partition.
    cuts
        The first cut of that partition.
    """

    strides: NDArray[np.int64]
    rows: NDArray[np.int32]
    bounds: NDArray[np.int32]
    counts: NDArray[np.int32]
    values: NDArray[np.float64]
    cuts: NDArray[np.int32]


def box_count(slabs: NDArray[np.int64]) -> int:
    """The number of boxes of a grid."""
    count = 1
    for width in np.diff(slabs).tolist():
        count *= width * (width + 1) // 2
    return count


def box_work(slabs: NDArray[np.int64]) -> float:
    """The number of cuts of all boxes of a grid."""
    # A random interval of w slabs has (w - 1) / 3 cuts on average.
    return box_count(slabs) * float((np.diff(slabs) + 2).sum()) / 3


def box_bytes(attributes: int, values: int, by_rows: bool) -> int:
    """The memory of each box."""
    return 16 + (0 if by_rows else 8 * attributes + 4 * values)


def empty_table(grid: Grid, values: int, by_rows: bool) -> BoxTable:
    """Create a table for all boxes of a grid, in which only the single cells are filled."""
    widths = np.diff(grid.slabs)
    intervals = widths * (widths + 1) // 2
    strides = np.append(1, np.cumprod(intervals[:-1]))
    boxes = int(box_count(grid.slabs))
    described = 0 if by_rows else boxes
    table = BoxTable(
        strides,
        np.zeros(boxes, np.int32),
        np.empty((described, 2, len(widths)), np.int32),
        np.zeros((described, values), np.int32),
        np.empty(boxes),
        np.empty(boxes, np.int32),
    )
    fill_cells(grid, table)
    return table


@kernel
def fill_cells(grid: Grid, table: BoxTable) -> None:
    """Enter the atoms as boxes of a single cell."""
    for atom in range(len(grid.rows)):
        box = 0
        for attribute in range(grid.cells.shape[1]):
            slab = grid.cells[atom, attribute] - grid.slabs[attribute]
            box += table.strides[attribute] * (slab * (slab + 1) // 2)
        table.rows[box] = grid.rows[atom]
        if len(table.bounds):
            table.bounds[box] = grid.codes[atom]
            for place in range(grid.values_at[atom], grid.values_at[atom + 1]):
                table.counts[box, grid.values[place, 0]] = grid.values[place, 1]


@kernel
def describe_boxes(grid: Grid, table: BoxTable, first: int, end: int) -> None:
    """Compute what the boxes ``first..end - 1`` contain and span; all boxes before them must be described already."""
    attributes = len(grid.slabs) - 1
    lo, hi = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    place_box(table, grid.slabs, first, lo, hi)
    for box in range(first, end):
        join_parts(table, box, lo, hi)
        next_box(grid.slabs, lo, hi)


@kernel
def solve_boxes(problem: Problem, table: BoxTable, first: int, end: int, more: NDArray[np.float64]) -> None:
    """Solve the boxes ``first..end - 1``; all boxes before them must be solved already.

    ``more`` is the part of each box's cost that only Python can compute; empty if there is none.
    """
    slabs = problem.grid.slabs
    attributes = len(slabs) - 1
    lo, hi = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    place_box(table, slabs, first, lo, hi)
    bounds = np.zeros((2, attributes), np.int64)
    histogram = np.zeros(table.counts.shape[1], np.int64)
    costs = problem.costs
    for box in range(first, end):
        join_parts(table, box, lo, hi)
        rows = table.rows[box]
        value, cut = 0.0, WHOLE
        if rows:
            value = np.inf
            if costs.by_rows:
                value = costs.by_size[rows] if rows >= costs.smallest else np.inf
            elif rows >= costs.smallest:
                for attribute in range(attributes):
                    bounds[0, attribute] = table.bounds[box, 0, attribute]
                    bounds[1, attribute] = table.bounds[box, 1, attribute]
                histogram[:] = table.counts[box]
                value = cost_of(problem, rows, bounds, histogram)
                if len(more):
                    value += more[box - first]
            if rows * costs.suppressed < value:
                value, cut = rows * costs.suppressed, LEFT_OUT
            # A box that is not allowed under monotone rules, or too small for two classes, cannot be cut.
            if costs.suppressed < np.inf or (rows >= 2 * costs.smallest and (value < np.inf or not costs.monotone)):
                value, cut = best_cut(table, slabs, box, lo, hi, value, cut)
        table.values[box], table.cuts[box] = value, cut
        next_box(slabs, lo, hi)


@inner
def best_cut(
    table: BoxTable,
    slabs: NDArray[np.int64],
    box: int,
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    value: float,
    cut: int,
) -> tuple[float, int]:
    """Find the best cut of a box: the cost of the resulting partition and the cut, unless the given ones are better."""
    for attribute in range(len(lo)):
        begin, last, stride = lo[attribute], hi[attribute], table.strides[attribute]
        whole = interval(begin, last)
        for slab in range(begin, last):
            left = box - (whole - interval(begin, slab)) * stride
            right = box - (whole - interval(slab + 1, last)) * stride
            both = table.values[left] + table.values[right]
            if both < value:
                value, cut = both, slabs[attribute] + slab
    return value, cut


@inner
def interval(lo: int, hi: int) -> int:
    """The number of an interval of slabs."""
    return hi * (hi + 1) // 2 + hi - lo


@inner
def join_parts(table: BoxTable, box: int, lo: NDArray[np.int64], hi: NDArray[np.int64]) -> None:
    """Describe a box by two of its parts: its last slab in some attribute, and the rest."""
    for attribute in range(len(lo)):
        begin, last, stride = lo[attribute], hi[attribute], table.strides[attribute]
        if begin == last:
            continue
        whole = interval(begin, last)
        left = box - (whole - interval(begin, last - 1)) * stride
        right = box - (whole - interval(last, last)) * stride
        table.rows[box] = table.rows[left] + table.rows[right]
        if len(table.bounds):
            join_descriptions(table, box, left, right)
        return


@inner
def join_descriptions(table: BoxTable, box: int, left: int, right: int) -> None:
    """Compute what a box spans and contains from two parts, either of which may be empty."""
    if not table.rows[left] or not table.rows[right]:
        part = left if table.rows[left] else right
        table.bounds[box] = table.bounds[part]
        table.counts[box] = table.counts[part]
        return
    for attribute in range(table.bounds.shape[2]):
        table.bounds[box, 0, attribute] = min(table.bounds[left, 0, attribute], table.bounds[right, 0, attribute])
        table.bounds[box, 1, attribute] = max(table.bounds[left, 1, attribute], table.bounds[right, 1, attribute])
    for value in range(table.counts.shape[1]):
        table.counts[box, value] = table.counts[left, value] + table.counts[right, value]


@inner
def next_box(slabs: NDArray[np.int64], lo: NDArray[np.int64], hi: NDArray[np.int64]) -> None:
    """Step to the next box in the order of numbers."""
    for attribute in range(len(lo)):
        if lo[attribute] > 0:
            lo[attribute] -= 1
            return
        hi[attribute] += 1
        lo[attribute] = hi[attribute]
        if hi[attribute] < slabs[attribute + 1] - slabs[attribute]:
            return
        lo[attribute] = hi[attribute] = 0


@inner
def place_box(
    table: BoxTable, slabs: NDArray[np.int64], box: int, lo: NDArray[np.int64], hi: NDArray[np.int64]
) -> None:
    """Recover the intervals of a box from its number."""
    for attribute in range(len(lo) - 1, -1, -1):
        number = box // table.strides[attribute]
        box -= number * table.strides[attribute]
        last = 0
        while (last + 1) * (last + 2) // 2 <= number:
            last += 1
        lo[attribute], hi[attribute] = last - (number - last * (last + 1) // 2), last


@kernel
def table_blocks(grid: Grid, table: BoxTable) -> NDArray[np.int32]:
    """Find the block of every atom in the best partition of the whole grid, -1 if its rows are left out."""
    attributes = len(grid.slabs) - 1
    blocks = np.empty(len(grid.rows), np.int32)
    lo, hi = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    # Each box on the stack but one was cut off along one of the cuts of the grid, which limits the stack.
    waiting = np.empty(2 * grid.slabs[-1] + 2, np.int64)
    waiting[0] = len(table.values) - 1
    count, block = 1, 0
    while count:
        count -= 1
        box = waiting[count]
        place_box(table, grid.slabs, box, lo, hi)
        cut = table.cuts[box]
        if cut >= 0:
            attribute = 0
            while grid.slabs[attribute + 1] <= cut:
                attribute += 1
            slab, stride = cut - grid.slabs[attribute], table.strides[attribute]
            whole = interval(lo[attribute], hi[attribute])
            waiting[count] = box - (whole - interval(lo[attribute], slab)) * stride
            waiting[count + 1] = box - (whole - interval(slab + 1, hi[attribute])) * stride
            count += 2
        elif table.rows[box]:
            for atom in range(len(grid.rows)):
                inside = True
                for attribute in range(attributes):
                    slab = grid.cells[atom, attribute] - grid.slabs[attribute]
                    inside &= lo[attribute] <= slab <= hi[attribute]
                if inside:
                    blocks[atom] = -1 if cut == LEFT_OUT else block
            block += cut != LEFT_OUT
    return blocks
