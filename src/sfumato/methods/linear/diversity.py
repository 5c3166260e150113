"""l-diversity for linear methods: groups of nearby rows with distinct sensitive values (Section 4.2 of the paper)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent, watching
from sfumato.methods.linear.kernels.diversity import LEFT, ValueFrontier, diverse_groups
from sfumato.methods.linear.row_order import Line
from sfumato.privacy import Requirements, Rule
from sfumato.table.kernels import rules as condition
from sfumato.table.kernels.rules import TOLERANCE


def hardest_rule(requirements: Requirements) -> Rule | None:
    """Find the tightest frequency rule of l-diversity that groups without repeated values can satisfy, if any."""
    found, tightest = None, 0.0
    for rule in requirements.bound:
        if rule.kind != condition.FREQUENCY:
            continue
        counts = requirements.microdata.sensitive[rule.column].counts()
        tightness = counts.max(initial=0) * group_size(rule) / len(requirements.microdata)
        if tightest < tightness <= 1:
            found, tightest = rule, tightness
    return found


def group_size(rule: Rule) -> int:
    """The least number of distinct values that satisfies a frequency rule."""
    return max(1, math.ceil(rule.first - TOLERANCE))


def grouped(line: Line, values: NDArray[np.int32], least: int, tell: Tell = silent) -> tuple[Line, NDArray[np.int64]]:
    """Form groups of at least ``least`` distinct values each.

    Returns the rows sorted by group, and the start of every group followed by the end of the last.
    """
    ordered = np.ascontiguousarray(values[line.order])
    frontier = frontier_of(ordered)
    with watching(tell, lambda: 1 - float(frontier.counters[LEFT]) / max(1, len(ordered))):
        groups = diverse_groups(ordered, line.place, least, frontier)
    by_group = np.argsort(groups, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(groups))]).astype(np.int64)
    return line.reordered(by_group), ends


def frontier_of(values: NDArray[np.int32]) -> ValueFrontier:
    """Build the frontier before any row is taken: one queue of rows per sensitive value.

    A queue is a linked list: ``heads`` holds its first row, ``following`` the next row with the same value.
    """
    counts = np.bincount(values).astype(np.int64)
    by_value = np.argsort(values, kind="stable")
    following = np.full(len(values), -1, np.int64)
    same = values[by_value[1:]] == values[by_value[:-1]]
    following[by_value[:-1][same]] = by_value[1:][same]
    heads = np.full(len(counts), -1, np.int64)
    begins = np.cumsum(counts) - counts
    heads[counts > 0] = by_value[begins[counts > 0]]
    ranked = np.argsort(-counts, kind="stable")
    rank = np.empty(len(counts), np.int64)
    rank[ranked] = np.arange(len(counts))
    heap = np.empty(len(values) + 1, np.int64)
    return ValueFrontier(heads, following, counts, ranked, rank, heap, np.array([0, len(values)]))
