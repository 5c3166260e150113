"""Several rows per person: equal rows of a person are merged, so that methods that count rows count people."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.table.frequency import group_rows
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding


@dataclass(frozen=True)
class Units:
    """The equal rows of each person, merged into units.

    Attributes
    ----------
    rows
        One row of every unit.
    of_row
        The unit of every row of the table.
    most_per_person
        The largest number of units of a person; 1 if all rows of every person are equal.
    """

    rows: NDArray[np.int64] = field(repr=False)
    of_row: NDArray[np.int64] = field(repr=False)
    most_per_person: int

    @classmethod
    def of(cls, microdata: Microdata, people: NDArray[np.int64]) -> Units:
        """Find the units of a table, given the person of every row."""
        looks = group_rows(microdata.codes, [domain.size for domain in microdata.domains])
        _, rows, of_row = np.unique(
            people * np.int64(len(looks)) + looks.of_row, return_index=True, return_inverse=True
        )
        return cls(rows.astype(np.int64), of_row.astype(np.int64), int(np.bincount(people[rows]).max(initial=1)))

    def suppressible(self, rows: int) -> int:
        """How many units can be suppressed, whichever they are, without suppressing more than ``rows`` rows."""
        largest_first = np.sort(np.bincount(self.of_row))[::-1]
        return int(np.searchsorted(np.cumsum(largest_first), rows, side="right"))

    def expanded(self, recoding: Recoding) -> Recoding:
        """Expand a recoding of units to all rows."""
        if recoding.classes is not None:
            return Recoding(classes=recoding.classes[self.of_row], bounds=recoding.bounds, details=recoding.details)
        left_out = None if recoding.suppressed is None else recoding.suppressed[self.of_row]
        return Recoding(levels=recoding.levels, suppressed=left_out, details=recoding.details)


def counted_once(
    microdata: Microdata, classes: EquivalenceClasses, people: NDArray[np.int64], column: int | None = None
) -> tuple[Microdata, EquivalenceClasses]:
    """Reduce a table and its classes to every person once per class, or once per class and sensitive value.

    A model that is applied to the rows of these classes applies to people.
    """
    released = np.flatnonzero(classes.of_row != SUPPRESSED)
    keys = classes.of_row[released] * np.int64(people.max(initial=0) + 1) + people[released]
    if column is not None:
        values = microdata.sensitive[column]
        keys = np.unique(keys, return_inverse=True)[1] * np.int64(values.size) + values.codes[released]
    rows = released[np.unique(keys, return_index=True)[1]]
    of_row = classes.of_row[rows]
    sizes = np.bincount(of_row, minlength=len(classes))
    return microdata.take(rows), EquivalenceClasses(of_row, sizes, classes.lo, classes.hi, classes.levels)
