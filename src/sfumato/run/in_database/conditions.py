"""Privacy models as conditions in SQL, so that a view checks its classes whenever it is read.

Per row, window functions count its class and those of its class with the same sensitive value; all the rest follows
from these counts. The number of distinct values is the sum of 1 / (rows with the same value) over the rows of a class,
and its entropy is the logarithm of its size less the mean logarithm of those counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sfumato.io.sql import identifier
from sfumato.privacy import Rule
from sfumato.table.kernels import rules as condition
from sfumato.table.kernels.rules import TOLERANCE

#: Rules that depend on the counts of one class alone; t-closeness also depends on all other released rows.
COUNTED = (condition.SIZE, condition.FREQUENCY, condition.DISTINCT, condition.ENTROPY, condition.RECURSIVE)

SIZE = "sfumato_size"


@dataclass
class ClassConditions:
    """The conditions on a class, and the columns that they need; columns of one layer may use those of earlier layers.

    Attributes
    ----------
    classes
        The quoted names of the released quasi-identifiers, which define classes.
    """

    classes: str
    layers: list[list[str]] = field(default_factory=lambda: [[], [], []])
    tests: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, rules: Iterable[Rule], quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> ClassConditions:
        """Translate the rules that SQL can count."""
        made = cls(", ".join(identifier(name) for name in quasi_identifiers))
        made._column(0, "COUNT(*)", SIZE)
        for rule in rules:
            if rule.kind in COUNTED:
                made._add(rule, sensitive)
        return made

    def wrapped(self, rows: str, released: Sequence[str]) -> str:
        """Wrap a query: only rows whose class keeps every condition, and only the released columns."""
        for number, columns in enumerate(layer for layer in self.layers if layer):
            rows = f"SELECT c{number}.*,\n       " + ",\n       ".join(columns) + f"\nFROM (\n{rows}\n) c{number}"
        names = ", ".join(identifier(name) for name in released)
        return f"SELECT {names}\nFROM (\n{rows}\n) c\nWHERE " + "\n  AND ".join(self.tests)

    def _add(self, rule: Rule, sensitive: Sequence[str]) -> None:
        if rule.kind == condition.SIZE:
            self.tests.append(f"{SIZE} >= {math.ceil(rule.first)}")
            return
        value, same = identifier(sensitive[rule.column]), f"sfumato_same_{rule.column}"
        largest = f"sfumato_largest_{rule.column}"
        self._column(0, "COUNT(*)", same, f", {value}")
        if rule.kind == condition.DISTINCT:
            self._column(1, f"SUM(1.0 / {same})", f"sfumato_distinct_{rule.column}")
            # Sums of fractions have rounding errors, integers have none.
            self.tests.append(f"sfumato_distinct_{rule.column} > {math.ceil(rule.first) - 0.5}")
        elif rule.kind == condition.ENTROPY:
            self._column(1, f"AVG(LN({same}))", f"sfumato_mean_{rule.column}")
            least = math.log(rule.first) * (1 - TOLERANCE)
            self.tests.append(f"GREATEST(LN({SIZE}) - sfumato_mean_{rule.column}, 0.0) >= {least!r}")
        else:
            self._column(1, f"MAX({same})", largest)
            self.tests.append(self._at_most(rule, largest, value, same))

    def _at_most(self, rule: Rule, largest: str, value: str, same: str) -> str:
        """The condition that bounds the share of the most frequent value."""
        if rule.kind == condition.FREQUENCY:
            return f"{largest} * {rule.first!r} <= {SIZE} * {1 + TOLERANCE!r}"
        rank, rest = f"sfumato_rank_{rule.column}", f"sfumato_rest_{rule.column}_{int(rule.first)}"
        self._column(1, "DENSE_RANK()", rank, order=f" ORDER BY {same} DESC, {value}")
        self._column(2, f"SUM(CASE WHEN {rank} >= {int(rule.first)} THEN 1 ELSE 0 END)", rest)
        return f"{largest} < {rule.second * (1 - TOLERANCE)!r} * {rest}"

    def _column(self, layer: int, expression: str, name: str, within: str = "", order: str = "") -> None:
        column = f"{expression} OVER (PARTITION BY {self.classes}{within}{order}) AS {name}"
        if column not in self.layers[layer]:
            self.layers[layer].append(column)
