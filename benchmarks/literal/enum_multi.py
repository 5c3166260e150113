"""EnumMulti with the paper's own rules: lengths of blocks from edge to edge, and its rule for c-approximate answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.hierarchies import Domain, ScaledDomain
from sfumato.loss import find_objective
from sfumato.methods import EnumMulti, Task
from sfumato.methods.enumeration.enum_multi import ABLE
from sfumato.methods.enumeration.optimality import Optimality
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partition_search import PRIORITIES, BoxFacts, PartitionSearch
from sfumato.methods.enumeration.partitions import Box, PartitionTree
from sfumato.methods.enumeration.search_limits import SearchLimits
from sfumato.methods.enumeration.splits import split_codes
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class LiteralEnumMulti(EnumMulti):
    """Search whole partitions from the uncut table on, as the paper does; small grids only.

    Sfumato's ``MinimumSpan`` asks that what a class shows is wide enough, which its rows decide. Here the block is
    shown, from cut to cut, and it is the block that must be wide enough. And Sfumato drops a branch if its bound is
    near enough to the best partition known; the paper, if it is to the cost of the branch's own partition: it drops
    fewer.

    Parameters
    ----------
    lengths
        The least distance between the edges of a block, by quasi-identifier.
    approximation
        The c of a c-approximate answer: a branch is dropped if its bound is more than 1/c of what its partition costs.
    """

    lengths: Mapping[str, float] = field(default_factory=dict)
    approximation: float | None = None

    name: ClassVar[str] = "enum-multi-literal"

    def run(self, task: Task) -> Recoding:
        """Search, and show blocks from edge to edge."""
        cuts = split_codes(task.microdata, self.splits, self.placing)
        instance = PartitionProblem.of(
            task.requirements, cuts, find_objective("EnumMulti", self.minimize, ABLE), self.gap
        )
        limits = SearchLimits(self.time_limit, self.memory_limit, task.progress)
        search = LiteralSearch(instance, limits, self)
        with limits.interrupts:
            found = search.run()
        if not np.isfinite(found.value):
            raise InfeasibleError("Not even the uncut table is as long as the lengths ask for.")
        optimality = Optimality(
            instance.objective.name,
            instance.shown(found.value),
            instance.shown(found.bound),
            instance.shown(found.greedy),
            found.nodes,
            found.ended,
        )
        details = {"optimality": optimality}
        return Recoding(classes=found.blocks[instance.table.of_row], bounds=search.bounds(), details=details)


class LiteralSearch(PartitionSearch):
    """The product's search over partitions with the paper's rules, beginning with the uncut table."""

    def __init__(self, instance: PartitionProblem, limits: SearchLimits, method: LiteralEnumMulti) -> None:
        super().__init__(instance, limits, PRIORITIES[method.priority])
        self.method = method
        self.value, self.best = np.inf, PartitionTree.leaf(())
        domains = instance.requirements.microdata.domains
        self.lengths = [method.lengths.get(domain.name, 0.0) for domain in domains]
        self.edges = [edges_of(domain, slabs) for domain, slabs in zip(domains, self._slabs(), strict=True)]

    def promising(self, bound: float, cost: float) -> bool:
        """Whether a branch is kept: by the paper's ratio where an approximation is asked for."""
        c = self.method.approximation
        return super().promising(bound, cost) if c is None else bound <= cost / c

    def of(self, box: Box) -> BoxFacts:
        """What is known about a box; one that is too short is not allowed, nor is anything inside it."""
        facts = super().of(box)
        if facts.rows and any(
            edges[last + 1] - edges[first] < length
            for (first, last), edges, length in zip(box, self.edges, self.lengths, strict=True)
        ):
            return BoxFacts(facts.rows, np.inf, np.inf, False)
        return facts

    def take(self, tree: PartitionTree, cost: float) -> None:
        """Remember the best partition so far, and its blocks."""
        super().take(tree, cost)
        self.best = tree

    def bounds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last code of every block of the best partition."""
        slabs = self._slabs()
        first = [[slabs[at][lo][0] for at, (lo, _) in enumerate(box)] for box in self.best.leaves]
        last = [[slabs[at][hi][1] for at, (_, hi) in enumerate(box)] for box in self.best.leaves]
        return np.array(first, np.int64), np.array(last, np.int64)

    def _slabs(self) -> list[NDArray[np.int64]]:
        grid = self.instance.table.grid
        return np.split(grid.edges, grid.slabs[1:-1])


def edges_of(domain: Domain, slabs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Where the slabs of an attribute are cut, and its first and last value: in its unit, or as codes."""
    cuts = np.append(0, slabs[:, 1])
    if isinstance(domain, ScaledDomain) and not domain.has_missing:
        return domain.positions[cuts] * domain.extent
    return cuts.astype(np.float64)
