"""Peeling: full-domain nodes in order of loss, each releasing the rows that it can protect."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass
from functools import cached_property
from operator import getitem
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.loss import Minimized, find_objective
from sfumato.loss.objective import SPANS
from sfumato.methods.base import Method, Task, register
from sfumato.methods.details import MethodDetails
from sfumato.methods.kernels.peeling import NodeCells, TupleCounts, peel_node
from sfumato.methods.multidim.best_cuts import cut_classes
from sfumato.methods.refinement.kernel_arguments import plain_aim
from sfumato.methods.refinement.kernels.move_rows import Neighbours, join_rows
from sfumato.methods.refinement.kernels.mutable_classes import Table, make_grouping
from sfumato.methods.refinement.neighbour_orders import NeighbourOrders
from sfumato.methods.search_levels import level_costs, search_levels
from sfumato.methods.suppression import trim
from sfumato.methods.task_loss import TaskLoss
from sfumato.table.frequency import FrequencySet, frequency_set
from sfumato.table.recoding import Recoding, rows_by_class

Node = tuple[int, ...]

#: How many orders of rows are tried before classes are merged.
ORDERS = 8

#: How many neighbours on either side of a row are considered for a class to join.
WINDOW = 48

#: Node losses are recomputed whenever this share of the waiting tuples has been released.
REWEIGH = 0.1


@dataclass(frozen=True)
class Peeling(Method):
    """Visit full-domain nodes in order of loss; at each, release the rows whose cell keeps the models.

    Rows that no node can release join the class where they cost least; cells with enough rows for two classes are cut.
    Every class shows what its rows span, which is often narrower than the cell of its node.

    Parameters
    ----------
    nodes
        The most nodes to visit; the remaining rows form one cell, which is cut.
    minimize
        What is minimized: ``"gcp"``, ``"entropy"``, a list of queries, or an `Objective` about what classes span.
    time_limit
        Seconds after which no further node is visited. None: all nodes, which gives the same result on every machine.
    visits
        The most distinct rows to look at, over all nodes; None: no limit. It limits the time like ``time_limit``, but
        gives the same result on every machine.
    asleep
        The chance of every distinct row to be passed over at a node, although it could be shown there. Whoever knows
        the method then cannot conclude from a coarse row that it was too rare for finer ones. 0: none is.
    """

    nodes: int = 20_000
    minimize: Minimized = "gcp"
    time_limit: float | None = None
    visits: int | None = None
    asleep: float = 0.0

    name: ClassVar[str] = "peeling"
    summary: ClassVar[str] = "Every row at the finest full-domain node that protects it; spans tightened. O(nodes n)."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False
    lowers: ClassVar[frozenset[str]] = frozenset({SPANS})

    def __post_init__(self) -> None:
        find_objective("Peeling", self.minimize, self.lowers)
        parameters.integer("Peeling", "nodes", self.nodes, at_least=1)
        if self.time_limit is not None:
            parameters.number("Peeling", "time_limit", self.time_limit, above=0)
        if self.visits is not None:
            parameters.integer("Peeling", "visits", self.visits, at_least=1)
        parameters.share("Peeling", "asleep", self.asleep)

    def run(self, task: Task) -> Recoding:
        """Peel, join the remaining rows, cut large cells, and suppress rows where that is allowed and saves most."""
        task = TaskLoss(task, find_objective("Peeling", self.minimize, self.lowers)).lowered
        until = np.inf if self.time_limit is None else time.perf_counter() + self.time_limit
        walk = _Walk(task, self.asleep)
        visited = walk.run(self.nodes, until, np.inf if self.visits is None else self.visits)
        classes = join_leftovers(task, walk.of_tuple[walk.frequencies.of_row])
        return Recoding(classes=trim(task, cut_classes(task, classes)), details=MethodDetails(nodes_visited=visited))


class _Walk:
    """One walk over the nodes of a table."""

    def __init__(self, task: Task, asleep: float = 0.0) -> None:
        self.task = task
        self.asleep = asleep
        self.random = task.random()
        self.frequencies: FrequencySet = frequency_set(task.microdata)
        self.of_tuple = np.full(len(self.frequencies), -1, np.int32)
        self.waiting = np.arange(len(self.frequencies), dtype=np.int32)
        self.classes = 0
        domains = task.microdata.domains
        self.levels = [search_levels(domain) for domain in domains]
        self.costs = [level_costs(domain, levels) for domain, levels in zip(domains, self.levels, strict=True)]
        self.hashes, self.begins = _hashed(self.levels)

    def run(self, most: int, until: float, visits: float = np.inf) -> int:
        """Visit nodes best first until no tuple waits or a limit is reached, the whole table last; count the nodes."""
        start: Node = (0,) * len(self.levels)
        weights = self._weights()
        heap, seen = [(0.0, start)], {start}
        visited, waited = 0, len(self.waiting)
        while heap and len(self.waiting) and visited < most and visits > 0 and time.perf_counter() < until:
            _, node = heapq.heappop(heap)
            visits -= len(self.waiting)
            self._peel_awake(node)
            visited += 1
            self._report(visited)
            for following in self._successors(node):
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (_loss(weights, following), following))
            if len(self.waiting) < (1 - REWEIGH) * waited:
                waited, weights = len(self.waiting), self._weights()
                heap = [(_loss(weights, other), other) for _, other in heap]
                heapq.heapify(heap)
        self._peel(tuple(len(levels) - 1 for levels in self.levels))
        return visited

    def _report(self, visited: int) -> None:
        if visited % 64 == 0:
            self.task.progress("peeling", 1 - len(self.waiting) / len(self.frequencies))

    def _successors(self, node: Node) -> list[Node]:
        return [
            (*node[:at], level + 1, *node[at + 1 :])
            for at, level in enumerate(node)
            if level + 1 < len(self.levels[at])
        ]

    def _weights(self) -> list[list[float]]:
        """Compute what every level of every attribute costs the waiting rows."""
        counts = self.frequencies.counts[self.waiting]
        total = max(1, int(counts.sum()))
        weights = []
        for at, costs in enumerate(self.costs):
            codes = self.frequencies.codes[self.waiting, at]
            shares = np.bincount(codes, counts, minlength=costs.shape[1]) / total
            weights.append((self.task.microdata.weights[at] * (costs @ shares)).tolist())
        return weights

    def _peel_awake(self, node: Node) -> None:
        """Peel the tuples that are not passed over at this node."""
        if not self.asleep:
            self._peel(node)
            return
        everybody = self.waiting
        sleeping = self.random.random(len(everybody)) < self.asleep
        self.waiting = everybody[~sleeping]
        self._peel(node)
        self.waiting = np.sort(np.concatenate([self.waiting, everybody[sleeping]]))

    def _peel(self, node: Node) -> None:
        requirements = self.task.requirements
        at = np.array([begins[level] for begins, level in zip(self.begins, node, strict=True)])
        self.classes, left = peel_node(
            self._compiled,
            requirements.rules,
            max(1, requirements.smallest_class),
            self.hashes,
            at,
            self.waiting,
            self.of_tuple,
            self.classes,
            self._cells,
        )
        self.waiting = self.waiting[:left]

    @cached_property
    def _compiled(self) -> TupleCounts:
        found = self.frequencies
        rows, begins = rows_by_class(found.of_row)
        sensitive = self.task.requirements.sensitive_codes[rows]
        return TupleCounts(np.ascontiguousarray(found.codes, np.uint32), found.counts, sensitive, begins)

    @cached_property
    def _cells(self) -> NodeCells:
        size = max(64, 1 << (2 * len(self.frequencies) - 1).bit_length())
        tuples = np.empty((len(self.frequencies), 2), np.int32)
        return NodeCells(np.empty((size, 2), np.int64), np.empty(size, np.int32), tuples)


def _loss(weights: list[list[float]], node: Node) -> float:
    return sum(map(getitem, weights, node))


def _hashed(levels: list[list[NDArray[np.int64]]]) -> tuple[NDArray[np.uint64], list[list[int]]]:
    """Assign a random number to every group of every level; return them with the offset of each level.

    The key of a cell is the sum of its groups' numbers. The seed is fixed, so results are reproducible.
    """
    random = np.random.default_rng(0)
    pool: list[NDArray[np.uint64]] = []
    begins: list[list[int]] = []
    total = 0
    for of_attribute in levels:
        begins.append([])
        for groups in of_attribute:
            pool.append(random.integers(1 << 64, size=int(groups[-1]) + 1, dtype=np.uint64, endpoint=False)[groups])
            begins[-1].append(total)
            total += len(groups)
    return np.concatenate(pool), begins


def join_leftovers(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Complete allowed classes so that every row has one; rows without a class are marked -1."""
    if (classes >= 0).all():
        return classes
    joined = _join(task, classes) if (classes >= 0).any() else classes
    return joined if (joined >= 0).all() else _merge(task, joined)


