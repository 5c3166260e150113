"""The method `auto`, the default: the least loss of several fast methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sfumato.common.progress import silent
from sfumato.loss import Minimized, find_objective
from sfumato.methods.base import Method, Task, register
from sfumato.methods.linear.hilbert import Hilbert, HilbertCurve
from sfumato.methods.on_engine import EngineSupport, PartsAlongOrder
from sfumato.methods.portfolio import cheap, refine_best, try_all
from sfumato.methods.refinement import ABLE
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import Requirements
from sfumato.table.recoding import Recoding

#: A sample shows which methods are not worth trying: its least number of rows, and of smallest classes that fit in.
ENOUGH_ROWS, ENOUGH_CLASSES = 1 << 15, 1_000

#: How many times larger than the sample a table must be before sampling pays, and the loss in the sample, relative to
#: the least, above which a method is left out.
MANY_SAMPLES, MUCH_MORE = 16, 1.25

#: The budget of refinement in the default method, in rows times rounds: larger tables are not refined.
LIGHT_WORK = 64_000


@dataclass(frozen=True)
class Auto(Method):
    """Low loss in little time: the default method.

    Parameters
    ----------
    minimize
        What is minimized, as in `Refined`: ``"gcp"``, ``"entropy"``, ``"dm"``, ``"cm"``, a list of queries, or an
        `Objective`.
    """

    minimize: Minimized = "gcp"

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "The best of several fast methods, by any loss. Never above Hilbert."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False
    lowers: ClassVar[frozenset[str]] = ABLE

    def __post_init__(self) -> None:
        find_objective("Auto", self.minimize, ABLE)

    @property
    def on_engine(self) -> EngineSupport:
        """Hilbert runs instead: it is the fastest, and its loss hardly depends on the size of parts."""
        return PartsAlongOrder(HilbertCurve().first_bits, instead=Hilbert())

    def run(self, task: Task) -> Recoding:
        """Run the fast methods; for losses other than the certainty penalty, also refine small tables."""
        goal = TaskLoss(task, find_objective("Auto", self.minimize, ABLE))
        candidates = try_all(goal, promising(goal, list(cheap(task))))
        # Refinement gains a few percent more, but its kernels take longer to compile than all others together, and the
        # first run of the default method should be short.
        rounds = 0 if self.minimize == "gcp" else min(16, LIGHT_WORK // max(1, len(task.microdata)))
        return refine_best(goal, candidates, rounds=rounds)


def promising(goal: TaskLoss, methods: Sequence[Method]) -> Sequence[Method]:
    """Drop methods that lose much more than the best in a sample of a large table; the first always stays."""
    task = goal.task
    every = len(task.microdata) // max(ENOUGH_ROWS, ENOUGH_CLASSES * task.requirements.smallest_class)
    if every < MANY_SAMPLES:
        return methods
    few = task.microdata.take(np.arange(0, len(task.microdata), every))
    small = replace(
        task,
        microdata=few,
        requirements=Requirements(task.requirements.models, few),
        suppressible=task.suppressible // every,
        progress=silent,
        memory=None,
    )
    if small.requirements.broken_by_table():
        return methods
    found = {candidate.method: candidate.loss.loss for candidate in try_all(replace(goal, task=small), methods)}
    most = MUCH_MORE * min(found.values())
    return [method for method in methods if method is methods[0] or found.get(method.name, 0.0) <= most]


register()(Auto)
