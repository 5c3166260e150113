"""Where strict Mondrian cuts a part of which only counts are known: the same choice as with its rows at hand."""

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
    """Return attribute and code of the cut, and how many rows lie below; the attribute -1 where none is allowed.

    Parameters
    ----------
    cells, begins
        For every attribute, from its beginning on, how many rows have each code, by each sensitive value.
    columns, values
        How often a row is counted, once for every sensitive column, and how many values these have together; 1 and 1
        where no rule looks at any.
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
        # As with rows: the median's own may go to either side, the more even cut first.
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
    """Return how many rows have each code or a smaller one."""
    upto = np.empty(len(cells) // values, np.int64)
    total = np.int64(0)
    for code in range(len(upto)):
        total += cells[code * values : (code + 1) * values].sum()
        upto[code] = total // columns
    return upto


@inner
def _sides_allowed(cells: NDArray[np.int64], code: int, below: int, rows: int, values: int, rules: Rules) -> bool:
    """Return whether both sides of a cut keep every rule."""
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
