"""Sweep over every node of a lattice, for cases where most nodes matter: with suppression, or to score them all."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from sfumato.common.threads import side_by_side
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.kernels.node_sweep import FINDINGS, NodeCosts, sweep
from sfumato.methods.lattice.kernels.rollup import Layout
from sfumato.methods.lattice.nodes import Space

#: A sweep is divided into at least this many parts, to balance the load of threads.
PARTS = 8
#: The most keys of a sweep (nodes times rows); more would take minutes.
LIMIT = 2_000_000_000


def can_sweep(judge: NodeJudge, space: Space) -> bool:
    """Whether counting every node is possible within seconds."""
    affordable = space.size * len(judge.task.microdata) <= LIMIT
    return judge.size_only and judge.roller.words == 1 and affordable


def sweep_nodes(judge: NodeJudge, space: Space, base: Frequencies, costs: NodeCosts) -> NDArray[np.float64]:
    """Compute the findings of every node at or above that of a frequency set, from class sizes alone.

    The result has one axis per attribute, with an entry per level, and one for the findings; it is NaN at other nodes.
    """
    order = _order(judge, space, base)
    low, high = tuple(base.levels[at] for at in order), tuple(space.tops[at] for at in order)
    fixed = _prefix(low, high)
    layout, ordered_costs = _reordered(judge.roller.layout, order), _pick(costs, order)
    found = np.full((*space.shape, FINDINGS), np.nan)
    turned = found.transpose([*order, len(order)])
    shape = [last - first + 1 for first, last in zip(low[fixed:], high[fixed:], strict=True)]
    inside = tuple(slice(first, None) for first in low[fixed:])

    def count(prefix: Levels) -> None:
        raised = dict(enumerate(base.levels)) | dict(zip(order, prefix, strict=False))
        start = judge.roller.up(base, tuple(raised[at] for at in range(len(raised))))
        bounds = np.array([[*prefix, *low[fixed:]], [*prefix, *high[fixed:]]])
        result = sweep(start.keys[:, 0], start.counts, layout, bounds, fixed, judge.smallest, ordered_costs)
        turned[prefix + inside] = result.reshape(*shape, FINDINGS)

    prefixes = itertools.product(*(range(low[at], high[at] + 1) for at in range(fixed)))
    side_by_side(count, prefixes)
    judge.roller.rollups += space.size - 1
    return found


def _order(judge: NodeJudge, space: Space, base: Frequencies) -> list[int]:
    """Order the attributes, slowest first: those whose removal shrinks the set most."""

    def size(at: int) -> int:
        return len(judge.roller.up(base, (*base.levels[:at], space.tops[at], *base.levels[at + 1 :])))

    return sorted(range(len(space.tops)), key=size)


def _prefix(low: Levels, high: Levels) -> int:
    """The number of leading attributes to fix to get enough parts; at least one attribute varies."""
    parts, fixed = 1, 0
    while parts < PARTS and fixed < len(low) - 1:
        parts *= high[fixed] - low[fixed] + 1
        fixed += 1
    return fixed


def _reordered(layout: Layout, order: list[int]) -> Layout:
    """The layout with its attributes in another order."""
    fields = np.ascontiguousarray(layout.fields[: len(order)][order])
    return Layout(fields, layout.sizes[order], layout.maps_at[order], layout.maps)


def _pick(costs: NodeCosts, order: list[int]) -> NodeCosts:
    return NodeCosts(costs.at[order], costs.cells, costs.totals[order])
