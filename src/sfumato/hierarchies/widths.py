"""The exact width of intervals, as people compute it from the numbers they read."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, Inexact, localcontext
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies.calendar import ticks_of
from sfumato.hierarchies.scale_domain import LevelledDomain, ScaledDomain

#: Digits for the difference of any two floats; if they ever do not suffice, that raises an error instead of rounding.
EXACTLY = Context(prec=2_000, traps=[Inexact])

Wide = Callable[[Any], bool]


def first_reached(domain: ScaledDomain, width: float) -> NDArray[np.int64]:
    """For every code, the first code with which it spans ``width``; one beyond the last if there is none.

    A span up to the missing value is shown as ``*`` and wide enough, unless it holds only missing values.
    """
    return _by_level(domain, width) if isinstance(domain, LevelledDomain) else _by_value(domain, width)


def _by_level(domain: LevelledDomain, width: float) -> NDArray[np.int64]:
    """Climb from every code to the first group that is wide enough, and take the first code beyond the group below."""
    tree = domain.tree
    wide_enough = _wide_nodes(domain, width)
    wide_enough[-1] = True  # the root is ``*``
    node = np.arange(domain.size)
    reached = node.astype(np.int64)
    while len(short := np.flatnonzero(~wide_enough[node])):
        reached[short] = tree.last[node[short]] + 1
        node[short] = tree.parent[node[short]]
    return reached


def _wide_nodes(domain: LevelledDomain, width: float) -> NDArray[np.bool_]:
    """Mark the groups that are wide enough, by what is shown of their ends: a float may be off by one near 2**64."""
    ends = domain.node_ends
    found: NDArray[np.bool_] = ends.widths >= width
    both = found & _known(ends.low) & _known(ends.high)
    (low, per_unit), (high, _) = (_exactly(side.filter(pa.array(both))) for side in (ends.low, ends.high))
    wide_enough = _wide_enough(width, per_unit)
    with localcontext(EXACTLY):
        found[both] = [wide_enough(end - begin) for begin, end in zip(low, high, strict=True)]
    return found


def _known(side: pa.Array) -> NDArray[np.bool_]:
    known: NDArray[np.bool_] = side.is_valid().to_numpy(zero_copy_only=False)
    return known


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
    """The width of what is shown of all values together."""
    if isinstance(domain, LevelledDomain):
        ends = domain.span_ends(np.array([0]), np.array([len(domain.values) - 1]))
        return float(ends.widths[0])
    places, per_unit = _places(domain)
    if not places:
        return 0.0
    with localcontext(EXACTLY):
        return _rounded(places[-1] - places[0], per_unit)


def _wide_enough(width: float, per_unit: int) -> Wide:
    """The test whether a difference is wide enough.

    An integer width is compared exactly. Any other width is only known as the nearest float, so the difference is
    rounded to a float, too: 0.3 - 0.2 spans 0.1, and 23 hours span 23/24 days.
    """
    if float(width).is_integer():
        whole = int(width) * per_unit
        return lambda difference: bool(difference >= whole)
    return lambda difference: _rounded(difference, per_unit) >= width


def _rounded(difference: Any, per_unit: int) -> float:
    """A difference in units of the column, rounded to a float."""
    return float(difference) if isinstance(difference, Decimal) else difference / per_unit


def _places(domain: ScaledDomain) -> tuple[list[Any], int]:
    """The exact positions of the values, and how many of their ticks make one unit of the column."""
    if not domain.averageable:  # a declared order, whatever the type of its values
        return domain.numbers.astype(np.int64).tolist(), 1
    return _exactly(domain.values)


def _exactly(values: pa.Array) -> tuple[list[Any], int]:
    """Numbers, dates or times as they are shown."""
    if pa.types.is_temporal(values.type):
        ticks, per_day = ticks_of(values)
        return ticks.tolist(), per_day
    if pa.types.is_integer(values.type):
        return values.to_pylist(), 1
    # A float counts as the decimal number that it is shown as, not as the binary fraction.
    return [Decimal(text) for text in values.cast(pa.string()).to_pylist()], 1
