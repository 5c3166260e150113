"""Frequency sets: the distinct rows of codes and their counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.common.rows import FEW_CODES, LONG, equal_rows, gather, sort_codes, sort_rows, stretches
from sfumato.common.threads import in_chunks, side_by_side
from sfumato.table.kernels.classes import highest_within
from sfumato.table.microdata import Microdata

#: Packed keys stay below this, well within a signed 64-bit number.
KEY_LIMIT = 1 << 62

#: Pairs of group and code are counted in a dense table as long as it has at most this many entries per row.
DENSE = 4

#: The number of ranges of groups that threads share.
RANGES = 16


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
    keys = _keys(codes, sizes)
    if len(codes) >= LONG:
        found = equal_rows(keys.view(np.uint64))
        return FrequencySet(gather(codes, found.first_rows), found.counts, found.of_row)
    rows = in_order(keys[0], math.prod(sizes))[1] if len(keys) == 1 else sort_rows(keys.view(np.uint64))
    ordered = keys[:, rows]
    begins = np.flatnonzero(np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))
    counts = np.diff(begins, append=len(rows))
    of_row = np.empty(len(codes), np.int32)
    of_row[rows] = np.repeat(np.arange(len(begins), dtype=np.int32), counts)
    return FrequencySet(np.take(codes, rows[begins], axis=0), counts, of_row)


def _keys(codes: NDArray[np.integer], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Combine the codes of every row into one number, or into several, the most significant first."""
    words: list[list[int]] = [[]]
    reach = 1
    for at, size in enumerate(sizes):
        if reach * size > KEY_LIMIT and words[-1]:
            words.append([])
            reach = 1
        words[-1].append(at)
        reach *= size
    keys = np.zeros((len(words), len(codes)), np.int64)

    def combine(start: int, stop: int) -> None:
        for key, columns in zip(keys, words, strict=True):
            for at in columns:
                key[start:stop] *= sizes[at]
                key[start:stop] += codes[start:stop, at]

    in_chunks(len(codes), combine)
    return keys


def in_order(keys: NDArray[np.int64], reach: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort keys below ``reach``; return them and their rows, equal keys in the order of their rows."""
    bits = len(keys).bit_length()
    if len(keys) >= LONG or reach << bits > KEY_LIMIT:
        few = len(keys) >= LONG and reach <= FEW_CODES
        rows = sort_codes(keys, reach)[0] if few else sort_rows(keys.view(np.uint64)[np.newaxis])
        return gather(keys, rows), rows
    # Key and row in one number: sorting numbers is several times faster than argsort.
    words = keys << bits
    words |= np.arange(len(keys))
    words.sort()
    return words >> bits, words & ((1 << bits) - 1)


def most_frequent(groups: NDArray[np.integer], codes: NDArray[np.integer], count: int, size: int) -> NDArray[np.int64]:
    """The count of the most frequent code of every group, given the numbers of groups and codes.

    Rows whose group is negative do not count.
    """
    if len(groups) >= LONG and count * size <= DENSE * len(groups):
        most = np.zeros(count, np.int64)
        of_row, code_of = groups.astype(np.int32, copy=False), codes.astype(np.int32, copy=False)
        # Each thread counts for some groups; that all of them read the groups of all rows is little work.
        side_by_side(
            lambda part: highest_within(of_row, code_of, size, part[0], most[part[0] : part[1]]),
            stretches(count, max(1, -(-count // RANGES))),
        )
        return most
    kept = groups >= 0
    keys = (groups if kept.all() else groups[kept]).astype(np.int64)
    keys *= size
    keys += codes if kept.all() else codes[kept]
    if count * size <= DENSE * len(keys):
        return np.bincount(keys, minlength=count * size).reshape(-1, size).max(axis=1, initial=0)
    # There can be as many groups and codes as rows: then only the pairs that occur are counted.
    pairs = equal_rows(keys.view(np.uint64)[np.newaxis]) if len(keys) >= LONG else None
    different, counts = np.unique(keys, return_counts=True) if pairs is None else (keys[pairs.first_rows], pairs.counts)
    most = np.zeros(count, np.int64)
    np.maximum.at(most, different // size, counts)
    return most
