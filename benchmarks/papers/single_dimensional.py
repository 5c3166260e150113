"""Good cuts of every attribute, the same for all rows: a strong search beside K-Optimize, which is slow to find them.

With the cuts of all other attributes given, the best cuts of one are found exactly, by one pass over all its intervals.
That is done for one attribute after the other until nothing gets better; then from other beginnings, mostly the best so
far with the cuts of one or two attributes drawn anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.table.microdata import Microdata

Counts = NDArray[np.int64]

#: Cuts of an attribute: the codes at which an interval begins, 0 first.
Cuts = tuple[int, ...]

#: How often all attributes begin anew, and below how many cuts each begins.
ANEW, MOST_CUTS = 0.2, 12


def best_cuts(microdata: Microdata, k: int, beginnings: int = 60, seed: int = 0) -> tuple[float, list[Cuts]]:
    """The least discernibility that was found, and the cuts of every attribute."""
    random = np.random.default_rng(seed)
    codes, sizes = microdata.codes.astype(np.int64), [domain.size for domain in microdata.domains]
    best: tuple[float, list[Cuts]] = (float(len(codes)) ** 2, [(0,)] * len(sizes))
    for _ in range(beginnings):
        start = list(best[1])
        many = len(sizes) if random.random() < ANEW else int(random.integers(1, 3))
        for at in random.choice(len(sizes), min(many, len(sizes)), replace=False):
            start[at] = random_cuts(random, sizes[at])
        best = min(best, improved(codes, sizes, start, k, random))
    return best


def random_cuts(random: np.random.Generator, size: int) -> Cuts:
    """A few cuts anywhere."""
    count = int(random.integers(0, min(size, MOST_CUTS)))
    return (0, *sorted(random.choice(np.arange(1, size), count, replace=False).tolist()))


def improved(
    codes: Counts, sizes: list[int], cuts: list[Cuts], k: int, random: np.random.Generator
) -> tuple[float, list[Cuts]]:
    """Recut the attributes in random order, again and again, until a round changes nothing."""
    cost = before = np.inf
    while True:
        for at in random.permutation(len(sizes)):
            counts = cell_counts(codes, sizes, cuts, int(at))
            cost, cuts[at] = best_of_one(counts, k)
        if cost >= before:
            return float(cost), list(cuts)
        before = cost


def cell_counts(codes: Counts, sizes: list[int], cuts: list[Cuts], at: int) -> Counts:
    """How many rows have each code of one attribute (rows) in each cell that the cuts of the others make."""
    place = np.zeros(len(codes), np.int64)
    for other, begins in enumerate(cuts):
        if other != at:
            place = place * len(begins) + np.searchsorted(begins, codes[:, other], side="right") - 1
    _, cell = np.unique(place, return_inverse=True)
    cells = int(cell.max()) + 1
    return np.bincount(codes[:, at] * cells + cell, minlength=sizes[at] * cells).reshape(sizes[at], cells)


def best_of_one(table: Counts, k: int) -> tuple[float, Cuts]:
    """The least discernibility and the cuts of the rows of a table of counts, whose columns are final."""
    sums = np.vstack([np.zeros((1, table.shape[1]), np.int64), table.cumsum(axis=0)])
    cost, begin = np.zeros(len(sums)), np.zeros(len(sums), np.int64)
    for end in range(1, len(sums)):
        cells = sums[end] - sums[:end]
        allowed = ((cells == 0) | (cells >= k)).all(axis=1)
        found = np.where(allowed, (cells**2).sum(axis=1) + cost[:end], np.inf)
        begin[end] = found.argmin()
        cost[end] = found[begin[end]]
    cuts, at = [], len(sums) - 1
    while at > 0:
        at = int(begin[at])
        cuts.append(at)
    return float(cost[-1]), tuple(reversed(cuts))
