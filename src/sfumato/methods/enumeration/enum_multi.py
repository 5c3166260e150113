"""EnumMulti: the best hierarchical partition, with a proof (Hore, Jammalamadaka and Mehrotra, SDM 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.loss import Minimized, find_objective
from sfumato.loss.objective import CLASSES, FUNCTIONS, LABELS, SIZES, SPANS
from sfumato.methods.base import Method, Task, register
from sfumato.methods.details import MethodDetails
from sfumato.methods.enumeration.box_search import best_by_boxes
from sfumato.methods.enumeration.optimality import FoundPartition, Optimality
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partition_search import PRIORITIES, best_by_partitions
from sfumato.methods.enumeration.search_limits import SearchLimits
from sfumato.methods.enumeration.splits import Splits, check_splits, counted_splits, plain_splits, split_codes
from sfumato.methods.enumeration.suppression import best_with_suppression
from sfumato.methods.task_loss import TaskLoss
from sfumato.table.recoding import Recoding

ENGINES = ("boxes", "pet")

#: Any objective that is a sum over classes can be minimized.
ABLE = frozenset({SPANS, SIZES, CLASSES, LABELS, FUNCTIONS})


@dataclass(frozen=True)
class EnumMulti(Method):
    """Find the best partition into boxes that cuts at the given points can make.

    The search can stop at any time: ``release.optimality`` has the cost, a proven lower bound, and whether the two
    meet. It starts from Mondrian's partition with the same cuts, so the result is never worse.

    Parameters
    ----------
    splits
        Where each quasi-identifier may be cut: a list of cut points (a value at or below a cut point lies on its left;
        a taxonomy is cut after a value or a group), or the number of cuts. A single number applies to all
        quasi-identifiers; those not mentioned get up to 32.
    placing
        How cut points are chosen if only their number is given: ``"quantiles"``, ``"width"`` (equal widths),
        ``"taxonomy"`` (between the groups of the highest levels), or ``"auto"``: taxonomies between groups, all else at
        quantiles.
    minimize
        What is minimized: ``"dm"``, ``"c_avg"``, ``"gcp"``, ``"entropy"``, ``"cm"``, a list of queries, or an
        `Objective` of your own.
    time_limit
        In seconds. Without it, a limit on work applies, which gives the same answer on every machine.
    gap
        Stop as soon as the cost is proven to be at most this share above the optimum: 0 requests the optimum, 0.5 an
        answer within a factor of 1.5.
    memory_limit
        The memory for intermediate results, in megabytes. If it runs out, the answer stays valid and the bound becomes
        weaker.
    engine
        ``"boxes"``, or ``"pet"``: the partition enumeration tree of the paper, which is far slower.
    priority
        Which partition the paper's engine expands next: the one with the least ``"bound"``, ``"cost"`` or ``"ratio"``
        of the two.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [21, 22, 35, 38, 39, 61, 64], "height": [160, 181, 170, 172, 190, 165, 175]})
    >>> best = sf.EnumMulti(splits={"age": [30, 50], "height": 3}, minimize="dm")
    >>> release = sf.anonymize(people, quasi_identifiers=["age", "height"], k=2, method=best)
    >>> release.optimality.cost, release.optimality.proven
    (17.0, True)
    """

    splits: Mapping[str, Splits] | int | None = None
    placing: str = "auto"
    minimize: Minimized = "dm"
    time_limit: float | None = None
    gap: float = 0.0
    memory_limit: float = 512.0
    engine: str = "boxes"
    priority: str = field(default="bound")

    name: ClassVar[str] = "enum-multi"
    summary: ClassVar[str] = "The best partition that given cuts allow, with a proven bound. Stops at any time."
    recoding: ClassVar[str] = "global"
    lowers: ClassVar[frozenset[str]] = ABLE

    def __post_init__(self) -> None:
        check_splits("EnumMulti", self.splits, self.placing)
        find_objective("EnumMulti", self.minimize, ABLE)
        if self.time_limit is not None:
            parameters.number("EnumMulti", "time_limit", self.time_limit, at_least=0)
        parameters.number("EnumMulti", "gap", self.gap, at_least=0)
        parameters.number("EnumMulti", "memory_limit", self.memory_limit, above=0)
        parameters.choice("EnumMulti", "engine", self.engine, ENGINES)
        parameters.choice("EnumMulti", "priority", self.priority, tuple(PRIORITIES))

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values."""
        return super().parameters() | {"splits": plain_splits(self.splits)}

    def recorded(self) -> dict[str, Any]:
        """The parameters without categories as cut points, which are values of the table."""
        return self.parameters() | {"splits": counted_splits(self.splits)}

    def run(self, task: Task) -> Recoding:
        """Search for the best partition; ``details["optimality"]`` says how good it is."""
        goal = TaskLoss(task, find_objective("EnumMulti", self.minimize, ABLE))
        cuts = split_codes(task.microdata, self.splits, self.placing)
        instance = PartitionProblem.of(task.requirements, cuts, goal.with_labels_as_function, self.gap)
        limits = SearchLimits(self.time_limit, self.memory_limit, task.progress)
        with limits.interrupts:
            found = best_with_suppression(instance, limits, task.suppressible, self._solve)
        optimality = _optimality(instance, found).with_course(limits.course)
        return Recoding(classes=_classes(instance, found), details=MethodDetails(optimality=optimality))

    def _solve(self, instance: PartitionProblem, limits: SearchLimits) -> FoundPartition:
        if self.engine == "pet":
            return best_by_partitions(instance, limits, self.priority)
        return best_by_boxes(instance, limits)


def _classes(instance: PartitionProblem, found: FoundPartition) -> NDArray[np.int32]:
    return found.blocks[instance.table.of_row]


def _optimality(instance: PartitionProblem, found: FoundPartition) -> Optimality:
    return Optimality(
        instance.objective.name,
        instance.shown(found.value),
        instance.shown(found.bound),
        # The result is never worse than greedy, but rounding may make it seem so.
        instance.shown(max(found.greedy, found.value)),
        found.nodes,
        found.ended,
    )


register()(EnumMulti)
