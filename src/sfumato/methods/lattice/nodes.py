"""The nodes of the lattice of levels, and the status of each, in an array with one cell per node."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import ParameterError, SchemaError, listed
from sfumato.hierarchies import Domain
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.judge import Verdict
from sfumato.methods.lattice.kernels.level_boxes import fill_box, open_box

#: Larger lattices are never enumerated node by node.
LISTABLE = 5_000_000
#: The status of a node.
REJECTED, UNKNOWN, ANSWER = -1, 0, 1


class Space:
    """All nodes from the exact values up to the highest permitted levels.

    Attributes
    ----------
    names
        The quasi-identifiers.
    tops
        The highest level of each.
    """

    def __init__(self, domains: Sequence[Domain], max_level: Mapping[str, int] | None = None) -> None:
        self.names = tuple(domain.name for domain in domains)
        self.tops: Levels = tuple(_limit(domain, self.names, max_level or {}) for domain in domains)

    @property
    def size(self) -> int:
        """The number of nodes, which may exceed what `len` can return."""
        return prod(self.shape)

    def require_listable(self) -> None:
        """Raise if enumerating the nodes would take too long."""
        if self.size > LISTABLE:
            raise ParameterError(
                f"The lattice has {self.size:,} nodes, too many to look at one by one. Lattice() finds the best answer "
                "without listing them; or set limits with max_level, or fewer levels in the hierarchies."
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of every attribute."""
        return tuple(top + 1 for top in self.tops)

    @property
    def bottom(self) -> Levels:
        """The node without any generalization."""
        return (0,) * len(self.tops)

    def nodes(self) -> Iterator[Levels]:
        """Yield all nodes, the last attribute varying fastest."""
        return itertools.product(*(range(size) for size in self.shape))

    def above(self, node: Levels) -> list[Levels]:
        """The direct generalizations of a node."""
        return [(*node[:at], level + 1, *node[at + 1 :]) for at, level in enumerate(node) if level < self.tops[at]]

    def below(self, node: Levels) -> list[Levels]:
        """The nodes that a node directly generalizes."""
        return [(*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level]


def _limit(domain: Domain, names: Sequence[str], max_level: Mapping[str, int]) -> int:
    unknown = [name for name in max_level if name not in names]
    if unknown:
        raise SchemaError(
            f"'max_level' names {listed(unknown)}, which is not a quasi-identifier. Quasi-identifiers: {listed(names)}."
        )
    asked = parameters.integer("max_level", domain.name, max_level.get(domain.name, domain.top), at_least=0)
    return min(asked, domain.top)


class Map:
    """The status of every node of a space; the verdict on a node also sets the status of all nodes that it decides."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.status: NDArray[np.int8] = np.zeros(space.shape, np.int8)
        self._flat = self.status.reshape(-1)
        self._shape = np.array(space.shape)

    def note(self, node: Levels, verdict: Verdict) -> None:
        """Record the verdict on a node for the node itself and for those above or below that it decides."""
        if verdict.clean:
            fill_box(self._flat, self._shape, np.array([node, self.space.tops]), ANSWER)
        elif verdict.hopeless:
            fill_box(self._flat, self._shape, np.array([self.space.bottom, node]), REJECTED)
        else:
            self.status[node] = ANSWER if verdict.answer else REJECTED

    def open_part(self, low: Levels, high: Levels) -> tuple[Levels, Levels] | None:
        """Find the smallest box around the unknown nodes of a box; None if there are none."""
        low, high = open_box(self._flat, self._shape, np.array([low, high]), UNKNOWN).tolist()
        return (tuple(low), tuple(high)) if low[0] <= high[0] else None

    def answers(self) -> list[Levels]:
        """All answers, sorted by their levels."""
        return [tuple(node) for node in np.argwhere(self.status == ANSWER).tolist()]


def minimal(answers: Sequence[Levels]) -> list[Levels]:
    """The answers that generalize no other answer."""
    nodes = np.array(answers).reshape(len(answers), -1)
    order = np.argsort(nodes.sum(axis=1), kind="stable")
    kept = np.empty((0, nodes.shape[1]), nodes.dtype)
    for node in nodes[order]:
        if not (kept <= node).all(axis=1).any():
            kept = np.vstack([kept, node])
    return sorted(tuple(node) for node in kept.tolist())
