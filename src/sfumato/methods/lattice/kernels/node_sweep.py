"""A sweep over all nodes of a box of levels, each counted from the one before: suppressed rows, classes and costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.lattice.kernels.rollup import MASK, SHIFT, WORD, Layout, aggregate_words, plan_steps, table_size

#: The findings of a node: the columns of the result.
SUPPRESSED, CLASSES, SQUARES, COST = range(4)
FINDINGS = 4


class NodeCosts(NamedTuple):
    """The cost of a row by the group it is shown in: one number per attribute, level and group.

    Attributes
    ----------
    at
        Where the groups of an attribute (rows) at a level (columns) begin in ``cells``.
    cells
        The costs.
    totals
        The cost of all rows of the table, per attribute and level.
    """

    at: NDArray[np.int64]
    cells: NDArray[np.float64]
    totals: NDArray[np.float64]


@kernel
def sweep(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    layout: Layout,
    bounds: NDArray[np.int64],
    fixed: int,
    k: int,
    costs: NodeCosts,
) -> NDArray[np.float64]:
    """Compute the findings of all nodes from ``bounds[0]`` to ``bounds[1]``, the last attribute varying fastest.

    Keys have one word and are given at ``bounds[0]``; the first ``fixed`` attributes have a single level. Each node is
    counted from its predecessor along the attribute raised last; two buffers per attribute hold the sets needed again.
    """
    attributes = bounds.shape[1]
    nodes = 1
    for attribute in range(attributes):
        nodes *= bounds[1, attribute] - bounds[0, attribute] + 1
    found = np.zeros((nodes, FINDINGS))
    # Buffer 0 is the input; the others are two for every varying attribute.
    stack = np.empty((1 + 2 * (attributes - fixed), len(keys)), np.uint64)
    sizes = np.empty(stack.shape, np.int64)
    stack[0], sizes[0] = keys, counts
    # For every attribute, the buffer (and its length) with the set at the levels up to it, later ones at their lowest.
    where, lengths = np.zeros(attributes, np.int64), np.full(attributes, len(keys))
    levels, before = bounds[0].copy(), bounds[0].copy()
    slots = np.empty(table_size(len(keys)), np.int32)
    keep = np.empty(1, np.uint64)
    steps = np.empty((attributes, 4), np.int64)
    for node in range(nodes):
        at = where[attributes - 1]
        measure(stack[at], sizes[at], lengths[attributes - 1], layout, levels, k, costs, found[node])
        raised = raise_levels(levels, before, bounds, fixed)
        if raised < 0:
            break
        planned = plan_steps(layout, before, levels, keep, steps)
        source, length = where[raised], lengths[raised]
        into = 1 + 2 * (raised - fixed)
        into += source == into
        table = slots[: table_size(length)]
        table[:] = -1
        length = aggregate_words(
            stack[source, :length],
            sizes[source, :length],
            keep[0],
            steps[:planned],
            layout.maps,
            table,
            stack[into],
            sizes[into],
        )
        where[raised:], lengths[raised:] = into, length
    return found


@inner
def raise_levels(levels: NDArray[np.int64], before: NDArray[np.int64], bounds: NDArray[np.int64], fixed: int) -> int:
    """Move to the next node; return the attribute that was raised, or -1 after the last node.

    ``before`` becomes the node with that attribute one level lower, from which the next node is counted.
    """
    raised = len(levels) - 1
    while raised >= fixed and levels[raised] == bounds[1, raised]:
        levels[raised] = bounds[0, raised]
        raised -= 1
    if raised < fixed:
        return -1
    before[:] = levels
    levels[raised] += 1
    return raised


@inner
def measure(
    keys: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    length: int,
    layout: Layout,
    levels: NDArray[np.int64],
    k: int,
    costs: NodeCosts,
    found: NDArray[np.float64],
) -> None:
    """Measure a node. Costs are summed over the kept or the suppressed classes, whichever are fewer."""
    kept, suppressed, squares = 0, 0, 0
    for group in range(length):
        size = sizes[group]
        keep = np.int64(size >= k)
        kept += keep
        suppressed += size * (1 - keep)
        squares += size * size * keep
    found[SUPPRESSED], found[CLASSES], found[SQUARES] = suppressed, kept, squares
    if kept == 0 or len(costs.cells) == 0:
        return
    total = 0.0
    for attribute in range(len(levels)):
        total += costs.totals[attribute, levels[attribute]]
    look_at_kept = kept < length - kept
    cost = 0.0
    if kept < length:
        for group in range(length):
            if (sizes[group] >= k) == look_at_kept:
                cost += sizes[group] * word_cost(keys[group], layout, levels, costs)
    found[COST] = cost if look_at_kept else total - cost


@inner
def word_cost(key: np.uint64, layout: Layout, levels: NDArray[np.int64], costs: NodeCosts) -> float:
    """The cost of a row of a class over all attributes, given its key of one word."""
    cost = 0.0
    for attribute in range(len(levels)):
        place = (key >> np.uint64(layout.fields[attribute, SHIFT])) & np.uint64(layout.fields[attribute, MASK])
        cost += costs.cells[costs.at[attribute, levels[attribute]] + np.int64(place)]
    return cost


@kernel
def measure_node(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    layout: Layout,
    levels: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    costs: NodeCosts,
) -> NDArray[np.float64]:
    """Compute the findings of one node, given its classes, with keys of any length, and which of them are allowed."""
    found = np.zeros(FINDINGS)
    for group in range(len(counts)):
        size = counts[group]
        if not allowed[group]:
            found[SUPPRESSED] += size
            continue
        found[CLASSES] += 1
        found[SQUARES] += size * size
        for attribute in range(len(levels)):
            word, shift = layout.fields[attribute, WORD], np.uint64(layout.fields[attribute, SHIFT])
            place = (keys[group, word] >> shift) & np.uint64(layout.fields[attribute, MASK])
            if len(costs.cells) > 0:
                found[COST] += size * costs.cells[costs.at[attribute, levels[attribute]] + np.int64(place)]
    return found
