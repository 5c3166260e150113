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
def bounds_within(
    codes: NDArray[np.unsignedinteger],
    of_row: NDArray[np.int32],
    start: int,
    stop: int,
    first: int,
    sizes: NDArray[np.int64],
    lo: NDArray[np.unsignedinteger],
    hi: NDArray[np.unsignedinteger],
) -> None:
    """Do the same for a stretch of rows and the classes from ``first`` on, as many as there are ``sizes``."""
    for row in range(start, stop):
        group = of_row[row] - first
        if group < 0 or group >= len(sizes):
            continue
        if sizes[group] == 0:
            for attribute in range(codes.shape[1]):
                lo[group, attribute] = hi[group, attribute] = codes[row, attribute]
        else:
            for attribute in range(codes.shape[1]):
                code = codes[row, attribute]
                lo[group, attribute] = min(lo[group, attribute], code)
                hi[group, attribute] = max(hi[group, attribute], code)
        sizes[group] += 1


@kernel
def count_fitting(
    codes: NDArray[np.integer],
    counts: NDArray[np.int64],
    order: NDArray[np.int64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    first: int,
    stop: int,
    found: NDArray[np.int64],
) -> None:
    """Count the rows that lie in each box from ``first`` to before ``stop``, up to the second.

    Parameters
    ----------
    codes, counts
        The rows, and how often each occurs; no counts are counts of 1.
    order, begins, ends
        Row numbers, and which of them to compare with each box.
    lo, hi
        The boxes.
    found
        The output.
    """
    for box in range(first, stop):
        for place in range(begins[box], ends[box]):
            row, attribute = order[place], 0
            while attribute < codes.shape[1] and lo[box, attribute] <= codes[row, attribute] <= hi[box, attribute]:
                attribute += 1
            if attribute == codes.shape[1]:
                found[box] += counts[row] if len(counts) else 1
                if found[box] > 1:
                    break


@kernel
def highest_within(
    groups: NDArray[np.int32], codes: NDArray[np.int32], size: int, first: int, highest: NDArray[np.int64]
) -> None:
    """How often the most frequent code occurs in each group from ``first`` on, as many as ``highest`` has places."""
    counts = np.zeros((len(highest), size), np.int32)
    for row in range(len(groups)):
        group = groups[row] - first
        if 0 <= group < len(highest):
            counts[group, codes[row]] += 1
    for group in range(len(highest)):
        for code in range(size):
            highest[group] = max(highest[group], counts[group, code])


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
