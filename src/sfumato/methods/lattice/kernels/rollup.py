"""Frequency sets as packed keys: from a table to its distinct rows, and from one node to a more general one.

A key holds one bit field per quasi-identifier, and one per sensitive column if models depend on these, in as many
64-bit words as necessary. Generalizing an attribute replaces one field; equal keys are then counted together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.lattice.kernels.rollup_in_parts import MANY, SPREAD, aggregate_parts, mostly_different

#: The columns of ``Layout.fields``.
WORD, SHIFT, MASK = range(3)

EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)


class Layout(NamedTuple):
    """The positions of the fields of a key, and the maps from the groups of one level to those of a higher one.

    Attributes
    ----------
    fields
        One row per quasi-identifier, then one per sensitive column: its word, its shift, its mask.
    sizes
        The number of groups of every quasi-identifier (rows) at every level (columns).
    maps_at
        Where the map of a quasi-identifier from one level to another begins in ``maps``.
    maps
        All maps, concatenated.
    """

    fields: NDArray[np.int64]
    sizes: NDArray[np.int64]
    maps_at: NDArray[np.int64]
    maps: NDArray[np.int32]


@kernel
def pack_column(keys: NDArray[np.uint64], codes: NDArray[np.unsignedinteger], word: int, shift: int) -> None:
    """Write the codes of one column into their field of every key."""
    for row in range(len(codes)):
        keys[row, word] |= np.uint64(codes[row]) << np.uint64(shift)


@kernel
def roll_up(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    layout: Layout,
    origin: NDArray[np.int64],
    target: NDArray[np.int64],
    k: int,
    in_order: bool,
) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Compute the frequency set at the node ``target`` from the one at ``origin``, a node at or below it.

    The third result is the number of rows in groups of fewer than ``k``. With ``in_order``, groups are in the order of
    their first keys.
    """
    keep = np.empty(keys.shape[1], np.uint64)
    steps = np.empty((len(origin), 4), np.int64)
    found = plan_steps(layout, origin, target, keep, steps)
    most = most_groups(layout, target, len(keys))
    # One row more than the most groups: a key is written there before it is known to be new.
    new_keys = np.empty((most + 1, keys.shape[1]), np.uint64)
    new_counts = np.empty(most + 1, np.int64)
    in_parts = keys.shape[1] == 1 and most >= MANY and not in_order
    if in_parts and mostly_different(keys[:, 0], keep[0], steps[:found], layout.maps):
        groups = aggregate_parts(keys[:, 0], counts, keep[0], steps[:found], layout.maps, new_keys[:, 0], new_counts)
    else:
        slots = np.full(table_size(most), -1, np.int32)
        groups = aggregate(keys, counts, keep, steps[:found], layout.maps, slots, new_keys, new_counts)
    small = 0
    for group in range(groups):
        if new_counts[group] < k:
            small += new_counts[group]
    return new_keys[:groups].copy(), new_counts[:groups].copy(), small


