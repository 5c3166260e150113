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

from sfumato.hierarchies import Domain
from sfumato.kernels.sweeping import CLASSES, COST, FINDINGS, SQUARES, SUPPRESSED, Costs, measure_node
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.verdicts import Judge

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
                sizes = np.bincount(groups.groups, weights=self.counts[place], minlength=len(groups))
                found = _CELLS[loss](domain, level, sizes) * self._weight(loss, place)
                at[place, level] = sum(map(len, cells))
                totals[place, level] = sizes @ found
                cells.append(found)
        return Costs(at, np.concatenate(cells), totals)

    def _weight(self, loss: str, place: int) -> float:
        return 1.0 if loss == "height" else float(self.weights[place])

    @cached_property
    def surprise(self) -> tuple[NDArray[np.float64], ...]:
        """The bits of every code of every attribute, weighted: what remains to be said when it is shown exactly."""
        return tuple(
            np.log2(np.maximum(count, 1)) * weight for count, weight in zip(self.counts, self.weights, strict=True)
        )

    @cached_property
    def all_surprise(self) -> float:
        """The bits of all rows."""
        return float(sum(count @ bits for count, bits in zip(self.counts, self.surprise, strict=True)))

    @cached_property
    def all_bits(self) -> float:
        """The bits that a table loses that tells nothing."""
        return float(self.weights.sum() * self.rows * np.log2(max(1, self.rows))) - self.all_surprise

    def loss(self, name: str, found: NDArray[np.float64], kept_surprise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the findings of nodes into a loss to be minimized; what tells nothing at all is never the least."""
        suppressed, cost = found[:, SUPPRESSED], found[:, COST]
        kept = self.rows - suppressed
        if name == "dm":
            return found[:, SQUARES] + suppressed * self.rows
        if name == "c_avg":
            return np.where(kept > 0, kept / np.maximum(1, found[:, CLASSES]) / self.k, np.inf)
        if name == "height":
            return (cost + sum(domain.top for domain in self.domains) * suppressed) / self.rows
        if name == "entropy":
            lost = (cost - kept_surprise) / self.all_bits if self.all_bits > 0 else np.zeros(len(found))
            return lost + suppressed / self.rows
        return (cost + suppressed) / self.rows


def marginals_of(judge: Judge) -> Marginals:
    """Return the marginals of a task's table."""
    microdata = judge.task.microdata
    counts = [
        np.bincount(microdata.codes[:, at], minlength=domain.size) for at, domain in enumerate(microdata.domains)
    ]
    return Marginals(microdata.domains, tuple(counts), microdata.weights, judge.task.requirements.k)


def _span_costs(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    first, last = _group_edges(domain, level)
    return domain.span_costs(first, last)


def _shares_climbed(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return _heights(domain, level, sizes) / max(1, domain.top)


def _heights(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lowest level at which what a group holds is one group already."""
    first, last = _group_edges(domain, level)
    heights = np.full(len(first), float(domain.top))
    for lower in range(domain.top - 1, -1, -1):
        groups = domain.levels[lower].groups
        heights[groups[first] == groups[last]] = lower
    return heights


def _bits(domain: Domain, level: int, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log2(np.maximum(sizes, 1))


_CELLS: Mapping[str, Callable[[Domain, int, NDArray[np.float64]], NDArray[np.float64]]] = {
    "gcp": _span_costs,
    "precision": _shares_climbed,
    "height": _heights,
    "entropy": _bits,
}


def _group_edges(domain: Domain, level: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first = np.unique(domain.levels[level].groups, return_index=True)[1]
    return first, np.append(first[1:], domain.size) - 1


class Scorer:
    """Measures nodes, one after the other or many at once."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.marginals = marginals_of(judge)
        self._costs: dict[str, Costs] = {}

    def costs(self, loss: str) -> Costs:
        """Return the costs of a loss, worked out once."""
        if loss not in self._costs:
            self._costs[loss] = self.marginals.costs(loss)
        return self._costs[loss]

    def without_suppression(self, loss: str, levels: Sequence[Levels]) -> NDArray[np.float64]:
        """Return what nodes lose at least: an additive loss if no row goes, without counting anything."""
        costs = self.costs(loss)
        nodes = np.array(levels).reshape(len(levels), -1)
        found = np.zeros((len(nodes), FINDINGS))
        for at in range(nodes.shape[1]):
            found[:, COST] += costs.totals[at, nodes[:, at]]
        return self.marginals.loss(loss, found, np.full(len(nodes), self.marginals.all_surprise))

    def losses(self, frequencies: Frequencies, names: Sequence[str] = LOSSES) -> dict[str, float]:
        """Return the losses of a node, from its frequency set."""
        keys, counts, allowed = self._classes(frequencies)
        losses = {}
        for name in names:
            layout, levels = self.judge.roller.layout, np.array(frequencies.levels)
            found = measure_node(keys, counts, layout, levels, allowed, self.costs(name))[None]
            kept = np.array([self.kept_surprise(frequencies.levels)]) if name == "entropy" else np.zeros(1)
            losses[name] = float(self.marginals.loss(name, found, kept)[0])
        return losses

    def _classes(
        self, frequencies: Frequencies
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return key, size and permission of every class of a node."""
        if self.judge.size_only:
            return frequencies.keys, frequencies.counts, frequencies.counts >= self.judge.smallest
        allowed, _, of_key = self.judge.classes(frequencies)
        sizes = np.bincount(of_key, weights=frequencies.counts, minlength=len(allowed)).astype(np.int64)
        first = np.unique(of_key, return_index=True)[1]
        return frequencies.keys[first], sizes, allowed

    def kept_surprise(self, levels: Levels) -> float:
        """Return the bits of the rows that a node keeps."""
        gone = self.judge.suppressed_rows(levels)
        if not gone.any():
            return self.marginals.all_surprise
        codes = self.judge.task.microdata.codes[gone]
        lost = sum(bits[codes[:, at]].sum() for at, bits in enumerate(self.marginals.surprise))
        return self.marginals.all_surprise - float(lost)
