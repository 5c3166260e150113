"""The best partition of a few rows, some of them equal, over all partitions that there are.

Rows of one kind are not told apart, so a set of rows is how many there are of every kind, as the digits of a number in
which every digit has a base of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def cheapest_multisets(
    costs: NDArray[np.float64], counts: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the least cost of dividing every set of rows into classes, and the class of it with its first kind.

    Parameters
    ----------
    costs
        What every set costs as a class, infinite if it must not be one.
    counts
        How many rows there are of every kind.
    places
        What a row of every kind adds to the number of a set: the product of all bases before its own.
    """
    kinds = len(counts)
    best = np.full(len(costs), np.inf)
    taken = np.zeros(len(costs), np.int64)
    best[0] = 0.0
    whole, part = np.zeros(kinds, np.int64), np.zeros(kinds, np.int64)
    for number in range(1, len(costs)):
        first = -1
        for kind in range(kinds):
            whole[kind] = number // places[kind] % (counts[kind] + 1)
            if first < 0 and whole[kind]:
                first = kind
        # Some class holds a row of the first kind: try all parts that do.
        part[:] = 0
        part[first] = 1
        chosen = places[first]
        while True:
            total = costs[chosen] + best[number - chosen]
            if total < best[number]:
                best[number], taken[number] = total, chosen
            kind = first
            while kind < kinds and part[kind] == whole[kind]:
                least = 1 if kind == first else 0
                chosen -= (part[kind] - least) * places[kind]
                part[kind] = least
                kind += 1
            if kind == kinds:
                break
            part[kind] += 1
            chosen += places[kind]
    return best, taken
