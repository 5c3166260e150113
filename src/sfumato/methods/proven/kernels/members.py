"""Which rows lie in a box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def box_members(
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    members: NDArray[np.int64],
) -> int:
    """Write the distinct rows inside a box that still occur, in their order; return how many there are."""
    found = 0
    for row in range(len(codes)):
        if counts[row] == 0:
            continue
        inside = True
        for attribute in range(codes.shape[1]):
            if codes[row, attribute] < lo[attribute] or codes[row, attribute] > hi[attribute]:
                inside = False
                break
        if inside:
            members[found] = row
            found += 1
    return found
