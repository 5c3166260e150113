"""Hierarchies the slow and obvious way: every value has a path of names up to ``*``, and sets are compared."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from sfumato.hierarchies import Categorical, Dates, Hierarchy, Numeric, Ordered, Prefix, Taxonomy

Path = tuple[Any, ...]


class SlowHierarchy:
    """One quasi-identifier with the cells of its table; None is a missing value."""

    def __init__(self, how: Hierarchy, cells: Sequence[Any]) -> None:
        self.how = how
        self.counts = Counter(cells)
        self.known = [value for value in self.counts if value is not None]
        self.paths = {value: self._path(value) for value in self.counts}

    @property
    def top(self) -> int:
        return len(self.paths[self.known[0]]) - 1

    def _path(self, value: Any) -> Path:
        if value is None:
            return (None,) * (len(self._path(self.known[0])) - 1) + ("*",)
        match self.how:
            case Numeric():
                middle = [Fraction(str(value)) // Fraction(str(width)) for width in self.how.widths]
            case Dates():
                middle = [(value.year, value.month), (value.year, (value.month - 1) // 3), value.year, value.year // 10]
            case Prefix():
                length = max(len(str(other)) for other in self.known)
                middle = [value[:kept] for kept in range(length - 1, 0, -1)]
            case Taxonomy():
                row = next(row for row in self.how.rows if row[0] == value)
                middle = [row[level:] for level in range(1, len(row) - 1)]
            case Categorical() | Ordered():
                middle = []
        return (value, *middle, "*")

    def _place(self, value: Any) -> Fraction:
        if isinstance(self.how, Ordered):
            return Fraction(self.how.order.index(value))
        return Fraction(value.toordinal()) if isinstance(value, dt.date) else Fraction(str(value))

    @property
    def is_scale(self) -> bool:
        return isinstance(self.how, Numeric | Dates | Ordered)

    def height(self, members: Iterable[Any]) -> int:
        """The lowest level at which all members have one name."""
        paths = [self.paths[value] for value in members]
        return next(level for level in range(len(paths[0])) if len({path[level:] for path in paths}) == 1)

    def shown(self, members: Iterable[Any]) -> set[Any]:
        """All values of the table that the generalization of these members stands for."""
        members = set(members)
        if len(members) == 1:
            return members
        if None in members:
            return set(self.counts)
        if self.is_scale:
            places = [self._place(value) for value in members]
            return {value for value in self.known if min(places) <= self._place(value) <= max(places)}
        level = self.height(members)
        node = self.paths[next(iter(members))][level:]
        return {value for value in self.counts if self.paths[value][level:] == node}

    def cost(self, members: Iterable[Any]) -> float:
        """The normalized certainty penalty of a class with these values."""
        members = set(members)
        if len(members) == 1:
            return 0.0
        if None in members:
            return 1.0
        if self.is_scale:
            return float(self._extent(members) / self._extent(self.known))
        shown = self.shown(members)
        return 0.0 if len(shown) == 1 else len(shown) / len(self.counts)

    def _extent(self, members: Iterable[Any]) -> Fraction:
        places = [self._place(value) for value in members]
        return max(places) - min(places)

    def group(self, value: Any, level: int) -> set[Any]:
        """All values of the table with the same name at a level."""
        node = self.paths[value][level:]
        return {other for other, path in self.paths.items() if path[level:] == node}
