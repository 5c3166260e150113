"""The cut that strict Mondrian makes, found from counts alone: the same as from the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.multidim.kernels.mondrian import median_child
from sfumato.table.kernels.rules import Rules, class_allowed
from sfumato.table.kernels.spans import Spans, is_tree, span_cost


@kernel
def counted_cut(
    cells: NDArray[np.int64],
    begins: NDArray[np.int64],
    columns: int,
    values: int,
    spans: Spans,
    rules: Rules,
    smallest: int,
    along_taxonomy: bool,
) -> tuple[int, int, int]:
    """Find the attribute and the code of the cut, and the number of rows below it; attribute -1 if no cut is allowed.

    Parameters
    ----------
    cells, begins
        The number of rows with each code and each sensitive value; the counts of an attribute start at its ``begins``.
    columns, values
        How often a row is counted, once per sensitive column, and how many values these have together; 1 and 1 if no
        rule depends on sensitive values.
    """
    attributes = len(begins) - 1
    rows = cells[begins[0] : begins[1]].sum() // columns
    if rows < 2 * smallest:
        return -1, 0, 0
    widths = np.empty(attributes)
    lows, highs = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    for attribute in range(attributes):
        upto = _running(cells[begins[attribute] : begins[attribute + 1]], values, columns)
        lo, hi = np.searchsorted(upto, 1), np.searchsorted(upto, rows)
        lows[attribute], highs[attribute] = lo, hi
        widths[attribute] = span_cost(spans, attribute, lo, hi) * spans.weight[attribute] if lo < hi else -1.0
    for _ in range(attributes):
        attribute = np.int64(np.argmax(widths))
        if widths[attribute] < 0:
            break
        own = cells[begins[attribute] : begins[attribute + 1]]
        upto = _running(own, values, columns)
        half = (rows + 1) // 2
        first = last = np.int64(np.searchsorted(upto, half))
        if along_taxonomy and is_tree(spans, attribute):
            first, last = median_child(spans, attribute, lows[attribute], highs[attribute], first)
        below = upto[first - 1] if first else np.int64(0)
        # As with rows, the rows at the median may go to either side; the more even cut is tried first.
        before = abs(below - half) <= abs(upto[last] - half)
        for _ in range(2):
            code, left = (first, below) if before else (last + 1, upto[last])
            if min(left, rows - left) >= smallest and _sides_allowed(own, code, left, rows, values, rules):
                return attribute, code, left
            before = not before
        widths[attribute] = -1.0
    return -1, 0, 0


@inner
def _running(cells: NDArray[np.int64], values: int, columns: int) -> NDArray[np.int64]:
    """Count the rows with each code or a smaller one."""
    upto = np.empty(len(cells) // values, np.int64)
    total = np.int64(0)
    for code in range(len(upto)):
        total += cells[code * values : (code + 1) * values].sum()
        upto[code] = total // columns
    return upto


@inner
def _sides_allowed(cells: NDArray[np.int64], code: int, below: int, rows: int, values: int, rules: Rules) -> bool:
    """Whether both sides of a cut satisfy every rule."""
    nothing = np.empty(0, np.int64)
    for side in range(2):
        histogram = np.zeros(values, np.int64)
        start, stop = (0, code) if side == 0 else (code, len(cells) // values)
        for own in range(start, stop):
            for value in range(values):
                histogram[value] += cells[own * values + value]
        if not class_allowed(below if side == 0 else rows - below, histogram, nothing, nothing, rules):
            return False
    return True
