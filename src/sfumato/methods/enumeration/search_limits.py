"""The limits of a search in time, work and memory, and its progress reports."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from sfumato.common.interrupts import Interrupts
from sfumato.common.progress import Progress, silent
from sfumato.methods.enumeration.optimality import INTERRUPT, TIME, WORK, Course, figure
from sfumato.methods.enumeration.partition_problem import PartitionProblem

#: The work limit of a search without a time limit, in values visited: a base, an amount per row, and a maximum. That is
#: some seconds for a large table, less for a small one, and the same on every machine.
BASE_WORK, ROW_WORK, MOST_WORK = 20_000_000, 5_000, 1_000_000_000


@dataclass(frozen=True)
class SearchLimits:
    """The limits of a search, and the listener to its progress.

    Attributes
    ----------
    seconds
        The time limit; None sets a limit on work instead, so that the answer does not depend on the machine.
    megabytes
        The memory limit.
    progress
        The listener to progress.
    share
        The share of the work limit that applies without a time limit.
    begun
        The start of the search.
    interrupts
        Whether the user asked to stop.
    course
        The record of best cost and bound over time.
    """

    seconds: float | None = None
    megabytes: float = 512.0
    progress: Progress = field(default=silent, repr=False)
    share: float = 1.0
    begun: float = field(default_factory=time.perf_counter, repr=False)
    interrupts: Interrupts = field(default_factory=Interrupts, repr=False)
    course: Course = field(default_factory=Course, repr=False)

    def over(self) -> bool:
        """Whether the time limit is reached, or the user asked to stop."""
        return self.interrupts.asked or (self.seconds is not None and self.elapsed > self.seconds)

    def tired(self, instance: PartitionProblem, work: float) -> bool:
        """Whether this much work reaches the limit, or another reason ends the search."""
        return self.over() or work >= self.most_work(instance)

    @property
    def reason(self) -> str:
        """Why a search stops before it is complete."""
        if self.interrupts.asked:
            return INTERRUPT
        return WORK if self.seconds is None else TIME

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.begun

    def most_work(self, instance: PartitionProblem) -> float:
        """The limit on values visited; infinite with a time limit."""
        if self.seconds is not None:
            return math.inf
        return self.share * min(MOST_WORK, BASE_WORK + ROW_WORK * instance.table.rows)

    def restarted(self) -> SearchLimits:
        """The same limits, with the clock of the search and of its course restarted."""
        begun = time.perf_counter()
        self.course.begun = begun
        return replace(self, begun=begun)

    def until(self, share: float) -> SearchLimits:
        """The same clock with limits reduced to a share of the total, not of what is left."""
        seconds = None if self.seconds is None else self.seconds * share
        return replace(self, seconds=seconds, share=self.share * share)

    def part(self, share: float) -> SearchLimits:
        """Limits for a share of what is left; they are for another problem, so its course is recorded separately."""
        left = None if self.seconds is None else max(0.0, self.seconds - self.elapsed) * share
        return replace(self, seconds=left, share=self.share * share, begun=time.perf_counter(), course=Course())

    def tell(self, instance: PartitionProblem, value: float, bound: float, nodes: int) -> None:
        """Report the best cost, the bound, the gap between them, and the number of nodes."""
        if not (math.isfinite(value) and math.isfinite(bound)):
            return
        cost, least = instance.shown(value), instance.shown(bound)
        self.course.note(cost, least)
        share = min(1.0, max(0.0, least / cost)) if cost > 0 else 1.0
        gap = f"{cost / least - 1:.2%}" if least > 0 else "unknown"
        self.progress(f"best {figure(cost)}, bound {figure(least)}, gap {gap}, {nodes:,} nodes", share)
