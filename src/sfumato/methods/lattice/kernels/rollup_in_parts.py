"""Count equal keys when there are too many distinct ones for a hash table that fits into the cache.

Keys are first partitioned by some bits of their hash, so that equal keys fall into the same part; then each part is
counted with a hash table small enough for the cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

#: The multiplier of the hash function: the golden ratio as a 64-bit fraction.
SPREAD = np.uint64(0x9E3779B97F4A7C15)

#: Fewer keys than this are counted directly.
MANY = 1 << 17
#: The approximate number of keys in a part.
PART = 1 << 13
#: The number of keys sampled to decide whether most of them differ.
SAMPLE = 1 << 12


@inner
def mostly_different(
    keys: NDArray[np.uint64], keep: np.uint64, steps: NDArray[np.int64], maps: NDArray[np.int32]
) -> bool:
    """Whether more than half of a sample of generalized keys are distinct."""
    table = np.zeros(4 * SAMPLE, np.uint64)
    stride = len(keys) // SAMPLE
    found = 0
    for at in range(SAMPLE):
        # Zero marks an empty slot, so keys are shifted by one.
        key = generalized(keys[at * stride], keep, steps, maps) + np.uint64(1)
        slot = np.int64((key * SPREAD) >> np.uint64(50))
        while table[slot] != np.uint64(0) and table[slot] != key:
            slot = (slot + 1) & (4 * SAMPLE - 1)
        found += table[slot] == np.uint64(0)
        table[slot] = key
    return 2 * found > SAMPLE


@inner
def generalized(old: np.uint64, keep: np.uint64, steps: NDArray[np.int64], maps: NDArray[np.int32]) -> np.uint64:
    """Generalize a key of one word by mapping its fields."""
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
    """Generalize keys of one word and sum the counts of equal ones, part by part; return the number of groups."""
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
    """Append the groups of one part to those found so far; return the new number of groups."""
    for slot in range(len(slots)):
        slots[slot] = -1
    for row in range(begin, end):
        key = keys[row]
        # The highest bits of the hash are the same for the whole part.
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
