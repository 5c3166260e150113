"""Deal rows into groups in which no value occurs twice, in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def deal(counts: NDArray[np.int64], order: NDArray[np.int64], take: int, group: NDArray[np.int64]) -> int:
    """Deal groups of one row from each of the ``take`` fullest buckets while that many hold rows; return how many.

    Parameters
    ----------
    counts
        The number of rows in every bucket; what remains is written back.
    order
        The buckets from the fullest to the emptiest. The order is maintained: a bucket that loses a row is swapped with
        the last one that was as full.
    take
        The number of rows in a group.
    group
        The output: the group of every row, bucket by bucket; remaining rows keep their entry. The rows of a bucket are
        dealt from its last to its first.
    """
    buckets = len(counts)
    begins = np.zeros(buckets + 1, np.int64)
    for bucket in range(buckets):
        begins[bucket + 1] = begins[bucket] + counts[bucket]
    place = np.empty(buckets, np.int64)
    # at_least[n]: the number of buckets with n rows or more; the last bucket with n rows is at place at_least[n] - 1.
    at_least = np.zeros(counts.max() + 2, np.int64)
    for at in range(buckets):
        place[order[at]] = at
        at_least[counts[order[at]]] += 1
    for fill in range(len(at_least) - 2, -1, -1):
        at_least[fill] += at_least[fill + 1]
    fullest = np.empty(take, np.int64)
    groups = 0
    while at_least[1] >= take:
        fullest[:] = order[:take]
        for at in range(take):
            bucket = fullest[at]
            fill = counts[bucket]
            last = at_least[fill] - 1
            other = order[last]
            order[place[bucket]], place[other] = other, place[bucket]
            order[last], place[bucket] = bucket, last
            at_least[fill] -= 1
            counts[bucket] = fill - 1
            group[begins[bucket] + fill - 1] = groups
        groups += 1
    return groups
