"""A recoded table, the encoded table with its classes: everything that a loss may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.common.rows import stretches
from sfumato.common.threads import shared_property, side_by_side
from sfumato.table.frequency import most_frequent
from sfumato.table.microdata import Microdata, SensitiveColumn
from sfumato.table.recoding import EquivalenceClasses

#: How many classes are measured at a time.
STRETCH = 1 << 17


@dataclass(frozen=True)
class RecodedTable:
    """An encoded table and its classes: everything that a loss may use.

    Attributes
    ----------
    microdata, classes
        The encoded table and its classes.
    left_out
        Rows that a missing value kept from the method; they count as suppressed.
    k
        The requested class size.
    """

    microdata: Microdata
    classes: EquivalenceClasses
    left_out: int = 0
    k: int = 1

    @property
    def rows(self) -> int:
        """All rows of the input."""
        return len(self.microdata) + self.left_out

    @property
    def suppressed(self) -> int:
        """The rows of the input that are not released."""
        return self.classes.suppressed + self.left_out

    @shared_property
    def heights(self) -> NDArray[np.int64]:
        """The level of each quasi-identifier in each class: the shown one, else the lowest at which it is one group."""
        lo, hi, levels = self.classes.lo, self.classes.hi, self.classes.levels
        if levels is not None:
            return np.broadcast_to(np.array(levels), lo.shape)
        heights = np.empty(lo.shape, np.int64)

        def fill(at: int) -> None:
            domain = self.microdata.domains[at]
            heights[:, at] = domain.top
            for level in range(domain.top - 1, -1, -1):
                groups = domain.levels[level].groups
                heights[groups[lo[:, at]] == groups[hi[:, at]], at] = level

        side_by_side(fill, range(len(self.microdata.domains)))
        if self.classes.hidden is not None:
            heights = np.where(self.classes.hidden, [domain.top for domain in self.microdata.domains], heights)
        return heights

    def histograms(self, column: SensitiveColumn) -> NDArray[np.int64]:
        """Count each value of a sensitive column (columns) in every class (rows)."""
        kept = self.classes.of_row >= 0
        counts = np.zeros((len(self.classes), column.size), np.int64)
        np.add.at(counts, (self.classes.of_row[kept], column.codes[kept]), 1)
        return counts

    @shared_property
    def in_majority(self) -> int:
        """How many rows have the most frequent label of their class; the label is the first sensitive column."""
        label, of_row = self.microdata.sensitive[0], self.classes.of_row
        kept = slice(None) if not self.classes.suppressed else of_row >= 0
        return int(most_frequent(of_row[kept], label.codes[kept], len(self.classes), label.size).sum())


@dataclass(frozen=True)
class CountedTable(RecodedTable):
    """A recoded table of distinct rows that stand for several rows each; class sizes count all of them.

    Attributes
    ----------
    counts
        How many rows every row of ``microdata`` stands for.
    """

    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False)

    @property
    def rows(self) -> int:
        """All rows of the input."""
        return int(self.counts.sum()) + self.left_out

    @property
    def suppressed(self) -> int:
        """All rows of the input that are not released."""
        return self.rows - int(self.classes.sizes.sum())

    @shared_property
    def in_majority(self) -> int:
        """How many rows have the most frequent label of their class; the label is the first sensitive column."""
        label, of_row = self.microdata.sensitive[0], self.classes.of_row
        kept = of_row >= 0
        pairs, place = np.unique(of_row[kept].astype(np.int64) * label.size + label.codes[kept], return_inverse=True)
        most = np.zeros(len(self.classes), np.int64)
        np.maximum.at(most, pairs // label.size, np.bincount(place, self.counts[kept]).astype(np.int64))
        return int(most.sum())


def summed(classes: EquivalenceClasses, costs: Callable[[slice], NDArray[np.float64]]) -> float:
    """Sum the costs of all rows, given what a row costs in each class of a stretch.

    Threads share the stretches, which are always the same and added exactly: the sum does not depend on their number.
    """

    def of_stretch(stretch: tuple[int, int]) -> float:
        some = slice(*stretch)
        return float((classes.sizes[some] * costs(some)).sum())

    return math.fsum(side_by_side(of_stretch, stretches(len(classes), STRETCH)))


def attribute_costs(
    microdata: Microdata, classes: EquivalenceClasses, at: int, some: slice = slice(None)
) -> NDArray[np.float64]:
    """Compute the normalized certainty penalty of a quasi-identifier in every class of a stretch."""
    domain = microdata.domains[at]
    if classes.levels is None:
        return domain.span_costs(classes.lo[some, at], classes.hi[some, at])
    # The class shows the group of a level, which may reach further than the codes in it.
    level = classes.levels[at]
    return domain.level_costs(level)[domain.levels[level].groups[classes.lo[some, at]]]


def ncp_by_attribute(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.float64]:
    """Compute the normalized certainty penalty of every class (rows) and quasi-identifier (columns)."""
    return np.stack([attribute_costs(microdata, classes, at) for at in range(len(microdata.domains))], axis=1)


def ncp(microdata: Microdata, classes: EquivalenceClasses, some: slice = slice(None)) -> NDArray[np.float64]:
    """Compute the normalized certainty penalty of every class: 0 for exact values, 1 for ``*`` everywhere."""
    return weighted([attribute_costs(microdata, classes, at, some) for at in range(len(microdata.domains))], microdata)


def weighted(costs: Sequence[NDArray[np.float64]], microdata: Microdata) -> NDArray[np.float64]:
    """Add the costs of all quasi-identifiers by their weights, in their order."""
    total = costs[0] * microdata.weights[0]
    for one, weight in zip(costs[1:], microdata.weights[1:], strict=True):
        total += one * weight
    return total
