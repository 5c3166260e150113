"""The best choice of disjoint regions: products of subtrees, in each of which all rows are shown alike.

A best-first search covers distinct rows one after the other: it tries, for the first uncovered row, each allowed
region that holds it and overlaps none of the chosen ones. Choices are ordered by their loss plus the least loss of all
other rows, so the first choice that covers everything is optimal, and until then that sum is a lower bound.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space
from sfumato.methods.recoding_models.optimality import all_regions
from sfumato.methods.recoding_models.value_groups import broken_rows
from sfumato.table.frequency import frequency_set

#: The most regions to compare with the chosen ones, and the most to list: nodes of the lattice times distinct rows.
MOST_COMPARED, MOST_LISTED = 100_000, 20_000


@dataclass(frozen=True)
class Region:
    """A region that may be a class: its distinct rows as bits, its row count, its edges, and its loss."""

    members: int
    rows: int
    lo: tuple[int, ...]
    hi: tuple[int, ...]
    loss: float

    def overlaps(self, other: Region) -> bool:
        """Whether some combination of values lies in both, even one that does not occur in the table."""
        ends = zip(self.lo, self.hi, other.lo, other.hi, strict=True)
        return all(lo <= other_hi and other_lo <= hi for lo, hi, other_lo, other_hi in ends)


@dataclass(order=True)
class ChosenRegions:
    """Some disjoint regions."""

    least: float
    serial: int
    covered: int = field(compare=False)
    regions: tuple[Region, ...] = field(compare=False, repr=False)


@dataclass(frozen=True)
class BestRegions:
    """The class of every row if the optimum is known, a bound on the total loss if any, and how much was examined."""

    classes: NDArray[np.int32] | None
    bound: float | None
    looked_at: int


def best_regions(task: Task, at_most: float) -> BestRegions:
    """Search for the regions with the least total loss; stop once nothing can lose less than ``at_most``."""
    cells = frequency_set(task.microdata)
    listed = Space(task.microdata.domains).size * len(cells)
    regions = _allowed_regions(task, cells.of_row, len(cells)) if listed <= MOST_LISTED else None
    if regions is None:
        return BestRegions(None, None, 0)
    holding = [[region for region in regions if region.members >> cell & 1] for cell in range(len(cells))]
    each = np.array([min(region.loss / region.rows for region in found) for found in holding])
    least_of = each * cells.counts
    # The loss of a region beyond the least that its rows must lose.
    excess = {
        region.members: region.loss - float(least_of[_bits(region.members, len(cells))].sum()) for region in regions
    }
    everything = (1 << len(cells)) - 1
    serial, looked_at = count(), 0
    waiting = [ChosenRegions(float(least_of.sum()), next(serial), 0, ())]
    while waiting:
        chosen = heapq.heappop(waiting)
        if chosen.least >= at_most or looked_at >= MOST_COMPARED:
            return BestRegions(None, min(chosen.least, at_most), looked_at)
        if chosen.covered == everything:
            return BestRegions(_classes(chosen, cells.of_row), chosen.least, looked_at)
        cell = (~chosen.covered & (chosen.covered + 1)).bit_length() - 1  # the first uncovered one
        for region in holding[cell]:
            looked_at += 1 + len(chosen.regions)
            if not any(region.overlaps(other) for other in chosen.regions):
                least, covered = chosen.least + excess[region.members], chosen.covered | region.members
                heapq.heappush(waiting, ChosenRegions(least, next(serial), covered, (*chosen.regions, region)))
    return BestRegions(None, at_most, looked_at)


def _bits(members: int, cells: int) -> NDArray[np.bool_]:
    return np.array([bool(members >> at & 1) for at in range(cells)])


def _classes(chosen: ChosenRegions, of_row: NDArray[np.int32]) -> NDArray[np.int32]:
    classes = np.empty(len(of_row), np.int32)
    for number, region in enumerate(chosen.regions):
        classes[_bits(region.members, int(of_row.max()) + 1)[of_row]] = number
    return classes


def _allowed_regions(task: Task, cell_of: NDArray[np.int32], cells: int) -> list[Region] | None:
    """List every region whose rows may be a class, the smallest of those with equal rows; None if too many."""
    nodes = all_regions(NodeJudge(task))
    if nodes is None:
        return None
    microdata = task.microdata
    everybody = np.arange(len(microdata))
    found: dict[int, Region] = {}
    # The lowest nodes come first, so the smallest of the regions with equal rows is kept.
    for _, (of_row, lo, hi, sizes) in sorted(nodes, key=lambda node: sum(node[0])):
        broken = np.zeros(len(sizes), bool)
        broken[of_row[broken_rows(task, everybody, of_row.astype(np.int64))]] = True
        members = np.zeros((len(sizes), cells), bool)
        members[of_row, cell_of] = True
        for at in np.flatnonzero(~broken):
            bits = int.from_bytes(np.packbits(members[at], bitorder="little").tobytes(), "little")
            if bits not in found:
                codes = microdata.codes[of_row == at]
                loss = float(microdata.penalties(codes.min(axis=0)[None], codes.max(axis=0)[None])[0]) * int(sizes[at])
                found[bits] = Region(bits, int(sizes[at]), tuple(lo[at].tolist()), tuple(hi[at].tolist()), loss)
    return list(found.values())
