"""The arguments of the refinement kernels: the rules that classes must keep, and the costs to lower."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.refinement.kernels.mutable_classes import Aim
from sfumato.methods.task_loss import TIE, TaskLoss


def plain_aim(task: Task) -> Aim:
    """Make an aim whose cost is the certainty penalty."""
    smallest = max(1, task.requirements.smallest_class)
    return Aim(task.requirements.rules, task.microdata.spans, smallest, 0.0, -1)


def aim_of(goal: TaskLoss, kept: NDArray[np.bool_]) -> Aim:
    """Make the aim of a loss, with the rules that classes of the released rows must keep."""
    task, objective = goal.task, goal.objective
    # In the kernels a row outside the majority label of its class costs 1; all other costs are scaled to that.
    unit = objective.labels or 1.0
    costs = goal.priced.spans
    if objective.spread != unit:
        costs = costs._replace(weight=costs.weight * (objective.spread / unit or TIE))
    requirements = task.requirements.of_released(kept)
    rules = requirements.rules
    if goal.label >= 0 and not requirements.sensitive_codes.shape[1]:
        # Labels are counted even if no model looks at sensitive values.
        counts = [column.reference for column in task.microdata.sensitive]
        rules = rules._replace(
            counts_at=np.cumsum([0, *map(len, counts)], dtype=np.int64),
            reference=np.concatenate([count / max(1, count.sum()) for count in counts]),
        )
    smallest = max(1, task.requirements.smallest_class)
    return Aim(rules, costs, smallest, objective.squares / unit, goal.label)


def sensitive_codes(goal: TaskLoss) -> NDArray[np.int32]:
    """Stack the sensitive codes that the kernels count."""
    if goal.label < 0:
        return goal.task.requirements.sensitive_codes
    return np.ascontiguousarray(np.stack([column.codes for column in goal.task.microdata.sensitive], axis=1))
