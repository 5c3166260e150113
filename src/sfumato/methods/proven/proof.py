"""A lower bound on the loss of any release of a table, and the classes that its proof points to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import EndedEarlyError, Patience
from sfumato.loss.bound.bound import PRICED_ROWS, gcp_bound
from sfumato.loss.bound.cutting_planes import FoundPrices, Stop, search_prices
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import all_boxes
from sfumato.loss.bound.row_prices import SAFETY, Mixed, Pricing, distinct_rows
from sfumato.methods.base import Task
from sfumato.methods.portfolio import cheap, try_all
from sfumato.methods.proven.diving_heuristic import DivingHeuristic
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.recoding import Recoding

Classes = NDArray[np.int32]

#: Roughly how many seconds it takes to lay out the boxes of a layer, and of one row in it, and the share of the time
#: that may go into that.
LAYER, LAYING, SHARE = 1e-4, 6e-8, 0.1

#: Roughly how many seconds it takes, per compared code, to search boxes around all rows where they cannot be listed,
#: and the most codes to compare, whatever the time limit.
LOOKING, COMPARED = 5e-8, 1_600_000_000

#: With fewer rounds of the linear program its multipliers are not worth following.
FEWEST_ROUNDS = 3


class Proof:
    """A lower bound on the loss of any release of a task's table, and the classes that its proof points to.

    ``effort`` is a factor on the work around every row, where boxes cannot be listed.
    """

    def __init__(self, task: Task, effort: float = 1.0) -> None:
        self.task = task
        self.k = task.requirements.smallest_class
        self.mixed = Mixed.by(task.requirements)
        self.boxes = all_boxes(task.microdata, distinct_rows(task.microdata, self.mixed), effort)
        # A suppressed row loses 1, so where rows may be suppressed none needs to pay more.
        self.highest = 1.0 if task.suppressible else float(self.k)

    @property
    def possible(self) -> bool:
        """Whether the table is small enough."""
        boxes = self.boxes
        return len(boxes.rows) <= PRICED_ROWS and (isinstance(boxes, ListedBoxes) or boxes.compared <= COMPARED)

    @property
    def listed(self) -> bool:
        """Whether all boxes are listed, instead of being searched for around rows."""
        return isinstance(self.boxes, ListedBoxes)

    @property
    def shows_classes(self) -> bool:
        """Whether classes can be derived from it."""
        return self.possible and can_follow(self.task.requirements)

    def pays_within(self, seconds: float) -> bool:
        """Whether a search of this length should follow prices: they apply, and they can be found soon enough."""
        if not self.shows_classes:
            return False
        if not isinstance(self.boxes, ListedBoxes):
            return LOOKING * self.boxes.compared < SHARE * seconds
        return len(self.boxes.combinations) * (LAYER + LAYING * len(self.boxes.rows)) < SHARE * seconds

    def raised(self, stop: Stop) -> FoundPrices | None:
        """Raise prices until the stop; None if the table is too large for the time."""
        if not self.possible:
            return None
        if not isinstance(self.boxes, ListedBoxes) and stop.seconds < LOOKING * self.boxes.compared:
            return None
        rows = len(self.task.microdata)
        limit = np.full(len(self.boxes.rows), self.highest)

        def tell(total: float, share: float) -> None:
            self.task.progress(f"raising the bound, {total / rows:.4f}", share)

        self._have_patience(stop)
        with suppress(EndedEarlyError):
            return search_prices(Pricing(self.boxes, self.k, mixed=self.mixed), limit, stop, tell=tell)
        return None

    def followed(self, prices: FoundPrices | None, stop: Stop) -> Classes | None:
        """Derive classes from prices, if possible."""
        if prices is None or not self.shows_classes:
            return None
        self._have_patience(stop)
        dive = DivingHeuristic(self.boxes, self.k, self.highest, self.mixed)
        classes = dive.run(prices, stop, lambda share: self.task.progress("opening classes", share))
        left = np.flatnonzero(classes < 0)
        if self.mixed is not None:
            return None if len(left) or not self.task.requirements.kept_by(Recoding(classes=classes)) else classes
        if len(left):
            classes[left] = self._others(left) + classes.max() + 1
        return classes

    def _have_patience(self, stop: Stop) -> None:
        """Let a pass over the boxes end when time is up."""
        self.boxes.patience = Patience(None if np.isinf(stop.at) else stop.seconds)

    def _others(self, rows: NDArray[np.intp]) -> Classes:
        """Find classes of some rows with other methods."""
        some = self.task.microdata.take(rows)
        requirements = Requirements(self.task.requirements.models, some)
        task = replace(self.task, microdata=some, requirements=requirements, suppressible=0, memory=None)
        return try_all(TaskLoss(task), list(cheap(task)))[0].classes

    def of_rows(self, prices: FoundPrices) -> NDArray[np.float64]:
        """Give the price of every row of the table, lowered by the rounding error of sums."""
        each: NDArray[np.float64] = prices.prices.each[self.boxes.rows.of_row] * (1 - SAFETY)
        return each

    def bound(self, prices: FoundPrices | None) -> float:
        """Compute a lower bound on the GCP of any release."""
        if prices is not None:
            return float(self.of_rows(prices).mean())
        suppression = self.task.suppressible > 0
        return gcp_bound(self.task.microdata, self.k, seed=self.task.seed, suppression=suppression, mixed=self.mixed)


def can_follow(requirements: Requirements) -> bool:
    """Whether a dive makes classes that keep the models: sizes matter, and shares of one sensitive column."""
    return all(
        isinstance(model, KAnonymity) or (isinstance(model, LDiversity) and model.kind == "frequency")
        for model in requirements.models
    )


def classes_within(task: Task, now: float, until: float) -> Classes | None:
    """Derive classes from prices, if both are found in time.

    The first half of the time goes into prices. If that is too short for a few rounds, they are not followed.
    """
    proof = Proof(task)
    if not proof.pays_within(until - now):
        return None
    half = Stop((now + until) / 2)
    prices = proof.raised(half)
    if prices is None or (half.now and prices.rounds < FEWEST_ROUNDS):
        return None
    return proof.followed(prices, Stop(until))
