"""A hierarchy fitted to the values of one column: codes, span costs, levels, and the text that people read.

Two shapes cover everything. Values on a scale (numbers, dates, ranks) generalize to intervals and cost what they
span. Values in a tree (categories, prefixes) generalize to their lowest common ancestor and cost the share of the
leaves below it. In both, a missing value is the last code, and only ``*`` covers it together with anything else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

ROOT = "*"

# Beyond the scale 0..1, so that an interval that reaches the missing value costs more than everything, cut off at 1.
MISSING_POSITION = 3.0


@dataclass(frozen=True)
class Level:
    """One level of a hierarchy: the group of every code, numbered in code order, and the groups' labels."""

    name: str
    groups: NDArray[np.int32]
    labels: pa.StringArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def starts(self) -> NDArray[np.int32]:
        """The first code of every group."""
        begins = np.ones(len(self.groups), bool)
        np.not_equal(self.groups[1:], self.groups[:-1], out=begins[1:])
        return np.flatnonzero(begins).astype(np.int32)


@dataclass(frozen=True)
class Domain(ABC):
    """The ordered values of one quasi-identifier, and how they generalize.

    Attributes
    ----------
    name
        The column.
    values
        The distinct values of the table in code order, without the missing one.
    has_missing
        Whether the last code stands for missing values.
    levels
        From the value itself (level 0) to ``*``: what full-domain methods choose from.
    """

    name: str
    values: pa.Array
    has_missing: bool
    levels: tuple[Level, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.values) + self.has_missing

    @property
    def missing_code(self) -> int | None:
        """The code of missing values, if there are any."""
        return len(self.values) if self.has_missing else None

    @property
    def top(self) -> int:
        """The highest level: everything is ``*``."""
        return len(self.levels) - 1

    @cached_property
    def texts(self) -> pa.StringArray:
        """Every code as text; missing is null."""
        return self.levels[0].labels

    @abstractmethod
    def span_costs(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what classes lose that span the codes ``lo..hi``: 0 for one value, 1 for everything."""

    @abstractmethod
    def span_labels(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> pa.StringArray:
        """Return how such classes are shown; null where a class holds only missing values."""


@dataclass(frozen=True)
class IntervalDomain(Domain):
    """Values on a scale: numbers, dates, ranks.

    ``numbers`` places every value on that scale and ``offsets`` says how far it lies above the first, which tells
    apart what large numbers round to one; ``averageable`` says that a midpoint or a mean of values makes sense.
    """

    numbers: NDArray[np.float64] = field(repr=False)
    offsets: NDArray[np.float64] = field(repr=False)
    averageable: bool = True

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """Every code's place from 0 to 1; the missing code far beyond."""
        extent = self.extent
        scaled = self.offsets / extent if extent > 0 else np.zeros(len(self.offsets))
        return np.append(scaled, MISSING_POSITION) if self.has_missing else scaled

    @property
    def extent(self) -> float:
        """The range of the table on this scale."""
        return float(self.offsets[-1]) if len(self.offsets) else 0.0

    def span_costs(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.float64]:
        return np.minimum(self.positions[hi] - self.positions[lo], 1.0)

    def span_labels(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> pa.StringArray:
        first, last = self.texts.take(pa.array(lo)), self.texts.take(pa.array(hi))
        intervals = pc.binary_join_element_wise("[", first, ", ", last, "]", "")
        labels = pc.if_else(pa.array(lo == hi), first, intervals)
        if not self.has_missing:
            return labels
        return pc.if_else(pa.array((hi == self.missing_code) & (lo != hi)), ROOT, labels)


@dataclass(frozen=True)
class CountedDomain(IntervalDomain):
    """Values on a scale whose spans cost the logarithm of how many rows lie in them.

    ``reached`` holds the rows below every code, and after the last one all of them.
    """

    reached: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)

    @classmethod
    def of(cls, domain: IntervalDomain, reached: NDArray[np.int64]) -> CountedDomain:
        """Return a domain with counts."""
        given = {item.name: getattr(domain, item.name) for item in fields(domain)}
        return cls(**given, reached=reached)

    def span_costs(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.float64]:
        first = np.where((hi == self.missing_code) & (lo != hi), 0, lo) if self.has_missing else lo
        return np.log(self.reached[hi + 1] - self.reached[first])


@dataclass(frozen=True)
class TreeDomain(Domain):
    """Values in a tree: categories, taxonomies, prefixes."""

    @cached_property
    def tree(self) -> Tree:
        """The tree over the codes, built from the levels."""
        return Tree.from_levels(self.levels)

    def span_costs(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.float64]:
        return self.tree.cost[self.tree.common_ancestors(lo, hi)]

    def span_labels(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> pa.StringArray:
        return self.tree.labels.take(pa.array(self.tree.common_ancestors(lo, hi)))


@dataclass(frozen=True)
class Tree:
    """A tree over codes as arrays: its nodes are the codes, and then level by level the groups above them."""

    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    cost: NDArray[np.float64]
    labels: pa.StringArray

    @classmethod
    def from_levels(cls, levels: tuple[Level, ...]) -> Tree:
        """Stack the groups of all levels; each group's parent is the group one level up that holds its first code."""
        starts = [level.starts for level in levels]
        leaves = len(levels[0].groups)
        offsets = np.cumsum([0, *(len(start) for start in starts)])
        parent = np.concatenate(
            [
                offsets[min(depth + 1, len(levels) - 1)] + levels[min(depth + 1, len(levels) - 1)].groups[start]
                for depth, start in enumerate(starts)
            ]
        ).astype(np.int32)
        last = np.concatenate([np.append(start[1:], leaves) - 1 for start in starts]).astype(np.int32)
        first = np.concatenate(starts)
        covered = last - first + 1
        cost = np.where(covered == 1, 0.0, covered / leaves)
        return cls(parent, first, last, cost, pa.concat_arrays([level.labels for level in levels]))

    def common_ancestors(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the lowest node above each pair of codes, climbing from the lower one."""
        node = lo.astype(np.intp)
        short = np.flatnonzero(self.last[node] < hi)
        while len(short):
            node[short] = self.parent[node[short]]
            short = short[self.last[node[short]] < hi[short]]
        return node


def identity_level(values: pa.Array, has_missing: bool, name: str = "value") -> Level:
    """Return level 0, where every value stands for itself and missing is null."""
    texts = values.cast(pa.string())
    if pa.types.is_timestamp(values.type):
        # A time without a fraction of a second is shown without one.
        texts = pc.replace_substring_regex(texts, r"\.0+(Z|[+-]\d+)?$", r"\1")
    if has_missing:
        texts = pa.concat_arrays([texts, pa.nulls(1, pa.string())])
    return Level(name, np.arange(len(texts), dtype=np.int32), texts)


def root_level(size: int) -> Level:
    """Return the top level, where nothing is told."""
    return Level("any", np.zeros(size, np.int32), pa.array([ROOT]))


def grouped_level(name: str, keys: NDArray[np.generic], labels: pa.StringArray, has_missing: bool) -> Level:
    """Return a level from one key and one label per value in code order; a new key begins a new group."""
    begins = np.ones(len(keys), bool)
    begins[1:] = keys[1:] != keys[:-1]
    groups = (np.cumsum(begins) - 1).astype(np.int32)
    shown = labels.filter(pa.array(begins))
    if has_missing:
        groups = np.append(groups, np.int32(len(shown)))
        shown = pa.concat_arrays([shown, pa.nulls(1, pa.string())])
    return Level(name, groups, shown)
