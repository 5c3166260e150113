"""Incognito (2005), from its text: which nodes a search has to look at, counted without searching.

A node is looked at if it is a candidate and none of its direct specializations was found k-anonymous. For bottom-up
search every node of the lattice is a candidate; for Incognito those of which every projection on one attribute fewer
is k-anonymous (Sections 2.2 and 3.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product

import numpy as np

from benchmarks.rederived.tables import NINE, Attribute, Ints, adult

Node = tuple[int, ...]

#: A node of so many cells or fewer is counted in one array.
CELLS = 3_000_000


class Lattice:
    """The generalizations of some attributes of a table, and which of them are k-anonymous."""

    def __init__(self, attributes: Sequence[Attribute], k: int) -> None:
        self.attributes, self.k = attributes, k

    def anonymous(self, chosen: Sequence[int], node: Node) -> bool:
        """Whether the table is k-anonymous at a node of some attributes."""
        keys: Ints = np.zeros(len(self.attributes[0].codes), np.int64)
        cells = 1
        for at, level in zip(chosen, node, strict=True):
            groups = self.attributes[at].levels[level]
            size = int(groups.max()) + 1
            keys, cells = keys * size + groups[self.attributes[at].codes], cells * size
        counts = np.bincount(keys) if cells <= CELLS else np.unique(keys, return_counts=True)[1]
        return bool(counts[counts > 0].min() >= self.k)

    def look(self, chosen: Sequence[int], candidates: Iterable[Node]) -> tuple[int, set[Node]]:
        """Look at candidates from the bottom: how many have to be, and which are k-anonymous."""
        looked, good = 0, set()
        for node in sorted(candidates, key=lambda node: (sum(node), node)):
            below = [(*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level]
            if any(one in good for one in below):
                good.add(node)
            else:
                looked += 1
                if self.anonymous(chosen, node):
                    good.add(node)
        return looked, good

    def heights(self, chosen: Sequence[int]) -> list[range]:
        return [range(len(self.attributes[at].levels)) for at in chosen]

    def bottom_up(self, attributes: int) -> int:
        """How many nodes bottom-up search looks at."""
        chosen = range(attributes)
        return self.look(chosen, product(*self.heights(chosen)))[0]

    def incognito(self, most: int) -> list[int]:
        """How many nodes Incognito looks at with one attribute, with two, and so on."""
        good: dict[tuple[int, ...], set[Node]] = {}
        by_last = [0] * most
        for size in range(1, most + 1):
            for chosen in combinations(range(most), size):
                candidates = (
                    node
                    for node in product(*self.heights(chosen))
                    if size == 1 or all(part in good[rest] for rest, part in projections(chosen, node))
                )
                looked, good[chosen] = self.look(chosen, candidates)
                by_last[chosen[-1]] += looked
        return [sum(by_last[: many + 1]) for many in range(most)]


def projections(chosen: tuple[int, ...], node: Node) -> Iterable[tuple[tuple[int, ...], Node]]:
    """Yield a node without each of its attributes."""
    for at in range(len(chosen)):
        yield (*chosen[:at], *chosen[at + 1 :]), (*node[:at], *node[at + 1 :])


def nine() -> list[Attribute]:
    """The nine attributes in the paper's order."""
    people = adult(45_222)
    return [people[name] for name in (*NINE, "salary-class")]


def nodes_by_attributes() -> dict[str, dict[float, float]]:
    """The table of Section 4.2.1: nodes looked at, by the number of attributes, k = 2."""
    lattice = Lattice(nine(), 2)
    basic = lattice.incognito(9)
    return {
        "bottom-up": {n: lattice.bottom_up(n) for n in range(3, 10)},
        "basic": {n: basic[n - 1] for n in range(3, 10)},
    }


def nodes_by_k(attributes: int, ks: Sequence[int]) -> dict[str, dict[float, float]]:
    """Figure 11 in nodes: by k, with so many attributes."""
    found: dict[str, dict[float, float]] = {"bottom-up": {}, "basic": {}}
    for k in ks:
        lattice = Lattice(nine()[:attributes], k)
        found["bottom-up"][k] = lattice.bottom_up(attributes)
        found["basic"][k] = lattice.incognito(attributes)[-1]
    return found


def least_discernibility(attributes: Sequence[Attribute], k: int) -> tuple[float, int]:
    """The least DM of any k-anonymous full-domain generalization, and how many classes it has.

    DM grows with every level, so only nodes matter of which no specialization is k-anonymous.
    """
    lattice, chosen = Lattice(attributes, k), range(len(attributes))
    _, good = lattice.look(chosen, product(*lattice.heights(chosen)))
    lowest = [
        node
        for node in good
        if not any((*node[:at], level - 1, *node[at + 1 :]) in good for at, level in enumerate(node) if level)
    ]
    found = []
    for node in lowest:
        columns = [one.levels[level][one.codes] for one, level in zip(attributes, node, strict=True)]
        sizes = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)[1]
        found.append((float((sizes.astype(float) ** 2).sum()), len(sizes)))
    return min(found)
