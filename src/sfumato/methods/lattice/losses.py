"""What every node of the lattice loses, by each of the losses that can be minimized.

All of them follow from four findings about a node: the rows it suppresses, the classes it keeps, the sum of their
squared sizes, and the sum over kept rows of a cost per attribute and group. They are those of `sfumato.loss`, on the
rows that reach the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.hierarchies import Domain
from sfumato.methods.lattice.frequencies import Frequencies
from sfumato.methods.lattice.judge import Judge
from sfumato.methods.lattice.kernels.node_sweep import CLASSES, COST, FINDINGS, SQUARES, SUPPRESSED, Costs, measure_node

#: What ``minimize=`` can be, besides a function of the levels and the losses.
LOSSES = ("gcp", "dm", "c_avg", "entropy", "precision", "height")
#: Those that follow from a cost per attribute and group.
ADDITIVE = ("gcp", "entropy", "precision", "height")

#: One of ``LOSSES``, or a function of the levels by name and the losses by name.
Minimized = str | Callable[[dict[str, int], dict[str, float]], float]


@dataclass(frozen=True)
class Marginals:
    """The table seen through each quasi-identifier alone: all that a loss needs beside the classes.

    Attributes
    ----------
    domains
        The quasi-identifiers.
    counts
        How often every code of each of them occurs.
    weights
        How much each of them counts.
    k
        The class size that was asked for.
    """

    domains: tuple[Domain, ...]
    counts: tuple[NDArray[np.int64], ...] = field(repr=False)
    weights: NDArray[np.float64]
    k: int

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts[0].sum())

    def costs(self, loss: str) -> Costs:
        """Return the costs per attribute, level and group that a loss adds up; none for losses of class sizes."""
        depth = max(len(domain.levels) for domain in self.domains)
        at = np.zeros((len(self.domains), depth), np.int64)
        totals = np.zeros((len(self.domains), depth))
        cells: list[NDArray[np.float64]] = [np.empty(0)]
        if loss not in ADDITIVE:
            return Costs(at, cells[0], totals)
        for place, domain in enumerate(self.domains):
            for level, groups in enumerate(domain.levels):
                sizes = np.bincount(groups.groups, self.counts[place], len(groups)).astype(np.float64)
                found = _CELLS[loss](domain, level, sizes) * self._weight(loss, place)
                at[place, level] = sum(map(len, cells))
                totals[place, level] = sizes @ found
                cells.append(found)
        return Costs(at, np.concatenate(cells), totals)

    def _weight(self, loss: str, place: int) -> float:
        return 1.0 if loss == "height" else float(self.weights[place])

    @cached_property
    def known_bits(self) -> float:
        """The bits of all rows that even exact values leave open."""
        bits = [count @ np.log2(np.maximum(count, 1)) for count in self.counts]
        return float(np.array(bits) @ self.weights)

    @cached_property
    def row_bits(self) -> float:
        """The bits that a row leaves open that tells nothing."""
        return float(self.weights.sum() * np.log2(max(1, self.rows)))

    def loss(self, name: str, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the findings of nodes into a loss to be minimized; what tells nothing at all is never the least."""
        suppressed, cost = found[..., SUPPRESSED], found[..., COST]
        kept = self.rows - suppressed
        if name == "dm":
            return found[..., SQUARES] + suppressed * self.rows
        if name == "c_avg":
            return np.where(kept > 0, kept / np.maximum(1, found[..., CLASSES]) / self.k, np.inf)
        if name == "height":
            return (cost + sum(domain.top for domain in self.domains) * suppressed) / self.rows
        if name == "entropy":
            most = self.rows * self.row_bits - self.known_bits
            lost = cost + suppressed * self.row_bits - self.known_bits
            return lost / most if most > 0 else suppressed / self.rows
        return (cost + suppressed) / self.rows


def marginals_of(judge: Judge, weights: Mapping[str, float] | None = None) -> Marginals:
    """Return the marginals of a task's table; weights given here come before those of the schema."""
    microdata = judge.task.microdata
    counts = tuple(
        np.bincount(microdata.codes[:, at], judge.counts, minlength=domain.size).astype(np.int64)
        for at, domain in enumerate(microdata.domains)
    )
    if weights is None:
        return Marginals(microdata.domains, counts, microdata.weights, judge.task.requirements.k)
    given = np.array([float(weights.get(name, 1.0)) for name in microdata.names])
    if not given.sum():
        raise ParameterError("All 'weights' are 0, so nothing would be a loss. Give one of them more.")
    return Marginals(microdata.domains, counts, given / given.sum(), judge.task.requirements.k)


def _span_costs(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return domain.level_costs(level)


def _shares_climbed(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.full(len(sizes), level / max(1, domain.top))


def _heights(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.full(len(sizes), float(level))


def _bits(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log2(np.maximum(sizes, 1))


_CELLS: Mapping[str, Callable[[Domain, int, NDArray[np.float64]], NDArray[np.float64]]] = {
    "gcp": _span_costs,
    "precision": _shares_climbed,
    "height": _heights,
    "entropy": _bits,
}


class Scorer:
    """Measures nodes, one after the other or many at once."""

    def __init__(self, judge: Judge, weights: Mapping[str, float] | None = None) -> None:
        self.judge = judge
        self.marginals = marginals_of(judge, weights)
        self._costs: dict[str, Costs] = {}

    def costs(self, loss: str) -> Costs:
        """Return the costs of a loss, worked out once."""
        if loss not in self._costs:
            self._costs[loss] = self.marginals.costs(loss)
        return self._costs[loss]

    def at_least(self, loss: str, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what nodes lose at the least: an additive loss if no row goes, without counting anything."""
        totals = self.costs(loss).totals
        found = np.zeros((len(nodes), FINDINGS))
        for at in range(nodes.shape[1]):
            found[:, COST] += totals[at, nodes[:, at]]
        return self.marginals.loss(loss, found)

    def losses(self, frequencies: Frequencies, names: Sequence[str] = LOSSES) -> dict[str, float]:
        """Return the losses of a node, from its frequency set."""
        keys, counts, allowed = self._classes(frequencies)
        layout, levels = self.judge.roller.layout, np.array(frequencies.levels)
        return {
            name: float(
                self.marginals.loss(name, measure_node(keys, counts, layout, levels, allowed, self.costs(name)))
            )
            for name in names
        }

    def _classes(self, frequencies: Frequencies) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return key, size and permission of every class of a node."""
        if self.judge.size_only:
            return frequencies.keys, frequencies.counts, frequencies.counts >= self.judge.smallest
        allowed, _, of_key = self.judge.classes(frequencies)
        sizes = np.bincount(of_key, weights=frequencies.counts, minlength=len(allowed)).astype(np.int64)
        first = np.unique(of_key, return_index=True)[1]
        return frequencies.keys[first], sizes, allowed
