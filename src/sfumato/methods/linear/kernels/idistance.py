"""The nearest centre of every row, for iDistance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def nearest_centres(
    codes: NDArray[np.unsignedinteger],
    positions: NDArray[np.float32],
    positions_at: NDArray[np.int64],
    centres: NDArray[np.float32],
    start: int,
    stop: int,
    nearest: NDArray[np.int32],
    distance: NDArray[np.float32],
) -> None:
    """Write the nearest centre of the rows ``start:stop``, and the squared distance to it.

    ``positions[positions_at[a] + c]`` is the position of code ``c`` of attribute ``a``; ``centres`` has one row per
    attribute and one column per centre, so that the inner loop vectorizes over centres.
    """
    squares = np.empty(centres.shape[1], np.float32)
    for row in range(start, stop):
        squares[:] = 0.0
        for attribute in range(codes.shape[1]):
            position = positions[positions_at[attribute] + codes[row, attribute]]
            places = centres[attribute]
            for centre in range(len(squares)):
                away = position - places[centre]
                squares[centre] += away * away
        best = 0
        for centre in range(1, len(squares)):
            if squares[centre] < squares[best]:
                best = centre
        nearest[row], distance[row] = best, squares[best]
