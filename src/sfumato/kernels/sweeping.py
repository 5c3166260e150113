"""Every node of a box of levels, counted one from the other: what each suppresses, how many classes, what it costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import inner, kernel
from sfumato.kernels.rollup import MASK, SHIFT, WORD, Layout, aggregate, plan_steps, table_size

#: What is found of every node: the columns of the result.
SUPPRESSED, CLASSES, SQUARES, COST = range(4)
FINDINGS = 4


class Costs(NamedTuple):
    """What a row loses that is shown in a group: one number per attribute, level and group.

    Attributes
    ----------
    at
        Where the groups of an attribute (rows) at a level (columns) begin in ``cells``.
    cells
        The costs.
    totals
        What all rows of the table lose, per attribute and level.
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
    costs: Costs,
) -> NDArray[np.float64]:
    """Return the findings of all nodes whose levels lie from ``bounds[0]`` to ``bounds[1]``, the last varying fastest.

    The first ``fixed`` attributes have one level only, and the keys are at ``bounds[0]``. Each node is counted from
    the one before it in its last raised attribute: what lies below stays at hand, a pair of buffers per attribute.
    """
    attributes = bounds.shape[1]
    nodes = 1
    for attribute in range(attributes):
        nodes *= bounds[1, attribute] - bounds[0, attribute] + 1
    found = np.zeros((nodes, FINDINGS))
    # Buffer 0 is the input; then come two for every attribute that varies.
    stack_keys = np.empty((1 + 2 * (attributes - fixed), len(keys), keys.shape[1]), np.uint64)
    stack_counts = np.empty(stack_keys.shape[:2], np.int64)
    stack_keys[0], stack_counts[0] = keys, counts
    # Which buffer holds the set of every attribute's current level, those after it at their lowest, and its length.
    where, lengths = np.zeros(attributes, np.int64), np.full(attributes, len(keys))
    slots = np.empty(table_size(len(keys)), np.int32)
    levels, before = bounds[0].copy(), bounds[0].copy()
    keep = np.empty(keys.shape[1], np.uint64)
    steps = np.empty((attributes, 4), np.int64)
    for node in range(nodes):
        at = where[attributes - 1]
        measure(stack_keys[at], stack_counts[at], lengths[attributes - 1], layout, levels, k, costs, found[node])
        raised = raise_levels(levels, before, bounds, fixed)
        if raised < 0:
            break
        planned = plan_steps(layout, before, levels, keep, steps)
        source, into = where[raised], 1 + 2 * (raised - fixed)
        into += source == into
        length = aggregate(
            stack_keys[source],
            stack_counts[source],
            lengths[raised],
            keep,
            steps[:planned],
            layout.maps,
            slots,
            stack_keys[into],
            stack_counts[into],
        )
        where[raised:], lengths[raised:] = into, length
    return found


@inner
def raise_levels(
    levels: NDArray[np.int64], before: NDArray[np.int64], bounds: NDArray[np.int64], fixed: int
) -> int:
    """Move on to the next node; return the attribute that was raised, or -1 after the last node.

    ``before`` becomes the node with that attribute one level lower: what the next node is counted from.
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
    counts: NDArray[np.int64],
    length: int,
    layout: Layout,
    levels: NDArray[np.int64],
    k: int,
    costs: Costs,
    found: NDArray[np.float64],
) -> None:
    """Find what a node suppresses and what the rest costs; only the fewer classes, kept or not, are looked into."""
    kept, suppressed, squares = 0, 0, 0
    for group in range(length):
        size = counts[group]
        if size < k:
            suppressed += size
        else:
            kept += 1
            squares += size * size
    found[SUPPRESSED], found[CLASSES], found[SQUARES] = suppressed, kept, squares
    look_at_kept = kept < length - kept
    cost = 0.0
    if kept > 0 and len(costs.cells) > 0:
        for group in range(length):
            if (counts[group] >= k) == look_at_kept:
                cost += counts[group] * class_cost(keys, group, layout, levels, costs)
        if not look_at_kept:
            total = 0.0
            for attribute in range(len(levels)):
                total += costs.totals[attribute, levels[attribute]]
            cost = total - cost
    found[COST] = cost


@inner
def class_cost(
    keys: NDArray[np.uint64], group: int, layout: Layout, levels: NDArray[np.int64], costs: Costs
) -> float:
    """Return what a row of a class loses over all attributes."""
    cost = 0.0
    for attribute in range(len(levels)):
        word, shift = layout.fields[attribute, WORD], np.uint64(layout.fields[attribute, SHIFT])
        place = (keys[group, word] >> shift) & np.uint64(layout.fields[attribute, MASK])
        cost += costs.cells[costs.at[attribute, levels[attribute]] + np.int64(place)]
    return cost


@kernel
def measure_node(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    layout: Layout,
    levels: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    costs: Costs,
) -> NDArray[np.float64]:
    """Return the findings of one node, given its classes and which of them are allowed."""
    found = np.zeros(FINDINGS)
    for group in range(len(counts)):
        size = counts[group]
        if allowed[group]:
            found[CLASSES] += 1
            found[SQUARES] += size * size
            found[COST] += size * class_cost(keys, group, layout, levels, costs)
        else:
            found[SUPPRESSED] += size
    return found
