"""What a method returns, and the equivalence classes that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.classes import class_bounds
from sfumato.microdata.frequency import group_rows
from sfumato.microdata.table import Microdata

SUPPRESSED = -1


@dataclass(frozen=True)
class Recoding:
    """What a method decided: either a class per row, or one level per quasi-identifier.

    Attributes
    ----------
    classes
        The class of every row, numbered from 0; ``SUPPRESSED`` (-1) for rows that are left out. Each class is shown
        by what its rows span (local and multidimensional recoding).
    bounds
        The first and the last code that every class shows of every quasi-identifier, where that is more than its rows
        span: a group of values that is shown alike everywhere, or a cell that tells nothing.
    levels
        The level of every quasi-identifier (full-domain recoding), with ``suppressed`` marking the rows left out.
    details
        What the method has to tell about its search, for reports.
    """

    classes: NDArray[np.int32] | None = None
    levels: tuple[int, ...] | None = None
    suppressed: NDArray[np.bool_] | None = None
    details: dict[str, Any] = field(default_factory=dict)
    bounds: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def __post_init__(self) -> None:
        if (self.classes is None) == (self.levels is None):
            raise TypeError("A recoding has either classes or levels.")


@dataclass(frozen=True)
class EquivalenceClasses:
    """The groups of rows that a release shows alike, and the span of codes that each of them shows.

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
    """

    of_row: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64]
    lo: NDArray[np.int64] = field(repr=False)
    hi: NDArray[np.int64] = field(repr=False)
    levels: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def suppressed(self) -> int:
        """The number of rows that are left out."""
        return len(self.of_row) - int(self.sizes.sum())

    @classmethod
    def of(cls, microdata: Microdata, recoding: Recoding) -> EquivalenceClasses:
        """Work out the classes of a recoding."""
        if recoding.classes is not None:
            return cls._of_classes(microdata, recoding.classes, recoding.bounds)
        return cls._of_levels(microdata, recoding)

    @classmethod
    def _of_classes(
        cls,
        microdata: Microdata,
        classes: NDArray[np.int32],
        bounds: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    ) -> EquivalenceClasses:
        count = int(classes.max(initial=-1)) + 1
        sizes, lo, hi = class_bounds(microdata.codes, classes, count)
        if bounds is not None:
            lo, hi = bounds[0][:count], bounds[1][:count]
        filled = sizes > 0
        if filled.all():
            return cls(classes, sizes, lo, hi)
        renumbered = np.append(np.cumsum(filled, dtype=np.int32) - 1, np.int32(SUPPRESSED))
        return cls(renumbered[classes], sizes[filled], lo[filled], hi[filled])

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
