"""Lowering the loss of given classes: rows move, classes are dissolved, neighbours are grouped anew.

Every step keeps what was found before unless something strictly better that every rule allows is there, so the work
may stop at any moment. Who is a neighbour comes from an order of all rows in which similar rows lie close together;
each round brings another such order. No step looks at more than a fixed number of rows and classes around it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import inner, kernel
from sfumato.kernels.grouping import (
    EPSILON,
    NEXT,
    NONE,
    Aim,
    Grouping,
    Table,
    add_row,
    box_allowed,
    box_penalty,
    box_without,
    clear,
    close_class,
    count_class,
    count_row,
    counts_values,
    empty_class,
    limits_spans,
    open_class,
    take_row,
    widened_penalty,
)
from sfumato.kernels.regrouping import Pool, regroup


class Neighbours(NamedTuple):
    """An order of the rows in which similar rows lie close together, and the place of every row in it."""

    order: NDArray[np.int32]
    place: NDArray[np.int32]

    @classmethod
    def of(cls, order: NDArray[np.int32]) -> Neighbours:
        """Return an order with its inverse."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order), dtype=np.int32)
        return cls(order, place)


class Effort(NamedTuple):
    """How far a step looks.

    Attributes
    ----------
    window
        Rows on either side of a row, in the order of neighbours.
    classes
        How many classes are grouped anew together, at most.
    rows
        How many rows are, at most; larger classes lend rows instead of taking part as a whole.
    trials
        How many groupings are tried.
    """

    window: int
    classes: int
    rows: int
    trials: int


class Nearby(NamedTuple):
    """Classes near a class, and what the nearest of their rows would cost it."""

    group: NDArray[np.int32]
    reach: NDArray[np.float64]


@inner
def next_random(state: int) -> int:
    """Return the next of a sequence of numbers without a visible pattern, none negative."""
    state ^= (state << 13) & 0x7FFFFFFFFFFFFFFF
    state ^= state >> 7
    return state ^ ((state << 17) & 0x7FFFFFFFFFFFFFFF)


@kernel
def move_rows(table: Table, aim: Aim, groups: Grouping, near: Neighbours, window: int, start: int, stop: int) -> float:
    """Let each of the rows at ``start:stop`` of the order move to a nearby class; return what was gained."""
    box = np.empty((2, table.codes.shape[1]), np.int64)
    histogram = np.zeros(max(1, aim.rules.counts_at[-1]), np.int64)
    gained = 0.0
    for place in range(start, stop):
        row = np.int64(near.order[place])
        group = np.int64(groups.of_row[row])
        if group < 0 or groups.penalty[group] <= EPSILON or groups.sizes[group] <= aim.smallest:
            continue
        size = groups.sizes[group]
        box_without(table, groups, group, row, box)
        saved = size * groups.penalty[group] - (size - 1) * box_penalty(aim.costs, box)
        target, cost = cheapest_class(table, aim, groups, near, row, window, saved)
        if (
            target >= 0
            and leaving_allowed(table, aim, groups, row, box, histogram)
            and joining_allowed(table, aim, groups, row, target, box, histogram)
        ):
            move(table, aim, groups, row, target)
            gained += saved - cost
    return gained


@inner
def cheapest_class(
    table: Table, aim: Aim, groups: Grouping, near: Neighbours, row: int, window: int, limit: float
) -> tuple[int, float]:
    """Return the nearby class that a row joins at the least cost below ``limit``, and that cost."""
    best, least = np.int64(-1), limit - EPSILON
    own, last = np.int64(groups.of_row[row]), np.int64(-1)
    codes = table.codes[row]
    place = near.place[row]
    for other in range(max(0, place - window), min(len(near.order), place + window + 1)):
        group = np.int64(groups.of_row[near.order[other]])
        if group < 0 or group == own or group == last:  # noqa: PLR1714, SIM109
            continue
        last = group
        size, penalty = groups.sizes[group], groups.penalty[group]
        most = (least + size * penalty) / (size + 1)
        if penalty >= most:
            continue
        wide = widened_penalty(aim.costs, groups.boxes[group], codes, most)
        if wide < most:
            best, least = group, (size + 1) * wide - size * penalty
    return best, least


@inner
def leaving_allowed(
    table: Table, aim: Aim, groups: Grouping, row: int, box: NDArray[np.int64], histogram: NDArray[np.int64]
) -> bool:
    """Return whether a class, which then has this box, keeps every rule without one of its rows."""
    group = np.int64(groups.of_row[row])
    if counts_values(aim.rules):
        count_class(table, groups, aim.rules, group, histogram)
        count_row(table, aim.rules, row, -1, histogram)
    return box_allowed(aim, groups.sizes[group] - 1, histogram, box)


