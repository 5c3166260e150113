"""A whole release, matched with the original: which rows may belong to which people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.grouping import KEY_LIMIT, CodedColumn, RowGroups, group_rows
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.reading.class_index import Candidates, ClassIndex, known_codes
from sfumato.hierarchies.reading.column import ShownColumn, read_column


@dataclass(frozen=True)
class ReleaseReading:
    """The classes of a release, and what each shows of every quasi-identifier.

    Attributes
    ----------
    columns
        The quasi-identifiers.
    classes
        The groups of equal released rows.
    """

    columns: tuple[ShownColumn, ...]
    classes: RowGroups = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers' names."""
        return tuple(column.name for column in self.columns)

    @property
    def people(self) -> int:
        """The number of rows of the original."""
        return len(self.columns[0].original)

    @property
    def centres(self) -> bool:
        """Whether some column shows midpoints or means, so that only the nearest rows can be found."""
        return any(column.centres for column in self.columns)

    def shown_cells(self, column: ShownColumn) -> NDArray[np.int32]:
        """The cell of one column that every class shows."""
        return column.cell_of_row[self.classes.first_rows]

    @cached_property
    def index(self) -> ClassIndex:
        """The classes in an index by what they show."""
        shown = [self.shown_cells(column) for column in self.columns]
        return ClassIndex.of(self.columns, np.stack(shown, axis=1).astype(np.int64))

    def candidates_of(
        self, rows: NDArray[np.int64], knows: Sequence[str] | None = None, exactly: bool = False
    ) -> Candidates:
        """The classes that rows of the original may be in, given the known columns; by default all are known.

        If the release shows midpoints or means, these are the nearest classes, unless only what fits exactly counts.
        """
        known = self.index.known(known_codes(self.columns, rows, knows), len(rows))
        return self.index.candidates(*known, nearest=self.centres and not exactly)

    def candidates(self) -> NDArray[np.int64]:
        """The number of rows of the original that may be in each class, by their quasi-identifiers."""
        joined = self._by_value(self.looks)
        return self.people_in(self.index) if joined is None else joined

    @cached_property
    def looks(self) -> RowGroups:
        """The groups of people with equal quasi-identifiers."""
        return group_rows(
            [CodedColumn(pa.nulls(column.domain.size), column.original.astype(np.int32)) for column in self.columns]
        )

    def people_in(self, index: ClassIndex) -> NDArray[np.int64]:
        """The number of rows of the original that may be in each class of an index."""
        codes, _ = index.known(known_codes(self.columns, self.looks.first_rows), len(self.looks))
        return index.people(codes, self.looks.sizes)

    def _by_value(self, looks: RowGroups) -> NDArray[np.int64] | None:
        """Count by a join where every cell shows exactly one value; None where some cell shows several."""
        keys_of_people, keys_of_classes, reach = (
            np.zeros(len(looks), np.int64),
            np.zeros(len(self.classes), np.int64),
            1,
        )
        for column in self.columns:
            first, last = column.first[:, 0], column.last[:, 0]
            size = column.domain.size + 1
            reach *= size
            shown = self.shown_cells(column)
            if column.first.shape[1] > 1 or (first != last)[shown].any() or reach >= KEY_LIMIT:
                return None
            keys_of_people = keys_of_people * size + column.original[looks.first_rows]
            keys_of_classes = keys_of_classes * size + first[shown]
        order = np.argsort(keys_of_people)
        at = np.minimum(np.searchsorted(keys_of_people, keys_of_classes, sorter=order), len(order) - 1)
        found = keys_of_people[order[at]] == keys_of_classes
        return np.where(found, looks.sizes[order[at]], 0)


def read_release(
    original: pa.Table, release: pa.Table, quasi_identifiers: Mapping[str, Hierarchy | None]
) -> ReleaseReading:
    """Match a release with its original, or with any other list of people.

    Parameters
    ----------
    original
        The people, with the quasi-identifiers under their original names.
    release
        The released table.
    quasi_identifiers
        The columns that define a class, each with its hierarchy; None for what its type implies.
    """
    columns = tuple(
        read_column(release, name, original.column(name), hierarchy) for name, hierarchy in quasi_identifiers.items()
    )
    numbered = [CodedColumn(pa.nulls(len(column.first) - 1), column.cell_of_row) for column in columns]
    return ReleaseReading(columns, group_rows(numbered))
