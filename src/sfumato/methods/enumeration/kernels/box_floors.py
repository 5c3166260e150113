"""Lower bounds of the cost of rows in any class that is large enough, before any cut is made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel
from sfumato.methods.enumeration.kernels.boxes import Grid
from sfumato.table.kernels.spans import Spans, span_cost

#: The most pairs of atoms that are compared, which takes a second or two. Beyond that, atoms with few rows get no bound
#: of this kind.
MOST_PAIRS = 250_000_000

#: The resolution of penalties.
BINS = 1024


def nearest_penalties(grid: Grid, spans: Spans, smallest: int) -> NDArray[np.float64]:
    """Bound the penalty of any class that contains each atom and has at least ``smallest`` rows."""
    atoms, attributes = grid.cells.shape
    of_atom = np.empty((atoms, attributes), np.int32)
    ranges: list[NDArray[np.int64]] = []
    for attribute in range(attributes):
        lo, hi = grid.codes[:, 0, attribute].astype(np.int64), grid.codes[:, 1, attribute]
        known, places = np.unique(lo << 32 | hi, return_inverse=True)
        of_atom[:, attribute] = places + sum(map(len, ranges))
        ranges.append(np.stack([np.full(len(known), attribute), known >> 32, known & 0xFFFFFFFF], axis=1))
    asked = np.flatnonzero(grid.rows < smallest)
    asked = asked[np.argsort(-grid.rows[asked], kind="stable")][: MOST_PAIRS // max(1, atoms)]
    penalties = np.zeros(atoms)
    penalties[asked] = penalties_of_neighbours(grid.rows, spans, smallest, np.concatenate(ranges), of_atom, asked)
    return penalties


@kernel
def penalties_of_neighbours(
    rows: NDArray[np.int64],
    spans: Spans,
    smallest: int,
    ranges: NDArray[np.int64],
    of_atom: NDArray[np.int32],
    asked: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Find the penalty within which an atom has enough neighbours for a class, each taken in one box with the atom.

    A class of ``smallest`` rows contains a neighbour at least that far away, and spans no less than the two together.
    Many atoms have the same range of codes in an attribute, so its penalty is computed once for each ``(attribute, lo,
    hi)`` of ``ranges`` instead of for each pair.
    """
    attributes = of_atom.shape[1]
    penalties = np.empty(len(asked))
    added = np.empty(len(ranges))
    counts = np.empty(BINS + 1, np.int64)
    for place in range(len(asked)):
        atom = asked[place]
        for other in range(len(ranges)):
            attribute = ranges[other, 0]
            own = of_atom[atom, attribute]
            lo, hi = min(ranges[own, 1], ranges[other, 1]), max(ranges[own, 2], ranges[other, 2])
            added[other] = spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
        counts[:] = 0
        for other in range(len(rows)):
            penalty = 0.0
            for attribute in range(attributes):
                penalty += added[of_atom[other, attribute]]
            counts[int(min(penalty, 1.0) * BINS)] += rows[other]
        least, reached = 0, counts[0]
        while reached < smallest and least < BINS:
            least += 1
            reached += counts[least]
        penalties[place] = least / BINS
    return penalties
