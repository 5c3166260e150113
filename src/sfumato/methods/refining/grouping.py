"""Setting up what the kernels of refinement work on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.grouping import NONE, Aim, Grouping, Table, fill
from sfumato.methods.base import Task


def make_aim(task: Task) -> Aim:
    """Return what classes must keep and what is to be lowered."""
    spans = task.microdata.spans
    return Aim(task.requirements.rules, spans, spans, max(1, task.requirements.smallest_class), 0.0, -1)


def make_grouping(table: Table, aim: Aim, classes: NDArray[np.int32]) -> Grouping:
    """Return classes with their lists, boxes and penalties; ``classes`` becomes a part of the result."""
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
