"""Whether a class is allowed: every privacy model, evaluated on its size, sensitive counts and spans."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner

(
    SIZE,
    FREQUENCY,
    DISTINCT,
    ENTROPY,
    RECURSIVE,
    CLOSE_EQUAL,
    CLOSE_ORDERED,
    CLOSE_TREE,
    SPAN,
    CLOSE_NUMBERS,
    LIKENESS,
    DISCLOSURE,
) = range(12)

#: The relative rounding error of products and logarithms; a class exactly at a limit must not fail because of it.
TOLERANCE = 1e-9
#: Sums of shares, which are at most 1, have an error below this.
SHARE_TOLERANCE = 1e-12

#: The columns of ``Rules.table``.
KIND, COLUMN, LIMIT, FACTOR, BEGIN, END = range(6)


class Rules(NamedTuple):
    """The conditions on a class, laid out for kernels.

    Attributes
    ----------
    table
        One row per condition: its kind, the place of its sensitive column (of the quasi-identifier for ``SPAN``), two
        parameters, and which nodes of ``trees``, or codes of ``reach``, belong to it.
    counts_at
        The offset of each sensitive column's counts in one flat histogram.
    reference
        The distribution of every sensitive column in the table, laid out like that histogram.
    trees
        The nodes for hierarchical distances, the sensitive values first: each with its parent and its height. For
        distances of numbers, each value's place on its scale in the place of a height.
    reach
        For spans, the first code that is far enough from every code, so that kernels compare integers only.
    """

    table: NDArray[np.float64]
    counts_at: NDArray[np.int64]
    reference: NDArray[np.float64]
    trees: NDArray[np.float64]
    reach: NDArray[np.int64]


@inner
def class_allowed(
    size: int,
    histogram: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    rules: Rules,
) -> bool:
    """Whether a class of this size, with these sensitive counts and codes, keeps every rule."""
    for rule in range(len(rules.table)):
        kind = int(rules.table[rule, KIND])
        column = int(rules.table[rule, COLUMN])
        limit = rules.table[rule, LIMIT]
        if kind == SIZE:
            if size < limit:
                return False
        elif kind == SPAN:
            if hi[column] < rules.reach[int(rules.table[rule, BEGIN]) + lo[column]]:
                return False
        else:
            begin, end = rules.counts_at[column], rules.counts_at[column + 1]
            counts = histogram[begin:end]
            if kind == FREQUENCY:
                if _largest(counts) * limit > size * (1 + TOLERANCE):
                    return False
            elif kind == DISTINCT:
                if _distinct(counts) < limit:
                    return False
            elif kind == ENTROPY:
                if _entropy(counts, size) < np.log(limit) * (1 - TOLERANCE):
                    return False
            elif kind == RECURSIVE:
                if not _recursive(counts, size, limit, rules.table[rule, FACTOR]):
                    return False
            elif kind == CLOSE_TREE:
                if _tree_distance(counts, size, rules, rule, rules.reference[begin:end]) > limit + SHARE_TOLERANCE:
                    return False
            elif kind == CLOSE_NUMBERS:
                if _number_distance(counts, size, rules, rule, rules.reference[begin:end]) > limit + SHARE_TOLERANCE:
                    return False
            elif kind == LIKENESS:
                if not _alike(counts, size, rules.reference[begin:end], limit, rules.table[rule, FACTOR] > 0):
                    return False
            elif kind == DISCLOSURE:
                if not _undisclosed(counts, size, rules.reference[begin:end], limit):
                    return False
            elif _distance(counts, size, rules.reference[begin:end], kind == CLOSE_ORDERED) > limit + SHARE_TOLERANCE:
                return False
    return True


@inner
def _largest(counts: NDArray[np.int64]) -> int:
    largest = 0
    for count in counts:
        largest = max(largest, count)
    return largest


@inner
def _distinct(counts: NDArray[np.int64]) -> int:
    found = 0
    for count in counts:
        found += count > 0
    return found


@inner
def _entropy(counts: NDArray[np.int64], size: int) -> float:
    total = 0.0
    for count in counts:
        if count > 0:
            total += count * np.log(count)
    return max(0.0, np.log(size) - total / size)


@inner
def _recursive(counts: NDArray[np.int64], size: int, limit: float, factor: float) -> bool:
    """Whether the largest count is below ``factor`` times the sum of all from the ``limit``-th largest on."""
    rest = counts.copy()
    remaining = size
    for _ in range(int(limit) - 1):
        place = 0
        for value in range(len(rest)):
            if rest[value] > rest[place]:
                place = value
        remaining -= rest[place]
        rest[place] = 0
    return _largest(counts) < factor * remaining * (1 - TOLERANCE)


@inner
def _distance(counts: NDArray[np.int64], size: int, reference: NDArray[np.float64], ordered: bool) -> float:
    """The probability that must move, in ordered domains times how far, to make the class like the table."""
    total, carried, occurring = 0.0, 0.0, 0
    for value in range(len(counts)):
        if reference[value] == 0:  # does not occur in the release, so it is no step between values
            continue
        occurring += 1
        difference = counts[value] / size - reference[value]
        carried += difference
        total += abs(carried) if ordered else abs(difference)
    return total / max(1, occurring - 1) if ordered else total / 2


@inner
def _tree_distance(
    counts: NDArray[np.int64], size: int, rules: Rules, rule: int, reference: NDArray[np.float64]
) -> float:
    """The earth mover's distance in a tree: excess is moved within each subtree before any is moved further up."""
    begin, end = int(rules.table[rule, BEGIN]), int(rules.table[rule, END])
    above = np.zeros(end - begin)
    below = np.zeros(end - begin)
    total = 0.0
    for node in range(end - begin):
        if node < len(counts):
            extra = counts[node] / size - reference[node]
        else:
            extra = above[node] - below[node]
            total += rules.trees[begin + node, 1] * min(above[node], below[node])
        parent = int(rules.trees[begin + node, 0])
        if parent == node:
            continue
        if extra > 0:
            above[parent] += extra
        else:
            below[parent] -= extra
    return total


