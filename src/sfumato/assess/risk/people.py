"""The classes of a table, and how many people, not rows, each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.grouping import CodedColumn, RowGroups, code_column, group_rows


@dataclass(frozen=True)
class PeopleByClass:
    """The classes of a table and the people in them.

    Attributes
    ----------
    columns
        The coded quasi-identifiers.
    classes
        The classes of rows that look alike.
    person_of_row
        The person of each row, numbered from 0; None if every row is a person.
    """

    columns: tuple[CodedColumn, ...] = field(repr=False)
    classes: RowGroups = field(repr=False)
    person_of_row: NDArray[np.int64] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: pa.Table, quasi_identifiers: Sequence[str], person: str | None = None) -> PeopleByClass:
        """Group the rows of a table into classes."""
        columns = tuple(code_column(name, table.column(name)) for name in quasi_identifiers)
        return cls(columns, group_rows(columns), None if person is None else numbered_people(table, person))

    @property
    def in_class(self) -> NDArray[np.int64]:
        """How many people each class has."""
        if self.person_of_row is None:
            return self.classes.sizes
        return people_per_class(self.classes.of_row, self.person_of_row, len(self.classes))

    def total(self) -> int:
        """Count the people."""
        return len(self.classes.of_row) if self.person_of_row is None else int(self.person_of_row.max(initial=-1)) + 1

    def worst(self, risk_of_class: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Give risks and how many people have each; a person in several classes has the highest of their risks."""
        if self.person_of_row is None:
            return risk_of_class, self.classes.sizes
        risks = np.zeros(self.total())
        np.maximum.at(risks, self.person_of_row, risk_of_class[self.classes.of_row])
        return risks, np.ones(len(risks), np.int64)


def numbered_people(table: pa.Table, person: str) -> NDArray[np.int64]:
    """Number the person of every row; a row without a name is a separate person."""
    coded = code_column(person, table.column(person))
    numbers = coded.codes.astype(np.int64)
    unnamed = numbers == len(coded.values)
    numbers[unnamed] = len(coded.values) + np.arange(int(unnamed.sum()))
    # Close the gaps in the numbers; counting is faster than sorting millions of them.
    return (np.cumsum(np.bincount(numbers) > 0) - 1)[numbers] if len(numbers) else numbers


def people_per_class(of_row: NDArray[np.integer], person_of_row: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """Count the distinct people in each class."""
    width = int(person_of_row.max(initial=-1)) + 1
    pairs = np.sort(of_row.astype(np.int64) * width + person_of_row)
    different = pairs[np.append(True, pairs[1:] != pairs[:-1])] if len(pairs) else pairs
    return np.bincount(different // max(1, width), minlength=classes)
