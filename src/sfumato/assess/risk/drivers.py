"""What drives the risk: how well single columns and combinations distinguish people."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.risk.people import PeopleByClass, people_per_class
from sfumato.common.grouping import CodedColumn, group_rows

#: The most combinations to examine; the report says how many were left out.
MOST_COMBINATIONS = 250
LARGEST_COMBINATION = 3


@dataclass(frozen=True)
class DistinctLooks:
    """The distinct looks of people (combinations of their values), to count combinations of columns without all rows.

    Attributes
    ----------
    names, codes, sizes
        The columns: their codes in each look, and how many codes each has.
    people
        How many people have each look.
    person
        The person of each look, if a person can have several; each of them is then a separate entry.
    look_of_row
        The look of every row of the table.
    """

    names: tuple[str, ...]
    codes: tuple[NDArray[np.int32], ...] = field(repr=False)
    sizes: tuple[int, ...]
    people: NDArray[np.int64] = field(repr=False)
    look_of_row: NDArray[np.integer] = field(repr=False)
    person: NDArray[np.int64] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, names: Sequence[str], found: PeopleByClass) -> DistinctLooks:
        """Collect the distinct looks of a table's people."""
        rows, look_of_row = found.classes.first_rows, found.classes.of_row
        person = None
        if found.person_of_row is not None:
            pairs = found.classes.of_row * np.int64(found.total()) + found.person_of_row
            _, rows, look_of_row = np.unique(pairs, return_index=True, return_inverse=True)
            person = found.person_of_row[rows]
        return cls(
            names=tuple(names),
            codes=tuple(column.codes[rows] for column in found.columns),
            sizes=tuple(column.size for column in found.columns),
            people=found.in_class[found.classes.of_row[rows]],
            look_of_row=look_of_row,
            person=person,
        )

    def grouped(self, places: Sequence[int]) -> NDArray[np.int32]:
        """Group looks that are equal in some columns; give the group of each."""
        if not places:
            return np.zeros(len(self.people), np.int32)
        return group_rows(CodedColumn(pa.nulls(self.sizes[at] - 1), self.codes[at]) for at in places).of_row

    def alike(self, groups: NDArray[np.int32]) -> NDArray[np.int64]:
        """Count the people in each group of looks."""
        if self.person is not None:
            return people_per_class(groups, self.person, int(groups.max(initial=-1)) + 1)
        return np.bincount(groups, weights=self.people).astype(np.int64)


@dataclass(frozen=True)
class Combination:
    """How well some columns distinguish people.

    Attributes
    ----------
    columns
        The columns.
    distinction
        Distinct looks per person: 1 if all people look different.
    separation
        The share of pairs of people that can be distinguished.
    unique
        The share of people who are unique.
    mean
        The mean risk, if these were the only quasi-identifiers.
    """

    columns: tuple[str, ...]
    distinction: float
    separation: float
    unique: float
    mean: float

    @classmethod
    def of(cls, distinct: DistinctLooks, places: Sequence[int]) -> Combination:
        """Measure some columns of a table."""
        alike = distinct.alike(distinct.grouped(places))
        people = int(alike.sum())
        pairs = people * (people - 1) / 2
        together = float((alike * (alike - 1) / 2).sum())
        return cls(
            columns=tuple(distinct.names[at] for at in places),
            distinction=len(alike) / people,
            separation=1 - together / pairs if pairs else 0.0,
            unique=float((alike == 1).sum() / people),
            mean=len(alike) / people,
        )


@dataclass(frozen=True)
class Drivers:
    """What drives the risk of a table.

    Attributes
    ----------
    columns, combinations
        Every column alone, and combinations, the most identifying first.
    without
        The risk without each column, the most effective first: coarsen that column first.
    examined, possible
        How many combinations were examined, of how many there are.
    """

    columns: tuple[Combination, ...]
    combinations: tuple[Combination, ...]
    without: tuple[tuple[str, Combination], ...]
    examined: int
    possible: int

    @property
    def first_to_coarsen(self) -> str:
        """The column whose removal would lower the mean risk most."""
        return self.without[0][0]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {
            "columns": [vars(one) for one in self.columns],
            "combinations": [vars(one) for one in self.combinations],
            "without": [{"column": name} | vars(rest) for name, rest in self.without],
            "examined": self.examined,
            "possible": self.possible,
        }


def find_drivers(distinct: DistinctLooks, most: int = MOST_COMBINATIONS, largest: int = LARGEST_COMBINATION) -> Drivers:
    """Measure every column, combinations of up to ``largest`` columns, and all columns but one.

    At most ``most`` combinations are examined: small ones first, and among those of one size the columns that
    distinguish most on their own first.
    """
    count = len(distinct.names)
    columns = [Combination.of(distinct, [at]) for at in range(count)]
    telling = sorted(range(count), key=lambda at: -columns[at].separation)
    wanted = list(itertools.islice(_combinations(telling, largest), most))
    several = [Combination.of(distinct, sorted(places)) for places in wanted]
    without = [
        (name, Combination.of(distinct, [other for other in range(count) if other != at]))
        for at, name in enumerate(distinct.names)
    ]
    return Drivers(
        columns=tuple(sorted(columns, key=lambda one: -one.separation)),
        combinations=tuple(sorted(several, key=lambda one: (-one.unique, -one.separation))),
        without=tuple(sorted(without, key=lambda pair: pair[1].mean)),
        examined=len(several),
        possible=sum(math.comb(count, size) for size in range(2, min(largest, count) + 1)),
    )


def _combinations(places: Sequence[int], largest: int) -> Iterator[tuple[int, ...]]:
    for size in range(2, min(largest, len(places)) + 1):
        yield from itertools.combinations(places, size)
