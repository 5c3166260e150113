"""The levels at which a search groups each quasi-identifier: those of its tree, or intervals from narrow to wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, IntervalDomain, TreeDomain

#: Interval widths in multiples of the mean gap between neighbouring values, repeated for every power of ten.
WIDTHS = (2, 3, 5, 7, 10, 15)


def mostly_categories(domains: Sequence[Domain]) -> bool:
    """Whether at least half of the quasi-identifiers are categorical, with meaningful levels."""
    return 2 * sum(isinstance(domain, TreeDomain) for domain in domains) >= max(1, len(domains))


def search_levels(domain: Domain) -> list[NDArray[np.int64]]:
    """List the levels, each as the group of every code, from single values to one group.

    Numbers get many more levels than a user would declare: only the search uses them, and classes show what they
    actually span.
    """
    if isinstance(domain, IntervalDomain):
        steps = [np.arange(domain.size), *_intervals(domain), np.zeros(domain.size, np.int64)]
    else:
        steps = [level.groups.astype(np.int64) for level in domain.levels]
    return _different(steps)


def level_costs(domain: Domain, levels: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Compute the cost of every code at every level when its whole group is shown."""
    costs = []
    for groups in levels:
        first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
        last = np.append(first[1:], len(groups)) - 1
        costs.append(domain.span_costs(first, last)[groups])
    return np.stack(costs)


def _intervals(domain: IntervalDomain) -> Iterator[NDArray[np.int64]]:
    numbers = len(domain.numbers)
    for width in _widths(numbers - 1):
        groups = np.floor(domain.positions[:numbers] * (numbers - 1) / width + 1e-9)
        yield _numbered(np.append(groups, -1.0) if domain.has_missing else groups)


def _widths(extent: int) -> Iterator[int]:
    scale = 1
    while scale < extent:
        yield from (width * scale for width in WIDTHS if width * scale < extent)
        scale *= 10


def _numbered(groups: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number the groups from 0 in code order."""
    return np.cumsum(np.append(False, groups[1:] != groups[:-1]))


def _different(levels: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Drop levels that equal the one before."""
    kept = levels[:1]
    kept += [after for before, after in pairwise(levels) if after[-1] != before[-1]]
    return kept
