"""Divide rows between two seeds that are far apart, and each side again.

As in Mondrian, a part is a stretch of consecutive rows, and dividing it moves rows. Their order within a side is kept,
so rows that were shuffled once are processed in random order everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.kernels.divide import (
    MOST_WAITING,
    Cutting,
    PartedTable,
    count_values,
    find_bounds,
    set_aside,
    sides_allowed,
)
from sfumato.table.kernels.rules import Rules, class_allowed
from sfumato.table.kernels.spans import Spans, box_penalty, widened_penalty

#: How often the search for the most distant row is repeated, each time from the row found before.
ROUNDS = 3

#: The side a row joins: of the nearer seed, whose loss grows less, or whose penalty with the row is lower.
BY_SEED, BY_GROWTH, BY_PENALTY = 0, 1, 2

#: The tolerance for sums of the same fractions in different order.
EPSILON = 1e-9


@kernel
def divide_by_seeds(layout: PartedTable, cutting: Cutting, joining: int, begins: NDArray[np.bool_]) -> None:
    """Divide all rows into parts, marking where each begins; ``joining`` as in `assign`."""
    waiting = np.empty((MOST_WAITING, 2), np.int64)
    count = 1
    waiting[0, 0], waiting[0, 1] = 0, len(layout.order)
    while count:
        count -= 1
        start, stop = waiting[count, 0], waiting[count, 1]
        begins[start] = True
        while True:
            middle = divide_once(layout, cutting, joining, start, stop)
            if middle == start:
                break
            begins[middle] = True
            start, stop = set_aside(waiting[count], start, middle, stop)
            count += 1


@inner
def divide_once(layout: PartedTable, cutting: Cutting, joining: int, start: int, stop: int) -> int:
    """Divide a part in two; return where the second side begins, or ``start`` if no division is allowed."""
    if stop - start < 2 * cutting.smallest:
        return start
    bounds = np.empty((2, len(layout.codes)), np.int64)
    histogram = np.zeros(max(1, cutting.rules.counts_at[-1]), np.int64)
    seeds = distant_rows(layout, cutting.spans, start, stop)
    second_side = np.zeros(stop - start, np.bool_)
    boxes = assign(layout, cutting.spans, start, seeds, joining, second_side)
    middle = move_sides(layout, start, second_side)
    if sides_allowed(layout, cutting, start, middle, stop, bounds, histogram):
        return middle
    for side in range(2):
        moved = borrow(layout, cutting, start, middle, stop, side, boxes[side])
        if moved != middle and sides_allowed(layout, cutting, start, moved, stop, bounds, histogram):
            return moved
    return start


@inner
def distant_rows(layout: PartedTable, spans: Spans, start: int, stop: int) -> tuple[int, int]:
    """Find two distant rows: start anywhere, and repeatedly take the row most distant from the last one."""
    box = np.empty((2, len(layout.codes)), np.int64)
    one = other = start
    for _ in range(ROUNDS):
        one, farthest = other, -1.0
        for attribute in range(len(layout.codes)):
            box[0, attribute] = box[1, attribute] = layout.codes[attribute, one]
        for row in range(start, stop):
            distance = widened_penalty(spans, box, layout.codes[:, row], np.inf)
            if row != one and distance > farthest + EPSILON:
                other, farthest = row, distance
    return one, other


@inner
def assign(
    layout: PartedTable, spans: Spans, start: int, seeds: tuple[int, int], joining: int, second_side: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Assign every row to one of two seeds, in case of a tie to the smaller side; return what each side spans.

    ``joining`` says what is compared: the penalty of the seed and the row (`BY_SEED`), by how much the loss of all rows
    of a side grows (`BY_GROWTH`), or the penalty of the side with the row, whatever it was before (`BY_PENALTY`).
    """
    boxes = np.empty((2, 2, len(layout.codes)), np.int64)
    sizes, penalties, growth = np.ones(2, np.int64), np.zeros(2), np.empty(2)
    for side in range(2):
        for attribute in range(len(layout.codes)):
            boxes[side, :, attribute] = layout.codes[attribute, seeds[side]]
        penalties[side] = box_penalty(spans, boxes[side])
    second_side[seeds[1] - start] = True
    for at in range(len(second_side)):
        if start + at in seeds:
            continue
        codes = layout.codes[:, start + at]
        for side in range(2):
            growth[side] = widened_penalty(spans, boxes[side], codes, np.inf)
            if joining == BY_GROWTH:
                growth[side] += sizes[side] * (growth[side] - penalties[side])
        nearly = abs(growth[1] - growth[0]) < EPSILON
        side = np.int64(sizes[1] < sizes[0] if nearly else growth[1] < growth[0])
        second_side[at] = side == 1
        sizes[side] += 1
        if joining != BY_SEED:
            widen(boxes[side], codes)
            penalties[side] = box_penalty(spans, boxes[side])
    return boxes


