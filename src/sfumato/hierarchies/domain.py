"""A hierarchy fitted to the values of one column: codes, span costs, levels and labels.

Two shapes cover everything. Values in a tree (categories, prefixes, numbers with declared levels) generalize to their
lowest common ancestor. Values on a scale without declared levels (`sfumato.hierarchies.scale_domain`) generalize to
intervals. In both, a missing value has the last code, and only ``*`` covers it together with other values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies.levels import Level

Codes = NDArray[np.integer]


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
    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        """The loss of classes that span the codes ``lo..hi``: 0 for one value, 1 for everything."""

    @abstractmethod
    def span_labels(self, lo: Codes, hi: Codes) -> pa.StringArray:
        """The labels of such classes; null for a class of missing values only."""

    @abstractmethod
    def covered(self, lo: Codes, hi: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last code that the labels of such classes cover."""

    def level_costs(self, level: int) -> NDArray[np.float64]:
        """The loss of showing every group of a level as that group."""
        groups = self.levels[level]
        return self.span_costs(groups.starts, groups.lasts)


@dataclass(frozen=True)
class TreeDomain(Domain):
    """Values in a tree: categories, taxonomies, prefixes."""

    @cached_property
    def tree(self) -> Tree:
        """The tree over the codes, built from the levels."""
        return Tree.from_levels(self.levels)

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        return self.tree.cost[self.tree.common_ancestors(lo, hi)]

    def span_labels(self, lo: Codes, hi: Codes) -> pa.StringArray:
        return self.tree.labels.take(pa.array(self.tree.common_ancestors(lo, hi)))

    def covered(self, lo: Codes, hi: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        nodes = self.tree.common_ancestors(lo, hi)
        return self.tree.first[nodes].astype(np.int64), self.tree.last[nodes].astype(np.int64)


@dataclass(frozen=True)
class SetDomain(TreeDomain):
    """Flat categories, of which a class shows up to ``sets`` as a set, and more as ``*``."""

    sets: int = 0

    def set_label(self, codes: Codes) -> str | None:
        """The label of several codes; None for ``*``.

        A set with a missing value is ``*``, and so is a set whose text would be ambiguous.
        """
        if not 1 < len(codes) <= self.sets or (self.has_missing and codes[-1] == self.missing_code):
            return None
        members = [self.texts[int(code)].as_py() for code in codes]
        return None if any(set(member) & set("{},") for member in members) else f"{{{', '.join(members)}}}"


@dataclass(frozen=True)
class Tree:
    """A tree over codes as arrays: its nodes are the codes, followed by the groups level by level."""

    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    cost: NDArray[np.float64]
    labels: pa.StringArray

    @classmethod
    def from_levels(cls, levels: tuple[Level, ...]) -> Tree:
        """Stack the groups of all levels; the parent of a group is the group one level up with its first code."""
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

    def common_ancestors(self, lo: Codes, hi: Codes) -> NDArray[np.intp]:
        """The lowest common ancestor of each pair of codes."""
        node = lo.astype(np.intp)
        short = np.flatnonzero(self.last[node] < hi)
        while len(short):
            node[short] = self.parent[node[short]]
            short = short[self.last[node[short]] < hi[short]]
        return node
