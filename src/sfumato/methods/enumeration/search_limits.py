"""Watching a search: how long it may take, and telling how far it is."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from sfumato.common.progress import Progress, silent
from sfumato.methods.enumeration.optimality import INTERRUPT, TIME, WORK, Course, figure
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.interrupts import Interrupts

#: Without a limit on time, a search may look at this many values, and as many for each row, but no more than that:
#: some seconds for a large table, less for a small one, and everywhere the same values.
BASE_WORK, ROW_WORK, MOST_WORK = 20_000_000, 5_000, 1_000_000_000


@dataclass(frozen=True)
class SearchLimits:
    """The limits of a search and its listener.

    Attributes
    ----------
    seconds
        How long it may take; None sets a limit on work instead, so that the answer does not depend on the machine.
    megabytes
        How much it may remember.
    progress
        Where to tell how far it is.
    share
        Which share it may take of the work that is allowed without a limit on time.
    begun
        When it began.
    interrupts
        Whether somebody asked to stop.
    course
        Where what is told is remembered.
    """

    seconds: float | None = None
    megabytes: float = 512.0
    progress: Progress = field(default=silent, repr=False)
    share: float = 1.0
    begun: float = field(default_factory=time.perf_counter, repr=False)
    interrupts: Interrupts = field(default_factory=Interrupts, repr=False)
    course: Course = field(default_factory=Course, repr=False)

    def over(self) -> bool:
        """Return whether the time is up, or somebody asked to stop."""
        return self.interrupts.asked or (self.seconds is not None and self.elapsed > self.seconds)

    def tired(self, instance: PartitionProblem, work: float) -> bool:
        """Return whether so much work is enough, or there is another reason to end."""
        return self.over() or work >= self.most_work(instance)

    @property
    def reason(self) -> str:
        """Why a search ends that could have gone on."""
        if self.interrupts.asked:
            return INTERRUPT
        return WORK if self.seconds is None else TIME

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.begun

    def most_work(self, instance: PartitionProblem) -> float:
        """Return how many values may be looked at: with a limit on time, any number."""
        if self.seconds is not None:
            return math.inf
        return self.share * min(MOST_WORK, BASE_WORK + ROW_WORK * instance.table.rows)

    def restarted(self) -> SearchLimits:
        """Return a watch with the same limits that begins now, and with it the course."""
        begun = time.perf_counter()
        self.course.begun = begun
        return replace(self, begun=begun)

    def until(self, share: float) -> SearchLimits:
        """Return the same watch that ends when this share is used up, of all and not of what is left."""
        seconds = None if self.seconds is None else self.seconds * share
        return replace(self, seconds=seconds, share=self.share * share)

    def part(self, share: float) -> SearchLimits:
        """Return a watch for a share of what is left; it is for another question, so its course is its own."""
        left = None if self.seconds is None else max(0.0, self.seconds - self.elapsed) * share
        return replace(self, seconds=left, share=self.share * share, begun=time.perf_counter(), course=Course())

    def tell(self, instance: PartitionProblem, value: float, bound: float, nodes: int) -> None:
        """Tell the best cost, the bound, how far they are apart, and how much was looked at."""
        if not (math.isfinite(value) and math.isfinite(bound)):
            return
        cost, least = instance.shown(value), instance.shown(bound)
        self.course.note(cost, least)
        share = min(1.0, max(0.0, least / cost)) if cost > 0 else 1.0
        gap = f"{cost / least - 1:.2%}" if least > 0 else "unknown"
        self.progress(f"best {figure(cost)}, bound {figure(least)}, gap {gap}, {nodes:,} nodes", share)
