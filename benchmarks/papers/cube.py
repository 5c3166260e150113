"""The fast-anonymization paper's accuracy of queries: the divergence of the data cubes of a table and of its release.

Level n of the cube has all group-bys of n quasi-identifiers, each for every sensitive value. Rows are spread
evenly over what their class shows; Anatomy shows quasi-identifiers exactly and the sensitive values of a group.
Written from the definition, apart from what `sfumato.utility` reports.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

#: What a release reveals: for some quasi-identifiers and some rows, the share of the cells that these rows are in.
Shares = Callable[[tuple[int, ...], Places], Floats]

#: Beyond this level and this number of cells, only the cells of a sample of rows are evaluated: KL is a mean over rows.
EXACT_LEVEL, MOST_CELLS, SAMPLED = 2, 20_000_000, 300


def divergence(microdata: Microdata, told: Shares, level: int, seed: int = 0) -> float:
    """The mean over all group-bys of a level of the Kullback-Leibler divergence, in bits."""
    random = np.random.default_rng(seed)
    found = []
    for subset in combinations(range(len(microdata.domains)), level):
        rows = np.arange(len(microdata))
        if level > EXACT_LEVEL:
            rows = random.choice(rows, min(SAMPLED, len(rows)), replace=False)
        cells = cell_numbers(microdata, subset)
        _, of_row, counts = np.unique(cells, return_inverse=True, return_counts=True)
        truth = counts[of_row[rows]] / len(microdata)
        found.append(float(np.mean(np.log2(truth / told(subset, rows)))))
    return float(np.mean(found))


def cell_numbers(microdata: Microdata, subset: tuple[int, ...]) -> Places:
    """The cell of every row: its sensitive value and its codes in some attributes, as one number."""
    cells = microdata.sensitive[0].codes.astype(np.int64)
    for at in subset:
        cells = cells * microdata.domains[at].size + microdata.codes[:, at]
    return cells


def of_classes(microdata: Microdata, recoding: Recoding, ranges: bool = False) -> Shares:
    """The shares by a release in classes: rows are spread evenly over the box that their class shows.

    Of a category a class shows the least tree node over its values; with ``ranges``, from the first to the last of
    them in the order of the tree, as if categories were numbers. The paper does not say which it took.
    """
    classes = EquivalenceClasses.of(microdata, recoding)
    spans = [
        (classes.lo[:, at], classes.hi[:, at]) if ranges else domain.covered(classes.lo[:, at], classes.hi[:, at])
        for at, domain in enumerate(microdata.domains)
    ]
    low = np.stack([span[0] for span in spans], axis=1).astype(np.int64)
    high = np.stack([span[1] for span in spans], axis=1).astype(np.int64)
    values = microdata.sensitive[0].codes.astype(np.int64)
    # Rows with the same class and the same sensitive value have equal shares; the values rise.
    pairs, counts = np.unique(values * np.int64(len(classes)) + classes.of_row, return_counts=True)
    value, which = np.divmod(pairs, len(classes))
    low, high, weight = low[which], high[which], counts / len(microdata)

    def told(subset: tuple[int, ...], rows: Places) -> Floats:
        columns = list(subset)
        share = weight / np.prod(high[:, columns] - low[:, columns] + 1, axis=1)
        if len(subset) <= EXACT_LEVEL:
            sizes = [int(value.max()) + 1, *(microdata.domains[at].size for at in subset)]
            cube = filled(sizes, value, low[:, columns], high[:, columns], share)
            return cube[(values[rows], *(microdata.codes[rows, at] for at in subset))]
        begins, ends = (np.searchsorted(value, values[rows], side) for side in ("left", "right"))
        found = np.zeros(len(rows))
        for place, (row, begin, end) in enumerate(zip(rows, begins, ends, strict=True)):
            code = microdata.codes[row, columns]
            inside = (low[begin:end, columns] <= code) & (code <= high[begin:end, columns])
            found[place] = share[begin:end][inside.all(axis=1)].sum()
        return found

    return told


def filled(sizes: list[int], value: Places, low: Places, high: Places, share: Floats) -> Floats:
    """A cube of all cells: boxes are added at their corners, and sums along all axes fill them."""
    cube = np.zeros([sizes[0], *(size + 1 for size in sizes[1:])])
    for corner in product((0, 1), repeat=low.shape[1]):
        place = (value, *((high[:, at] + 1) if side else low[:, at] for at, side in enumerate(corner)))
        np.add.at(cube, place, share * (-1) ** sum(corner))
    for axis in range(1, cube.ndim):
        np.cumsum(cube, axis=axis, out=cube)
    return cube


def of_groups(microdata: Microdata, groups: Places) -> Shares:
    """The shares by Anatomy: every row exactly, with each sensitive value of its group by its share there."""
    values = microdata.sensitive[0].codes.astype(np.int64)
    many = int(values.max()) + 1
    of_group = np.bincount(groups * many + values, minlength=(int(groups.max()) + 1) * many).reshape(-1, many)
    chance = of_group / of_group.sum(axis=1, keepdims=True)

    def told(subset: tuple[int, ...], rows: Places) -> Floats:
        cells = np.zeros(len(microdata), np.int64)
        for at in subset:
            cells = cells * microdata.domains[at].size + microdata.codes[:, at]
        _, of_row = np.unique(cells, return_inverse=True)
        shown = np.zeros((int(of_row.max()) + 1, many))
        if shown.size <= MOST_CELLS:
            for each in range(many):
                shown[:, each] = np.bincount(of_row, chance[groups, each], minlength=len(shown))
            return shown[of_row[rows], values[rows]] / len(microdata)
        return np.array([chance[groups[of_row == of_row[row]], values[row]].sum() for row in rows]) / len(microdata)

    return told
