"""CostAware: optimal runs along an order that separates rows at the most costly differences first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common.rows import gather
from sfumato.common.threads import LONG, STRETCHES, on_stretches
from sfumato.methods.base import register
from sfumato.methods.linear.base import LinearMethod
from sfumato.methods.linear.kernels.cost_aware import SMALL, CodeScratch, NestedRows, nest_rows
from sfumato.methods.linear.row_order import LinearMapping
from sfumato.table.frequency import frequency_set
from sfumato.table.microdata import Microdata


@dataclass(frozen=True)
class CostAware(LinearMethod):
    """Sort the rows by the most costly differences first, and cut the order into the runs with the least loss.

    Parameters
    ----------
    minimize, keep_equal
        As in `Hilbert`.
    """

    name: ClassVar[str] = "cost-aware"
    along: ClassVar[str] = "an order that puts costly differences first"
    cheapest: ClassVar[str] = "; least loss on mixed data"

    def make_mapping(self) -> LinearMapping:
        return CostOrder()


@dataclass(frozen=True)
class CostOrder(LinearMapping):
    """Cut the rows where that saves most loss, and each side again, until every part holds equal rows.

    A curve treats categories like numbers, although two neighbouring categories may have only the root of the taxonomy
    in common. Here a cut between such categories comes before cuts that save less, level by level down the taxonomies;
    numbers too are cut where that saves most. Of the two sides, the one nearer to the preceding rows comes first.
    """

    name: ClassVar[str] = "cost"

    def keys(self, microdata: Microdata, random: np.random.Generator) -> NDArray[np.uint64]:
        distinct = frequency_set(microdata)
        rows = NestedRows(np.ascontiguousarray(distinct.codes.T), distinct.counts.copy(), np.arange(len(distinct)))
        nest(rows, microdata)
        place = np.empty(len(distinct), np.uint64)
        place[rows.order] = np.arange(len(distinct))
        return gather(place, distinct.of_row)[None]

    def distinguishes(self, microdata: Microdata) -> bool:
        return True


def nest(rows: NestedRows, microdata: Microdata) -> None:
    """Sort the rows in place: first into large parts on one core, then each part on any core."""
    parts = np.array([0, len(rows.order)])
    if len(rows.order) >= LONG:
        parts = nest_rows(rows, parts, len(rows.order) // STRETCHES, _scratch(microdata), microdata.spans)
    on_stretches(parts, lambda some: nest_rows(rows, some, 1, _scratch(microdata), microdata.spans))


def _scratch(microdata: Microdata) -> CodeScratch:
    largest = max(domain.size for domain in microdata.domains)
    histogram = np.zeros(largest + 1, np.int64)
    present, counts = np.empty((2, max(SMALL, largest) + 1), np.int64)
    return CodeScratch(histogram, present, counts)


register()(CostAware)
