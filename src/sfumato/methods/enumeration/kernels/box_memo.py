"""A memo of boxes, keyed by the random words of their rows: a hash table of fixed capacity.

Two boxes with the same rows have the same words and share one entry. The probability that different rows have the same
two 64-bit words is negligible (10^-25 for a search of 10 million boxes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: The values of ``Memo.cuts`` for a box without a cut: it is a class, or its rows are left out.
WHOLE, LEFT_OUT = -1, -2

#: Bytes per entry, two slots included.
ENTRY_BYTES = 16 + 16 + 8 + 8


class Memo(NamedTuple):
    """The entries in the order of their creation, and the hash table of slots that refer to them.

    Attributes
    ----------
    slots
        Numbers of entries, counted from 1; 0 is a free slot. A power of two, at least twice the number of entries.
    words
        The random words of every entry's rows.
    bounds
        A lower bound of the cost of its rows, and the cost of the best known partition.
    cuts
        The first cut of that partition, and how many cuts have been tried.
    used
        The number of entries.
    """

    slots: NDArray[np.int32]
    words: NDArray[np.uint64]
    bounds: NDArray[np.float64]
    cuts: NDArray[np.int32]
    used: NDArray[np.int64]


def empty_memo(entries: int) -> Memo:
    """Create a memo for this many entries; the system commits memory only as it fills."""
    slots = 1 << (2 * entries - 1).bit_length()
    return Memo(
        np.zeros(slots, np.int32),
        np.empty((entries, 2), np.uint64),
        np.empty((entries, 2)),
        np.empty((entries, 2), np.int32),
        np.zeros(1, np.int64),
    )


@inner
def find_entry(memo: Memo, first: np.uint64, second: np.uint64) -> int:
    """Find the entry with these words; -1 if there is none."""
    mask = np.uint64(len(memo.slots) - 1)
    slot = first & mask
    while memo.slots[slot] > 0:
        entry = memo.slots[slot] - 1
        if memo.words[entry, 0] == first and memo.words[entry, 1] == second:
            return entry
        slot = (slot + np.uint64(1)) & mask
    return -1


@inner
def add_entry(memo: Memo, first: np.uint64, second: np.uint64, lower: float, upper: float, cut: int) -> int:
    """Add an entry and return its number, or -1 if the memo is full."""
    entry = memo.used[0]
    if entry == len(memo.words):
        return -1
    mask = np.uint64(len(memo.slots) - 1)
    slot = first & mask
    while memo.slots[slot] > 0:
        slot = (slot + np.uint64(1)) & mask
    memo.slots[slot] = entry + 1
    memo.words[entry, 0], memo.words[entry, 1] = first, second
    memo.bounds[entry, 0], memo.bounds[entry, 1] = lower, upper
    memo.cuts[entry, 0], memo.cuts[entry, 1] = cut, 0
    memo.used[0] = entry + 1
    return entry
