"""The loops of an index of classes: a tree of boxes that people descend to the few classes which may hold them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel

#: The code of a column that the attacker does not know: every cell fits.
UNKNOWN = -1
#: Distances that differ by less are equal.
ROUNDING = 1e-12
#: The deepest path in a tree of boxes, twice: more classes than that fit in no memory.
DEEPEST = 128


class ClassTree(NamedTuple):
    """The classes of a release, and boxes around them, as arrays.

    Attributes
    ----------
    order, leaves
        The classes from leaf to leaf, and the number of leaves, a power of two. Node ``n`` holds the nodes ``2 n`` and
        ``2 n + 1``; the leaves are the last nodes.
    low, high
        For every node and column the smallest and largest code that its classes may stand for.
    near, far
        The same in numbers, for columns on a scale.
    cells
        The cell that every class shows in every column.
    begins, widths, first, last
        The ranges of codes of every cell: those of a column begin at ``begins``, each cell has ``widths`` of them.
    cell_begins, cell_low, cell_high
        The ends of every cell in numbers: those of a column begin at ``cell_begins``.
    reach
        The length of every column's scale.
    """

    order: NDArray[np.int64]
    leaves: int
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    near: NDArray[np.float64]
    far: NDArray[np.float64]
    cells: NDArray[np.int64]
    begins: NDArray[np.int64]
    widths: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    cell_begins: NDArray[np.int64]
    cell_low: NDArray[np.float64]
    cell_high: NDArray[np.float64]
    reach: NDArray[np.float64]


@inner
def _covers(tree: ClassTree, column: int, cell: int, code: int) -> bool:
    """Whether a cell may stand for a code."""
    place = tree.begins[column] + cell * tree.widths[column]
    for at in range(place, place + tree.widths[column]):  # noqa: SIM110 -- compiled code has no any()
        if tree.first[at] <= code <= tree.last[at]:
            return True
    return False


@inner
def _fits(tree: ClassTree, one: int, codes: NDArray[np.int64]) -> bool:
    """Whether a person may be in a class."""
    for column in range(len(codes)):
        if codes[column] != UNKNOWN and not _covers(tree, column, tree.cells[one, column], codes[column]):
            return False
    return True


@inner
def _gap(low: float, high: float, number: float, reach: float) -> float:
    """The distance of a number from an interval, as a share of the scale; 1 from an interval that holds nothing."""
    if low > high:
        return 1.0
    return min(max(low - number, number - high, 0.0) / reach, 1.0)


@inner
def _distance(tree: ClassTree, one: int, codes: NDArray[np.int64], numbers: NDArray[np.float64]) -> float:
    """The distance of a person from a class, summed over the known columns."""
    total = 0.0
    for column in range(len(codes)):
        if codes[column] == UNKNOWN:
            continue
        cell = tree.cells[one, column]
        if np.isnan(numbers[column]):
            total += 0.0 if _covers(tree, column, cell, codes[column]) else 1.0
        else:
            at = tree.cell_begins[column] + cell
            total += _gap(tree.cell_low[at], tree.cell_high[at], numbers[column], tree.reach[column])
    return total


@inner
def _least(tree: ClassTree, node: int, codes: NDArray[np.int64], numbers: NDArray[np.float64]) -> float:
    """No class of a node is nearer to a person than this."""
    total = 0.0
    for column in range(len(codes)):
        if codes[column] == UNKNOWN:
            continue
        if np.isnan(numbers[column]):
            total += 0.0 if tree.low[node, column] <= codes[column] <= tree.high[node, column] else 1.0
        else:
            total += _gap(tree.near[node, column], tree.far[node, column], numbers[column], tree.reach[column])
    return total


@inner
def fitting_classes(
    tree: ClassTree, codes: NDArray[np.int64], stack: NDArray[np.int64], found: NDArray[np.int64]
) -> int:
    """Write the classes that a person may be in to ``found``, and return how many they are."""
    many, top = 0, 1
    stack[0] = 1
    while top > 0:
        top -= 1
        node = stack[top]
        inside = True
        for column in range(len(codes)):
            code = codes[column]
            if code != UNKNOWN and (code < tree.low[node, column] or code > tree.high[node, column]):
                inside = False
                break
        if not inside:
            continue
        if node < tree.leaves:
            stack[top], stack[top + 1] = 2 * node, 2 * node + 1
            top += 2
            continue
        leaf = node - tree.leaves
        for place in range(leaf * len(tree.order) // tree.leaves, (leaf + 1) * len(tree.order) // tree.leaves):
            if _fits(tree, tree.order[place], codes):
                found[many] = tree.order[place]
                many += 1
    return many


@inner
def nearest_classes(
    tree: ClassTree,
    codes: NDArray[np.int64],
    numbers: NDArray[np.float64],
    stack: NDArray[np.int64],
    found: NDArray[np.int64],
) -> int:
    """Write the classes nearest to a person to ``found``, and return how many they are."""
    best = np.inf
    many = 0
    for collects in (False, True):  # first the distance of the nearest, then all that are as near
        top = 1
        stack[0] = 1
        while top > 0:
            top -= 1
            node = stack[top]
            if _least(tree, node, codes, numbers) > best + ROUNDING:
                continue
            if node < tree.leaves:
                left, right = 2 * node, 2 * node + 1
                if _least(tree, left, codes, numbers) < _least(tree, right, codes, numbers):
                    left, right = right, left
                stack[top], stack[top + 1] = left, right  # the nearer one is looked at first
                top += 2
                continue
            leaf = node - tree.leaves
            for place in range(leaf * len(tree.order) // tree.leaves, (leaf + 1) * len(tree.order) // tree.leaves):
                apart = _distance(tree, tree.order[place], codes, numbers)
                if not collects:
                    best = min(best, apart)
                elif apart <= best + ROUNDING:
                    found[many] = tree.order[place]
                    many += 1
    return many


@inner
def _candidates(
    tree: ClassTree,
    codes: NDArray[np.int64],
    numbers: NDArray[np.float64],
    nearest: bool,
    stack: NDArray[np.int64],
    found: NDArray[np.int64],
) -> int:
    if nearest:
        return nearest_classes(tree, codes, numbers, stack, found)
    return fitting_classes(tree, codes, stack, found)


@kernel
def list_candidates(
    tree: ClassTree, codes: NDArray[np.int64], numbers: NDArray[np.float64], nearest: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """List the candidates of every person: where each person's begin, and all of them.

    Parameters
    ----------
    tree
        The classes.
    codes, numbers
        What is known of every person: a code per column, and its place on the scale, or NaN.
    nearest
        Whether candidates are the nearest classes, or those that fit.
    """
    people = len(codes)
    begins = np.zeros(people + 1, np.int64)
    listed = np.empty(4 * people + 16, np.int32)
    stack, found = np.empty(DEEPEST, np.int64), np.empty(len(tree.order), np.int64)
    for person in range(people):
        many = _candidates(tree, codes[person], numbers[person], nearest, stack, found)
        begin = begins[person]
        if begin + many > len(listed):
            longer = np.empty(2 * (begin + many), np.int32)
            longer[:begin] = listed[:begin]
            listed = longer
        for at in range(many):
            listed[begin + at] = found[at]
        begins[person + 1] = begin + many
    return begins, listed[: begins[people]].copy()


@kernel
def count_people(
    tree: ClassTree, codes: NDArray[np.int64], weights: NDArray[np.int64], totals: NDArray[np.int64]
) -> None:
    """Add the weight of every person to the totals of all classes that the person may be in."""
    stack, found = np.empty(DEEPEST, np.int64), np.empty(len(tree.order), np.int64)
    for person in range(len(codes)):
        for at in range(fitting_classes(tree, codes[person], stack, found)):
            totals[found[at]] += weights[person]


@kernel
def count_candidates(
    tree: ClassTree, codes: NDArray[np.int64], numbers: NDArray[np.float64], nearest: bool
) -> NDArray[np.int64]:
    """Count the candidates of every person."""
    many = np.empty(len(codes), np.int64)
    stack, found = np.empty(DEEPEST, np.int64), np.empty(len(tree.order), np.int64)
    for person in range(len(codes)):
        many[person] = _candidates(tree, codes[person], numbers[person], nearest, stack, found)
    return many


@kernel
def take_places(
    tree: ClassTree,
    codes: NDArray[np.int64],
    numbers: NDArray[np.float64],
    nearest: bool,
    secrets: NDArray[np.int64],
    number: int,
    keys: NDArray[np.int64],
    free: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> None:
    """Give every person, in order, the first candidate that has a free place for the person's secret.

    Parameters
    ----------
    tree, codes, numbers, nearest
        As in `list_candidates`.
    secrets, number
        The secret of every person, and the number of different ones.
    keys, free
        For every pair of a class and a secret that occurs, the class times ``number`` plus the secret, in ascending
        order; and how many rows of the pair are not taken yet.
    chosen
        The output: a class per person, -1 for none.
    """
    stack, found = np.empty(DEEPEST, np.int64), np.empty(len(tree.order), np.int64)
    for person in range(len(codes)):
        best, taken = -1, -1
        for at in range(_candidates(tree, codes[person], numbers[person], nearest, stack, found)):
            one = found[at]
            if best >= 0 and one >= best:
                continue
            key = one * number + secrets[person]
            place = np.searchsorted(keys, key)
            if place < len(keys) and keys[place] == key and free[place] > 0:
                best, taken = one, place
        chosen[person] = best
        if best >= 0:
            free[taken] -= 1
