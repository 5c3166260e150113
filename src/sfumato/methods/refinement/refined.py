"""Any method, and its classes refined."""

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

#: What moving rows between classes can lower.
ABLE = frozenset({SPANS, SIZES, LABELS})


@dataclass(frozen=True)
class RefinementLimit:
    """When to stop.

    Attributes
    ----------
    rounds
        Passes over the table, at most.
    seconds
        Time, at most; results then depend on the machine's speed.
    patience
        The share of the loss that a batch of rounds must gain for the search to go on.
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
        ``{"age": (20, 39), "city": ["Rome", "Siena"]}``, or an `Objective` of your own that is about what classes span,
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
        """Return the parameters, for manifests and policy files."""
        start = find_method(self.method)
        return self._with({"name": start.name, "parameters": start.parameters()})

    def recorded(self) -> dict[str, Any]:
        """Return the same with what a manifest may have of the method that finds the classes."""
        start = find_method(self.method)
        return self._with({"name": start.name, "parameters": start.recorded()})

    def _with(self, start: dict[str, Any]) -> dict[str, Any]:
        return {"method": start, "refine": self.refine, "minimize": plain_minimized(self.minimize)}

    @property
    def needs_levels(self) -> bool:
        """Whether the method to start from does: what is improved has to be what that one finds alone."""
        return find_method(self.method).needs_levels

    @property
    def on_engine(self) -> EngineSupport | None:
        """As the method to start from, where that works along an order and no time limit would hold for every part."""
        timed, support = not isinstance(self.refine, bool | str), find_method(self.method).on_engine
        return replace(support, instead=None) if isinstance(support, PartsAlongOrder) and not timed else None

    @property
    def objective(self) -> Objective:
        """What is lowered: as said, or as the method to start from minimizes if that can be refined."""
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
            # What the method shows is wider than what its rows span, and only so wide do the rules hold.
            loss = goal.measure(EquivalenceClasses.of(task.microdata, recoding)).loss
            return replace(recoding, details=replace(found, tried={start.name: loss, "refined": loss}))
        # The kernels of the search are loaded by those who search, not by all who ask whether something is refined.
        from sfumato.methods.refinement.search import refine  # noqa: PLC0415

        refined = refine(goal, classes, limit)
        losses = {start.name: goal.measure_rows(classes).loss, "refined": goal.measure_rows(refined).loss}
        # What was proven about the classes that it started from is not about these.
        tried = {**(found.tried or {}), **losses}
        details = replace(found, optimality=None, tried=tried, minimized=goal.objective.name)
        return Recoding(classes=refined, details=details)


def refinement_limit(option: bool | float | str) -> RefinementLimit | None:
    """Return when to stop by what the user said; None for no refinement at all."""
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
