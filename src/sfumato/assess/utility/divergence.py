"""The divergence over the data cube: how far the group-bys of a release are from those of the original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.utility.comparison import UtilityComparison
from sfumato.assess.utility.kernels.expected_counts import expected_at
from sfumato.assess.utility.measures import LEAST, Measure, MeasureResult

Matrix = NDArray[np.int64]

#: How many group-bys of one level are examined, in tables up to this many rows; in larger ones fewer, at least a few.
GROUP_BYS, ROWS, FEW = 15, 50_000, 3

#: The most combinations of values of one group-by; of more, this many are drawn.
CELLS = 20_000


class Divergence(Measure):
    """How much information about combinations of values is lost: the Kullback-Leibler divergence over the data cube."""

    name = "divergence"
    title = "divergence over group-bys"
    upper = None

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute the mean divergence of all levels of the cube, in bits."""
        cube = Cube(comparison)
        limit = max(FEW, min(GROUP_BYS, GROUP_BYS * ROWS // max(1, comparison.original.num_rows)))
        by_level = {}
        for level in range(1, len(cube.axes) + 1):
            found = cube.level(level, limit)
            if found is not None:
                by_level[f"level {level}"] = found
        if not by_level:
            return None
        value = float(np.mean(list(by_level.values())))
        return self.found(value, f"Tables of counts made from the release lack {value:.3f} bits a row.", by_level)


@dataclass(frozen=True)
class Cube:
    """All group-bys over quasi-identifiers: those of the original, and their estimates from the release.

    If there is a label or a sensitive column, every group-by includes it, as in the fast-anonymization paper. Rows with
    a missing value are left out.
    """

    comparison: UtilityComparison

    @property
    def axes(self) -> tuple[str, ...]:
        """The columns whose combinations are the group-bys: quasi-identifiers, or all columns if there are none."""
        comparison = self.comparison
        asked = [
            name
            for name in comparison.names
            if name in comparison.released.quasi_identifiers and name != comparison.label
        ]
        return tuple(asked or (name for name in comparison.names if name != comparison.label))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The label, if there is one, and the axes, the most selective first."""
        label = () if self.comparison.label is None else (self.comparison.label,)
        return tuple(sorted((*label, *self.axes), key=self._reach))

    def _reach(self, name: str) -> float:
        """Count the pairs of an original and a released row that may be equal in a column."""
        bins = self.comparison.bins(name)
        rows = np.bincount(self.comparison.released.column(name).cells, minlength=len(bins.shares))
        return float(rows @ (bins.shares > 0) @ self.comparison.observed((name,)))

    @cached_property
    def _original(self) -> tuple[Matrix, NDArray[np.int64]]:
        """The distinct rows of bins, and how often each occurs."""
        bins = np.stack([self.comparison.bins(name).of_row for name in self.columns], axis=1)
        known = bins[(bins >= 0).all(axis=1)]
        return distinct_rows(known, np.ones(len(known), np.int64))

    @cached_property
    def _shown(self) -> tuple[Matrix, NDArray[np.int64]]:
        """The distinct rows that the release shows, and how often each occurs."""
        released = self.comparison.released
        cells = np.stack([released.column(name).cells for name in self.columns], axis=1).astype(np.int64)
        return distinct_rows(cells, np.ones(len(cells), np.int64))

    def level(self, level: int, limit: int | None = None) -> float | None:
        """Compute the mean divergence of the group-bys over ``level`` axes, in bits; None if no row can be compared.

        Parameters
        ----------
        level
            The number of axes to group by.
        limit
            The most group-bys to examine, drawn at random; all by default.
        """
        found = [self.divergence(names) for names in self._group_bys(level, limit)]
        known = [one for one in found if one is not None]
        return float(np.mean(known)) if known else None

    def _group_bys(self, level: int, limit: int | None) -> list[tuple[str, ...]]:
        if limit is None or comb(len(self.axes), level) <= limit:
            return list(combinations(self.axes, level))
        random = self.comparison.secret.generator("group-bys")
        drawn: set[tuple[str, ...]] = set()
        while len(drawn) < limit:
            chosen = np.sort(random.choice(len(self.axes), level, replace=False))
            drawn.add(tuple(self.axes[at] for at in chosen))
        return sorted(drawn)

    def divergence(self, names: tuple[str, ...]) -> float | None:
        """Compute the divergence of one group-by: the sum of p log(p/q) over all cells, p before and q after."""
        columns = [name for name in self.columns if name == self.comparison.label or name in names]
        places = [self.columns.index(name) for name in columns]
        cells, counts = distinct_rows(self._original[0][:, places], self._original[1])
        shown, sizes = distinct_rows(self._shown[0][:, places], self._shown[1])
        shares = [self.comparison.bins(name).shares for name in columns]
        inside = sizes * np.prod([part.sum(axis=1)[shown[:, at]] for at, part in enumerate(shares)], axis=0)
        if not counts.sum() or not inside.sum():
            return None
        before = counts / counts.sum()
        drawn = np.arange(len(cells))
        if len(cells) > CELLS:
            drawn = np.sort(self.comparison.secret.generator("cells").choice(len(cells), CELLS, p=before))
        after = _expected(cells[drawn], shown, sizes, shares) / inside.sum()
        lost = np.log2(before[drawn] / np.maximum(after, LEAST))
        return float(lost.mean() if len(cells) > CELLS else before @ lost)


def _expected(
    cells: Matrix, shown: Matrix, sizes: NDArray[np.int64], shares: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    begins = np.cumsum([0, *(part.size for part in shares)])[:-1]
    flat = np.concatenate([part.ravel() for part in shares])
    widths = np.array([part.shape[1] for part in shares], np.int64)
    return expected_at(cells, shown, sizes.astype(np.float64), flat, begins, widths)


def distinct_rows(rows: Matrix, counts: NDArray[np.int64]) -> tuple[Matrix, NDArray[np.int64]]:
    """Find the distinct rows of a matrix in sorted order, and the sums of their counts."""
    keys = np.zeros(len(rows), np.int64)
    size = 1
    for column in rows.T:
        width = int(column.max(initial=0)) + 1
        if size * width >= 2**62:
            different, keys = np.unique(keys, return_inverse=True)
            size = len(different)
        keys = keys * width + column
        size *= width
    _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    totals: NDArray[np.int64] = np.bincount(of_row, counts, len(first)).astype(np.int64)
    return np.ascontiguousarray(rows[first]), totals
