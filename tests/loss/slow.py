"""Every loss once more: rows as dicts, loops, no codes and no arrays."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.helpers import PlainTable
from tests.reference import SlowHierarchy


@dataclass(frozen=True)
class SlowLoss:
    """The losses of a table whose rows are in classes (None: suppressed), or shown at one level per column."""

    table: PlainTable
    class_of: list[Any]
    levels: tuple[int, ...] | None = None
    left_out: int = 0

    @property
    def rows(self) -> int:
        return len(self.table) + self.left_out

    @property
    def released(self) -> list[int]:
        return [row for row, name in enumerate(self.class_of) if name is not None]

    @property
    def suppressed(self) -> int:
        return self.rows - len(self.released)

    @cached_property
    def classes(self) -> dict[Any, list[int]]:
        groups = defaultdict(list)
        for row in self.released:
            groups[self.class_of[row]].append(row)
        return dict(groups)

    @cached_property
    def columns(self) -> dict[str, SlowHierarchy]:
        return {name: SlowHierarchy(how, self.table.cells[name]) for name, how in self.table.hierarchies.items()}

    def weight(self, name: str) -> float:
        weights = {column: self.table.weights.get(column, 1.0) for column in self.table.cells}
        return weights[name] / sum(weights.values())

    def members(self, name: str, rows: list[int]) -> set[Any]:
        """The values that a class shows: those of its rows, or all with the same name at the level."""
        values = {self.table.cells[name][row] for row in rows}
        if self.levels is None:
            return values
        level = self.levels[list(self.table.cells).index(name)]
        return self.columns[name].group(values.pop(), level)

    def climbed(self, name: str, rows: list[int]) -> int:
        if self.levels is not None:
            return self.levels[list(self.table.cells).index(name)]
        return self.columns[name].height(self.members(name, rows))

    def ncp(self, rows: list[int]) -> float:
        return sum(self.weight(name) * self.penalty(name, rows) for name in self.columns)

    def penalty(self, name: str, rows: list[int]) -> float:
        if self.levels is None:
            return self.columns[name].cost(self.members(name, rows))
        level = self.levels[list(self.table.cells).index(name)]
        return self.columns[name].level_cost(self.table.cells[name][rows[0]], level)

    def gcp(self) -> float:
        penalties = sum(len(rows) * self.ncp(rows) for rows in self.classes.values())
        return (penalties + self.suppressed) / self.rows

    def dm(self) -> float:
        cost = 0
        for rows in self.classes.values():
            for _ in rows:
                cost += len(rows)
        return cost + self.suppressed * self.rows

    def c_avg(self, k: int) -> float:
        return len(self.released) / max(1, len(self.classes)) / k

    def cm(self) -> float:
        wrong = self.suppressed
        labels = next(iter(self.table.sensitive.values()), None)
        if labels is not None:
            for rows in self.classes.values():
                majority = Counter(labels[row] for row in rows).most_common(1)[0][1]
                wrong += len(rows) - majority
        return wrong / self.rows

    def entropy(self) -> float:
        lost = total = 0.0
        for name, tree in self.columns.items():
            for row, value in enumerate(self.table.cells[name]):
                everything = math.log2(len(self.table) / tree.counts[value])
                total += self.weight(name) * everything
                if self.class_of[row] is None:
                    lost += self.weight(name) * everything
                else:
                    shown = tree.shown(self.members(name, self.classes[self.class_of[row]]))
                    count = sum(tree.counts[other] for other in shown)
                    lost += self.weight(name) * math.log2(count / tree.counts[value])
        if total == 0:
            return self.suppressed / self.rows
        return (lost / total * len(self.table) + self.left_out) / self.rows

    def precision(self) -> float:
        climbed = float(self.suppressed)
        for rows in self.classes.values():
            for name, tree in self.columns.items():
                climbed += len(rows) * self.weight(name) * self.climbed(name, rows) / tree.top
        return 1 - climbed / self.rows

    def height(self) -> float:
        climbed = self.suppressed * sum(tree.top for tree in self.columns.values())
        for rows in self.classes.values():
            climbed += len(rows) * sum(self.climbed(name, rows) for name in self.columns)
        return climbed / self.rows
