"""What spans cost in other coin than certainty: bits, or queries that they leave open."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, listed
from sfumato.hierarchies import (
    CountedDomain,
    CountedGridDomain,
    Domain,
    GridDomain,
    IntervalDomain,
    TreeDomain,
    codes_meant,
)
from sfumato.hierarchies.scaled import MISSING_POSITION
from sfumato.microdata import Microdata

D = TypeVar("D", bound=Domain)


def entropy_prices(microdata: Microdata, marginals: Sequence[NDArray[np.int64]], tie: float = 0.0) -> Microdata:
    """Return the table with spans that cost the bits which they leave open: the logarithm of the rows in them.

    A row's own value leaves bits open too, as many as it has equals, whatever its class shows; so the least sum is the
    least loss.
    """
    domains: list[Domain] = []
    for at, domain in enumerate(microdata.domains):
        reached = np.append(0, np.cumsum(marginals[at]))
        if isinstance(domain, TreeDomain):
            tree = domain.tree
            held = np.maximum(1, reached[tree.last + 1] - reached[tree.first])
            domains.append(_with(domain, tree=replace(tree, cost=np.log(held))))
        elif isinstance(domain, GridDomain):
            domains.append(_with(CountedGridDomain.of(domain, reached)))
        elif isinstance(domain, IntervalDomain):
            domains.append(_with(CountedDomain.of(domain, reached)))
    # A row that tells nothing costs 1.
    return replace(microdata, domains=tuple(domains), weights=microdata.weights / _bits_of_a_row(marginals))


def entropy_range(microdata: Microdata, marginals: Sequence[NDArray[np.int64]]) -> tuple[float, float]:
    """Return what all rows cost by `entropy_prices` that are shown exactly, and what they cost that tell nothing."""
    known = [count @ np.log(np.maximum(1, count)) for count in marginals]
    rows = int(marginals[0].sum()) if len(marginals) else 0
    nothing_told = rows * np.log(max(1, rows)) * float(microdata.weights.sum())
    unit = _bits_of_a_row(marginals)
    return float(np.array(known) @ microdata.weights) / unit, nothing_told / unit


def _bits_of_a_row(marginals: Sequence[NDArray[np.int64]]) -> float:
    return float(np.log(max(2, int(marginals[0].sum()) if len(marginals) else 0)))


def workload_prices(
    microdata: Microdata,
    marginals: Sequence[NDArray[np.int64]],
    tie: float = 0.0,
    queries: Sequence[Mapping[str, Any]] = (),
) -> Microdata:
    """Return the table with spans that cost the share of the queries' boundaries inside them.

    A boundary lies between two neighbours on a scale of which one keeps the condition and the other does not, or in
    every group of a tree of which some do and some do not. Besides, spans cost their certainty, counted ``tie``.
    """
    unknown = {name for query in queries for name in query} - set(microdata.names)
    if unknown:
        raise ParameterError(
            f"A query asks for {listed(sorted(unknown))}, which is no quasi-identifier. "
            f"Quasi-identifiers: {listed(microdata.names)}."
        )
    asked = [
        [codes_meant(domain, query[domain.name]) for query in queries if domain.name in query]
        for domain in microdata.domains
    ]
    found = [_boundaries(domain, masks) for domain, masks in zip(microdata.domains, asked, strict=True)]
    total = max(1, sum(boundaries.total for boundaries in found))
    domains, weights = [], []
    for domain, boundaries, weight in zip(microdata.domains, found, microdata.weights, strict=True):
        whole = boundaries.total / total + tie * float(weight)
        weights.append(whole)
        domains.append(_mixed(domain, boundaries.inside / total, tie * float(weight), whole or 1.0))
    return replace(microdata, domains=tuple(domains), weights=np.array(weights))


@dataclass(frozen=True)
class _Boundaries:
    """How many boundaries lie below every code of a scale, or in every node of a tree; and how many there are."""

    inside: NDArray[np.float64]
    total: int


def _boundaries(domain: Domain, masks: list[NDArray[np.bool_]]) -> _Boundaries:
    if isinstance(domain, TreeDomain):
        tree = domain.tree
        split = np.zeros(len(tree.first))
        for mask in masks:
            kept = np.append(0, np.cumsum(mask))
            held = kept[tree.last + 1] - kept[tree.first]
            split += (held > 0) & (held < tree.last + 1 - tree.first)
        return _Boundaries(split, int(split.max(initial=0)))
    values = len(domain.values)
    below = np.zeros(values)
    for mask in masks:
        below[1:] += np.cumsum(mask[1:values] != mask[: values - 1])
    return _Boundaries(below, int(below[-1]) if values else 0)


def _mixed(domain: Domain, inside: NDArray[np.float64], tie: float, whole: float) -> Domain:
    """Return a domain whose spans cost their boundaries and a little of their certainty, as a share of the whole."""
    if isinstance(domain, TreeDomain):
        tree = domain.tree
        return _with(domain, tree=replace(tree, cost=(inside + tie * tree.cost) / whole))
    assert isinstance(domain, IntervalDomain)
    beyond = [MISSING_POSITION] * domain.has_missing
    if isinstance(domain, GridDomain):
        # Boundaries are counted up to the last value of what is shown, wherever the line behind it lies.
        known = np.append(inside, beyond)
        lines = {"downs": known[domain.firsts] + tie * domain.downs, "ups": known[domain.lasts] + tie * domain.ups}
        return _with(domain, **{name: line / whole for name, line in lines.items()})
    positions = (inside + tie * domain.positions[: len(inside)]) / whole
    return _with(domain, positions=np.append(positions, beyond))


def _with(domain: D, **derived: object) -> D:
    """Return a domain with other values where it keeps what it works out once; levels cost what their groups span."""
    changed = copy.copy(domain)
    levels = tuple(replace(level, ends=None) for level in domain.levels)
    changed.__dict__.update({"levels": levels, **derived})
    return changed
