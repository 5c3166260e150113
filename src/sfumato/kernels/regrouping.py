"""Rows of a few neighbouring classes, grouped anew from the smallest seeds up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import inner
from sfumato.kernels.grouping import (
    EPSILON,
    Aim,
    Table,
    box_penalty,
    class_cost,
    clear,
    count_row,
    widened_penalty,
)
from sfumato.kernels.rules import class_allowed

#: A row of the pool that belongs to no group yet.
FREE = -1


class Pool(NamedTuple):
    """The rows that are grouped anew.

    Attributes
    ----------
    rows
        The rows.
    group
        The group of every row.
    reach
        What each row of the growing group would cost if this row joined it.
    boxes, sizes, penalty
        The groups: first the classes that lend rows and stay, then those that are made.
    histogram
        Counts of sensitive values.
    """

    rows: NDArray[np.int32]
    group: NDArray[np.int32]
    reach: NDArray[np.float64]
    boxes: NDArray[np.int64]
    sizes: NDArray[np.int64]
    penalty: NDArray[np.float64]
    histogram: NDArray[np.int64]


@inner
def regroup(table: Table, aim: Aim, pool: Pool, count: int, lenders: int, random: int) -> tuple[int, float]:
    """Group the first ``count`` rows of the pool; return the number of groups, lenders included, and what they cost.

    The cost is infinite when no grouping was found. Rows that go back to their lenders cost what they cost there.
    """
    for entry in range(count):
        pool.group[entry] = FREE
    groups, left = lenders, count
    seed = np.int64(random % count)
    while left >= aim.smallest and groups < len(pool.sizes):
        grown = grow(table, aim, pool, count, groups, seed)
        if grown == 0:
            break
        left -= grown
        seed = farthest(pool, count)
        groups += 1
    cost = 0.0
    if left and not place_rest(table, aim, pool, count, groups):
        return groups, np.inf
    for group in range(groups):
        cost += class_cost(aim, pool.sizes[group], pool.penalty[group])
    return groups, cost


@inner
def grow(table: Table, aim: Aim, pool: Pool, count: int, group: int, seed: int) -> int:
    """Let a group grow from a seed by the rows that widen it least until it is allowed; return its size, 0 if never."""
    box = pool.boxes[group]
    clear(pool.histogram)
    sensitive = table.sensitive.shape[1]
    current, size, entry = 0.0, np.int64(0), seed
    for attribute in range(box.shape[1]):
        box[0, attribute] = box[1, attribute] = table.codes[pool.rows[seed], attribute]
    renew = True
    while True:
        pool.group[entry] = group
        size += 1
        if sensitive:
            count_row(table, aim.rules, np.int64(pool.rows[entry]), 1, pool.histogram)
        if renew:
            reach_out(table, aim, pool, count, box)
        if size >= aim.smallest and class_allowed(size, pool.histogram, box[0], box[1], aim.rules, aim.spans):
            break
        entry = nearest(table, aim, pool, count)
        if entry < 0:
            release(pool, count, group)
            return 0
        renew = pool.reach[entry] > current + EPSILON
        if renew:
            current = pool.reach[entry]
            widen(box, table.codes[pool.rows[entry]])
    pool.sizes[group] = size
    pool.penalty[group] = box_penalty(aim.costs, box)
    return size


@inner
def reach_out(table: Table, aim: Aim, pool: Pool, count: int, box: NDArray[np.int64]) -> None:
    """Find what the group would cost with each free row."""
    for entry in range(count):
        if pool.group[entry] == FREE:
            pool.reach[entry] = widened_penalty(aim.costs, box, table.codes[pool.rows[entry]], np.inf)


@inner
def nearest(table: Table, aim: Aim, pool: Pool, count: int) -> int:
    """Return the free row that widens the group least; among equals the one whose sensitive values are rarest in it."""
    best, least, rarest = np.int64(-1), np.inf, np.int64(0)
    for entry in range(count):
        if pool.group[entry] != FREE or pool.reach[entry] > least:
            continue
        seen = np.int64(0)
        for column in range(table.sensitive.shape[1]):
            count = pool.histogram[aim.rules.counts_at[column] + table.sensitive[pool.rows[entry], column]]
            # Rows of one label belong together, all other values apart.
            seen = seen - count if column == aim.label else max(seen, count)
        if pool.reach[entry] < least or seen < rarest:
            best, least, rarest = np.int64(entry), pool.reach[entry], seen
    return best


@inner
def farthest(pool: Pool, count: int) -> int:
    """Return the free row that would have widened the last group most: outliers first, so that none is left over."""
    best, most = np.int64(0), -1.0
    for entry in range(count):
        if pool.group[entry] == FREE and pool.reach[entry] > most:
            best, most = np.int64(entry), pool.reach[entry]
    return best


@inner
def release(pool: Pool, count: int, group: int) -> None:
    """Give the rows of a group that never became allowed free again."""
    for entry in range(count):
        if pool.group[entry] == group:
            pool.group[entry] = FREE


@inner
def widen(box: NDArray[np.int64], codes: NDArray[np.unsignedinteger]) -> None:
    """Make a box hold a row."""
    for attribute in range(box.shape[1]):
        box[0, attribute] = min(box[0, attribute], np.int64(codes[attribute]))
        box[1, attribute] = max(box[1, attribute], np.int64(codes[attribute]))


@inner
def place_rest(table: Table, aim: Aim, pool: Pool, count: int, groups: int) -> bool:
    """Let every free row join the group where it costs least; return whether there was any."""
    for entry in range(count):
        if pool.group[entry] != FREE:
            continue
        codes = table.codes[pool.rows[entry]]
        best, least = -1, np.inf
        for group in range(groups):
            size, penalty = pool.sizes[group], pool.penalty[group]
            larger = aim.by_size * (2 * size + 1)
            limit = (least - larger + size * penalty) / (size + 1)
            wide = widened_penalty(aim.costs, pool.boxes[group], codes, limit)
            if wide < limit:
                best, least = group, (size + 1) * wide - size * penalty + larger
        if best < 0:
            return False
        pool.group[entry] = best
        widen(pool.boxes[best], codes)
        pool.penalty[best] = box_penalty(aim.costs, pool.boxes[best])
        pool.sizes[best] += 1
    return True
