"""A diving heuristic from prices to classes: open the boxes with the highest multipliers, reprice, repeat.

The multipliers of the linear program form a fractional partition: how much of each box an optimal solution opens if
boxes may be opened in part. The boxes that it opens most are opened whole. Each takes k rows that pay for it, and every
other row inside that would pay as much elsewhere. An open box limits the price of the rows inside: they can join it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import EndedEarlyError
from sfumato.loss.bound.cutting_planes import FoundPrices, Stop, search_prices
from sfumato.loss.bound.kernels.nearby_rows import box_members
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import NeighbourBoxes
from sfumato.loss.bound.row_prices import Mixed, Pricing
from sfumato.methods.proven.opened_classes import OpenedClasses

#: The share of the boxes with a multiplier that a round opens, and the least number.
OPENED, LEAST_OPENED = 0.1, 8

#: The least multiplier of a box worth looking at.
FELT = 1e-3

#: The share by which the rows of a box may fall short of paying for it.
SHORTFALL = 0.1

#: After a round prices may rise, because rows that others needed are gone: by this factor, plus this much.
RISE, LITTLE = 1.3, 1e-3

#: Rounds of the linear program between two rounds of opening boxes.
ROUNDS = 6


class DivingHeuristic:
    """A search for classes that fixes boxes by their multipliers.

    Parameters
    ----------
    boxes
        The boxes that a class can show.
    k
        The least size of a class.
    highest
        The highest price of a row.
    mixed
        The condition on the sensitive values of a class, if any; rows that differ in these are distinct.
    """

    def __init__(self, boxes: ListedBoxes | NeighbourBoxes, k: int, highest: float, mixed: Mixed | None = None) -> None:
        self.boxes, self.k, self.mixed = boxes, k, mixed
        self.left = boxes.rows.counts.astype(np.int64)
        self.limit = np.full(len(self.left), highest)
        #: The cheapest open class that every row could join, or -1.
        self.nearest = np.full(len(self.left), -1, np.int64)
        values = np.zeros(len(self.left), np.int64) if mixed is None else mixed.of_distinct(boxes.rows)
        self.classes = OpenedClasses(values, 1.0 if mixed is None else mixed.share)
        self._scratch = np.empty(len(self.left), np.int64)

    def run(self, priced: FoundPrices, stop: Stop, tell: Callable[[float], None]) -> NDArray[np.int32]:
        """Open classes until every row is in one or time is up; return the class of every row of the table.

        When time is up, rows that could form classes of their own get -1; so do rows that no class has room for if
        sensitive values must be mixed.
        """
        total = waiting = max(1, int(self._waiting().sum()))
        while self._open_boxes(priced):
            waiting = int(self._waiting().sum())
            tell(1 - waiting / total)
            if waiting < self.k or stop.now:
                break
            try:
                priced = self._reprice(priced, stop)
            except EndedEarlyError:
                break
        if waiting < self.k or self.classes.mixed or not stop.now:
            self._finish()
        return self._class_of_rows()

    def _waiting(self) -> NDArray[np.int64]:
        """Count the rows that need a class, by distinct row; k equal rows can form one unless values must be mixed."""
        return np.where((self.left < self.k) | self.classes.mixed, self.left, 0)

    def _reprice(self, before: FoundPrices, stop: Stop) -> FoundPrices:
        pricing = Pricing(self.boxes, self.k, self.left, self.mixed)
        paid = before.guess > 0
        start = np.where(paid, before.guess * RISE + LITTLE, self.limit)
        # The remaining time is shared by all rounds to come.
        now = time.perf_counter()
        soon = Stop(now + max(0.0, (stop.at - now) / 8), ROUNDS, 1e-4, stop.asked, stop.work)
        return search_prices(pricing, self.limit, soon, np.minimum(start, self.limit), before.pool)

    def _open_boxes(self, priced: FoundPrices) -> int:
        """Open the boxes with the highest multipliers; return how many were opened."""
        ranked = np.argsort(-priced.multipliers, kind="stable")
        ranked = ranked[priced.multipliers[ranked] > FELT]
        wanted = max(LEAST_OPENED, int(OPENED * len(ranked)))
        los, his = self.boxes.corners(priced.pool.take(ranked))
        opened = 0
        for lo, hi, penalty in zip(los, his, self.boxes.microdata.penalties(los, his), strict=True):
            opened += self._open(lo, hi, float(penalty), priced.guess)
            if opened == wanted:
                break
        self._join_open(priced.guess)
        return opened

    def _open(self, lo: NDArray[np.int64], hi: NDArray[np.int64], penalty: float, prices: NDArray[np.float64]) -> bool:
        """Open one box if enough rows are left in it to pay for it."""
        inside = self._scratch[: box_members(self.boxes.codes, self.left, lo, hi, self._scratch)].copy()
        inside = inside[np.argsort(-prices[inside], kind="stable")]
        times = self._payers(inside, prices)
        if times is None or (times * prices[inside]).sum() < (1 - SHORTFALL) * times.sum() * penalty:
            return False
        number = self.classes.open(lo, hi, penalty)
        self._join(number, inside[times > 0], times[times > 0])
        for row in inside[(prices[inside] >= penalty) & (prices[inside] > 0)]:
            self._join_as_far_as_possible(number, int(row))
        cheaper = inside[penalty < self.limit[inside]]
        self.limit[cheaper], self.nearest[cheaper] = penalty, number
        return True

    def _payers(self, inside: NDArray[np.int64], prices: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """How often each row joins a class of k: first those that pay most, then rows that others can spare."""
        left, paying = self.left[inside], prices[inside] > 0
        available = np.where(paying | (left < self.k) | self.classes.mixed, left, left - self.k)
        order = np.lexsort((np.where(paying, 0, -available), ~paying))
        times = self.classes.first_that_fit(inside[order], available[order], self.k)
        if times is None:
            return None
        found = np.empty(len(inside), np.int64)
        found[order] = times
        return found

    def _join(self, number: int, rows: NDArray[np.int64], times: NDArray[np.int64]) -> None:
        self.classes.join(number, rows, times)
        self.left[rows] -= times

    def _join_as_far_as_possible(self, number: int, row: int) -> None:
        times = min(int(self.left[row]), int(self.classes.room(row, number)[0]))
        if times:
            self._join(number, np.array([row]), np.array([times]))

    def _join_open(self, prices: NDArray[np.float64]) -> None:
        """Let rows join the open class that they can reach if they would pay as much anywhere else."""
        waiting = (self._waiting() > 0) & (self.nearest >= 0) & (prices >= self.limit * (1 - 1e-6))
        for row in np.flatnonzero(waiting):
            self._join_as_far_as_possible(int(self.nearest[row]), int(row))

    def _finish(self) -> None:
        """Give every remaining row a class: its own, the nearest open one, or one widened for it."""
        for row in np.flatnonzero((self.left >= self.k) & (not self.classes.mixed)):
            code = self.boxes.codes[row]
            self._join(self.classes.open(code, code, 0.0), np.array([row]), self.left[[row]])
        if not len(self.classes):  # one class of all rows keeps any condition that a release can keep
            rows = np.flatnonzero(self.left)
            codes = self.boxes.codes[rows]
            self._join(self.classes.open(codes.min(axis=0), codes.max(axis=0), 1.0), rows, self.left[rows])
        self._join_open(np.full(len(self.left), np.inf))
        lo, hi = np.array(self.classes.lo), np.array(self.classes.hi)
        before, sizes = np.array(self.classes.penalties), self.classes.sizes()
        for row in np.flatnonzero(self.left):
            code = self.boxes.codes[row]
            after = self.boxes.microdata.penalties(np.minimum(lo, code), np.maximum(hi, code))
            # The class that loses least when widened for the row.
            dearer = (after - before) * sizes + after * self.left[row]
            while self.left[row] and (fits := self.classes.room(int(row)) > 0).any():
                self._join_as_far_as_possible(int(np.argmin(np.where(fits, dearer, np.inf))), int(row))

    def _class_of_rows(self) -> NDArray[np.int32]:
        """Deal the rows of the table to the classes that their distinct rows joined."""
        of_row = self.boxes.rows.of_row
        order = np.argsort(of_row, kind="stable")
        left = np.flatnonzero(self.left)
        joined = [*self.classes.joined, (-1, left, self.left[left])]
        rows = np.concatenate([rows for _, rows, _ in joined])
        times = np.concatenate([times for _, _, times in joined])
        numbers = np.concatenate([np.full(len(rows), number) for number, rows, _ in joined])
        by_row = np.argsort(rows, kind="stable")
        found = np.empty(len(of_row), np.int32)
        found[order] = np.repeat(numbers[by_row], times[by_row])
        return found
