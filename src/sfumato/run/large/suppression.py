"""How many rows of each part may be left out: the budget of all rows, spent where it saves most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.common.randomness import Secret
from sfumato.methods import Method, Task, find_method
from sfumato.methods.linear.base import LinearMethod
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.runs import cut_by_size, units
from sfumato.methods.linear.suppression import OWN_LOSS
from sfumato.methods.refinement import Refined
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import BetaLikeness, DeltaDisclosure, KAnonymity, PrivacyModel, Requirements, TCloseness
from sfumato.run.large.encoding import CodedTable
from sfumato.run.large.engine import NOTHING, Finished
from sfumato.table.recoding import SUPPRESSED

#: What a row must save beyond its own loss to be left out, from nothing to very much.
EXTRAS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)

#: So many neighbouring rows tell about all of a part.
STRETCH = 50_000

#: Models that compare classes with the release as a whole.
COMPARING = (TCloseness, BetaLikeness, DeltaDisclosure)


class Curve(NamedTuple):
    """How many rows of a part are worth more left out than kept, at every price of ``EXTRAS``."""

    part: int
    counts: list[float]


def can_be_priced(method: Method, models: Sequence[PrivacyModel]) -> bool:
    """Return whether an optimum can be asked what it leaves out at a price: a line, cut by the sizes of classes."""
    start = find_method(method.method) if isinstance(method, Refined) else method
    only_sizes = all(isinstance(model, KAnonymity) for model in models)
    return only_sizes and isinstance(start, LinearMethod) and not start.by_extent


@dataclass(frozen=True)
class Price:
    """Finds out how much a part would save by leaving rows out, from a stretch of its line."""

    table: CodedTable
    method: Method
    models: tuple[PrivacyModel, ...]
    secret: Secret

    def __call__(self, part: int, rows: pa.Table) -> Finished:
        """Cut the stretch at every price."""
        start = find_method(self.method.method) if isinstance(self.method, Refined) else self.method
        assert isinstance(start, LinearMethod)
        microdata = self.table.microdata(rows)
        task = TaskLoss(Task(microdata, Requirements(self.models, microdata)), start.objective).lowered
        line = Line.of(task, start.make_mapping())
        begin = max(0, (len(line) - STRETCH) // 2)
        some = line.reordered(np.arange(begin, min(len(line), begin + STRETCH)))
        scale = len(line) / max(1, len(some))
        ends, k = units(some, start.keep_equal), task.requirements.smallest_class
        cuts = [cut_by_size(some, ends, k, price=OWN_LOSS + extra).classes[some.order] for extra in EXTRAS]
        counts = [float(np.count_nonzero(classes == SUPPRESSED)) * scale for classes in cuts]
        return Finished(NOTHING.empty_table(), Curve(part, counts))


def spent(budget: int, sizes: Sequence[int], curves: Sequence[Curve]) -> list[int]:
    """Return what each part may spend: as much as it would at the one price at which all together spend the budget."""
    counts = np.array([curve.counts for curve in curves])
    totals = counts.sum(axis=0)
    if totals[0] <= budget:
        # More may be left out than is worth it between runs; the rest serves inside of them.
        worth = in_proportion(int(totals[0]), counts[:, 0], sizes)
        return [own + more for own, more in zip(worth, in_proportion(budget - sum(worth), sizes, sizes), strict=True)]
    at = int(np.searchsorted(-totals, -budget))
    if at == len(totals):
        return in_proportion(budget, counts[:, -1], sizes)
    share = (budget - totals[at]) / max(1e-9, totals[at - 1] - totals[at])
    return in_proportion(budget, counts[:, at] + share * (counts[:, at - 1] - counts[:, at]), sizes)


def in_proportion(budget: int, wanted: Sequence[float] | np.ndarray, most: Sequence[int]) -> list[int]:
    """Divide a number of rows in proportion to what is wanted; never more than all rows of a part, or in total.

    >>> in_proportion(8, [1, 3], [100, 100])
    [2, 6]
    """
    ends = np.rint(np.cumsum(wanted) * (budget / max(1e-9, float(np.sum(wanted))))).astype(np.int64)
    given = np.diff(np.append(0, ends))
    return [int(min(own, limit)) for own, limit in zip(given, most, strict=True)]
