"""The highest prices of a box: those of k rows that a class could hold.

A class may need its sensitive values mixed: then no value may have more than so many of the k rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: Amounts of rows are fractions where values are mixed, and off by a little.
OFF = 1e-9


class PricedRows(NamedTuple):
    """The distinct rows of a table and what they are asked to pay.

    Attributes
    ----------
    places
        The code of every row in the attribute that is swept, or nothing but 0.
    counts
        How often every row occurs; 0 leaves it out.
    prices
        What every row pays: this is lowered.
    values, most
        The sensitive value of every row, and how many of k rows may have the same: k where that does not matter.
    """

    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    prices: NDArray[np.float64]
    values: NDArray[np.int64]
    most: float


class Highest(NamedTuple):
    """The highest prices of a box, highest first: as many as it takes to stand for k rows.

    Attributes
    ----------
    price, times, row
        The prices, how many rows have each of them (at most k), and which distinct row that is.
    held, kept
        How many prices are held, and how many rows they stand for.
    of_value
        Room to count how many of the rows have each sensitive value.
    """

    price: NDArray[np.float64]
    times: NDArray[np.float64]
    row: NDArray[np.int64]
    held: NDArray[np.int64]
    kept: NDArray[np.float64]
    of_value: NDArray[np.float64]


@inner
def no_prices(k: int, rows: PricedRows) -> Highest:
    """Return room for the highest prices."""
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
    """Hold no prices."""
    highest.held[0], highest.kept[0] = 0, 0.0


@inner
def entry(highest: Highest, rows: PricedRows, k: int) -> float:
    """Return what a row must pay more than to be put among the highest prices.

    Rows that pay nothing are held only where their sensitive value matters.
    """
    if highest.kept[0] >= k - OFF:
        return highest.price[highest.held[0] - 1]
    return 0.0 if rows.most >= k else -1.0


@inner
def insert(highest: Highest, row: int, rows: PricedRows, k: int) -> None:
    """Put a row among the highest prices, drop those that no longer are; where values are mixed, `mix` follows."""
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
    """Take rows, highest prices first, as many of each value as may be; drop what is too much.

    What is dropped once never comes back: more rows only make room scarcer.
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
    """Return whether the rows that are held could be a class; where values are mixed, all are held that could."""
    return highest.kept[0] >= k - OFF


@inner
def top_sum(highest: Highest, k: int) -> float:
    """Return the sum of the k highest prices."""
    total, left = 0.0, 0.0 + k
    for at in range(highest.held[0]):
        times = min(left, highest.times[at])
        total += times * highest.price[at]
        left -= times
    return total


@inner
def cap_level(highest: Highest, k: int, target: float) -> float:
    """Return the level to which prices are cut so that the k highest add up to the target."""
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
