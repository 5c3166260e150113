"""The obvious way: all hierarchical partitions of a box, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partitions import Box, cuts_of, sides
from sfumato.table.recoding import EquivalenceClasses, Recoding


@cache
def all_partitions(box: Box) -> frozenset[frozenset[Box]]:
    """Every partition: the box itself, and for every cut every pair of partitions of its sides."""
    found = {frozenset([box])}
    for cut in cuts_of(box):
        left, right = sides(box, cut)
        found |= {one | other for one in all_partitions(left) for other in all_partitions(right)}
    return frozenset(found)


def grid_box(instance: PartitionProblem) -> Box:
    return tuple((0, int(width) - 1) for width in np.diff(instance.table.grid.slabs))


def cells_of(instance: PartitionProblem) -> NDArray[np.int64]:
    """The slab of every row in every attribute."""
    grid = instance.table.grid
    return (grid.cells - grid.slabs[:-1])[instance.table.of_row]


def row_partitions(instance: PartitionProblem) -> Iterator[NDArray[np.int32]]:
    """Every distinct way in which the partitions divide the rows, as a class per row."""
    cells = cells_of(instance)
    seen = set()
    for partition in all_partitions(grid_box(instance)):
        classes = np.empty(len(cells), np.int32)
        for block, box in enumerate(sorted(partition)):
            lo, hi = np.array(box).T
            classes[((cells >= lo) & (cells <= hi)).all(axis=1)] = block
        classes = np.unique(classes, return_inverse=True)[1].astype(np.int32)
        if classes.tobytes() not in seen:
            seen.add(classes.tobytes())
            yield classes


def cost_of(instance: PartitionProblem, classes: NDArray[np.int32], name: str) -> float:
    """A cost by its definition, row by row."""
    microdata = instance.requirements.microdata
    found = EquivalenceClasses.of(microdata, Recoding(classes=classes))
    if name == "dm":
        return float(sum(size**2 for size in found.sizes))
    if name == "c_avg":
        return len(microdata) / len(found) / instance.smallest
    total = 0.0
    for row in range(len(microdata)):
        group = found.of_row[row]
        for at, domain in enumerate(microdata.domains):
            span = domain.span_costs(found.lo[group : group + 1, at], found.hi[group : group + 1, at])[0]
            total += microdata.weights[at] * span
    return total / len(microdata)


def optimum(instance: PartitionProblem, name: str) -> float:
    """The least cost of all partitions whose classes keep every model."""
    allowed = [
        classes
        for classes in row_partitions(instance)
        if not instance.requirements.broken_by(Recoding(classes=classes))
    ]
    return min(cost_of(instance, classes, name) for classes in allowed)
