"""Lower the loss of classes by narrowing them: the outermost rows leave, and other rows inside replace them.

A single row that leaves seldom narrows a large class, and a class of the least size can spare none. Here all rows
beyond a boundary leave at once, each for the class where it costs least, and rows inside the narrower class fill the
gap, from classes that can spare them. A step is made, judged as a whole, and undone if it does not pay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.refinement.kernels.move_rows import Neighbours, cheapest_class, is_free, keeps_rules, move
from sfumato.methods.refinement.kernels.mutable_classes import EPSILON, NEXT, NONE, Aim, Grouping, Table, class_cost
from sfumato.methods.refinement.kernels.regroup_classes import next_random
from sfumato.table.kernels.rules import counts_values, limits_spans
from sfumato.table.kernels.spans import span_cost

#: How many codes may leave on one side of an attribute, and how many replacement rows are considered.
CODES, COMERS = 16, 512

#: The budget of sides tried per class, in cells: all sides of tables with up to eleven columns; of wider tables some
#: sides each time, because a full pass would grow with the square of the columns. And the fewest sides.
CELLS, FEWEST_SIDES = 256, 4

#: The columns of ``Scratch.trail``.
ROW, FROM = 0, 1


class SqueezeScratch(NamedTuple):
    """Scratch for a step: the rows that moved and where from, codes of a class, candidate rows, rows seen."""

    trail: NDArray[np.int32]
    codes: NDArray[np.int64]
    comers: NDArray[np.int32]
    seen: NDArray[np.int32]
    histogram: NDArray[np.int64]


@kernel
def squeeze_classes(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    window: int,
    most: int,
    slack: float,
    random: int,
) -> float:
    """Narrow classes of at most ``most`` rows on each side of each attribute; return the gain.

    A step may raise the loss by up to the share ``slack`` of the cost of the class.
    """
    scratch = SqueezeScratch(
        np.empty((most + 1, 2), np.int32),
        np.empty(most, np.int64),
        np.empty(COMERS, np.int32),
        np.full(len(groups.of_row), NONE, np.int32),
        np.zeros(max(1, aim.rules.counts_at[-1]), np.int64),
    )
    gained, step = 0.0, 0
    attributes = table.codes.shape[1]
    sides = min(2 * attributes, max(FEWEST_SIDES, CELLS // max(1, attributes)))
    for group in range(len(groups.sizes)):
        first = random % attributes if sides < 2 * attributes else 0
        for turn in range(2 * first, 2 * first + sides):
            size = groups.sizes[group]
            if size < max(1, aim.smallest) or size > most or is_free(aim, groups, group):
                break
            random = next_random(random)
            attribute, upper = (turn >> 1) % attributes, (turn & 1) == 1
            bound, leaving = find_bound(table, aim, groups, group, attribute, upper, random, scratch.codes)
            if leaving == 0:
                continue
            step += 1
            random = next_random(random)
            before = class_cost(aim, size, groups.penalty[group])
            worst = slack * before * (random & 1023) / 1024 - EPSILON
            length, change = expel(table, aim, groups, near, group, attribute, upper, bound, window, scratch.trail)
            if length == leaving:
                length, more = refill(table, aim, groups, near, group, 2 * window, step, length, scratch)
                change += more
                if (
                    groups.sizes[group] >= aim.smallest
                    and change < worst
                    and trail_allowed(table, aim, groups, scratch.trail[:length], scratch.histogram)
                ):
                    gained -= change
                    continue
            for at in range(length - 1, -1, -1):
                move(table, aim, groups, np.int64(scratch.trail[at, ROW]), np.int64(scratch.trail[at, FROM]))
    return gained


@inner
def find_bound(
    table: Table,
    aim: Aim,
    groups: Grouping,
    group: int,
    attribute: int,
    upper: bool,
    random: int,
    codes: NDArray[np.int64],
) -> tuple[int, int]:
    """Choose up to which code rows leave on one side, and count them; 0 if that would not narrow the class.

    The best boundary saves most per leaving row. At random a worse one is chosen.
    """
    lo, hi = groups.boxes[group, 0, attribute], groups.boxes[group, 1, attribute]
    whole = span_cost(aim.costs, attribute, lo, hi)
    size = np.int64(0)
    row = np.int64(groups.heads[group])
    while row != NONE:
        codes[size] = table.codes[row, attribute]
        size += 1
        row = np.int64(groups.links[row, NEXT])
    edge = hi if upper else lo
    bound, fewest, best = edge, np.int64(0), 0.0
    for at in range(CODES):
        leaving, inside = np.int64(0), lo if upper else hi
        for member in range(size):
            code = codes[member]
            if code >= edge if upper else code <= edge:
                leaving += 1
            else:
                inside = max(inside, code) if upper else min(inside, code)
        if 2 * leaving > size:
            break
        narrower = span_cost(aim.costs, attribute, lo if upper else inside, inside if upper else hi)
        saved = (whole - narrower) * (size - leaving) / leaving
        if saved > best + EPSILON and (fewest == 0 or (random >> at) & 1):
            bound, fewest, best = edge, leaving, saved
        edge = inside
    return bound, fewest


@inner
def tracked_move(
    table: Table, aim: Aim, groups: Grouping, row: int, target: int, trail: NDArray[np.int32], length: int
) -> float:
    """Move a row, record where it came from, and return the rise of the loss."""
    group = np.int64(groups.of_row[row])
    trail[length, ROW], trail[length, FROM] = row, group
    change = -class_cost(aim, groups.sizes[group], groups.penalty[group])
    change -= class_cost(aim, groups.sizes[target], groups.penalty[target])
    move(table, aim, groups, row, target)
    change += class_cost(aim, groups.sizes[group], groups.penalty[group])
    return change + class_cost(aim, groups.sizes[target], groups.penalty[target])


@inner
def expel(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    group: int,
    attribute: int,
    upper: bool,
    bound: int,
    window: int,
    trail: NDArray[np.int32],
) -> tuple[int, float]:
    """Move the rows from a bound on to where they cost least; return how many moved, and the rise of the loss."""
    length, change = 0, 0.0
    row = np.int64(groups.heads[group])
    while row != NONE:
        following = np.int64(groups.links[row, NEXT])
        code = np.int64(table.codes[row, attribute])
        if code >= bound if upper else code <= bound:
            target, _ = cheapest_class(table, aim, groups, near, row, window, np.inf)
            if target < 0:
                break
            change += tracked_move(table, aim, groups, row, target, trail, length)
            length += 1
        row = following
    return length, change


@inner
def refill(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    group: int,
    window: int,
    step: int,
    length: int,
    scratch: SqueezeScratch,
) -> tuple[int, float]:
    """Refill a class to the least size with rows inside its box, from the classes where they cost most.

    Return how many rows have moved in all, and the rise of the loss here.
    """
    change = 0.0
    missing = aim.smallest - groups.sizes[group]
    if missing <= 0:
        return length, change
    found = find_comers(table, aim, groups, near, group, window, step, scratch)
    for _ in range(missing):
        best, dearest = np.int64(NONE), -1.0
        for at in range(found):
            row = np.int64(scratch.comers[at])
            other = groups.of_row[row]
            if other != group and groups.sizes[other] > aim.smallest and groups.penalty[other] > dearest:
                best, dearest = row, groups.penalty[other]
        if best == NONE:
            break
        change += tracked_move(table, aim, groups, best, group, scratch.trail, length)
        length += 1
    return length, change


@inner
def find_comers(
    table: Table,
    aim: Aim,
    groups: Grouping,
    near: Neighbours,
    group: int,
    window: int,
    step: int,
    scratch: SqueezeScratch,
) -> int:
    """Find rows near those of a class that lie in its box and that their own classes can spare; return how many."""
    found = 0
    member = np.int64(groups.heads[group])
    while member != NONE and found < COMERS:
        place = near.place[member]
        for at in range(max(0, place - window), min(len(near.order), place + window + 1)):
            row = np.int64(near.order[at])
            if scratch.seen[row] == step:
                continue
            scratch.seen[row] = step
            other = groups.of_row[row]
            if other < 0 or other == group or groups.sizes[other] <= aim.smallest:
                continue
            if found < COMERS and holds(groups.boxes[group], table.codes[row]):
                scratch.comers[found] = row
                found += 1
        member = np.int64(groups.links[member, NEXT])
    return found


@inner
def holds(box: NDArray[np.int64], codes: NDArray[np.unsignedinteger]) -> bool:
    """Whether a row lies inside a box."""
    for attribute in range(box.shape[1]):
        code = np.int64(codes[attribute])
        if code < box[0, attribute] or code > box[1, attribute]:
            return False
    return True


@inner
def trail_allowed(
    table: Table, aim: Aim, groups: Grouping, trail: NDArray[np.int32], histogram: NDArray[np.int64]
) -> bool:
    """Whether every class that rows left or joined keeps every rule."""
    counting = counts_values(aim.rules)
    if not counting and not limits_spans(aim.rules):
        return True  # nothing but sizes matters, and those were kept
    for at in range(len(trail)):
        for end in range(2):
            group = np.int64(trail[at, FROM] if end else groups.of_row[trail[at, ROW]])
            if not keeps_rules(table, aim, groups, group, counting, histogram):
                return False
    return True
