"""What rows cost at least in any class that is large enough: bounds before any cut is made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.boxes import Grid
from sfumato.kernels.compiling import kernel
from sfumato.kernels.spans import Spans, span_cost

#: With more atoms than this, neighbours are not looked for: it takes the square of their number.
MOST_ATOMS = 4_000


def nearest_penalties(grid: Grid, spans: Spans, smallest: int) -> NDArray[np.float64]:
    """Return for every atom a penalty that no class with it and ``smallest`` rows can be below."""
    return penalties_of_neighbours(grid, spans, smallest if len(grid.rows) <= MOST_ATOMS else 1)


@kernel
def penalties_of_neighbours(grid: Grid, spans: Spans, smallest: int) -> NDArray[np.float64]:
    """Return the penalty up to which an atom's neighbours, each in one box with it, are as many as a class needs.

    A class of so many rows holds a neighbour at least that far away, and spans no less than the two together.
    """
    atoms, attributes = grid.cells.shape
    bins = 1024
    penalties = np.zeros(atoms)
    counts = np.empty(bins + 1, np.int64)
    for atom in range(atoms):
        counts[:] = 0
        if grid.rows[atom] < smallest:
            for other in range(atoms):
                penalty = 0.0
                for attribute in range(attributes):
                    lo = min(grid.codes[atom, 0, attribute], grid.codes[other, 0, attribute])
                    hi = max(grid.codes[atom, 1, attribute], grid.codes[other, 1, attribute])
                    penalty += spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
                counts[int(min(penalty, 1.0) * bins)] += grid.rows[other]
            place, reached = 0, counts[0]
            while reached < smallest and place < bins:
                place += 1
                reached += counts[place]
            penalties[atom] = place / bins
        own = 0.0
        for attribute in range(attributes):
            lo, hi = grid.codes[atom, 0, attribute], grid.codes[atom, 1, attribute]
            own += spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
        penalties[atom] = max(penalties[atom], own)
    return penalties
