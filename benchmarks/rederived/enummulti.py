"""EnumMulti (2007), from its text: the least DM of any hierarchical partitioning, by dynamic programming over boxes.

A box is either kept, or cut in two by one of the splits; its cost is the least of both. With two attributes there are
few enough boxes to look at all of them, so there is nothing to search for.
"""

from __future__ import annotations

import numpy as np

import sfumato as sf
from benchmarks.rederived.mondrian_greedy import Allowed
from benchmarks.rederived.tables import Ints, Reals


def points(rows: int = 10_000, seed: int = 0) -> Ints:
    """The table SimpleNormal: two numbers from 0 to 100."""
    table = sf.datasets.simple_normal(rows, seed=seed).table
    return np.stack([table.column(name).to_numpy() for name in ("x", "y")], axis=1).astype(np.int64)


def edges(splits: int) -> Reals:
    """Where splits divide 0 to 100, evenly, with both ends."""
    return np.linspace(0, 100, splits + 2)


def counts(data: Ints, splits: int) -> Ints:
    """How many points lie before each pair of splits."""
    inner = edges(splits)[1:-1]
    cells = np.zeros((splits + 2, splits + 2), np.int64)
    np.add.at(cells, tuple(np.searchsorted(inner, data[:, at], side="left") + 1 for at in (0, 1)), 1)
    return cells.cumsum(axis=0).cumsum(axis=1)


def optimum(data: Ints, splits: int, k: int, shortest: float = 0.0) -> float:
    """The least DM with blocks of at least k rows, or none, and no edge shorter than ``shortest``."""
    before, step = counts(data, splits), 100 / (splits + 1)
    parts = splits + 1
    best: dict[tuple[int, int], Reals] = {}
    for wide in range(1, parts + 1):
        for high in range(1, parts + 1):
            held = before[wide:, high:] - before[:-wide, high:] - before[wide:, :-high] + before[:-wide, :-high]
            fits = min(wide, high) * step >= shortest - 1e-9
            cost = np.where(((held >= k) | (held == 0)) & fits, held.astype(float) ** 2, np.inf)
            for cut in range(1, wide):
                left, right = best[cut, high], best[wide - cut, high]
                cost = np.minimum(cost, left[: cost.shape[0]] + right[cut : cut + cost.shape[0]])
            for cut in range(1, high):
                under, over = best[wide, cut], best[wide, high - cut]
                cost = np.minimum(cost, under[:, : cost.shape[1]] + over[:, cut : cut + cost.shape[1]])
            best[wide, high] = cost
    return float(best[parts, parts][0, 0])


def greedy(data: Ints, splits: int, allowed: Allowed, shortest: float = 0.0) -> float:
    """The greedy algorithm of [3]: the widest attribute, at the split nearest to its median; DM of its blocks."""
    whole = edges(splits)
    total, waiting = 0.0, [(np.arange(len(data)), (0, 0), (splits + 1, splits + 1))]
    while waiting:
        rows, low, high = waiting.pop()
        here = data[rows]
        for at in np.argsort(-np.ptp(here, axis=0), kind="stable"):
            inside = [one for one in range(low[at] + 1, high[at]) if _long_enough(whole, low, high, at, one, shortest)]
            if not inside:
                continue
            median = np.median(here[:, at])
            cut = min(inside, key=lambda one: abs(whole[one] - median))
            left = here[:, at] <= whole[cut]
            if allowed(rows[left]) and allowed(rows[~left]):
                ends, begins = list(high), list(low)
                ends[at], begins[at] = cut, cut
                waiting += [(rows[left], low, (ends[0], ends[1])), (rows[~left], (begins[0], begins[1]), high)]
                break
        else:
            total += float(len(rows)) ** 2
    return total


def _long_enough(whole: Reals, low: tuple[int, int], high: tuple[int, int], at: int, cut: int, shortest: float) -> bool:
    return min(whole[cut] - whole[low[at]], whole[high[at]] - whole[cut]) >= shortest - 1e-9
