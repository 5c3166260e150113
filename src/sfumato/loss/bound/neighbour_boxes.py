"""Boxes searched for around every row, for tables with too many boxes to list: several numbers, or many attributes.

Every class is looked for around the row in it that pays most. The rows pay their prices as they are while boxes are
searched, so that rows are worked on side by side; then those around which a class pays too much are lowered. A row
that takes too much work is lowered by more than it need be: less than it could pay, but still a proof.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import Patience
from sfumato.common.threads import side_by_side
from sfumato.loss.bound.kernels.cap_around import LossLevel, cap_around
from sfumato.loss.bound.kernels.cap_layer import FoundBoxes
from sfumato.loss.bound.kernels.highest_prices import PricedRows
from sfumato.loss.bound.kernels.nearby_rows import Near, reaches
from sfumato.loss.bound.kernels.worst_around import worst_around
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.table.frequency import FrequencySet
from sfumato.table.microdata import Microdata

if TYPE_CHECKING:
    from sfumato.loss.bound.row_prices import OverpricedBoxes

#: Rows in a block of neighbours, and blocks in a block of blocks.
BLOCK, WIDE = 16, 16

#: The number of parts of a table that are processed in parallel.
PARTS = 64

#: The factor between the losses of two levels, and the first level as a share of the largest loss.
GROWTH, FIRST = 1.15, 1e-5

#: A bundle whose outer box loses at most this share more than its inner box is not split.
TOLERANCE = 0.05

#: The most rows to examine in every level, and the least number around a row.
WORK, LEAST_WORK = 40_000_000, 500

#: The same for a pass over prices that nearly hold, where few rows take that much.
HELD_WORK = 1_000_000_000

#: How many passes may leave rows to the next one, and by which factor their prices are lowered at first; after half of
#: the passes they are lowered to what a row must lose anyway.
PASSES, LESS = 8, 0.7

#: The share of its price by which a row may be lowered although no class is known to be overpriced: at first, and at
#: least.
SPARE, SPARE_AT_LEAST = 0.01, 0.001


class NeighbourBoxes:
    """Every box that a class of a table can show, searched for around the rows that it holds.

    Parameters
    ----------
    microdata
        The table.
    rows
        Its distinct rows.
    effort
        A factor on the amount of work.
    """

    light, divided = False, True

    def __init__(self, microdata: Microdata, rows: FrequencySet, effort: float = 1.0) -> None:
        self.microdata, self.rows, self.patience = microdata, rows, Patience()
        self.whole = float(microdata.weights.sum())
        self.work = max(LEAST_WORK, int(effort * WORK / max(1, len(rows))))
        self.held_work = max(LEAST_WORK, int(effort * HELD_WORK / max(1, len(rows))))
        self._reaches: dict[int, NDArray[np.float64]] = {}
        self.spare = SPARE
        #: How many rows were examined so far.
        self.examined = 0
        #: Up to which price classes around a distinct row could be examined.
        self.provable = np.full(len(rows), np.inf)

    @property
    def compared(self) -> int:
        """How many codes one search around all rows compares, which determines its time."""
        return len(self.rows) ** 2 * len(self.microdata.domains)

    @cached_property
    def _neighbours(self) -> tuple[NDArray[np.int64], Near]:
        return neighbours(self.microdata, self.rows.codes)

    @property
    def order(self) -> NDArray[np.int64]:
        """The distinct rows in an order that keeps similar rows close."""
        return self._neighbours[0]

    @property
    def near(self) -> Near:
        """The rows in that order, in blocks."""
        return self._neighbours[1]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """No attribute is swept."""
        return np.zeros(len(self.rows), np.int64)

    def reaches(self, k: int) -> NDArray[np.float64]:
        """Compute what every distinct row loses with its (k - 1)-th nearest row, in the order of blocks."""
        if k not in self._reaches:
            counts = self.rows.counts[self.order].astype(np.int64)

            def some(rows: NDArray[np.int64]) -> NDArray[np.float64]:
                return reaches(rows, self.near, counts, k, self.microdata.spans, self.whole)

            self._reaches[k] = np.concatenate(side_by_side(some, np.array_split(np.arange(len(counts)), PARTS)))
        return self._reaches[k]

    def cap(self, rows: PricedRows, k: int, found: FoundBoxes) -> int:
        """Lower prices until no box is overpriced; record the boxes that were, and return their number."""
        order, values = self.order, rows.values
        ours = rows._replace(
            counts=rows.counts[order].astype(np.int64),
            prices=rows.prices[order],
            values=values[order] if len(values) else values,
        )
        used = self._cap(ours, k, found)
        rows.prices[order] = ours.prices
        noted = found.rows[:used]
        noted[noted >= 0] = order[noted[noted >= 0]]
        # A bundle was cut by what its cheapest box loses; the box of the rows may lose more, and allows as much.
        spanned = self.microdata.penalties(*self._spanned(noted))
        found.limits[:used] = np.maximum(found.limits[:used], spanned)
        return used

    def _cap(self, rows: PricedRows, k: int, found: FoundBoxes) -> int:
        # These rows may be only a part of the table; then their neighbours are no nearer.
        reach, used = self.reaches(k), 0
        positive = reach[reach > 0]
        least, most = 0.0, max(FIRST * self.whole, positive.min() if len(positive) else 0.0)
        while least < self.whole:
            self.patience.check()
            # No box of this level with k rows holds a row whose neighbours are too far away.
            done = reach > most
            chosen = np.flatnonzero((rows.prices > least) & ~done)
            if len(chosen):
                # Isolated rows first: they take little work, and the others need not consider them again.
                chosen = chosen[np.argsort(-reach[chosen], kind="stable")]
                level, spans = LossLevel(least, most, TOLERANCE, self.work), self.microdata.spans
                used = cap_around(chosen, done, self.near, rows, reach, k, spans, level, found, used)
            elif not (rows.prices > least).any():
                break
            least, most = most, most * GROWTH
        return used

    def hold(self, rows: PricedRows, k: int, found: FoundBoxes) -> int:
        """Lower prices that nearly hold until no box is overpriced; record those that were, and return their number.

        Rows are worked on side by side, and lowered only where a class around them pays too much.
        """
        order, values = self.order, rows.values
        ours = rows._replace(
            counts=rows.counts[order].astype(np.int64),
            prices=rows.prices[order],
            values=values[order] if len(values) else values,
        )
        passes = _Passes(self, ours, k, found)
        rows.prices[order] = passes.run()
        self.examined += passes.examined
        self.provable[order] = np.minimum(self.provable[order], passes.provable)
        noted = found.rows[: passes.used]
        noted[noted >= 0] = order[noted[noted >= 0]]
        return passes.used

    def look_closer(self) -> None:
        """Lower prices less without need from now on, which takes more work."""
        self.spare = max(SPARE_AT_LEAST, self.spare / 2)

    def corners(self, found: OverpricedBoxes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the first and last code in every attribute of the boxes that the highest-priced rows span."""
        return self._spanned(found.rows)

    def _spanned(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the first and last code in every attribute of the boxes of some rows, -1 after the last."""
        codes, used = self.codes[np.maximum(rows, 0)], (rows >= 0)[:, :, np.newaxis]
        lo = np.where(used, codes, np.iinfo(np.int64).max).min(axis=1)
        hi = np.where(used, codes, -1).max(axis=1)
        for at, domain in enumerate(self.microdata.domains):
            lo[:, at], hi[:, at] = domain.covered(lo[:, at], hi[:, at])
        return lo, hi

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The codes of every distinct row."""
        return np.ascontiguousarray(self.rows.codes, np.int64)


class _Passes:
    """Passes over the rows of a table, in the order of blocks, until no box is overpriced."""

    def __init__(self, boxes: NeighbourBoxes, rows: PricedRows, k: int, found: FoundBoxes) -> None:
        self.boxes, self.rows, self.k, self.found = boxes, rows, k, found
        # These rows may be only a part of the table; then their neighbours are no nearer.
        self.reach = boxes.reaches(k)
        self.lower, self.shares = np.zeros(len(self.reach)), np.zeros(len(self.reach))
        self.provable = np.full(len(self.reach), np.inf)
        self.used = self.examined = 0

    def run(self) -> NDArray[np.float64]:
        """Return prices that hold."""
        prices, fresh = self.rows.prices, np.ones(len(self.reach), np.bool_)
        for number in range(PASSES):
            self._search(prices, fresh, number == PASSES - 1)
            fresh = self.lower < 0
            if not fresh.any():
                break
            # Their price falls, and rows around which they may be come again. Some of them took too much work.
            less, hard = LESS if number < PASSES // 2 else 0.0, np.isinf(self.lower)
            fallen = np.where(hard, np.maximum(prices * less, self.reach), prices + self.lower)
            prices = np.where(fresh, np.minimum(prices, fallen), prices)
            self.provable[hard] = prices[hard]
            self.lower[fresh] = 0.0
        held: NDArray[np.float64] = np.minimum(prices - self.lower, prices * (1 - self.shares))
        return held

    def _search(self, prices: NDArray[np.float64], fresh: NDArray[np.bool_], final: bool) -> None:
        """Search around all rows near fresh ones."""
        boxes, rows, k = self.boxes, self.rows._replace(prices=prices), self.k
        falling = np.argsort(-prices, kind="stable")
        rank = np.empty(len(falling), np.int64)
        rank[falling] = np.arange(len(falling))
        chosen = falling[(prices > self.reach)[falling]]
        width = max(self.found.rows.shape[1], 1)

        def some(part: int) -> tuple[int, NDArray[np.float64], FoundBoxes]:
            boxes.patience.check()
            ours = np.ascontiguousarray(chosen[part::PARTS])
            shape, shares = (len(ours), width), np.zeros(len(prices))
            noted = FoundBoxes(
                np.empty(shape, np.int32), np.empty(shape), np.empty(len(ours)), np.zeros((len(ours), 3), np.int32)
            )
            near, spans = boxes.near, boxes.microdata.spans
            examined = worst_around(
                ours, rank, fresh, near, rows, self.reach, k, spans, boxes.held_work, boxes.spare, final,
                self.lower, shares, noted,
            )  # fmt: skip
            worst = noted.limits >= 0
            return (
                examined,
                shares,
                FoundBoxes(noted.rows[worst], noted.times[worst], noted.limits[worst], noted.corners[worst]),
            )

        for examined, shares, noted in side_by_side(some, range(PARTS)):
            self.examined += examined
            self.shares = np.maximum(self.shares, shares)
            more = min(len(noted.limits), len(self.found.limits) - self.used)
            room = slice(self.used, self.used + more)
            self.found.rows[room], self.found.times[room] = noted.rows[:more], noted.times[:more]
            self.found.limits[room], self.found.corners[room] = noted.limits[:more], noted.corners[:more]
            self.used += more


def all_boxes(microdata: Microdata, rows: FrequencySet, effort: float = 1.0) -> ListedBoxes | NeighbourBoxes:
    """List every box that a class can show, or search for them around rows if the list is too long."""
    boxes = ListedBoxes(microdata, rows)
    return boxes if boxes.exact else NeighbourBoxes(microdata, rows, effort)


def neighbours(microdata: Microdata, codes: NDArray[np.integer]) -> tuple[NDArray[np.int64], Near]:
    """Order rows so that similar rows are close, and group them in blocks."""
    order = np.arange(len(codes))
    positions = [
        domain.span_costs(np.zeros(domain.size, np.int64), np.arange(domain.size)) * weight
        for domain, weight in zip(microdata.domains, microdata.weights, strict=True)
    ]
    away = np.column_stack([position[codes[:, at]] for at, position in enumerate(positions)])
    ends: list[int] = []
    waiting = [(0, len(codes))]
    while waiting:
        begin, end = waiting.pop()
        if end - begin <= BLOCK:
            ends.append(end)
            continue
        some = order[begin:end]
        widest = int(np.argmax(np.ptp(away[some], axis=0)))
        middle = (end - begin) // 2
        order[begin:end] = some[np.argpartition(away[some, widest], middle)]
        waiting += [(begin + middle, end), (begin, begin + middle)]
    return order, in_blocks(codes[order], np.array([0, *ends]))


def in_blocks(codes: NDArray[np.integer], begins: NDArray[np.int64]) -> Near:
    """Group rows in blocks, given where these begin and the last one ends."""
    near = np.ascontiguousarray(codes, np.int64)
    lo, hi = (pick.reduceat(near, begins[:-1]) for pick in (np.minimum, np.maximum))
    firsts = np.arange(0, len(lo), WIDE)
    return Near(near, begins, lo, hi, np.minimum.reduceat(lo, firsts), np.maximum.reduceat(hi, firsts), WIDE)
