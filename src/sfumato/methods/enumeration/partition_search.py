"""Branch and bound over the partition enumeration tree, as in the paper."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.enumeration.box_search import seed_partition
from sfumato.methods.enumeration.optimality import GAP, MEMORY, OPTIMUM, ROUNDING, FoundPartition
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partitions import Box, Cut, PartitionTree, cuts_of, sides
from sfumato.methods.enumeration.search_limits import SearchLimits
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

#: The approximate memory of a partition in the queue.
NODE_BYTES = 2_000

#: The work of visiting one partition.
NODE_WORK = 2_000

#: The number of partitions expanded between two checks of the clock.
CHUNK = 200


@dataclass(frozen=True)
class BoxFacts:
    """The facts about a box: its rows, its cost as a block, and a lower bound of the cost of any partition of it."""

    rows: int
    cost: float
    bound: float
    left_out: bool


@dataclass(frozen=True, order=True)
class PartitionNode:
    """A partition in the queue: blocks before ``first`` are final, the others may be cut further."""

    key: float
    serial: int
    tree: PartitionTree = field(compare=False)
    first: int = field(compare=False)
    cost: float = field(compare=False)
    bound: float = field(compare=False)


def _ratio(bound: float, cost: float) -> float:
    """The ratio of bound to cost: the smaller, the more a branch may improve, also if costs are negative."""
    if not np.isfinite(cost) or cost == 0:
        return 0.0
    return bound / cost if cost > 0 else cost / bound


#: The priorities of the queue, by bound and cost: the partition with the least value is expanded next.
PRIORITIES: dict[str, Callable[[float, float], float]] = {
    "bound": lambda bound, cost: bound,
    "cost": lambda bound, cost: cost,
    "ratio": _ratio,
}


def best_by_partitions(instance: PartitionProblem, limits: SearchLimits, priority: str) -> FoundPartition:
    """Find the best partition by a search over whole partitions, starting from Mondrian's."""
    return PartitionSearch(instance, limits, PRIORITIES[priority]).run()


