"""How many people are unique in any set of columns: at once from a sample of classes, or exactly.

A sample of rows would not do: somebody may be unique in it and have a double in the table. What is drawn here are whole
classes, by a hash of their values, so that everybody who is unique in the sample is unique in the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.risk.people import PeopleByClass, numbered_people
from sfumato.common.grouping import CodedColumn, code_column, group_rows
from sfumato.common.threads import side_by_side
from sfumato.errors import SchemaError, listed

#: One class in so many is drawn; tables with fewer rows are counted exactly, which takes no longer.
ONE_IN, FEW = 16, 100_000

#: The normal quantile of 99 percent: the true number lies between the limits that often.
SIGMAS = 2.576

#: Odd constants whose bits look random, to mix codes; and how far the result is shifted.
MIX, MIX_AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)


@dataclass(frozen=True)
class UniquePeople:
    """How many people are unique in some columns.

    Attributes
    ----------
    columns
        The columns that an attacker knows.
    people
        All people.
    unique
        The people who share their values with nobody; an estimate unless ``exact``.
    low, high
        Limits of the true number: with 99% confidence for an estimate, else the number itself.
    exact
        Whether all rows were counted.
    """

    columns: tuple[str, ...]
    people: int
    unique: int
    low: int
    high: int
    exact: bool

    @property
    def share(self) -> float:
        """The share of people who are unique."""
        return self.unique / self.people if self.people else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return vars(self) | {"columns": list(self.columns), "share": self.share}

    def __str__(self) -> str:
        about = "" if self.exact else "about "
        return (
            f"{about}{self.unique:,} of {self.people:,} people ({self.share:.1%}) are unique in {listed(self.columns)}"
        )


@dataclass(frozen=True)
class Uniqueness:
    """A table that says of any set of columns how many people are unique in them.

    Attributes
    ----------
    table
        The rows.
    person
        The column that says whose row it is, if people have several; they are always counted exactly.
    """

    table: pa.Table = field(repr=False)
    person: str | None = None
    _codes: dict[str, CodedColumn] = field(default_factory=dict, repr=False)

    def about(self, columns: Iterable[str] | str) -> UniquePeople:
        """Estimate how many people are unique, in a fraction of the time of counting; small tables are counted."""
        names, rows = self._named(columns), self.table.num_rows
        if rows < FEW or self.person is not None or not names:
            return self.exactly(names)
        found = _unique_in_sample([self._code(name) for name in names])
        estimate = min(rows, found * ONE_IN)
        margin = SIGMAS * ONE_IN * math.sqrt(found * (1 - 1 / ONE_IN) + 1)
        low, high = max(found, math.floor(estimate - margin)), min(rows, math.ceil(estimate + margin))
        return UniquePeople(names, rows, estimate, low, high, exact=False)

    def exactly(self, columns: Iterable[str] | str) -> UniquePeople:
        """Count how many people are unique."""
        names, rows = self._named(columns), self.table.num_rows
        if not names:
            unique = int(rows == 1)
            return UniquePeople(names, rows, unique, unique, unique, exact=True)
        codes = tuple(side_by_side(self._code, names))
        people = None if self.person is None else numbered_people(self.table, self.person)
        counted = PeopleByClass(codes, group_rows(codes), people)
        risks, times = counted.worst(1 / counted.in_class)
        unique = int(times[risks >= 1].sum())
        return UniquePeople(names, counted.total(), unique, unique, unique, exact=True)

    def _named(self, columns: Iterable[str] | str) -> tuple[str, ...]:
        names = (columns,) if isinstance(columns, str) else tuple(dict.fromkeys(columns))
        unknown = [name for name in names if name not in self.table.column_names]
        if unknown:
            raise SchemaError(
                f"The table has no column {listed(unknown)}. Its columns: {listed(self.table.column_names)}."
            )
        return names

    def _code(self, name: str) -> CodedColumn:
        """Code a column when it is first asked for."""
        if name not in self._codes:
            self._codes[name] = code_column(name, self.table.column(name))
        return self._codes[name]


def _unique_in_sample(columns: Sequence[CodedColumn]) -> int:
    """Count the classes of one row among those that a hash of their codes draws."""
    keys = np.zeros(len(columns[0].codes), np.uint64)
    for column in columns:
        keys ^= column.codes.astype(np.uint64)
        keys *= MIX
        keys ^= keys >> SHIFT
        keys *= MIX_AGAIN
        keys ^= keys >> SHIFT
    drawn = np.sort(keys[keys % np.uint64(ONE_IN) == 0])
    return _alone(drawn)


def _alone(ordered: NDArray[np.uint64]) -> int:
    """Count the values that occur once in ascending order."""
    differs = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return int((differs[1:] & differs[:-1]).sum()) if len(ordered) else 0
