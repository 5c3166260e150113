"""Lower the loss of classes a few at a time: neighbouring classes pool their rows and are regrouped.

That swaps rows, or dissolves, merges and splits classes, whichever costs least. A step examines only rows that lie near
a row of the class in an order of all rows; large classes lend the rows near there instead of taking part as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.refinement.kernels.move_rows import Neighbours, is_free
from sfumato.methods.refinement.kernels.mutable_classes import (
    EPSILON,
    NEXT,
    NONE,
    Aim,
    Grouping,
    Table,
    add_row,
    class_cost,
    count_class,
    count_row,
    empty_class,
    open_class,
    strangers,
    take_row,
)
from sfumato.methods.refinement.kernels.row_pool import RowPool, copy_codes, regroup
from sfumato.table.kernels.rules import class_allowed, clear, counts_values, limits_spans
from sfumato.table.kernels.spans import box_penalty, widened_penalty


class Effort(NamedTuple):
    """How far a step looks.

    Attributes
    ----------
    window
        Rows on either side of a row, in the order of neighbours.
    classes
        The most classes to regroup together.
    rows
        The most rows to regroup together; larger classes lend rows instead of taking part as a whole.
    trials
        How many groupings to try.
    slack
        The share by which a grouping may cost more than the one it replaces, to escape local optima; 0 for never.
    tilt
        Every other grouping over- or underrates attributes at random, by up to 2 to this power.
    """

    window: int
    classes: int
    rows: int
    trials: int
    slack: float
    tilt: float


class Nearby(NamedTuple):
    """Classes near a class, and what it would cost with the nearest of their rows."""

    group: NDArray[np.int32]
    reach: NDArray[np.float64]


@inner
def next_random(state: int) -> int:
    """Compute the next number of a xorshift generator; never negative."""
    state ^= (state << 13) & 0x7FFFFFFFFFFFFFFF
    state ^= state >> 7
    return state ^ ((state << 17) & 0x7FFFFFFFFFFFFFFF)


@kernel
def regroup_classes(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    effort: Effort,
    random: int,
) -> float:
    """Regroup each class together with classes near it; return the gain."""
    pool = make_pool(table, aim, effort)
    best = np.empty(len(pool.rows), np.int32)
    members = np.empty((2, effort.classes), np.int32)
    nearby = Nearby(np.empty(2 * effort.window + 2, np.int32), np.empty(2 * effort.window + 2))
    gained = 0.0
    for group in range(len(groups.sizes)):
        row = np.int64(NONE)
        # A class too large to take part as a whole gets one turn per ``effort.rows`` of its rows.
        for _ in range(1 + groups.sizes[group] // effort.rows):
            if groups.sizes[group] == 0 or is_free(aim, groups, group):
                break
            random = next_random(random)
            row = some_member(groups, group, row, random % effort.rows)
            found = find_nearby(table, aim, groups, near, group, row, effort, nearby)
            random = next_random(random)
            wanted = min(found, 2 + random % (effort.classes - 1))
            count, lenders, full = gather(groups, near, effort, aim.smallest, row, nearby, wanted, pool, members)
            if count < aim.smallest or count < 2:
                continue
            before, size = cost_of(table, aim, groups, members, lenders, full, pool.histogram)
            random = next_random(random)
            slack = effort.slack * (random & 1023) / 1024 * count / size
            least, made = before * (1 + slack) - EPSILON, 0
            copy_codes(table, pool, count)
            for trial in range(effort.trials):
                random = tilt_attributes(pool, effort.tilt if trial & 1 else 0.0, random)
                lend(groups, pool, members, lenders, count)
                random = next_random(random)
                total, cost = regroup(table, aim, pool, count, lenders, random)
                if cost < least:
                    cost += further_cost(table, aim, groups, pool, count, lenders, total, members)
                if cost < least:
                    least, made = cost, total
                    for entry in range(count):
                        best[entry] = pool.group[entry]
            if made:
                apply(table, aim, groups, pool, best[:count], members, lenders, full, made)
                gained += before - least
    return gained


@inner
def make_pool(table: Table, aim: Aim, effort: Effort) -> RowPool:
    """Allocate a pool."""
    most = effort.rows + 2 * effort.window + 2
    count = effort.classes + most // max(1, aim.smallest) + 1
    attributes = table.codes.shape[1]
    return RowPool(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most),
        np.empty((count, 2, attributes), np.int64),
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(max(1, aim.rules.counts_at[-1]), np.int64),
        np.empty((attributes, most), np.int64),
        np.empty((attributes + 1, most)),
        np.ones(attributes),
    )


@inner
def tilt_attributes(pool: RowPool, tilt: float, random: int) -> int:
    """Over- and underrate the attributes at random; return the next random state."""
    for attribute in range(len(pool.tilt)):
        random = next_random(random)
        pool.tilt[attribute] = 2.0 ** (tilt * ((random & 1023) / 512 - 1))
    return random


@inner
def some_member(groups: Grouping, group: int, row: int, steps: int) -> int:
    """Find the row of a class some steps after a given one, or after the first if that one has left the class."""
    if row == NONE or groups.of_row[row] != group:
        row = np.int64(groups.heads[group])
    for _ in range(steps % groups.sizes[group]):
        row = np.int64(groups.links[row, NEXT])
        if row == NONE:
            row = np.int64(groups.heads[group])
    return row


@inner
def find_nearby(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    group: int,
    focus: int,
    effort: Effort,
    nearby: Nearby,
) -> int:
    """Find the classes of the rows around a row, its own first, the others by what their nearest row would cost."""
    nearby.group[0], nearby.reach[0] = group, -1.0
    found = 1
    place = near.place[focus]
    for other in range(max(0, place - effort.window), min(len(near.order), place + effort.window + 1)):
        candidate = groups.of_row[near.order[other]]
        if candidate < 0 or candidate == group:
            continue
        reach = widened_penalty(aim.costs, groups.boxes[group], table.codes[near.order[other]], np.inf)
        at = 1
        while at < found and nearby.group[at] != candidate:
            at += 1
        if at == found:
            found += 1
        elif reach >= nearby.reach[at]:
            continue
        # Sorted by insertion: there are few.
        while at > 1 and nearby.reach[at - 1] > reach:
            nearby.group[at], nearby.reach[at] = nearby.group[at - 1], nearby.reach[at - 1]
            at -= 1
        nearby.group[at], nearby.reach[at] = candidate, reach
    return found


@inner
def gather(
    groups: Grouping,
    near: Neighbours,
    effort: Effort,
    smallest: int,
    focus: int,
    nearby: Nearby,
    wanted: int,
    pool: RowPool,
    members: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Put the rows of the nearest classes into the pool; large classes lend only the rows nearby.

    Return the number of rows, of lenders (in ``members[0]``) and of classes that take part as a whole (``members[1]``).
    """
    count = lenders = full = 0
    for at in range(wanted):
        group = np.int64(nearby.group[at])
        if count + groups.sizes[group] <= effort.rows:
            members[1, full] = group
            full += 1
            row = np.int64(groups.heads[group])
            while row != NONE:
                pool.rows[count] = row
                count += 1
                row = np.int64(groups.links[row, NEXT])
        else:
            lent = borrow(groups, near, effort, smallest, focus, group, pool, count)
            if lent:
                members[0, lenders] = group
                lenders += 1
                count += lent
    return count, lenders, full


