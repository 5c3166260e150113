"""Run the method, which finds classes that keep every model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import RequestView, RowsView
from sfumato.assess.risk.people import people_per_class
from sfumato.common.grouping import code_column, group_rows
from sfumato.common.progress import Progress
from sfumato.common.threads import shared_property
from sfumato.errors import InfeasibleError, VerificationError
from sfumato.loss import LossReport, RecodedTable
from sfumato.methods import Task
from sfumato.methods.base import refuse_unsupported
from sfumato.methods.suppression import make_feasible
from sfumato.privacy import Requirements
from sfumato.privacy.least_k import broken_rules, least_that_works, why_not_for_people, with_size
from sfumato.privacy.whole_release import WholeRelease
from sfumato.release.values import class_table
from sfumato.run.prepare import Prepared
from sfumato.run.request import Request
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding
from sfumato.table.schema import Schema

#: Where people have several rows, a method counts rows, and may miss what counting people allows.
NOT_FOUND = (
    "The method '{method}' finds no release that keeps every rule, counting people instead of rows, although everybody "
    "in one class would keep them. Ask for less, try another method, or leave out the people with the most rows."
)


@dataclass(frozen=True)
class FoundClasses:
    """What a method found for a table.

    Attributes
    ----------
    request
        The request; its models are those that the classes keep.
    recoding
        What the method decided.
    recoded
        The table and its classes, as losses look at them.
    """

    request: Request
    recoding: Recoding
    recoded: RecodedTable

    def view(self, asked: RequestView, loss: LossReport) -> RowsView:
        """What guardrails see once the classes are found."""
        return RowsView(
            **{one.name: getattr(asked, one.name) for one in fields(asked)} | {"models": self.request.privacy},
            classes=self.recoded.classes,
            minimized=self.recoding.details.get("minimized", getattr(self.request.method, "minimize", None)),
            lost=loss.by_attribute,
            levels=self.recoded.classes.levels,
        )

    @shared_property
    def loss(self) -> LossReport:
        """The information loss."""
        return LossReport.of(self.recoded)


def find_classes(
    prepared: Prepared, request: Request, progress: Progress, memory: dict[Any, Any] | None = None
) -> FoundClasses:
    """Let the method find classes that keep every model, leaving out rows where that is needed and allowed.

    A method knows only rows and classes. Where people have several rows, or a model is about the release as a whole,
    this searches for the least k whose classes keep everything.
    """
    if request.is_private:
        from sfumato.run.private import for_privacy  # noqa: PLC0415

        request = for_privacy(request)
    requirements = Requirements(tuple(request.privacy), prepared.microdata)

    def tried(size: int) -> FoundClasses | None:
        asked = request if size == least else replace(request, privacy=with_size(request.privacy, size))
        found = _find(prepared, asked, progress, memory)
        if not counts_otherwise:
            return found
        broken = any(
            broken_rules(requirements, classes, prepared.people, lambda: _whole(prepared, found, request.schema))
            for classes in (found.recoded.classes, *_merged_by_readers(prepared, found, request.schema))
        )
        return None if broken else replace(found, request=request)

    least = requirements.smallest_class
    counts_otherwise = prepared.people is not None or any(model.whole for model in request.privacy)
    memory = {} if memory is None and counts_otherwise else memory
    try:
        found = tried(least)
        if found is not None:
            return found
        return least_that_works(tried, least, len(prepared.for_methods), requirements)
    except InfeasibleError:
        if prepared.people is None:
            raise
        reason = why_not_for_people(requirements, prepared.people)
        raise InfeasibleError(reason or NOT_FOUND.format(method=request.method.name)) from None


def _shown(found: FoundClasses, schema: Schema) -> pa.Table:
    """What readers see of each class."""
    shown = class_table(found.recoded.microdata, found.recoding, found.recoded.classes)
    return shown.select(list(schema.quasi_identifiers))


def _merged_by_readers(prepared: Prepared, found: FoundClasses, schema: Schema) -> Iterator[EquivalenceClasses]:
    """The classes that a reader can distinguish, if these are fewer.

    Whatever rows keep in two classes that look alike, they keep together. People do not: who is in both counts once
    among all, and still for each of their values, so that a value's share can grow.
    """
    if prepared.people is None:
        return
    classes, shown = found.recoded.classes, _shown(found, schema)
    alike = group_rows(code_column(name, shown.column(name)) for name in shown.column_names)
    if len(alike) < len(classes):
        of_row = np.append(alike.of_row, SUPPRESSED).astype(np.int32)[classes.of_row]
        sizes = np.bincount(of_row[of_row != SUPPRESSED], minlength=len(alike))
        lo, hi = classes.lo[alike.first_rows], classes.hi[alike.first_rows]
        yield EquivalenceClasses(of_row, sizes, lo, hi, classes.levels)


def _whole(prepared: Prepared, found: FoundClasses, schema: Schema) -> WholeRelease:
    """Describe the release as a whole: the classes that a reader can distinguish, and the people in each."""
    classes, shown = found.recoded.classes, _shown(found, schema)
    alike = group_rows(code_column(name, shown.column(name)) for name in shown.column_names)
    released = classes.of_row != SUPPRESSED
    of_row = alike.of_row[classes.of_row[released]]
    if prepared.people is None:
        people = np.bincount(of_row, minlength=len(alike))
    else:
        people = people_per_class(of_row, prepared.people[released], len(alike))
    return WholeRelease(people, shown.take(pa.array(alike.first_rows)), schema.quasi_identifiers)


def _find(prepared: Prepared, request: Request, progress: Progress, memory: dict[Any, Any] | None) -> FoundClasses:
    """Run the method once, on rows or on units of people."""
    units, models, method = prepared.units, tuple(request.privacy), request.method
    microdata = prepared.for_methods
    secret = prepared.secret
    rows = request.may_leave_out(len(prepared.microdata))
    suppressible = rows if units is None else units.suppressible(rows)
    refuse_unsupported(method, models, microdata, suppressible)
    requirements = Requirements(models, microdata)
    left_out = np.zeros(len(microdata), bool)
    if requirements.broken_by_table():
        left_out = make_feasible(requirements, suppressible, secret.generator("left out"))
    remaining = microdata.take(~left_out) if left_out.any() else microdata
    task = Task(
        remaining,
        Requirements(models, remaining),
        suppressible - int(left_out.sum()),
        secret.number("method"),
        progress,
        memory,
    )
    recoding = method.run(task)
    recoding.check(remaining)
    recoding = _widened(recoding, left_out)
    recoding = recoding if units is None else units.expanded(recoding)
    classes = EquivalenceClasses.of(prepared.microdata, recoding)
    if classes.suppressed > rows:
        raise VerificationError(
            f"The method '{method.name}' left out {classes.suppressed:,} rows, but only {rows:,} may be. "
            "This is a fault of the method, please report it."
        )
    return FoundClasses(request, recoding, RecodedTable(prepared.microdata, classes, prepared.left_out, requirements.k))


def _widened(recoding: Recoding, left_out: NDArray[np.bool_]) -> Recoding:
    """Extend a recoding of the rows that took part to all rows; the others are suppressed."""
    if not left_out.any():
        return recoding
    if recoding.classes is not None:
        classes = np.full(len(left_out), SUPPRESSED, np.int32)
        classes[~left_out] = recoding.classes
        return replace(recoding, classes=classes)
    suppressed = left_out.copy()
    if recoding.suppressed is not None:
        suppressed[~left_out] = recoding.suppressed
    return replace(recoding, suppressed=suppressed)
