"""Frequency sets: the distinct rows of codes and how often they occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.microdata.table import Microdata

#: Packed keys stay below this, so that they fit a signed 64-bit word with room to spare.
KEY_LIMIT = 1 << 62


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
        keys = keys * size + column
        reach *= size
    _, first, of_row, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return FrequencySet(codes[first], counts, of_row.astype(np.int32))
