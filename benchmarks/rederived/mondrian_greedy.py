"""Greedy strict multidimensional partitioning, as Figure 7 of the Mondrian paper has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.rederived.tables import Ints

Allowed = Callable[[Ints], bool]


def greedy(points: Ints, allowed: Allowed, widths: Sequence[float] | None = None) -> Ints:
    """Cut at the median of the widest attribute that has an allowed cut there; give a class for every row."""
    whole = np.maximum(np.ptp(points, axis=0), 1) if widths is None else np.asarray(widths)
    classes = np.zeros(len(points), np.int64)
    waiting, made = [np.arange(len(points))], 0
    while waiting:
        rows = waiting.pop()
        here = points[rows]
        for dimension in np.argsort(-(np.ptp(here, axis=0) / whole), kind="stable"):
            column = here[:, dimension]
            median = np.sort(column)[(len(column) - 1) // 2]
            left, right = rows[column <= median], rows[column > median]
            if allowed(left) and allowed(right):
                waiting += [left, right]
                break
        else:
            classes[rows] = made
            made += 1
    return classes


def at_least(k: int) -> Allowed:
    """Allow parts of k rows."""
    return lambda rows: len(rows) >= k


def diverse(sensitive: Ints, diversity: int) -> Allowed:
    """Allow parts in which no sensitive value has more than one row in so many."""
    return lambda rows: len(rows) > 0 and np.bincount(sensitive[rows]).max() * diversity <= len(rows)
