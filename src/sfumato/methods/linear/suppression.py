"""Spending a suppression budget inside the optimization.

Between runs, rows are left out at a price; the lowest price is looked for at which the optimum stays within the
budget. Inside runs, the rows that widen them most are left out, and the rest is cut anew, for as long as that helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.runs import LineCut, cut_by_size, cut_line, units
from sfumato.methods.suppression import trim
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

#: A row that is left out loses everything.
OWN_LOSS = 1.0

#: How often the price is halved in on.
STEPS = 10

Classes = NDArray[np.int32]


def cut_leaving_out(task: Task, line: Line, keep_equal: bool) -> Classes:
    """Return the class of every row of the table, -1 for rows left out within the task's budget."""
    whole = trim(task, cut_line(line, task.requirements, False, keep_equal).classes)
    best = min(whole, _round(task, line, keep_equal), key=lambda classes: total_loss(task, classes))
    least = total_loss(task, best)
    while True:
        remaining = line.reordered(np.flatnonzero(best[line.order] != SUPPRESSED))
        classes = _round(task, remaining, keep_equal)
        loss = total_loss(task, classes)
        if loss >= least - 1e-9:
            return best
        best, least = classes, loss


def cheapest_trimmed(task: Task, cuts: Sequence[LineCut]) -> Classes:
    """Return the cut that loses least once its classes are trimmed: a few wide ones that can be may cost it nothing."""
    if not task.suppressible or len(cuts) == 1:
        return trim(task, min(cuts, key=lambda cut: cut.loss).classes)
    return min((trim(task, cut.classes) for cut in cuts), key=lambda classes: total_loss(task, classes))


def total_loss(task: Task, classes: Classes) -> float:
    """Return what all rows lose, suppressed ones everything."""
    found = EquivalenceClasses.of(task.microdata, Recoding(classes=classes))
    return float(found.sizes @ task.microdata.penalties(found.lo, found.hi)) + found.suppressed * OWN_LOSS


def _round(task: Task, line: Line, keep_equal: bool) -> Classes:
    """Cut the rows of a line, then trim its classes, with what the rows that are not on it left of the budget."""
    budget = task.suppressible - (len(task.microdata) - len(line))
    classes = cut_at_fitting_price(line, task.requirements.smallest_class, budget, keep_equal)
    left = task.suppressible - int(np.count_nonzero(classes == SUPPRESSED))
    return trim(replace(task, suppressible=left), classes)


def cut_at_fitting_price(line: Line, k: int, budget: int, keep_equal: bool) -> Classes:
    """Return the cheapest cut of a line among all that leave out as many rows as it does, at most ``budget``."""
    ends = units(line, keep_equal)

    def cut(extra: float) -> tuple[Classes, int]:
        classes = cut_by_size(line, ends, k, price=OWN_LOSS + extra).classes
        return classes, int(np.count_nonzero(classes[line.order] == SUPPRESSED))

    low = high = 0.0
    best, count = cut(high)
    while count > budget:
        low, high = high, max(2 * high, 0.25)
        best, count = cut(high)
    for _ in range(STEPS if high else 0):
        middle = (low + high) / 2
        classes, count = cut(middle)
        if count <= budget:
            high, best = middle, classes
        else:
            low = middle
    return best
