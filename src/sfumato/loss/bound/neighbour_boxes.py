"""Boxes searched for around every row, for tables with too many boxes to list: several numbers, or many attributes.

Prices are capped level by level, cheap boxes first, and row by row within a level. A row that takes too much work pays
at most what the cheapest box of the level loses: less than it could pay, but still a proof.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import Patience
from sfumato.common.threads import side_by_side
from sfumato.loss.bound.kernels.cap_around import LossLevel, cap_around
from sfumato.loss.bound.kernels.cap_layer import FoundBoxes
from sfumato.loss.bound.kernels.highest_prices import PricedRows
from sfumato.loss.bound.kernels.nearby_rows import Near, reaches
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.table.frequency import FrequencySet
from sfumato.table.microdata import Microdata

#: Rows in a block of neighbours, and blocks in a block of blocks.
BLOCK, WIDE = 16, 16

#: The number of parts of a table that are processed in parallel.
PARTS = 8

#: The factor between the losses of two levels, and the first level as a share of the largest loss.
GROWTH, FIRST = 1.15, 1e-5

#: A bundle whose outer box loses at most this share more than its inner box is not split.
TOLERANCE = 0.05

#: The most rows to examine in every level, and the least number around a row.
WORK, LEAST_WORK = 40_000_000, 500


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

    light = False

    def __init__(self, microdata: Microdata, rows: FrequencySet, effort: float = 1.0) -> None:
        self.microdata, self.rows, self.patience = microdata, rows, Patience()
        self.whole = float(microdata.weights.sum())
        self.work = max(LEAST_WORK, int(effort * WORK / max(1, len(rows))))
        self._reaches: dict[int, NDArray[np.float64]] = {}

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


def all_boxes(microdata: Microdata, rows: FrequencySet) -> ListedBoxes | NeighbourBoxes:
    """List every box that a class can show, or search for them around rows if the list is too long."""
    boxes = ListedBoxes(microdata, rows)
    return boxes if boxes.exact else NeighbourBoxes(microdata, rows)


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
