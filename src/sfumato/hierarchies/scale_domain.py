"""Values on a scale: numbers, dates, ranks. They are shown as intervals, or at the levels that were declared."""

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

# Beyond the scale 0..1, so that an interval that reaches the missing value costs more than everything, cut off at 1.
MISSING_POSITION = 3.0


@dataclass(frozen=True)
class ScaledDomain(Domain):
    """Values on a scale, and from where to where reaches what is shown of them.

    ``numbers`` places every value on that scale and ``offsets`` says how far it lies above the first, which tells
    apart what large numbers round to one; ``averageable`` says that a midpoint or a mean of values makes sense.
    """

    numbers: NDArray[np.float64] = field(repr=False)
    offsets: NDArray[np.float64] = field(repr=False)
    averageable: bool = True

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """Every code's place from 0 to 1; the missing code far beyond."""
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
        """Return widths as shares of the table's range; where that is none, nothing can be lost."""
        return widths / self.extent if self.extent > 0 else np.zeros(len(widths))

    def capped(self, ends: Ends) -> NDArray[np.float64]:
        """Return what is lost by showing intervals with these ends: more than everything cannot be."""
        return np.minimum(self.shares(ends.widths), 1.0)

    @cached_property
    def value_ends(self) -> Ends:
        """Every code as an interval of its own: a value, or a cell that stands for many."""
        if self.levels[0].ends is not None:
            return self.levels[0].ends
        own = Ends(self.values, self.values, self.numbers, self.offsets, np.zeros(len(self.values)))
        return own.with_missing() if self.has_missing else own

    @abstractmethod
    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        """Return from where to where reaches what classes show that span the codes ``lo..hi``."""

    def level_costs(self, level: int) -> NDArray[np.float64]:
        ends = self.levels[level].ends
        return super().level_costs(level) if ends is None else self.capped(ends)

    def level_ends(self, level: int) -> Ends:
        """Return from where to where the groups of a level reach."""
        if level == 0:
            return self.value_ends
        groups = self.levels[level]
        return groups.ends or Ends.nothing(len(groups), self.values.type)


@dataclass(frozen=True)
class IntervalDomain(ScaledDomain):
    """Values on a scale without declared levels: a class shows the interval from its least value to its greatest."""

    def as_interval(self) -> dict[str, Any]:
        """Return what makes a plain domain of intervals, for those who make another one of it."""
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
        # Halves are added, since the sum of two large numbers may be none.
        middles = low.middles / 2 + high.middles / 2
        return Ends(low.low, high.high, middles, low.offsets, high.offsets - low.offsets).hidden(reaches_missing)


@dataclass(frozen=True)
class CountedDomain(IntervalDomain):
    """Values on a scale whose spans cost the logarithm of how many rows lie in them.

    ``reached`` holds the rows below every code, and after the last one all of them.
    """

    reached: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)

    @classmethod
    def of(cls, domain: IntervalDomain, reached: NDArray[np.int64]) -> CountedDomain:
        """Return a domain with counts."""
        return cls(**domain.as_interval(), reached=reached)

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        first = np.where((hi == self.missing_code) & (lo != hi), 0, lo) if self.has_missing else lo
        return np.log(np.maximum(1, self.reached[hi + 1] - self.reached[first]))


@dataclass(frozen=True)
class LevelledDomain(ScaledDomain, TreeDomain):
    """Values on a scale with declared levels: a class shows the finest level at which it is one group, else ``*``.

    That is a tree over the values in their order, whose groups cost how far they reach, whoever is in them.
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
        """From where to where every node of the tree reaches."""
        return Ends.joined([self.level_ends(at) for at in range(len(self.levels))])

    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        return self.node_ends.take(self.tree.common_ancestors(lo, hi))
