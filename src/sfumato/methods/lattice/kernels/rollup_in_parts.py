"""Counting equal keys where there are too many different ones for a hash table that stays in the cache.

Keys are first dealt out into parts by some bits of their hash, so that equal keys meet in one part; then each part is
counted with a table small enough to stay near.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: Spreads keys over a hash table: the golden ratio as a 64-bit fraction.
SPREAD = np.uint64(0x9E3779B97F4A7C15)

#: Fewer keys than this are counted directly.
MANY = 1 << 17
#: How many keys a part has, about.
PART = 1 << 13
#: So many keys are looked at to tell whether most of them differ.
SAMPLE = 1 << 12


@inner
def mostly_different(
    keys: NDArray[np.uint64], keep: np.uint64, steps: NDArray[np.int64], maps: NDArray[np.int32]
) -> bool:
    """Return whether more than half of a sample of generalized keys are different ones."""
    table = np.zeros(4 * SAMPLE, np.uint64)
    stride = len(keys) // SAMPLE
    found = 0
    for at in range(SAMPLE):
        # Zero marks an empty slot; no key becomes zero by this.
        key = generalized(keys[at * stride], keep, steps, maps) + np.uint64(1)
        slot = np.int64((key * SPREAD) >> np.uint64(50))
        while table[slot] != np.uint64(0) and table[slot] != key:
            slot = (slot + 1) & (4 * SAMPLE - 1)
        found += table[slot] == np.uint64(0)
        table[slot] = key
    return 2 * found > SAMPLE


@inner
def generalized(old: np.uint64, keep: np.uint64, steps: NDArray[np.int64], maps: NDArray[np.int32]) -> np.uint64:
    """Return a key of one word with the fields replaced that are looked up."""
    key = old & keep
    for step in range(len(steps)):
        shift = np.uint64(steps[step, 1])
        group = (old >> shift) & np.uint64(steps[step, 2])
        key |= np.uint64(maps[steps[step, 3] + np.int64(group)]) << shift
    return key


@inner
def aggregate_parts(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    keep: np.uint64,
    steps: NDArray[np.int64],
    maps: NDArray[np.int32],
    new_keys: NDArray[np.uint64],
    new_counts: NDArray[np.int64],
) -> int:
    """Generalize keys of one word and add up the counts of equal ones, part by part; return how many remain."""
    bits = np.uint64(0)
    while len(keys) >> np.int64(bits) > PART:
        bits += np.uint64(1)
    places = np.zeros((1 << np.int64(bits)) + 1, np.int64)
    down = np.uint64(64) - bits
    for row in range(len(keys)):
        places[np.int64((generalized(keys[row], keep, steps, maps) * SPREAD) >> down) + 1] += 1
    longest = 0
    for part in range(1, len(places)):
        longest = max(longest, places[part])
        places[part] += places[part - 1]
    dealt = np.empty(len(keys), np.uint64)
    sizes = np.empty(len(keys), np.int64)
    for row in range(len(keys)):
        key = generalized(keys[row], keep, steps, maps)
        part = np.int64((key * SPREAD) >> down)
        dealt[places[part]] = key
        sizes[places[part]] = counts[row]
        places[part] += 1
    size = 16
    while size < 2 * longest:
        size *= 2
    slots = np.empty(size, np.int32)
    unused = np.uint64(64)
    while size > 1:
        size //= 2
        unused -= np.uint64(1)
    groups, begin = 0, 0
    for part in range(len(places) - 1):
        groups = count_part(dealt, sizes, begin, places[part], bits, unused, slots, new_keys, new_counts, groups)
        begin = places[part]
    return groups


@inner
def count_part(
    keys: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    begin: int,
    end: int,
    bits: np.uint64,
    unused: np.uint64,
    slots: NDArray[np.int32],
    new_keys: NDArray[np.uint64],
    new_counts: NDArray[np.int64],
    groups: int,
) -> int:
    """Add the groups of one part behind those that are there; return how many there are now."""
    for slot in range(len(slots)):
        slots[slot] = -1
    for row in range(begin, end):
        key = keys[row]
        # The highest bits are the same for all of the part.
        slot = np.int64(((key * SPREAD) << bits) >> unused)
        while slots[slot] >= 0 and new_keys[slots[slot]] != key:
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] < 0:
            slots[slot] = groups
            new_keys[groups] = key
            new_counts[groups] = sizes[row]
            groups += 1
        else:
            new_counts[slots[slot]] += sizes[row]
    return groups
