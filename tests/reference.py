"""Hierarchies the slow and obvious way: every value has a path of names up to ``*``, and sets are compared."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from sfumato.hierarchies import Categorical, Dates, Hierarchy, Numeric, Ordered, Prefix, Taxonomy

Path = tuple[Any, ...]

#: How many months the levels of the calendar have.
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


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
                months = value.year * 12 + value.month - 1
                middle = [months // MONTHS[name] for name in self.how.levels or MONTHS]
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

    @property
    def shows_levels(self) -> bool:
        """Whether levels were declared, so that nothing else is ever shown."""
        return bool(getattr(self.how, "widths", ()) or getattr(self.how, "levels", ()))

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
        if self.is_scale and not self.shows_levels:
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
        if self.is_scale and not self.shows_levels:
            return float(self._extent(members) / self._extent(self.known))
        return self.level_cost(next(iter(members)), self.height(members))

    def level_cost(self, value: Any, level: int) -> float:
        """The penalty of showing a value at a level: how far its group reaches, or how many of the values are in it."""
        group = self.group(value, level)
        if level == 0 or (value is None and level < self.top):
            return 0.0
        if level == self.top or not self.is_scale:
            return 0.0 if len(group) == 1 else len(group) / len(self.counts)
        extent = self._extent(self.known)
        return min(1.0, float(self._width(value, level) / extent)) if extent else 0.0

    def _width(self, value: Any, level: int) -> Fraction:
        """From the first to the last whole number or day that is shown, or to where the next interval begins."""
        if isinstance(self.how, Numeric):
            width = Fraction(str(self.how.widths[level - 1]))
            return width - (width.denominator == 1 and all(isinstance(other, int) for other in self.known))
        months = list(MONTHS.values())[level - 1] if not self.how.levels else MONTHS[self.how.levels[level - 1]]
        first = self.paths[value][level] * months
        begin, after = (dt.date(month // 12, month % 12 + 1, 1) for month in (first, first + months))
        return Fraction((after - begin).days - 1)

    def _extent(self, members: Iterable[Any]) -> Fraction:
        places = [self._place(value) for value in members]
        return max(places) - min(places)

    def group(self, value: Any, level: int) -> set[Any]:
        """All values of the table with the same name at a level."""
        node = self.paths[value][level:]
        return {other for other, path in self.paths.items() if path[level:] == node}
