"""The outcome of a run on an engine: released rows, encoded rows, and the figures of its parts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.assess.cautions import RequestView
from sfumato.assess.risk import BeforeAfter
from sfumato.common.progress import Clock, ProgressOption
from sfumato.io import Source
from sfumato.loss import Bound, LossReport
from sfumato.privacy import Requirements
from sfumato.release.explanation import Explanation, WhatIf
from sfumato.release.origin import Origin
from sfumato.release.release import Release
from sfumato.release.shown import Promises
from sfumato.release.values import ValueCounts
from sfumato.run.build import BuildOutcome
from sfumato.run.large.bound import bound_of
from sfumato.run.large.coded_table import CodedTable
from sfumato.run.large.drawn_rows import DrawnRows, together
from sfumato.run.large.engine import Engine, Rows, ShownElsewhere
from sfumato.run.large.explain import LargeExplainer
from sfumato.run.large.full_domain import Chosen
from sfumato.run.large.guardrails import CountedView, originals_of, risk_of
from sfumato.run.large.parts import empty
from sfumato.run.large.recode import Figures, Recode, loss_of
from sfumato.run.large.recount import recount
from sfumato.run.request import Request
from sfumato.verify.verification import Verification


@dataclass(frozen=True)
class Made:
    """A table that an engine recoded, and everything that the release is built from.

    Attributes
    ----------
    request
        What was asked for, with the method that every part went through.
    total
        How many rows came in.
    table
        What the codes mean.
    kept, parts
        All encoded rows, and the same with the part of each.
    recode
        What was done to every part.
    chosen
        The levels, if a full-domain method chose them from the counts of all rows.
    shown
        The released rows, in files or in a Spark frame.
    told
        The figures of every part, in no particular order.
    """

    request: Request
    total: int
    table: CodedTable
    kept: Rows = field(repr=False)
    parts: Rows = field(repr=False)
    recode: Recode = field(repr=False)
    chosen: Chosen | None = field(repr=False)
    shown: ShownElsewhere = field(repr=False)
    told: list[Figures] = field(repr=False)

    @cached_property
    def figures(self) -> list[Figures]:
        """The figures of every part, in order."""
        return sorted(self.told, key=lambda one: one.part)

    @cached_property
    def outcome(self) -> BuildOutcome:
        """The outcome of the run."""
        return BuildOutcome(
            self.request,
            self.table.roles,
            empty(self.table),
            self.recode.secret,
            rows=self.total,
            left_out=self.total - self.table.rows,
            suppressed=sum(one.suppressed for one in self.figures),
            content=hashlib.blake2b(b"".join(one.content for one in self.figures)).digest(),
            recoding=None if self.chosen is None else self.chosen.recoding,
        )

    @property
    def promised(self) -> Promises:
        """What is promised of the released rows."""
        gone = self.outcome.left_out + self.outcome.suppressed
        return Promises(self.request.schema.sensitive, self.outcome.promises, self.total - gone)

    @cached_property
    def loss(self) -> LossReport:
        """The losses: of all classes where these span several parts, else added up over the parts."""
        if self.chosen is not None:
            return self.chosen.loss
        k = Requirements(tuple(self.request.privacy), self.outcome.microdata).k
        return loss_of(self.figures, self.table, self.outcome.microdata, self.outcome.left_out, k)

    @cached_property
    def sample(self) -> DrawnRows:
        """A sample of the rows; all of them if they are few."""
        return together([one.drawn for one in self.figures], self.recode.secret)

    def verified(self) -> Verification:
        """Check every promise from the released rows and recompute the losses; refuse any difference."""
        found = self.outcome.passed(self.shown.verify(self.promised))
        recount(self.shown, self.outcome, self.loss, found)
        return found

    def view(self, asked: RequestView, verification: Verification) -> CountedView:
        """The view of the release that guardrails check."""
        return CountedView.after(
            asked,
            minimized=getattr(self.request.method, "minimize", None),
            lost=self.loss.by_attribute,
            levels=None if self.chosen is None else self.chosen.recoding.levels,
            shown=self.shown,
            frequencies=verification.frequencies,
            sample=self.sample,
            stars=sum((one.starred for one in self.figures), np.zeros(len(self.table.domains), np.int64)),
        )

    def release(
        self,
        source: Source,
        clock: Clock,
        engine: Engine,
        verification: Verification,
        again: Callable[[Request], Release],
    ) -> Release:
        """Build the release; what needs another pass over all rows is computed on demand.

        Parameters
        ----------
        source, clock
            The source of the table, and the time that each step took.
        engine
            The engine that made it.
        verification
            What was found in the released rows.
        again
            Makes a release of the same table under another request.
        """
        release = self.outcome.release(
            source,
            clock,
            shown=self.shown,
            loss=self.loss,
            verification=verification,
            origin=OriginInEngine(self, engine, verification, again),
        )
        release.manifest["options"]["engine"] = engine.name
        release.manifest["parts"] = len(self.figures)
        return release


@dataclass(frozen=True)
class OriginInEngine(Origin):
    """A table that an engine encoded and recoded in parts, and the release that was made of it.

    Attributes
    ----------
    made
        The encoded rows, and what was done to them.
    engine
        Holds the rows; what it keeps is removed with the release.
    verification
        What was found in the released rows.
    again
        Makes a release of the same table under another request.
    """

    made: Made = field(repr=False)
    engine: Engine = field(repr=False)
    verification: Verification = field(repr=False)
    again: Callable[[Request], Release] = field(repr=False)

    def bound(self) -> Bound:
        """Compute a lower bound on the GCP of any release."""
        return bound_of(self.made.kept, self.made.table, self.made.sample, self.made.outcome)

    def value_counts(self) -> dict[str, ValueCounts]:
        """Count the values of every quasi-identifier, also in the rows that parts left out."""
        return originals_of(self.made.table, [one.gone for one in self.made.figures])

    def class_table(self) -> Any:
        """Describe every class as the engine holds it: size and what it shows, without means of the original."""
        return self.made.shown.classes()

    def risk(self) -> BeforeAfter:
        """Assess the original and the release by the sizes of their classes."""
        return risk_of(self.made.kept, self.made.table, self.made.shown, self.verification.frequencies)

    def explain(self, row: int | None, column: str | None, what_if: WhatIf, progress: ProgressOption) -> Explanation:
        """Recode the parts once more to explain the release, and what other settings would cost."""
        made = self.made
        gone = made.outcome.suppressed
        explainer = LargeExplainer(
            made.request, made.table, made.parts, made.recode, made.chosen, made.loss, gone, self.again
        )
        return explainer.explain(row, column, what_if, progress)

    def close(self) -> None:
        """Remove what the engine keeps."""
        self.engine.close()
