"""The method `proven`: low loss, and a proof of how far it is from the least possible."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.interrupts import Interrupts
from sfumato.loss.bound.cutting_planes import Stop
from sfumato.methods.base import Method, Task, register
from sfumato.methods.details import MethodDetails
from sfumato.methods.portfolio import Candidate, cheap, suitable, try_all
from sfumato.methods.proven.proof import Proof
from sfumato.methods.refinement import RefinementLimit
from sfumato.methods.refinement.search import refine
from sfumato.methods.task_loss import TaskLoss
from sfumato.methods.warm_up import warm_up
from sfumato.table.recoding import Recoding

Classes = NDArray[np.int32]

#: The shares of the time after which prices are followed, and after which every row has a class; the same where boxes
#: are searched for around rows, which takes longer.
PRICES_UNTIL, DIVE_UNTIL = 0.25, 0.45
SEARCHED_UNTIL, SEARCHED_DIVE_UNTIL = 0.45, 0.6

#: Rounds of the linear program and of refinement without a time limit, and how many rows may be examined where boxes
#: are searched for around rows: no round begins beyond, half a minute of a core.
PRICE_ROUNDS, ROUNDS, EXAMINED = 12, 64, 300_000_000

#: The share of the usual work around every row that is enough to call every kernel once.
LITTLE = 1e-4

#: With a time limit, refinement runs in slices, and the gap is checked after each.
SLICES = 4


@dataclass(frozen=True)
class Proven(Method):
    """Prove a bound that every release must lose, derive classes from the proof, and refine them.

    With models other than k-anonymity and frequency l-diversity, or more than 60,000 distinct rows, it starts from the
    classes of other methods.

    Parameters
    ----------
    time_limit
        Seconds, without the compilation of a first run. None: a fixed amount of work, which gives the same result on
        every machine. A time limit does not.
    gap
        Stop as soon as the loss is proven to be at most this share above the least possible.
    """

    time_limit: float | None = None
    gap: float | None = None

    name: ClassVar[str] = "proven"
    summary: ClassVar[str] = "Low loss, with a proof of how near it is to the least possible."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False
    effort: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            parameters.number("Proven", "time_limit", self.time_limit, above=0)
        if self.gap is not None:
            parameters.number("Proven", "gap", self.gap, at_least=0)

    def run(self, task: Task) -> Recoding:
        """Raise prices, open classes, refine them."""
        if self.time_limit is not None:
            warm_up(task, Warming(gap=self.gap))
        begin = time.perf_counter()
        seconds = np.inf if self.time_limit is None else self.time_limit
        goal, proof = TaskLoss(task), Proof(task, self.effort)
        rounds, work = (PRICE_ROUNDS, EXAMINED) if self.time_limit is None else (1_000, np.inf)
        starts = cheap(task) if proof.shows_classes and proof.listed else suitable(task, self.time_limit)
        found = try_all(goal, list(starts))
        with Interrupts() as interrupts:
            priced, dived = (PRICES_UNTIL, DIVE_UNTIL) if proof.listed else (SEARCHED_UNTIL, SEARCHED_DIVE_UNTIL)
            # Where no classes follow from prices, raising the bound may take their time, too.
            share = priced if proof.shows_classes else dived
            prices = proof.raised(Stop(begin + share * seconds, rounds, asked=lambda: interrupts.asked, work=work))
            classes = proof.followed(prices, Stop(begin + dived * seconds, asked=lambda: interrupts.asked, work=work))
        if classes is not None:
            found.append(Candidate("following prices", classes, goal.measure_rows(classes)))
        best = min(found, key=lambda candidate: candidate.loss)
        tried = {candidate.method: candidate.loss.loss for candidate in found}
        classes = best.classes
        if not interrupts.asked:
            # Without prices a bound is slow to compute, and only the gap needs it.
            bound = 0.0 if self.gap is None else proof.bound(prices)
            paid = None if prices is None else proof.of_rows(prices)
            classes = self._refined(goal, classes, bound, begin + seconds, paid)
        tried["refined"] = goal.measure_rows(classes).loss
        known = None if prices is None else proof.of_rows(prices)
        details = MethodDetails(tried=tried, chosen=best.method, minimized="gcp", row_prices=known)
        return Recoding(classes=classes, details=details)

    def _refined(
        self, goal: TaskLoss, classes: Classes, bound: float, until: float, prices: NDArray[np.float64] | None
    ) -> Classes:
        """Refine classes until time is up or their loss is near enough to the bound."""
        if self.time_limit is None:
            return (
                classes if self._near(goal, classes, bound) else refine(goal, classes, RefinementLimit(ROUNDS), prices)
            )
        while not self._near(goal, classes, bound) and (left := until - time.perf_counter()) > 0:
            seconds = left if self.gap is None else min(left, max(1.0, left / SLICES))
            classes = refine(goal, classes, RefinementLimit(100_000, seconds, patience=0.0), prices)
        return classes

    def _near(self, goal: TaskLoss, classes: Classes, bound: float) -> bool:
        return self.gap is not None and goal.measure_rows(classes).loss <= bound * (1 + self.gap)


class Warming(Proven):
    """The same with so little work that it only calls every kernel: around rows of many numbers there is much."""

    effort: ClassVar[float] = LITTLE


register()(Proven)
