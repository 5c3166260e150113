"""Peel one full-domain node: release every row whose cell is allowed; the others wait for a coarser node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.rules import Rules, class_allowed, clear, counts_values, limits_spans

#: The columns of ``Cells.tuples``: a tuple's cell, and the next tuple of the same cell.
CELL, NEXT = 0, 1

#: The columns of ``Cells.table``: the key of a cell, and its rows.
KEY, ROWS = 0, 1

#: No row.
NONE = -1


class TupleCounts(NamedTuple):
    """The frequency set.

    Attributes
    ----------
    codes, counts
        The distinct rows of codes and how often each occurs.
    sensitive, begins
        The sensitive codes of all rows sorted by tuple, and where those of each tuple begin.
    """

    codes: NDArray[np.unsignedinteger]
    counts: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    begins: NDArray[np.int64]


class NodeCells(NamedTuple):
    """Scratch for the cells of a node: a hash table of keys and row counts, the first tuple of each cell, and links.

    The key and the count of a cell lie side by side, because the table is larger than the processor's cache.
    """

    table: NDArray[np.int64]
    first: NDArray[np.int32]
    tuples: NDArray[np.int32]


@kernel
def peel_node(
    frequencies: TupleCounts,
    rules: Rules,
    smallest: int,
    hashes: NDArray[np.uint64],
    at: NDArray[np.int64],
    waiting: NDArray[np.int32],
    of_tuple: NDArray[np.int32],
    classes: int,
    cells: NodeCells,
) -> tuple[int, int]:
    """Make a class of every allowed cell of a node.

    A code ``c`` of attribute ``a`` falls into the group that ``hashes[at[a] + c]`` stands for. Tuples that got a class
    leave ``waiting``, which keeps its order. Return the number of classes and of waiting tuples.
    """
    size = 64
    while size < 2 * len(waiting):
        size *= 2
    for cell in range(size):
        cells.table[cell, ROWS] = 0
    only_size = not (counts_values(rules) or limits_spans(rules))
    sort_into_cells(frequencies, hashes, at, waiting, cells, size - 1, not only_size)
    bounds = np.empty((2, frequencies.codes.shape[1]), np.int64)
    histogram = np.zeros(max(1, rules.counts_at[-1]), np.int64)
    left = 0
    for place in range(len(waiting)):
        cell = cells.tuples[place, CELL]
        rows = cells.table[cell, ROWS]
        if rows >= smallest:
            # The count of rows is replaced by the decision: below 0 the class, 0 for a refused cell.
            allowed = only_size or cell_allowed(frequencies, rules, waiting, cells, cell, bounds, histogram)
            cells.table[cell, ROWS] = -1 - classes if allowed else 0
            classes += allowed
            rows = cells.table[cell, ROWS]
        if rows < 0:
            of_tuple[waiting[place]] = -1 - rows
        else:
            waiting[left] = waiting[place]
            left += 1
    return classes, left


@inner
def sort_into_cells(
    frequencies: TupleCounts,
    hashes: NDArray[np.uint64],
    at: NDArray[np.int64],
    waiting: NDArray[np.int32],
    cells: NodeCells,
    mask: int,
    list_tuples: bool,
) -> None:
    """Find the cell of every waiting tuple, count the rows of every cell, and optionally list its tuples."""
    codes = frequencies.codes
    for place in range(len(waiting)):
        entry = waiting[place]
        key = np.uint64(0)
        for attribute in range(codes.shape[1]):
            key += hashes[at[attribute] + codes[entry, attribute]]
        cell = np.int64(key >> np.uint64(20)) & mask
        name = np.int64(key)
        while cells.table[cell, ROWS] > 0 and cells.table[cell, KEY] != name:
            cell = (cell + 1) & mask
        if list_tuples:
            cells.tuples[place, NEXT] = cells.first[cell] if cells.table[cell, ROWS] else NONE
            cells.first[cell] = place
        cells.tuples[place, CELL] = cell
        cells.table[cell, KEY] = name
        cells.table[cell, ROWS] += frequencies.counts[entry]


@inner
def cell_allowed(
    frequencies: TupleCounts,
    rules: Rules,
    waiting: NDArray[np.int32],
    cells: NodeCells,
    cell: int,
    bounds: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> bool:
    """Whether the rows of a cell keep every rule as a class.

    A cell is judged when its first tuple is processed. Tuples that keep waiting move to the front of ``waiting``, but
    never past the current one, so all tuples of the cell are still in place.
    """
    clear(histogram)
    place = cells.first[cell]
    begun = False
    while place != NONE:
        entry = waiting[place]
        for attribute in range(bounds.shape[1]):
            code = np.int64(frequencies.codes[entry, attribute])
            bounds[0, attribute] = min(bounds[0, attribute], code) if begun else code
            bounds[1, attribute] = max(bounds[1, attribute], code) if begun else code
        begun = True
        for row in range(frequencies.begins[entry], frequencies.begins[entry + 1]):
            for column in range(frequencies.sensitive.shape[1]):
                histogram[rules.counts_at[column] + frequencies.sensitive[row, column]] += 1
        place = cells.tuples[place, NEXT]
    return class_allowed(cells.table[cell, ROWS], histogram, bounds[0], bounds[1], rules)
