"""One pass over the rows: the sizes of classes, what they span, and whether they are allowed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel
from sfumato.table.kernels.rules import Rules, class_allowed


@kernel
def class_bounds(
    codes: NDArray[np.unsignedinteger], of_row: NDArray[np.int32], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The size of every class and its smallest and largest code of every attribute."""
    rows, attributes = codes.shape
    sizes = np.zeros(classes, np.int64)
    # Bounds in the type of codes: those of many classes then stay in the cache while rows jump from class to class.
    lo = np.zeros((classes, attributes), codes.dtype)
    hi = np.zeros((classes, attributes), codes.dtype)
    for row in range(rows):
        group = of_row[row]
        if group < 0:
            continue
        if sizes[group] == 0:
            for attribute in range(attributes):
                lo[group, attribute] = hi[group, attribute] = codes[row, attribute]
        else:
            for attribute in range(attributes):
                code = codes[row, attribute]
                lo[group, attribute] = min(lo[group, attribute], code)
                hi[group, attribute] = max(hi[group, attribute], code)
        sizes[group] += 1
    return sizes, lo.astype(np.int64), hi.astype(np.int64)


@kernel
def groups_allowed(
    codes: NDArray[np.unsignedinteger],
    sensitive: NDArray[np.int32],
    rows: NDArray[np.int64],
    offsets: NDArray[np.int64],
    rules: Rules,
) -> NDArray[np.bool_]:
    """Whether every group, the rows ``rows[offsets[g]:offsets[g + 1]]``, keeps every rule."""
    attributes = codes.shape[1]
    lo, hi = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    histogram = np.empty(max(1, rules.counts_at[-1]), np.int64)
    allowed = np.empty(len(offsets) - 1, np.bool_)
    for group in range(len(allowed)):
        members = rows[offsets[group] : offsets[group + 1]]
        histogram[:] = 0
        for attribute in range(attributes):
            lo[attribute] = hi[attribute] = codes[members[0], attribute]
        for row in members:
            for attribute in range(attributes):
                code = np.int64(codes[row, attribute])
                lo[attribute], hi[attribute] = min(lo[attribute], code), max(hi[attribute], code)
            for column in range(sensitive.shape[1]):
                histogram[rules.counts_at[column] + sensitive[row, column]] += 1
        allowed[group] = class_allowed(len(members), histogram, lo, hi, rules)
    return allowed
