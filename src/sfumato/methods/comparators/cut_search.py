"""Branch and bound over all sets of cuts: the most promising first, none twice, none that a bound rules out."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.common.interrupts import Interrupts
from sfumato.common.progress import Progress, silent
from sfumato.methods.comparators.cut_table import Cuts, CutTable
from sfumato.methods.comparators.kernels.k_optimize import BOUND, COST, LEFT_OUT, SURELY_OUT
from sfumato.methods.enumeration.optimality import INTERRUPT, OPTIMUM, ROUNDING, TIME, WORK, Course, figure

Figures = NDArray[np.float64]

#: The fixed work of a step, in rows visited.
STEP = 15_000


@dataclass(frozen=True)
class BestCutSet:
    """The best cuts found, their cost, a lower bound for all sets of cuts, and how the search went."""

    cuts: Cuts
    cost: float
    bound: float
    greedy: float
    nodes: int
    ended: str


@dataclass(order=True)
class CutBranch:
    """All sets of cuts that contain ``head`` and otherwise only cuts of ``tail``; none costs less than ``bound``."""

    bound: float
    head: Cuts = field(compare=False)
    tail: Cuts = field(compare=False)


@dataclass
class CutSearch:
    """A search over sets of cuts.

    Every set is reached once: of the cuts that may still be added, the first may be followed by all others, the second
    by those after it, and so on. All models are monotone, so rows that a cut leaves out stay out with further cuts.

    Attributes
    ----------
    table
        The rows, the cuts and their costs.
    budget
        How many rows may be left out.
    seconds, work
        The time limit, or, without one, the limit on rows visited.
    course
        The record of best cost and bound over time.
    """

    table: CutTable
    budget: int = 0
    seconds: float | None = None
    work: float = np.inf
    progress: Progress = silent
    course: Course = field(default_factory=Course, repr=False)

    def run(self) -> BestCutSet:
        """Search until the best cuts are proven or a limit is reached."""
        self._done, self._nodes, self._begun = 0, 0, time.perf_counter()
        everything = tuple(range(len(self.table.cuts)))
        with Interrupts() as self._interrupts:
            self._start(everything)
            greedy = self._cost
            waiting = [CutBranch(0.0, (), everything)] if everything else []
            while waiting and waiting[0].bound < self._goal and not self._over:
                for node in self._expand(heapq.heappop(waiting)):
                    heapq.heappush(waiting, node)
                self._tell(waiting)
        unseen = [node.bound for node in waiting[:1] if node.bound < self._goal]
        ended = OPTIMUM if not unseen else self._reason
        return BestCutSet(self._best, self._cost, min(unseen, default=self._cost), greedy, self._nodes, ended)

    @property
    def _goal(self) -> float:
        """The cost below which a set of cuts is an improvement."""
        return self._cost * (1 - ROUNDING)

    def _start(self, tail: Cuts) -> None:
        """Start with a greedy solution: from no cuts, add the one that lowers the cost most while any does."""
        self._best: Cuts = ()
        self._cost = self.table.cost(())
        while tail and not self._over:
            found, tail = self._try(self._best, tail, self.table.floors(self._best))
            before = self._cost
            self._keep_best(self._best, tail, found)
            if self._cost == before:
                break
            tail = tuple(cut for cut in tail if cut not in self._best)

    def _expand(self, node: CutBranch) -> list[CutBranch]:
        """Divide a branch into smaller ones, without those that cannot beat the best set of cuts."""
        self._nodes += 1
        tail = node.tail
        while tail:
            found, left = self._try(node.head, tail, self.table.floors((*node.head, *tail)))
            self._keep_best(node.head, left, found)
            promising = found[:, BOUND] < self._goal
            before, tail = tail, tuple(cut for cut, keep in zip(left, promising, strict=True) if keep)
            found = found[promising]
            # With fewer cuts to come the bounds rise, so what was promising may not be any more.
            if len(tail) == len(before) or self._over:
                break
        if not tail:
            return []
        # The least promising cut is combined with all others, so that bounds rule out the largest branches.
        order = np.argsort(-found[:, BOUND], kind="stable")
        tail = tuple(tail[at] for at in order)
        return [
            CutBranch(max(node.bound, float(found[place, BOUND])), (*node.head, tail[at]), tail[at + 1 :])
            for at, place in enumerate(order)
        ]

    def _try(self, head: Cuts, tail: Cuts, floors: Figures) -> tuple[Figures, Cuts]:
        """Evaluate each cut; returns those, with their figures, that do not already leave out too many rows."""
        self._done += len(tail) * len(self.table) + STEP
        found = self.table.trials(head, tail, floors)
        allowed = found[:, SURELY_OUT] <= self.budget
        return found[allowed], tuple(cut for cut, keep in zip(tail, allowed, strict=True) if keep)

    def _keep_best(self, head: Cuts, tail: Cuts, found: Figures) -> None:
        costs = np.where(found[:, LEFT_OUT] <= self.budget, found[:, COST], np.inf)
        if len(tail) and costs.min() < self._goal:
            at = int(costs.argmin())
            self._best, self._cost = (*head, tail[at]), float(costs[at])

    @property
    def _over(self) -> bool:
        late = self._done > self.work if self.seconds is None else time.perf_counter() - self._begun > self.seconds
        return late or self._interrupts.asked

    @property
    def _reason(self) -> str:
        if self._interrupts.asked:
            return INTERRUPT
        return WORK if self.seconds is None else TIME

    def _tell(self, waiting: list[CutBranch]) -> None:
        bound = min(waiting[0].bound if waiting else self._cost, self._cost)
        cost, least = self.table.shown(self._cost), self.table.shown(bound)
        self.course.note(cost, least)
        text = f"best {figure(cost)}, bound {figure(least)}"
        self.progress(f"{text}, {self._nodes:,} nodes", bound / self._cost if self._cost else 1.0)
