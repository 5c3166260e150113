"""Count the rows that match conditions, over groups of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def count_matches(
    cells: NDArray[np.int32],
    offsets: NDArray[np.int64],
    shares: NDArray[np.float64],
    surely: NDArray[np.bool_],
    possibly: NDArray[np.bool_],
    sizes: NDArray[np.int64],
) -> tuple[float, int, int]:
    """Compute the expected, least and largest number of rows that match all conditions.

    ``cells`` has one row per condition and one column per group of ``sizes`` rows; the matches of a condition begin at
    its entry of ``offsets``.
    """
    expected, least, most = 0.0, 0, 0
    for group in range(len(sizes)):
        share, sure, possible = 1.0, True, True
        for at in range(len(cells)):
            cell = offsets[at] + cells[at, group]
            if not possibly[cell]:
                possible = False
                break
            share *= shares[cell]
            sure = sure and surely[cell]
        if possible:
            expected += share * sizes[group]
            most += sizes[group]
            if sure:
                least += sizes[group]
    return expected, least, most
