"""The highest prices in a box: those of k rows that could form a class.

If sensitive values must be mixed, at most ``most`` of the k rows may have the same value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: The rounding error of row counts, which are fractions if values are mixed.
OFF = 1e-9


class PricedRows(NamedTuple):
    """The distinct rows of a table and their prices.

    Attributes
    ----------
    places
        The code of every row in the swept attribute, or zeros.
    counts
        How often every row occurs; 0 ignores it.
    prices
        The price of every row, which the kernels lower.
    values, most
        The sensitive value of every row, and how many of k rows may share one; k if values need not be mixed.
    """

    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    prices: NDArray[np.float64]
    values: NDArray[np.int64]
    most: float


class Highest(NamedTuple):
    """The highest prices in a box, in falling order: as many as cover k rows.

    Attributes
    ----------
    price, times, row
        The prices, how many rows have each (at most k), and which distinct row it is.
    held, kept
        How many prices are held, and how many rows they cover.
    of_value
        Scratch to count the rows by sensitive value.
    """

    price: NDArray[np.float64]
    times: NDArray[np.float64]
    row: NDArray[np.int64]
    held: NDArray[np.int64]
    kept: NDArray[np.float64]
    of_value: NDArray[np.float64]


@inner
def no_prices(k: int, rows: PricedRows) -> Highest:
    """Allocate room for the highest prices."""
    room = 2 * k + 4
    return Highest(
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1),
        np.zeros(rows.values.max() + 1 if rows.most < k else 0),
    )


@inner
def clear(highest: Highest) -> None:
    """Remove all prices."""
    highest.held[0], highest.kept[0] = 0, 0.0


@inner
def entry(highest: Highest, rows: PricedRows, k: int) -> float:
    """Compute the price that a row must exceed to be inserted among the highest.

    Rows that pay nothing are held only if their sensitive value matters.
    """
    if highest.kept[0] >= k - OFF:
        return highest.price[highest.held[0] - 1]
    return 0.0 if rows.most >= k else -1.0


@inner
def insert(highest: Highest, row: int, rows: PricedRows, k: int) -> None:
    """Insert a row among the highest prices and drop those that no longer are; if values are mixed, call `mix` next."""
    price = rows.prices[row]
    times = min(rows.counts[row], k)
    held = highest.held[0]
    at = held
    while at > 0 and highest.price[at - 1] < price:
        highest.price[at] = highest.price[at - 1]
        highest.times[at] = highest.times[at - 1]
        highest.row[at] = highest.row[at - 1]
        at -= 1
    highest.price[at], highest.times[at], highest.row[at] = price, times, row
    held += 1
    kept = highest.kept[0] + times
    while rows.most >= k and kept - highest.times[held - 1] >= k:
        held -= 1
        kept -= highest.times[held]
    highest.held[0], highest.kept[0] = held, kept


@inner
def mix(highest: Highest, rows: PricedRows, k: int) -> None:
    """Take rows, highest prices first, as many of each value as allowed; drop the excess.

    A dropped row never comes back: further rows only leave less room.
    """
    held = highest.held[0]
    for at in range(held):
        highest.of_value[rows.values[highest.row[at]]] = 0.0
    kept, left = 0, 0.0 + k
    for at in range(held):
        value = rows.values[highest.row[at]]
        times = min(highest.times[at], rows.most - highest.of_value[value], left)
        if times > OFF * OFF:
            highest.of_value[value] += times
            left -= times
            highest.price[kept], highest.times[kept], highest.row[kept] = highest.price[at], times, highest.row[at]
            kept += 1
    highest.held[0], highest.kept[0] = kept, k - left


@inner
def can_be_class(highest: Highest, k: int) -> bool:
    """Whether the held rows could form a class; if values are mixed, all rows that could are held."""
    return highest.kept[0] >= k - OFF


@inner
def top_sum(highest: Highest, k: int) -> float:
    """Sum the k highest prices."""
    total, left = 0.0, 0.0 + k
    for at in range(highest.held[0]):
        times = min(left, highest.times[at])
        total += times * highest.price[at]
        left -= times
    return total


@inner
def cap_level(highest: Highest, k: int, target: float) -> float:
    """Compute the level to which prices are cut so that the k highest add up to the target."""
    rest, left, cut = top_sum(highest, k), 0.0 + k, 0.0
    held = highest.held[0]
    level = 0.0
    for at in range(held):
        times = min(left, highest.times[at])
        rest -= times * highest.price[at]
        left -= times
        cut += times
        level = (target - rest) / cut
        if left <= 0 or at + 1 == held or level >= highest.price[at + 1]:
            break
    return max(level, 0.0)
