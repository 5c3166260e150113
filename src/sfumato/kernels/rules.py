"""Is this class allowed? Every privacy model, evaluated on a class's size, sensitive counts and spans."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.spans import Spans, span_cost

(
    SIZE,
    FREQUENCY,
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    CLOSE_TREE,
    SPAN,
) = range(9)

#: Sums of many fractions are off by a little; a class that is exactly at a limit must not fail for that.
TOLERANCE = 1e-9


class Rules(NamedTuple):
    """The conditions on a class, one per row of the first four arrays.

    ``column`` is the place of the sensitive column, or of the quasi-identifier for ``SPAN``; ``first`` and ``second``
    are the parameters. The counts of sensitive column ``s`` lie at ``counts_at[s]:counts_at[s + 1]`` of one flat
    histogram, beside the table's own distribution in ``reference``. The trees for hierarchical distances are pooled:
    rule ``r`` owns the nodes ``tree_at[r]:tree_at[r + 1]``, of which the first are the sensitive values.
    """

    kind: NDArray[np.int64]
    column: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    counts_at: NDArray[np.int64]
    reference: NDArray[np.float64]
    tree_at: NDArray[np.int64]
    tree_parent: NDArray[np.int64]
    tree_height: NDArray[np.float64]


@njit(cache=True, nogil=True)
def class_allowed(
    size: int,
    histogram: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    rules: Rules,
    spans: Spans,
) -> bool:
    """Return whether a class of this size, with these sensitive counts and spans, keeps every rule."""
    for rule in range(len(rules.kind)):
        kind = rules.kind[rule]
        column = rules.column[rule]
        limit = rules.first[rule]
        if kind == SIZE:
            if size < limit:
                return False
        elif kind == SPAN:
            if span_cost(spans, column, lo[column], hi[column]) < limit - TOLERANCE:
                return False
        else:
            begin, end = rules.counts_at[column], rules.counts_at[column + 1]
            counts = histogram[begin:end]
            if kind == FREQUENCY:
                if counts.max() * limit > size * (1 + TOLERANCE):
                    return False
            elif kind == DISTINCT:
                if _distinct(counts) < limit:
                    return False
            elif kind == ENTROPY:
                if _entropy(counts, size) < np.log(limit) - TOLERANCE:
                    return False
            elif kind == RECURSIVE:
                if not _recursive(counts, size, limit, rules.second[rule]):
                    return False
            elif kind == CLOSE_TREE:
                if _tree_distance(counts, size, rules, rule, rules.reference[begin:end]) > limit + TOLERANCE:
                    return False
            elif _distance(counts, size, rules.reference[begin:end], kind == CLOSE_ORDERED) > limit + TOLERANCE:
                return False
    return True


@njit(cache=True, nogil=True)
def _distinct(counts: NDArray[np.int64]) -> int:
    found = 0
    for count in counts:
        found += count > 0
    return found


@njit(cache=True, nogil=True)
def _entropy(counts: NDArray[np.int64], size: int) -> float:
    total = 0.0
    for count in counts:
        if count > 0:
            total += count * np.log(count)
    return np.log(size) - total / size  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _recursive(counts: NDArray[np.int64], size: int, limit: float, factor: float) -> bool:
    ordered = np.sort(counts)
    frequent = ordered[max(0, len(ordered) - int(limit) + 1) :].sum()
    return ordered[-1] < factor * (size - frequent) * (1 + TOLERANCE)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _distance(counts: NDArray[np.int64], size: int, reference: NDArray[np.float64], ordered: bool) -> float:
    """Return how much probability must move, and in ordered domains how far, to make the class like the table."""
    total, carried = 0.0, 0.0
    for value in range(len(counts)):
        difference = counts[value] / size - reference[value]
        carried += difference
        total += abs(carried) if ordered else abs(difference)
    return total / max(1, len(counts) - 1) if ordered else total / 2


@njit(cache=True, nogil=True)
def _tree_distance(
    counts: NDArray[np.int64], size: int, rules: Rules, rule: int, reference: NDArray[np.float64]
) -> float:
    """Return the work of evening out the class within each subtree before moving anything further up."""
    begin, end = rules.tree_at[rule], rules.tree_at[rule + 1]
    above = np.zeros(end - begin)
    below = np.zeros(end - begin)
    total = 0.0
    for node in range(end - begin):
        if node < len(counts):
            extra = counts[node] / size - reference[node]
        else:
            extra = above[node] - below[node]
            total += rules.tree_height[begin + node] * min(above[node], below[node])
        parent = rules.tree_parent[begin + node]
        if parent == node:
            continue
        if extra > 0:
            above[parent] += extra
        else:
            below[parent] -= extra
    return total
