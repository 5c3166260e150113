"""What is to be lowered: any loss that adds up over classes.

Every such loss is one of three things, or a sum of them: what a row costs by the spans that its class shows, what it
costs by the size of its class, and what it costs if its label is not that of most of its class. The first needs no
code of its own: a table whose domains have other span costs lets every method lower another loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, invalid_parameter
from sfumato.kernels.rules import SPAN
from sfumato.loss import METRICS, Recoded, ncp
from sfumato.methods.base import Task
from sfumato.methods.refining.costs import entropy_table, workload_table
from sfumato.methods.refining.kernels.changing_classes import Aim
from sfumato.microdata import EquivalenceClasses, Microdata, Recoding
from sfumato.privacy import Requirements

#: A query by the columns that it looks at: a range of numbers or dates, or the categories that it asks for.
Query = Mapping[str, Any]

#: What ``minimize=`` takes: the name of a loss, or a workload of queries.
Minimized = str | Sequence[Query]

#: The losses that go by a name.
LOSSES = ("gcp", "entropy", "dm", "cm")

#: Losses that many recodings share are told apart by the certainty penalty, counted this little.
TIE = 1e-3


class Measured(NamedTuple):
    """What a recoding loses by the objective; among equals, the certainty penalty decides."""

    loss: float
    gcp: float

    def gain_over(self, before: Measured) -> float:
        """Return the share that was gained since, by whichever of both gained more."""
        shares = [(old - new) / abs(new) if new else float(old > new) for old, new in zip(before, self, strict=True)]
        return max(shares[0], shares[1] if shares[0] >= 0 else 0.0)


@dataclass(frozen=True)
class Objective:
    """A loss, for one task.

    Attributes
    ----------
    task
        The task, with the table as it is.
    minimize
        The loss: its name, or a workload.
    """

    task: Task
    minimize: Minimized = "gcp"

    @property
    def name(self) -> str:
        """What the loss is called."""
        return self.minimize if isinstance(self.minimize, str) else "workload"

    def measure(self, classes: EquivalenceClasses) -> Measured:
        """Return what classes lose; rows that are left out lose everything."""
        recoded = Recoded(self.task.microdata, classes)
        gcp = float(METRICS["gcp"].measure(recoded))
        if self.name == "gcp":
            return Measured(gcp, gcp)
        if self.name in METRICS:
            return Measured(float(METRICS[self.name].measure(recoded)), gcp)
        lost = float(classes.sizes @ ncp(self._pure, classes)) + classes.suppressed
        return Measured(lost / max(1, recoded.rows), gcp)

    def measure_rows(self, classes: NDArray[np.int32]) -> Measured:
        """Return what a class per row loses."""
        return self.measure(EquivalenceClasses.of(self.task.microdata, Recoding(classes=classes)))

    @property
    def start(self) -> Task:
        """The task for methods that find classes to start from: they see the span costs of this objective.

        Rules on spans are about what is really shown, so where there are any the methods see the table as it is.
        """
        rules = self.task.requirements.rules.table
        if self.costs is self.task.microdata or (rules[:, 0] == SPAN).any():
            return self.task
        return replace(self.task, microdata=self.costs, memory=None)

    @cached_property
    def _pure(self) -> Microdata:
        """The table with the span costs of a workload alone."""
        return workload_table(self.task.microdata, _queries(self.minimize))

    @cached_property
    def costs(self) -> Microdata:
        """The table with span costs that add up to this loss, as far as spans matter to it."""
        if self.name == "entropy":
            return entropy_table(self.task.microdata)
        if self.name == "workload":
            return workload_table(self.task.microdata, _queries(self.minimize), TIE)
        return self.task.microdata

    @property
    def by_spans(self) -> bool:
        """Whether nothing but spans matters."""
        return self.name not in {"dm", "cm"}

    @property
    def label(self) -> int:
        """The place of the sensitive column whose values are to be told; -1 for none."""
        if self.name != "cm":
            return -1
        if not self.task.microdata.sensitive:
            raise ParameterError(
                "minimize='cm' needs a sensitive column: the label that is to be told from the release."
            )
        return 0

    def aim(self, kept: NDArray[np.bool_]) -> Aim:
        """Return the objective with what classes of the rows that are kept must keep, for kernels."""
        task, costs = self.task, self.costs.spans
        if not self.by_spans:
            costs = costs._replace(weight=costs.weight * TIE)
        requirements = task.requirements
        if not kept.all():
            # t-closeness compares with what is released, so rows that are left out must not count.
            requirements = Requirements(requirements.models, task.microdata.take(kept))
        rules = requirements.rules
        if self.label >= 0 and not requirements.sensitive_codes.shape[1]:
            # The label is counted also where no model looks at any sensitive value.
            counts = [column.counts() for column in task.microdata.sensitive]
            rules = rules._replace(
                counts_at=np.cumsum([0, *map(len, counts)], dtype=np.int64),
                reference=np.concatenate(counts) / max(1, len(task.microdata)),
            )
        smallest = max(1, task.requirements.smallest_class)
        return Aim(rules, task.microdata.spans, costs, smallest, float(self.name == "dm"), self.label)

    def sensitive_codes(self) -> NDArray[np.int32]:
        """Return the sensitive codes that kernels count."""
        if self.label < 0:
            return self.task.requirements.sensitive_codes
        return np.ascontiguousarray(np.stack([column.codes for column in self.task.microdata.sensitive], axis=1))


def check_minimized(owner: str, minimize: object) -> None:
    """Refuse what is neither the name of a loss nor a workload."""
    if not is_minimized(minimize):
        names = ", ".join(repr(name) for name in LOSSES)
        raise invalid_parameter(owner, "minimize", f"one of {names}, or a list of queries", minimize)


def is_minimized(minimize: object) -> bool:
    """Return whether something is the name of a loss or a workload."""
    if isinstance(minimize, str):
        return minimize in LOSSES
    return isinstance(minimize, Sequence) and bool(minimize) and all(map(_is_query, minimize))


def _is_query(query: object) -> bool:
    return isinstance(query, Mapping) and bool(query)


def _queries(minimize: Minimized) -> Sequence[Query]:
    return [] if isinstance(minimize, str) else minimize
