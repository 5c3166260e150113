"""A release whose rows are all in memory, as guardrails see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions.view import ClassCertainty, Drawn, ReleaseView
from sfumato.common.rows import LONG, count_codes, equal_rows
from sfumato.common.threads import in_chunks, shared_property, side_by_side
from sfumato.hierarchies import SetDomain
from sfumato.table.frequency import group_rows, most_frequent
from sfumato.table.recoding import EquivalenceClasses, shown_sets

_ODD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def _numbers(indices: pa.Array) -> NDArray[np.int64]:
    """Number indices from 1, 0 for missing ones."""
    numbers: NDArray[np.int64] = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return numbers.astype(np.int64) + 1


@dataclass(frozen=True)
class RowsView(ReleaseView):
    """A release whose rows are all in memory.

    Attributes
    ----------
    classes
        The equivalence classes.
    """

    classes: EquivalenceClasses = field(kw_only=True)

    @shared_property
    def visible(self) -> NDArray[np.int32]:
        """The class of every row as a reader sees it, -1 for suppressed rows.

        A reader cannot distinguish two classes that look alike.
        """
        shown = side_by_side(lambda at: self._shown(at).dictionary_encode(), range(len(self.microdata.domains)))
        codes = np.stack([_numbers(column.indices) for column in shown], axis=1)
        looks = np.append(group_rows(codes, [len(column.dictionary) + 1 for column in shown]).of_row, np.int32(-1))
        of_row, visible = self.classes.of_row, np.empty(len(self.classes.of_row), np.int32)
        in_chunks(len(of_row), lambda start, stop: looks.take(of_row[start:stop], 0, visible[start:stop], "wrap"))
        return visible

    def _shown(self, at: int) -> pa.StringArray:
        """Give what every class shows for a quasi-identifier."""
        domain, levels = self.microdata.domains[at], self.classes.levels
        lo, hi = self.classes.lo[:, at], self.classes.hi[:, at]
        if levels is None:
            labels = domain.span_labels(lo, hi)
            shows_sets = isinstance(domain, SetDomain) and domain.sets
            return shown_sets(self.microdata, self.classes, at, labels) if shows_sets else labels
        level = domain.levels[levels[at]]
        return level.labels.take(pa.array(level.groups[lo]))

    @shared_property
    def _visible_sizes(self) -> NDArray[np.int64]:
        """The number of rows of every class that a reader can distinguish."""
        looks = int(self.visible.max(initial=-1)) + 1
        return count_codes(self.visible + 1, looks + 1)[1:]

    @cached_property
    def released(self) -> NDArray[np.bool_]:
        """Which rows are released."""
        return self.visible >= 0

    @property
    def released_rows(self) -> int:
        """How many rows are released."""
        return int(self.classes.sizes.sum())

    def alone(self, names: Sequence[str], with_classes: bool = False) -> int:
        """Count the released rows that are the only ones with their values in some columns, and optionally class."""
        everything = self.released_rows == self.rows
        columns = [self._codes(name) for name in names] + ([self.visible] if with_classes else [])
        columns = columns if everything else [codes[self.released] for codes in columns]
        if len(columns) == 1 and not with_classes:  # counting is much less work than sorting
            return int(np.count_nonzero(count_codes(columns[0], len(self.columns[names[0]].values) + 1) == 1))
        return count_unique(fingerprints(columns))

    def _codes(self, name: str) -> NDArray[np.integer]:
        codes = self.columns[name].codes
        assert codes is not None
        return codes

    def certainty(self, name: str) -> ClassCertainty:
        """Measure how certain a column is in the classes that a reader can distinguish."""
        sizes, values = self._visible_sizes, len(self.columns[name].values) + 1
        largest = most_frequent(self.visible, self._codes(name), len(sizes), values)
        return ClassCertainty.of(sizes, largest, np.ones(len(sizes), np.int64))

    def starred(self, at: int) -> int:
        """Count the released rows whose class holds a missing value of a quasi-identifier."""
        missing = self.microdata.domains[at].missing_code
        return int(np.count_nonzero(self.classes.hi[self.classes.of_row[self.released], at] == missing))

    def drawn(self, most: int) -> Drawn:
        """Draw every n-th of the released rows."""
        step = -(-self.rows // most)
        everything = self.released_rows == self.rows
        rows = np.arange(0, self.rows, step) if everything else np.flatnonzero(self.released)[::step]
        own = self.classes.of_row[rows]
        return Drawn(
            np.ascontiguousarray(self.microdata.codes[rows]),
            self.classes.lo[own],
            self.classes.hi[own],
            {column.name: self._codes(column.name)[rows] for column in self.with_role("plain", "sensitive")},
            f" (seen in every {step}th row)" if step > 1 else "",
        )


def fingerprints(columns: Iterable[NDArray[np.integer]], start: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    """Hash every row to one number; unequal rows collide with a probability of at most n²/2⁶⁵."""
    given = list(columns)
    if not given:
        return np.empty(0, np.uint64) if start is None else start
    found = np.zeros(len(given[0]), np.uint64) if start is None else start.copy()

    def mix(begin: int, end: int) -> None:
        marks = found[begin:end]
        for codes in given:
            marks ^= codes[begin:end].astype(np.uint64) + _ODD
            marks *= _MIX
            marks ^= marks >> np.uint64(29)
            marks *= _ODD
            marks ^= marks >> np.uint64(32)

    in_chunks(len(found), mix)
    return found


def mark_counts(marks: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Count how often each different number occurs."""
    if len(marks) >= LONG:
        return equal_rows(marks[np.newaxis]).counts
    return np.asarray(np.unique(marks, return_counts=True)[1], np.int64)


def count_unique(marks: NDArray[np.uint64]) -> int:
    """Count the numbers that occur once."""
    return int(np.count_nonzero(mark_counts(marks) == 1))
