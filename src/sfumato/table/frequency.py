"""Frequency sets: the distinct rows of codes and how often they occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.table.microdata import Microdata

#: Packed keys stay below this, so that they fit a signed 64-bit word with room to spare.
KEY_LIMIT = 1 << 62

#: All pairs of group and code are counted in one table as long as they are at most so many times the rows.
DENSE = 4


@dataclass(frozen=True)
class FrequencySet:
    """The distinct rows of codes in ascending order, their counts, and where every row of the table went."""

    codes: NDArray[np.integer]
    counts: NDArray[np.int64]
    of_row: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.counts)


def frequency_set(microdata: Microdata) -> FrequencySet:
    """Return the frequency set of a table's quasi-identifiers."""
    return group_rows(microdata.codes, [domain.size for domain in microdata.domains])


def group_rows(codes: NDArray[np.integer], sizes: Sequence[int]) -> FrequencySet:
    """Group equal rows of codes, given how many codes each column can have."""
    if not len(codes):
        return FrequencySet(codes, np.empty(0, np.int64), np.empty(0, np.int32))
    keys = np.zeros(len(codes), np.int64)
    reach = 1
    for column, size in zip(codes.T, sizes, strict=True):
        if reach * size > KEY_LIMIT:
            # The key is full: number the groups found so far and go on from there.
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
    """Return keys below ``reach`` in ascending order, and the row of each; equal ones in the order of their rows."""
    bits = len(keys).bit_length()
    if reach << bits > KEY_LIMIT:
        rows = np.argsort(keys, kind="stable")
        return keys[rows], rows
    # A key and its row in one word: words alone are sorted several times faster than the places of words.
    words = keys << bits
    words |= np.arange(len(keys))
    words.sort()
    return words >> bits, words & ((1 << bits) - 1)


def most_frequent(groups: NDArray[np.integer], codes: NDArray[np.integer], count: int, size: int) -> NDArray[np.int64]:
    """Return how many rows of every group have its most frequent code, given how many groups and codes there can be."""
    keys = groups.astype(np.int64)
    keys *= size
    keys += codes
    if count * size <= DENSE * len(keys):
        return np.bincount(keys, minlength=count * size).reshape(-1, size).max(axis=1, initial=0)
    # Groups and codes can both be as many as rows: then only the pairs that occur are counted.
    pairs, counts = np.unique(keys, return_counts=True)
    most = np.zeros(count, np.int64)
    np.maximum.at(most, pairs // size, counts)
    return most
