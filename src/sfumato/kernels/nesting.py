"""An order of rows that knows what spans cost: the costliest cut first, and each side again.

A part is cut where the cut saves most of what the part would lose as one class, and attributes that lose much go
first. The side nearer to the rows already placed comes first, so that the order runs on smoothly across cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import inner, kernel
from sfumato.kernels.spans import Spans, span_cost

#: How much more a wide attribute counts than what a cut of it saves; found by trying on mixed tables.
WIDE_FIRST = 3.0


class Rows(NamedTuple):
    """The rows while they are ordered: their codes column by column, which row is where, and room for half of them."""

    codes: NDArray[np.unsignedinteger]
    order: NDArray[np.int64]
    room: NDArray[np.int64]


@kernel
def nest_rows(rows: Rows, spans: Spans) -> None:
    """Bring the rows into their order."""
    attributes, count = rows.codes.shape
    histogram = np.zeros(spans.index[:, 1].max() + 1, np.int64)
    bounds = np.empty((2, attributes), np.int64)
    last = np.full(attributes, -1, np.int64)
    waiting = np.empty((count + 1, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, count
    parts = 1
    while parts:
        parts -= 1
        start, stop = waiting[parts, 0], waiting[parts, 1]
        attribute, code = best_cut(rows.codes, start, stop, spans, histogram, bounds)
        if attribute < 0:
            for other in range(attributes):
                last[other] = rows.codes[other, stop - 1]
            continue
        upper_first = last[attribute] >= code and nearer_above(
            spans, attribute, last[attribute], code, bounds[0, attribute], bounds[1, attribute]
        )
        middle = divide(rows, attribute, start, stop, code, upper_first)
        waiting[parts, 0], waiting[parts, 1] = middle, stop
        waiting[parts + 1, 0], waiting[parts + 1, 1] = start, middle
        parts += 2


@inner
def best_cut(
    codes: NDArray[np.unsignedinteger],
    start: int,
    stop: int,
    spans: Spans,
    histogram: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> tuple[int, int]:
    """Return the attribute to cut and the first code of the upper side; -1 if all rows are equal."""
    best, best_attribute, best_code = -1.0, np.int64(-1), np.int64(0)
    for attribute in range(len(codes)):
        column = codes[attribute]
        lo = hi = column[start]
        for row in range(start + 1, stop):
            lo = min(lo, column[row])
            hi = max(hi, column[row])
        first: int = np.int64(lo)
        last: int = np.int64(hi)
        bounds[0, attribute], bounds[1, attribute] = first, last
        if first == last:
            continue
        width = spans.weight[attribute] * span_cost(spans, attribute, first, last)
        if (stop - start) * width ** (WIDE_FIRST + 1) <= best:
            continue
        for row in range(start, stop):
            histogram[column[row]] += 1
        saved, code = most_saved(histogram, spans, attribute, first, last, stop - start)
        score = spans.weight[attribute] * saved * width**WIDE_FIRST
        if score > best:
            best, best_attribute, best_code = score, np.int64(attribute), code
        for row in range(start, stop):
            histogram[column[row]] = 0
    return best_attribute, best_code


@inner
def most_saved(
    histogram: NDArray[np.int64], spans: Spans, attribute: int, first: int, last: int, count: int
) -> tuple[float, int]:
    """Return how much the best cut of one attribute saves, summed over rows, and the first code above it."""
    whole = count * span_cost(spans, attribute, first, last)
    best, best_code = -1.0, last
    code, below = first, 0
    while code < last:
        below += histogram[code]
        following = code + 1
        while histogram[following] == 0:
            following += 1
        lower = span_cost(spans, attribute, first, code)
        upper = span_cost(spans, attribute, following, last)
        saved = whole - below * lower - (count - below) * upper
        if saved > best:
            best, best_code = saved, following
        code = following
    return best, best_code


@inner
def nearer_above(spans: Spans, attribute: int, last: int, code: int, lo: int, hi: int) -> bool:
    """Return whether the last placed code loses no more with the upper side of a cut than with the lower."""
    with_lower = span_cost(spans, attribute, min(last, lo), max(last, code - 1))
    with_upper = span_cost(spans, attribute, min(last, code), max(last, hi))
    return last > lo and with_upper <= with_lower


@inner
def divide(rows: Rows, attribute: int, start: int, stop: int, code: int, upper_first: bool) -> int:
    """Bring the rows of one side to the front and the others behind them; return where the others begin."""
    key = rows.codes[attribute]
    room = rows.room
    front, back = start, stop
    for row in range(start, stop):
        # Each row's place behind the division, counted from both ends.
        if (key[row] < code) != upper_first:
            room[row] = front
            front += 1
        else:
            back -= 1
            room[row] = back
    # Follow every cycle of the moves; a place that is done points to itself.
    for row in range(start, stop):
        while room[row] != row:
            target = room[row]
            room[row], room[target] = room[target], target
            swap(rows, row, target)
    return front


@inner
def swap(rows: Rows, first: int, second: int) -> None:
    """Exchange two rows."""
    codes, order = rows.codes, rows.order
    for attribute in range(len(codes)):
        codes[attribute, first], codes[attribute, second] = codes[attribute, second], codes[attribute, first]
    order[first], order[second] = order[second], order[first]