@inner
def _number_distance(
    counts: NDArray[np.int64], size: int, rules: Rules, rule: int, reference: NDArray[np.float64]
) -> float:
    """The earth mover's distance on numbers, as a share of the range of those that occur."""
    begin = int(rules.table[rule, BEGIN])
    total, carried, first, last, before = 0.0, 0.0, 0.0, 0.0, -1
    for value in range(len(counts)):
        if reference[value] == 0:
            continue
        place = rules.trees[begin + value, 1]
        missing = rules.trees[begin + value, 0] > 0
        if before < 0:
            first = place
        elif missing:  # one range beyond the largest number
            place = last + (last - first if last > first else 1.0)
            total += abs(carried) * (place - last)
        else:
            total += abs(carried) * (place - last)
        if not missing:
            last = place
        carried += counts[value] / size - reference[value]
        before = value
    return total / (last - first) if last > first else total


@inner
def _alike(counts: NDArray[np.int64], size: int, reference: NDArray[np.float64], beta: float, enhanced: bool) -> bool:
    """Whether no value is more than 1 + beta times as frequent as in the table; enhanced: 1 + min(beta, -ln(p))."""
    for value in range(len(counts)):
        if counts[value] == 0:
            continue
        gain = min(beta, -np.log(reference[value])) if enhanced else beta
        if counts[value] > size * reference[value] * (1 + gain) * (1 + TOLERANCE):
            return False
    return True


@inner
def _undisclosed(counts: NDArray[np.int64], size: int, reference: NDArray[np.float64], delta: float) -> bool:
    """Whether every value of the table occurs, with a share that is not doubled or halved ``delta`` times or more."""
    for value in range(len(counts)):
        if reference[value] == 0:
            continue
        if counts[value] == 0:
            return False
        if abs(np.log2(counts[value] / (size * reference[value]))) >= delta * (1 - TOLERANCE):
            return False
    return True


@inner
def counts_values(rules: Rules) -> bool:
    """Whether any rule depends on sensitive values."""
    for rule in range(len(rules.table)):
        kind = rules.table[rule, KIND]
        if kind != SIZE and kind != SPAN:  # noqa: PLR1714
            return True
    return False


@inner
def limits_spans(rules: Rules) -> bool:
    """Whether any rule depends on spans."""
    found = False
    for rule in range(len(rules.table)):
        found |= rules.table[rule, KIND] == SPAN
    return found


@inner
def clear(histogram: NDArray[np.int64]) -> None:
    """Set all counts to 0, by a loop, which compiles much faster than a slice assignment."""
    for value in range(len(histogram)):
        histogram[value] = 0
