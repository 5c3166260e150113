"""Costs that add up over blocks, and what is known of them before a single cut is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Sizes = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class BlockCost:
    """A cost that is a sum over classes: of what their sizes cost, of what their rows lose by what they span, or both.

    Parameters
    ----------
    name
        What it is called.
    by_size
        What classes of these sizes cost, spans left aside; one value for each size.
    floor
        What so many rows cost at least in classes of at least ``smallest`` rows, for every number of rows given.
        Without it, the least that a row costs in any class serves.
    spread
        What a row costs whose class shows ``*`` everywhere; in between, in proportion to its certainty penalty.
    suppressed
        What a suppressed row costs, given the rows of the table; None where rows may not be left out.
    shown
        How a sum is shown, given the rows of the table and the smallest class.

    Examples
    --------
    Discernibility and what classes span, in one cost:

    >>> mixed = BlockCost("mixed", lambda sizes: sizes**2 / 1000, spread=1.0)
    >>> mixed.size_costs(3)
    array([0.   , 0.001, 0.004, 0.009])
    """

    name: str
    by_size: Callable[[Sizes], Values] = field(default=lambda sizes: np.zeros(len(sizes)), repr=False)
    floor: Callable[[Sizes, int], Values] | None = field(default=None, repr=False)
    spread: float = 0.0
    suppressed: Callable[[int], float] | None = field(default=None, repr=False)
    shown: Callable[[float, int, int], float] = field(default=lambda value, rows, smallest: value, repr=False)

    def size_costs(self, rows: int) -> Values:
        """Return what a class of every size from 0 to ``rows`` costs, spans left aside."""
        costs = np.array(self.by_size(np.arange(rows + 1)), np.float64)
        costs[0] = 0.0
        return costs

    def floors(self, rows: int, smallest: int, suppressed: float = np.inf) -> Values:
        """Return what every number of rows from 0 to ``rows`` costs at least."""
        sizes = np.arange(rows + 1)
        least = np.full(rows + 1, np.inf)
        least[0] = 0.0
        if smallest <= rows:
            least[smallest:] = self._allowed_floors(sizes[smallest:], smallest)
        return _with_suppression(least, suppressed)

    def _allowed_floors(self, sizes: Sizes, smallest: int) -> Values:
        if self.floor is not None:
            return self.floor(sizes, smallest)
        each: Values = self.size_costs(int(sizes[-1]))[smallest:] / sizes
        return np.asarray(sizes * np.minimum.accumulate(each), np.float64)


def _with_suppression(least: Values, suppressed: float) -> Values:
    """Lower the floors where leaving rows out may be cheaper: the best number to leave out decides."""
    if not np.isfinite(suppressed):
        return least
    prices = suppressed * np.arange(len(least))
    return np.minimum.accumulate(least - prices) + prices


def _dm_floor(sizes: Sizes, smallest: int) -> Values:
    """Return the sum of squares of as many and as equal classes as possible."""
    classes = sizes // smallest
    size, larger = np.divmod(sizes, classes)
    return ((classes - larger) * size**2 + larger * (size + 1) ** 2).astype(np.float64)


#: The discernibility metric: every row costs the size of its class, and the size of the table if it is left out.
DM = BlockCost("dm", lambda sizes: sizes.astype(np.float64) ** 2, _dm_floor, suppressed=float)

#: The average class size. With all rows released it is least where there are most classes, so each class earns one.
C_AVG = BlockCost(
    "c_avg",
    lambda sizes: np.full(len(sizes), -1.0),
    lambda sizes, smallest: -(sizes // smallest).astype(np.float64),
    shown=lambda value, rows, smallest: rows / smallest / -value,
)

#: The certainty penalty: summed over rows, shown as their mean.
GCP = BlockCost(
    "gcp", spread=1.0, suppressed=lambda rows: 1.0, shown=lambda value, rows, smallest: value / max(1, rows)
)

COSTS = {cost.name: cost for cost in (DM, C_AVG, GCP)}
