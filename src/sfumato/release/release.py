"""The published table, with what it satisfies, what it lost and how it was made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato import loss as losses
from sfumato.assess import risk as risks
from sfumato.assess.cautions import Caution
from sfumato.common.progress import ProgressOption, reporting, stage
from sfumato.errors import VerificationError
from sfumato.hierarchies import Hierarchy
from sfumato.io import to_frame, write_table, write_text
from sfumato.loss import LossReport
from sfumato.release.page import page_of
from sfumato.release.summary import summarize
from sfumato.release.values import Shown, ValueCounts
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Achieved, Verification
from sfumato.verify.written import PromisedTable, verify_written

if TYPE_CHECKING:
    from sfumato.assess.queries import Answer, Released, Where
    from sfumato.assess.risk import BeforeAfter
    from sfumato.assess.utility.report import Utility
    from sfumato.loss import Bound
    from sfumato.methods.enumeration.optimality import Optimality
    from sfumato.release.explanation import Explanation
    from sfumato.release.plots import Plots


def _no_reasons(*_: object) -> Explanation:
    from sfumato.release.explanation import Explanation  # noqa: PLC0415

    return Explanation(())


@dataclass(frozen=True)
class Release:
    """A released table that has been checked against every promise.

    Attributes
    ----------
    table
        The released rows as an Arrow table.
    loss
        What was lost: ``loss.gcp``, ``loss.dm``, ``loss.c_avg`` and the others.
    manifest
        How the release was made, as plain values ready for JSON; it holds no original value.
    details
        What the method reports about its search.
    hierarchies, row_of, people
        How the quasi-identifiers generalize; which row of the original each row is, and whose. They are for checks and
        for attacks on your own release, stay with the publisher and are never written to a file.
    cautions
        What to look at before publishing, the most serious first.
    """

    shown: Shown = field(repr=False)
    sensitive: tuple[str, ...]
    promises: Sequence[Mapping[str, Any]]
    loss: LossReport
    verification: Verification = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    details: dict[str, Any] = field(default_factory=dict, repr=False)
    cautions: tuple[Caution, ...] = ()
    to_native: Callable[[pa.Table], object] = field(default=lambda table: table, repr=False)
    describe_classes: Callable[[], pa.Table] = field(default=lambda: pa.table({}), repr=False)
    find_bound: Callable[[], Bound] = field(default=lambda: losses.Bound(0.0), repr=False)
    original: Callable[[], pa.Table] = field(default=lambda: pa.table({}), repr=False)
    count_originals: Callable[[], Mapping[str, ValueCounts]] = field(default=dict, repr=False)
    hierarchies: Mapping[str, Hierarchy | None] = field(default_factory=dict, repr=False)
    row_of: NDArray[np.int64] | None = field(default=None, repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    find_reasons: Callable[..., Explanation] = field(default=_no_reasons, repr=False)

    #: Whether the rows are here; else an engine keeps them.
    in_memory: ClassVar[bool] = True

    @property
    def table(self) -> pa.Table:
        """The released rows as an Arrow table."""
        return self.shown.table

    @cached_property
    def data(self) -> Any:
        """The released rows as the kind of frame that came in (a pyarrow.Table where a file came in)."""
        return self.to_native(self.table)

    def to_pandas(self) -> Any:
        """Return the released rows as a pandas data frame."""
        return to_frame(self.table, "pandas")

    def to_polars(self) -> Any:
        """Return the released rows as a Polars data frame."""
        return to_frame(self.table, "polars")

    def to_arrow(self) -> pa.Table:
        """Return the released rows as an Arrow table."""
        return self.table

    @property
    def achieved(self) -> Achieved:
        """What the release satisfies, as counted from its own rows."""
        return self.verification.achieved

    @cached_property
    def bound(self) -> Bound:
        """A lower bound: no release of this table with classes of this size has a lower GCP, by any method.

        It is computed from all rows of a small table, and from a sample of a large one; ``bound.confidence`` is 1 or
        the confidence of the sample.
        """
        return self.find_bound()

    @property
    def optimality(self) -> Optimality:
        """How near the release is to the best: what it costs, what none can be below, and the gap between them.

        A method that searches for a proof tells its own, among the partitions that its cuts allow, or the recodings of
        its model; for the latter, what no release can be below counts, too. For every other method it is the GCP and
        `bound`, among all releases; a bound that is not certified proves nothing, so it is 0.
        """
        found: Optimality | None = self.details.get("optimality")
        if found is not None and (found.proven or found.among is None):
            return found
        bound = float(self.bound) if self.bound.certified else 0.0
        if found is not None:
            return replace(found, bound=min(found.cost, max(found.bound, bound)))
        from sfumato.methods.enumeration.optimality import Optimality  # noqa: PLC0415

        return Optimality("gcp", self.loss.gcp, bound, ended="")

    @cached_property
    def risk(self) -> BeforeAfter:
        """How likely it is that people are found, in the original and in the release; see `sfumato.risk`."""
        from sfumato.assess.risk.assessment import Context  # noqa: PLC0415

        hierarchies = dict.fromkeys(self.shown.quasi_identifiers)
        named = {role: name for name, role in self.manifest["roles"].items()}
        person = named.get("person")
        context = Context(person=person, weights=named.get("weight"))
        before = risks.assess(self.original(), hierarchies, self.sensitive, context)
        shown = self.table.drop_columns([person]) if person in self.table.column_names else self.table
        released = shown if person is None else shown.append_column(person, pa.array(self.people))
        after = risks.assess(released, hierarchies, self.sensitive, context, self.shown.class_columns)
        return risks.BeforeAfter(before, after)

    @cached_property
    def answering(self) -> Released:
        """The released rows, ready to answer questions; they are read from what is shown, not from the original."""
        from sfumato.assess.queries import Released  # noqa: PLC0415

        hierarchies = {name: self.hierarchies.get(name) for name in self.shown.quasi_identifiers}
        intervals = self.manifest.get("options", {}).get("intervals")
        statistic = intervals if intervals in {"midpoint", "mean"} else None
        return Released(self.table, hierarchies, statistic, self.suppressed)

    def count(self, where: Where | None = None) -> Answer:
        """Return how many people of the original fit a description: an estimate, and certain bounds.

        Parameters
        ----------
        where
            For each column a range ``(30, 40)`` with both ends (None for no end), a value, a set of values, or a group
            of its taxonomy; all conditions hold together. None asks for everybody.
        """
        return self.answering.count(where)

    def sum(self, column: str, where: Where | None = None) -> Answer:
        """Return the sum of a column of numbers over the people who fit a description, as in `count`."""
        return self.answering.sum(column, where)

    def mean(self, column: str, where: Where | None = None) -> Answer:
        """Return the mean of a column over the people who fit a description, as in `count`."""
        return self.answering.mean(column, where)

    def min(self, column: str, where: Where | None = None) -> Answer:
        """Return the least value of a column over the people who fit a description, as in `count`."""
        return self.answering.min(column, where)

    def max(self, column: str, where: Where | None = None) -> Answer:
        """Return the largest value of a column over the people who fit a description, as in `count`."""
        return self.answering.max(column, where)

    def sample(self, seed: int | None = None) -> Any:
        """Draw a table with a value in every cell, as the kind of frame that came in, for tools that need values.

        Any value that may hide behind a cell is as likely as any other. It tells nothing that the release does not.
        """
        return self.to_native(self.answering.sample(seed))

    @property
    def classes(self) -> int:
        """The number of classes that a reader can tell apart."""
        return self.verification.classes

    @property
    def suppressed(self) -> int:
        """The number of input rows that are not released."""
        return int(self.manifest["suppressed"]["total"])

    def class_table(self) -> Any:
        """Return one row per class: its size, its ranges, and the means of numbers and dates.

        With the means, averages over classes are exact. They reveal more than the ranges: keep the table private, or
        publish it knowingly.
        """
        return self.to_native(self.describe_classes())

    def explain(
        self,
        row: int | None = None,
        column: str | None = None,
        *,
        k: int | None = None,
        suppression: float | None = None,
        without: Sequence[str] | str = (),
        progress: ProgressOption = False,
    ) -> Explanation:
        """Say why the release looks as it does, and what other wishes would cost, whatever the method.

        Parameters
        ----------
        row
            A row of the original, counted from 0 (without those that a missing value leaves out): why it looks so.
        column
            A quasi-identifier: what holds it back.
        k, suppression, without
            What it would cost to ask for this k, to allow this share of rows to be left out, to drop these
            quasi-identifiers one at a time. The method is run once more for each.
        progress
            As in `sfumato.anonymize`.
        """
        from sfumato.release.explanation import WhatIf  # noqa: PLC0415

        return self.find_reasons(row, column, WhatIf(k, suppression, without), progress)

    def verify(self) -> Verification:
        """Check every promise once more, from the released rows alone."""
        return verify_release(self.table, self.shown.class_columns, self.sensitive, self.promises, people=self.people)

    def write(
        self,
        path: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None = None,
        progress: ProgressOption = False,
        form: str | None = None,
    ) -> Verification:
        """Write the release to a CSV, Parquet, JSON-lines, Arrow, SPSS or Stata file, complete or not at all.

        The file is read back before it takes its place. If a common reader would confuse values so that a promise no
        longer holds, nothing is written.

        Parameters
        ----------
        path
            Where; the ending decides the format.
        manifest
            Where to write the manifest as JSON; not written if left out. It is for the publisher's files.
        progress
            As in `sfumato.anonymize`.
        form
            ``"csv"``, ``"parquet"``, ``"sav"``, … where the name does not say it; ``-`` is stdout.

        Returns
        -------
        Verification
            What holds for the file; its ``notes`` say what readers of the file may misunderstand.
        """
        if not self.verification.ok:
            raise VerificationError(f"This release is not safe and is not written.\n{self.verification.broken_rules()}")
        with reporting(progress, "write") as report:
            notes: list[str] = []
            promised = PromisedTable(self.table, self.shown.class_columns, self.sensitive, self.promises, self.people)

            def inspect(file: Path, form: str) -> None:
                report("reading the file back", 0.0)
                notes.extend(verify_written(file, form, promised))

            write_table(self.table, path, stage(report, "writing the file"), inspect, form)
        if manifest is not None:
            write_text(manifest, json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n", private=True)
        return replace(self.verification, notes=tuple(notes))

    @cached_property
    def originals(self) -> Mapping[str, ValueCounts]:
        """How often every value of each quasi-identifier occurs in the original; it stays with the publisher."""
        return self.count_originals()

    @property
    def plot(self) -> Plots:
        """Pictures of the release, as Altair charts: ``plot.loss()``, ``plot.classes()`` …; see `Plots`."""
        from sfumato.release.plots import Plots  # noqa: PLC0415

        return Plots(self)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        file: str | os.PathLike[str] | None = None,
        utility: Utility | None = None,
    ) -> None:
        """Write a report for the person who signs: one page of HTML that needs no network; see the how-to.

        It holds totals and shares only, in words that the release shows. It needs ``sfumato[report]``.

        Parameters
        ----------
        path
            Where; it ends in ``.html``.
        file
            The file that the release was written to; its name and hash then stand in the report.
        utility
            What `sfumato.utility` found, to stand in the report too.
        """
        from sfumato.release.report.page import write_report  # noqa: PLC0415

        write_report(self, path, file, utility)

    def __getattr__(self, name: str) -> Any:
        """Offer what the method has to tell about its search under its own name."""
        details = self.__dict__.get("details", {})
        if name in details:
            found = details[name]
            # What a method tells as columns is shown as the kind of frame that came in.
            return self.to_native(pa.table(found.to_columns())) if hasattr(found, "to_columns") else found
        raise AttributeError(f"This release has no {name!r}; methods tell different things about their search.")

    def summary(self) -> str:
        """Return a readable summary: roles, method, classes, what holds, what was lost."""
        return summarize(self.manifest, self.verification, self.loss, self.bound, self.details.get("optimality"))

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return page_of(self)
