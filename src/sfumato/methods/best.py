"""The method `best`: every method that suits the table, the least loss of them, refined."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

from sfumato.common import parameters
from sfumato.loss import Minimized, find_objective
from sfumato.loss.metrics import GCP
from sfumato.methods.base import Method, Task, register
from sfumato.methods.portfolio import Candidate, loss_of, refine_best, suitable, try_all
from sfumato.methods.refinement import ABLE
from sfumato.methods.task_loss import TaskLoss
from sfumato.methods.warm_up import warm_up
from sfumato.table.recoding import Recoding

#: Rounds of refinement without a time limit; the work, and so the result, is the same on every machine.
ROUNDS = 64

#: The share of the remaining time that following prices may take.
DIVING = 0.5


@dataclass(frozen=True)
class Best(Method):
    """Try every method that suits the table, keep the least loss, and refine it.

    Parameters
    ----------
    time_limit
        Seconds, without the compilation of a first run; the methods that are tried always finish. None: a fixed amount
        of work, which gives the same result on every machine. A time limit does not.
    minimize
        What is minimized, as in `Refined`: ``"gcp"``, ``"entropy"``, ``"dm"``, ``"cm"``, a list of queries, or an
        `Objective`.
    """

    time_limit: float | None = None
    minimize: Minimized = "gcp"

    name: ClassVar[str] = "best"
    summary: ClassVar[str] = "The least loss of several methods, refined; give it time. Never above Hilbert."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False
    lowers: ClassVar[frozenset[str]] = ABLE

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            parameters.number("Best", "time_limit", self.time_limit, above=0)
        find_objective("Best", self.minimize, ABLE)

    def run(self, task: Task) -> Recoding:
        """Run the methods that suit the table and refine the best of their results."""
        goal = TaskLoss(task, find_objective("Best", self.minimize, ABLE))
        if self.time_limit is not None:
            warm_up(task, replace(self, time_limit=None))
            if _may_follow_prices(goal):
                from sfumato.methods.proven.proven import Warming  # noqa: PLC0415

                warm_up(task, Warming())
        begin = time.perf_counter()
        candidates = try_all(goal, list(suitable(task, self.time_limit)))
        if self.time_limit is None:
            return refine_best(goal, candidates, rounds=ROUNDS)
        candidates = _with_prices(goal, candidates, begin + self.time_limit)
        left = max(0.0, self.time_limit - (time.perf_counter() - begin))
        return refine_best(goal, candidates, rounds=100_000, seconds=left, patience=0.0)


def _may_follow_prices(goal: TaskLoss) -> bool:
    """Whether prices bound the minimized loss, and classes can follow from them."""
    from sfumato.methods.proven.proof import can_follow  # noqa: PLC0415

    return goal.objective is GCP and can_follow(goal.task.requirements)


def _with_prices(goal: TaskLoss, candidates: list[Candidate], until: float) -> list[Candidate]:
    """Add the classes that prices point to, if there is time to find and to refine them."""
    if not _may_follow_prices(goal):
        return candidates
    from sfumato.methods.proven.proof import classes_within  # noqa: PLC0415

    now = time.perf_counter()
    classes = classes_within(goal.task, now, now + DIVING * (until - now))
    if classes is None:
        return candidates
    return sorted([*candidates, Candidate("following prices", classes, goal.measure_rows(classes))], key=loss_of)


register()(Best)
