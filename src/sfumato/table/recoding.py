"""Recodings, which methods return, and the equivalence classes that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.rows import LONG, stretches
from sfumato.common.threads import in_background, side_by_side
from sfumato.errors import VerificationError
from sfumato.hierarchies import ROOT, SetDomain
from sfumato.table.frequency import group_rows, in_order
from sfumato.table.kernels.classes import bounds_within, class_bounds
from sfumato.table.microdata import Microdata

SUPPRESSED = -1

#: Of fewer classes than this, threads take some rows each, of more some classes each, in so many ranges.
FEW_CLASSES, RANGES = 4096, 16

#: Class numbers may have gaps, but the largest must not exceed about this many per row, since memory is taken for each
#: number.
MOST_NUMBERS = 4


@dataclass(frozen=True)
class Recoding:
    """The result of a method: either a class per row, or one level per quasi-identifier.

    Attributes
    ----------
    classes
        The class of every row, numbered from 0; ``SUPPRESSED`` (-1) for suppressed rows. Each class shows what its rows
        span (local and multidimensional recoding).
    bounds
        The first and the last code that every class shows of every quasi-identifier, if that is more than its rows
        span: a group of values that is shown alike everywhere, or a cell shown as ``*``.
    hidden
        Which quasi-identifiers each class shows as ``*``, in addition to those of which no level covers the class.
    levels
        The level of every quasi-identifier (full-domain recoding), with ``suppressed`` marking the rows left out.
    details
        What the method reports about its search: a `MethodDetails`, or a plain mapping.
    """

    classes: NDArray[np.int32] | None = None
    levels: tuple[int, ...] | None = None
    suppressed: NDArray[np.bool_] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    bounds: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    hidden: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if (self.classes is None) == (self.levels is None):
            raise TypeError("A recoding has either classes or levels.")

    def check(self, microdata: Microdata) -> None:
        """Refuse a recoding that does not fit the table, before a kernel trusts it and writes out of bounds."""
        fault = self._fault_of_classes(microdata) if self.classes is not None else self._fault_of_levels(microdata)
        if fault:
            raise VerificationError(f"The method returned {fault}. This is a fault of the method, please report it.")

    def _fault_of_classes(self, microdata: Microdata) -> str | None:
        classes = np.asarray(self.classes)
        if classes.shape != (len(microdata),) or classes.dtype.kind not in "iu":
            return f"classes of shape {classes.shape} and type {classes.dtype} for {len(microdata):,} rows"
        if classes.min(initial=0) < SUPPRESSED:
            return f"the class {classes.min()}; classes are numbered from 0, and {SUPPRESSED} is a row left out"
        if classes.max(initial=0) > MOST_NUMBERS * (len(microdata) + MOST_NUMBERS):
            return f"the class {classes.max():,} for {len(microdata):,} rows; classes are numbered from 0 up"
        if self.bounds is not None and not self._bounds_fit(microdata, int(classes.max(initial=-1)) + 1):
            return "bounds that are not two codes of every class and quasi-identifier"
        if self.hidden is not None and (self.bounds is None or self.hidden.shape != self.bounds[0].shape):
            return "cells to hide that are not those of every class and quasi-identifier"
        return None

    def _bounds_fit(self, microdata: Microdata, classes: int) -> bool:
        first, last = (np.asarray(bound) for bound in self.bounds or ())
        sizes = [domain.size for domain in microdata.domains]
        if first.shape != last.shape or first.shape[1:] != (len(sizes),) or len(first) < classes:
            return False
        return bool((first >= 0).all() and (first <= last).all() and (last < sizes).all())

    def _fault_of_levels(self, microdata: Microdata) -> str | None:
        heights = [len(domain.levels) for domain in microdata.domains]
        levels = self.levels or ()
        if len(levels) != len(heights) or not all(0 <= at < height for at, height in zip(levels, heights, strict=True)):
            return f"the levels {levels} for quasi-identifiers with {heights} levels"
        left_out = self.suppressed
        if left_out is not None and (left_out.shape != (len(microdata),) or left_out.dtype != np.bool_):
            return f"a mark of shape {left_out.shape} and type {left_out.dtype} for the rows left out"
        return None


def rows_by_class(classes: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows that are not suppressed, sorted by class, and the offsets of the classes with the end."""
    count = int(classes.max(initial=SUPPRESSED)) + 1
    numbers, rows = in_order(classes.astype(np.int64) - SUPPRESSED, count + 1)
    begins = np.searchsorted(numbers, np.arange(count + 1) - SUPPRESSED)
    return rows[begins[0] :], begins - begins[0]


