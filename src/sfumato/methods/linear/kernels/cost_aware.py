"""An order of rows by the cost of spans: the cut that saves most first, then each side again.

A part is cut where the cut saves most of the loss of the part as one class, with a preference for attributes that
lose much. The side nearer to the rows already placed comes first, so that the order has no jumps at cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.spans import Spans, span_cost

#: The codes of parts of at most this many rows are sorted by insertion; those of larger parts by counting.
SMALL = 24


class NestedRows(NamedTuple):
    """Distinct rows, sorted in place: codes column by column, how often each row occurs, its number before sorting."""

    codes: NDArray[np.unsignedinteger]
    counts: NDArray[np.int64]
    order: NDArray[np.int64]


class CodeScratch(NamedTuple):
    """Scratch space for one attribute of one part: a histogram by code, and the codes that occur with their counts."""

    histogram: NDArray[np.int64]
    present: NDArray[np.int64]
    counts: NDArray[np.int64]


@kernel
def nest_rows(
    rows: NestedRows, parts: NDArray[np.int64], smallest: int, scratch: CodeScratch, spans: Spans
) -> NDArray[np.int64]:
    """Sort the rows of consecutive parts, given where each begins and where the last ends.

    Parts of at most ``smallest`` rows are not cut further. Returns where the resulting parts begin and the last ends.
    """
    attributes = len(rows.codes)
    last = np.full(attributes, -1, np.int64)
    stop = parts[-1]
    begins = np.empty(stop - parts[0] + 1, np.int64)
    waiting = np.empty(stop - parts[0] + len(parts), np.int64)
    found, left = 0, len(parts) - 1
    # A stack of the ends of the pending parts, the next on top: a part begins where the one before it ends. Assigning a
    # slice would compile the message for slices of different lengths too, which takes longer than all the rest.
    for place in range(left):
        waiting[place] = parts[left - place]
    start = parts[0]
    while left:
        stop = waiting[left - 1]
        if stop - start <= smallest:
            for other in range(attributes):
                last[other] = rows.codes[other, stop - 1]
            begins[found] = start
            found, left, start = found + 1, left - 1, stop
            continue
        attribute, lo, code, hi = best_cut(rows, start, stop, scratch, spans)
        upper_first = nearer_above(spans, attribute, last[attribute], lo, code, hi)
        waiting[left] = divide(rows, attribute, start, stop, code, upper_first)
        left += 1
    begins[found] = start
    return begins[: found + 1]


@inner
def best_cut(rows: NestedRows, start: int, stop: int, scratch: CodeScratch, spans: Spans) -> tuple[int, int, int, int]:
    """Find the attribute to cut; returns it with the first code of the part, that of the upper side, and the last."""
    best, best_attribute, best_lo, best_code, best_hi = -1.0, np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    total = np.int64(0)
    for row in range(start, stop):
        total += rows.counts[row]
    for attribute in range(len(rows.codes)):
        column = rows.codes[attribute]
        smallest = largest = column[start]
        for row in range(start + 1, stop):
            smallest = min(smallest, column[row])
            largest = max(largest, column[row])
        lo: int = np.int64(smallest)
        hi: int = np.int64(largest)
        if lo == hi:
            continue
        width = spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
        # The preference for wide attributes, the cube of their width, was tuned on mixed tables.
        cubed = width * width * width
        # An upper bound of the score: no cut saves more than the whole width.
        if total * width * cubed <= best:
            continue
        if stop - start <= SMALL:
            found = sort_codes(column, rows.counts, start, stop, scratch)
        else:
            found = count_codes(column, rows.counts, start, stop, lo, hi, scratch)
        saved, code = most_saved(scratch, found, spans, attribute, total)
        score = spans.weight[attribute] * saved * cubed
        if score > best:
            best, best_attribute, best_lo, best_code, best_hi = score, np.int64(attribute), lo, code, hi
    return best_attribute, best_lo, best_code, best_hi


@inner
def sort_codes(
    column: NDArray[np.unsignedinteger], counts: NDArray[np.int64], start: int, stop: int, scratch: CodeScratch
) -> int:
    """List the distinct codes of a small part with their counts, ascending; return their number."""
    found = 0
    for row in range(start, stop):
        code = np.int64(column[row])
        place = found
        while place > 0 and scratch.present[place - 1] > code:
            place -= 1
        if place > 0 and scratch.present[place - 1] == code:
            scratch.counts[place - 1] += counts[row]
            continue
        for other in range(found, place, -1):
            scratch.present[other], scratch.counts[other] = scratch.present[other - 1], scratch.counts[other - 1]
        scratch.present[place], scratch.counts[place] = code, counts[row]
        found += 1
    return found


@inner
def count_codes(
    column: NDArray[np.unsignedinteger],
    counts: NDArray[np.int64],
    start: int,
    stop: int,
    lo: int,
    hi: int,
    scratch: CodeScratch,
) -> int:
    """List the distinct codes of a large part as `sort_codes` does; the histogram is left empty for the next call."""
    for row in range(start, stop):
        scratch.histogram[column[row]] += counts[row]
    found = 0
    for code in range(lo, hi + 1):
        if scratch.histogram[code]:
            scratch.present[found], scratch.counts[found] = code, scratch.histogram[code]
            scratch.histogram[code] = 0
            found += 1
    return found


@inner
def most_saved(scratch: CodeScratch, found: int, spans: Spans, attribute: int, total: int) -> tuple[float, int]:
    """Find the best cut of one attribute: what it saves, summed over rows, and the first code above it."""
    first, last = scratch.present[0], scratch.present[found - 1]
    whole = total * span_cost(spans, attribute, first, last)
    best, best_code = -1.0, last
    below = np.int64(0)
    for at in range(1, found):
        below += scratch.counts[at - 1]
        lower = span_cost(spans, attribute, first, scratch.present[at - 1])
        upper = span_cost(spans, attribute, scratch.present[at], last)
        saved = whole - below * lower - (total - below) * upper
        if saved > best:
            best, best_code = saved, scratch.present[at]
    return best, best_code


@inner
def nearer_above(spans: Spans, attribute: int, last: int, lo: int, code: int, hi: int) -> bool:
    """Whether the last placed code would lose no more together with the upper side of a cut than with the lower."""
    if last < code:
        return False
    return span_cost(spans, attribute, code, max(last, hi)) <= span_cost(spans, attribute, lo, last)


@inner
def divide(rows: NestedRows, attribute: int, start: int, stop: int, code: int, upper_first: bool) -> int:
    """Move the rows of the first side to the front of the part; return where the second side begins."""
    key = rows.codes[attribute]
    left, right = start, stop - 1
    while True:
        while left <= right and (key[left] < code) != upper_first:
            left += 1
        while left <= right and (key[right] < code) == upper_first:
            right -= 1
        if left > right:
            return left
        for other in range(len(rows.codes)):
            column = rows.codes[other]
            column[left], column[right] = column[right], column[left]
        rows.counts[left], rows.counts[right] = rows.counts[right], rows.counts[left]
        rows.order[left], rows.order[right] = rows.order[right], rows.order[left]
        left += 1
        right -= 1
