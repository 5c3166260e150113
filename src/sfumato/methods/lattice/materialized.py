"""The frequency sets that Incognito precomputes in its materialized variant: those that save most.

They are chosen greedily, like the materialized views of a data cube: the benefit of a set is what the nodes above it
save when they are rolled up from it instead of from the shortest one so far, less the length of its own source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space

#: The nodes of a lattice that are sampled to decide which sets are worth computing.
SAMPLED_NODES = 1_500

#: The expected number of roots in the candidate graph of a subset, each of which needs a frequency set.
ROOTS_PER_SUBSET = 3


def materialized(judge: NodeJudge, space: Space) -> list[Frequencies]:
    """Compute the chosen sets, each from the shortest one computed before."""
    kept: list[Frequencies] = []
    for levels in sorted(worth_keeping(judge, space), key=sum):
        source = shortest_below(kept, levels)
        kept.append(judge.scan(levels) if source is None else judge.roller.up(source, levels))
    return kept


def shortest_below(kept: list[Frequencies], levels: Levels) -> Frequencies | None:
    """Find the shortest set from which a node can be rolled up, if any."""
    below = [found for found in kept if all(map(int.__le__, found.levels, levels))]
    return min(below, key=len, default=None)


def worth_keeping(judge: NodeJudge, space: Space) -> list[Levels]:
    """Choose the nodes to materialize, the most useful first."""
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
    """All nodes of a lattice, or a sample that includes the lowest."""
    if space.size <= SAMPLED_NODES:
        return np.array(list(space.nodes()))
    random = np.random.default_rng(0)
    nodes = random.integers(0, np.array(space.shape), (SAMPLED_NODES, len(space.tops)))
    return np.unique(np.vstack([np.array([space.bottom]), nodes]), axis=0)


def expected_sizes(judge: NodeJudge, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Estimate the lengths of the frequency sets of nodes as if the attributes were independent."""
    sizes = judge.roller.layout.sizes.astype(np.float64)
    groups = np.prod([sizes[at, nodes[:, at]] for at in range(nodes.shape[1])], axis=0)
    return groups * -np.expm1(-judge.rows / groups)