def _join(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Let rows join classes that remain allowed with them."""
    table = Table(np.ascontiguousarray(task.microdata.codes, np.uint32), task.requirements.sensitive_codes)
    aim = plain_aim(task)
    groups = make_grouping(table, aim, classes.copy())
    orders, random = NeighbourOrders(task.microdata.domains), task.random()
    for _ in range(ORDERS):
        if (groups.of_row >= 0).all():
            break
        join_rows(table, aim, groups, Neighbours.of(orders.order(table.codes, random)), WINDOW)
    return groups.of_row


def _merge(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Merge the remaining rows with as few classes as needed; the whole table is allowed, so this ends."""
    order = NeighbourOrders(task.microdata.domains).order(task.microdata.codes, task.random())
    lonely = np.flatnonzero(classes[order] < 0)
    distance = np.abs(np.arange(len(order)) - lonely[len(lonely) // 2])
    nearest = classes[order[np.argsort(distance, kind="stable")]]
    found, first = np.unique(nearest[nearest >= 0], return_index=True)
    queue = found[np.argsort(first)]
    merged = int(classes.max(initial=-1)) + 1
    count = 0
    while True:
        trial = classes.copy()
        trial[(classes < 0) | np.isin(classes, queue[:count])] = merged
        if count >= len(queue) or not task.requirements.broken_by(Recoding(classes=trial)):
            return trial
        count = max(1, 2 * count)


register()(Peeling)
