"""What all linear methods share: map rows to one dimension, sort, and cut (Ghinita and others, VLDB 2007)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.common.progress import Tell, silent, stage
from sfumato.loss import Minimized, Objective, find_objective
from sfumato.loss.objective import SPANS
from sfumato.methods.base import Method, Task
from sfumato.methods.linear.row_order import Line, LinearMapping, sorted_line
from sfumato.methods.linear.runs import LineCut, cut_by_size, cut_line, only_sizes, possible_cuts, units
from sfumato.methods.linear.suppression import OWN_LOSS, cheapest_trimmed, cut_leaving_out
from sfumato.methods.on_engine import EngineSupport, PartsAlongOrder
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import Requirements
from sfumato.table.recoding import SUPPRESSED, Recoding

#: The value of ``minimize`` in the fast variants: how far a run reaches on the curve stands in for its loss.
EXTENT = "extent"

#: From this many neighbouring rows it is estimated what all rows of a part would save by leaving some out.
STRETCH = 50_000


@dataclass(frozen=True)
class LinearMethod(Method):
    """A method that sorts the rows by a mapping and cuts the order into the runs with the least loss.

    Parameters
    ----------
    minimize
        What is minimized: ``"gcp"``, ``"entropy"``, a list of queries, or an `Objective` that depends on what classes
        span; or ``"extent"``, the length of the runs on the curve, which is faster and loses more.
    keep_equal
        Keep rows with equal quasi-identifiers in one class (global recoding). Otherwise they may end up in several.
    """

    minimize: Minimized = "gcp"
    keep_equal: bool = False

    lowers: ClassVar[frozenset[str]] = frozenset({SPANS})

    #: The order that is cut, and what else is guaranteed about the result; both complete the summary.
    along: ClassVar[str]
    cheapest: ClassVar[str] = ""

    @property
    def summary(self) -> str:  # type: ignore[override]
        """What the method does and guarantees, in one line."""
        if self.by_extent:
            return f"Runs that cover the shortest distance along {self.along}: faster, with more loss."
        return f"Optimal runs along {self.along}{self.cheapest}."

    @property
    def recoding(self) -> str:  # type: ignore[override]
        """``"global"`` if equal rows always get equal cells, else ``"local"``."""
        return "global" if self.keep_equal else "local"

    def __post_init__(self) -> None:
        _ = self.objective
        parameters.flag(type(self).__name__, "keep_equal", self.keep_equal)

    @abstractmethod
    def make_mapping(self) -> LinearMapping:
        """Create the mapping that orders the rows."""

    @property
    def by_extent(self) -> bool:
        """Whether the length of runs on the curve is minimized instead of a loss."""
        return isinstance(self.minimize, str) and self.minimize == EXTENT

    @property
    def objective(self) -> Objective:
        """The loss that is minimized; with ``minimize="extent"``, the one that is reported."""
        given = "gcp" if self.by_extent else self.minimize
        return find_objective(type(self).__name__, given, self.lowers, besides=f"'{EXTENT}', ")

    def run(self, task: Task) -> Recoding:
        """Sort, cut, and spend the suppression budget where it saves most."""
        task = TaskLoss(task, self.objective).lowered
        line = sorted_line(task, self.make_mapping())
        tell = stage(task.progress, "cutting")
        tell(0.0)
        if task.suppressible and not self.by_extent and only_sizes(task.requirements):
            return Recoding(classes=cut_leaving_out(task, line, self.keep_equal))
        cuts = possible_cuts(line, task.requirements, self.by_extent, self.keep_equal, tell)
        return Recoding(classes=cheapest_trimmed(task, cuts))

    @property
    def on_engine(self) -> EngineSupport | None:
        """Runs of any stretch of the order, where a row's place in it does not depend on other rows."""
        keys = self.make_mapping().on_engine
        return None if keys is None else PartsAlongOrder(keys, None if self.by_extent else self.worth_leaving_out)

    def worth_leaving_out(self, task: Task, prices: Sequence[float]) -> list[float]:
        """Estimate, from a stretch of the line, how many rows save more than each price by being left out.

        A price comes on top of the loss of the row itself.
        """
        task = TaskLoss(task, self.objective).lowered
        line = Line.of(task, self.make_mapping())
        begin = max(0, (len(line) - STRETCH) // 2)
        some = line.reordered(np.arange(begin, min(len(line), begin + STRETCH)))
        scale = len(line) / max(1, len(some))
        ends, k = units(some, self.keep_equal), task.requirements.smallest_class
        cuts = [cut_by_size(some, ends, k, price=OWN_LOSS + price).classes[some.order] for price in prices]
        return [float(np.count_nonzero(classes == SUPPRESSED)) * scale for classes in cuts]

    def cut(self, line: Line, requirements: Requirements, tell: Tell = silent) -> LineCut:
        """Cut rows that are already sorted."""
        return cut_line(line, requirements, self.by_extent, self.keep_equal, tell)
