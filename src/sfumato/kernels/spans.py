"""What a class loses that spans the codes ``lo..hi`` of a quasi-identifier: one function for every method.

The arrays of all quasi-identifiers lie one behind the other in shared pools, so that a kernel gets a single
argument whatever mixture of numbers and categories it works on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

POSITION, TABLE, TREE = 0, 1, 2


class Spans(NamedTuple):
    """The span costs of all quasi-identifiers, laid out for kernels.

    ``kind[a]`` says how attribute ``a`` is looked up; ``position_at[a]``, ``table_at[a]`` and ``tree_at[a]`` say where
    its part of the pools begins. A tree's nodes are its leaves, which are the codes, and then its inner nodes.
    """

    kind: NDArray[np.int8]
    size: NDArray[np.int64]
    weight: NDArray[np.float64]
    position_at: NDArray[np.int64]
    position: NDArray[np.float64]
    table_at: NDArray[np.int64]
    table: NDArray[np.float64]
    tree_at: NDArray[np.int64]
    parent: NDArray[np.int32]
    last: NDArray[np.int32]
    cost: NDArray[np.float64]


@njit(cache=True, nogil=True, inline="always")
def span_cost(spans: Spans, attribute: int, lo: int, hi: int) -> float:
    """Return the share of an attribute's certainty that a span gives up: 0 for one value, 1 for everything."""
    if lo == hi:
        return 0.0
    kind = spans.kind[attribute]
    if kind == POSITION:
        at = spans.position_at[attribute]
        # A missing value sits far beyond the last number, so a span that reaches it costs everything.
        return min(spans.position[at + hi] - spans.position[at + lo], 1.0)
    if kind == TABLE:
        return spans.table[spans.table_at[attribute] + lo * spans.size[attribute] + hi]  # type: ignore[no-any-return]
    at = spans.tree_at[attribute]
    return spans.cost[at + common_ancestor(spans, attribute, lo, hi)]  # type: ignore[no-any-return]


@njit(cache=True, nogil=True, inline="always")
def common_ancestor(spans: Spans, attribute: int, lo: int, hi: int) -> int:
    """Return the lowest tree node above both codes; in-order codes make their extremes enough."""
    at = spans.tree_at[attribute]
    node = lo
    while spans.last[at + node] < hi:
        node = spans.parent[at + node]
    return node
