"""Prices: what every row must pay at least, and so a loss that no release can beat.

Give every row a price such that in every box with at least k rows the k highest prices are, on average, at most what a
class in that box loses per row. A class holds at least k rows and lies in its box, so its rows together never pay more
than the class loses; and all rows together never pay more than any release loses. A crowd of equal rows may pay nothing
while an outlier beside it pays for a whole class, which no comparison of pairs of rows can see.

Prices prove their sum: whoever looks at every box can check them, however they were found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.loss.boxes import Boxes
from sfumato.loss.kernels.capping import SLACK, Found, Rows, cap_layer
from sfumato.microdata import Microdata
from sfumato.microdata.frequency import FrequencySet

#: By how much the sum of prices is lowered: their sums may be too high by less than this share.
SAFETY = 10 * SLACK

#: By which share prices that hold are raised to be capped again, how often: some that were cut need not have been.
RAISE, RAISES = 0.1, 2


@dataclass(frozen=True)
class Prices:
    """What every distinct row pays.

    Attributes
    ----------
    each
        The price of every distinct row.
    total
        What all rows of the table pay together.
    """

    each: NDArray[np.float64] = field(repr=False)
    total: float


@dataclass(frozen=True)
class Pool:
    """Overpriced boxes: in each, the rows that paid most may pay at most its limit on average.

    Attributes
    ----------
    rows, times
        The distinct rows that paid most, -1 after the last of them, and how many of each.
    limits
        What a class in the box loses per row.
    corners
        The layer of the box, and the distinct rows with its outermost places.
    """

    rows: NDArray[np.int32] = field(repr=False)
    times: NDArray[np.int32] = field(repr=False)
    limits: NDArray[np.float64] = field(repr=False)
    corners: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.limits)

    @classmethod
    def room_for(cls, boxes: int, k: int) -> Pool:
        """Return a pool to write into."""
        shape = (boxes, k)
        return cls(
            np.empty(shape, np.int32), np.empty(shape, np.int32), np.empty(boxes), np.empty((boxes, 3), np.int32)
        )

    def take(self, chosen: NDArray[np.bool_] | slice) -> Pool:
        """Return a part of the pool; copied, so that the rest can be written over."""
        return Pool(
            self.rows[chosen].copy(), self.times[chosen].copy(), self.limits[chosen].copy(), self.corners[chosen].copy()
        )

    def joined(self, other: Pool) -> Pool:
        """Return both pools as one."""
        return Pool(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.times, other.times]),
            np.concatenate([self.limits, other.limits]),
            np.concatenate([self.corners, other.corners]),
        )

    def paid(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the rows of every box pay together."""
        return (np.append(prices, 0.0)[self.rows] * self.times).sum(axis=1)


class Pricing:
    """Prices for the rows of one table, or for some of them.

    Parameters
    ----------
    boxes
        The boxes that a class can show.
    k
        The least number of rows of a class.
    counts
        How often every distinct row occurs among those that pay; all rows of the table if left out.
    """

    def __init__(self, boxes: Boxes, k: int, counts: NDArray[np.int64] | None = None) -> None:
        self.boxes, self.k = boxes, k
        self.counts = boxes.rows.counts if counts is None else counts
        self._places = boxes.places
        self._nothing = Pool.room_for(0, k)

    @property
    def paying(self) -> NDArray[np.bool_]:
        """Whether a row pays anything: k equal rows can be a class that loses nothing."""
        return (self.counts > 0) & (self.counts < self.k)

    def highest(self, limit: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return prices that are too high, to begin with."""
        return np.where(self.paying, np.minimum(limit, float(self.k)), 0.0)

    def cap(self, prices: NDArray[np.float64], pool: Pool | None = None) -> tuple[Prices, int]:
        """Lower prices until no box is overpriced; note the boxes that were in a pool, and say how many there are.

        Prices only fall, so a box that has been put right stays right, and one pass is enough. Cheap boxes come first:
        they say which rows are crowded, and what is left for the others to pay.
        """
        pool = pool or self._nothing
        found = Found(pool.rows, pool.times, pool.limits, pool.corners)
        rows = Rows(self._places, self.counts, np.where(self.paying, prices, 0.0))
        spans, swept, used = self.boxes.microdata.spans, self.boxes.swept, 0
        for at, layer in enumerate(self.boxes.layers()):
            used = cap_layer(layer.members, layer.begins, layer.penalties, rows, self.k, spans, swept, at, found, used)
        return self.priced(rows.prices), used

    def priced(self, each: NDArray[np.float64]) -> Prices:
        """Return prices with their total."""
        return Prices(each, float((each * self.counts).sum()))


def capped_prices(microdata: Microdata, rows: FrequencySet, k: int, suppression: bool = False) -> tuple[Boxes, Prices]:
    """Return the boxes of a table and prices that hold in all of them.

    Parameters
    ----------
    microdata, rows
        The table, and its distinct rows.
    k
        The least size of a class.
    suppression
        Whether rows may be left out: such a row loses 1, and so none pays more.
    """
    boxes = Boxes(microdata, rows)
    pricing = Pricing(boxes, k)
    limit = pricing.highest(1.0 if suppression else np.inf)
    prices, _ = pricing.cap(limit)
    for _ in range(RAISES):
        raised, _ = pricing.cap(np.minimum(prices.each * (1 + RAISE), limit))
        prices = max(prices, raised, key=lambda found: found.total)
    return boxes, pricing.priced(prices.each * (1 - SAFETY))
