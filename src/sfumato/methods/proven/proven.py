"""The least loss that time allows, and a proof of how far it is from the least possible."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.loss.bound import PRICED_ROWS, gcp_bound
from sfumato.loss.boxes import Boxes
from sfumato.loss.price_search import Priced, Stop, search_prices
from sfumato.loss.row_prices import SAFETY, Pricing
from sfumato.methods.base import Method, Task, register
from sfumato.methods.goal import Goal
from sfumato.methods.portfolio import suitable, try_all
from sfumato.methods.proven.dive import Dive
from sfumato.methods.refining import Limit
from sfumato.methods.refining.search import refine
from sfumato.methods.warming import warm_up
from sfumato.microdata import Recoding
from sfumato.privacy import KAnonymity

Classes = NDArray[np.int32]

#: Which share of the time is over when prices are good enough to follow, and when everybody has a class.
PRICES_UNTIL, DIVE_UNTIL = 0.3, 0.55

#: Without a time limit: rounds of the linear program, and of refinement.
PRICE_ROUNDS, ROUNDS = 12, 64

#: With one, refinement goes on in so many slices, to look at the gap in between.
SLICES = 4


@dataclass(frozen=True)
class Proven(Method):
    """Prove a bound that every release must lose, derive classes from the proof, and refine them.

    It needs the extra ``sfumato[proven]``. With other models than k-anonymity, or more than 60,000 distinct rows, it
    starts from the classes of other methods.

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

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            parameters.number("Proven", "time_limit", self.time_limit, above=0)
        if self.gap is not None:
            parameters.number("Proven", "gap", self.gap, at_least=0)

    def run(self, task: Task) -> Recoding:
        """Raise prices, open classes, refine them."""
        if self.time_limit is not None:
            warm_up(task, replace(self, time_limit=None))
        begin = time.perf_counter()
        seconds = np.inf if self.time_limit is None else self.time_limit
        goal, proof = Goal(task), Proof(task)
        rounds = PRICE_ROUNDS if self.time_limit is None else 1_000
        prices = proof.raised(Stop(begin + PRICES_UNTIL * seconds, rounds))
        start, classes = proof.followed(prices, begin + DIVE_UNTIL * seconds) or _least(goal, self.time_limit)
        tried = {start: goal.measure_rows(classes).loss}
        classes = self._refined(goal, classes, proof.bound(prices), begin + seconds)
        tried["refined"] = goal.measure_rows(classes).loss
        details: dict[str, Any] = {"tried": tried, "minimized": "gcp"}
        if prices is not None:
            details["row_prices"] = proof.of_rows(prices)
        return Recoding(classes=classes, details=details)

    def _refined(self, goal: Goal, classes: Classes, bound: float, until: float) -> Classes:
        """Refine classes until time is up or they are near enough to the bound."""
        if self.time_limit is None:
            return classes if self._near(goal, classes, bound) else refine(goal, classes, Limit(ROUNDS))
        while not self._near(goal, classes, bound) and (left := until - time.perf_counter()) > 0:
            seconds = left if self.gap is None else min(left, max(1.0, left / SLICES))
            classes = refine(goal, classes, Limit(100_000, seconds, patience=0.0))
        return classes

    def _near(self, goal: Goal, classes: Classes, bound: float) -> bool:
        return self.gap is not None and goal.measure_rows(classes).loss <= bound * (1 + self.gap)


class Proof:
    """What no release of a task's table can beat, and the classes that the proof points to."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.k = task.requirements.smallest_class
        self.boxes = Boxes(task.microdata)
        # A row that is left out loses 1, so none need pay more where rows may be.
        self.highest = 1.0 if task.suppressible else float(self.k)

    def raised(self, stop: Stop) -> Priced | None:
        """Return prices, raised as far as they were; None for a table with too many rows or boxes."""
        if len(self.boxes.rows) > PRICED_ROWS or not self.boxes.exact:
            return None
        rows = len(self.task.microdata)
        limit = np.full(len(self.boxes.rows), self.highest)

        def tell(total: float, share: float) -> None:
            self.task.progress(f"raising the bound, {total / rows:.4f}", share)

        return search_prices(Pricing(self.boxes, self.k), limit, stop, tell=tell)

    def followed(self, prices: Priced | None, until: float) -> tuple[str, Classes] | None:
        """Return the classes that prices point to, if classes need nothing but their size."""
        if prices is None or not all(isinstance(model, KAnonymity) for model in self.task.requirements.models):
            return None
        dive = Dive(self.boxes, self.k, self.highest)
        return "following prices", dive.run(prices, until, lambda share: self.task.progress("opening classes", share))

    def of_rows(self, prices: Priced) -> NDArray[np.float64]:
        """Return the price of every row of the table, lowered by what sums of fractions are off."""
        each: NDArray[np.float64] = prices.prices.each[self.boxes.rows.of_row] * (1 - SAFETY)
        return each

    def bound(self, prices: Priced | None) -> float:
        """Return the GCP that no release can be below."""
        if prices is not None:
            return float(self.of_rows(prices).mean())
        return gcp_bound(self.task.microdata, self.k, seed=self.task.seed, suppression=self.task.suppressible > 0)


def _least(goal: Goal, seconds: float | None) -> tuple[str, Classes]:
    """Return the classes of the other method that loses least."""
    least = try_all(goal, list(suitable(goal.task, seconds)))[0]
    return least.method, least.classes


register()(Proven)
