"""Lower the loss of classes row by row: rows move, rows join, classes are dissolved.

A step changes classes only for something strictly better that every rule allows, so the work may stop at any moment.
Neighbours come from an order of all rows in which similar rows lie close together; each round uses another such order.
No step examines more than a fixed number of rows and classes around it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.refinement.kernels.mutable_classes import (
    EPSILON,
    NEXT,
    NONE,
    Aim,
    Grouping,
    Table,
    add_row,
    box_without,
    class_cost,
    close_class,
    count_class,
    count_row,
    take_row,
)
from sfumato.table.kernels.rules import class_allowed, counts_values
from sfumato.table.kernels.spans import box_penalty, widened_penalty


class Neighbours(NamedTuple):
    """An order of rows in which similar rows lie close together, and the place of every row in it."""

    order: NDArray[np.int32]
    place: NDArray[np.int32]

    @classmethod
    def of(cls, order: NDArray[np.int32]) -> Neighbours:
        """Pair an order with its inverse."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order), dtype=np.int32)
        return cls(order, place)


@inner
def is_free(aim: Aim, groups: Grouping, group: int) -> bool:
    """Whether a class costs nothing, so that no change can lower its loss."""
    return groups.penalty[group] <= EPSILON and aim.by_size <= 0 and aim.label < 0


@kernel
def move_rows(table: Table, aim: Aim, groups: Grouping, near: Neighbours, window: int) -> float:
    """Move rows to nearby classes where they cost less; return the gain."""
    box = np.empty((2, table.codes.shape[1]), np.int64)
    histogram = np.zeros(max(1, aim.rules.counts_at[-1]), np.int64)
    gained = 0.0
    for place in range(len(near.order)):
        row = np.int64(near.order[place])
        group = np.int64(groups.of_row[row])
        if group < 0 or groups.sizes[group] <= aim.smallest or is_free(aim, groups, group):
            continue
        size = groups.sizes[group]
        box_without(table, groups, group, row, box)
        saved = class_cost(aim, size, groups.penalty[group]) - class_cost(aim, size - 1, box_penalty(aim.costs, box))
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
    """Find the nearby class that a row can join at the least cost below ``limit``, and that cost."""
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
        larger = aim.by_size * (2 * size + 1)
        most = (least - larger + size * penalty) / (size + 1)
        if penalty >= most:
            continue
        wide = widened_penalty(aim.costs, groups.boxes[group], codes, most)
        if wide < most:
            best, least = group, (size + 1) * wide - size * penalty + larger
    return best, least


@inner
def leaving_allowed(
    table: Table, aim: Aim, groups: Grouping, row: int, box: NDArray[np.int64], histogram: NDArray[np.int64]
) -> bool:
    """Whether a class keeps every rule without one of its rows; ``box`` is its box then."""
    group = np.int64(groups.of_row[row])
    if counts_values(aim.rules):
        count_class(table, groups, aim.rules, group, histogram)
        count_row(table, aim.rules, row, -1, histogram)
    return class_allowed(groups.sizes[group] - 1, histogram, box[0], box[1], aim.rules)


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
    """Whether a class keeps every rule with one more row."""
    if counts_values(aim.rules):
        count_class(table, groups, aim.rules, target, histogram)
        count_row(table, aim.rules, row, 1, histogram)
    for attribute in range(box.shape[1]):
        code = np.int64(table.codes[row, attribute])
        box[0, attribute] = min(groups.boxes[target, 0, attribute], code)
        box[1, attribute] = max(groups.boxes[target, 1, attribute], code)
    return class_allowed(groups.sizes[target] + 1, histogram, box[0], box[1], aim.rules)


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
    """Let rows without a class join a nearby one if that is allowed; return how many did."""
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
def dissolve_classes(table: Table, aim: Aim, groups: Grouping, near: Neighbours, window: int, most: int) -> float:
    """Dissolve classes of at most ``most`` rows whose rows cost less elsewhere; return the gain."""
    targets = np.empty((most, 2), np.int32)
    histogram = np.zeros(max(1, aim.rules.counts_at[-1]), np.int64)
    gained = 0.0
    for group in range(len(groups.sizes)):
        size = groups.sizes[group]
        if size == 0 or size > most or is_free(aim, groups, group):
            continue
        before = class_cost(aim, size, groups.penalty[group])
        if rehousing_cost(table, aim, groups, near, group, window, before, targets) >= before - EPSILON:
            continue
        after = 0.0
        for member in range(size):
            row, target = np.int64(targets[member, 0]), np.int64(targets[member, 1])
            after -= class_cost(aim, groups.sizes[target], groups.penalty[target])
            move(table, aim, groups, row, target)
            after += class_cost(aim, groups.sizes[target], groups.penalty[target])
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
    limit: float,
    targets: NDArray[np.int32],
) -> float:
    """Find for every row of a class the nearby class where it costs least; return the sum of these costs."""
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
    """Whether every class that took rows keeps every rule."""
    counting = counts_values(aim.rules)
    for member in range(len(targets)):
        if not keeps_rules(table, aim, groups, np.int64(targets[member, 1]), counting, histogram):
            return False
    return True


@inner
def keeps_rules(
    table: Table, aim: Aim, groups: Grouping, group: int, counting: bool, histogram: NDArray[np.int64]
) -> bool:
    """Whether a class is allowed; ``counting`` is true if any rule looks at sensitive values."""
    if counting:
        count_class(table, groups, aim.rules, group, histogram)
    box = groups.boxes[group]
    return class_allowed(groups.sizes[group], histogram, box[0], box[1], aim.rules)
