"""The loops of a stable sort on threads: rows go into buckets by their keys, and each bucket is sorted alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel

#: The bits of a digit, by which a bucket is sorted pass by pass, and the number of digits.
DIGIT = 8
DIGITS = 1 << DIGIT


@kernel
def find_buckets(
    keys: NDArray[np.uint64],
    dividers: NDArray[np.uint64],
    start: int,
    stop: int,
    buckets: NDArray[np.uint16],
    counts: NDArray[np.int64],
) -> None:
    """Find the bucket of each row of a stretch, and count the rows in every bucket.

    Parameters
    ----------
    keys
        One column per row, one row per word, the most significant first; the first two divide.
    dividers
        The same two words of the keys that divide, in ascending order. Keys that equal divider ``i`` have the bucket
        ``2 * i + 1``, those between it and the one before have ``2 * i``.
    start, stop
        The stretch of rows.
    buckets, counts
        The output.
    """
    second = min(1, keys.shape[0] - 1)
    many = dividers.shape[1]
    reach = 1
    while reach <= many:
        reach *= 2
    for row in range(start, stop):
        high, low = keys[0, row], keys[second, row]
        before = 0
        step = reach // 2
        while step > 0:  # without a branch that depends on the keys: nothing is predicted wrongly
            at = min(before + step, many) - 1
            above, below = dividers[0, at], dividers[1, at]
            is_less = (above < high) | ((above == high) & (below < low))
            before += step * (is_less & (before + step <= many))
            step //= 2
        equal = before < many and dividers[0, before] == high and dividers[1, before] == low
        bucket = 2 * before + equal
        buckets[row] = bucket
        counts[bucket] += 1


@kernel
def count_each(codes: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    """Add to the counts how often each code occurs."""
    for code in codes:
        counts[code] += 1


@kernel
def fill_buckets(
    buckets: NDArray[np.uint16], start: int, stop: int, free: NDArray[np.int64], order: NDArray[np.int64]
) -> None:
    """Write the rows of a stretch to the free places of their buckets, in their order; ``free`` moves on."""
    for row in range(start, stop):
        bucket = buckets[row]
        order[free[bucket]] = row
        free[bucket] += 1


@kernel
def sort_bucket(keys: NDArray[np.uint64], start: int, stop: int, order: NDArray[np.int64]) -> None:
    """Sort the rows ``order[start:stop]`` by their keys; rows with equal keys stay in their order.

    Digit by digit, the least significant first; digits that all rows share are skipped.
    """
    size = stop - start
    word, moved_word = np.empty(size, np.uint64), np.empty(size, np.uint64)
    rows, moved_rows = order[start:stop].copy(), np.empty(size, np.int64)
    places = np.empty(DIGITS, np.int64)
    for at in range(keys.shape[0] - 1, -1, -1):
        differing = np.uint64(0)
        for place in range(size):
            word[place] = keys[at, rows[place]]
            differing |= word[place] ^ word[0]
        for shift in range(0, 64, DIGIT):
            if (differing >> np.uint64(shift)) & np.uint64(DIGITS - 1) == 0:
                continue
            places[:] = 0
            for place in range(size):
                places[(word[place] >> np.uint64(shift)) & np.uint64(DIGITS - 1)] += 1
            total = 0
            for digit in range(DIGITS):
                count = places[digit]
                places[digit] = total
                total += count
            for place in range(size):
                digit = (word[place] >> np.uint64(shift)) & np.uint64(DIGITS - 1)
                to = places[digit]
                places[digit] = to + 1
                moved_word[to], moved_rows[to] = word[place], rows[place]
            word, moved_word = moved_word, word
            rows, moved_rows = moved_rows, rows
    order[start:stop] = rows


@kernel
def mark_begins(
    keys: NDArray[np.uint64], order: NDArray[np.int64], start: int, stop: int, begins: NDArray[np.bool_]
) -> int:
    """Mark the places of a stretch of sorted rows at which another key begins, and count them."""
    found = 0
    for place in range(start, stop):
        begins[place] = place == 0
        for word in range(keys.shape[0]):
            if place > 0 and keys[word, order[place]] != keys[word, order[place - 1]]:
                begins[place] = True
        found += begins[place]
    return found


@kernel
def number_rows(
    begins: NDArray[np.bool_],
    order: NDArray[np.int64],
    start: int,
    stop: int,
    before: int,
    of_row: NDArray[np.int32],
    places: NDArray[np.int64],
) -> None:
    """Write the group of every row of a stretch, after ``before`` groups, and the places where groups begin."""
    for place in range(start, stop):
        if begins[place]:
            places[before] = place
            before += 1
        of_row[order[place]] = before - 1
