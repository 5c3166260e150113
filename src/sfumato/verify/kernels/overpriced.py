"""Search for an overpriced box: one that holds a possible class whose rows pay more than the class loses.

A box is whatever a class can show: an interval of every number, a node of every tree. Boxes are not listed. Around each
row, taken as the one that pays most, the search keeps the box that is certainly inside, and the rows that may still be
added. If the highest prices among all of these are at most what the box inside already loses, no box in between is
overpriced. Otherwise one attribute decides: either the box reaches a certain row in that attribute, and loses more, or
it does not, and all rows beyond are out. All amounts are integers: losses are rounded down, prices are as stated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel

#: What ``attributes`` says of each: whether it is a tree, the number of its values, where its nodes begin, and what
#: everything (or a missing number beside another) loses.
TREE, SIZE, NODES, WHOLE = range(4)


class Scales(NamedTuple):
    """How boxes lose, attribute by attribute.

    Attributes
    ----------
    attributes
        One row per attribute, see above.
    groups, losses
        For every tree, level by level, the group of every value, and what a class that shows this group loses.
    """

    attributes: NDArray[np.int64]
    groups: NDArray[np.int64]
    losses: NDArray[np.int64]


class Priced(NamedTuple):
    """Rows by falling price, equal ones as one.

    Attributes
    ----------
    places
        Where each lies: the position of a number, the value of a tree.
    prices, counts
        What each pays, and how many there are.
    values
        The sensitive value of each.
    """

    places: NDArray[np.int64]
    prices: NDArray[np.int64]
    counts: NDArray[np.int64]
    values: NDArray[np.int64]


class Shares(NamedTuple):
    """Which shares of a class a row and a sensitive value may have, in units of which a class has ``all``."""

    of_row: int
    of_value: int
    all: int


@inner
def widened(scales: Scales, attribute: int, one: int, two: int, place: int) -> tuple[int, int]:
    """What a box becomes in an attribute if it has to reach a place.

    In a number a box is its ends, in a tree the level of a node and any value in it.
    """
    if not scales.attributes[attribute, TREE]:
        return min(one, place), max(two, place)
    size = scales.attributes[attribute, SIZE]
    at = scales.attributes[attribute, NODES] + one * size
    while scales.groups[at + two] != scales.groups[at + place]:
        one += 1
        at += size
    return one, two


@inner
def loss(scales: Scales, attribute: int, one: int, two: int) -> int:
    """What a box loses in an attribute, never rounded up: the distance of rounded ends may be 1 too large."""
    if scales.attributes[attribute, TREE]:
        at = scales.attributes[attribute, NODES] + one * scales.attributes[attribute, SIZE]
        return scales.losses[at + two]
    return min(max(0, two - one - 1), scales.attributes[attribute, WHOLE])


@inner
def loss_with(scales: Scales, attribute: int, one: int, two: int, place: int) -> int:
    """What a box that has to reach a place loses in an attribute."""
    one, two = widened(scales, attribute, one, two, place)
    return loss(scales, attribute, one, two)


@inner
def gather_near(
    anchor: int, rows: Priced, scales: Scales, members: NDArray[np.int32], losses: NDArray[np.int64]
) -> int:
    """Gather the rows that pay no more than a row, and with which a box loses less than this row pays.

    The mean price of a class is at most the highest, so no overpriced box loses more. Returns how many there are.
    """
    places, prices, numbers = rows.places, rows.prices, scales.attributes
    people, attributes = places.shape
    widest = 1
    for attribute in range(attributes):
        if numbers[attribute, TREE]:
            widest = max(widest, numbers[attribute, SIZE])
    to_tree = np.zeros((attributes, widest), np.int64)
    for attribute in range(attributes):
        if numbers[attribute, TREE]:
            for place in range(numbers[attribute, SIZE]):
                to_tree[attribute, place] = loss_with(scales, attribute, 0, places[anchor, attribute], place)
    near, price = 0, prices[anchor]
    for row in range(anchor, people):
        total = 0
        for attribute in range(attributes):
            place = places[row, attribute]
            if numbers[attribute, TREE]:
                total += to_tree[attribute, place]
            else:
                apart = abs(place - places[anchor, attribute])
                total += min(max(0, apart - 1), numbers[attribute, WHOLE])
            if total >= price:
                break
        if total < price or row == anchor:
            members[near], losses[near] = row, total
            near += 1
    return near


@inner
def most_paid(
    rows: Priced, members: NDArray[np.int32], begin: int, end: int, shares: Shares, taken: NDArray[np.int64]
) -> tuple[int, int]:
    """The most that a class of some rows can pay, and where its last row is; -1 if they cannot be a class.

    ``members`` are in the order of their prices. ``taken`` is zero for every value, and is left so.
    """
    prices, counts, values = rows.prices, rows.counts, rows.values
    left, paid, at = shares.all, 0, begin
    mixed = shares.of_value < shares.all
    while at < end and left > 0:
        row = members[at]
        take = min(left, shares.of_row * counts[row])
        if mixed:
            value = values[row]
            take = min(take, shares.of_value - taken[value])
            taken[value] += take
        paid += take * prices[row]
        left -= take
        at += 1
    if mixed:
        for back in range(begin, at):
            taken[values[members[back]]] = 0
    return (-1 if left > 0 else paid), at


@inner
def narrowed(
    rows: Priced,
    shares: Shares,
    inside: int,
    members: NDArray[np.int32],
    losses: NDArray[np.int64],
    begin: int,
    end: int,
    taken: NDArray[np.int64],
) -> tuple[int, int]:
    """Drop rows with which no box is overpriced; return the new end, and the end of those that would pay most.

    The latter is -1 if no box is overpriced at all.
    """
    while True:
        paid, last = most_paid(rows, members, begin, end, shares, taken)
        if paid <= shares.all * inside:
            return end, -1
        kept = begin
        for at in range(begin, end):
            if shares.all * losses[at] < paid:
                members[kept], losses[kept] = members[at], losses[at]
                kept += 1
        if kept == end:
            return end, last
        end = kept


@inner
def widest(scales: Scales, box: NDArray[np.int64], rows: Priced, row: int) -> int:
    """The attribute in which a row would cost a box most, of those in which it lies outside; -1 if it lies inside."""
    chosen, most = -1, np.int64(-1)
    for attribute in range(box.shape[0]):
        before, after = box[attribute, 0], box[attribute, 1]
        one, two = widened(scales, attribute, before, after, rows.places[row, attribute])
        if one != before or two != after:
            more = loss(scales, attribute, one, two) - loss(scales, attribute, before, after)
            if more > most:
                chosen, most = attribute, more
    return chosen


@inner
def where_to_decide(
    rows: Priced,
    scales: Scales,
    box: NDArray[np.int64],
    inside: int,
    members: NDArray[np.int32],
    losses: NDArray[np.int64],
    begin: int,
    last: int,
) -> tuple[int, int]:
    """Choose the row that would cost the box most, of those that pay, and the attribute in which; -1 if all are in."""
    far = begin
    for at in range(begin, last):
        if losses[at] > losses[far]:
            far = at
    if losses[far] > inside:
        return widest(scales, box, rows, members[far]), members[far]
    for at in range(begin, last):
        attribute = widest(scales, box, rows, members[at])
        if attribute >= 0:
            return attribute, members[at]
    return -1, -1


@kernel
def find_overpriced(
    first: int, step: int, rows: Priced, scales: Scales, shares: Shares, box: NDArray[np.int64]
) -> tuple[int, int]:
    """Look around every ``step``-th row from ``first`` on for an overpriced box.

    Returns the row that pays most in the box that was found, or -1 if there is none, and how often the search decided.
    ``box`` receives the box.
    """
    people, attributes = rows.places.shape
    places = rows.places
    taken = np.zeros(rows.values.max() + 1 if people else 1, np.int64)
    boxes = np.empty((64, attributes, 2), np.int64)
    begins, ends, insides = np.zeros(64, np.int64), np.zeros(64, np.int64), np.zeros(64, np.int64)
    members, losses = np.empty(4 * people + 64, np.int32), np.empty(4 * people + 64, np.int64)
    decided = 0
    for anchor in range(first, people, step):
        if rows.prices[anchor] == 0:
            break
        for attribute in range(attributes):
            is_tree = scales.attributes[attribute, TREE]
            boxes[0, attribute, 0] = 0 if is_tree else places[anchor, attribute]
            boxes[0, attribute, 1] = places[anchor, attribute]
        insides[0] = 0
        for attribute in range(attributes):
            insides[0] += loss(scales, attribute, boxes[0, attribute, 0], boxes[0, attribute, 1])
        ends[0] = gather_near(anchor, rows, scales, members, losses)
        depth = 1
        while depth > 0:
            now = depth - 1
            decided += 1
            begin = begins[now]
            end, last = narrowed(rows, shares, insides[now], members, losses, begin, ends[now], taken)
            if last < 0:
                depth -= 1
                continue
            attribute, far = where_to_decide(rows, scales, boxes[now], insides[now], members, losses, begin, last)
            if attribute < 0:
                box[:] = boxes[now]
                return anchor, decided
            if depth == len(begins):
                boxes = np.concatenate((boxes, np.empty_like(boxes)))
                begins, ends = np.concatenate((begins, begins)), np.concatenate((ends, ends))
                insides = np.concatenate((insides, insides))
            if 2 * end - begin > len(members):
                members = np.concatenate((members, np.empty(len(members) + end, np.int32)))
                losses = np.concatenate((losses, np.empty(len(losses) + end, np.int64)))
            # One branch reaches the place of that row, and may hold all the rows.
            place = places[far, attribute]
            before, after = boxes[now, attribute, 0], boxes[now, attribute, 1]
            one, two = widened(scales, attribute, before, after, place)
            boxes[depth] = boxes[now]
            boxes[depth, attribute, 0], boxes[depth, attribute, 1] = one, two
            more = loss(scales, attribute, one, two) - loss(scales, attribute, before, after)
            insides[depth] = insides[now] + more
            begins[depth], ends[depth] = end, 2 * end - begin
            # The other does not reach it, and holds no row with which it would.
            kept = begin
            for at in range(begin, end):
                row, own = members[at], places[members[at], attribute]
                low, high = widened(scales, attribute, before, after, own)
                alone = loss(scales, attribute, low, high)
                members[end + at - begin] = row
                losses[end + at - begin] = losses[at] + loss_with(scales, attribute, one, two, own) - alone
                again, twice = widened(scales, attribute, low, high, place)
                if again != low or twice != high:
                    members[kept], losses[kept] = row, losses[at]
                    kept += 1
            ends[now] = kept
            depth += 1
    return -1, decided
