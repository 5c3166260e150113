"""The expected number of released rows in the cells where rows of the original lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def expected_at(
    cells: NDArray[np.int64],
    shown: NDArray[np.int64],
    sizes: NDArray[np.float64],
    shares: NDArray[np.float64],
    begins: NDArray[np.int64],
    widths: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Compute the expected number of rows in every cell: the sum over all groups of their rows times their share in it.

    Consecutive cells share the groups that reach their common leading columns, so that each examines only a few groups.

    Parameters
    ----------
    cells
        A row per cell, sorted: the bin of every column.
    shown, sizes
        What every group shows in every column, and how many rows it has.
    shares, begins, widths
        The share of every shown cell in every bin, column after column; where each column begins, and its number of
        bins.
    """
    count, columns = cells.shape
    expected = np.zeros(count)
    reached = np.empty((columns + 1, len(sizes)), np.int64)
    weights = np.empty((columns + 1, len(sizes)))
    many = np.zeros(columns + 1, np.int64)
    many[0] = len(sizes)
    for group in range(len(sizes)):
        reached[0, group], weights[0, group] = group, sizes[group]
    for cell in range(count):
        begin = 0
        while cell and begin < columns - 1 and cells[cell, begin] == cells[cell - 1, begin]:
            begin += 1
        for column in range(begin, columns):
            place, width, found = begins[column] + cells[cell, column], widths[column], 0
            for at in range(many[column]):
                group = reached[column, at]
                share = shares[place + shown[group, column] * width]
                if share > 0.0:
                    reached[column + 1, found] = group
                    weights[column + 1, found] = weights[column, at] * share
                    found += 1
            many[column + 1] = found
        expected[cell] = weights[columns, : many[columns]].sum()
    return expected
