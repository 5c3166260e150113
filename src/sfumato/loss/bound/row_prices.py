"""Row prices: what every row must lose at least, and so a loss that no release can beat.

Give every row a price such that in every box with at least k rows the k highest prices are, on average, at most what a
class in that box loses per row. A class holds at least k rows and lies in its box, so its rows together never pay more
than the class loses; and all rows together never pay more than any release loses. Equal rows may pay nothing
while an outlier beside them pays for a whole class, which no comparison of pairs of rows can show.

If no sensitive value may make up more than 1 / l of a class, only rows that could form a class count: the highest
prices first, but at most k / l rows of each value. In a class the share of each row is at most 1 / k and that of each
value at most 1 / l, and no shares within these limits have a higher mean price.

Prices are a proof: anyone can check them box by box, however they were found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.loss.bound.kernels.cap_layer import SLACK, FoundBoxes
from sfumato.loss.bound.kernels.highest_prices import PricedRows
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import NeighbourBoxes, all_boxes
from sfumato.privacy import Requirements
from sfumato.table.frequency import FrequencySet, frequency_set, group_rows
from sfumato.table.kernels.rules import FREQUENCY, TOLERANCE
from sfumato.table.microdata import Microdata

#: The share by which prices are lowered in the end: rounding may make their sums too high by less than this.
SAFETY = 10 * SLACK

#: By which share, and how often, prices that hold are raised and capped again: capping may have cut too much.
RAISE, RAISES = 0.1, 2


@dataclass(frozen=True)
class RowPrices:
    """The prices of all distinct rows.

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
class OverpricedBoxes:
    """Overpriced boxes: in each, the mean price of the k highest-priced rows must not exceed its limit.

    Attributes
    ----------
    rows, times
        The highest-priced distinct rows, -1 after the last, and how many of each.
    limits
        The loss per row of a class in the box.
    corners
        The layer of the box, and the distinct rows at its outermost places.
    """

    rows: NDArray[np.int32] = field(repr=False)
    times: NDArray[np.float64] = field(repr=False)
    limits: NDArray[np.float64] = field(repr=False)
    corners: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.limits)

    @classmethod
    def room_for(cls, boxes: int, width: int) -> OverpricedBoxes:
        """Allocate room for boxes with up to ``width`` distinct rows each."""
        shape = (boxes, width)
        return cls(np.empty(shape, np.int32), np.empty(shape), np.empty(boxes), np.empty((boxes, 3), np.int32))

    def take(self, chosen: NDArray[np.bool_ | np.intp] | slice) -> OverpricedBoxes:
        """Copy some of the boxes, so that the arrays can be overwritten."""
        return OverpricedBoxes(
            self.rows[chosen].copy(), self.times[chosen].copy(), self.limits[chosen].copy(), self.corners[chosen].copy()
        )

    def take_from(self, begin: int) -> OverpricedBoxes:
        """Look at the boxes from one on, to write them in place."""
        return OverpricedBoxes(self.rows[begin:], self.times[begin:], self.limits[begin:], self.corners[begin:])

    def joined(self, other: OverpricedBoxes) -> OverpricedBoxes:
        """Concatenate two pools."""
        return OverpricedBoxes(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.times, other.times]),
            np.concatenate([self.limits, other.limits]),
            np.concatenate([self.corners, other.corners]),
        )

    def paid(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the prices of the rows of every box."""
        return (np.append(prices, 0.0)[self.rows] * self.times).sum(axis=1)


@dataclass(frozen=True)
class Mixed:
    """The condition that no sensitive value makes up more than a share of a class.

    Attributes
    ----------
    values
        The sensitive value of every row of the table.
    share
        The largest share of a class that one value may have.
    """

    values: NDArray[np.int64] = field(repr=False)
    share: float

    @classmethod
    def by(cls, requirements: Requirements) -> Mixed | None:
        """Find the strictest such condition among requirements; None if there is none."""
        rules = [rule for rule in requirements.bound if rule.kind == FREQUENCY and rule.first > 1]
        if not rules:
            return None
        narrowest = max(rules, key=lambda rule: rule.first)
        values = requirements.microdata.sensitive[narrowest.column].codes.astype(np.int64)
        return cls(values, (1 + TOLERANCE) / narrowest.first)

    def of_distinct(self, rows: FrequencySet) -> NDArray[np.int64]:
        """Look up the value of every distinct row."""
        values = np.zeros(len(rows), np.int64)
        values[rows.of_row] = self.values
        return values


def distinct_rows(microdata: Microdata, mixed: Mixed | None) -> FrequencySet:
    """Find the distinct rows of a table, by their sensitive values too if there is a condition on these."""
    if mixed is None or not len(microdata):
        return frequency_set(microdata)
    sizes = [*(domain.size for domain in microdata.domains), int(mixed.values.max()) + 1]
    found = group_rows(np.column_stack([microdata.codes.astype(np.int64), mixed.values]), sizes)
    return replace(found, codes=found.codes[:, :-1])


class Pricing:
    """Computes prices for the rows of a table, or for some of them.

    Parameters
    ----------
    boxes
        The boxes that a class can show.
    k
        The least size of a class.
    counts
        How often every distinct row occurs among those to price; all rows of the table by default.
    mixed
        The condition on the sensitive values of a class, if any; rows that differ in these are distinct.
    """

    def __init__(
        self,
        boxes: ListedBoxes | NeighbourBoxes,
        k: int,
        counts: NDArray[np.int64] | None = None,
        mixed: Mixed | None = None,
    ) -> None:
        self.boxes, self.k = boxes, k
        self.counts = boxes.rows.counts if counts is None else counts
        self.mixed = mixed is not None
        self._places = boxes.places
        self._values = np.zeros(0, np.int64) if mixed is None else mixed.of_distinct(boxes.rows)
        self._most = float(k) if mixed is None else k * mixed.share
        #: How many distinct rows it may take to make up k.
        self.width = 2 * k + 4 if self.mixed else k
        self._nothing = OverpricedBoxes.room_for(0, self.width)

    @property
    def paying(self) -> NDArray[np.bool_]:
        """Whether a row pays: k equal rows can form a class without loss, unless sensitive values must be mixed."""
        return (self.counts > 0) & ((self.counts < self.k) | self.mixed)

    def highest(self, limit: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Compute prices that are too high, to start from."""
        return np.where(self.paying, np.minimum(limit, float(self.k)), 0.0)

    def cap(self, prices: NDArray[np.float64], pool: OverpricedBoxes | None = None) -> tuple[RowPrices, int]:
        """Lower prices until no box is overpriced; record the boxes that were in ``pool``, and return their number."""
        pool = pool or self._nothing
        found = FoundBoxes(pool.rows, pool.times, pool.limits, pool.corners)
        rows = PricedRows(self._places, self.counts, np.where(self.paying, prices, 0.0), self._values, self._most)
        used = self.boxes.cap(rows, self.k, found)
        return self.priced(rows.prices), used

    def hold(self, prices: NDArray[np.float64], pool: OverpricedBoxes) -> tuple[RowPrices, int]:
        """Do the same as `cap` for prices that nearly hold, around rows."""
        found = FoundBoxes(pool.rows, pool.times, pool.limits, pool.corners)
        rows = PricedRows(self._places, self.counts, np.where(self.paying, prices, 0.0), self._values, self._most)
        used = self.boxes.hold(rows, self.k, found)
        return self.priced(rows.prices), used

    def raised(self, prices: RowPrices, limit: NDArray[np.float64]) -> RowPrices:
        """Raise prices that hold and cap them again a few times, if that is fast; keep the best."""
        for _ in range(RAISES if self.boxes.light else 0):
            found, _ = self.cap(np.minimum(prices.each * (1 + RAISE), limit))
            prices = max(prices, found, key=lambda one: one.total)
        return prices

    def priced(self, each: NDArray[np.float64]) -> RowPrices:
        """Pair prices with their total."""
        return RowPrices(each, float((each * self.counts).sum()))


def capped_prices(
    microdata: Microdata,
    k: int,
    suppression: bool = False,
    mixed: Mixed | None = None,
    boxes: ListedBoxes | NeighbourBoxes | None = None,
) -> tuple[ListedBoxes | NeighbourBoxes, RowPrices]:
    """Find the boxes of a table and prices that hold in all of them.

    Parameters
    ----------
    microdata
        The table.
    k
        The least size of a class.
    suppression
        Whether rows may be suppressed: a suppressed row loses 1, so none pays more.
    mixed
        The condition on the sensitive values of a class, if any.
    boxes
        The boxes, if already known.
    """
    boxes = boxes or all_boxes(microdata, distinct_rows(microdata, mixed))
    pricing = Pricing(boxes, k, mixed=mixed)
    limit = pricing.highest(1.0 if suppression else np.inf)
    prices = pricing.raised(pricing.cap(limit)[0], limit)
    return boxes, pricing.priced(prices.each * (1 - SAFETY))
