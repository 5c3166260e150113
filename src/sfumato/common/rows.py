"""What many steps do to all rows of a table, on all cores: gather, count and sort them.

Tables are divided by their number of rows alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common.kernels.sorting import count_each, fill_buckets, find_buckets, mark_begins, number_rows, sort_bucket
from sfumato.common.progress import Tell, silent
from sfumato.common.threads import in_chunks, in_order, side_by_side

#: Shorter tables are sorted by one thread, without compiled code.
LONG = 1 << 16

#: The rows that a thread takes at a time where each stretch has a price of its own, such as a table of counts.
STRETCH = 1 << 17

#: Into how many jobs small pieces of work are combined: a job has a price of its own.
MOST_JOBS = 64

#: Up to how many different codes rows are sorted by counting.
FEW_CODES = 1 << 13

#: The bits of a word, and how many words of a key divide the rows into buckets.
WORD, DIVIDING = 64, 2

#: How many rows a bucket of the sort holds on average, and the most keys that may divide buckets.
BUCKET, MOST_DIVIDERS = 1 << 14, 1023

#: How many rows are sampled for every key that divides buckets.
SAMPLED = 16

Scalar = TypeVar("Scalar", bound=np.generic)


def stretches(rows: int, length: int = STRETCH) -> list[tuple[int, int]]:
    """Divide rows into stretches of one length, the last of which may be shorter: where each begins and ends."""
    return list(pairwise([*range(0, rows, length), rows])) if rows else []


def shares(many: int) -> list[tuple[int, int]]:
    """Divide small pieces of work among as many jobs as keep all threads busy: where each begins and ends."""
    return stretches(many, max(1, -(-many // MOST_JOBS)))


def gather(values: NDArray[Scalar], places: NDArray[np.integer]) -> NDArray[Scalar]:
    """Copy the rows at some places, as ``values[places]`` does; places are not negative."""
    found = np.empty((len(places), *values.shape[1:]), values.dtype)
    in_chunks(len(places), lambda start, stop: values.take(places[start:stop], 0, found[start:stop], "clip"))
    return found


def count_codes(codes: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Count how often each code below ``size`` occurs."""
    if len(codes) < LONG:
        return np.bincount(codes, minlength=size)
    # A table of counts per stretch must not take more time or memory than the rows do.
    parts = stretches(len(codes), max(STRETCH, 4 * size, -(-len(codes) // MOST_JOBS)))
    counts = np.zeros(size, np.int64)
    for part in in_order(lambda ends: counted(codes[slice(*ends)], size), parts):
        counts += part
    return counts


def counted(codes: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Count on one thread; unlike `numpy.bincount`, without keeping others from working."""
    counts = np.zeros(size, np.int64)
    count_each(np.ascontiguousarray(codes, np.int32), counts)
    return counts


class EqualRows(NamedTuple):
    """Groups of rows with equal keys, in the order of the keys.

    Attributes
    ----------
    of_row
        The group of every row.
    first_rows
        The first row of every group.
    counts
        The number of rows of every group.
    """

    of_row: NDArray[np.int32]
    first_rows: NDArray[np.int64]
    counts: NDArray[np.int64]


def equal_rows(keys: NDArray[np.uint64]) -> EqualRows:
    """Group rows with equal keys, of one or several words as in `sort_rows`."""
    order = sort_rows(keys)
    parts = stretches(len(order))
    begins = np.empty(len(order), np.bool_)
    counts = side_by_side(lambda part: mark_begins(keys, order, *part, begins), parts)
    numbers = np.cumsum([0, *counts])
    of_row = np.empty(len(order), np.int32)
    places = np.empty(numbers[-1], np.int64)
    side_by_side(lambda at: number_rows(begins, order, *parts[at], int(numbers[at]), of_row, places), range(len(parts)))
    return EqualRows(of_row, order[places], np.diff(places, append=len(order)))


def sort_rows(
    keys: NDArray[np.uint64], ties: Sequence[NDArray[np.integer]] = (), tell: Tell = silent
) -> NDArray[np.int64]:
    """Sort rows by keys of several words, and rows with equal keys by codes, and then by their places.

    Parameters
    ----------
    keys
        One column per row, one row per 64-bit word, the most significant first.
    ties
        Codes that are not negative and decide between rows with equal keys, the most significant last.
    tell
        Called with the share of rows that are sorted.
    """
    rows = keys.shape[1]
    if rows < LONG:
        return np.lexsort([*ties, *keys[::-1]])
    lesser = _packed(ties, rows)
    order, ends = _divided(keys)

    def sort(buckets: tuple[int, int]) -> int:
        for number in range(*buckets):
            start, stop = (0 if number == 0 else int(ends[number - 1])), int(ends[number])
            if len(lesser):
                sort_bucket(lesser, start, stop, order)
            if number % 2 == 0 or len(keys) > DIVIDING:  # in other buckets all keys are equal
                sort_bucket(keys, start, stop, order)
        return int(ends[buckets[1] - 1])

    for stop in in_order(sort, shares(len(ends))):
        tell(stop / rows)
    return order


def _divided(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide rows into buckets along the order of their keys: the rows by bucket, and where each bucket ends."""
    rows = keys.shape[1]
    dividers = _dividers(keys)
    parts = stretches(rows)
    buckets = np.empty(rows, np.uint16)
    counts = np.zeros((len(parts), 2 * dividers.shape[1] + 1), np.int64)
    side_by_side(lambda at: find_buckets(keys, dividers, *parts[at], buckets, counts[at]), range(len(parts)))
    return by_bucket(buckets, counts)


def sort_codes(codes: NDArray[np.integer], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort rows by codes below ``size``, of which there are few, and then by their places: by counting them.

    Returns the rows, and where those of each code end.
    """
    buckets, parts = codes.astype(np.uint16, copy=False), stretches(len(codes))
    return by_bucket(buckets, np.stack(side_by_side(lambda part: counted(buckets[slice(*part)], size), parts)))


def by_bucket(buckets: NDArray[np.uint16], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order rows by bucket, those of a bucket by their places; return the rows, and where each bucket ends.

    Parameters
    ----------
    buckets
        The bucket of every row.
    counts
        How many rows of every stretch (rows) have each bucket (columns).
    """
    parts = stretches(len(buckets))
    ends = np.cumsum(counts.T).reshape(counts.T.shape)
    free = np.ascontiguousarray((ends - counts.T).T)
    order = np.empty(len(buckets), np.int64)
    side_by_side(lambda at: fill_buckets(buckets, *parts[at], free[at], order), range(len(parts)))
    return order, ends[:, -1]


def _dividers(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Choose keys from a sample, the first two words of each, that divide the rows into buckets of about one size.

    A key of many rows is always chosen, so that its rows are a bucket of their own.
    """
    rows = keys.shape[1]
    wanted = min(MOST_DIVIDERS, max(1, rows // BUCKET))
    step = max(1, rows // (wanted * SAMPLED))
    sample = keys[:, ::step][[0, min(1, len(keys) - 1)]]
    chosen = sample[:, np.lexsort(sample[::-1])][:, ::SAMPLED]
    differs = (chosen[:, 1:] != chosen[:, :-1]).any(axis=0)
    return np.ascontiguousarray(chosen[:, np.append(True, differs)][:, :MOST_DIVIDERS])


def _packed(codes: Sequence[NDArray[np.integer]], rows: int) -> NDArray[np.uint64]:
    """Put columns of codes, the most significant last, into 64-bit words, the most significant first."""
    words: list[list[tuple[NDArray[np.integer], int]]] = []
    used = WORD
    for column in codes:
        bits = 8 * column.dtype.itemsize
        if used + bits > WORD:
            words.append([])
            used = 0
        words[-1].append((column, used))
        used += bits
    packed = np.zeros((len(words), rows), np.uint64)

    def pack(start: int, stop: int) -> None:
        for word, columns in zip(packed[::-1], words, strict=True):
            for column, shift in columns:
                word[start:stop] |= column[start:stop].astype(np.uint64) << np.uint64(shift)

    if words:
        in_chunks(rows, pack)
    return packed