@inner
def borrow(
    groups: Grouping,
    near: Neighbours,
    effort: Effort,
    smallest: int,
    focus: int,
    group: int,
    pool: RowPool,
    count: int,
) -> int:
    """Put the rows of a large class that lie near a row into the pool, as many as it can spare; return how many."""
    place = near.place[focus]
    lent = 0
    spare = min(groups.sizes[group] - smallest, len(pool.rows) - count)
    for other in range(max(0, place - effort.window), min(len(near.order), place + effort.window + 1)):
        row = near.order[other]
        if lent < spare and groups.of_row[row] == group:
            pool.rows[count + lent] = row
            lent += 1
    return lent


@inner
def cost_of(
    table: Table,
    aim: Aim,
    groups: Grouping,
    members: NDArray[np.int32],
    lenders: int,
    full: int,
    histogram: NDArray[np.int64],
) -> tuple[float, int]:
    """The present cost of the classes that take part, and their number of rows."""
    total, rows = 0.0, np.int64(0)
    for at in range(lenders + full):
        group = np.int64(members[0, at] if at < lenders else members[1, at - lenders])
        total += class_cost(aim, groups.sizes[group], groups.penalty[group])
        if aim.label >= 0:
            count_class(table, groups, aim.rules, group, histogram)
            total += strangers(aim, groups.sizes[group], histogram)
        rows += groups.sizes[group]
    return total, rows


