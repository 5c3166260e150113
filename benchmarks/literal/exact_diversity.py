"""The best l-diverse partition of a few rows on a line, to see how far the heuristics are off.

Two ways: over all sets of rows (some sixteen rows), and over all boundaries between the queues of sensitive values (few
values, some dozens of rows), which is what the lemmas of the fast-anonymization paper promise to be enough.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel

#: More rows than that have too many sets.
MOST_ROWS = 16

#: What is least: the sum over rows of what their group spans (GCP), or the widest group (the paper's simpler measure).
MEASURES = ("sum", "widest")


def least_loss(values: NDArray[np.integer], places: NDArray[np.float64], l: int, measure: str = "sum") -> float:  # noqa: E741
    """The least loss of all partitions into groups in which no value has more than one row in l.

    Parameters
    ----------
    values, places
        The sensitive value of every row and where it lies, in rising order.
    l
        How diverse groups must be.
    measure
        One of `MEASURES`.
    """
    assert len(values) <= MOST_ROWS
    numbered = np.unique(values, return_inverse=True)[1].astype(np.int64)
    costs = set_costs(numbered, places, l, measure == "widest")
    return float(cheapest_sets(costs, len(values), measure == "widest"))


@kernel
def set_costs(values: NDArray[np.int64], places: NDArray[np.float64], least: int, alone: bool) -> NDArray[np.float64]:
    """What every set of rows, by its bits, costs as a group: its extent alone, or times its rows."""
    costs = np.full(1 << len(values), np.inf)
    counts = np.zeros(len(values), np.int64)
    for members in range(1, len(costs)):
        counts[:] = 0
        size, first, last = 0, -1, -1
        for row in range(len(values)):
            if members >> row & 1:
                counts[values[row]] += 1
                size += 1
                first, last = row if first < 0 else first, row
        if counts.max() * least <= size:
            costs[members] = (places[last] - places[first]) * (1 if alone else size)
    return costs


@kernel
def cheapest_sets(costs: NDArray[np.float64], rows: int, widest: bool) -> float:
    """The least total, or the least maximum, of all partitions of the rows into sets."""
    best = np.full(1 << rows, np.inf)
    best[0] = 0.0
    for members in range(1, 1 << rows):
        lowest = members & -members
        part = members
        while part:
            if part & lowest:
                rest = best[members ^ part]
                best[members] = min(best[members], max(rest, costs[part]) if widest else rest + costs[part])
            part = (part - 1) & members
    return best[-1]


def least_by_boundaries(
    values: NDArray[np.integer],
    places: NDArray[np.float64],
    l: int,  # noqa: E741
    measure: str = "sum",
) -> float:
    """The least loss of all partitions whose groups take the next row of some queues, at least l of them.

    A state is how many rows of every queue are gone, the paper's end boundary; there are as many as the product of the
    lengths of the queues, each with a way on for every set of values.
    """
    queues = [np.asarray(places)[np.asarray(values) == value] for value in np.unique(values)]
    lengths = tuple(len(queue) for queue in queues)
    takes = [take for take in product((0, 1), repeat=len(queues)) if sum(take) >= l]

    @cache
    def least(gone: tuple[int, ...]) -> float:
        if gone == lengths:
            return 0.0
        best = np.inf
        for take in takes:
            after = tuple(one + more for one, more in zip(gone, take, strict=True))
            if all(one <= length for one, length in zip(after, lengths, strict=True)):
                heads = [queue[at] for queue, at, more in zip(queues, gone, take, strict=True) if more]
                extent = max(heads) - min(heads)
                rest = least(after)
                best = min(best, max(rest, extent) if measure == "widest" else rest + extent * len(heads))
        return best

    return float(least((0,) * len(queues)))
