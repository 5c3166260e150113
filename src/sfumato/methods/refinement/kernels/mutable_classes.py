"""Mutable classes: rows join and leave one at a time, and bounds stay exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.rules import Rules, clear
from sfumato.table.kernels.spans import Spans, box_penalty

#: The rounding error of sums of the same fractions; a smaller gain does not count.
EPSILON = 1e-9

#: The columns of ``Grouping.links``.
NEXT, PREVIOUS = 0, 1

#: No row.
NONE = -1


class Table(NamedTuple):
    """The rows: codes of the quasi-identifiers and of the sensitive columns."""

    codes: NDArray[np.unsignedinteger]
    sensitive: NDArray[np.int32]


class Aim(NamedTuple):
    """The rules that classes must keep, and the costs to lower.

    Attributes
    ----------
    rules
        The conditions.
    costs
        What a row costs by the spans of its class.
    smallest
        A size below which no class is allowed.
    by_size
        What a row costs in addition, per row of its class.
    label
        The sensitive column whose rows outside the majority of their class cost 1 each; -1 for none.
    """

    rules: Rules
    costs: Spans
    smallest: int
    by_size: float
    label: int


class Grouping(NamedTuple):
    """Which rows are together.

    Attributes
    ----------
    of_row
        The class of every row, -1 if it is suppressed.
    links
        The next and the previous row of the same class.
    heads
        The first row of every class; after the last class, the number of unused classes and then those.
    sizes
        The rows of every class; 0 for unused classes.
    boxes
        The lowest and the highest code of every class and attribute.
    penalty
        What each row of a class costs.
    """

    of_row: NDArray[np.int32]
    links: NDArray[np.int32]
    heads: NDArray[np.int32]
    sizes: NDArray[np.int64]
    boxes: NDArray[np.int64]
    penalty: NDArray[np.float64]


def make_grouping(table: Table, aim: Aim, classes: NDArray[np.int32]) -> Grouping:
    """Set up classes with their lists, boxes and penalties; ``classes`` becomes part of the result."""
    rows, attributes = table.codes.shape
    count = max(int(classes.max(initial=-1)) + 1, rows // aim.smallest) + 1
    groups = Grouping(
        classes,
        np.full((rows, 2), NONE, np.int32),
        np.full(2 * count + 1, NONE, np.int32),
        np.zeros(count, np.int64),
        np.zeros((count, 2, attributes), np.int64),
        np.zeros(count),
    )
    fill(table, aim, groups)
    return groups


@kernel
def fill(table: Table, aim: Aim, groups: Grouping) -> None:
    """Set up lists, boxes and penalties from the class of every row; ``heads`` holds only ``NONE`` and ``sizes`` 0."""
    capacity = len(groups.sizes)
    for row in range(len(groups.of_row)):
        group = np.int64(groups.of_row[row])
        if group >= 0:
            groups.of_row[row] = NONE
            add_row(table, groups, row, group)
    unused = 0
    for group in range(capacity - 1, -1, -1):
        if groups.sizes[group] == 0:
            unused += 1
            groups.heads[capacity + unused] = group
        else:
            groups.penalty[group] = box_penalty(aim.costs, groups.boxes[group])
    groups.heads[capacity] = unused


@inner
def class_cost(aim: Aim, size: int, penalty: float) -> float:
    """Compute the cost of a class from its size and the penalty of its rows, without labels."""
    return size * (penalty + aim.by_size * size)


@inner
def strangers(aim: Aim, size: int, histogram: NDArray[np.int64]) -> int:
    """Count the rows of a class outside its majority label; 0 if labels do not count."""
    if aim.label < 0:
        return np.int64(0)
    most = np.int64(0)
    for value in range(aim.rules.counts_at[aim.label], aim.rules.counts_at[aim.label + 1]):
        most = max(most, histogram[value])
    return size - most


@inner
def add_row(table: Table, groups: Grouping, row: int, group: int) -> None:
    """Add a row without a class to one; the caller updates the penalty of the class."""
    first = groups.heads[group]
    groups.links[row, NEXT], groups.links[row, PREVIOUS] = first, NONE
    if first != NONE:
        groups.links[first, PREVIOUS] = row
    groups.heads[group] = row
    groups.of_row[row] = group
    box = groups.boxes[group]
    for attribute in range(box.shape[1]):
        code = np.int64(table.codes[row, attribute])
        if first == NONE:
            box[0, attribute] = box[1, attribute] = code
        else:
            box[0, attribute] = min(box[0, attribute], code)
            box[1, attribute] = max(box[1, attribute], code)
    groups.sizes[group] += 1


@inner
def take_row(table: Table, groups: Grouping, row: int) -> None:
    """Take a row out of its class; the caller updates the penalty of the class."""
    group = np.int64(groups.of_row[row])
    after, before = groups.links[row, NEXT], groups.links[row, PREVIOUS]
    if before == NONE:
        groups.heads[group] = after
    else:
        groups.links[before, NEXT] = after
    if after != NONE:
        groups.links[after, PREVIOUS] = before
    groups.of_row[row] = NONE
    groups.sizes[group] -= 1
    if groups.sizes[group]:
        box_without(table, groups, group, row, groups.boxes[group])


@inner
def box_without(table: Table, groups: Grouping, group: int, row: int, box: NDArray[np.int64]) -> bool:
    """Write the box of a class without one of its rows; return whether it differs from the full box.

    Most rows share their codes with another row of the class, which is soon found; only otherwise are all visited.
    """
    changed = False
    for attribute in range(box.shape[1]):
        code = np.int64(table.codes[row, attribute])
        lo, hi = groups.boxes[group, 0, attribute], groups.boxes[group, 1, attribute]
        box[0, attribute], box[1, attribute] = lo, hi
        if lo == hi or lo < code < hi:
            continue
        inside = hi if code == lo else lo
        other = np.int64(groups.heads[group])
        while other != NONE:
            if other != row:
                found = np.int64(table.codes[other, attribute])
                if found == code:
                    break
                inside = min(inside, found) if code == lo else max(inside, found)
            other = np.int64(groups.links[other, NEXT])
        if other == NONE:
            changed = True
            box[0 if code == lo else 1, attribute] = inside
    return changed


@inner
def close_class(groups: Grouping, group: int) -> None:
    """Mark an empty class as unused."""
    capacity = len(groups.sizes)
    groups.heads[group] = NONE
    groups.penalty[group] = 0.0
    groups.heads[capacity] += 1
    groups.heads[capacity + groups.heads[capacity]] = group


@inner
def empty_class(groups: Grouping, group: int) -> None:
    """Take all rows out of a class."""
    row = np.int64(groups.heads[group])
    while row != NONE:
        groups.of_row[row] = NONE
        row = np.int64(groups.links[row, NEXT])
    groups.sizes[group] = 0
    close_class(groups, group)


@inner
def open_class(groups: Grouping) -> int:
    """Take an unused class."""
    capacity = len(groups.sizes)
    group = groups.heads[capacity + groups.heads[capacity]]
    groups.heads[capacity] -= 1
    return np.int64(group)


@inner
def count_class(table: Table, groups: Grouping, rules: Rules, group: int, histogram: NDArray[np.int64]) -> None:
    """Count the sensitive values of a class."""
    clear(histogram)
    row = np.int64(groups.heads[group])
    while row != NONE:
        count_row(table, rules, row, 1, histogram)
        row = np.int64(groups.links[row, NEXT])


@inner
def count_row(table: Table, rules: Rules, row: int, times: int, histogram: NDArray[np.int64]) -> None:
    """Add the sensitive values of a row to the counts."""
    for column in range(table.sensitive.shape[1]):
        histogram[rules.counts_at[column] + table.sensitive[row, column]] += times
