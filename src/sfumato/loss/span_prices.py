"""Span costs other than the certainty penalty: lost bits, or boundaries of queries inside a span."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import (
    CountedDomain,
    CountedGridDomain,
    Domain,
    GridDomain,
    IntervalDomain,
    TreeDomain,
)
from sfumato.hierarchies.scale_domain import MISSING_POSITION
from sfumato.table.microdata import Microdata

D = TypeVar("D", bound=Domain)


def entropy_prices(microdata: Microdata, marginals: Sequence[NDArray[np.int64]], tie: float = 0.0) -> Microdata:
    """Price the spans of a table by the bits that they leave open: the logarithm of the number of rows in them.

    The exact value of a row also leaves bits open, the logarithm of its frequency, whatever its class shows; so the
    least sum is the least loss.
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
    # A row that shows ``*`` everywhere costs 1.
    return replace(microdata, domains=tuple(domains), weights=microdata.weights / _bits_of_a_row(marginals))


def entropy_range(microdata: Microdata, marginals: Sequence[NDArray[np.int64]]) -> tuple[float, float]:
    """Compute the cost of all rows by `entropy_prices` if shown exactly, and if shown as ``*`` everywhere."""
    known = [count @ np.log(np.maximum(1, count)) for count in marginals]
    rows = int(marginals[0].sum()) if len(marginals) else 0
    nothing_told = rows * np.log(max(1, rows)) * float(microdata.weights.sum())
    unit = _bits_of_a_row(marginals)
    return float(np.array(known) @ microdata.weights) / unit, nothing_told / unit


def _bits_of_a_row(marginals: Sequence[NDArray[np.int64]]) -> float:
    return float(np.log(max(2, int(marginals[0].sum()) if len(marginals) else 0)))


@dataclass(frozen=True)
class SpanSteps:
    """The steps of one column: their weight below every code of a scale or in every node of a tree, and in total."""

    inside: NDArray[np.float64]
    total: float


def priced_by_steps(microdata: Microdata, found: Sequence[SpanSteps], certainty: NDArray[np.float64]) -> Microdata:
    """Price the spans of a table by the steps inside them, plus the given weight of their certainty penalty."""
    domains, weights = [], []
    for domain, steps, besides in zip(microdata.domains, found, certainty, strict=True):
        whole = steps.total + float(besides)
        weights.append(whole)
        domains.append(_mixed(domain, steps.inside, float(besides), whole or 1.0))
    return replace(microdata, domains=tuple(domains), weights=np.array(weights))


def _mixed(domain: Domain, inside: NDArray[np.float64], tie: float, whole: float) -> Domain:
    """Price a domain by the steps inside a span plus ``tie`` of its certainty penalty, as a share of the whole."""
    if isinstance(domain, TreeDomain):
        tree = domain.tree
        return _with(domain, tree=replace(tree, cost=(inside + tie * tree.cost) / whole))
    assert isinstance(domain, IntervalDomain)
    beyond = [MISSING_POSITION] * domain.has_missing
    if isinstance(domain, GridDomain):
        # Steps count up to the last value of what is shown, wherever the next grid line lies.
        known = np.append(inside, beyond)
        lines = {"downs": known[domain.firsts] + tie * domain.downs, "ups": known[domain.lasts] + tie * domain.ups}
        return _with(domain, **{name: line / whole for name, line in lines.items()})
    positions = (inside + tie * domain.positions[: len(inside)]) / whole
    return _with(domain, positions=np.append(positions, beyond))


def _with(domain: D, **derived: object) -> D:
    """Copy a domain with other cached values; the costs of its levels are recomputed from their groups."""
    changed = copy.copy(domain)
    levels = tuple(replace(level, ends=None) for level in domain.levels)
    changed.__dict__.update({"levels": levels, **derived})
    return changed
