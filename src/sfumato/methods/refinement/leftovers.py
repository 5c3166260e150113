"""Rows that no class has taken yet: they join where they cost least, or pull classes together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.refinement.aim import plain_aim
from sfumato.methods.refinement.kernels.changing_classes import Table, make_grouping
from sfumato.methods.refinement.kernels.moving import Neighbours, join_rows
from sfumato.methods.refinement.neighbours import NeighbourOrders
from sfumato.table.recoding import Recoding

#: How many orders are tried before classes are merged.
ORDERS = 8
WINDOW = 48


def join_leftovers(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return classes in which every row has one, given some that are allowed and rows marked -1."""
    if (classes >= 0).all():
        return classes
    joined = _join(task, classes) if (classes >= 0).any() else classes
    return joined if (joined >= 0).all() else _merge(task, joined)


def _join(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Let rows join classes that stay allowed with them."""
    table = Table(np.ascontiguousarray(task.microdata.codes, np.uint32), task.requirements.sensitive_codes)
    aim = plain_aim(task)
    groups = make_grouping(table, aim, classes.copy())
    orders, random = NeighbourOrders(task.microdata.domains), task.random()
    for _ in range(ORDERS):
        if (groups.of_row >= 0).all():
            break
        join_rows(table, aim, groups, Neighbours.of(orders.order(table.codes, random)), WINDOW)
    return groups.of_row


def _merge(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Make one class of the remaining rows and as few others as it takes; all together are allowed, so it ends."""
    order = NeighbourOrders(task.microdata.domains).order(task.microdata.codes, task.random())
    lonely = np.flatnonzero(classes[order] < 0)
    distance = np.abs(np.arange(len(order)) - lonely[len(lonely) // 2])
    nearest = classes[order[np.argsort(distance, kind="stable")]]
    found, first = np.unique(nearest[nearest >= 0], return_index=True)
    queue = found[np.argsort(first)]
    merged = int(classes.max(initial=-1)) + 1
    count = 0
    while True:
        trial = classes.copy()
        trial[(classes < 0) | np.isin(classes, queue[:count])] = merged
        if count >= len(queue) or not task.requirements.broken_by(Recoding(classes=trial)):
            return trial
        count = max(1, 2 * count)
