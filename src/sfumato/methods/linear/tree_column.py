"""The true optimum for a single attribute with a taxonomy, for any number of rows.

The loss of a row depends only on the lowest common ancestor of its class, so one class per node of the tree is enough.
What remains to decide is how many rows each subtree hands up to the classes of its ancestors. A dynamic program from
the leaves to the root finds the least loss for every such number. A subtree never needs to hand up more than
``(ancestors + 1) * (k - 1)`` rows: k of them could form a class of their own without further loss, and every class
above would still have its k rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import TreeDomain

#: The most states of the dynamic program (numbers of rows, over all nodes), which take a few seconds.
MOST_TRIES = 400_000

Rows = NDArray[np.int64]


def can_solve(domain: TreeDomain, k: int) -> bool:
    """Whether the dynamic program is affordable for this tree and k."""
    return len(domain.tree.parent) * _most(domain, k) <= MOST_TRIES


def cheapest_classes(codes: NDArray[np.unsignedinteger], domain: TreeDomain, k: int) -> list[Rows]:
    """Find an optimal partition into classes of at least k; returns the rows of every class, sorted by code."""
    tree, most = domain.tree, _most(domain, k)
    leaves = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes, minlength=domain.size))[:-1])
    nodes = [_Node(float(cost)) for cost in tree.cost]
    for at, node in enumerate(nodes):
        node.solve_leaf(len(leaves[at]), k, most) if at < domain.size else node.solve(k, most)
        if tree.parent[at] != at:
            nodes[tree.parent[at]].children.append(node)
    nodes[-1].handed_on = 0
    for node in reversed(nodes):
        node.decide()
    for node, rows in zip(nodes, leaves, strict=False):
        node.rows = rows
    return [part for node in nodes for part in _parts(node.keep(), codes, k)]


def _most(domain: TreeDomain, k: int) -> int:
    return len(domain.levels) * (k - 1)


@dataclass
class _Node:
    """A node of the tree, and the least loss of its subtree for every number of rows that it hands up.

    Attributes
    ----------
    losses
        The least loss of the subtree, by the number of rows that it hands up.
    taken
        For each such number, how many rows the children hand up together; the last entry stands for all larger numbers.
    given
        For every child and every such total, how many rows it hands up, and how many the children before it.
    handed_on, rows
        The solution: how many rows are handed up, and which rows reach this node.
    """

    cost: float
    children: list[_Node] = field(default_factory=list)
    losses: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    taken: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    given: list[NDArray[np.int64]] = field(default_factory=list)
    handed_on: int = 0
    rows: Rows = field(default_factory=lambda: np.empty(0, np.int64))

    def solve_leaf(self, count: int, k: int, most: int) -> None:
        """Solve a leaf: rows that stay lose nothing, provided that they are enough for a class."""
        staying = count - np.arange(min(count, most) + 1)
        self.losses = np.where((staying == 0) | (staying >= k), 0.0, np.inf)

    def solve(self, k: int, most: int) -> None:
        """Combine the children, and decide for every number of rows handed up how many stay at this node."""
        last = most + k
        total = np.append(0.0, np.full(last, np.inf))
        for child in self.children:
            total, given = _added(total, child.losses + self.cost * np.arange(len(child.losses)))
            self.given.append(given)
        # least[i]: the least loss if at least i rows come from below; place[i]: the number of rows that attains it.
        least = np.minimum.accumulate(total[::-1])[::-1]
        place = np.searchsorted(least, least, side="right") - 1
        handed = np.arange(most + 1)
        stays = least[k:] < total[: most + 1]
        self.taken = np.where(stays, place[k:], handed)
        self.losses = np.where(stays, least[k:], total[: most + 1]) - self.cost * handed

    def decide(self) -> None:
        """Set how many rows each child hands up, given how many this node does."""
        taken = self.taken[self.handed_on] if self.children else 0
        for child, (given, before) in zip(reversed(self.children), reversed(self.given), strict=True):
            child.handed_on, taken = int(given[taken]), before[taken]

    def keep(self) -> Rows:
        """Collect the rows that reach this node and return those that stay; the first ``handed_on`` are handed up."""
        rows = np.concatenate([self.rows, *(child.rows[: child.handed_on] for child in self.children)])
        self.rows = rows
        return rows[self.handed_on :]


def _added(total: NDArray[np.float64], child: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Add a child: the least losses with it, how many rows it hands up for each, and how many the others do."""
    last = len(total) - 1
    best = np.full(last + 1, np.inf)
    given = np.zeros((2, last + 1), np.int64)
    places = np.arange(last + 1)
    for rows in np.flatnonzero(np.isfinite(child)):
        loss = total + child[rows]
        # The last place stands for every larger number of rows.
        beyond = last - rows + int(np.argmin(loss[last - rows :]))
        source = places[: last + 1 - rows].copy()
        source[-1] = beyond
        better = np.flatnonzero(loss[source] < best[rows:])
        best[rows + better] = loss[source[better]]
        given[0, rows + better], given[1, rows + better] = rows, source[better]
    return best, given


def _parts(rows: Rows, codes: NDArray[np.unsignedinteger], k: int) -> list[Rows]:
    """Cut the rows of a node into classes of k to 2k - 1 neighbours, which lose no more than one class of them all."""
    ordered = rows[np.argsort(codes[rows], kind="stable")]
    return np.split(ordered, range(k, len(ordered) - k + 1, k)) if len(ordered) else []
