"""What is known about boxes, found by the random words of their rows: a hash table with a fixed number of places.

Two boxes with the same rows have the same words and share one entry. Different rows have the same two 64-bit words
with a probability that is beyond any concern (a search of 10 million boxes: 10^-25).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: What ``Memo.cuts`` says when a box is not cut: it is a class, or its rows are left out.
WHOLE, LEFT_OUT = -1, -2

#: Bytes per entry, two slots included.
ENTRY_BYTES = 16 + 16 + 8 + 8


class Memo(NamedTuple):
    """Entries in the order in which they came, and slots that lead to them.

    Attributes
    ----------
    slots
        Numbers of entries, counted from 1; 0 is a free slot. Twice as many as entries or more, a power of two.
    words
        The random words of every entry's rows.
    bounds
        What its rows cost at least, and the cost of the best partition known.
    cuts
        The first cut of that partition, and how many cuts have been tried.
    used
        How many entries there are.
    """

    slots: NDArray[np.int32]
    words: NDArray[np.uint64]
    bounds: NDArray[np.float64]
    cuts: NDArray[np.int32]
    used: NDArray[np.int64]


def empty_memo(entries: int) -> Memo:
    """Return a memo with room for so many entries; memory is taken only as it fills."""
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
    """Return the entry with these words, or -1."""
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