#: The size of every class, and its smallest and largest code of every attribute.
Bounds = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def bounds_of_classes(codes: NDArray[np.unsignedinteger], of_row: NDArray[np.int32], classes: int) -> Bounds:
    """Find the bounds of all classes, on all cores."""
    rows = len(of_row)
    if rows < LONG:
        return class_bounds(codes, of_row, classes)
    # Of few classes, each thread takes all and some of the rows; of many it takes some, and reads the class of every
    # row, which is little work beside that for the rows of its own classes.
    few = classes < FEW_CLASSES

    def find(part: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.integer]]:
        stretch, (first, last) = (part, (0, classes)) if few else ((0, rows), part)
        sizes, (lo, hi) = np.zeros(last - first, np.int64), np.zeros((2, last - first, codes.shape[1]), codes.dtype)
        bounds_within(codes, of_row, *stretch, first, sizes, lo, hi)
        return sizes, lo, hi

    parts = stretches(rows) if few else stretches(classes, -(-classes // RANGES))
    found = zip(*side_by_side(find, parts), strict=True)
    sizes, lo, hi = (np.stack(side) if few else np.concatenate(side) for side in found)
    if few:
        lo = np.where(sizes[:, :, np.newaxis] > 0, lo, np.iinfo(lo.dtype).max).min(axis=0)
        sizes, hi = sizes.sum(axis=0), hi.max(axis=0)
        lo[sizes == 0] = 0
    return sizes, lo.astype(np.int64), hi.astype(np.int64)


@dataclass(frozen=True)
class EquivalenceClasses:
    """The groups of rows that a release shows alike, and the spans of codes that they show.

    Attributes
    ----------
    of_row
        The class of every row, -1 where it is suppressed.
    sizes
        The number of rows of every class, never 0.
    lo, hi
        The first and the last code that every class shows of every quasi-identifier.
    levels
        The level of every quasi-identifier, if all classes show the same one (full-domain recoding).
    hidden
        Which quasi-identifiers each class shows as ``*`` whatever it spans, if any.
    """

    of_row: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64]
    lo: NDArray[np.int64] = field(repr=False)
    hi: NDArray[np.int64] = field(repr=False)
    levels: tuple[int, ...] | None = None
    hidden: NDArray[np.bool_] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def suppressed(self) -> int:
        """The number of suppressed rows."""
        return len(self.of_row) - int(self.sizes.sum())

    @classmethod
    def of(cls, microdata: Microdata, recoding: Recoding) -> EquivalenceClasses:
        """Compute the classes of a recoding."""
        recoding.check(microdata)
        if recoding.classes is not None:
            return cls._of_classes(microdata, recoding.classes, recoding)
        return cls._of_levels(microdata, recoding)

    @classmethod
    def _of_classes(
        cls,
        microdata: Microdata,
        classes: NDArray[np.int32],
        recoding: Recoding,
    ) -> EquivalenceClasses:
        count = int(classes.max(initial=-1)) + 1
        sizes, lo, hi = bounds_of_classes(microdata.codes, classes, count)
        if recoding.bounds is not None:
            lo, hi = (bound[:count] for bound in recoding.bounds)
        hidden = None if recoding.hidden is None else recoding.hidden[:count]
        filled = sizes > 0
        if filled.all():
            return cls(classes, sizes, lo, hi, None, hidden)
        renumbered = np.append(np.cumsum(filled, dtype=np.int32) - 1, np.int32(SUPPRESSED))
        hidden = None if hidden is None else hidden[filled]
        return cls(renumbered[classes], sizes[filled], lo[filled], hi[filled], None, hidden)

    @classmethod
    def _of_levels(cls, microdata: Microdata, recoding: Recoding) -> EquivalenceClasses:
        levels = [domain.levels[level] for domain, level in zip(microdata.domains, recoding.levels or (), strict=True)]
        groups = np.stack([level.groups[microdata.codes[:, at]] for at, level in enumerate(levels)], axis=1)
        kept = np.ones(len(microdata), bool) if recoding.suppressed is None else ~recoding.suppressed
        of_row = np.full(len(microdata), SUPPRESSED, np.int32)
        grouped = group_rows(groups[kept], [len(level) for level in levels])
        of_row[kept] = grouped.of_row
        first = [np.unique(level.groups, return_index=True)[1] for level in levels]
        last = [np.append(start[1:], len(level.groups)) - 1 for start, level in zip(first, levels, strict=True)]
        lo = np.stack([first[at][grouped.codes[:, at]] for at in range(len(levels))], axis=1)
        hi = np.stack([last[at][grouped.codes[:, at]] for at in range(len(levels))], axis=1)
        return cls(of_row, grouped.counts, lo, hi, recoding.levels)


def shown_sets(microdata: Microdata, classes: EquivalenceClasses, at: int, labels: pa.StringArray) -> pa.StringArray:
    """Replace ``*`` in labels of classes by sets of their values, if a flat category shows sets."""
    domain = microdata.domains[at]
    assert isinstance(domain, SetDomain)
    starred = pc.equal(labels, ROOT).fill_null(False).to_numpy(zero_copy_only=False)
    if classes.hidden is not None:
        starred &= ~classes.hidden[:, at]
    rows = np.flatnonzero((classes.of_row >= 0) & np.append(starred, False)[classes.of_row])
    pairs = np.unique(classes.of_row[rows].astype(np.int64) * domain.size + microdata.codes[rows, at])
    owners, codes = np.divmod(pairs, domain.size)
    begins = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])) if len(owners) else owners
    texts = labels.to_pylist()
    for owner, members in zip(owners[begins].tolist(), np.split(codes, begins[1:]), strict=True) if len(owners) else ():
        texts[owner] = domain.set_label(members) or texts[owner]
    return pa.array(texts, pa.string())


@cache
def get_ready() -> None:
    """Call the first kernel of every request once, in parallel with other work, since a first call is slow to load."""
    in_background(class_bounds, np.empty((0, 1), np.uint16), np.empty(0, np.int32), 0)
