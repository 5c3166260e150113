"""Lower bounds of class sizes that follow from minimum lengths, before any cut is made.

A class with a minimum length in an attribute lies in a block at least that wide. So every cell of the grid has, in each
such attribute, a few narrowest windows of slabs, one of which its block must contain; and the block has at least as
many rows as the emptiest product of such windows. These products are counted one attribute at a time: every cell is
assigned to the windows that contain it, cells in the same windows are merged, and on the way back each cell takes the
minimum over its windows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.enumeration.kernels.boxes import Grid
from sfumato.privacy import Requirements
from sfumato.table.frequency import group_rows
from sfumato.table.kernels.rules import SPAN

#: The most pairs of a cell and a window; attributes that would exceed it are skipped, which weakens the bound a little.
MOST_CELLS = 2_000_000

Codes = NDArray[np.int64]


def least_shares(requirements: Requirements) -> NDArray[np.float64]:
    """The least share of every attribute's domain that a class must span, 0 without a minimum length."""
    shares = np.zeros(len(requirements.microdata.domains))
    for rule in requirements.bound:
        if rule.kind == SPAN:
            shares[rule.column] = max(shares[rule.column], rule.first)
    return shares


def least_reach(requirements: Requirements, attribute: int) -> Codes:
    """For each code of an attribute, the least code that a class from there must reach: itself, if nothing is asked."""
    asked = [rule.reach for rule in requirements.bound if rule.reach is not None and rule.column == attribute]
    return np.maximum.reduce([np.arange(requirements.microdata.domains[attribute].size), *asked])


def least_sizes(requirements: Requirements, grid: Grid) -> Codes:
    """Bound the number of rows of any block that contains each atom, as far as minimum lengths are concerned."""
    cells = (grid.cells - grid.slabs[:-1]).astype(np.int64)
    rows, radix = grid.rows, np.diff(grid.slabs).tolist()
    ways: list[tuple[Codes, NDArray[np.bool_]]] = []
    for at in range(len(radix)):
        edges = grid.edges[grid.slabs[at] : grid.slabs[at + 1]]
        windows = windows_of(least_reach(requirements, at), edges)
        most = windows.holding.shape[1]
        if windows.slabs_alone or len(cells) * most > MOST_CELLS:
            continue
        slabs = cells[:, at]
        spread = np.repeat(cells, most, axis=0)
        spread[:, at] = windows.holding[slabs].ravel()
        radix[at] = int(windows.holding.max()) + 1
        grouped = group_rows(spread, radix)
        first = windows.first[slabs].ravel()
        rows = np.bincount(grouped.of_row[first], np.repeat(rows, most)[first], len(grouped)).astype(np.int64)
        ways.append((grouped.of_row.reshape(-1, most).astype(np.int64), windows.narrowest[slabs]))
        cells = grouped.codes.astype(np.int64)
    for way, narrowest in reversed(ways):
        rows = np.where(narrowest, rows[way], np.iinfo(np.int64).max).min(axis=1)
    return rows


class Windows(NamedTuple):
    """The windows that contain each slab of an attribute; shorter lists repeat their last window.

    Attributes
    ----------
    holding
        The numbers of the windows.
    first
        Whether an entry is not a repetition.
    narrowest
        Whether no window within it is wide enough and contains the slab.
    slabs_alone
        Whether every slab is wide enough by itself.
    """

    holding: Codes
    first: NDArray[np.bool_]
    narrowest: NDArray[np.bool_]
    slabs_alone: bool


def windows_of(reach: Codes, edges: Codes) -> Windows:
    """Find the narrowest windows of slabs that are wide enough, for every slab that they contain."""
    slabs = range(len(edges))
    around = [_around(reach, edges, slab) for slab in slabs]
    known = sorted(set().union(*around))
    holding = [[at for at, (first, last) in enumerate(known) if first <= slab <= last] for slab in slabs]
    most = max(map(len, holding))
    zipped = list(zip(holding, around, strict=True))
    return Windows(
        np.array([[*found, *found[-1:] * (most - len(found))] for found in holding], np.int64),
        np.array([[at < len(found) for at in range(most)] for found in holding]),
        np.array([[at < len(found) and known[found[at]] in own for at in range(most)] for found, own in zipped]),
        all(first == last for first, last in known),
    )


def _around(reach: Codes, edges: Codes, slab: int) -> set[tuple[int, int]]:
    """Find the narrowest windows around a slab; all slabs if no window is wide enough."""
    slabs = len(edges)
    windows: set[tuple[int, int]] = set()
    nearest = slabs
    lasts = np.arange(slab, slabs)
    for first in range(slab, -1, -1):
        enough = lasts[edges[lasts, 1] >= reach[edges[first, 0]]]
        if len(enough) and enough[0] < nearest:
            nearest = int(enough[0])
            windows.add((first, nearest))
        if nearest == slab:
            break
    return windows or {(0, slabs - 1)}
