"""Mondrian as the fast-anonymization paper compared with: to see why its claims do or do not hold here.

Strict cuts at the median alone, rows at the median to the lower side, and width measured in codes. Sfumato's Mondrian
measures width in what a class loses, and puts the rows at the median on either side, so that skewed columns can be cut.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.rules import FREQUENCY
from sfumato.methods import Task
from sfumato.microdata import Recoding


def mondrian_2007(task: Task) -> Recoding:
    """Cut a table at medians as long as both sides keep k or l."""
    codes, sizes = task.microdata.codes, np.array([domain.size for domain in task.microdata.domains])
    classes = np.empty(len(codes), np.int32)
    waiting, count = [np.arange(len(codes))], 0
    while waiting:
        rows = waiting.pop()
        sides = _cut(task, codes, sizes, rows)
        if sides is None:
            classes[rows] = count
            count += 1
        else:
            waiting += sides
    return Recoding(classes=classes)


def _cut(
    task: Task, codes: NDArray[np.unsignedinteger], sizes: NDArray[np.int64], rows: NDArray[np.int64]
) -> list[NDArray[np.int64]] | None:
    """Return both sides of the first allowed cut, the widest attribute first."""
    if len(rows) < 2 * task.requirements.smallest_class:
        return None
    part = codes[rows]
    spread = part.max(axis=0).astype(np.int64) - part.min(axis=0)
    for attribute in np.argsort(-spread / np.maximum(sizes - 1, 1), kind="stable"):
        if not spread[attribute]:
            return None
        column = part[:, attribute]
        counts = np.cumsum(np.bincount(column))
        median = int(np.searchsorted(counts, (len(rows) + 1) // 2))
        low = column <= median
        if all(_allowed(task, rows[side]) for side in (low, ~low)):
            return [rows[low], rows[~low]]
    return None


def _allowed(task: Task, rows: NDArray[np.int64]) -> bool:
    """Return whether a side has enough rows, and no sensitive value too often (l-diversity by frequency)."""
    if not len(rows) or len(rows) < task.requirements.smallest_class:
        return False
    for rule in task.requirements.bound:
        if rule.kind == FREQUENCY:
            values = task.microdata.sensitive[rule.column].codes[rows]
            if np.bincount(values).max() * rule.first > len(rows):
                return False
    return True