@inner
def joining_allowed(
    table: Table,
    aim: Aim,
    groups: Grouping,
    row: int,
    target: int,
    box: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> bool:
    """Return whether a class keeps every rule with one more row."""
    if counts_values(aim.rules):
        count_class(table, groups, aim.rules, target, histogram)
        count_row(table, aim.rules, row, 1, histogram)
    for attribute in range(box.shape[1]):
        code = np.int64(table.codes[row, attribute])
        box[0, attribute] = min(groups.boxes[target, 0, attribute], code)
        box[1, attribute] = max(groups.boxes[target, 1, attribute], code)
    return box_allowed(aim, groups.sizes[target] + 1, histogram, box)


@inner
def move(table: Table, aim: Aim, groups: Grouping, row: int, target: int) -> None:
    """Move a row to another class."""
    group = np.int64(groups.of_row[row])
    take_row(table, groups, row)
    add_row(table, groups, row, target)
    groups.penalty[group] = box_penalty(aim.costs, groups.boxes[group]) if groups.sizes[group] else 0.0
    groups.penalty[target] = box_penalty(aim.costs, groups.boxes[target])


@kernel
def join_rows(table: Table, aim: Aim, groups: Grouping, near: Neighbours, window: int) -> int:
    """Let rows without a class join a nearby one where that is allowed; return how many did."""
    box = np.empty((2, table.codes.shape[1]), np.int64)
    histogram = np.zeros(max(1, aim.rules.counts_at[-1]), np.int64)
    joined = 0
    for row in range(len(groups.of_row)):
        if groups.of_row[row] >= 0:
            continue
        target, _ = cheapest_class(table, aim, groups, near, row, window, np.inf)
        if target >= 0 and joining_allowed(table, aim, groups, row, target, box, histogram):
            add_row(table, groups, row, target)
            groups.penalty[target] = box_penalty(aim.costs, groups.boxes[target])
            joined += 1
    return joined


@kernel
def dissolve_classes(
    table: Table, aim: Aim, groups: Grouping, near: Neighbours, effort: Effort, start: int, stop: int
) -> float:
    """Dissolve each of the classes ``start:stop`` whose rows cost less elsewhere; return what was gained."""
    targets = np.empty((effort.rows, 2), np.int32)
    histogram = np.zeros(max(1, aim.rules.counts_at[-1]), np.int64)
    gained = 0.0
    for group in range(start, stop):
        size = groups.sizes[group]
        if size == 0 or size > effort.rows or groups.penalty[group] <= EPSILON:
            continue
        before = size * groups.penalty[group]
        if rehousing_cost(table, aim, groups, near, group, effort.window, targets) >= before - EPSILON:
            continue
        after = 0.0
        for member in range(size):
            row, target = np.int64(targets[member, 0]), np.int64(targets[member, 1])
            after -= groups.sizes[target] * groups.penalty[target]
            move(table, aim, groups, row, target)
            after += groups.sizes[target] * groups.penalty[target]
        if after < before - EPSILON and targets_allowed(table, aim, groups, targets[:size], histogram):
            close_class(groups, group)
            gained += before - after
        else:
            for member in range(size - 1, -1, -1):
                move(table, aim, groups, np.int64(targets[member, 0]), np.int64(group))
    return gained


@inner
def rehousing_cost(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    group: int,
    window: int,
    targets: NDArray[np.int32],
) -> float:
    """Find for every row of a class the nearby class where it costs least; return what they cost, each by itself."""
    limit = groups.sizes[group] * groups.penalty[group]
    total, member = 0.0, 0
    row = np.int64(groups.heads[group])
    while row != NONE:
        target, cost = cheapest_class(table, aim, groups, near, row, window, limit - total)
        if target < 0:
            return np.inf
        targets[member, 0], targets[member, 1] = row, target
        total += cost
        member += 1
        row = np.int64(groups.links[row, NEXT])
    return total


@inner
def targets_allowed(
    table: Table, aim: Aim, groups: Grouping, targets: NDArray[np.int32], histogram: NDArray[np.int64]
) -> bool:
    """Return whether every class that took rows in keeps every rule."""
    counting = counts_values(aim.rules)
    for member in range(len(targets)):
        group = np.int64(targets[member, 1])
        if counting:
            count_class(table, groups, aim.rules, group, histogram)
        if not box_allowed(aim, groups.sizes[group], histogram, groups.boxes[group]):
            return False
    return True


@kernel
def regroup_classes(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    effort: Effort,
    start: int,
    stop: int,
    random: int,
) -> float:
    """Group each of the classes ``start:stop`` anew, together with classes near it; return what was gained."""
    pool = make_pool(table, aim, effort)
    best = np.empty(len(pool.rows), np.int32)
    members = np.empty((2, effort.classes), np.int32)
    nearby = Nearby(np.empty(2 * effort.window + 2, np.int32), np.empty(2 * effort.window + 2))
    gained = 0.0
    for group in range(start, stop):
        if groups.sizes[group] == 0 or groups.penalty[group] <= EPSILON:
            continue
        random = next_random(random)
        focus = some_member(groups, group, random)
        found = find_nearby(table, aim, groups, near, group, focus, effort, nearby)
        if found < 2:
            continue
        random = next_random(random)
        wanted = min(found, 2 + random % (effort.classes - 1))
        count, lenders, full = gather(groups, near, effort, aim.smallest, focus, nearby, wanted, pool, members)
        if count < aim.smallest:
            continue
        before = cost_of(groups, members, lenders, full)
        least, made = before - EPSILON, 0
        for _ in range(effort.trials):
            lend(groups, pool, members, lenders, count)
            random = next_random(random)
            total, cost = regroup(table, aim, pool, count, lenders, random)
            if cost < least and grouping_allowed(table, aim, groups, pool, count, lenders, total, members):
                least, made = cost, total
                for entry in range(count):
                    best[entry] = pool.group[entry]
        if made:
            apply(table, aim, groups, pool, best[:count], members, lenders, full, made)
            gained += before - least
    return gained


@inner
def make_pool(table: Table, aim: Aim, effort: Effort) -> Pool:
    """Make room for a pool."""
    most = effort.rows + 2 * effort.window + 2
    count = effort.classes + most // max(1, aim.smallest) + 1
    attributes = table.codes.shape[1]
    return Pool(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most),
        np.empty((count, 2, attributes), np.int64),
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(max(1, aim.rules.counts_at[-1]), np.int64),
    )


