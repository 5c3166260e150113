"""Best cuts: top-down like Mondrian, but always with the cut that lowers the loss most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import stage, watching
from sfumato.common.threads import on_stretches
from sfumato.loss import Minimized, find_objective
from sfumato.loss.objective import SPANS
from sfumato.loss.prediction import predicted
from sfumato.methods.base import Method, Task, register
from sfumato.methods.kernels.divide import Cutting, PartedTable
from sfumato.methods.multidim.kernels.best_cuts import cut_best_first
from sfumato.methods.multidim.label_cuts import LabelCuts
from sfumato.methods.suppression import trim
from sfumato.methods.task_loss import TaskLoss
from sfumato.table.recoding import SUPPRESSED, Recoding, rows_by_class


@dataclass(frozen=True)
class BestCuts(Method):
    """Cut the table where that lowers the loss most, over all attributes and positions; then cut each side again.

    The common ancestors of both sides determine what a cut of a taxonomy saves, so cuts fall between subtrees.

    Parameters
    ----------
    minimize
        What is minimized: ``"gcp"``, ``"entropy"``, a list of queries, or an `Objective` that depends on what classes
        span.
    """

    minimize: Minimized = "gcp"

    name: ClassVar[str] = "best-cuts"
    summary: ClassVar[str] = "The cut that lowers the loss most, over all attributes and positions. O(d n log n)."
    recoding: ClassVar[str] = "global"
    lowers: ClassVar[frozenset[str]] = frozenset({SPANS})

    def __post_init__(self) -> None:
        find_objective("BestCuts", self.minimize, self.lowers)

    def run(self, task: Task) -> Recoding:
        """Cut the table; then spend the suppression budget on the outliers that widen their classes most."""
        task.progress("cutting", 0.0)
        objective = find_objective("BestCuts", self.minimize, self.lowers)
        predicts, label = predicted(objective)
        # Several cuts are needed before the span of a taxonomy group shrinks; label counts reveal a good cut at once.
        begun = LabelCuts(task, label).classes() if predicts else np.zeros(len(task.microdata), np.int32)
        task = TaskLoss(task, objective).lowered
        return Recoding(classes=trim(task, cut_classes(task, begun)))


def cut_classes(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Cut allowed classes into smaller allowed ones, best cut first; suppressed rows (-1) stay suppressed."""
    microdata, requirements = task.microdata, task.requirements
    order, offsets = rows_by_class(classes)
    layout = PartedTable(
        np.array(microdata.codes[order].T, order="C"), np.array(requirements.sensitive_codes[order].T, order="C"), order
    )
    cutting = Cutting(requirements.rules, microdata.spans, max(1, requirements.smallest_class), False, False)
    begins = np.zeros(len(order), np.bool_)
    done: list[NDArray[np.int64]] = []

    def cut_parts(parts: NDArray[np.int64]) -> None:
        done.append(rows := np.zeros(1, np.int64))
        cut_best_first(layout, cutting, begins, parts, rows)

    with watching(stage(task.progress, "cutting"), lambda: sum(int(one[0]) for one in done) / max(1, len(order))):
        on_stretches(np.unique(offsets), cut_parts)
    cut = np.full(len(classes), SUPPRESSED, np.int32)
    cut[layout.order] = np.cumsum(begins, dtype=np.int32) - 1
    return cut


register()(BestCuts)