class PartitionSearch:
    """A search with its queue, the best partition so far, and the least bound of all dropped branches."""

    def __init__(
        self, instance: PartitionProblem, limits: SearchLimits, priority: Callable[[float, float], float]
    ) -> None:
        self.instance, self.limits, self.priority = instance, limits, priority
        self.blocks, self.greedy = seed_partition(instance)
        self.value = instance.value(self.blocks)
        self.dropped = np.inf
        self.forgetful = False
        self.facts: dict[Box, BoxFacts] = {}
        self.serial = count()
        self.nodes = 0
        self.queue: list[PartitionNode] = []

    def run(self) -> FoundPartition:
        """Search until no branch can be better, or a limit is reached."""
        ended = GAP
        try:
            slabs = np.diff(self.instance.table.grid.slabs)
            self._meet(PartitionTree.leaf(tuple((0, int(width) - 1) for width in slabs)), 0)
            while self.queue and not self._over():
                for node in islice(iter(self._next, None), CHUNK):
                    self._expand(node)
        except KeyboardInterrupt as interrupt:
            self.limits.interrupts.take(interrupt)
        if self.queue or self.limits.over():
            ended = self.limits.reason
        bound = min(max(self.instance.floor, self._open_bound()), self.value)
        if bound >= self.value - abs(self.value) * ROUNDING:
            ended = OPTIMUM
        elif self.forgetful:
            ended = MEMORY
        return FoundPartition(self.blocks, self.value, bound, self.greedy, self.nodes, ended)

    def _next(self) -> PartitionNode | None:
        return heapq.heappop(self.queue) if self.queue else None

    def _open_bound(self) -> float:
        return min(self.dropped, min((node.bound for node in self.queue), default=np.inf))

    def _over(self) -> bool:
        self.limits.tell(self.instance, self.value, min(self.value, self._open_bound()), self.nodes)
        return self.limits.tired(self.instance, self.nodes * NODE_WORK)

    def _expand(self, node: PartitionNode) -> None:
        """Visit all children of a partition, unless none of them can be sufficiently better."""
        if not self.promising(node.bound, node.cost):
            self.dropped = min(self.dropped, node.bound)
            return
        for leaf in range(node.first, len(node.tree.leaves)):
            for cut in self._useful_cuts(node.tree.leaves[leaf]):
                if self.limits.over():
                    self.dropped = min(self.dropped, node.bound)
                    return
                grown = node.tree.grown(leaf, cut)
                if grown is not None:
                    self._meet(grown, leaf)

    def _useful_cuts(self, box: Box) -> Iterator[Cut]:
        """Yield the cuts with rows on both sides: separating an empty block changes no class."""
        for cut in cuts_of(box):
            if all(self.of(side).rows for side in sides(box, cut)):
                yield cut

    def _meet(self, tree: PartitionTree, first: int) -> None:
        """Keep a partition if it is the best so far, and queue it if its branch can be better still."""
        self.nodes += 1
        facts = [self.of(box) for box in tree.leaves]
        cost = sum(fact.cost for fact in facts)
        bound = sum(fact.cost for fact in facts[:first]) + sum(fact.bound for fact in facts[first:])
        if cost < self.value:
            self.take(tree, cost)
        if not self.promising(bound, cost):
            self.dropped = min(self.dropped, bound)
            return
        heapq.heappush(
            self.queue, PartitionNode(self.priority(bound, cost), next(self.serial), tree, first, cost, bound)
        )
        if len(self.queue) > self._room:
            self._drop()

    def promising(self, bound: float, cost: float) -> bool:
        """Whether a branch with this bound can be better than the best partition by more than the gap."""
        gap = self.instance.gap
        enough = bound * (1 + gap) if self.value > 0 else bound / (1 + gap)
        return enough < self.value - abs(self.value) * 1e-12

    def take(self, tree: PartitionTree, cost: float) -> None:
        """Keep the best partition so far."""
        self.value, self.blocks = cost, self._blocks(tree)

    @cached_property
    def _room(self) -> int:
        return max(1, int(self.limits.megabytes * 1e6 / NODE_BYTES))

    def _drop(self) -> None:
        """Drop the less urgent half of the queue; only the least of its bounds is kept, for the guarantee."""
        self.forgetful = True
        self.queue.sort()
        half = (len(self.queue) + 1) // 2
        self.dropped = min(self.dropped, *(node.bound for node in self.queue[half:]))
        del self.queue[half:]

    def of(self, box: Box) -> BoxFacts:
        """The facts about a box, computed once."""
        if box not in self.facts:
            self.facts[box] = describe(self.instance, box)
        return self.facts[box]

    def _blocks(self, tree: PartitionTree) -> NDArray[np.int32]:
        blocks = np.full(len(self.instance.table.grid.rows), SUPPRESSED, np.int32)
        for block, box in enumerate(tree.leaves):
            if not self.of(box).left_out:
                blocks[inside(self.instance, box)] = block
        return blocks


def inside(instance: PartitionProblem, box: Box) -> NDArray[np.bool_]:
    """Which atoms lie in a box."""
    grid = instance.table.grid
    lo, hi = np.array(box).T + grid.slabs[:-1]
    found: NDArray[np.bool_] = ((grid.cells >= lo) & (grid.cells <= hi)).all(axis=1)
    return found


def describe(instance: PartitionProblem, box: Box) -> BoxFacts:
    """Compute the facts about a box from the readable definitions of costs and models."""
    atoms = inside(instance, box)
    grid, costs = instance.problem.grid, instance.problem.costs
    rows = int(grid.rows[atoms].sum())
    if not rows:
        return BoxFacts(0, 0.0, 0.0, False)
    alone = np.where(atoms, 0, SUPPRESSED).astype(np.int32)
    cost = instance.class_costs(alone) if _allowed(instance, atoms) else np.inf
    left_out = rows * costs.suppressed < cost
    cost = min(cost, rows * costs.suppressed)
    bound = max(float(costs.floor[rows]), float(grid.floors[atoms].sum()))
    settled = not np.isfinite(instance.price) and (
        rows < 2 * costs.smallest or (costs.monotone and not np.isfinite(cost))
    )
    return BoxFacts(rows, cost, cost if settled else min(bound, cost) if costs.monotone else bound, left_out)


def _allowed(instance: PartitionProblem, atoms: NDArray[np.bool_]) -> bool:
    """Whether these atoms may form a class; the other rows are passed on for models that compare with them."""
    requirements = instance.requirements
    blocks = np.where(atoms, 0, 1).astype(np.int32)[instance.table.of_row]
    classes = EquivalenceClasses.of(requirements.microdata, Recoding(classes=blocks))
    return all(rule.model.holds(rule, requirements.microdata, classes)[0] for rule in requirements.bound)
