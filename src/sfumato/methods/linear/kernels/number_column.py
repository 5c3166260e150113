"""The true optimum for a single numeric attribute, in which a class may surround others.

Runs of neighbours are not always best: of the values 0, 50, 50, 50, 100 with k = 2, the class {0, 100} around
{50, 50, 50} loses 2, the best runs lose 2.5. Two classes whose intervals cross can exchange rows until they no longer
do, and neither loses more than before; so some optimum has only classes that lie side by side, or one wholly in a gap
of the other. A dynamic program over all stretches of rows finds it, which is affordable for small tables.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.spans import Spans, span_cost


@kernel
def cheapest_partition(codes: NDArray[np.int64], k: int, spans: Spans) -> tuple[float, NDArray[np.int32]]:
    """Find the least loss of all partitions of sorted codes into classes of at least k, and the class of every row."""
    rows = len(codes)
    most = 2 * k
    # least[i, j]: the least loss of the rows i:j alone; closed[i, j]: the last row and the size of the class of row i.
    least = np.full((rows + 2, rows + 2), np.inf)
    closed = np.zeros((rows + 1, rows + 1, 2), np.int32)
    before = np.zeros((rows + 1, rows + 1, most), np.int32)
    for row in range(rows + 2):
        least[row, row] = 0.0
    for first in range(rows - 1, -1, -1):
        inside = losses_inside(least, first, rows, most, before[first])
        for stop in range(first + k, rows + 1):
            for last in range(first + k - 1, stop):
                if least[last + 1, stop] == np.inf:
                    continue
                penalty = spans.weight[0] * span_cost(spans, 0, codes[first], codes[last])
                for size in range(k, most):
                    total = inside[last, size] + size * penalty + least[last + 1, stop]
                    if total < least[first, stop]:
                        least[first, stop] = total
                        closed[first, stop, 0], closed[first, stop, 1] = last, size
    return least[0, rows], classes_of(closed, before, rows)


@inner
def losses_inside(
    least: NDArray[np.float64], first: int, rows: int, most: int, before: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Find the least loss in the gaps of a class that begins at ``first``, by its last row and its size so far."""
    inside = np.full((rows, most), np.inf)
    inside[first, 1] = 0.0
    for last in range(first + 1, rows):
        for member in range(first, last):
            gap = least[member + 1, last]
            if gap == np.inf:
                continue
            for size in range(2, most):
                if inside[member, size - 1] + gap < inside[last, size]:
                    inside[last, size] = inside[member, size - 1] + gap
                    before[last, size] = member
    return inside


@inner
def classes_of(closed: NDArray[np.int32], before: NDArray[np.int32], rows: int) -> NDArray[np.int32]:
    """Trace the choices back from the whole table."""
    classes = np.zeros(rows, np.int32)
    waiting = np.empty((2 * rows + 2, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, rows
    count, group = 1, np.int32(0)
    while count:
        count -= 1
        first, stop = waiting[count, 0], waiting[count, 1]
        if first >= stop:
            continue
        member, size = np.int64(closed[first, stop, 0]), np.int64(closed[first, stop, 1])
        waiting[count, 0], waiting[count, 1] = member + 1, stop
        count += 1
        classes[member] = group
        while size > 1:
            earlier = np.int64(before[first, member, size])
            waiting[count, 0], waiting[count, 1] = earlier + 1, member
            count += 1
            member, size = earlier, size - 1
            classes[member] = group
        group += 1
    return classes
