"""Cut a table where that lowers the loss most, and each side again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.kernels.divide import MOST_WAITING, Cutting, PartedTable, find_bounds, set_aside, sides_allowed
from sfumato.methods.multidim.kernels.mondrian import median, move_below
from sfumato.table.kernels.spans import Spans, box_penalty

#: The most positions tried per attribute; in wider parts, several consecutive codes share a bin.
BINS = 256

#: Differences below this are rounding errors.
EPSILON = 1e-12


class BinScratch(NamedTuple):
    """Scratch space for the bins of an attribute: what the rows of each bin span, how many there are, and costs."""

    boxes: NDArray[np.int64]
    counts: NDArray[np.int64]
    costs: NDArray[np.float64]
    bounds: NDArray[np.int64]
    histogram: NDArray[np.int64]


@kernel
def cut_best_first(
    layout: PartedTable, cutting: Cutting, begins: NDArray[np.bool_], parts: NDArray[np.int64], done: NDArray[np.int64]
) -> None:
    """Cut consecutive parts into smaller ones, marking where each begins.

    ``parts`` holds where each part begins and where the last ends; ``done[0]`` counts the rows that are finished.
    """
    attributes = len(layout.codes)
    scratch = BinScratch(
        np.empty((BINS + 1, 2, attributes), np.int64),
        np.empty(BINS, np.int64),
        np.empty(max(BINS, attributes)),
        np.empty((2, attributes), np.int64),
        np.zeros(max(1, cutting.rules.counts_at[-1]), np.int64),
    )
    waiting = np.empty((MOST_WAITING, 2), np.int64)
    for part in range(len(parts) - 1):
        waiting[0, 0], waiting[0, 1] = parts[part], parts[part + 1]
        count = 1
        while count:
            count -= 1
            start, stop = waiting[count, 0], waiting[count, 1]
            begins[start] = True
            while stop - start > 1:
                middle = cut_best(layout, cutting, start, stop, scratch)
                if middle == start:
                    break
                begins[middle] = True
                start, stop = set_aside(waiting[count], start, middle, stop)
                count += 1
            done[0] += stop - start


@inner
def cut_best(layout: PartedTable, cutting: Cutting, start: int, stop: int, scratch: BinScratch) -> int:
    """Make the allowed cut that gains most; return where the second side begins, or ``start`` when there is none."""
    if stop - start < 2 * cutting.smallest:
        return start
    attributes = len(layout.codes)
    gains = np.empty(attributes)
    places = np.empty(attributes, np.int64)
    find_bounds(layout.codes, start, stop, scratch.bounds)
    whole = (stop - start) * box_penalty(cutting.spans, scratch.bounds)
    if whole <= EPSILON:
        return start
    for attribute in range(attributes):
        gains[attribute], places[attribute] = best_place(layout, cutting, start, stop, attribute, whole, scratch)
    for _ in range(2 * attributes):
        attribute = np.int64(0)
        for other in range(1, attributes):
            if gains[other] > gains[attribute]:
                attribute = np.int64(other)
        if gains[attribute] < 0:
            break
        middle = move_below(layout, attribute, start, stop, places[attribute])
        if sides_allowed(layout, cutting, start, middle, stop, scratch.bounds, scratch.histogram):
            return middle
        fall_back(layout, start, stop, attribute, gains, places)
    return start


@inner
def fall_back(
    layout: PartedTable, start: int, stop: int, attribute: int, gains: NDArray[np.float64], places: NDArray[np.int64]
) -> None:
    """After the rules rejected a cut, propose the median of its attribute, once."""
    column = layout.codes[attribute]
    lo = hi = np.int64(column[start])
    for row in range(start, stop):
        lo, hi = min(lo, np.int64(column[row])), max(hi, np.int64(column[row]))
    place = np.int64(median(column, start, stop, lo, hi))
    if place == lo:
        place += 1
    tried = gains[attribute] == 0.0 and places[attribute] == place
    gains[attribute] = -1.0 if tried else 0.0
    places[attribute] = place


@inner
def best_place(
    layout: PartedTable, cutting: Cutting, start: int, stop: int, attribute: int, whole: float, scratch: BinScratch
) -> tuple[float, int]:
    """Find the best cut of one attribute: its gain, -1 if there is none, and the first code of its second side."""
    lo, hi = scratch.bounds[0, attribute], scratch.bounds[1, attribute]
    if lo == hi:
        return -1.0, lo
    width = (hi - lo) // BINS + 1
    bins = (hi - lo) // width + 1
    fill_bins(layout, start, stop, attribute, lo, width, bins, scratch)
    below(cutting.spans, bins, scratch)
    box, attributes = scratch.boxes[BINS], scratch.boxes.shape[2]
    rows, best, place, evenness = np.int64(0), -1.0, lo, np.int64(0)
    for at in range(bins - 1, 0, -1):
        if scratch.counts[at] == 0:
            continue
        for other in range(attributes):
            code_lo, code_hi = scratch.boxes[at, 0, other], scratch.boxes[at, 1, other]
            box[0, other] = min(box[0, other], code_lo) if rows else code_lo
            box[1, other] = max(box[1, other], code_hi) if rows else code_hi
        rows += scratch.counts[at]
        fewer = min(rows, stop - start - rows)
        if fewer < cutting.smallest:
            continue
        gain = max(0.0, whole - scratch.costs[at - 1] - rows * box_penalty(cutting.spans, box))
        if gain > best + EPSILON or (gain > best - EPSILON and fewer > evenness):
            best, place, evenness = gain, lo + at * width, fewer
    return best, place


@inner
def fill_bins(
    layout: PartedTable, start: int, stop: int, attribute: int, lo: int, width: int, bins: int, scratch: BinScratch
) -> None:
    """Count the rows of every bin, and find what they span."""
    for at in range(bins):
        scratch.counts[at] = 0
    for row in range(start, stop):
        at = (np.int64(layout.codes[attribute, row]) - lo) // width
        for other in range(len(layout.codes)):
            code = np.int64(layout.codes[other, row])
            if scratch.counts[at] == 0:
                scratch.boxes[at, 0, other] = scratch.boxes[at, 1, other] = code
            else:
                scratch.boxes[at, 0, other] = min(scratch.boxes[at, 0, other], code)
                scratch.boxes[at, 1, other] = max(scratch.boxes[at, 1, other], code)
        scratch.counts[at] += 1


@inner
def below(spans: Spans, bins: int, scratch: BinScratch) -> None:
    """Compute the cost of the rows up to and including each bin, as one class."""
    box, attributes = scratch.boxes[BINS], scratch.boxes.shape[2]
    rows, cost = np.int64(0), 0.0
    for at in range(bins):
        if scratch.counts[at]:
            for other in range(attributes):
                lo, hi = scratch.boxes[at, 0, other], scratch.boxes[at, 1, other]
                box[0, other] = min(box[0, other], lo) if rows else lo
                box[1, other] = max(box[1, other], hi) if rows else hi
            rows += scratch.counts[at]
            cost = rows * box_penalty(spans, box)
        scratch.costs[at] = cost
