"""Values on a scale: numbers, dates, ranks. They are shown as intervals, or at declared levels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.hierarchies.domain import Codes, Domain, Tree, TreeDomain
from sfumato.hierarchies.levels import ROOT, Ends

# Beyond the scale 0..1, so that an interval up to the missing value costs more than 1, and is capped at 1.
MISSING_POSITION = 3.0


@dataclass(frozen=True)
class ScaledDomain(Domain):
    """Values on a scale, and the intervals that are shown of them.

    ``numbers`` are the positions of all values, and ``offsets`` their distances from the first, which distinguish large
    numbers that round to the same float; ``averageable`` says that midpoints and means make sense.
    """

    numbers: NDArray[np.float64] = field(repr=False)
    offsets: NDArray[np.float64] = field(repr=False)
    averageable: bool = True

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The position of every code from 0 to 1; the missing code far beyond."""
        scaled = self.shares(self.offsets)
        return np.append(scaled, MISSING_POSITION) if self.has_missing else scaled

    @property
    def extent(self) -> float:
        """The range of the table on this scale."""
        if not len(self.offsets):
            return 0.0
        own = self.levels[0].ends
        return float(self.offsets[-1]) if own is None else float(self.offsets[-1] + own.widths[len(self.offsets) - 1])

    def shares(self, widths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Widths as shares of the table's range; 0 if the range is empty."""
        with np.errstate(over="ignore"):  # a declared interval can be as many times as wide as floats go
            return widths / self.extent if self.extent > 0 else np.zeros(len(widths))

    def capped(self, ends: Ends) -> NDArray[np.float64]:
        """The loss of showing intervals with these ends, at most 1."""
        return np.minimum(self.shares(ends.widths), 1.0)

    @cached_property
    def value_ends(self) -> Ends:
        """The ends of every code: a value, or a cell that stands for many."""
        if self.levels[0].ends is not None:
            return self.levels[0].ends
        own = Ends(self.values, self.values, self.numbers, self.offsets, np.zeros(len(self.values)))
        return own.with_missing() if self.has_missing else own

    @abstractmethod
    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        """The ends of the intervals shown by classes that span the codes ``lo..hi``."""

    def level_costs(self, level: int) -> NDArray[np.float64]:
        ends = self.levels[level].ends
        return super().level_costs(level) if ends is None else self.capped(ends)

    def level_ends(self, level: int) -> Ends:
        """The ends of the groups of a level."""
        if level == 0:
            return self.value_ends
        groups = self.levels[level]
        return groups.ends or Ends.nothing(len(groups), self.values.type)


@dataclass(frozen=True)
class IntervalDomain(ScaledDomain):
    """Values on a scale without declared levels: a class shows the interval from its least value to its greatest."""

    def as_interval(self) -> dict[str, Any]:
        """The fields of a plain interval domain, for making another domain of it."""
        return {item.name: getattr(self, item.name) for item in fields(IntervalDomain)}

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        return np.minimum(self.positions[hi] - self.positions[lo], 1.0)

    def span_labels(self, lo: Codes, hi: Codes) -> pa.StringArray:
        first, last = self.texts.take(pa.array(lo)), self.texts.take(pa.array(hi))
        intervals = pc.binary_join_element_wise("[", first, ", ", last, "]", "")
        labels = pc.if_else(pa.array(lo == hi), first, intervals)
        if not self.has_missing:
            return labels
        return pc.if_else(pa.array((hi == self.missing_code) & (lo != hi)), ROOT, labels)

    def covered(self, lo: Codes, hi: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        first, last = lo.astype(np.int64), hi.astype(np.int64)
        return np.where((last >= len(self.values)) & (first != last), 0, first), last

    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        reaches_missing = hi >= len(self.values)
        last = np.where(reaches_missing, lo, hi)
        low, high = self.value_ends.take(lo), self.value_ends.take(last)
        # Halves are added, since the sum of two large numbers may overflow.
        middles = low.middles / 2 + high.middles / 2
        return Ends(low.low, high.high, middles, low.offsets, high.offsets - low.offsets).hidden(reaches_missing)


@dataclass(frozen=True)
class CountedDomain(IntervalDomain):
    """Values on a scale whose spans cost the logarithm of the number of rows in them.

    ``reached`` is the number of rows below every code, followed by the number of all rows.
    """

    reached: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)

    @classmethod
    def of(cls, domain: IntervalDomain, reached: NDArray[np.int64]) -> CountedDomain:
        """Add counts to a domain."""
        return cls(**domain.as_interval(), reached=reached)

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        first = np.where((hi == self.missing_code) & (lo != hi), 0, lo) if self.has_missing else lo
        return np.log(np.maximum(1, self.reached[hi + 1] - self.reached[first]))


@dataclass(frozen=True)
class LevelledDomain(ScaledDomain, TreeDomain):
    """Values on a scale with declared levels: a class shows the finest level at which it is one group, else ``*``.

    This is a tree over the sorted values, whose groups cost their width, whichever values occur in them.
    """

    @cached_property
    def tree(self) -> Tree:
        tree = Tree.from_levels(self.levels)
        costs = np.split(tree.cost, np.cumsum([len(level) for level in self.levels])[:-1])
        shown = [
            own if level.ends is None else self.capped(level.ends)
            for own, level in zip(costs, self.levels, strict=True)
        ]
        return replace(tree, cost=np.concatenate(shown))

    @cached_property
    def node_ends(self) -> Ends:
        """The ends of every node of the tree."""
        return Ends.joined([self.level_ends(at) for at in range(len(self.levels))])

    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        return self.node_ends.take(self.tree.common_ancestors(lo, hi))
