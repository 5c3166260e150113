"""Which classes of a node are allowed, by any privacy model, from a frequency set that includes sensitive values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.lattice.kernels.rollup import MASK, SHIFT, WORD, Layout
from sfumato.table.kernels.rules import Rules, class_allowed

#: A class is allowed; violates a rule; violates a rule that all of its parts violate as well.
ALLOWED, BROKEN, BROKEN_FOR_GOOD = range(3)


class GroupEdges(NamedTuple):
    """The first and the last code of every group; ``at`` is where the groups of an attribute and level begin."""

    at: NDArray[np.int64]
    codes: NDArray[np.int64]


@kernel
def judge_classes(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    of_key: NDArray[np.int32],
    classes: int,
    levels: NDArray[np.int64],
    layout: Layout,
    edges: GroupEdges,
    rules: Rules,
    absorbing: NDArray[np.float64],
) -> NDArray[np.uint8]:
    """Check the classes of a node, given the class of every key.

    ``absorbing`` is the table of those rules that a class keeps satisfying when others are merged into it. A class that
    violates one of them is `BROKEN_FOR_GOOD`: every part of it violates that rule as well.
    """
    attributes = len(levels)
    begins = np.zeros(classes + 1, np.int64)
    for group in of_key:
        begins[group + 1] += 1
    for group in range(classes):
        begins[group + 1] += begins[group]
    order = np.empty(len(keys), np.int64)
    filled = begins[:-1].copy()
    for row in range(len(keys)):
        order[filled[of_key[row]]] = row
        filled[of_key[row]] += 1
    histogram = np.empty(max(1, rules.counts_at[-1]), np.int64)
    lo, hi = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    verdicts = np.empty(classes, np.uint8)
    lasting = Rules(absorbing, rules.counts_at, rules.reference, rules.trees, rules.reach)
    for group in range(classes):
        histogram[:] = 0
        size = 0
        for at in range(begins[group], begins[group + 1]):
            row = order[at]
            size += counts[row]
            for column in range(len(layout.fields) - attributes):
                histogram[rules.counts_at[column] + code_in(keys, row, layout, attributes + column)] += counts[row]
        row = order[begins[group]]
        for attribute in range(attributes):
            place = edges.at[attribute, levels[attribute]] + code_in(keys, row, layout, attribute)
            lo[attribute], hi[attribute] = edges.codes[place, 0], edges.codes[place, 1]
        if class_allowed(size, histogram, lo, hi, rules):
            verdicts[group] = ALLOWED
        elif class_allowed(size, histogram, lo, hi, lasting):
            verdicts[group] = BROKEN
        else:
            verdicts[group] = BROKEN_FOR_GOOD
    return verdicts


@inner
def code_in(keys: NDArray[np.uint64], row: int, layout: Layout, field: int) -> int:
    """Extract the code in one field of a key."""
    word, shift = layout.fields[field, WORD], np.uint64(layout.fields[field, SHIFT])
    return np.int64((keys[row, word] >> shift) & np.uint64(layout.fields[field, MASK]))