@inner
def widen(box: NDArray[np.int64], codes: NDArray[np.unsignedinteger]) -> None:
    """Widen the box of a side by one row."""
    for attribute in range(len(codes)):
        box[0, attribute] = min(box[0, attribute], np.int64(codes[attribute]))
        box[1, attribute] = max(box[1, attribute], np.int64(codes[attribute]))


@inner
def move_sides(layout: PartedTable, start: int, second_side: NDArray[np.bool_]) -> int:
    """Move the rows of the second side after those of the first; return where they begin."""
    places = np.empty(len(second_side), np.int64)
    first = len(second_side) - np.count_nonzero(second_side)
    next_first, next_second = 0, first
    for at in range(len(second_side)):
        if second_side[at]:
            places[at] = next_second
            next_second += 1
        else:
            places[at] = next_first
            next_first += 1
    for attribute in range(len(layout.codes)):
        move(layout.codes[attribute, start : start + len(places)], places)
    for column in range(len(layout.sensitive)):
        move(layout.sensitive[column, start : start + len(places)], places)
    move(layout.order[start : start + len(places)], places)
    return start + first


@inner
def move(values: NDArray[np.generic], places: NDArray[np.int64]) -> None:
    """Move every value to its new place."""
    before = values.copy()
    for at in range(len(places)):
        values[places[at]] = before[at]


@inner
def borrow(
    layout: PartedTable, cutting: Cutting, start: int, middle: int, stop: int, side: int, box: NDArray[np.int64]
) -> int:
    """Move the nearest rows of the other side to one that is not allowed, until it is; return where the second begins.

    Nothing is moved if the side is allowed already, or if the other side would have to give up too much.
    """
    begin, end = (start, middle) if side == 0 else (middle, stop)
    other_begin, other_end = (middle, stop) if side == 0 else (start, middle)
    bounds = np.empty((2, len(layout.codes)), np.int64)
    histogram = np.zeros(max(1, cutting.rules.counts_at[-1]), np.int64)
    find_bounds(layout.codes, begin, end, bounds)
    count_values(layout.sensitive, cutting.rules.counts_at, begin, end, histogram)
    size = end - begin
    if class_allowed(size, histogram, bounds[0], bounds[1], cutting.rules):
        return middle
    distances = np.empty(other_end - other_begin)
    for at in range(len(distances)):
        distances[at] = widened_penalty(cutting.spans, box, layout.codes[:, other_begin + at], np.inf)
    to_second = np.zeros(stop - start, np.bool_)
    to_second[middle - start :] = True
    for at in np.argsort(distances, kind="mergesort")[: max(0, len(distances) - cutting.smallest)]:
        row = other_begin + at
        to_second[row - start] = side == 1
        size += 1
        include(layout, cutting.rules, row, bounds, histogram)
        if class_allowed(size, histogram, bounds[0], bounds[1], cutting.rules):
            return move_sides(layout, start, to_second)
    return middle


@inner
def include(
    layout: PartedTable, rules: Rules, row: int, bounds: NDArray[np.int64], histogram: NDArray[np.int64]
) -> None:
    """Add a row to the bounds and the histogram of a class."""
    widen(bounds, layout.codes[:, row])
    for column in range(len(layout.sensitive)):
        histogram[rules.counts_at[column] + layout.sensitive[column, row]] += 1
