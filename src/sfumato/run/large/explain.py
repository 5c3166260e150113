"""Explain a release made by an engine: parts are recoded again to find what a finer step would break.

Recoding a part gives the same result every time, so its classes need not be stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Clock, ProgressOption, reporting
from sfumato.errors import EngineError, InfeasibleError
from sfumato.hierarchies.base import inverse
from sfumato.loss import LossReport
from sfumato.release.explanation import Explanation, WhatIf
from sfumato.release.release import Release
from sfumato.run.finer_steps import ColumnTally, FinerSteps, chosen_columns, known_row, otherwise, overview
from sfumato.run.large.coded_table import PART, CodedTable, coded_name
from sfumato.run.large.engine import NOTHING, Finished, Rows
from sfumato.run.large.full_domain import Chosen
from sfumato.run.large.recode import Recode
from sfumato.run.request import Request
from sfumato.run.what_if import Cost, compared, other_request


class PartTold(NamedTuple):
    """The classes of a part: how many of each size, and what one finer step of each column would do to them."""

    sizes: Counter[int]
    suppressed: int
    tallies: dict[str, ColumnTally]


@dataclass(frozen=True)
class ExplainPart:
    """Recodes a part again, and finds what keeps its classes from being finer."""

    recode: Recode
    names: Sequence[str]

    def __call__(self, part: int, rows: pa.Table) -> Finished:
        """Explain a part."""
        recoded = self.recode.recoded(part, rows).recoded
        steps = FinerSteps(recoded.microdata, recoded.classes, self.recode.models)
        sizes = Counter(recoded.classes.sizes.tolist())
        return Finished(NOTHING.empty_table(), PartTold(sizes, recoded.classes.suppressed, steps.tallies(self.names)))


@dataclass(frozen=True)
class LargeExplainer:
    """All that is needed to explain a release.

    Attributes
    ----------
    request
        The request, with the method that ran on the parts.
    table
        What the codes mean.
    parts, recode
        All encoded rows with their parts, and the function that recoded each part.
    chosen
        The levels and the counts they were chosen from, for a full-domain method.
    loss, suppressed
        The losses, and how many rows the method suppressed.
    again
        Makes a release of the same table under another request.
    """

    request: Request
    table: CodedTable
    parts: Rows = field(repr=False)
    recode: Recode = field(repr=False)
    chosen: Chosen | None = field(repr=False)
    loss: LossReport
    suppressed: int
    again: Callable[[Request], Release] = field(repr=False)

    def explain(self, row: int | None, column: str | None, what_if: WhatIf, progress: ProgressOption) -> Explanation:
        """Explain a row, a column or the whole release, and what other settings would cost."""
        names = chosen_columns(column, [domain.name for domain in self.table.domains])
        with reporting(progress, "explain") as report:
            report("recoding once more", 0.0)
            lines = list(self._overview(names) if row is None else self._row(row, names))
            costs = []
            for wish in what_if.wishes():
                report(f"trying {next(iter(wish))}", 0.0)
                costs += list(self._cost(wish))
        return Explanation(tuple(lines), tuple(costs))

    def _overview(self, names: Sequence[str]) -> Iterator[str]:
        lost = self.loss.by_attribute
        names = sorted(names, key=lambda one: -lost[one])
        told = self._told(names)
        yield overview(self.request, told.sizes, told.suppressed)
        for name in names:
            yield from told.tallies[name].lines(name, lost[name], otherwise(self.chosen is not None))

    def _told(self, names: Sequence[str]) -> PartTold:
        """Combine the explanations of all parts, or explain by the counts of all rows."""
        if self.chosen is not None:
            steps = self.chosen.steps(self.recode.models)
            return PartTold(Counter(steps.classes.sizes.tolist()), self.chosen.suppressed, steps.tallies(names))
        found = PartTold(Counter(), 0, {name: ColumnTally() for name in names})
        for part in self.parts.by_part(PART, ExplainPart(self.recode, names), NOTHING).told():
            found.sizes.update(part.sizes)
            found = found._replace(suppressed=found.suppressed + part.suppressed)
            for name in names:
                found.tallies[name].merge(part.tallies[name])
        return found

    # One row

    def _row(self, row: int, names: Sequence[str]) -> Iterator[str]:
        known_row(row, self.table.rows)
        if not self.parts.numbered:
            raise EngineError(
                "The rows of a frame have no order, so that none of them has a number. Explain the release or a "
                "column, or ask a release of a file."
            )
        found = self._at(row)
        if self.chosen is not None:
            steps = self.chosen.steps(self.recode.models)
            codes = [found.column(coded_name(at))[0].as_py() for at in range(len(self.table.domains))]
            place = int(np.flatnonzero((steps.microdata.codes == codes).all(axis=1))[0])
        else:
            part = found.column(PART)[0].as_py()
            rows, before = self._part_of(part, row)
            order, _, recoded = self.recode.recoded(part, rows)
            steps = FinerSteps(recoded.microdata, recoded.classes, self.recode.models)
            place = int(inverse(order)[before])
        yield from steps.row(row, place, names, self.request)

    def _at(self, row: int) -> pa.RecordBatch:
        """Read a row by its number."""
        seen = 0
        for batch in self.parts.batches():
            if row < seen + batch.num_rows:
                return batch.slice(row - seen, 1)
            seen += batch.num_rows
        raise EngineError("The encoded rows are no longer there.")

    def _part_of(self, part: int, row: int) -> tuple[pa.Table, int]:
        """Read the part that holds a row, and count the rows of it that come before."""
        rows, before, seen = [], 0, 0
        for batch in self.parts.batches():
            inside = pc.equal(batch.column(PART), part)
            before += int(np.count_nonzero(inside.to_numpy(zero_copy_only=False)[: max(0, row - seen)]))
            rows.append(batch.filter(inside))
            seen += batch.num_rows
        return pa.Table.from_batches(rows), before

    # Other settings

    def _cost(self, wish: Mapping[str, object]) -> Iterator[str]:
        """Make another release under another setting, and compare."""
        [(name, value)] = wish.items()
        names = [domain.name for domain in self.table.domains]
        request, said = other_request(self.request, names, name, value)
        clock = Clock()
        try:
            with clock.measuring("total"):
                made = self.again(request)
        except InfeasibleError as error:
            yield f"{said}: not possible. {error}"
            return
        after = Cost(made.loss, made.loss.classes, made.manifest["suppressed"]["by_method"])
        made.origin.close()
        before = Cost(self.loss, self.loss.classes, self.suppressed)
        yield compared(said, before, after, request.method.name, clock.seconds["total"])
