"""Ordered-set partitioning: every value is shown by an interval of its order, the same one in all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.base import register
from sfumato.methods.recoding_models.best_columns import MOST_WAYS, Way
from sfumato.methods.recoding_models.single_dimension import SingleDimension
from sfumato.methods.recoding_models.value_groups import Span

#: The bound ignores columns with more values: they have too many intervals.
MOST_VALUES = 2_000


@dataclass(frozen=True)
class OrderedSetPartition(SingleDimension):
    """Show values by intervals of their order, as narrow as the rows allow.

    The best partition is NP-hard; the search cuts groups greedily near their median, and is exact on small tables.
    """

    name: ClassVar[str] = "ordered-set-partition"
    summary: ClassVar[str] = "Intervals per attribute, the same for all rows; near the median, the best if few."

    def _ways(self, domain: Domain, allowed: Callable[[Span], bool]) -> list[Way] | None:
        return interval_ways(domain, allowed)

    def _spans(self, domain: Domain) -> NDArray[np.int64] | None:
        return intervals(domain)

    def _divisions(self, domain: Domain, counts: NDArray[np.int64], span: Span) -> list[list[Span]]:
        lo, hi = span
        if lo == hi:
            return []
        reached = np.cumsum(counts[lo : hi + 1])
        shares = (0.5, 0.4, 0.6, 0.25, 0.75, 0.1, 0.9)
        cuts = [min(lo + int(np.searchsorted(reached, share * reached[-1])), hi - 1) for share in shares]
        return [[(lo, cut), (cut + 1, hi)] for cut in dict.fromkeys(cuts)]


register()(OrderedSetPartition)


def interval_ways(domain: Domain, allowed: Callable[[Span], bool]) -> list[Way] | None:
    """List the ways to divide an order into allowed intervals."""
    upto: list[list[Way]] = [[()]]
    for end in range(domain.size):
        begins = [begin for begin in range(end + 1) if upto[begin] and allowed((begin, end))]
        if sum(len(upto[begin]) for begin in begins) > MOST_WAYS:
            return None
        upto.append([(*way, (begin, end)) for begin in begins for way in upto[begin]])
    return upto[-1]


def intervals(domain: Domain) -> NDArray[np.int64] | None:
    """List every interval of an order; None if there are too many."""
    return None if domain.size > MOST_VALUES else np.stack(np.triu_indices(domain.size), axis=1)
