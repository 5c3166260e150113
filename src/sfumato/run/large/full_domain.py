"""Full-domain recoding on an engine: it counts the frequency set, the method searches that, rows get its levels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.loss import LossReport
from sfumato.loss.recoded_table import CountedTable
from sfumato.methods import Method, Task
from sfumato.methods.on_engine import Draw, LevelsByFrequencies
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.run.finer_steps import FinerSteps
from sfumato.run.large.coded_table import CodedTable, carried_name, coded_name
from sfumato.run.large.engine import Rows, counted, group_counts
from sfumato.run.request import Request
from sfumato.table.frequency import group_rows
from sfumato.table.microdata import Microdata, WeightedColumn
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: The group of each quasi-identifier (columns) for each row or class (rows).
Groups = NDArray[np.int64]


@dataclass(frozen=True)
class AtLevels(Method):
    """Recodes to levels that were chosen from the counts of all rows, and suppresses the classes that fail there.

    Attributes
    ----------
    levels
        The level of every quasi-identifier.
    gone
        The groups of the suppressed classes, one row each.
    draw
        Draws the rows that may be released; None if all may.
    """

    levels: tuple[int, ...]
    gone: Groups = field(repr=False)
    draw: Draw | None = None

    name: ClassVar[str] = "levels"
    summary: ClassVar[str] = "Levels that were chosen before."
    recoding: ClassVar[str] = "full-domain"

    def run(self, task: Task) -> Recoding:
        """Recode the rows of one part."""
        suppressed = None if self.draw is None else ~self.draw(task)
        if len(self.gone):
            few = self._in_gone(task.microdata)
            suppressed = few if suppressed is None else few | suppressed
        return Recoding(levels=self.levels, suppressed=suppressed)

    def _in_gone(self, microdata: Microdata) -> NDArray[np.bool_]:
        groups = groups_at(microdata, self.levels)
        sizes = [len(domain.levels[at]) for domain, at in zip(microdata.domains, self.levels, strict=True)]
        together = group_rows(np.concatenate([self.gone, groups]), sizes).of_row
        return np.isin(together[len(self.gone) :], together[: len(self.gone)])


def groups_at(microdata: Microdata, levels: tuple[int, ...]) -> Groups:
    """The group of each row and quasi-identifier at its level."""
    pairs = enumerate(zip(microdata.domains, levels, strict=True))
    return np.stack([domain.levels[level].groups[microdata.codes[:, at]] for at, (domain, level) in pairs], axis=1)


@dataclass(frozen=True)
class Chosen:
    """The choice of levels: the method for each part, the recoding with its details, and the counted table."""

    method: AtLevels
    recoding: Recoding
    recoded: CountedTable

    @cached_property
    def loss(self) -> LossReport:
        """The losses."""
        return LossReport.of(self.recoded)

    @property
    def suppressed(self) -> int:
        """How many rows are left out."""
        return self.recoded.suppressed - self.recoded.left_out

    def steps(self, models: tuple[PrivacyModel, ...]) -> FinerSteps:
        """Find what one finer step would do to the classes, by the counts of all rows."""
        return FinerSteps(self.recoded.microdata, self.recoded.classes, models, counts=self.recoded.counts)


def choose(rows: Rows, table: CodedTable, request: Request, support: LevelsByFrequencies, left_out: int) -> Chosen:
    """Count the distinct rows, and let a method choose levels for them."""
    microdata, counts = frequencies(rows, table)
    models = tuple(request.privacy)
    requirements = Requirements(models, microdata)
    task = Task(microdata, requirements, request.may_leave_out(table.rows))
    recoding = support.recode(task, counts)
    if recoding.levels is None:
        raise VerificationError(
            f"The method '{request.method.name}' chose no levels from the frequency set, although it declares that it "
            "can. This is a fault of the method, please report it."
        )
    classes = counted_classes(microdata, recoding, counts)
    recoded = CountedTable(microdata, classes, left_out, requirements.k, counts)
    chosen = recoded.suppressed - left_out
    if chosen > task.suppressible:
        raise VerificationError(
            f"The method '{request.method.name}' left out {chosen:,} rows, but only {task.suppressible:,} may be. This "
            "is a fault of the method, please report it."
        )
    gone = np.unique(groups_at(microdata, recoding.levels)[classes.of_row < 0], axis=0)
    at_levels = AtLevels(recoding.levels, gone)
    return Chosen(at_levels, recoding, recoded)


def counted_classes(microdata: Microdata, recoding: Recoding, counts: NDArray[np.int64]) -> EquivalenceClasses:
    """The classes of distinct rows; their sizes count all rows that these stand for."""
    classes = EquivalenceClasses.of(microdata, recoding)
    kept = classes.of_row >= 0
    sizes = np.bincount(classes.of_row[kept], counts[kept], len(classes)).astype(np.int64)
    return replace(classes, sizes=sizes)


def frequencies(rows: Rows, table: CodedTable) -> tuple[Microdata, NDArray[np.int64]]:
    """The frequency set of a table as distinct rows and their counts, from the engine's GROUP BY."""
    names = [coded_name(at) for at in range(len(table.domains))]
    groups: pa.Table = counted(rows, [*names, *(carried_name(at) for at in table.sensitive)])
    counts = group_counts(groups)
    plain = table.microdata(groups)
    sensitive = tuple(
        WeightedColumn(one.name, one.values, one.codes, whole=one.whole, weights=counts) for one in plain.sensitive
    )
    return replace(plain, sensitive=sensitive), counts
