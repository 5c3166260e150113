"""Suppression as part of the optimization of linear methods.

Between runs, rows may be left out at a price each; a bisection finds the lowest price at which the optimum stays within
the budget. Inside runs, the rows that widen them most are left out, and the rest is cut again, as long as that helps.
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

#: The loss of a suppressed row: all of its information.
OWN_LOSS = 1.0

#: The steps of the bisection over prices.
STEPS = 10

Classes = NDArray[np.int32]


def cut_leaving_out(task: Task, line: Line, keep_equal: bool) -> Classes:
    """Cut the line and leave out rows within the task's budget; returns the class of every row, -1 if left out."""
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
    """Choose the cut that loses least after trimming, which repairs cuts with a few wide classes."""
    if not task.suppressible or len(cuts) == 1:
        return trim(task, min(cuts, key=lambda cut: cut.loss).classes)
    return min((trim(task, cut.classes) for cut in cuts), key=lambda classes: total_loss(task, classes))


def total_loss(task: Task, classes: Classes) -> float:
    """The loss of all rows, suppressed ones included."""
    found = EquivalenceClasses.of(task.microdata, Recoding(classes=classes))
    return float(found.sizes @ task.microdata.penalties(found.lo, found.hi)) + found.suppressed * OWN_LOSS


def _round(task: Task, line: Line, keep_equal: bool) -> Classes:
    """Cut the rows of a line, then trim its classes, with the budget that the rows missing from the line have left."""
    budget = task.suppressible - (len(task.microdata) - len(line))
    classes = cut_at_fitting_price(line, task.requirements.smallest_class, budget, keep_equal)
    left = task.suppressible - int(np.count_nonzero(classes == SUPPRESSED))
    return trim(replace(task, suppressible=left), classes)


def cut_at_fitting_price(line: Line, k: int, budget: int, keep_equal: bool) -> Classes:
    """Find a cut that leaves out at most ``budget`` rows and is optimal among all that leave out as many as it does."""
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
