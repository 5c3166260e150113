"""The best of all partitions of a few rows, some of them equal.

Rows of one kind are interchangeable, so a set of rows is given by how many rows of each kind it has: the digits of a
number in a mixed radix system, with one digit per kind.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def cheapest_multisets(
    costs: NDArray[np.float64], counts: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Find the least cost of dividing every set of rows into classes, and the class that holds its first kind.

    Parameters
    ----------
    costs
        What every set costs as a class, infinite if it is not allowed as one.
    counts
        How many rows each kind has.
    places
        What a row of each kind adds to the number of a set: the product of all bases before its own.
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
        # Some class holds a row of the first kind: try all subsets that do.
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
