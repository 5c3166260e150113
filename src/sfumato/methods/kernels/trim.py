"""Find the rows at the edge of a class that widen it for all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.rules import Rules, class_allowed
from sfumato.table.kernels.spans import Spans, box_penalty, span_cost


@kernel
def best_trims(
    codes: NDArray[np.unsignedinteger],
    sensitive: NDArray[np.int32],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    rules: Rules,
    spans: Spans,
    most: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Find for every class the edge whose rows, at most ``most``, are best suppressed.

    The rows of class ``c`` are ``order[offsets[c]:offsets[c + 1]]``. Return per class the loss saved (0 if none), the
    number of rows, the attribute, and whether the edge is the upper one.
    """
    classes, attributes = len(offsets) - 1, codes.shape[1]
    saved = np.zeros(classes)
    counts = np.zeros(classes, np.int64)
    best_attribute = np.zeros(classes, np.int64)
    best_upper = np.zeros(classes, np.bool_)
    edge = np.empty((6, attributes), np.int64)
    lo, hi, next_lo, next_hi, at_lo, at_hi = edge[0], edge[1], edge[2], edge[3], edge[4], edge[5]
    inside = np.empty((2, attributes), np.int64)
    histogram = np.empty(max(1, rules.counts_at[-1]), np.int64)
    for group in range(classes):
        rows = order[offsets[group] : offsets[group + 1]]
        if len(rows) == 0:
            continue
        find_edges(codes, rows, edge)
        penalty = box_penalty(spans, edge[:2])
        for attribute in range(attributes):
            if lo[attribute] == hi[attribute]:
                continue
            for upper in range(2):
                leaving = at_hi[attribute] if upper else at_lo[attribute]
                if leaving > most or leaving >= len(rows):
                    continue
                before = span_cost(spans, attribute, lo[attribute], hi[attribute])
                after = (
                    span_cost(spans, attribute, lo[attribute], next_hi[attribute])
                    if upper
                    else span_cost(spans, attribute, next_lo[attribute], hi[attribute])
                )
                gain = (len(rows) - leaving) * spans.weight[attribute] * (before - after) - leaving * (1 - penalty)
                # The best use of a budget saves the most loss per suppressed row.
                if gain <= 1e-12 or gain * max(1, counts[group]) <= saved[group] * leaving:
                    continue
                bound = hi[attribute] if upper else lo[attribute]
                summarize(codes, sensitive, rows, attribute, bound, rules, histogram, inside)
                if class_allowed(len(rows) - leaving, histogram, inside[0], inside[1], rules):
                    saved[group], counts[group] = gain, leaving
                    best_attribute[group], best_upper[group] = attribute, upper == 1
    return saved, counts, best_attribute, best_upper


@inner
def find_edges(codes: NDArray[np.unsignedinteger], rows: NDArray[np.int64], edge: NDArray[np.int64]) -> None:
    """Find the two smallest and two largest codes of every attribute, and count the rows at the extremes."""
    for attribute in range(codes.shape[1]):
        smallest = largest = np.int64(codes[rows[0], attribute])
        for row in rows:
            code = np.int64(codes[row, attribute])
            smallest, largest = min(smallest, code), max(largest, code)
        second, penultimate, low, high = largest, smallest, 0, 0
        for row in rows:
            code = np.int64(codes[row, attribute])
            low += code == smallest
            high += code == largest
            if code > smallest:
                second = min(second, code)
            if code < largest:
                penultimate = max(penultimate, code)
        edge[0, attribute], edge[1, attribute] = smallest, largest
        edge[2, attribute], edge[3, attribute] = second, penultimate
        edge[4, attribute], edge[5, attribute] = low, high


@inner
def summarize(
    codes: NDArray[np.unsignedinteger],
    sensitive: NDArray[np.int32],
    rows: NDArray[np.int64],
    without_attribute: int,
    without_code: int,
    rules: Rules,
    histogram: NDArray[np.int64],
    inside: NDArray[np.int64],
) -> None:
    """Count the sensitive values and find the bounds of a class without the rows that have one code."""
    histogram[:] = 0
    begun = False
    for row in rows:
        if codes[row, without_attribute] == without_code:
            continue
        for column in range(sensitive.shape[1]):
            histogram[rules.counts_at[column] + sensitive[row, column]] += 1
        for attribute in range(codes.shape[1]):
            code = np.int64(codes[row, attribute])
            inside[0, attribute] = min(inside[0, attribute], code) if begun else code
            inside[1, attribute] = max(inside[1, attribute], code) if begun else code
        begun = True
