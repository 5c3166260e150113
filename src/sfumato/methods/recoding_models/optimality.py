"""How near a recoding is to the best of its recoding model, and lower bounds from rows and regions.

A region is what a node of the lattice shows for a row. Every row is shown by a region with enough rows in it, so it
loses at least as much as in the cheapest of these, whatever happens to the other rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.loss import METRICS, RecodedTable
from sfumato.methods.base import Task
from sfumato.methods.details import MethodDetails
from sfumato.methods.enumeration.optimality import OPTIMUM, ROUNDING, SUPPRESSION, WORK, Optimality
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space
from sfumato.table.kernels.classes import class_bounds
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: Bounds examine all regions if the lattice has at most this many nodes, and nodes times rows.
MOST_NODES, MOST_WORK = 1_000, 5_000_000


def gcp_of(task: Task, recoding: Recoding) -> float:
    """Compute the GCP of a recoding."""
    return METRICS["gcp"].measure(RecodedTable(task.microdata, EquivalenceClasses.of(task.microdata, recoding)))


def with_optimality(task: Task, recoding: Recoding, model: str, bound: float, looked_at: int) -> Recoding:
    """Add the optimality to a recoding, given a lower bound on the total loss of its model."""
    cost = gcp_of(task, recoding)
    least = min(bound / max(1, len(task.microdata)), cost)
    proven = least >= cost * (1 - ROUNDING)
    ended = OPTIMUM if proven else SUPPRESSION if task.suppressible else WORK
    found = Optimality("gcp", cost, least, nodes=looked_at, ended=ended, among=f"{model} recodings")
    return replace(recoding, details=replace(MethodDetails.of(recoding.details), optimality=found))


class Regions(NamedTuple):
    """The regions of a node of the lattice: the region of every row, and the edges and size of every region."""

    of_row: NDArray[np.int32]
    lo: NDArray[np.int64]
    hi: NDArray[np.int64]
    sizes: NDArray[np.int64]


def all_regions(judge: NodeJudge) -> Iterator[tuple[Levels, Regions]] | None:
    """Iterate over all nodes and their regions; None if there are too many nodes."""
    microdata = judge.task.microdata
    space = Space(microdata.domains)
    if space.size > MOST_NODES or space.size * len(microdata) > MOST_WORK:
        return None
    return ((node, _regions(judge, node)) for node in space.nodes())


def _regions(judge: NodeJudge, node: Levels) -> Regions:
    codes, edges = judge.task.microdata.codes, judge.roller.edges
    of_row, count = judge.roller.classes(judge.row_keys, judge.roller.bottom, node)
    first = np.unique(of_row, return_index=True)[1]
    bounds = np.empty((count, len(node), 2), np.int64)
    for at, level in enumerate(node):
        groups = judge.task.microdata.domains[at].levels[level].groups[codes[first, at]]
        bounds[:, at] = edges.codes[edges.at[at, level] + groups]
    return Regions(of_row, bounds[:, :, 0], bounds[:, :, 1], np.bincount(of_row, minlength=count))


def least_by_row(judge: NodeJudge, as_regions: bool) -> float | None:
    """Bound the total loss of any choice of regions from below, by the cheapest region of every row.

    Classes show the regions that they lie in, or what the rows of these span. A suppressed row costs the maximum, which
    is no less. None if there are too many regions.
    """
    regions = all_regions(judge)
    if regions is None:
        return None
    least = np.full(len(judge.task.microdata), float(judge.task.microdata.weights.sum()))
    for _, (of_row, lo, hi, sizes) in regions:
        if not as_regions:
            _, lo, hi = class_bounds(judge.task.microdata.codes, of_row, len(sizes))  # noqa: PLW2901
        costs = np.where(sizes >= judge.smallest, judge.task.microdata.penalties(lo, hi), np.inf)
        least = np.minimum(least, costs[of_row])
    return float(least.sum())