@kernel
def classes_of(
    keys: NDArray[np.uint64],
    layout: Layout,
    origin: NDArray[np.int64],
    target: NDArray[np.int64],
    visible: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Find the class of every key at the node ``target``, and the key of every class.

    Only the bits in ``visible`` distinguish classes: those of sensitive values do not.
    """
    keep = np.empty(keys.shape[1], np.uint64)
    steps = np.empty((len(origin), 4), np.int64)
    found = plan_steps(layout, origin, target, keep, steps)
    keep &= visible
    slots = np.full(table_size(len(keys)), -1, np.int32)
    class_keys = np.empty((len(keys) + 1, keys.shape[1]), np.uint64)
    of_key = np.empty(len(keys), np.int32)
    last, down = len(slots) - 1, unused_bits(len(slots))
    classes = 0
    for row in range(len(keys)):
        generalize(keys, row, keep, steps[:found], layout.maps, class_keys, classes)
        slot = spread(class_keys, classes, down)
        while slots[slot] >= 0 and differs(class_keys, slots[slot], classes):
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = classes
            classes += 1
        of_key[row] = slots[slot]
    return of_key, class_keys[:classes].copy()


@inner
def generalize(
    keys: NDArray[np.uint64],
    row: int,
    keep: NDArray[np.uint64],
    steps: NDArray[np.int64],
    maps: NDArray[np.int32],
    new_keys: NDArray[np.uint64],
    at: int,
) -> None:
    """Write the generalized key of a row into ``new_keys[at]``."""
    for word in range(keys.shape[1]):
        new_keys[at, word] = keys[row, word] & keep[word]
    for step in range(len(steps)):
        word, shift = steps[step, 0], np.uint64(steps[step, 1])
        group = (keys[row, word] >> shift) & np.uint64(steps[step, 2])
        new_keys[at, word] |= np.uint64(maps[steps[step, 3] + np.int64(group)]) << shift


@inner
def spread(keys: NDArray[np.uint64], at: int, down: np.uint64) -> int:
    """Hash a key to a slot: the highest bits of a product, which depend on all bits of the key."""
    mixed = np.uint64(0)
    for word in range(keys.shape[1]):
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ keys[at, word]) * SPREAD
    return np.int64(mixed >> down)


@inner
def unused_bits(size: int) -> np.uint64:
    """The number of bits of a 64-bit word that are not needed to number the slots of a hash table."""
    bits = np.uint64(64)
    while size > 1:
        size //= 2
        bits -= np.uint64(1)
    return bits


@inner
def most_groups(layout: Layout, levels: NDArray[np.int64], rows: int) -> int:
    """An upper bound of the number of groups at a node: the rows, or the combinations of values."""
    most = np.int64(1)
    for field in range(len(layout.fields)):
        most *= layout.sizes[field, levels[field]] if field < len(levels) else layout.fields[field, MASK] + 1
        if most >= rows:
            return rows
    return most


@inner
def plan_steps(
    layout: Layout,
    origin: NDArray[np.int64],
    target: NDArray[np.int64],
    keep: NDArray[np.uint64],
    steps: NDArray[np.int64],
) -> int:
    """Determine which bits are kept and which fields are mapped (word, shift, mask, map); return how many fields."""
    keep[:] = EVERYTHING
    found = 0
    for attribute in range(len(origin)):
        if origin[attribute] == target[attribute]:
            continue
        word, shift, mask = layout.fields[attribute]
        keep[word] &= ~(np.uint64(mask) << np.uint64(shift))
        if layout.sizes[attribute, target[attribute]] > 1:
            steps[found, 0], steps[found, 1], steps[found, 2] = word, shift, mask
            steps[found, 3] = layout.maps_at[attribute, origin[attribute], target[attribute]]
            found += 1
    return found


@inner
def table_size(rows: int) -> int:
    """The size of a hash table for this many rows: a power of two that leaves it at least half empty."""
    size = 16
    while size < 2 * rows:
        size *= 2
    return size


@inner
def aggregate(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    keep: NDArray[np.uint64],
    steps: NDArray[np.int64],
    maps: NDArray[np.int32],
    slots: NDArray[np.int32],
    new_keys: NDArray[np.uint64],
    new_counts: NDArray[np.int64],
) -> int:
    """Generalize keys and sum the counts of equal ones, using empty ``slots``; return the number of groups."""
    last, down = len(slots) - 1, unused_bits(len(slots))
    groups = 0
    if keys.shape[1] == 1:
        return aggregate_words(keys[:, 0], counts, keep[0], steps, maps, slots, new_keys[:, 0], new_counts)
    for row in range(len(keys)):
        generalize(keys, row, keep, steps, maps, new_keys, groups)
        slot = spread(new_keys, groups, down)
        while slots[slot] >= 0 and differs(new_keys, slots[slot], groups):
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = groups
            new_counts[groups] = counts[row]
            groups += 1
        else:
            new_counts[slots[slot]] += counts[row]
    return groups


@inner
def aggregate_words(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    keep: np.uint64,
    steps: NDArray[np.int64],
    maps: NDArray[np.int32],
    slots: NDArray[np.int32],
    new_keys: NDArray[np.uint64],
    new_counts: NDArray[np.int64],
) -> int:
    """Do the same for keys of a single word, as most tables have, without a loop over words."""
    last, down = len(slots) - 1, unused_bits(len(slots))
    groups = 0
    for row in range(len(keys)):
        old = keys[row]
        key = old & keep
        for step in range(len(steps)):
            shift = np.uint64(steps[step, 1])
            group = (old >> shift) & np.uint64(steps[step, 2])
            key |= np.uint64(maps[steps[step, 3] + np.int64(group)]) << shift
        slot = np.int64((key * SPREAD) >> down)
        while slots[slot] >= 0 and new_keys[slots[slot]] != key:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = groups
            new_keys[groups] = key
            new_counts[groups] = counts[row]
            groups += 1
        else:
            new_counts[slots[slot]] += counts[row]
    return groups


@inner
def differs(keys: NDArray[np.uint64], one: int, other: int) -> bool:
    """Whether two keys differ in any word."""
    unequal = False
    for word in range(keys.shape[1]):
        unequal |= keys[one, word] != keys[other, word]
    return unequal
