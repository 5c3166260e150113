"""How wide an interval of values is, exactly: as people compute it from what they read."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, Inexact, localcontext
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies.calendar import ticks_of
from sfumato.hierarchies.scale_domain import LevelledDomain, ScaledDomain

#: Room for the difference of any two floats; should it ever not be enough, that is an error and no rounding.
EXACTLY = Context(prec=2_000, traps=[Inexact])

Wide = Callable[[Any], bool]


def first_reached(domain: ScaledDomain, width: float) -> NDArray[np.int64]:
    """Return for every code the first code with which it spans ``width``; one beyond the last where none does.

    Whatever reaches the missing value is shown as ``*`` and spans anything, unless it is nothing but missing.
    """
    return _by_level(domain, width) if isinstance(domain, LevelledDomain) else _by_value(domain, width)


def _by_level(domain: LevelledDomain, width: float) -> NDArray[np.int64]:
    """Climb from every code to the first group that is wide enough, and leave the last one that is not."""
    tree = domain.tree
    wide_enough = domain.node_ends.widths >= width
    wide_enough[-1] = True  # the root tells nothing
    node = np.arange(domain.size)
    reached = node.astype(np.int64)
    while len(short := np.flatnonzero(~wide_enough[node])):
        reached[short] = tree.last[node[short]] + 1
        node[short] = tree.parent[node[short]]
    return reached


def _by_value(domain: ScaledDomain, width: float) -> NDArray[np.int64]:
    places, per_unit = _places(domain)
    wide_enough = _wide_enough(width, per_unit)
    reached, at = [], 0
    with localcontext(EXACTLY):
        for place in places:
            while at < len(places) and not wide_enough(places[at] - place):
                at += 1
            reached.append(at)
    return np.array([*reached, domain.size] if domain.has_missing else reached, np.int64)


def exact_extent(domain: ScaledDomain) -> float:
    """Return how far what is shown of all values reaches."""
    if isinstance(domain, LevelledDomain):
        ends = domain.span_ends(np.array([0]), np.array([len(domain.values) - 1]))
        return float(ends.widths[0])
    places, per_unit = _places(domain)
    if not places:
        return 0.0
    with localcontext(EXACTLY):
        return _rounded(places[-1] - places[0], per_unit)


def _wide_enough(width: float, per_unit: int) -> Wide:
    """Return what tells whether a difference is wide enough.

    A whole width is compared as it is. Any other is only known as the nearest float, so it is compared with the float
    that is nearest to the difference: 0.3 - 0.2 spans 0.1, and 23 hours span 23/24 days.
    """
    if float(width).is_integer():
        whole = int(width) * per_unit
        return lambda difference: bool(difference >= whole)
    return lambda difference: _rounded(difference, per_unit) >= width


def _rounded(difference: Any, per_unit: int) -> float:
    """Return the float that is nearest to a difference in units."""
    return float(difference) if isinstance(difference, Decimal) else difference / per_unit


def _places(domain: ScaledDomain) -> tuple[list[Any], int]:
    """Return where the values lie, as exact numbers, and how many of these make one unit of the column."""
    values = domain.values
    if not domain.averageable:  # an order of its own, whatever the type of its values
        return domain.numbers.astype(np.int64).tolist(), 1
    if pa.types.is_temporal(values.type):
        ticks, per_day = ticks_of(values)
        return ticks.tolist(), per_day
    if pa.types.is_integer(values.type):
        return values.to_pylist(), 1
    # A float is taken for the number that is shown of it, not for the binary fraction behind that.
    return [Decimal(text) for text in values.cast(pa.string()).to_pylist()], 1