@inner
def some_member(groups: Grouping, group: int, random: int) -> int:
    """Return one of the first rows of a class."""
    row = np.int64(groups.heads[group])
    for _ in range(random % min(groups.sizes[group], 32)):
        row = np.int64(groups.links[row, NEXT])
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
    """Find the classes of the rows around a row, itself first, the others by what their nearest row would cost it."""
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
    pool: Pool,
    members: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Put the rows of the nearest classes into the pool; large classes lend only the rows that are near.

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
    pool: Pool,
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
def cost_of(groups: Grouping, members: NDArray[np.int32], lenders: int, full: int) -> float:
    """Return what the classes that take part cost now."""
    total = 0.0
    for at in range(lenders):
        total += groups.sizes[members[0, at]] * groups.penalty[members[0, at]]
    for at in range(full):
        total += groups.sizes[members[1, at]] * groups.penalty[members[1, at]]
    return total


@inner
def lend(groups: Grouping, pool: Pool, members: NDArray[np.int32], lenders: int, count: int) -> None:
    """Make the lenders the first groups, without the rows that they lent; their boxes are at most too wide."""
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
def grouping_allowed(
    table: Table,
    aim: Aim,
    groups: Grouping,
    pool: Pool,
    count: int,
    lenders: int,
    total: int,
    members: NDArray[np.int32],
) -> bool:
    """Return whether every group keeps every rule."""
    counting, shows_spans = counts_values(aim.rules), limits_spans(aim.rules)
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
        if group < lenders and shows_spans:
            exact_lender_box(table, groups, pool, count, group, np.int64(members[0, group]))
        if not box_allowed(aim, pool.sizes[group], pool.histogram, pool.boxes[group]):
            return False
    return True


@inner
def exact_lender_box(table: Table, groups: Grouping, pool: Pool, count: int, group: int, lender: int) -> None:
    """Find what a lender spans without the rows that it lent and with those that joined it."""
    box = pool.boxes[group]
    begun = False
    for entry in range(count):
        if groups.of_row[pool.rows[entry]] == lender and pool.group[entry] != group:
            # Marked as lent by a number that no group has, so that one walk over the class finds who stays.
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
    pool: Pool,
    chosen: NDArray[np.int32],
    members: NDArray[np.int32],
    lenders: int,
    full: int,
    total: int,
) -> None:
    """Make the classes what a grouping of the pool says."""
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
