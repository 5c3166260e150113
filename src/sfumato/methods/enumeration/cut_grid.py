"""A table on the grid of its cuts: rows in the same cell become one atom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.enumeration.kernels.box_floors import nearest_penalties
from sfumato.methods.enumeration.kernels.boxes import BoxCosts, Grid
from sfumato.methods.enumeration.minimum_lengths import least_shares, least_sizes
from sfumato.privacy import Requirements
from sfumato.table.frequency import group_rows
from sfumato.table.kernels.classes import class_bounds
from sfumato.table.kernels.rules import FREQUENCY, TOLERANCE
from sfumato.table.microdata import Microdata

#: The seed of the atoms' random words, which only have to be the same in every run.
WORDS_SEED = 20070426


@dataclass(frozen=True)
class GridTable:
    """The atoms of a table, and the atom of every row.

    Attributes
    ----------
    grid
        The atoms, for kernels.
    of_row
        The atom of every row.
    """

    grid: Grid = field(repr=False)
    of_row: NDArray[np.int32] = field(repr=False)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.of_row)

    def order(self) -> NDArray[np.int32]:
        """All atoms: the box that contains the whole table."""
        return np.arange(len(self.grid.rows), dtype=np.int32)


def grid_of(requirements: Requirements, cuts: Sequence[NDArray[np.int64]]) -> GridTable:
    """Lay a table on the grid of its cuts.

    Parameters
    ----------
    requirements
        The requirements of classes, bound to the table.
    cuts
        For each attribute, the codes at which a new slab begins, ascending, none of them 0.
    """
    microdata = requirements.microdata
    slabs = np.cumsum([0, *(len(places) + 1 for places in cuts)], dtype=np.int64)
    local = np.stack(
        [np.searchsorted(places, microdata.codes[:, at], side="right") for at, places in enumerate(cuts)], axis=1
    )
    atoms = group_rows(local, [len(places) + 1 for places in cuts])
    _, lo, hi = class_bounds(microdata.codes, atoms.of_row, len(atoms))
    values_at, values = _sensitive_values(requirements, atoms.of_row, len(atoms))
    words = np.random.default_rng(WORDS_SEED).integers(0, 2**64, (len(atoms), 2), np.uint64)
    grid = Grid(
        (atoms.codes + slabs[:-1]).astype(np.int32),
        slabs,
        _edges(requirements, cuts),
        atoms.counts,
        np.zeros(len(atoms)),
        words,
        np.stack([lo, hi], axis=1).astype(np.int32),
        values_at,
        values,
    )
    return GridTable(grid, atoms.of_row)


def _edges(requirements: Requirements, cuts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The first and the last code of every slab."""
    sizes = [domain.size for domain in requirements.microdata.domains]
    first = np.concatenate([np.append(0, places) for places in cuts])
    last = np.concatenate([np.append(places, size) - 1 for places, size in zip(cuts, sizes, strict=True)])
    return np.stack([first, last], axis=1).astype(np.int64)


def _sensitive_values(
    requirements: Requirements, of_row: NDArray[np.int32], atoms: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the sensitive values of every atom; returns where those of each atom begin, and the values with counts."""
    codes = requirements.sensitive_codes + requirements.rules.counts_at[:-1]
    size = int(requirements.rules.counts_at[-1])
    if not size:
        return np.zeros(atoms + 1, np.int64), np.empty((0, 2), np.int64)
    pairs, counts = np.unique(of_row[:, None].astype(np.int64) * size + codes, return_counts=True)
    values_at = np.searchsorted(pairs, np.arange(atoms + 1) * size)
    return values_at.astype(np.int64), np.stack([pairs % size, counts], axis=1)


def atom_floors(requirements: Requirements, grid: Grid, costs: BoxCosts, priced: Microdata) -> NDArray[np.float64]:
    """Bound the cost of the rows of every atom from below, for any class: cuts never separate them."""
    sizes = np.maximum(least_sizes(requirements, grid), np.maximum(_diluted(requirements, grid), costs.smallest))
    # The size of a class bounds its cost only if rows cost more in larger classes.
    each = costs.by_size[1:] / np.arange(1, len(costs.by_size))
    least = np.minimum.accumulate(each[::-1])[::-1]
    floors = grid.rows * least[np.minimum(sizes, len(least)) - 1]
    if costs.spread > 0:
        penalties = np.maximum(
            nearest_penalties(grid, priced.spans, costs.smallest), _own_penalties(requirements, grid, priced)
        )
        floors = floors + costs.spread * grid.rows * penalties
    return np.minimum(floors, grid.rows * costs.suppressed)


def _diluted(requirements: Requirements, grid: Grid) -> NDArray[np.int64]:
    """The least size of the class of every atom in which none of the atom's sensitive values is too frequent."""
    sizes = np.zeros(len(grid.rows), np.int64)
    at = requirements.rules.counts_at
    for rule in requirements.bound:
        if rule.kind == FREQUENCY:
            value, count = grid.values.T
            mine = (at[rule.column] <= value) & (value < at[rule.column + 1])
            largest = np.maximum.reduceat(np.where(mine, count, 0), grid.values_at[:-1])
            # The rules tolerate rounding, so the bound must as well.
            sizes = np.maximum(sizes, np.ceil(largest * rule.first * (1 - 2 * TOLERANCE)).astype(np.int64))
    return sizes


def _own_penalties(requirements: Requirements, grid: Grid, priced: Microdata) -> NDArray[np.float64]:
    """Bound the penalty of the class of every atom by what the atom itself spans and by the minimum lengths."""
    own = priced.span_costs(grid.codes[:, 0], grid.codes[:, 1])
    if priced is requirements.microdata:
        # Minimum lengths are shares of the domain, as the certainty penalty is. The rules tolerate rounding, so the
        # bound must as well.
        own = np.maximum(own, least_shares(requirements) - TOLERANCE)
    return own @ priced.weights
