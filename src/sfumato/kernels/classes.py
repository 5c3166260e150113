"""One pass over the rows: how large the classes are and what they span."""

from __future__ import annotations

from functools import cache
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import kernel


@kernel
def class_bounds(
    codes: NDArray[np.unsignedinteger], of_row: NDArray[np.int32], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the size of every class and the smallest and largest code that it holds of every attribute."""
    rows, attributes = codes.shape
    sizes = np.zeros(classes, np.int64)
    lo = np.zeros((classes, attributes), np.int64)
    hi = np.zeros((classes, attributes), np.int64)
    for row in range(rows):
        group = of_row[row]
        if group < 0:
            continue
        if sizes[group] == 0:
            for attribute in range(attributes):
                lo[group, attribute] = hi[group, attribute] = codes[row, attribute]
        else:
            for attribute in range(attributes):
                code = np.int64(codes[row, attribute])
                lo[group, attribute] = min(lo[group, attribute], code)
                hi[group, attribute] = max(hi[group, attribute], code)
        sizes[group] += 1
    return sizes, lo, hi


@cache
def get_ready() -> None:
    """Call the first kernel of every request beside other work, once: what a first call has to load takes a while."""
    Thread(target=class_bounds, args=(np.empty((0, 1), np.uint8), np.empty(0, np.int32), 0)).start()
