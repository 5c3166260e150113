"""Boxes of a lattice that is stored as an array with one cell per node, the last attribute varying fastest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel


@kernel
def fill_box(status: NDArray[np.int8], shape: NDArray[np.int64], bounds: NDArray[np.int64], value: int) -> None:
    """Set every node from ``bounds[0]`` to ``bounds[1]``."""
    node = bounds[0].copy()
    width = bounds[1, -1] - bounds[0, -1] + 1
    going = True
    while going:
        start = place(node, shape)
        status[start : start + width] = value
        going = advance(node, bounds, len(node) - 1)


@kernel
def open_box(
    status: NDArray[np.int8], shape: NDArray[np.int64], bounds: NDArray[np.int64], value: int
) -> NDArray[np.int64]:
    """Find the smallest box around all nodes of a box with a given status; inverted bounds if there are none."""
    found = bounds[::-1].copy()
    found[0] += 1
    node = bounds[0].copy()
    last = len(node) - 1
    width = bounds[1, last] - bounds[0, last] + 1
    going = True
    while going:
        start = place(node, shape)
        for step in range(width):
            if status[start + step] == value:
                for at in range(last):
                    found[0, at] = min(found[0, at], node[at])
                    found[1, at] = max(found[1, at], node[at])
                found[0, last] = min(found[0, last], bounds[0, last] + step)
                found[1, last] = max(found[1, last], bounds[0, last] + step)
        going = advance(node, bounds, last)
    return found


@inner
def place(node: NDArray[np.int64], shape: NDArray[np.int64]) -> int:
    """The index of a node in the array."""
    at = np.int64(0)
    for attribute in range(len(node)):
        at = at * shape[attribute] + node[attribute]
    return at


@inner
def advance(node: NDArray[np.int64], bounds: NDArray[np.int64], last: int) -> bool:
    """Move to the next node of a box, leaving the attribute ``last`` as it is; return whether there is one."""
    at = last - 1
    while at >= 0 and node[at] == bounds[1, at]:
        node[at] = bounds[0, at]
        at -= 1
    if at < 0:
        return False
    node[at] += 1
    return True
