"""Costs that add up over blocks, and what is known of them before a single cut is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError

Sizes = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Blocks:
    """Blocks that may become classes, as a cost of your own sees them: one row per block.

    Attributes
    ----------
    sizes
        How many rows each holds.
    spans
        Per attribute, the share of its domain that the block spans: 0 is a single value, 1 is everything.
    counts
        Per sensitive column, how many rows have each of its values.
    """

    sizes: Sizes = field(repr=False)
    spans: Values = field(repr=False)
    counts: Mapping[str, Sizes] = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class BlockCost:
    """A cost that is a sum over classes: of what their sizes cost, of what their rows lose by what they span, or both.

    Any other cost that adds up over classes can be added, as a function of what a block holds and spans.

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
    by_block
        What else each of some blocks costs, at least 0: a function of `Blocks`. It is a Python function, called many
        times, and the bounds know nothing of it unless ``floor`` does, so the search is slower than without.
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

    Every row that does not have the most frequent illness of its class:

    >>> errors = BlockCost("errors", by_block=lambda blocks: blocks.sizes - blocks.counts["illness"].max(axis=1))
    """

    name: str
    by_size: Callable[[Sizes], Values] = field(default=lambda sizes: np.zeros(len(sizes)), repr=False)
    floor: Callable[[Sizes, int], Values] | None = field(default=None, repr=False)
    spread: float = 0.0
    by_block: Callable[[Blocks], Values | Sizes] | None = field(default=None, repr=False)
    suppressed: Callable[[int], float] | None = field(default=None, repr=False)
    shown: Callable[[float, int, int], float] = field(default=lambda value, rows, smallest: value, repr=False)

    def size_costs(self, rows: int) -> Values:
        """Return what a class of every size from 0 to ``rows`` costs, spans left aside."""
        costs = np.array(self.by_size(np.arange(rows + 1)), np.float64)
        costs[0] = 0.0
        return costs

    def block_costs(self, blocks: Blocks) -> Values:
        """Return what the function of blocks says, after a look at whether it is something to add up."""
        if self.by_block is None:
            return np.zeros(len(blocks.sizes))
        values = np.asarray(self.by_block(blocks), np.float64)
        if values.shape != blocks.sizes.shape or not (np.isfinite(values) & (values >= 0)).all():
            raise ParameterError(
                f"The cost '{self.name}' must be a finite number of at least 0 for every block. Its 'by_block' "
                "returned something else: a wrong number of values, or one that is negative, infinite or not a number."
            )
        return values

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
