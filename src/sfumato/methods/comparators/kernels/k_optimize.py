"""What becomes of the classes of a table when one more cut goes through all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.rules import Rules, class_allowed, clear, limits_spans

#: The columns of what `try_cuts` returns. Of all releases with the cut: the rows that are left out at least, and the
#: least that one costs. Of the one that has no further cut: the rows that are left out, and what it costs.
SURELY_OUT, BOUND, LEFT_OUT, COST = range(4)


class LabelledRows(NamedTuple):
    """The rows: codes, sensitive codes, and the label that a classifier would learn (all 0 where none counts)."""

    codes: NDArray[np.unsignedinteger]
    sensitive: NDArray[np.int32]
    labels: NDArray[np.int32]


class Prices(NamedTuple):
    """What is to be lowered: rows with another label than most of their class, or else squares of class sizes."""

    by_label: bool
    left_out: float


@kernel
def classes_of_cuts(
    codes: NDArray[np.unsignedinteger], cuts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], int]:
    """Return the class of every row when the cuts are made, and how many classes there are."""
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
    """Return the group of each code of an attribute when the cuts are made."""
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
    """Return for every cut, an attribute and the first code of its second side, what it leads to.

    ``floors`` holds what each row costs at least as long as it is released. All rules are monotone.
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
    """Write what classes lead to, column by column.

    A class that is too small stays so in all its parts. Of another that is not allowed, some parts may be, never all.
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
    """Return the rows class by class, and where each class ends."""
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
    """Find what a class spans, if that matters, and how often each sensitive value occurs in it."""
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
    """Return how many rows of a class have another label than most of it."""
    clear(counts)
    most = np.int64(0)
    for row in members:
        counts[labels[row]] += 1
        most = max(most, counts[labels[row]])
    return float(len(members) - most)
