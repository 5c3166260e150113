"""One-dimensional l-diversity: groups of nearby rows with distinct sensitive values.

The rows are sorted, and every sensitive value has a queue of its rows; the heads of the queues are the frontier. A
group takes its rows from the frontier, so no value repeats in it, and with at least l rows no value makes up more than
1/l of it. The remaining rows must stay eligible: no value may make up more than 1/l of them. Let h = left // l and
r = left % l. A value is critical if it has h rows left; a group of l to l + r rows leaves an eligible remainder exactly
if it takes every critical value. There are at most l + r critical values, so such a group always exists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel

#: The columns of ``ValueFrontier.counters``.
HEAP, LEFT = range(2)


class ValueFrontier(NamedTuple):
    """The rows that are not yet in a group.

    Attributes
    ----------
    heads
        The first row of every value's queue, -1 if the queue is empty.
    following
        The next row with the same value, -1 for the last.
    counts
        The number of remaining rows of every value.
    ranked, rank
        The values by descending count, and the rank of every value in that order.
    heap
        A binary heap of the heads; it may also hold rows that are heads no longer.
    counters
        The number of entries of the heap, and the number of remaining rows.
    """

    heads: NDArray[np.int64]
    following: NDArray[np.int64]
    counts: NDArray[np.int64]
    ranked: NDArray[np.int64]
    rank: NDArray[np.int64]
    heap: NDArray[np.int64]
    counters: NDArray[np.int64]


@kernel
def diverse_groups(
    values: NDArray[np.int32], place: NDArray[np.float64], least: int, frontier: ValueFrontier
) -> NDArray[np.int32]:
    """Assign every row to a group; groups are numbered in the order of their creation.

    ``values`` holds the sensitive values of the sorted rows, ``place`` their positions, and ``least`` is l.
    """
    groups = np.full(len(values), -1, np.int32)
    taken = np.empty(2 * least, np.int64)
    ahead = np.empty(2 * least, np.int64)
    for value in range(len(frontier.heads)):
        if frontier.heads[value] >= 0:
            push(frontier, frontier.heads[value])
    group = np.int32(-1)
    while frontier.counters[LEFT] > 0:
        group += 1
        count = next_group(values, least, frontier, taken)
        count = extended_group(values, place, least, frontier, taken, count, ahead)
        for at in range(count):
            groups[taken[at]] = group
    return groups


@inner
def next_group(values: NDArray[np.int32], least: int, frontier: ValueFrontier, taken: NDArray[np.int64]) -> int:
    """Take the nearest rows that leave an eligible remainder, or else the critical values and the nearest rows."""
    left = frontier.counters[LEFT]
    highest, rest = left // least, left % least
    critical = critical_values(frontier, highest)
    count = met = 0
    while count < least + rest and (count < least or met < critical):
        row = pop(values, frontier)
        if row < 0:
            break
        taken[count] = row
        met += frontier.counts[values[row]] == highest
        count += 1
    if met < critical:
        count = fall_back(values, least, frontier, taken, count, critical, highest)
    for at in range(count):
        advance(values, frontier, taken[at])
    return count


@inner
def fall_back(
    values: NDArray[np.int32],
    least: int,
    frontier: ValueFrontier,
    taken: NDArray[np.int64],
    count: int,
    critical: int,
    highest: int,
) -> int:
    """Keep as many uncritical rows as fit, return the others to the heap, and take every critical value."""
    others = max(least - critical, 0)
    kept = 0
    for at in range(count):
        row = taken[at]
        if frontier.counts[values[row]] == highest:
            continue
        if others > 0:
            others -= 1
            taken[kept] = row
            kept += 1
        else:
            push(frontier, row)
    for at in range(critical):
        taken[kept] = frontier.heads[frontier.ranked[at]]
        kept += 1
    return kept


@inner
def extended_group(
    values: NDArray[np.int32],
    place: NDArray[np.float64],
    least: int,
    frontier: ValueFrontier,
    taken: NDArray[np.int64],
    count: int,
    ahead: NDArray[np.int64],
) -> int:
    """Add the next row if it is nearer to the first row of this group than to the last of the group it would start."""
    left = frontier.counters[LEFT]
    if left <= least or count >= 2 * least - 1:
        return count
    found = 0
    while found < least:
        row = pop(values, frontier)
        if row < 0:
            break
        ahead[found] = row
        found += 1
    for at in range(found):
        push(frontier, ahead[at])
    candidate = ahead[0]
    leftmost = taken[0]
    for at in range(count):
        leftmost = min(leftmost, taken[at])
        if values[taken[at]] == values[candidate]:
            return count
    if found < least or place[candidate] - place[leftmost] >= place[ahead[found - 1]] - place[candidate]:
        return count
    # Without this row, the remainder stays eligible only if no other value exceeds 1/l of it.
    allowed = (left - 1) // least
    over = critical_values(frontier, allowed + 1)
    if over > 1 or (over == 1 and frontier.counts[values[candidate]] != allowed + 1):
        return count
    if frontier.counts[values[candidate]] > allowed + 1:
        return count
    taken[count] = candidate
    advance(values, frontier, candidate)
    return count + 1


@inner
def critical_values(frontier: ValueFrontier, highest: int) -> int:
    """Count the values that have ``highest`` rows left; none has more."""
    count = 0
    while count < len(frontier.ranked) and frontier.counts[frontier.ranked[count]] >= max(highest, 1):
        count += 1
    return count


@inner
def advance(values: NDArray[np.int32], frontier: ValueFrontier, row: int) -> None:
    """Remove a row, the head of its queue, from the frontier; the next row with its value becomes the head."""
    value = values[row]
    count = frontier.counts[value]
    # Swapping the value with the last one of equal count keeps the ranking sorted.
    low, high = frontier.rank[value], len(frontier.ranked) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if frontier.counts[frontier.ranked[middle]] >= count:
            low = middle
        else:
            high = middle - 1
    other = frontier.ranked[low]
    frontier.ranked[frontier.rank[value]], frontier.ranked[low] = other, value
    frontier.rank[other], frontier.rank[value] = frontier.rank[value], low
    frontier.counts[value] = count - 1
    frontier.counters[LEFT] -= 1
    frontier.heads[value] = frontier.following[row]
    if frontier.heads[value] >= 0:
        push(frontier, frontier.heads[value])


@inner
def push(frontier: ValueFrontier, row: int) -> None:
    """Add a row to the heap."""
    heap = frontier.heap
    at = frontier.counters[HEAP]
    frontier.counters[HEAP] += 1
    while at > 0 and heap[(at - 1) // 2] > row:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = row


@inner
def pop(values: NDArray[np.int32], frontier: ValueFrontier) -> int:
    """Pop the first row that is still the head of its queue; -1 if there is none."""
    heap = frontier.heap
    while frontier.counters[HEAP] > 0:
        row = heap[0]
        frontier.counters[HEAP] -= 1
        size = frontier.counters[HEAP]
        moved = heap[size]
        at = 0
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and heap[child + 1] < heap[child]:
                child += 1
            if heap[child] >= moved:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = moved
        if frontier.heads[values[row]] == row:
            return row
    return -1
