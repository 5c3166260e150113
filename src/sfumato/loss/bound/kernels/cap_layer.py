"""Cap prices in the boxes of a layer: sweep one attribute and lower prices until no box is overpriced.

A price belongs to a distinct row and counts as often as the row occurs. A box with at least k rows is overpriced if the
mean of its k highest prices exceeds what a class in that box loses per row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.loss.bound.kernels.highest_prices import (
    Highest,
    PricedRows,
    can_be_class,
    cap_level,
    clear,
    entry,
    insert,
    mix,
    no_prices,
    top_sum,
)
from sfumato.table.kernels.spans import Spans, span_cost

#: The share by which prices may be too high without being lowered, because sums have rounding errors.
SLACK = 1e-9


class FoundBoxes(NamedTuple):
    """Overpriced boxes that were found: the k highest-priced rows, and the box.

    Attributes
    ----------
    rows, times
        The highest-priced distinct rows, -1 after the last, and how many of each.
    limits
        The loss per row of a class in the box.
    corners
        The layer of the box, and the distinct rows at its outermost places.
    """

    rows: NDArray[np.int32]
    times: NDArray[np.float64]
    limits: NDArray[np.float64]
    corners: NDArray[np.int32]


@kernel
def cap_layer(
    members: NDArray[np.int32],
    begins: NDArray[np.int64],
    penalties: NDArray[np.float64],
    rows: PricedRows,
    k: int,
    spans: Spans,
    swept: int,
    layer: int,
    found: FoundBoxes,
    used: int,
) -> int:
    """Lower the prices in every overpriced box of a layer; return how many boxes have been found so far.

    ``members`` holds the rows of the layer group by group, each with rising or falling ``places``, and ``penalties``
    what each group loses without the swept attribute (``swept``, or -1 for none).

    The last place comes first: when boxes that begin at a place are examined, those that begin later already hold.
    """
    highest, later = no_prices(k, rows), no_prices(k, rows)
    for group in range(len(begins) - 1):
        begin, end = begins[group], begins[group + 1]
        if not worth_a_look(members, begin, end, rows, k, penalties[group]):
            continue
        clear(later)
        last, most, lowest = end, 0.0, entry(later, rows, k)
        while last > begin:
            first = last - 1
            place = rows.places[members[first]]
            while first > begin and rows.places[members[first - 1]] == place:
                first -= 1
            for at in range(first, last):
                if rows.prices[members[at]] > lowest:
                    insert(later, members[at], rows, k)
                    if rows.most < k:
                        mix(later, rows, k)
                    lowest, most = entry(later, rows, k), -1.0
            if most < 0:
                most = top_sum(later, k)
            if overpriced(most, k * penalties[group]):
                used = cap_from(
                    members,
                    first,
                    last,
                    end,
                    penalties[group],
                    most,
                    rows,
                    k,
                    spans,
                    swept,
                    layer,
                    highest,
                    found,
                    used,
                )
            last = first
    return used


@inner
def worth_a_look(members: NDArray[np.int32], begin: int, end: int, rows: PricedRows, k: int, limit: float) -> bool:
    """Whether a group has k rows and could be overpriced, by a quick upper bound.

    The k highest prices add up to at most k times any level plus the excess of prices over it: two levels are tried.
    """
    total, whole, above = 0, 0.0, 0.0
    for at in range(begin, end):
        row = members[at]
        price, times = rows.prices[row], rows.counts[row]
        total += times
        whole += times * price
        above += times * max(0.0, price - limit / 2)
    return total >= k and overpriced(min(whole, k * limit / 2 + above), k * limit)


@inner
def cap_from(
    members: NDArray[np.int32],
    first: int,
    second: int,
    end: int,
    penalty: float,
    most: float,
    rows: PricedRows,
    k: int,
    spans: Spans,
    swept: int,
    layer: int,
    highest: Highest,
    found: FoundBoxes,
    used: int,
) -> int:
    """Widen a box from its first place on, and lower prices wherever it is overpriced.

    Rows from ``second`` on lie at later places, and boxes that begin there hold. So as soon as k rows there pay more
    than those at the first place, this box and all wider ones hold too.
    """
    clear(highest)
    inside, here, dearest, enough = 0, 0, 0.0, False
    for at in range(first, second):
        here += rows.counts[members[at]]
        dearest = max(dearest, rows.prices[members[at]])
    at = first
    start = rows.places[members[first]]
    lowest, plain = entry(highest, rows, k), rows.most >= k
    while at < end:
        place = rows.places[members[at]]
        limit = penalty
        if swept >= 0:
            limit += spans.weight[swept] * span_cost(spans, swept, min(start, place), max(start, place))
        if not overpriced(most, k * limit):
            break
        changed = not enough
        while at < end and rows.places[members[at]] == place:
            inside += rows.counts[members[at]]
            if rows.prices[members[at]] > lowest:
                insert(highest, members[at], rows, k)
                if not plain:
                    mix(highest, rows, k)
                lowest, changed = entry(highest, rows, k), True
            at += 1
        if inside - here >= k and (dearest < lowest or (plain and dearest == 0)):
            break
        if not changed:  # the box only loses more than the one before
            continue
        enough = inside >= k if plain else can_be_class(highest, k)
        if enough and overpriced(top_sum(highest, k), k * limit):
            used = keep(highest, k, limit, layer, members[first], members[at - 1], found, used)
            level = cap_level(highest, k, k * limit)
            dearest = min(dearest, level)
            for held in range(highest.held[0]):
                highest.price[held] = min(highest.price[held], level)
            for lowered in range(first, at):
                row = members[lowered]
                rows.prices[row] = min(rows.prices[row], level)
            lowest = entry(highest, rows, k)
    return used


@inner
def overpriced(total: float, limit: float) -> bool:
    """Whether the highest prices add up to more than a class of k rows loses."""
    return total > limit * (1 + SLACK) + SLACK * SLACK


@inner
def keep(
    highest: Highest, k: int, limit: float, layer: int, first: int, last: int, found: FoundBoxes, used: int
) -> int:
    """Record an overpriced box if there is room."""
    if used == len(found.limits):
        return used
    left = 0.0 + k
    for at in range(found.rows.shape[1]):
        if at < highest.held[0] and left > 0:
            times = min(left, highest.times[at])
            found.rows[used, at], found.times[used, at] = highest.row[at], times
            left -= times
        else:
            found.rows[used, at], found.times[used, at] = -1, 0.0
    found.limits[used] = limit
    found.corners[used, 0], found.corners[used, 1], found.corners[used, 2] = layer, first, last
    return used + 1
