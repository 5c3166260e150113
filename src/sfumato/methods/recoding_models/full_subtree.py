"""Full-subtree recoding: every value is shown by a subtree of its hierarchy, the same one in all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.base import register
from sfumato.methods.recoding_models.best_columns import MOST_WAYS, Way
from sfumato.methods.recoding_models.single_dimension import SingleDimension
from sfumato.methods.recoding_models.value_groups import Span, children


@dataclass(frozen=True)
class FullSubtree(SingleDimension):
    """Show values by subtrees of their hierarchy, narrow where many rows are and wide where few are.

    The best choice of subtrees is NP-hard; the search is greedy from the top down, and exact on small tables.
    """

    name: ClassVar[str] = "full-subtree"
    summary: ClassVar[str] = "Subtrees of different heights per attribute, the same for all rows; the best if few."

    def _ways(self, domain: Domain, allowed: Callable[[Span], bool]) -> list[Way] | None:
        return subtree_ways(domain, allowed)

    def _spans(self, domain: Domain) -> NDArray[np.int64]:
        return subtrees(domain)

    def _divisions(self, domain: Domain, counts: NDArray[np.int64], span: Span) -> list[list[Span]]:
        parts = children(domain, span)
        return [parts] if parts else []


register()(FullSubtree)


def subtree_ways(domain: Domain, allowed: Callable[[Span], bool]) -> list[Way] | None:
    """List the ways to divide a hierarchy into allowed full subtrees."""

    def of(span: Span) -> list[Way] | None:
        below = [of(child) for child in children(domain, span)]
        if any(ways is None for ways in below):
            return None
        ways: list[Way] = [(span,)] if allowed(span) else []
        if below:
            combined = product(*(found for found in below if found is not None))
            ways += [tuple(part for way in parts for part in way) for parts in islice(combined, MOST_WAYS + 1)]
        return ways if len(ways) <= MOST_WAYS else None

    return of((0, domain.size - 1))


def subtrees(domain: Domain) -> NDArray[np.int64]:
    """List every subtree of a hierarchy."""
    known = [(0, domain.size - 1)]
    for span in known:
        known += children(domain, span)
    return np.array(known)
