"""Optimal clusters of numbers, and groups of values with similar distributions: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


def cheapest_breaks(numbers: Numbers, counts: Places, allowed: Places, parts: int) -> Places:
    """Cut sorted numbers into parts with the least sum of squared distances from the parts' means.

    ``counts`` says how often each number occurs, and ``allowed`` are the places where a part may begin or end, from 0
    to the number of numbers. Returns the places before which parts begin. Exact, by dynamic programming: the best last
    cut moves to the right with the end, so that each layer is solved by divide and conquer.

    Examples
    --------
    >>> cheapest_breaks(np.array([1.0, 2.0, 9.0, 10.0]), np.ones(4, np.int64), np.arange(5), 2).tolist()
    [2]
    """
    cost = _Cost(numbers, counts, allowed)
    last = len(allowed) - 1
    best = cost.of(np.zeros(last + 1, np.int64), np.arange(last + 1))
    cuts = []
    for layer in range(1, min(parts, last)):
        best, cut = _next_layer(best, cost, layer)
        cuts.append(cut)
    breaks, at = [], last
    for cut in reversed(cuts):
        at = int(cut[at])
        breaks.append(at)
    return allowed[np.array(breaks[::-1], np.int64)]


class _Cost:
    """The cost of parts between allowed places: the squared distances of their rows from the mean."""

    def __init__(self, numbers: Numbers, counts: Places, allowed: Places) -> None:
        centred = numbers - np.average(numbers, weights=counts)
        sums = (np.cumsum(np.append(0.0, counts * centred**power)) for power in (0, 1, 2))
        self.rows, self.sums, self.squares = (total[allowed] for total in sums)

    def of(self, first: Places, after: Places) -> Numbers:
        rows, sums = self.rows[after] - self.rows[first], self.sums[after] - self.sums[first]
        squares = self.squares[after] - self.squares[first]
        return np.maximum(squares - np.divide(sums**2, rows, out=np.zeros(len(rows)), where=rows > 0), 0.0)


def _next_layer(best: Numbers, cost: _Cost, layer: int) -> tuple[Numbers, Places]:
    """The least costs with one more part, and where the last part begins; solves all middles of a depth at once."""
    size = len(best)
    found, cuts = np.full(size, np.inf), np.zeros(size, np.int64)
    first, last = np.array([layer + 1]), np.array([size - 1])
    low, high = np.array([layer]), np.array([size - 2])
    while len(first):
        middle = (first + last) // 2
        upper = np.minimum(high, middle - 1)
        widths = upper - low + 1
        begins = np.cumsum(np.append(0, widths[:-1]))
        tried = np.repeat(low - begins, widths) + np.arange(widths.sum())
        costs = best[tried] + cost.of(tried, np.repeat(middle, widths))
        least = np.minimum.reduceat(costs, begins)
        # The first of equal ones, so that cuts stay in order.
        at = np.flatnonzero(costs == np.repeat(least, widths))
        segment = np.repeat(np.arange(len(begins)), widths)[at]
        chosen = tried[at[np.searchsorted(segment, np.arange(len(begins)))]]
        found[middle], cuts[middle] = least, chosen
        first, last, low, high = (
            np.concatenate(sides) for sides in ((first, middle + 1), (middle - 1, last), (low, chosen), (chosen, high))
        )
        left = first <= last
        first, last, low, high = first[left], last[left], low[left], high[left]
    return found, cuts


def merged(counts: Places, groups: int) -> Places:
    """Merge similar rows of a table of counts until ``groups`` groups are left; return the group of every row.

    Each step merges the two groups whose merging changes the rows' distributions least, weighted by their sizes (Ward).
    Groups are numbered by their first member.

    Examples
    --------
    >>> merged(np.array([[9, 1], [1, 9], [8, 2]]), 2).tolist()
    [0, 1, 0]
    """
    sizes = counts.sum(axis=1).astype(np.float64)
    shares = counts / np.maximum(sizes, 1.0)[:, None]
    group = np.arange(len(counts))
    apart = _distances(shares, sizes)
    for _ in range(len(counts) - groups):
        one, other = sorted(int(at) for at in np.unravel_index(np.argmin(apart), apart.shape))
        total = sizes[one] + sizes[other]
        shares[one] = (sizes[one] * shares[one] + sizes[other] * shares[other]) / total
        sizes[one] = total
        group[group == other] = one
        apart[other, :] = apart[:, other] = np.inf
        weights = sizes * total / (sizes + total)
        fresh = weights * ((shares - shares[one]) ** 2).sum(axis=1)
        fresh[np.isinf(apart[one])] = np.inf
        apart[one, :] = apart[:, one] = fresh
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _distances(shares: Numbers, sizes: Numbers) -> Numbers:
    """The cost of merging every pair of groups."""
    squares = (shares**2).sum(axis=1)
    apart = squares[:, None] + squares - 2 * shares @ shares.T
    apart = np.maximum(apart, 0.0) * (sizes[:, None] * sizes / np.maximum(sizes[:, None] + sizes, 1.0))
    np.fill_diagonal(apart, np.inf)
    return apart
