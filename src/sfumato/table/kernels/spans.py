"""The loss of a class that spans the codes ``lo..hi`` of a quasi-identifier: one function for all methods.

The arrays of all quasi-identifiers are concatenated in shared pools, so that a kernel gets a single argument whatever
mixture of numbers and categories it works on. The pools are few, because every further array argument makes kernels
slower to compile.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: How the cost of a span is found: by the distance of two positions, in a table of all pairs, by climbing a tree, as
#: the logarithm of how many rows lie in it, by the distance of the grid lines around it, or as the logarithm of how
#: many rows lie between these.
POSITION, TABLE, TREE, LOGARITHM, GRID, GRID_LOGARITHM = range(6)

#: The columns of ``Spans.index``. Where a logarithm is the cost, the missing code stands instead of a tree, or -1; a
#: grid has the number of its steps instead of the costs of a tree.
KIND, SIZE, VALUES_AT, TREE_AT, COSTS_AT = range(5)

#: The columns of ``Spans.nodes``.
PARENT, FIRST, LAST = range(3)


class Spans(NamedTuple):
    """The span costs of all quasi-identifiers, laid out for kernels.

    Attributes
    ----------
    index
        One row per attribute: how its costs are found, its number of codes, and where its part of each pool begins.
    weight
        How much each attribute counts.
    values
        Positions, tables of costs, and the costs of tree nodes. For a grid, the positions are followed by every step:
        the least distance that has its ends there, and for every code the grid line below it and the one above it. For
        logarithms, the rows below every code come first.
    nodes
        The nodes of all trees: the codes first, then the inner nodes; each with its parent, first and last code.
    """

    index: NDArray[np.int64]
    weight: NDArray[np.float64]
    values: NDArray[np.float64]
    nodes: NDArray[np.int32]


@inner
def span_cost(spans: Spans, attribute: int, lo: int, hi: int) -> float:
    """The share of an attribute's certainty that a span loses: 0 for one value, 1 for everything.

    With other objectives than the certainty penalty a single value may cost something, too.
    """
    kind = spans.index[attribute, KIND]
    at = spans.index[attribute, VALUES_AT]
    if kind == POSITION:
        # A missing value lies far beyond the last number, so a span up to it costs everything.
        return min(spans.values[at + hi] - spans.values[at + lo], 1.0)
    if kind == TABLE:
        return spans.values[at + lo * spans.index[attribute, SIZE] + hi]
    if kind == GRID:
        return 0.0 if lo == hi else min(between_lines(spans, attribute, at, lo, hi), 1.0)
    if kind == GRID_LOGARITHM and lo < hi and hi != spans.index[attribute, TREE_AT]:
        return math.log(max(1.0, between_lines(spans, attribute, at + spans.index[attribute, SIZE] + 1, lo, hi)))
    if kind in (LOGARITHM, GRID_LOGARITHM):
        # The values are the rows below each code; a span up to the missing value, the last code, is shown as ``*``.
        first = 0 if hi == spans.index[attribute, TREE_AT] and lo < hi else lo
        return math.log(max(1.0, spans.values[at + hi + 1] - spans.values[at + first]))
    return spans.values[spans.index[attribute, COSTS_AT] + common_ancestor(spans, attribute, lo, hi)]


@inner
def between_lines(spans: Spans, attribute: int, at: int, lo: int, hi: int) -> float:
    """The distance between the grid lines around a span of several values, given the offset of the grid."""
    size = spans.index[attribute, SIZE]
    distance = spans.values[at + hi] - spans.values[at + lo]
    length = 2 * size + 1
    step = at + size
    last = step + (spans.index[attribute, COSTS_AT] - 1) * length
    while step < last and distance >= spans.values[step + length]:
        step += length
    return spans.values[step + 1 + size + hi] - spans.values[step + 1 + lo]


@inner
def is_tree(spans: Spans, attribute: int) -> bool:
    """Whether an attribute has a tree."""
    kind = spans.index[attribute, KIND]
    return kind in (TABLE, TREE)


@inner
def common_ancestor(spans: Spans, attribute: int, lo: int, hi: int) -> int:
    """The lowest common ancestor of two codes; since codes are in order, it is that of all codes between."""
    at = spans.index[attribute, TREE_AT]
    node = np.int64(lo)
    while spans.nodes[at + node, LAST] < hi:
        node = np.int64(spans.nodes[at + node, PARENT])
    return node


@inner
def box_penalty(spans: Spans, box: NDArray[np.int64]) -> float:
    """The loss of each row of a class with this box."""
    penalty = 0.0
    for attribute in range(box.shape[1]):
        penalty += spans.weight[attribute] * span_cost(spans, attribute, box[0, attribute], box[1, attribute])
    return penalty


@inner
def widened_penalty(spans: Spans, box: NDArray[np.int64], codes: NDArray[np.unsignedinteger], limit: float) -> float:
    """The loss of each row of a class with one more row; any result from ``limit`` on means too much."""
    penalty = 0.0
    for attribute in range(box.shape[1]):
        code = np.int64(codes[attribute])
        lo, hi = min(box[0, attribute], code), max(box[1, attribute], code)
        penalty += spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
        if penalty >= limit:
            return penalty
    return penalty
