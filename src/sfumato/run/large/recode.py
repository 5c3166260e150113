"""Recoding one part: the method runs in memory, the rows become readable, and the figures add up over parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.randomness import Secret
from sfumato.errors import VerificationError
from sfumato.loss import METRICS, LossReport, RecodedTable
from sfumato.loss.objective import LossTotal
from sfumato.loss.recoded_table import ncp_by_attribute
from sfumato.methods import Method, Task
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.release.values import show
from sfumato.run.large.coded_table import CodedTable
from sfumato.run.large.drawn_rows import DrawnRows
from sfumato.run.large.engine import PLACE, Finished
from sfumato.run.large.full_domain import AtLevels
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding


@dataclass(frozen=True)
class Figures:
    """Figures about a recoded part; all but the number of the part add up.

    Attributes
    ----------
    part
        Which part.
    rows, suppressed, classes
        The numbers of its rows, of its suppressed rows and of its classes.
    lost
        The losses of the released rows, by each registered measure.
    by_attribute
        The penalties of the quasi-identifiers, summed over the released rows.
    content
        A keyed hash of the codes.
    starred
        For each quasi-identifier, how many released rows share their class with a row that lacks a value.
    gone
        The codes of the suppressed rows.
    drawn
        Some of its rows.
    """

    part: int
    rows: int
    suppressed: int
    classes: int
    lost: Mapping[str, float]
    by_attribute: NDArray[np.float64] = field(repr=False)
    content: bytes = field(repr=False)
    starred: NDArray[np.int64] = field(repr=False)
    gone: NDArray[np.integer] = field(repr=False)
    drawn: DrawnRows = field(repr=False)

    @classmethod
    def of(cls, part: int, recoded: RecodedTable, key: bytes, drawn: DrawnRows) -> Figures:
        """Measure a part."""
        table, classes = recoded.microdata, recoded.classes
        lost = {name: loss.lost_by_released(recoded) for name, loss in METRICS.items() if loss.by_release is None}
        penalties = ncp_by_attribute(table, classes)
        content = replace(table, domains=(), sensitive=()).digest(key)
        missing = [domain.missing_code for domain in table.domains]
        return cls(
            part,
            len(table),
            classes.suppressed,
            len(classes),
            lost,
            classes.sizes @ penalties,
            content,
            classes.sizes @ (classes.hi == missing).astype(np.int64),
            table.codes[classes.of_row < 0],
            drawn,
        )


class RecodedPart(NamedTuple):
    """A recoded part: the order in which the method saw its rows, the recoding, and the classes."""

    order: NDArray[np.int64]
    recoding: Recoding
    recoded: RecodedTable


@dataclass(frozen=True)
class Recode:
    """Recodes one part by a method in memory, and makes its rows readable.

    Attributes
    ----------
    table
        What the codes mean.
    method, models
        The method that finds the classes, and the models that these must keep.
    intervals
        How intervals are shown.
    secret
        The source of all randomness.
    budgets
        How many rows of each part may be suppressed.
    draws
        How many rows are drawn from each part, with replacement; parts without an entry are taken whole.
    """

    table: CodedTable
    method: Method
    models: tuple[PrivacyModel, ...]
    intervals: str
    secret: Secret
    budgets: Mapping[int, int] = field(default_factory=dict)
    draws: Mapping[int, int] = field(default_factory=dict)

    @property
    def parts(self) -> int:
        """The number of parts."""
        return len(self.budgets)

    def recoded(self, part: int, rows: pa.Table) -> RecodedPart:
        """Recode the rows of a part; the result is the same every time."""
        purpose = f"part {part}"
        order = self.secret.permutation(f"{purpose} in", rows.num_rows)
        microdata = self.table.microdata(rows).take(order)
        budget = self.budgets.get(part, 0)
        task = Task(microdata, Requirements(self.models, microdata), budget, self.secret.number(purpose))
        recoding = self.method.run(task)
        classes = EquivalenceClasses.of(microdata, recoding)
        if classes.suppressed > budget:
            raise VerificationError(
                f"The method '{self.method.name}' left out {classes.suppressed:,} rows of a part, but only {budget:,} "
                "may be. This is a fault of the method, please report it."
            )
        return RecodedPart(order, recoding, RecodedTable(microdata, classes, 0, task.requirements.k))

    def __call__(self, part: int, rows: pa.Table) -> Finished:
        """Recode the rows of a part and make them readable."""
        order, recoding, recoded = self.recoded(part, rows)
        microdata, classes = recoded.microdata, recoded.classes
        released = np.flatnonzero(classes.of_row >= 0)
        shown = show(
            self.table.released(rows),
            self.table.roles,
            microdata,
            recoding,
            classes,
            self.intervals,
            released,
            order[released],
        )
        places = self.secret.generator(f"part {part}").integers(0, 1 << 64, len(released), np.uint64)
        drawn = self._drawn(part, rows, order, recoded)
        figures = Figures.of(part, recoded, self.secret.key("content hash"), drawn)
        return Finished(shown.table.append_column(PLACE, pa.array(places)), figures)

    def _drawn(self, part: int, rows: pa.Table, order: NDArray[np.int64], recoded: RecodedTable) -> DrawnRows:
        places = np.arange(len(order))
        if part in self.draws:
            places = self.secret.generator(f"drawn {part}").integers(0, len(order), self.draws[part])
        return DrawnRows.of(self.table, rows, order, recoded, places)

    def shown(self) -> tuple[pa.Schema, dict[str, tuple[str, ...]]]:
        """The schema of the released rows, and the columns that stand for each quasi-identifier."""
        rows = self.table.schema.empty_table()
        microdata = self.table.microdata(rows)
        nobody = np.empty(0, np.int64)
        classes = EquivalenceClasses(
            nobody.astype(np.int32), nobody, *(np.empty((2, 0, len(self.table.domains)), np.int64))
        )
        chosen = self.method.levels if isinstance(self.method, AtLevels) else None
        recoding = Recoding(classes=nobody.astype(np.int32)) if chosen is None else Recoding(levels=chosen)
        found = show(
            self.table.released(rows), self.table.roles, microdata, recoding, classes, self.intervals, nobody, nobody
        )
        return found.table.schema.append(pa.field(PLACE, pa.uint64())), found.quasi_identifiers


def loss_of(figures: Sequence[Figures], table: CodedTable, microdata: Microdata, left_out: int, k: int) -> LossReport:
    """Add up the losses of all parts, exactly as if the table had been measured at once."""
    in_order = sorted(figures, key=lambda one: one.part)
    rows = sum(one.rows for one in in_order) + left_out
    suppressed = sum(one.suppressed for one in in_order) + left_out
    kept = rows - suppressed
    values = {}
    for name, loss in METRICS.items():
        if loss.by_release is None:
            lost = sum(one.lost[name] for one in in_order) + suppressed * loss.price(microdata, rows)
            values[name] = float(
                loss.reported(loss.shown(LossTotal(lost, kept, rows, k, microdata, table.marginals, left_out)))
            )
    means = sum((one.by_attribute for one in in_order), np.zeros(len(table.domains))) / max(1, kept)
    by_attribute = dict(zip((domain.name for domain in table.domains), map(float, means), strict=True))
    return LossReport(values, by_attribute, sum(one.classes for one in in_order))
