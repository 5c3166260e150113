"""Which frequency sets are worth counting beforehand: at various levels, those that save most.

Chosen greedily, as the views of a data cube are: a set is worth what the nodes above it save if they are counted from
it instead of the shortest one so far, and costs the counting of its own source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space

#: So many nodes of a lattice stand for all of them when it is decided what is worth keeping.
SAMPLED_NODES = 1_500

#: How many nodes of every subset of attributes a search is expected to ask for: the roots of its candidate graph.
ROOTS_PER_SUBSET = 3


def materialized(judge: NodeJudge, space: Space) -> list[Frequencies]:
    """Count what is worth keeping, each set from the shortest that is there already."""
    kept: list[Frequencies] = []
    for levels in sorted(worth_keeping(judge, space), key=sum):
        source = shortest_below(kept, levels)
        kept.append(judge.scan(levels) if source is None else judge.roller.up(source, levels))
    return kept


def shortest_below(kept: list[Frequencies], levels: Levels) -> Frequencies | None:
    """Return the shortest set from which a node can be counted, if there is one."""
    below = [found for found in kept if all(map(int.__le__, found.levels, levels))]
    return min(below, key=len, default=None)


def worth_keeping(judge: NodeJudge, space: Space) -> list[Levels]:
    """Return the nodes to materialize, the most useful first."""
    nodes = sampled_nodes(space)
    sizes = expected_sizes(judge, nodes)
    weight = ROOTS_PER_SUBSET * 2 ** len(space.tops) / len(nodes)
    serves = np.logical_and.reduce(nodes[:, None, :] <= nodes[None, :, :], axis=2)
    costs = np.full(len(nodes), float(judge.rows))
    kept: list[Levels] = []
    while True:
        saved = weight * (serves * np.maximum(costs[None, :] - sizes[:, None], 0)).sum(axis=1) - costs
        best = int(saved.argmax())
        if saved[best] <= 0:
            return kept
        kept.append(tuple(nodes[best].tolist()))
        costs = np.where(serves[best], np.minimum(costs, sizes[best]), costs)


def sampled_nodes(space: Space) -> NDArray[np.int64]:
    """Return all nodes of a lattice, or some that stand for them, and always the lowest."""
    if space.size <= SAMPLED_NODES:
        return np.array(list(space.nodes()))
    random = np.random.default_rng(0)
    nodes = random.integers(0, np.array(space.shape), (SAMPLED_NODES, len(space.tops)))
    return np.unique(np.vstack([np.array([space.bottom]), nodes]), axis=0)


def expected_sizes(judge: NodeJudge, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how long the frequency sets of nodes would be if attributes had nothing to do with each other."""
    sizes = judge.roller.layout.sizes.astype(np.float64)
    groups = np.prod([sizes[at, nodes[:, at]] for at in range(nodes.shape[1])], axis=0)
    return groups * -np.expm1(-judge.rows / groups)
