"""The method `refined`: the classes of any other method, improved by moving rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.errors import invalid_parameter
from sfumato.loss import Minimized, Objective, can_minimize, find_objective
from sfumato.loss.objective import LABELS, SIZES, SPANS
from sfumato.methods.base import Method, Task, find_method, plain_minimized, register
from sfumato.methods.details import MethodDetails
from sfumato.methods.on_engine import EngineSupport, PartsAlongOrder
from sfumato.methods.task_loss import TaskLoss
from sfumato.methods.warm_up import warm_up
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: The parts of a loss that moving rows between classes can lower.
ABLE = frozenset({SPANS, SIZES, LABELS})


@dataclass(frozen=True)
class RefinementLimit:
    """When to stop.

    Attributes
    ----------
    rounds
        The most passes over the table.
    seconds
        The most time; results then depend on the speed of the machine.
    patience
        The relative gain that a batch of rounds must bring for the search to go on.
    """

    rounds: int = 16
    seconds: float = np.inf
    patience: float = 1e-3


EXHAUSTIVE = RefinementLimit(rounds=1_000, patience=1e-5)


@dataclass(frozen=True)
class Refined(Method):
    """Improve the classes of another method: move rows, dissolve classes and regroup neighbours while the loss falls.

    Parameters
    ----------
    method
        The method that finds the classes to start from, or its name.
    refine
        True: a fixed number of rounds, the same result on every machine. A number: that many seconds.
        ``"exhaustive"``: until a round gains next to nothing.
    minimize
        What is minimized: ``"gcp"``, ``"entropy"``, ``"dm"``, ``"cm"``, a workload, which is a list of queries such as
        ``{"age": (20, 39), "city": ["Rome", "Siena"]}``, or an `Objective` that depends on what classes span,
        how many rows share them, or labels. None: what the method minimizes, if it is one of these.
    """

    method: Method | str = "mondrian"
    refine: bool | float | str = True
    minimize: Minimized | None = None

    name: ClassVar[str] = "refined"
    summary: ClassVar[str] = "Another method's classes, improved by moving rows and regrouping neighbours. Near O(n)."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False
    lowers: ClassVar[frozenset[str]] = ABLE

    def __post_init__(self) -> None:
        start = find_method(self.method)
        object.__setattr__(self, "method", start)
        object.__setattr__(self, "unsupported", start.unsupported)
        refinement_limit(self.refine)
        if self.minimize is not None:
            find_objective("Refined", self.minimize, ABLE)

    def parameters(self) -> dict[str, Any]:
        """The parameters, for manifests and policy files."""
        start = find_method(self.method)
        return self._with({"name": start.name, "parameters": start.parameters()})

    def recorded(self) -> dict[str, Any]:
        """The parameters as a manifest may hold them, those of the starting method included."""
        start = find_method(self.method)
        return self._with({"name": start.name, "parameters": start.recorded()})

    def _with(self, start: dict[str, Any]) -> dict[str, Any]:
        return {"method": start, "refine": self.refine, "minimize": plain_minimized(self.minimize)}

    @property
    def needs_levels(self) -> bool:
        """Whether the starting method needs them: what is improved must be what that method finds alone."""
        return find_method(self.method).needs_levels

    @property
    def on_engine(self) -> EngineSupport | None:
        """As the method to start from, where that works along an order and no time limit would hold for every part."""
        timed, support = not isinstance(self.refine, bool | str), find_method(self.method).on_engine
        return replace(support, instead=None) if isinstance(support, PartsAlongOrder) and not timed else None

    @property
    def objective(self) -> Objective:
        """The loss to minimize: as given, or that of the starting method if refinement can lower it."""
        given = self.minimize if self.minimize is not None else getattr(self.method, "minimize", None)
        return find_objective("Refined", given if can_minimize(given, ABLE) else "gcp", ABLE)

    def run(self, task: Task) -> Recoding:
        """Refine what the method finds."""
        start = find_method(self.method)
        limit = refinement_limit(self.refine)
        if limit is not None and limit.seconds < np.inf:
            warm_up(task, replace(self, refine=True))
        recoding = start.run(task)
        if limit is None:
            return recoding
        found = MethodDetails.of(recoding.details)
        goal = TaskLoss(task, self.objective)
        classes = EquivalenceClasses.of(task.microdata, recoding).of_row.astype(np.int32)
        if not task.requirements.kept_by(Recoding(classes=classes)):
            # The method shows more than its rows span, and the rules hold only for what it shows.
            loss = goal.measure(EquivalenceClasses.of(task.microdata, recoding)).loss
            return replace(recoding, details=replace(found, tried={start.name: loss, "refined": loss}))
        # Imported late: only a search needs its kernels.
        from sfumato.methods.refinement.search import refine  # noqa: PLC0415

        refined = refine(goal, classes, limit)
        losses = {start.name: goal.measure_rows(classes).loss, "refined": goal.measure_rows(refined).loss}
        # The optimality was proven for the starting classes, not for these.
        tried = {**(found.tried or {}), **losses}
        details = replace(found, optimality=None, tried=tried, minimized=goal.objective.name)
        return Recoding(classes=refined, details=details)


def refinement_limit(option: bool | float | str) -> RefinementLimit | None:
    """Read the ``refine`` option; None for no refinement at all."""
    if option is False:
        return None
    if option is True:
        return RefinementLimit()
    if option == "exhaustive":
        return EXHAUSTIVE
    if isinstance(option, str):
        raise invalid_parameter("Refined", "refine", "True, False, a number of seconds or 'exhaustive'", option)
    return RefinementLimit(
        rounds=100_000, seconds=parameters.number("Refined", "refine", option, above=0), patience=0.0
    )


register()(Refined)
