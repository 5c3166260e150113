"""A diving heuristic from prices to classes: open the boxes with the highest multipliers, reprice, repeat.

The multipliers of the linear program form a fractional partition: how much of each box an optimal solution opens if
boxes may be opened in part. The boxes that it opens most are opened whole. Each takes k rows that pay for it, and every
other row inside that would pay as much elsewhere. An open box limits the price of the rows inside: they can join it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.loss.bound.cutting_planes import FoundPrices, Stop, search_prices
from sfumato.loss.bound.kernels.nearby_rows import box_members
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import NeighbourBoxes
from sfumato.loss.bound.row_prices import Pricing

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


@dataclass
class OpenedClasses:
    """The classes that were opened: their boxes, what a row loses in them, and which rows joined."""

    lo: list[NDArray[np.int64]] = field(default_factory=list)
    hi: list[NDArray[np.int64]] = field(default_factory=list)
    penalties: list[float] = field(default_factory=list)
    joined: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.penalties)

    def open(self, lo: NDArray[np.int64], hi: NDArray[np.int64], penalty: float) -> int:
        """Open a class and return its number."""
        self.lo.append(lo)
        self.hi.append(hi)
        self.penalties.append(penalty)
        return len(self) - 1

    def join(self, number: int, rows: NDArray[np.int64], times: NDArray[np.int64]) -> None:
        """Let distinct rows join a class, ``times`` of each."""
        self.joined.append((number, rows, times))


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
    """

    def __init__(self, boxes: ListedBoxes | NeighbourBoxes, k: int, highest: float) -> None:
        self.boxes, self.k = boxes, k
        self.left = boxes.rows.counts.astype(np.int64)
        self.limit = np.full(len(self.left), highest)
        #: The cheapest open class that every row could join, or -1.
        self.nearest = np.full(len(self.left), -1, np.int64)
        self.classes = OpenedClasses()
        self._scratch = np.empty(len(self.left), np.int64)

    def run(self, priced: FoundPrices, stop: Stop, tell: Callable[[float], None]) -> NDArray[np.int32]:
        """Open classes until every row is in one or time is up; return the class of every row of the table.

        When time is up, rows that could form classes of their own get -1.
        """
        total = waiting = max(1, int(self._waiting().sum()))
        while self._open_boxes(priced):
            waiting = int(self._waiting().sum())
            tell(1 - waiting / total)
            if waiting < self.k or stop.now:
                break
            priced = self._reprice(priced, stop)
        if waiting < self.k or not stop.now:
            self._finish()
        return self._class_of_rows()

    def _waiting(self) -> NDArray[np.int64]:
        """Count the rows that need a class, by distinct row; k equal rows can form a class of their own."""
        return np.where(self.left < self.k, self.left, 0)

    def _reprice(self, before: FoundPrices, stop: Stop) -> FoundPrices:
        pricing = Pricing(self.boxes, self.k, self.left)
        paid = before.guess > 0
        start = np.where(paid, before.guess * RISE + LITTLE, self.limit)
        # The remaining time is shared by all rounds to come.
        now = time.perf_counter()
        soon = Stop(now + max(0.0, (stop.at - now) / 8), ROUNDS, 1e-4, stop.asked)
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
        if times is None or (times * prices[inside]).sum() < (1 - SHORTFALL) * self.k * penalty:
            return False
        eager = (prices[inside] >= penalty) & (prices[inside] > 0)
        times[eager] = self.left[inside[eager]]
        number = self.classes.open(lo, hi, penalty)
        self._join(number, inside[times > 0], times[times > 0])
        cheaper = inside[penalty < self.limit[inside]]
        self.limit[cheaper], self.nearest[cheaper] = penalty, number
        return True

    def _payers(self, inside: NDArray[np.int64], prices: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """How often each row joins a class of k: first those that pay most, then rows that others can spare."""
        paying = prices[inside] > 0
        times = _first(np.where(paying, self.left[inside], 0), self.k)
        lacking = self.k - int(times.sum())
        if lacking:
            left = self.left[inside]
            spare = np.where(paying, 0, np.where(left >= self.k, left - self.k, left))
            most_first = np.argsort(-spare, kind="stable")
            times[most_first] += _first(spare[most_first], lacking)
        return times if times.sum() == self.k else None

    def _join(self, number: int, rows: NDArray[np.int64], times: NDArray[np.int64]) -> None:
        self.classes.join(number, rows, times)
        self.left[rows] -= times

    def _join_open(self, prices: NDArray[np.float64]) -> None:
        """Let rows join the open class that they can reach if they would pay as much anywhere else."""
        waiting = (self._waiting() > 0) & (self.nearest >= 0) & (prices >= self.limit * (1 - 1e-6))
        for row in np.flatnonzero(waiting):
            self._join(int(self.nearest[row]), np.array([row]), self.left[[row]])

    def _finish(self) -> None:
        """Give every remaining row a class: its own, the nearest open one, or one widened for it."""
        for row in np.flatnonzero(self.left >= self.k):
            code = self.boxes.codes[row]
            self._join(self.classes.open(code, code, 0.0), np.array([row]), self.left[[row]])
        if not len(self.classes):
            rows = np.flatnonzero(self.left)
            codes = self.boxes.codes[rows]
            self._join(self.classes.open(codes.min(axis=0), codes.max(axis=0), 1.0), rows, self.left[rows])
        self._join_open(np.full(len(self.left), np.inf))
        rows = np.flatnonzero(self.left)
        for row, number in zip(rows, self._cheapest(rows), strict=True):
            self._join(number, np.array([row]), self.left[[row]])

    def _cheapest(self, rows: NDArray[np.int64]) -> list[int]:
        """Find for every row the class that loses least when widened for it."""
        lo, hi = np.array(self.classes.lo), np.array(self.classes.hi)
        before = np.array(self.classes.penalties)
        sizes = np.zeros(len(self.classes), np.int64)
        for number, _, times in self.classes.joined:
            sizes[number] += times.sum()
        found = []
        for row in rows:
            code = self.boxes.codes[row]
            after = self.boxes.microdata.penalties(np.minimum(lo, code), np.maximum(hi, code))
            found.append(int(np.argmin((after - before) * sizes + after * self.left[row])))
        return found

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


def _first(available: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
    """Count how many of each to take, in order, until enough are taken."""
    before = np.cumsum(available) - available
    return np.clip(wanted - before, 0, available)
