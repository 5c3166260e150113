"""The compiled loop of the literal heuristic: whole groups as in the pseudocode, on the product's own frontier."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.linear.kernels.diversity import LEFT, ValueFrontier, advance, pop, push


@kernel
def literal_groups(
    values: NDArray[np.int32], place: NDArray[np.float64], least: int, extend: bool, frontier: ValueFrontier
) -> NDArray[np.int32]:
    """The group of every row, numbered in the order of their making."""
    groups = np.full(len(values), -1, np.int32)
    most = len(frontier.heads)
    taken, ahead = np.empty(most, np.int64), np.empty(most, np.int64)
    inside = np.zeros(most, np.bool_)
    for value in range(most):
        if frontier.heads[value] >= 0:
            push(frontier, frontier.heads[value])
    group = np.int32(-1)
    while frontier.counters[LEFT] > 0:
        group += 1
        count = greedy_step(values, least, frontier, taken, inside)
        if count == 0:
            count = fall_back_step(least, frontier, taken, inside)
        for at in range(count):
            advance(values, frontier, taken[at])
        if extend:
            count = extent_step(values, place, least, frontier, taken, count, ahead, inside)
        for at in range(count):
            groups[taken[at]] = group
            inside[values[taken[at]]] = False
    return groups


@inner
def greedy_step(
    values: NDArray[np.int32],
    least: int,
    frontier: ValueFrontier,
    taken: NDArray[np.int64],
    inside: NDArray[np.bool_],
) -> int:
    """Take the first l rows of the frontier, and one more while the rest is not eligible; 0 if it never is."""
    count = 0
    while True:
        row = pop(values, frontier)
        if row < 0:
            break
        taken[count] = row
        inside[values[row]] = True
        count += 1
        if count >= least and rest_eligible(least, frontier, inside, count):
            return count
    for at in range(count):
        inside[values[taken[at]]] = False
        push(frontier, taken[at])
    return 0


@inner
def fall_back_step(least: int, frontier: ValueFrontier, taken: NDArray[np.int64], inside: NDArray[np.bool_]) -> int:
    """Take the rows of the l most frequent values, ties by place, and of one more while the rest is not eligible."""
    count = 0
    while True:
        best = -1
        for value in range(len(frontier.heads)):
            if inside[value] or frontier.heads[value] < 0:
                continue
            more = 1 if best < 0 else frontier.counts[value] - frontier.counts[best]
            if more > 0 or (more == 0 and frontier.heads[value] < frontier.heads[best]):
                best = value
        if best < 0:
            return count
        taken[count] = frontier.heads[best]
        inside[best] = True
        count += 1
        if count >= least and rest_eligible(least, frontier, inside, count):
            return count


@inner
def rest_eligible(least: int, frontier: ValueFrontier, inside: NDArray[np.bool_], count: int) -> bool:
    """Whether no value would have more than 1/l of the rows that a group leaves (EG)."""
    allowed = (frontier.counters[LEFT] - count) // least
    for value in frontier.ranked:
        if frontier.counts[value] <= allowed:
            return True
        if frontier.counts[value] - inside[value] > allowed:
            return False
    return True


@inner
def extent_step(
    values: NDArray[np.int32],
    place: NDArray[np.float64],
    least: int,
    frontier: ValueFrontier,
    taken: NDArray[np.int64],
    count: int,
    ahead: NDArray[np.int64],
    inside: NDArray[np.bool_],
) -> int:
    """Add the next row if it lies nearer to this group's first row than to the l-th row of the frontier."""
    found = 0
    while found < least:
        row = pop(values, frontier)
        if row < 0:
            break
        ahead[found] = row
        found += 1
    for at in range(found):
        push(frontier, ahead[at])
    if found < least or inside[values[ahead[0]]]:
        return count
    candidate = ahead[0]
    leftmost = taken[0]
    for at in range(count):
        leftmost = min(leftmost, taken[at])
        inside[values[taken[at]]] = False
    nearer = place[candidate] - place[leftmost] < place[ahead[found - 1]] - place[candidate]
    inside[values[candidate]] = True
    joins = nearer and rest_eligible(least, frontier, inside, 1)
    inside[values[candidate]] = False
    for at in range(count):
        inside[values[taken[at]]] = True
    if not joins:
        return count
    taken[count] = candidate
    inside[values[candidate]] = True
    advance(values, frontier, candidate)
    return count + 1
