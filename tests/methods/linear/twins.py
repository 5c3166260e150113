"""The slow and obvious ways: boxes from scratch, every cut, every partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sfumato.table.microdata import Microdata


def loss_of(microdata: Microdata, rows: Sequence[int]) -> float:
    """What the rows of one class lose together."""
    codes = microdata.codes[list(rows)].astype(np.int64)
    lo, hi = codes.min(axis=0), codes.max(axis=0)
    costs = [domain.span_costs(lo[[at]], hi[[at]])[0] for at, domain in enumerate(microdata.domains)]
    return len(rows) * float(np.dot(costs, microdata.weights))


def total_loss(microdata: Microdata, classes: np.ndarray, suppressed: float = 1.0) -> float:
    """What all rows of a table lose."""
    groups = [np.flatnonzero(classes == group) for group in np.unique(classes[classes >= 0])]
    return sum(loss_of(microdata, rows) for rows in groups) + suppressed * np.count_nonzero(classes < 0)


def cheapest_consecutive(microdata: Microdata, units: Sequence[Sequence[int]], k: int) -> float:
    """The least loss of all cuts of an order of units into runs of at least k rows, without any limit of size."""
    best = [0.0] + [np.inf] * len(units)
    for stop in range(1, len(units) + 1):
        for start in range(stop):
            rows = [row for unit in units[start:stop] for row in unit]
            if len(rows) >= k:
                best[stop] = min(best[stop], best[start] + loss_of(microdata, rows))
    return best[-1]


def cheapest_of_all_partitions(
    microdata: Microdata, k: int, allowed: Callable[[list[int]], bool] = lambda rows: True
) -> float:
    """The least loss of all partitions into classes of at least k rows, consecutive or not: sets are bit masks."""
    everybody = (1 << len(microdata)) - 1
    classes = {
        mask: loss_of(microdata, members)
        for mask in range(1, everybody + 1)
        if len(members := [row for row in range(len(microdata)) if mask >> row & 1]) >= k and allowed(members)
    }
    best = {0: 0.0}
    for mask in range(1, everybody + 1):
        lowest = mask & -mask
        inside = mask
        best[mask] = np.inf
        while inside:
            if inside & lowest and inside in classes:
                best[mask] = min(best[mask], classes[inside] + best[mask ^ inside])
            inside = (inside - 1) & mask
    return best[everybody]
