"""K-Optimize: the best intervals of every attribute, the same for all rows (Bayardo and Agrawal, ICDE 2005)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.loss import find_objective
from sfumato.loss.objective import LABELS, SIZES
from sfumato.methods.base import Method, Task, register
from sfumato.methods.comparators.cut_search import BestCutSet, CutSearch
from sfumato.methods.comparators.cut_table import CutTable
from sfumato.methods.details import MethodDetails
from sfumato.methods.enumeration.optimality import Course, Optimality
from sfumato.methods.enumeration.splits import Splits, check_splits, counted_splits, plain_splits, split_codes
from sfumato.methods.recoding_models.value_groups import keeps
from sfumato.table.recoding import SUPPRESSED, Recoding

#: The work limit of a search without a time limit, in rows visited: a base, and more for each row of the table. That is
#: some seconds for a large table, less for a small one, with the same answer on every machine.
BASE_WORK, ROW_WORK = 12_000_000, 5_000


@dataclass(frozen=True)
class KOptimize(Method):
    """Find the cuts of all attributes, the same for all rows, whose classes cost least.

    The search enumerates every set of cuts once and drops a branch as soon as a bound shows that it cannot beat the
    best set found so far. It can stop at any time: ``release.optimality`` has the cost, a proven lower bound, and
    whether the two meet.

    Parameters
    ----------
    minimize
        What is minimized: ``"dm"``, the discernibility metric, or ``"cm"``, the classification metric of the first
        sensitive column.
    splits, placing
        Where each quasi-identifier may be cut, as in `EnumMulti`; by default at up to 32 points.
    time_limit
        In seconds. Without it, a limit on work applies, which gives the same answer on every machine.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [21, 22, 35, 38, 39, 61, 64], "height": [160, 181, 170, 172, 190, 165, 175]})
    >>> release = sf.anonymize(people, quasi_identifiers=["age", "height"], k=2, method=sf.KOptimize(), seed=1)
    >>> release.optimality.cost, release.optimality.proven
    (17.0, True)
    """

    minimize: str = "dm"
    splits: Mapping[str, Splits] | int | None = None
    placing: str = "auto"
    time_limit: float | None = None

    name: ClassVar[str] = "k-optimize"
    summary: ClassVar[str] = "The best intervals per attribute, the same for all rows, with a proven bound. Any time."
    recoding: ClassVar[str] = "global"
    lowers: ClassVar[frozenset[str]] = frozenset({SIZES, LABELS})

    def __post_init__(self) -> None:
        find_objective("KOptimize", self.minimize, self.lowers)
        parameters.choice("KOptimize", "minimize", self.minimize, ("dm", "cm"))
        check_splits("KOptimize", self.splits, self.placing)
        if self.time_limit is not None:
            parameters.number("KOptimize", "time_limit", self.time_limit, at_least=0)

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values."""
        return super().parameters() | {"splits": plain_splits(self.splits)}

    def recorded(self) -> dict[str, Any]:
        """The parameters without categories as cut points, which are values of the table."""
        return self.parameters() | {"splits": counted_splits(self.splits)}

    def run(self, task: Task) -> Recoding:
        """Search for the best cuts; ``details["optimality"]`` says how good they are."""
        table = CutTable.of(task, split_codes(task.microdata, self.splits, self.placing), self.minimize == "cm")
        work = BASE_WORK + ROW_WORK * len(table)
        search = CutSearch(table, task.suppressible, self.time_limit, work, task.progress)
        recoding = self._recoding(table, search.run(), search.course)
        if task.suppressible and not keeps(task, recoding):
            # t-closeness compares with the released rows, which suppression changes: search again without suppression.
            return self.run(replace(task, suppressible=0))
        return recoding

    def _recoding(self, table: CutTable, answer: BestCutSet, course: Course) -> Recoding:
        groups = table.groups(answer.cuts)
        classes, count = table.classes(answer.cuts)
        allowed = table.allowed(classes)
        shown = np.zeros((2, count, len(groups)), np.int64)
        for at, group_of in enumerate(groups):
            begins = np.flatnonzero(np.diff(group_of, prepend=-1))
            ends = np.append(begins[1:], len(group_of)) - 1
            of_class = np.zeros(count, np.int64)
            of_class[classes] = group_of[table.people.codes[:, at]]
            shown[0, :, at], shown[1, :, at] = begins[of_class], ends[of_class]
        cost, bound, greedy = (table.shown(cost) for cost in (answer.cost, answer.bound, answer.greedy))
        optimality = Optimality(self.minimize, cost, bound, greedy, answer.nodes, answer.ended)
        return Recoding(
            classes=np.where(allowed, classes, SUPPRESSED).astype(np.int32),
            bounds=(shown[0], shown[1]),
            details=MethodDetails(optimality=optimality.with_course(course)),
        )


register()(KOptimize)
