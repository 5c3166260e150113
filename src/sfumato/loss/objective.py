"""A loss declared as a sum of parts: methods minimize it, releases report it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import ParameterError, invalid_parameter
from sfumato.hierarchies import Domain
from sfumato.loss.recoded_table import RecodedTable, ncp, ncp_by_attribute, summed
from sfumato.table.microdata import Microdata

Sizes = NDArray[np.int64]
Values = NDArray[np.float64]

#: One figure, or one for each of many nodes.
Amount = float | Values

#: How often every code of every quasi-identifier occurs.
Marginals = Sequence[NDArray[np.int64]]

#: A function from a table to one with other span costs than the certainty penalty, given the marginals and the weight
#: of the certainty penalty, which breaks ties.
Prices = Callable[[Microdata, Marginals, float], Microdata]

#: What a loss can depend on, as worded when a method refuses it.
SPANS, LEVELS, SIZES, CLASSES, LABELS, FUNCTIONS, RELEASE = (
    "what classes span",
    "the levels that classes are shown at",
    "how many rows share a class",
    "how many classes there are",
    "the most frequent label of a class",
    "a function of classes",
    "a function of the whole release",
)


@dataclass(frozen=True)
class Blocks:
    """Blocks that may become classes, as a custom loss sees them: one row per block.

    Attributes
    ----------
    sizes
        How many rows each block holds.
    spans
        Per attribute, the share of its domain that the block spans: 0 for a single value, 1 for everything.
    counts
        Per sensitive column, how many rows have each of its values.
    """

    sizes: Sizes = field(repr=False)
    spans: Values = field(repr=False)
    counts: Mapping[str, Sizes] = field(repr=False, default_factory=dict)


class LossTotal(NamedTuple):
    """Sums of a loss over tables or nodes, and what is needed to report them.

    Attributes
    ----------
    lost
        What all rows cost together, suppressed ones included.
    kept
        How many rows are released.
    rows
        All rows of the input, including those that never reached the method (``left_out``).
    k
        The requested class size.
    microdata, marginals
        The table, and how often every code of every quasi-identifier occurs in it.
    """

    lost: Amount
    kept: Amount
    rows: int
    k: int
    microdata: Microdata
    marginals: Marginals
    left_out: int = 0


def mean(total: LossTotal) -> Amount:
    """Divide a sum by the number of rows."""
    return total.lost / max(1, total.rows)


@dataclass(frozen=True)
class Objective:
    """A loss that adds up over classes, given by its parts: what methods minimize and what releases report.

    A class costs the sum of its parts; a method that can lower all of them can minimize the loss.

    Parameters
    ----------
    name, title
        Its name in requests, and its title in reports.
    spread
        The cost of a row whose class shows ``*`` everywhere; narrower classes cost in proportion to what they span.
    prices
        A function from the table to the one whose span costs are used; by default spans cost their certainty penalty.
    heights
        The cost of a row at every level: a function of a quasi-identifier and its weight.
    squares
        The cost of a row per row in its class.
    per_class
        The cost of every class, at most 0: more classes never reveal less.
    labels
        The cost of a row whose label, the first sensitive column, is not the most frequent of its class.
    by_size
        An additional cost by class size: a function of sizes that returns one value for each.
    by_block
        An additional cost of blocks of rows, at least 0: a function of `Blocks`. It is called many times, and bounds
        ignore it unless ``floor`` covers it, so it slows a search down.
    by_release
        The loss of a release as a whole: it is reported, but no method can minimize it.
    floor
        A lower bound of what rows cost by the sizes of their classes, for every number of rows, given the smallest
        size. By default, the least that a row costs in a class of any size.
    suppressed
        The cost of a suppressed row, given the number of rows of the table. By default, that of the highest levels;
        for losses without levels, rows may then not be suppressed.
    shown
        How sums (a `LossTotal`) are reported; lower is better.
    upper
        The largest possible value; None for no limit.
    higher_is_better
        Whether ``upper`` minus the loss is reported.

    Examples
    --------
    Discernibility and what classes span, in one loss:

    >>> mixed = Objective("mixed", spread=1.0, squares=0.001)
    >>> mixed.size_costs(3)
    array([0.   , 0.001, 0.004, 0.009])

    Every row that does not have the most frequent illness of its class:

    >>> errors = Objective("errors", by_block=lambda blocks: blocks.sizes - blocks.counts["illness"].max(axis=1))
    """

    name: str
    title: str = ""
    spread: float = 0.0
    prices: Prices | None = field(default=None, repr=False)
    heights: Callable[[Domain, float], Values] | None = field(default=None, repr=False)
    squares: float = 0.0
    per_class: float = 0.0
    labels: float = 0.0
    by_size: Callable[[Sizes], Values] | None = field(default=None, repr=False)
    by_block: Callable[[Blocks], Values | Sizes] | None = field(default=None, repr=False)
    by_release: Callable[[RecodedTable], float] | None = field(default=None, repr=False)
    floor: Callable[[Sizes, int], Values] | None = field(default=None, repr=False)
    suppressed: Callable[[int], float] | None = field(default=None, repr=False)
    shown: Callable[[LossTotal], Amount] = field(default=lambda total: total.lost, repr=False)
    upper: float | None = None
    higher_is_better: bool = False

    def __post_init__(self) -> None:
        for name in ("spread", "squares", "labels"):
            parameters.number("Objective", name, getattr(self, name), at_least=0)
        if parameters.number("Objective", "per_class", self.per_class) > 0:
            raise invalid_parameter("Objective", "per_class", "a number of at most 0", self.per_class)

    @property
    def parts(self) -> frozenset[str]:
        """What the loss depends on, so what a method must be able to lower."""
        present = {
            SPANS: self.spread,
            LEVELS: self.heights,
            SIZES: self.squares,
            CLASSES: self.per_class,
            LABELS: self.labels,
            FUNCTIONS: self.by_size or self.by_block,
            RELEASE: self.by_release,
        }
        return frozenset(part for part, found in present.items() if found)

    @property
    def additive(self) -> bool:
        """Whether the cost of a row does not depend on the size of its class, so that finer classes never cost more."""
        return bool(self.parts) and self.parts <= {SPANS, LEVELS}

    @property
    def may_suppress(self) -> bool:
        """Whether suppressing a row has a cost, so that rows may be suppressed."""
        return self.suppressed is not None or self.heights is not None

    def priced(self, microdata: Microdata, marginals: Marginals | None = None, tie: float = 0.0) -> Microdata:
        """Price a table so that its span costs add up to the loss; ``tie`` is the weight of certainty to break ties."""
        if self.prices is None:
            return microdata
        return self.prices(microdata, microdata.marginals if marginals is None else marginals, tie)

    def price(self, microdata: Microdata, rows: int) -> float:
        """Compute the cost of a suppressed row."""
        if self.suppressed is not None:
            return float(self.suppressed(rows))
        return sum(float(costs[-1]) for costs in self.level_costs(microdata))

    def level_costs(self, microdata: Microdata) -> list[Values]:
        """Compute the cost of a row at every level of every quasi-identifier."""
        if self.heights is None:
            return [np.zeros(domain.top + 1) for domain in microdata.domains]
        pairs = zip(microdata.domains, microdata.weights, strict=True)
        return [self.heights(domain, float(weight)) for domain, weight in pairs]

    # What a release lost

    def measure(self, recoded: RecodedTable) -> float:
        """Measure the loss of a release, as it is reported."""
        if self.by_release is not None:
            return float(self.by_release(recoded))
        table, rows = recoded.microdata, recoded.rows
        kept = rows - recoded.suppressed
        total = LossTotal(self.lost(recoded), kept, rows, recoded.k, table, table.marginals, recoded.left_out)
        return float(self.reported(self.shown(total)))

    def reported(self, loss: Amount) -> Amount:
        """Turn a loss into the reported figure."""
        return (self.upper or 0.0) - loss if self.higher_is_better else loss

    def lost(self, recoded: RecodedTable) -> float:
        """Sum the cost of all rows."""
        return self.lost_by_released(recoded) + recoded.suppressed * self.price(recoded.microdata, recoded.rows)

    def lost_by_released(self, recoded: RecodedTable) -> float:
        """Sum the cost of the released rows; this adds up over the parts of a table."""
        table, classes = recoded.microdata, recoded.classes
        lost = self.class_costs(recoded)
        if self.heights is not None:
            priced, heights = self.level_costs(table), recoded.heights
            lost += summed(
                classes, lambda some: np.sum([costs[heights[some, at]] for at, costs in enumerate(priced)], axis=0)
            )
        if self.labels and table.sensitive:
            lost += self.labels * (len(table) - classes.suppressed - recoded.in_majority)
        return lost

    def class_costs(self, recoded: RecodedTable) -> float:
        """Sum the cost of all classes by their spans, their sizes, and functions of them."""
        classes, lost = recoded.classes, 0.0
        if self.spread:
            priced = self.priced(recoded.microdata)
            lost += self.spread * summed(classes, lambda some: ncp(priced, classes, some))
        if self.squares:
            lost += self.squares * float(classes.sizes @ classes.sizes)
        lost += self.per_class * len(classes)
        if self.by_size is not None:
            lost += float(np.asarray(self.by_size(classes.sizes), np.float64).sum())
        if self.by_block is not None and len(classes):
            table = recoded.microdata
            counts = {column.name: recoded.histograms(column) for column in table.sensitive}
            blocks = Blocks(classes.sizes, ncp_by_attribute(table, classes), counts)
            lost += float(self.block_costs(blocks).sum())
        return lost

    # What searches need before any class exists

    def size_costs(self, rows: int) -> Values:
        """Compute the cost of a class of every size from 0 to ``rows`` by its size alone."""
        sizes = np.arange(rows + 1)
        costs = self.per_class + self.squares * sizes.astype(np.float64) ** 2
        if self.by_size is not None:
            costs = costs + np.asarray(self.by_size(sizes), np.float64)
        costs[0] = 0.0
        return costs

    def block_costs(self, blocks: Blocks) -> Values:
        """Call the function of blocks, and check that it returns finite costs."""
        if self.by_block is None:
            return np.zeros(len(blocks.sizes))
        values = np.asarray(self.by_block(blocks), np.float64)
        if values.shape != blocks.sizes.shape or not (np.isfinite(values) & (values >= 0)).all():
            raise ParameterError(
                f"The loss '{self.name}' must be a finite number of at least 0 for every block. Its 'by_block' "
                "returned something else: a wrong number of values, or one that is negative, infinite or not a number."
            )
        return values

    def floors(self, rows: int, smallest: int, suppressed: float = np.inf) -> Values:
        """Bound from below what every number of rows from 0 to ``rows`` costs by the sizes of their classes."""
        sizes = np.arange(rows + 1)
        least = np.full(rows + 1, np.inf)
        least[0] = 0.0
        if smallest <= rows:
            least[smallest:] = self._allowed_floors(sizes[smallest:], smallest)
        if not np.isfinite(suppressed):
            return least
        # Suppressing some of the rows may be cheaper: take the best number.
        prices = suppressed * sizes
        return np.minimum.accumulate(least - prices) + prices

    def _allowed_floors(self, sizes: Sizes, smallest: int) -> Values:
        if self.floor is not None:
            return self.floor(sizes, smallest)
        each: Values = self.size_costs(int(sizes[-1]))[smallest:] / sizes
        return np.asarray(sizes * np.minimum.accumulate(each), np.float64)
