"""Why a release looks as it does, by any method: what one finer step would break, and what other wishes would cost.

Everything is counted or run, never guessed, and told in counts and shares: no value of the original is in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.clock import Clock
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, listed
from sfumato.hierarchies import Domain
from sfumato.hierarchies.scaled import IntervalDomain, LevelledDomain
from sfumato.loss import LossReport
from sfumato.microdata import SUPPRESSED, EquivalenceClasses, Microdata, Recoding
from sfumato.pipeline.finding import Found, find_classes
from sfumato.pipeline.preparing import Prepared
from sfumato.privacy import KAnonymity, Requirements
from sfumato.progress import Progress, ProgressOption, reporting
from sfumato.release.explanation import Explanation, WhatIf
from sfumato.request import Request
from sfumato.risks.counting import people_per_class
from sfumato.schema import Schema


@dataclass(frozen=True)
class Finer:
    """One finer step of a quasi-identifier in every class.

    Attributes
    ----------
    exact
        Which classes show the value itself already.
    parts
        In how many parts each class would fall.
    smallest
        How many rows, or people, the smallest part would have.
    broken
        For each rule, which classes would break it.
    """

    exact: NDArray[np.bool_]
    parts: NDArray[np.int64]
    smallest: NDArray[np.int64]
    broken: dict[str, NDArray[np.bool_]] = field(repr=False)

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """Which classes cannot take the step."""
        return np.logical_or.reduce([*self.broken.values(), np.zeros(len(self.parts), bool)])


@dataclass(frozen=True)
class Explainer:
    """What a release was made of, for whoever asks why."""

    prepared: Prepared = field(repr=False)
    found: Found = field(repr=False)

    @property
    def microdata(self) -> Microdata:
        """The encoded table."""
        return self.prepared.microdata

    @property
    def classes(self) -> EquivalenceClasses:
        """The classes of the release."""
        return self.found.recoded.classes

    def explain(self, row: int | None, column: str | None, what_if: WhatIf, progress: ProgressOption) -> Explanation:
        """Explain a row, a column or the whole release, and what other wishes would cost."""
        names = self.microdata.names
        if column is not None and column not in names:
            raise SchemaError(f"'{column}' is no quasi-identifier of the release. Quasi-identifiers: {listed(names)}.")
        chosen = list(names) if column is None else [column]
        lines = list(self._overview(chosen) if row is None else self._row(row, chosen))
        with reporting(progress, "explain") as report:
            costs = [line for wish in what_if.wishes() for line in self._cost(wish, report)]
        return Explanation(tuple(lines), tuple(costs))

    # The release and its columns

    def _overview(self, names: Sequence[str]) -> Iterator[str]:
        sizes, method = self.classes.sizes, self.found.request.method.name
        yield (
            f"{method} made {len(sizes):,} classes of {sizes.min():,} to {sizes.max():,} rows (half of them have at "
            f"most {int(np.median(sizes)):,}), asked for {self._asked()}; {self.classes.suppressed:,} rows left out."
        )
        lost = self.found.loss.by_attribute
        for name in sorted(names, key=lambda one: -lost[one]):
            yield from self._column(name, lost[name])

    def _asked(self) -> str:
        return ", ".join(rule_name(model.to_policy()) for model in self.found.request.privacy)

    def _column(self, name: str, lost: float) -> Iterator[str]:
        finer = self._finer(self.microdata.names.index(name))
        classes, wider = len(finer.exact), int((~finer.exact).sum())
        yield f"{name} lost {lost:.1%}; {classes - wider:,} of {classes:,} classes show the value itself."
        rules = ", ".join(f"{rule} in {int(broken.sum()):,}" for rule, broken in finer.broken.items() if broken.any())
        if rules:
            yield f"  One step finer in {name} alone would break {rules} of the other {wider:,}."
        if free := wider - int(finer.blocked.sum()):
            yield f"  {free:,} classes could be finer in {name} by themselves: {self._otherwise()}."

    def _otherwise(self) -> str:
        """Say why a step that breaks nothing was not taken."""
        if self.classes.levels is not None:
            return "a full-domain release shows one level of a column for all"
        return "the method chose otherwise to keep more elsewhere, or did not look there (see refine)"

    # One row

    def _row(self, row: int, names: Sequence[str]) -> Iterator[str]:
        count = len(self.microdata)
        if not 0 <= parameters.integer("explain", "row", row, at_least=0) < count:
            raise ParameterError(f"There is no row {row:,}: the table has {count:,}, counted from 0.")
        place = int(np.flatnonzero(self.prepared.places == row)[0])
        own = int(self.classes.of_row[place])
        if own == SUPPRESSED:
            yield f"Row {row + 1:,} of the table is left out: {self._why_left_out()}"
            return
        yield f"Row {row + 1:,} of the table is in a class of {int(self.classes.sizes[own]):,} rows that look alike."
        for name in names:
            yield self._cell(own, name)

    def _why_left_out(self) -> str:
        share = self.found.request.suppression
        return (
            f"up to {share:.1%} of the rows may be, and without it a class would have to reach farther to take it in."
        )

    def _cell(self, own: int, name: str) -> str:
        at = self.microdata.names.index(name)
        codes = self.microdata.codes[self.classes.of_row == own, at]
        different = len(np.unique(codes))
        finer = self._finer(at)
        if finer.exact[own]:
            return f"  {name} shows the value itself, which all of them share."
        held = (
            f"  {name} covers {different:,} different values"
            if different > 1
            else f"  {name} is wider than its one value"
        )
        parts = f"{finer.parts[own]} parts of which the smallest has {finer.smallest[own]:,}"
        step = f"one step finer, {parts}" if finer.parts[own] > 1 else "one step finer, still one part"
        broken = [rule for rule, classes in finer.broken.items() if classes[own]]
        if not broken:
            return f"{held}; {step}, would keep every rule: {self._otherwise()}."
        return f"{held}; {step}, would break {', '.join(broken)}."

    # One step finer

    def _finer(self, at: int) -> Finer:
        """Return what one finer step of a quasi-identifier would make of every class, all others staying."""
        of_row = self.classes.of_row
        released = of_row != SUPPRESSED
        parts = finer_parts(self.microdata.domains[at], self.microdata.codes[:, at], self.classes, at)
        keys = of_row[released].astype(np.int64) * (int(parts.max(initial=0)) + 1) + parts[released]
        first, numbers = np.unique(keys, return_inverse=True)
        cut = np.full(len(of_row), SUPPRESSED, np.int32)
        cut[released] = numbers
        owner = (first // (int(parts.max(initial=0)) + 1)).astype(np.int64)
        count = np.bincount(owner, minlength=len(self.classes))
        heads = np.bincount(numbers, minlength=len(first))
        if self.prepared.people is not None:
            heads = people_per_class(numbers.astype(np.int32), self.prepared.people[released], len(first))
        smallest = np.full(len(self.classes), np.iinfo(np.int64).max)
        np.minimum.at(smallest, owner, heads)
        exact = self.classes.lo[:, at] == self.classes.hi[:, at]
        if self.classes.hidden is not None:
            exact &= ~self.classes.hidden[:, at]
        return Finer(exact, count, smallest, self._broken(cut, owner, heads, ~exact))

    def _broken(
        self, cut: NDArray[np.int32], owner: NDArray[np.int64], heads: NDArray[np.int64], is_cut: NDArray[np.bool_]
    ) -> dict[str, NDArray[np.bool_]]:
        """Return for each rule which classes would break it, once they fall into parts."""
        requirements = Requirements(tuple(self.found.request.privacy), self.microdata)
        classes = EquivalenceClasses.of(self.microdata, Recoding(classes=cut))
        broken: dict[str, NDArray[np.bool_]] = {}
        for rule in requirements.bound:
            counts_heads = isinstance(rule.model, KAnonymity) and self.prepared.people is not None
            holds = (
                heads >= rule.model.smallest_class()
                if counts_heads
                else rule.model.holds(rule, self.microdata, classes)
            )
            hit = np.zeros(len(is_cut), bool)
            np.logical_or.at(hit, owner, ~holds)
            name = rule_name(rule.model.to_policy())
            broken[name] = broken.get(name, np.zeros(len(is_cut), bool)) | (hit & is_cut)
        return broken

    # Other wishes

    def _cost(self, wish: dict[str, object], report: Progress) -> Iterator[str]:
        """Run the method once more under another wish, and compare."""
        name, value = next(iter(wish.items()))
        prepared, request, said = self._other(name, value)
        kept = list(prepared.microdata.names)
        before = self._mean_loss(self.found.loss, kept)
        clock = Clock()
        try:
            with clock.measuring("total"):
                found = find_classes(prepared, request, report)
        except InfeasibleError as error:
            yield f"{said}: not possible. {error}"
            return
        after = self._mean_loss(found.loss, kept)
        of = "" if name != "without" else " of the other columns"
        left_out = f"; {self.classes.suppressed:,} → {found.recoded.classes.suppressed:,} rows left out"
        yield (
            f"{said}: loss{of} {before:.4f} → {after:.4f}, {len(self.classes):,} → {len(found.recoded.classes):,} "
            f"classes{left_out}. ({request.method.name} was run again, {clock.seconds['total']:.1f} s.)"
        )

    def _other(self, name: str, value: object) -> tuple[Prepared, Request, str]:
        request = self.found.request
        if name == "k":
            k = parameters.integer("explain", "k", value, at_least=1)
            others = tuple(model for model in request.privacy if not isinstance(model, KAnonymity))
            return self.prepared, replace(request, privacy=(KAnonymity(k), *others)), f"With k={k}"
        if name == "suppression":
            share = parameters.share("explain", "suppression", value)
            return self.prepared, replace(request, suppression=share), f"With up to {share:.1%} of the rows left out"
        return self._without(str(value))

    def _without(self, name: str) -> tuple[Prepared, Request, str]:
        microdata, schema = self.microdata, self.found.request.schema
        if name not in microdata.names or len(microdata.names) == 1:
            raise SchemaError(
                f"'{name}' cannot be dropped: it is no quasi-identifier, or the only one. Quasi-identifiers: "
                f"{listed(microdata.names)}."
            )
        kept = [at for at, other in enumerate(microdata.names) if other != name]
        weights = microdata.weights[kept]
        smaller = replace(
            microdata,
            codes=np.ascontiguousarray(microdata.codes[:, kept]),
            domains=tuple(microdata.domains[at] for at in kept),
            weights=weights / weights.sum() if weights.sum() else np.empty(0),
        )
        left = {other: how for other, how in schema.quasi_identifiers.items() if other != name}
        request = replace(self.found.request, schema=Schema(left, schema.sensitive, rest="drop"))
        return replace(self.prepared, microdata=smaller), request, f"Without {name}"

    def _mean_loss(self, loss: LossReport, names: Sequence[str]) -> float:
        """Return the GCP, of some columns only where others are dropped."""
        if len(names) == len(self.microdata.names):
            return float(loss["gcp"])
        return float(np.mean([loss.by_attribute[name] for name in names]))


def finer_parts(domain: Domain, codes: NDArray[np.integer], classes: EquivalenceClasses, at: int) -> NDArray[np.int64]:
    """Return for every row its part of its class, one step finer: a level below what the class shows, or its halves."""
    if isinstance(domain, IntervalDomain) and not isinstance(domain, LevelledDomain) and classes.levels is None:
        return _halves(codes, classes)
    lo, hi = classes.lo[:, at], classes.hi[:, at]
    shown = np.zeros(len(classes), np.int64) + len(domain.levels) - 1
    for number in range(len(domain.levels) - 1, -1, -1):
        groups = domain.levels[number].groups
        shown = np.where(groups[lo] == groups[hi], number, shown)
    if classes.levels is not None:
        shown[:] = classes.levels[at]
    below = np.maximum(shown - 1, 0)[np.maximum(classes.of_row, 0)]
    table = np.stack([level.groups for level in domain.levels]).astype(np.int64)
    parts = table[below, codes.astype(np.int64)]
    return np.where((shown[np.maximum(classes.of_row, 0)] > 0), parts, 0)


def _halves(codes: NDArray[np.integer], classes: EquivalenceClasses) -> NDArray[np.int64]:
    """Return for every row whether it is in the upper half of its class, cut at the middle of what the class holds."""
    rows = np.flatnonzero(classes.of_row != SUPPRESSED)
    order = rows[np.lexsort((codes[rows], classes.of_row[rows]))]
    ends = np.cumsum(classes.sizes)
    middle = codes[order[ends - classes.sizes + (classes.sizes - 1) // 2]].astype(np.int64)
    largest = codes[order[ends - 1]].astype(np.int64)
    own = np.maximum(classes.of_row, 0)
    at_end = (middle == largest)[own]
    return np.where(at_end, codes >= middle[own], codes > middle[own]).astype(np.int64)


def rule_name(record: dict[str, object]) -> str:
    """Return a model in words: ``k-anonymity (k=10)``."""
    told = ", ".join(f"{name}={value}" for name, value in record.items() if name in {"k", "l", "t", "column", "width"})
    return f"{record['model']} ({told})" if told else str(record["model"])
