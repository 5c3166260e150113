"""The published table, with what it satisfies, what it lost and how it was made."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import Caution
from sfumato.common import parameters
from sfumato.common.progress import ProgressOption, reporting
from sfumato.common.threads import at_most
from sfumato.errors import EngineError, ParameterError, VerificationError, did_you_mean
from sfumato.hierarchies import Hierarchy
from sfumato.io import to_frame, write_text
from sfumato.loss import LossReport
from sfumato.methods.details import MethodDetails
from sfumato.release.manifest import promises_privacy, unseen_rows
from sfumato.release.notebook import page_of
from sfumato.release.origin import Origin
from sfumato.release.shown import CALLED, Promises, Shown
from sfumato.release.summary import summarize
from sfumato.release.values import ValueCounts
from sfumato.verify.verification import Achieved, Verification

if TYPE_CHECKING:
    from sfumato.assess.queries import Answer, Released, Where
    from sfumato.assess.risk import BeforeAfter
    from sfumato.assess.utility.report import Utility
    from sfumato.loss import Bound
    from sfumato.methods.enumeration.optimality import Optimality
    from sfumato.methods.lattice.answers import Search
    from sfumato.methods.lattice.explanation import NodeExplanation
    from sfumato.release.candidates import CandidatesLeft, SamePerson
    from sfumato.release.explanation import Explanation
    from sfumato.release.plots import Plots


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
        What the method reports about its search; each of its fields is also an attribute of the release.
    hierarchies, row_of, people
        How the quasi-identifiers generalize; which row of the original each row is, and whose. They are for checks and
        for attacks on your own release, stay with the publisher and are never written to a file.
    cautions
        What to look at before publishing, the most serious first.
    shown, origin
        Where the released rows lie, and what they were made from.
    threads
        The number of threads that share the work on the release, if the request names one.
    policy
        What was asked for, as a `Policy` that makes such a release of another table, and that can be written to a file.
    """

    shown: Shown = field(repr=False)
    sensitive: tuple[str, ...]
    promises: Sequence[Mapping[str, Any]]
    loss: LossReport = field(repr=False)
    verification: Verification = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    origin: Origin = field(repr=False)
    details: MethodDetails = field(default_factory=MethodDetails, repr=False)
    cautions: tuple[Caution, ...] = ()
    hierarchies: Mapping[str, Hierarchy | None] = field(default_factory=dict, repr=False)
    row_of: NDArray[np.int64] | None = field(default=None, repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    threads: int | None = field(default=None, repr=False)
    policy: Any = field(default=None, repr=False)

    # The rows

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory; otherwise an engine keeps them."""
        return self.shown.in_memory

    @property
    def table(self) -> pa.Table:
        """The released rows as an Arrow table."""
        return self.shown.table

    @property
    def data(self) -> Any:
        """The released rows as the kind of frame of the input (a pyarrow.Table if the input was a file).

        Where an engine keeps them, they come as it holds them and nothing is loaded: a DuckDB relation, a Spark frame.
        """
        return self.shown.data

    def to_pandas(self, intervals: str | None = None) -> Any:
        """The released rows as a pandas data frame.

        Parameters
        ----------
        intervals
            How intervals are shown: as in `sfumato.anonymize`, or ``"interval"`` for pandas' own intervals, which are
            structs in Polars and Arrow; by default as in the release. The classes are the same, and every promise
            is verified for what the frame shows. Means reveal more than the other views: see the how-to.
        """
        return self._view("pandas", intervals)

    def to_polars(self, intervals: str | None = None) -> Any:
        """The released rows as a Polars data frame; ``intervals`` as in `to_pandas`."""
        return self._view("polars", intervals)

    def to_arrow(self, intervals: str | None = None) -> pa.Table:
        """The released rows as an Arrow table; ``intervals`` as in `to_pandas`."""
        return self._view("arrow", intervals)

    def _view(self, library: str, intervals: str | None) -> Any:
        if intervals is None:
            return self.table if library == "arrow" else to_frame(self.table, library)
        from sfumato.release.views import view_of  # noqa: PLC0415

        return view_of(self, library, intervals)

    @property
    def achieved(self) -> Achieved:
        """What the release satisfies, as counted from its own rows."""
        return self.verification.achieved

    # What was lost, what is at risk, and why

    @cached_property
    def bound(self) -> Bound:
        """A lower bound: no release of this table with classes of this size has a lower GCP, by any method.

        It is computed from all rows of a small table, and from a sample of a large one; ``bound.confidence`` is 1 or
        the confidence of the sample.
        """
        return self.origin.bound()

    @property
    def optimality(self) -> Optimality:
        """How near the release is to the optimum: its cost, a lower bound, and the gap between them.

        A method that searches for a proof reports its own, among the partitions that its cuts allow, or recodings of
        its model; for the latter, the lower bound for any release counts, too. For every other method it is the GCP and
        `bound`, among all releases; a bound that is not certified proves nothing, so it is 0.
        """
        found = self.details.optimality
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
        return self.origin.risk()

    @cached_property
    def answering(self) -> Released:
        """The released rows, ready to answer questions; they are read from what is shown, not from the original."""
        from sfumato.assess.queries import Released  # noqa: PLC0415

        hierarchies = {name: self.hierarchies.get(name) for name in self.shown.quasi_identifiers}
        intervals = self.manifest.get("options", {}).get("intervals")
        statistic = intervals if intervals in {"midpoint", "mean"} else None
        return Released(self.table, hierarchies, statistic, **unseen_rows(self.manifest))

    def count(self, where: Where | None = None) -> Answer:
        """How many people of the original fit a description: an estimate, and certain bounds.

        Parameters
        ----------
        where
            For each column a range ``(30, 40)`` with both ends (None for no end), a value, a set of values, or a group
            of its taxonomy; all conditions hold together. None asks for everybody.
        """
        return self.answering.count(where)

    def sum(self, column: str, where: Where | None = None) -> Answer:
        """The sum of a column of numbers over the people who fit a description, as in `count`."""
        return self.answering.sum(column, where)

    def mean(self, column: str, where: Where | None = None) -> Answer:
        """The mean of a column over the people who fit a description, as in `count`."""
        return self.answering.mean(column, where)

    def min(self, column: str, where: Where | None = None) -> Answer:
        """The least value of a column over the people who fit a description, as in `count`."""
        return self.answering.min(column, where)

    def max(self, column: str, where: Where | None = None) -> Answer:
        """The largest value of a column over the people who fit a description, as in `count`."""
        return self.answering.max(column, where)

    def sample(self, seed: int | None = None) -> Any:
        """Draw a table with a value in every cell, as the kind of frame of the input, for tools that need values.

        Any value that may hide behind a cell is equally likely, so the table reveals nothing beyond the release.
        """
        return self.shown.as_frame(self.answering.sample(seed))

    @property
    def classes(self) -> int:
        """The number of different classes in the released rows."""
        return self.verification.classes

    @property
    def suppressed(self) -> int:
        """The number of input rows that are not released."""
        return int(self.manifest["suppressed"]["total"])

    def class_table(self) -> Any:
        """One row per class: its size, its ranges, and the means of numbers and dates.

        With the means, averages over classes are exact. They reveal more than the ranges: keep the table private, or
        publish it knowingly.
        """
        return self.origin.class_table()

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
        """Explain why the release looks as it does, and what other settings would cost, whatever the method.

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

        if promises_privacy(self.manifest["privacy"]):
            raise ParameterError(
                "Under differential privacy, chance decides which rows come out, so there is nothing to explain. "
                "DifferentialPrivacy(…).k says how many drawn rows a class needs."
            )
        return self.origin.explain(row, column, WhatIf(k, suppression, without), progress)

    def knows(self, known: Where) -> CandidatesLeft:
        """How many candidates remain for what somebody knows about a person, in the original and in the release.

        The answer is yours alone: it tells what the original holds.

        Parameters
        ----------
        known
            For each column that the release shows a value, a range ``(30, 40)`` or a set of values, as in `count`.

        Examples
        --------
        >>> import pyarrow as pa, sfumato as sf
        >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
        >>> release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=2)
        >>> print(release.knows({"age": 27}))
        1 fits before, 2 may fit after.
        """
        from sfumato.release.candidates import Fitting, checked_knowledge  # noqa: PLC0415

        if not self.in_memory:
            return self.origin.knows(known, None)
        plain = [name for name in self.table.column_names if name not in self.shown.class_columns]
        where = checked_knowledge(known, [*self.shown.quasi_identifiers, *plain])
        return self.origin.knows(where, Fitting.of(self.answering, where, self.people))

    def same_people(self, count: int = 12) -> tuple[SamePerson, ...]:
        """Show some people, drawn at random, before and after; their original values are yours alone.

        Releases of one frontier show the same people. What ``explain(row=...)`` says about one is why.

        Parameters
        ----------
        count
            How many people, at least 1.
        """
        parameters.integer("same_people", "count", count, at_least=1)
        return self.origin.same_people(count)

    def verify(self) -> Verification:
        """Check every promise once more, from the released rows alone."""
        with at_most(self.threads):
            return self.shown.verify(self._promised)

    @property
    def _promised(self) -> Promises:
        return Promises(self.sensitive, self.promises, self.verification.rows, self.people)

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
        with at_most(self.threads), reporting(progress, "write") as report:
            found = self.shown.write(path, self._promised, self.verification, report, form)
        if manifest is not None:
            write_text(manifest, json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n", private=True)
        return found

    @cached_property
    def originals(self) -> Mapping[str, ValueCounts]:
        """How often every value of each quasi-identifier occurs in the original; it stays with the publisher."""
        return self.origin.value_counts()

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
        title: str | None = None,
        recipient: str | None = None,
        purpose: str | None = None,
    ) -> None:
        """Write a report for the person who signs: one page of HTML that needs no network; see the how-to.

        It holds totals, shares and three released rows, in words that the release shows. It needs ``sfumato[report]``.

        Parameters
        ----------
        path
            Where; it ends in ``.html``.
        file
            The file that the release was written to; its name and hash then stand in the report.
        utility
            What `sfumato.utility` found, to stand in the report too.
        title
            The title of the report; by default the name of the file.
        recipient, purpose
            Who gets the release, and what for; by default lines to fill in by hand.
        """
        if not self.in_memory:
            raise EngineError(
                "report() reads every cell of the release, and an engine does not load it. Write the release, and ask "
                "for a report of the file where it fits in memory: sfumato report."
            )
        from sfumato.release.report.facts import About  # noqa: PLC0415
        from sfumato.release.report.page import write_report  # noqa: PLC0415

        write_report(self, path, file, utility, About(title, recipient, purpose))

    # What the method adds

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier by number, ready for `sfumato.recode` (full-domain methods)."""
        return self._reported("levels")

    @property
    def level_names(self) -> Mapping[str, str]:
        """The level of each quasi-identifier by name (full-domain methods)."""
        return self._reported("level_names")

    @property
    def search(self) -> Search:
        """What the search did: nodes checked, scans of the table, seconds … (full-domain methods)."""
        return self._reported("search")

    @property
    def alternatives(self) -> Any:
        """Every answer with its levels and losses, as the kind of frame of the input (full-domain methods)."""
        return self._reported("alternatives")

    @property
    def lattice(self) -> Any:
        """Every node of the lattice with its status, as the kind of frame of the input (full-domain methods).

        Absent where the lattice is too large to list.
        """
        return self._reported("lattice")

    @property
    def explanation(self) -> NodeExplanation:
        """Which attribute prevents finer levels, and what neighbouring nodes would cost (full-domain methods)."""
        return self._reported("explanation")

    @property
    def tried(self) -> Mapping[str, float]:
        """The loss of everything that was tried (``auto``, ``best``, ``proven``, refined methods)."""
        return self._reported("tried")

    @property
    def chosen(self) -> str:
        """The method whose classes are released (``auto``, ``best``, ``proven``)."""
        return self._reported("chosen")

    @property
    def minimized(self) -> str:
        """The loss by which methods were compared (``auto``, ``best``, ``proven``, refined methods)."""
        return self._reported("minimized")

    @property
    def nodes_visited(self) -> int:
        """How many sets of classes the search examined (peeling)."""
        return self._reported("nodes_visited")

    @property
    def row_prices(self) -> NDArray[np.float64]:
        """The least cost of every row in any release, in the order that the method saw (``proven``)."""
        return self._reported("row_prices")

    def _reported(self, name: str) -> Any:
        """Look up what the method reports; what it reports as columns becomes the kind of frame of the input."""
        found = self.details.get(name)
        if found is None:
            raise AttributeError(self._lacks(name), name=name, obj=self)
        return self.shown.as_frame(pa.table(found.to_columns())) if hasattr(found, "to_columns") else found

    def _lacks(self, name: str) -> str:
        if name in self.loss:
            return f"This release has no {name!r}. Did you mean 'loss.{name}'?"
        hint = did_you_mean(CALLED.get(name, name), dir(self))
        hint = "" if name.startswith("_") or name in self.details.declared() else hint
        return f"This release has no {name!r}. {hint or 'Which attributes exist depends on the method.'}"

    def __getattr__(self, name: str) -> Any:
        """Offer what a method of another package declares: the fields of its own kind of `MethodDetails`."""
        details = self.__dict__.get("details")
        if details is None:  # a copy that is not filled yet
            raise AttributeError(name, name=name, obj=self)
        if name in details.declared():
            return self._reported(name)
        raise AttributeError(self._lacks(name), name=name, obj=self)

    def __dir__(self) -> list[str]:
        """List the attributes of this release, without those that its method does not report."""
        lacking = {name for name in self.details.declared() if name not in self.details} - {"optimality"}
        return sorted({*super().__dir__(), *self.details.declared()} - lacking)

    # For people

    def summary(self) -> str:
        """A readable summary: roles, method, classes, what holds, what was lost."""
        return summarize(self.manifest, self.verification, self.loss, self.bound, self.details.optimality)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return page_of(self)
