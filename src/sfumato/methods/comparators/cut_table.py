"""A table and its possible cuts: which classes a set of cuts makes, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.comparators.kernels.k_optimize import (
    COST,
    LabelledRows,
    Prices,
    classes_of_cuts,
    groups_of_cuts,
    try_cuts,
)
from sfumato.methods.recoding_models.value_groups import broken_rows
from sfumato.table.frequency import group_rows

#: A set of cuts, by their indices in ``CutTable.cuts``.
Cuts = tuple[int, ...]


@dataclass(frozen=True)
class CutTable:
    """The rows of a task, all possible cuts, and prices.

    Attributes
    ----------
    cuts
        One row per cut: the attribute, and the first code on the upper side.
    """

    task: Task
    people: LabelledRows
    cuts: NDArray[np.int64]
    prices: Prices

    @classmethod
    def of(cls, task: Task, codes: Sequence[NDArray[np.int64]], by_label: bool) -> CutTable:
        """Build the table with cuts at the given codes of every attribute."""
        microdata, rows = task.microdata, len(task.microdata)
        labels = microdata.sensitive[0].codes if by_label and microdata.sensitive else np.zeros(rows, np.int32)
        cuts = [(at, int(code)) for at, of_attribute in enumerate(codes) for code in of_attribute]
        return cls(
            task,
            LabelledRows(microdata.codes, task.requirements.sensitive_codes, labels),
            np.array(cuts, np.int64).reshape(-1, 2),
            Prices(by_label, 1.0 if by_label else float(rows)),
        )

    def __len__(self) -> int:
        return len(self.people.codes)

    def groups(self, cuts: Cuts) -> list[NDArray[np.int64]]:
        """Apply cuts: for every attribute, the group of each of its codes."""
        chosen = self.cuts[list(cuts)]
        return [groups_of_cuts(chosen, at, size) for at, size in enumerate(self.sizes)]

    def classes(self, cuts: Cuts) -> tuple[NDArray[np.int32], int]:
        """Apply cuts: the class of every row, and the number of classes."""
        return classes_of_cuts(self.people.codes, self.cuts[list(cuts)], self.sizes)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of codes of every attribute."""
        return np.array([domain.size for domain in self.task.microdata.domains], np.int64)

    def floors(self, cuts: Cuts) -> NDArray[np.float64]:
        """Bound the cost of each released row from below, if only these cuts may be made."""
        classes, count = self.classes(cuts)
        sizes = np.bincount(classes, minlength=count)
        if not self.prices.by_label:
            return np.maximum(sizes, self.task.requirements.smallest_class)[classes].astype(np.float64)
        pairs = group_rows(np.stack([classes, self.people.labels], axis=1), [count, int(self.people.labels.max()) + 1])
        most = np.zeros(count, np.int64)
        np.maximum.at(most, pairs.codes[:, 0], pairs.counts)
        # The cost is spread over the rows of a class, since a class is released as a whole or not at all.
        return ((sizes - most) / sizes)[classes]

    def trials(self, head: Cuts, tail: Cuts, floors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Evaluate each cut of ``tail`` in addition to all of ``head``; the result is that of `try_cuts`."""
        return self._tried(head, self.cuts[list(tail)], floors)

    def cost(self, cuts: Cuts) -> float:
        """The cost of the table with exactly these cuts."""
        nothing_more = np.zeros((1, 2), np.int64)
        return float(self._tried(cuts, nothing_more, np.zeros(len(self)))[0, COST])

    def _tried(self, head: Cuts, cuts: NDArray[np.int64], floors: NDArray[np.float64]) -> NDArray[np.float64]:
        return try_cuts(
            self.people,
            self.classes(head)[0],
            cuts,
            floors,
            self.prices,
            self.task.requirements.rules,
            self.task.requirements.smallest_class,
        )

    def allowed(self, classes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether the class of each row is allowed."""
        kept = np.ones(len(self), bool)
        kept[broken_rows(self.task, np.arange(len(self)), classes.astype(np.int64))] = False
        return kept

    def shown(self, cost: float) -> float:
        """Convert a cost to the reported loss: a share of all rows where labels count."""
        return cost / max(1, len(self)) if self.prices.by_label else cost
