"""Full-domain recoding on an engine: it counts the frequency set once, the search runs on that, rows get its levels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import VerificationError
from sfumato.loss import LossReport
from sfumato.loss.recoded_table import CountedTable
from sfumato.methods import Method, Task
from sfumato.methods.on_engine import LevelsByFrequencies
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.run.finer_steps import FinerSteps
from sfumato.run.large.encoding import CodedTable, carried_name, coded_name
from sfumato.run.large.engine import Rows, counted, group_counts
from sfumato.run.request import Request
from sfumato.table.frequency import group_rows
from sfumato.table.microdata import Microdata, WeightedColumn
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: The levels of a recoding, and the groups of every class that is left out, a row for each.
Groups = NDArray[np.int64]


@dataclass(frozen=True)
class AtLevels(Method):
    """Shows every quasi-identifier at a level that was chosen from the counts of all rows, and leaves classes out.

    Attributes
    ----------
    levels
        The level of every quasi-identifier.
    gone
        The groups of the classes that are left out, one row each.
    """

    levels: tuple[int, ...]
    gone: Groups = field(repr=False)

    name: ClassVar[str] = "levels"
    summary: ClassVar[str] = "Levels that were chosen before."
    recoding: ClassVar[str] = "full-domain"

    def run(self, task: Task) -> Recoding:
        """Recode the rows of one part."""
        if not len(self.gone):
            return Recoding(levels=self.levels)
        groups = groups_at(task.microdata, self.levels)
        sizes = [len(domain.levels[at]) for domain, at in zip(task.microdata.domains, self.levels, strict=True)]
        together = group_rows(np.concatenate([self.gone, groups]), sizes).of_row
        return Recoding(levels=self.levels, suppressed=np.isin(together[len(self.gone) :], together[: len(self.gone)]))


def groups_at(microdata: Microdata, levels: tuple[int, ...]) -> Groups:
    """Return the group of every row and quasi-identifier at its level."""
    pairs = enumerate(zip(microdata.domains, levels, strict=True))
    return np.stack([domain.levels[level].groups[microdata.codes[:, at]] for at, (domain, level) in pairs], axis=1)


@dataclass(frozen=True)
class Chosen:
    """What was chosen from the counts: what to do with every part, what is lost by it, and what there is to tell."""

    method: AtLevels
    recoding: Recoding
    recoded: CountedTable

    @cached_property
    def loss(self) -> LossReport:
        """What was lost."""
        return LossReport.of(self.recoded)

    @property
    def suppressed(self) -> int:
        """How many rows are left out."""
        return self.recoded.suppressed - self.recoded.left_out

    def steps(self, models: tuple[PrivacyModel, ...]) -> FinerSteps:
        """Return what one finer step would make of the classes, by the counts of all rows."""
        return FinerSteps(self.recoded.microdata, self.recoded.classes, models, counts=self.recoded.counts)


def choose(rows: Rows, table: CodedTable, request: Request, support: LevelsByFrequencies, left_out: int) -> Chosen:
    """Count the distinct rows, and let a method choose levels for them."""
    microdata, counts = frequencies(rows, table)
    models = tuple(request.privacy)
    requirements = Requirements(models, microdata)
    task = Task(microdata, requirements, parameters.rows_within(request.suppression, table.rows))
    recoding = support.recode(task, counts)
    if recoding.levels is None:
        raise VerificationError(
            f"The method '{request.method.name}' chose no levels from the frequency set, although it declares that it "
            "can. This is a fault of the method, please report it."
        )
    classes = EquivalenceClasses.of(microdata, recoding)
    kept = classes.of_row >= 0
    sizes = np.bincount(classes.of_row[kept], counts[kept], len(classes)).astype(np.int64)
    recoded = CountedTable(microdata, replace(classes, sizes=sizes), left_out, requirements.k, counts)
    chosen = recoded.suppressed - left_out
    if chosen > task.suppressible:
        raise VerificationError(
            f"The method '{request.method.name}' left out {chosen:,} rows, but only {task.suppressible:,} may be. This "
            "is a fault of the method, please report it."
        )
    gone = np.unique(groups_at(microdata, recoding.levels)[~kept], axis=0)
    at_levels = AtLevels(recoding.levels, gone)
    return Chosen(at_levels, recoding, recoded)


def frequencies(rows: Rows, table: CodedTable) -> tuple[Microdata, NDArray[np.int64]]:
    """Return the frequency set of a table, the engine's GROUP BY, as distinct rows with their counts."""
    names = [coded_name(at) for at in range(len(table.domains))]
    groups: pa.Table = counted(rows, [*names, *(carried_name(at) for at in table.sensitive)])
    counts = group_counts(groups)
    plain = table.microdata(groups)
    sensitive = tuple(
        WeightedColumn(one.name, one.values, one.codes, whole=one.whole, weights=counts) for one in plain.sensitive
    )
    return replace(plain, sensitive=sensitive), counts
