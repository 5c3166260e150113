"""The loss that a task minimizes: what classes lose, and the table whose span costs add up to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.loss import Blocks, Objective, RecodedTable
from sfumato.loss.metrics import GCP
from sfumato.loss.objective import SPANS
from sfumato.methods.base import Task
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: The weight of the certainty penalty added to other losses, to break ties between recodings of equal loss.
TIE = 1e-3


class Measured(NamedTuple):
    """The loss of a recoding by the objective; the certainty penalty breaks ties."""

    loss: float
    gcp: float

    def gain_over(self, before: Measured) -> float:
        """Compute the relative gain since, by whichever of the two gained more."""
        shares = [(old - new) / abs(new) if new else float(old > new) for old, new in zip(before, self, strict=True)]
        return max(shares[0], shares[1] if shares[0] >= 0 else 0.0)


@dataclass(frozen=True)
class TaskLoss:
    """A task together with the loss to minimize.

    Attributes
    ----------
    task
        The task, with the original table.
    objective
        The loss.
    """

    task: Task
    objective: Objective = GCP

    def measure(self, classes: EquivalenceClasses) -> Measured:
        """Measure the loss of classes."""
        recoded = RecodedTable(self.task.microdata, classes)
        gcp = GCP.measure(recoded)
        return Measured(gcp if self.objective is GCP else self.objective.measure(recoded), gcp)

    def measure_rows(self, classes: NDArray[np.int32]) -> Measured:
        """Measure the loss of classes given as one number per row."""
        return self.measure(EquivalenceClasses.of(self.task.microdata, Recoding(classes=classes)))

    @cached_property
    def priced(self) -> Microdata:
        """The table with span costs that add up to this loss, as far as spans matter to it."""
        return self.objective.priced(self.task.microdata, tie=TIE)

    @property
    def by_spans(self) -> bool:
        """Whether the loss depends on what classes span."""
        return SPANS in self.objective.parts

    @property
    def label(self) -> int:
        """The index of the sensitive column that serves as the label; -1 for none."""
        if not self.objective.labels:
            return -1
        if not self.task.microdata.sensitive:
            raise ParameterError(
                f"minimize='{self.objective.name}' needs a sensitive column: the label to predict from the release."
            )
        return 0

    @property
    def with_labels_as_function(self) -> Objective:
        """The loss with labels as a function of blocks, for searches that cannot count labels otherwise."""
        if self.label < 0:
            return self.objective
        label = self.task.microdata.sensitive[self.label].name
        each, more = self.objective.labels, self.objective.by_block

        def strangers(blocks: Blocks) -> NDArray[np.float64]:
            found = each * (blocks.sizes - blocks.counts[label].max(axis=1, initial=0))
            return np.asarray(found if more is None else found + more(blocks), np.float64)

        return replace(self.objective, labels=0.0, by_block=strangers)

    @property
    def lowered(self) -> Task:
        """The task for methods that minimize spans only: spans cost this loss, and a suppressed row costs 1."""
        objective, task = self.objective, self.task
        if SPANS not in objective.parts:
            return task
        price = objective.price(task.microdata, len(task.microdata))
        unit = price / objective.spread if objective.may_suppress else 1.0
        if self.priced is task.microdata and unit == 1:
            return task
        seen = replace(self.priced, weights=self.priced.weights / unit)
        left_out = task.suppressible if objective.may_suppress else 0
        return replace(task, microdata=seen, suppressible=left_out, memory=None)
