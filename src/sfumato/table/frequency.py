"""Frequency sets: the distinct rows of codes and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.table.microdata import Microdata

#: Packed keys stay below this, well within a signed 64-bit number.
KEY_LIMIT = 1 << 62

#: Pairs of group and code are counted in a dense table as long as it has at most this many entries per row.
DENSE = 4


@dataclass(frozen=True)
class FrequencySet:
    """The distinct rows of codes in ascending order, their counts, and the distinct row of every row of the table."""

    codes: NDArray[np.integer]
    counts: NDArray[np.int64]
    of_row: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.counts)


def frequency_set(microdata: Microdata) -> FrequencySet:
    """The frequency set of a table's quasi-identifiers."""
    return group_rows(microdata.codes, [domain.size for domain in microdata.domains])


def group_rows(codes: NDArray[np.integer], sizes: Sequence[int]) -> FrequencySet:
    """Group equal rows of codes, given the number of codes of each column."""
    if not len(codes):
        return FrequencySet(codes, np.empty(0, np.int64), np.empty(0, np.int32))
    keys = np.zeros(len(codes), np.int64)
    reach = 1
    for column, size in zip(codes.T, sizes, strict=True):
        if reach * size > KEY_LIMIT:
            # The key is full: number the groups found so far, and continue with these numbers.
            distinct, keys = np.unique(keys, return_inverse=True)
            reach = len(distinct)
        keys *= size
        keys += column
        reach *= size
    ordered, rows = in_order(keys, reach)
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    counts = np.diff(begins, append=len(ordered))
    of_row = np.empty(len(codes), np.int32)
    of_row[rows] = np.repeat(np.arange(len(begins), dtype=np.int32), counts)
    return FrequencySet(np.take(codes, rows[begins], axis=0), counts, of_row)


def in_order(keys: NDArray[np.int64], reach: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort keys below ``reach``; return them and their rows, equal keys in the order of their rows."""
    bits = len(keys).bit_length()
    if reach << bits > KEY_LIMIT:
        rows = np.argsort(keys, kind="stable")
        return keys[rows], rows
    # Key and row in one number: sorting numbers is several times faster than argsort.
    words = keys << bits
    words |= np.arange(len(keys))
    words.sort()
    return words >> bits, words & ((1 << bits) - 1)


def most_frequent(groups: NDArray[np.integer], codes: NDArray[np.integer], count: int, size: int) -> NDArray[np.int64]:
    """The count of the most frequent code of every group, given the numbers of groups and codes."""
    keys = groups.astype(np.int64)
    keys *= size
    keys += codes
    if count * size <= DENSE * len(keys):
        return np.bincount(keys, minlength=count * size).reshape(-1, size).max(axis=1, initial=0)
    # There can be as many groups and codes as rows: then only the pairs that occur are counted.
    pairs, counts = np.unique(keys, return_counts=True)
    most = np.zeros(count, np.int64)
    np.maximum.at(most, pairs // size, counts)
    return most