@inner
def lend(groups: Grouping, pool: RowPool, members: NDArray[np.int32], lenders: int, count: int) -> None:
    """Make the lenders the first groups, without the rows they lent; their boxes are at most too wide."""
    for at in range(lenders):
        group = np.int64(members[0, at])
        pool.sizes[at] = groups.sizes[group]
        for attribute in range(pool.boxes.shape[2]):
            pool.boxes[at, 0, attribute] = groups.boxes[group, 0, attribute]
            pool.boxes[at, 1, attribute] = groups.boxes[group, 1, attribute]
        pool.penalty[at] = groups.penalty[group]
        for entry in range(count):
            pool.sizes[at] -= groups.of_row[pool.rows[entry]] == group


@inner
def further_cost(
    table: Table,
    aim: Aim,
    groups: Grouping,
    pool: RowPool,
    count: int,
    lenders: int,
    total: int,
    members: NDArray[np.int32],
) -> float:
    """Compute what a grouping costs by its labels; infinite if some group breaks a rule."""
    counting, shows_spans = aim.label >= 0 or counts_values(aim.rules), limits_spans(aim.rules)
    cost = 0.0
    for group in range(total):
        if counting:
            if group < lenders:
                count_class(table, groups, aim.rules, np.int64(members[0, group]), pool.histogram)
            else:
                clear(pool.histogram)
            for entry in range(count):
                row = np.int64(pool.rows[entry])
                if group < lenders and groups.of_row[row] == members[0, group]:
                    count_row(table, aim.rules, row, -1, pool.histogram)
                if pool.group[entry] == group:
                    count_row(table, aim.rules, row, 1, pool.histogram)
            cost += strangers(aim, pool.sizes[group], pool.histogram)
        if group < lenders and shows_spans:
            exact_lender_box(table, groups, pool, count, group, np.int64(members[0, group]))
        if not class_allowed(pool.sizes[group], pool.histogram, pool.boxes[group][0], pool.boxes[group][1], aim.rules):
            return np.inf
    return cost


@inner
def exact_lender_box(table: Table, groups: Grouping, pool: RowPool, count: int, group: int, lender: int) -> None:
    """Find what a lender spans without the rows it lent and with those that joined."""
    box = pool.boxes[group]
    begun = False
    for entry in range(count):
        if groups.of_row[pool.rows[entry]] == lender and pool.group[entry] != group:
            # Mark the row as lent by a number that no group has, so one pass over the class finds the rows that stay.
            groups.of_row[pool.rows[entry]] = -2 - lender
    row = np.int64(groups.heads[lender])
    while row != NONE:
        if groups.of_row[row] == lender:
            for attribute in range(box.shape[1]):
                code = np.int64(table.codes[row, attribute])
                box[0, attribute] = min(box[0, attribute], code) if begun else code
                box[1, attribute] = max(box[1, attribute], code) if begun else code
            begun = True
        row = np.int64(groups.links[row, NEXT])
    for entry in range(count):
        row = np.int64(pool.rows[entry])
        if groups.of_row[row] == -2 - lender:
            groups.of_row[row] = lender
        elif pool.group[entry] == group:
            for attribute in range(box.shape[1]):
                code = np.int64(table.codes[row, attribute])
                box[0, attribute] = min(box[0, attribute], code) if begun else code
                box[1, attribute] = max(box[1, attribute], code) if begun else code
            begun = True


@inner
def apply(
    table: Table,
    aim: Aim,
    groups: Grouping,
    pool: RowPool,
    chosen: NDArray[np.int32],
    members: NDArray[np.int32],
    lenders: int,
    full: int,
    total: int,
) -> None:
    """Apply a grouping of the pool to the classes."""
    for at in range(full):
        empty_class(groups, np.int64(members[1, at]))
    for entry in range(len(chosen)):
        row = np.int64(pool.rows[entry])
        if groups.of_row[row] >= 0 and (chosen[entry] >= lenders or groups.of_row[row] != members[0, chosen[entry]]):
            take_row(table, groups, row)
    for group in range(total):
        target = np.int64(members[0, group]) if group < lenders else open_class(groups)
        for entry in range(len(chosen)):
            if chosen[entry] == group and groups.of_row[pool.rows[entry]] != target:
                add_row(table, groups, np.int64(pool.rows[entry]), target)
        groups.penalty[target] = box_penalty(aim.costs, groups.boxes[target])
