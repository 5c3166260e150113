"""Cell generalization: local recoding that releases every row at the node of the lattice that costs it least."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.loss import METRICS
from sfumato.methods.base import Method, Task, register
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.scores import Scorer
from sfumato.methods.recoding_models.best_cells import best_classes
from sfumato.methods.recoding_models.optimality import least_by_row, with_optimality
from sfumato.methods.recoding_models.value_groups import keeps
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, Recoding

#: How many nodes are tried in order of loss; after that one path leads to the top.
NODES = 4_096


@dataclass(frozen=True)
class CellGeneralization(Method):
    """Release rows at the cheapest node at which enough of the remaining rows are alike.

    Nodes of the lattice are tried in order of loss; at each, the allowed classes of the remaining rows are released.
    The rows left at the top are suppressed if the budget allows it, else joined to classes. The best such recoding is
    NP-hard; this search is greedy, and exact on tables of about 14 different rows, or a few more with many equal ones.
    Elsewhere the optimality gives a bound.
    """

    name: ClassVar[str] = "cell-generalization"
    summary: ClassVar[str] = "Every cell at a level of its own, rows released at their cheapest node; the best if few."
    recoding: ClassVar[str] = "local"

    def run(self, task: Task) -> Recoding:
        """Find the best classes of a small table; on others release rows node by node, and bound the optimum."""
        seen = self._seen(task)
        best = None if task.suppressible else best_classes(seen)
        if best is not None:
            return with_optimality(task, best.recoding, self.name, best.loss, best.looked_at)
        bound = least_by_row(NodeJudge(seen), as_regions=True)
        greedy = self._greedy(task)
        return greedy if bound is None else with_optimality(task, greedy, self.name, bound, 0)

    def _greedy(self, task: Task) -> Recoding:
        """Release rows node by node; without suppression if suppressing rows would break a model of the release."""
        recoding = self._released(task)
        return recoding if keeps(task, recoding) else self._released(replace(task, suppressible=0))

    def _released(self, task: Task) -> Recoding:
        task = self._seen(task)
        remaining = _Remaining(task)
        for node in _cheapest_first(remaining.scorer, task.microdata):
            if not len(remaining.rows):
                break
            remaining.release(node)
        return remaining.finish()

    def _seen(self, task: Task) -> Task:
        return task


class _Remaining:
    """The rows not yet released, and the classes of those that are."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.judge = NodeJudge(task)
        self.scorer = Scorer(self.judge)
        self.rows = np.arange(len(task.microdata))
        self.classes = np.full(len(task.microdata), SUPPRESSED, np.int32)
        self.lo: list[NDArray[np.int64]] = []
        self.hi: list[NDArray[np.int64]] = []
        self.hidden: list[NDArray[np.bool_]] = []
        self.count = 0

    def release(self, node: Levels) -> None:
        """Release the remaining rows whose classes at a node are allowed."""
        roller = self.judge.roller
        keys = self.judge.row_keys[self.rows]
        counted: Frequencies = roller.scan(keys, None, node, in_order=True)
        if self.judge.size_only and counted.small == len(keys):
            return
        allowed, _, _ = self.judge.judge_once(counted)
        if not allowed.any():
            return
        of_row, _ = roller.classes(keys, roller.bottom, node)
        going = allowed[of_row]
        number = np.cumsum(allowed) - 1 + self.count
        self.classes[self.rows[going]] = number[of_row[going]]
        self._show(node, self.rows[going], of_row[going])
        self.count += int(allowed.sum())
        self.rows = self.rows[~going]

    def _show(self, node: Levels, rows: NDArray[np.int64], of_row: NDArray[np.int32]) -> None:
        """Record what the new classes show: their groups at the node."""
        first = rows[np.unique(of_row, return_index=True)[1]]
        edges = self.judge.roller.edges
        shown = []
        for at, level in enumerate(node):
            groups = self.task.microdata.domains[at].levels[level].groups[self.task.microdata.codes[first, at]]
            shown.append(edges.codes[edges.at[at, level] + groups])
        bounds = np.stack(shown, axis=1)
        self.lo.append(bounds[:, :, 0])
        self.hi.append(bounds[:, :, 1])
        self.hidden.append(np.broadcast_to(np.array(node) == self.judge.roller.top, bounds.shape[:2]))

    def finish(self) -> Recoding:
        """Suppress the rows that no node released, or join them with classes until that is allowed."""
        empty = np.empty((0, len(self.task.microdata.domains)), np.int64)
        lo, hi = np.concatenate([empty, *self.lo]), np.concatenate([empty, *self.hi])
        hidden = np.concatenate([empty.astype(bool), *self.hidden])
        if len(self.rows) > self.task.suppressible:
            lo, hi = self._join(lo, hi)
            hidden = np.vstack([hidden, np.ones((1, hidden.shape[1]), bool)])
        return Recoding(classes=self.classes, bounds=(lo, hi), hidden=hidden)

    def _join(self, lo: NDArray[np.int64], hi: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Join the remaining rows and the widest classes in one class that shows ``*``, until it is allowed."""
        top = self.judge.roller.top
        costs = self.task.microdata.penalties(lo, hi)
        joined = self.classes == SUPPRESSED
        for widest in [-1, *np.argsort(-costs, kind="stable").tolist()]:
            joined |= self.classes == widest
            counted = self.judge.roller.scan(self.judge.row_keys[joined], None, top)
            if self.judge.judge_once(counted)[0].all():
                break
        self.classes[joined] = len(lo)
        last = np.array([[domain.size - 1 for domain in self.task.microdata.domains]])
        return np.vstack([lo, np.zeros_like(last)]), np.vstack([hi, last])


def _cheapest_first(scorer: Scorer, microdata: Microdata) -> Iterator[Levels]:
    """Yield the first nodes in order of loss, then one path to the top."""
    tops = tuple(domain.top for domain in microdata.domains)
    totals = scorer.costs(METRICS["gcp"]).totals
    waiting: list[tuple[float, int, Levels]] = [(0.0, 0, (0,) * len(tops))]
    seen = {waiting[0][2]}
    node = waiting[0][2]
    for _ in range(NODES):
        if not waiting:
            return
        loss, height, node = heapq.heappop(waiting)
        yield node
        for at, top in enumerate(tops):
            above = (*node[:at], node[at] + 1, *node[at + 1 :])
            if node[at] < top and above not in seen:
                seen.add(above)
                raised = loss + float(totals[at, node[at] + 1] - totals[at, node[at]])
                heapq.heappush(waiting, (raised, height + 1, above))
    for at in np.argsort([-domain.size for domain in microdata.domains], kind="stable"):
        node = (*node[:at], tops[at], *node[at + 1 :])
        yield node


register()(CellGeneralization)
