"""Any method, and its classes refined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato import parameters
from sfumato.errors import invalid_parameter
from sfumato.methods.base import Method, Task, find_method, register
from sfumato.methods.refining.search import Limit, refine
from sfumato.microdata import EquivalenceClasses, Recoding

EXHAUSTIVE = Limit(rounds=1_000, patience=1e-5)


@dataclass(frozen=True)
class Refined(Method):
    """Let a method find classes; then move rows, dissolve classes and group neighbours anew while the loss falls.

    Parameters
    ----------
    method
        The method that finds the classes to start from, or its name.
    refine
        True: a fixed number of rounds, the same result on every machine. A number: that many seconds.
        ``"exhaustive"``: until rounds gain next to nothing.
    """

    method: Method | str = "mondrian"
    refine: bool | float | str = True

    name: ClassVar[str] = "refined"
    summary: ClassVar[str] = "Another method's classes, improved by moving rows and regrouping neighbours. Near O(n)."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", find_method(self.method))
        refinement_limit(self.refine)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters, for manifests and policy files."""
        start = find_method(self.method)
        return {"method": {"name": start.name, "parameters": start.parameters()}, "refine": self.refine}

    def recode(self, task: Task) -> Recoding:
        """Refine what the method finds."""
        recoding = find_method(self.method).recode(task)
        classes = EquivalenceClasses.of(task.microdata, recoding).of_row
        limit = refinement_limit(self.refine)
        refined = refine(task, classes.astype(np.int32), limit) if limit else classes
        # What was proven about the classes that it started from is not about these.
        details = {name: told for name, told in recoding.details.items() if name != "optimality" or not limit}
        return Recoding(classes=refined, details=details)


def refinement_limit(option: bool | float | str) -> Limit | None:
    """Return when to stop by what the user said; None for no refinement at all."""
    if option is False:
        return None
    if option is True:
        return Limit()
    if option == "exhaustive":
        return EXHAUSTIVE
    if isinstance(option, str):
        raise invalid_parameter("Refined", "refine", "True, False, a number of seconds or 'exhaustive'", option)
    return Limit(rounds=100_000, seconds=parameters.number("Refined", "refine", option, above=0), patience=0.0)


register()(Refined)
