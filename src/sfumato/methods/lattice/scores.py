"""The losses of the nodes of the lattice.

Every loss that can be minimized follows from four findings about a node: the number of rows it suppresses, the number
of classes it keeps, the sum of their squared sizes, and the sum over kept rows of a cost per attribute and group. The
losses are those of `sfumato.loss`, on the rows that reach the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.loss import METRICS, LossTotal, Objective, names_of
from sfumato.loss.objective import CLASSES as CLASS_COUNT
from sfumato.loss.objective import LEVELS, SIZES, SPANS
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.kernels.node_sweep import (
    CLASSES,
    COST,
    FINDINGS,
    SQUARES,
    SUPPRESSED,
    NodeCosts,
    measure_node,
)
from sfumato.table.microdata import Microdata

#: The parts of a loss that follow from the findings about a node.
ABLE = frozenset({SPANS, LEVELS, SIZES, CLASS_COUNT})

#: A function given by the caller that rates an answer by its levels and losses, both by name; the least is best.
Worth = Callable[[dict[str, int], dict[str, float]], float]


@dataclass(frozen=True)
class Marginals:
    """The marginal counts of every quasi-identifier: all that a loss depends on besides the classes.

    Attributes
    ----------
    microdata
        The table, with the weights that apply.
    counts
        How often every code of each quasi-identifier occurs.
    k
        The requested k.
    """

    microdata: Microdata
    counts: tuple[NDArray[np.int64], ...] = field(repr=False)
    k: int

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts[0].sum())

    def costs(self, objective: Objective) -> NodeCosts:
        """The costs per attribute, level and group that a loss sums up; empty if it depends on class sizes alone."""
        domains = self.microdata.domains
        depth = max(len(domain.levels) for domain in domains)
        at = np.zeros((len(domains), depth), np.int64)
        totals = np.zeros((len(domains), depth))
        cells: list[NDArray[np.float64]] = [np.empty(0)]
        if not objective.parts & {SPANS, LEVELS}:
            return NodeCosts(at, cells[0], totals)
        priced, heights = objective.priced(self.microdata, self.counts), objective.level_costs(self.microdata)
        for place, domain in enumerate(domains):
            for level, groups in enumerate(domain.levels):
                sizes = np.bincount(groups.groups, self.counts[place], len(groups)).astype(np.float64)
                found = np.full(len(groups), heights[place][level])
                if objective.spread:
                    costs = priced.domains[place].level_costs(level)
                    found = found + objective.spread * costs * float(priced.weights[place])
                at[place, level] = sum(map(len, cells))
                totals[place, level] = sizes @ found
                cells.append(found)
        return NodeCosts(at, np.concatenate(cells), totals)

    def loss(self, objective: Objective, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the findings of nodes into a loss, infinite where no row is released, unless the loss allows that."""
        gone = found[..., SUPPRESSED]
        kept = self.rows - gone
        lost = found[..., COST] + gone * objective.price(self.microdata, self.rows)
        if objective.squares:
            lost = lost + objective.squares * found[..., SQUARES]
        if objective.per_class:
            lost = lost + objective.per_class * found[..., CLASSES]
        shown = objective.shown(LossTotal(lost, kept, self.rows, self.k, self.microdata, self.counts))
        return np.asarray(shown if objective.may_suppress else np.where(kept > 0, shown, np.inf))


def marginals_of(judge: NodeJudge, weights: Mapping[str, float] | None = None) -> Marginals:
    """Compute the marginals of a task's table; ``weights`` override those of the schema."""
    microdata = judge.task.microdata
    counts = tuple(
        np.bincount(microdata.codes[:, at], judge.counts, minlength=domain.size).astype(np.int64)
        for at, domain in enumerate(microdata.domains)
    )
    if weights is not None:
        given = np.array([float(weights.get(name, 1.0)) for name in microdata.names])
        if not given.sum():
            raise ParameterError("All 'weights' are 0, so nothing would be a loss. Give one of them more.")
        microdata = replace(microdata, weights=given / given.sum())
    return Marginals(microdata, counts, judge.task.requirements.k)


class Scorer:
    """Measures nodes, one by one or many at once."""

    def __init__(self, judge: NodeJudge, weights: Mapping[str, float] | None = None) -> None:
        self.judge = judge
        self.marginals = marginals_of(judge, weights)
        self._costs: dict[Objective, NodeCosts] = {}

    def costs(self, objective: Objective) -> NodeCosts:
        """The costs of a loss, computed once."""
        if objective not in self._costs:
            self._costs[objective] = self.marginals.costs(objective)
        return self._costs[objective]

    def at_least(self, objective: Objective, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Bound the loss of nodes from below: an additive loss without suppression, which needs no counting."""
        found = np.zeros((len(nodes), FINDINGS))
        found[:, COST] = self._totals(objective, nodes)
        return self.marginals.loss(objective, found)

    def loss_of_sizes(self, objective: Objective, sizes: NDArray[np.float64], node: Levels) -> float:
        """The loss of a node with classes of these sizes, if no row is suppressed."""
        found = np.zeros(FINDINGS)
        found[CLASSES], found[SQUARES] = len(sizes), sizes @ sizes
        found[COST] = self._totals(objective, np.array([node]))[0]
        return float(self.marginals.loss(objective, found))

    def _totals(self, objective: Objective, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        totals = self.costs(objective).totals
        return np.asarray(sum(totals[at, nodes[:, at]] for at in range(nodes.shape[1])), np.float64)

    def loss(self, frequencies: Frequencies, objective: Objective) -> float:
        """The loss of a node, from its frequency set."""
        return self._losses(frequencies, [objective])[0]

    def reported(self, frequencies: Frequencies) -> dict[str, float]:
        """All losses of a node by name, as they are reported."""
        objectives = [METRICS[name] for name in names_of(ABLE)]
        found = zip(objectives, self._losses(frequencies, objectives), strict=True)
        return {objective.name: float(objective.reported(loss)) for objective, loss in found}

    def _losses(self, frequencies: Frequencies, objectives: Sequence[Objective]) -> list[float]:
        keys, counts, allowed = self._classes(frequencies)
        layout, levels = self.judge.roller.layout, np.array(frequencies.levels)
        measured = [
            measure_node(keys, counts, layout, levels, allowed, self.costs(objective)) for objective in objectives
        ]
        return [
            float(self.marginals.loss(objective, found)) for objective, found in zip(objectives, measured, strict=True)
        ]

    def _classes(self, frequencies: Frequencies) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
        """The key and the size of every class of a node, and whether it is allowed."""
        if self.judge.size_only:
            return frequencies.keys, frequencies.counts, frequencies.counts >= self.judge.smallest
        allowed, _, of_key = self.judge.classes(frequencies)
        sizes = np.bincount(of_key, weights=frequencies.counts, minlength=len(allowed)).astype(np.int64)
        first = np.unique(of_key, return_index=True)[1]
        return frequencies.keys[first], sizes, allowed
