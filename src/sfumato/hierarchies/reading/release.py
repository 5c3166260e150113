"""A whole release, matched with the original: which rows may belong to which people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.grouping import KEY_LIMIT, CodedColumn, RowGroups, group_rows
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.reading.column import ShownColumn, read_column

#: Pairs of people and classes compared at a time.
CELLS = 1 << 24


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

    def matches(self, rows: NDArray[np.int64], knows: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Whether every row of the original may be in every class, given the known columns.

        ``knows`` names the columns that the attacker knows; by default all of them.
        """
        possible = np.ones((len(rows), len(self.classes)), bool)
        for column in self._known(knows):
            codes, which = np.unique(column.original[rows], return_inverse=True)
            possible &= column.covers(codes)[:, self.shown_cells(column)][which]
        return possible

    def distances(
        self,
        rows: NDArray[np.int64],
        knows: Sequence[str] | None = None,
        shifts: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> NDArray[np.float64]:
        """The distance of every row of the original from every class, summed over the known columns."""
        total = np.zeros((len(rows), len(self.classes)))
        for column in self._known(knows):
            moved = None if shifts is None else shifts.get(column.name)
            total += column.distances(column.original[rows], moved)[:, self.shown_cells(column)]
        return total

    def candidates(self) -> NDArray[np.int64]:
        """The number of rows of the original that may be in each class, by their quasi-identifiers."""
        looks = group_rows(
            [CodedColumn(pa.nulls(column.domain.size), column.original.astype(np.int32)) for column in self.columns]
        )
        joined = self._by_value(looks)
        if joined is not None:
            return joined
        counts = np.zeros(len(self.classes), np.int64)
        for rows in self.blocks(looks.first_rows):
            counts += looks.sizes[looks.of_row[rows]] @ self.matches(rows)
        return counts

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

    def blocks(self, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Cut rows of the original into blocks, so that the pairs with all classes fit in memory."""
        step = max(1, CELLS // max(1, len(self.classes)))
        for begin in range(0, len(rows), step):
            yield rows[begin : begin + step]

    def _known(self, knows: Sequence[str] | None) -> Iterator[ShownColumn]:
        return (column for column in self.columns if knows is None or column.name in knows)


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
