"""A pool of rows from a few neighbouring classes, regrouped greedily: groups grow from seeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner
from sfumato.methods.refinement.kernels.mutable_classes import EPSILON, Aim, Table, class_cost, count_row
from sfumato.table.kernels.rules import class_allowed, clear
from sfumato.table.kernels.spans import box_penalty, span_cost, widened_penalty

#: A row of the pool that belongs to no group yet.
FREE = -1


class RowPool(NamedTuple):
    """The rows to regroup.

    Attributes
    ----------
    rows
        The rows.
    group
        The group of every row.
    reach
        What each row of the growing group would cost if this row joined.
    boxes, sizes, penalty
        The groups: first the classes that lend rows and stay, then the new ones.
    histogram
        Counts of sensitive values.
    codes
        The codes of the rows, attribute by attribute.
    parts
        What each attribute adds to ``reach``; in the last row, infinity for rows already taken.
    tilt
        The factor by which each attribute is overrated while groups grow.
    """

    rows: NDArray[np.int32]
    group: NDArray[np.int32]
    reach: NDArray[np.float64]
    boxes: NDArray[np.int64]
    sizes: NDArray[np.int64]
    penalty: NDArray[np.float64]
    histogram: NDArray[np.int64]
    codes: NDArray[np.int64]
    parts: NDArray[np.float64]
    tilt: NDArray[np.float64]


@inner
def regroup(table: Table, aim: Aim, pool: RowPool, count: int, lenders: int, random: int) -> tuple[int, float]:
    """Group the first ``count`` rows of the pool; return the number of groups, lenders included, and their cost.

    The cost is infinite if no grouping was found. Rows that return to their lenders count with their cost there.
    """
    for entry in range(count):
        release(pool, entry)
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
def copy_codes(table: Table, pool: RowPool, count: int) -> None:
    """Copy the codes of the rows in the pool."""
    for entry in range(count):
        for attribute in range(len(pool.codes)):
            pool.codes[attribute, entry] = table.codes[pool.rows[entry], attribute]


@inner
def grow(table: Table, aim: Aim, pool: RowPool, count: int, group: int, seed: int) -> int:
    """Grow a group from a seed by the rows that widen it least until it is allowed; return its size, 0 if never."""
    box = pool.boxes[group]
    clear(pool.histogram)
    sensitive = table.sensitive.shape[1] > 0
    current, size, entry = 0.0, np.int64(0), seed
    widened = True
    while True:
        take(pool, entry, group)
        if widened:
            widen_by(aim, pool, count, box, entry, size == 0)
        size += 1
        if sensitive:
            count_row(table, aim.rules, np.int64(pool.rows[entry]), 1, pool.histogram)
        if size >= aim.smallest and class_allowed(size, pool.histogram, box[0], box[1], aim.rules):
            break
        if sensitive:
            entry = nearest_rare(table, aim, pool, count)
        else:
            entry = nearest(pool, count, np.int64(0) if widened else entry + 1, current)
        if entry < 0:
            for other in range(count):
                if pool.group[other] == group:
                    release(pool, other)
            return 0
        widened = pool.reach[entry] > current + EPSILON
        if widened:
            current = pool.reach[entry]
    pool.sizes[group] = size
    pool.penalty[group] = box_penalty(aim.costs, box)
    return size


@inner
def take(pool: RowPool, entry: int, group: int) -> None:
    """Give a row to a group."""
    pool.group[entry] = group
    pool.reach[entry] = pool.parts[len(pool.codes), entry] = np.inf


@inner
def release(pool: RowPool, entry: int) -> None:
    """Make a row free."""
    pool.group[entry] = FREE
    pool.parts[len(pool.codes), entry] = 0.0


@inner
def widen_by(aim: Aim, pool: RowPool, count: int, box: NDArray[np.int64], entry: int, first: bool) -> None:
    """Extend a box by a row, or start it there, and compute what its group would cost with each free row.

    Only attributes in which the box grew are recomputed, for all rows at once, free or not: that is fastest.
    """
    attributes = len(pool.codes)
    for attribute in range(attributes):
        code = pool.codes[attribute, entry]
        if first:
            box[0, attribute] = box[1, attribute] = code
        elif box[0, attribute] <= code <= box[1, attribute]:
            continue
        lo, hi = min(box[0, attribute], code), max(box[1, attribute], code)
        box[0, attribute], box[1, attribute] = lo, hi
        weight = aim.costs.weight[attribute] * pool.tilt[attribute]
        for other in range(count):
            code = pool.codes[attribute, other]
            pool.parts[attribute, other] = weight * span_cost(aim.costs, attribute, min(lo, code), max(hi, code))
    for other in range(count):
        pool.reach[other] = pool.parts[attributes, other]
    for attribute in range(attributes):
        for other in range(count):
            pool.reach[other] += pool.parts[attribute, other]


@inner
def nearest(pool: RowPool, count: int, begin: int, current: float) -> int:
    """Find the free row that widens the group least, or the first from ``begin`` on that does not widen it at all.

    While the group does not widen, no free row before the last one that joined lies inside it.
    """
    best, least = np.int64(-1), np.inf
    for entry in range(begin, count):
        if pool.reach[entry] < least:
            best, least = np.int64(entry), pool.reach[entry]
            if least <= current + EPSILON:
                return best
    for entry in range(begin):
        if pool.reach[entry] < least:
            best, least = np.int64(entry), pool.reach[entry]
    return best


@inner
def nearest_rare(table: Table, aim: Aim, pool: RowPool, count: int) -> int:
    """Find the free row that widens the group least; among equals, that whose sensitive values are rarest in it."""
    best, least, rarest = np.int64(-1), np.inf, np.int64(0)
    for entry in range(count):
        if pool.group[entry] != FREE or pool.reach[entry] > least:
            continue
        seen = np.int64(0)
        for column in range(table.sensitive.shape[1]):
            alike = pool.histogram[aim.rules.counts_at[column] + table.sensitive[pool.rows[entry], column]]
            # Rows of one label belong together; all other sensitive values should be mixed.
            seen = seen - alike if column == aim.label else max(seen, alike)
        if pool.reach[entry] < least or seen < rarest:
            best, least, rarest = np.int64(entry), pool.reach[entry], seen
    return best


@inner
def farthest(pool: RowPool, count: int) -> int:
    """Find the free row that would have widened the last group most: outliers first, so that none is left over."""
    best, most = np.int64(0), -1.0
    for entry in range(count):
        if pool.group[entry] == FREE and pool.reach[entry] > most:
            best, most = np.int64(entry), pool.reach[entry]
    return best


@inner
def widen(box: NDArray[np.int64], codes: NDArray[np.unsignedinteger]) -> None:
    """Extend a box to hold a row."""
    for attribute in range(box.shape[1]):
        box[0, attribute] = min(box[0, attribute], np.int64(codes[attribute]))
        box[1, attribute] = max(box[1, attribute], np.int64(codes[attribute]))


@inner
def place_rest(table: Table, aim: Aim, pool: RowPool, count: int, groups: int) -> bool:
    """Let every free row join the group where it costs least; return whether all found one."""
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
