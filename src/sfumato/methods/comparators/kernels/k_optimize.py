"""The effect of one more cut through all classes of a table, for K-Optimize."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.rules import Rules, class_allowed, clear, limits_spans

#: The columns of what `try_cuts` returns. For all releases with the cut: lower bounds of the rows left out and of the
#: cost. For the release without any further cut: the rows left out, and the cost.
SURELY_OUT, BOUND, LEFT_OUT, COST = range(4)


class LabelledRows(NamedTuple):
    """The rows: codes, sensitive codes, and the label that a classifier would learn (all 0 if labels do not count)."""

    codes: NDArray[np.unsignedinteger]
    sensitive: NDArray[np.int32]
    labels: NDArray[np.int32]


class Prices(NamedTuple):
    """What is minimized: the rows with another label than the majority of their class, or the squared class sizes."""

    by_label: bool
    left_out: float


@kernel
def classes_of_cuts(
    codes: NDArray[np.unsignedinteger], cuts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], int]:
    """Apply cuts: the class of every row, and the number of classes."""
    classes, count = np.zeros(len(codes), np.int32), 1
    for attribute in range(len(sizes)):
        group_of = groups_of_cuts(cuts, attribute, sizes[attribute])
        groups = group_of[-1] + 1
        if groups == 1:
            continue
        numbers, found = np.full(count * groups, -1, np.int32), 0
        for row in range(len(codes)):
            key = classes[row] * groups + group_of[codes[row, attribute]]
            if numbers[key] < 0:
                numbers[key] = found
                found += 1
            classes[row] = numbers[key]
        count = found
    return classes, count


@kernel
def groups_of_cuts(cuts: NDArray[np.int64], attribute: int, size: int) -> NDArray[np.int64]:
    """Apply the cuts of one attribute: the group of each of its codes."""
    group_of = np.zeros(size, np.int64)
    for at in range(len(cuts)):
        if cuts[at, 0] == attribute:
            group_of[cuts[at, 1]] = 1
    for code in range(1, size):
        group_of[code] += group_of[code - 1]
    return group_of


@kernel
def try_cuts(
    people: LabelledRows,
    classes: NDArray[np.int32],
    cuts: NDArray[np.int64],
    floors: NDArray[np.float64],
    prices: Prices,
    rules: Rules,
    smallest: int,
) -> NDArray[np.float64]:
    """Evaluate every cut, given by an attribute and the first code of its second side, on top of the given classes.

    ``floors`` holds a lower bound of the cost of each row, provided that it is released. All rules are monotone.
    """
    found = np.empty((len(cuts), 4))
    halves = np.empty(len(classes), np.int64)
    for at in range(len(cuts)):
        for row in range(len(classes)):
            halves[row] = 2 * np.int64(classes[row]) + (people.codes[row, cuts[at, 0]] >= cuts[at, 1])
        judge(people, halves, floors, prices, rules, smallest, found[at])
    return found


@inner
def judge(
    people: LabelledRows,
    classes: NDArray[np.int64],
    floors: NDArray[np.float64],
    prices: Prices,
    rules: Rules,
    smallest: int,
    found: NDArray[np.float64],
) -> None:
    """Evaluate a set of classes, column by column.

    All parts of a class that is too small are too small. Of any other class that is not allowed, some parts may be
    allowed, but never all.
    """
    order, ends = sorted_by(classes)
    bounds = np.empty((2, people.codes.shape[1]), np.int64)
    histogram = np.empty(max(1, rules.counts_at[-1]), np.int64)
    labels = np.empty(max(people.labels) + 1 if len(people.labels) else 1, np.int64)
    found[:] = 0.0
    start = 0
    for stop in ends:
        members, size = order[start:stop], stop - start
        start = stop
        if not size:
            continue
        describe(people, members, rules, bounds, histogram)
        allowed = class_allowed(size, histogram, bounds[0], bounds[1], rules)
        if allowed:
            found[COST] += strangers(people.labels, members, labels) if prices.by_label else float(size) ** 2
        else:
            found[LEFT_OUT] += size
            found[SURELY_OUT] += size if size < smallest else 1
        if allowed or size >= smallest:
            for row in members:
                found[BOUND] += floors[row]
        else:
            found[BOUND] += size * prices.left_out
    found[COST] += found[LEFT_OUT] * prices.left_out


@inner
def sorted_by(classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort the rows by class; returns them and where each class ends."""
    most = np.int64(-1)
    for group in classes:
        most = max(most, group)
    places = np.zeros(most + 2, np.int64)
    for group in classes:
        places[group + 1] += 1
    for group in range(most + 1):
        places[group + 1] += places[group]
    order = np.empty(len(classes), np.int64)
    for row in range(len(classes)):
        order[places[classes[row]]] = row
        places[classes[row]] += 1
    return order, places[: most + 1]


@inner
def describe(
    people: LabelledRows,
    members: NDArray[np.int64],
    rules: Rules,
    bounds: NDArray[np.int64],
    histogram: NDArray[np.int64],
) -> None:
    """Find what a class spans, if any rule depends on that, and count its sensitive values."""
    if limits_spans(rules):
        for attribute in range(people.codes.shape[1]):
            lo = hi = np.int64(people.codes[members[0], attribute])
            for row in members:
                code = np.int64(people.codes[row, attribute])
                lo, hi = min(lo, code), max(hi, code)
            bounds[0, attribute], bounds[1, attribute] = lo, hi
    clear(histogram)
    for row in members:
        for column in range(people.sensitive.shape[1]):
            histogram[rules.counts_at[column] + people.sensitive[row, column]] += 1


@inner
def strangers(labels: NDArray[np.int32], members: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Count the rows of a class with another label than its majority."""
    clear(counts)
    most = np.int64(0)
    for row in members:
        counts[labels[row]] += 1
        most = max(most, counts[labels[row]])
    return float(len(members) - most)
