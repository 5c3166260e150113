"""Which classes a finer step of a quasi-identifier would break, in words; tallies of several parts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.risk.people import people_per_class
from sfumato.common import parameters
from sfumato.errors import ParameterError, SchemaError, listed
from sfumato.hierarchies import Domain
from sfumato.hierarchies.scale_domain import IntervalDomain, LevelledDomain
from sfumato.privacy import KAnonymity, PrivacyModel, Requirements
from sfumato.privacy.base import Rule, SensitiveModel
from sfumato.run.request import Request
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding


@dataclass(frozen=True)
class Finer:
    """One finer step of a quasi-identifier in every class.

    Attributes
    ----------
    exact
        Which classes show the value itself already.
    parts
        The number of parts that each class would split into.
    smallest
        The rows, or people, of the smallest part.
    broken
        By rule, the classes that would break it.
    """

    exact: NDArray[np.bool_]
    parts: NDArray[np.int64]
    smallest: NDArray[np.int64]
    broken: dict[str, NDArray[np.bool_]] = field(repr=False)

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """Which classes cannot take the step."""
        return np.logical_or.reduce([*self.broken.values(), np.zeros(len(self.parts), bool)])


@dataclass
class ColumnTally:
    """Counts of what one finer step of a quasi-identifier would do to classes; tallies of several parts add up.

    Attributes
    ----------
    classes, exact
        The number of classes, and of those that show the value itself.
    broken
        By rule, the number of classes that would break it.
    blocked
        The number of classes that could not take the step.
    """

    classes: int = 0
    exact: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    blocked: int = 0

    def add(self, finer: Finer) -> None:
        """Add the classes of a step."""
        self.merge(
            ColumnTally(
                len(finer.exact),
                int(finer.exact.sum()),
                Counter({rule: int(broken.sum()) for rule, broken in finer.broken.items()}),
                int(finer.blocked.sum()),
            )
        )

    def merge(self, other: ColumnTally) -> None:
        """Add the tally of another part."""
        self.classes += other.classes
        self.exact += other.exact
        self.broken.update(other.broken)
        self.blocked += other.blocked

    def lines(self, name: str, lost: float, otherwise: str) -> Iterator[str]:
        """Say what holds a column back."""
        wider = self.classes - self.exact
        yield f"{name} lost {lost:.1%}; {self.exact:,} of {self.classes:,} classes show the value itself."
        rules = ", ".join(f"{rule} in {count:,}" for rule, count in self.broken.items() if count)
        if rules:
            yield f"  One step finer in {name} alone would break {rules} of the other {wider:,}."
        if free := wider - self.blocked:
            yield f"  {free:,} classes could be finer in {name} by themselves: {otherwise}."


def overview(request: Request, sizes: Mapping[int, int], suppressed: int) -> str:
    """Summarize the classes, their sizes and what the request asks for."""
    each, times = np.array(sorted(sizes)), np.array([sizes[size] for size in sorted(sizes)])
    classes = int(times.sum())
    ends = np.cumsum(times)
    middle = [int(each[np.searchsorted(ends, place, side="right")]) for place in ((classes - 1) // 2, classes // 2)]
    asked = ", ".join(rule_name(model.to_policy()) for model in request.privacy)
    return (
        f"{request.method.name} made {classes:,} classes of {int(each[0]):,} to {int(each[-1]):,} rows (half of them "
        f"have at most {sum(middle) // 2:,}), asked for {asked}; {suppressed:,} rows left out."
    )


def otherwise(by_levels: bool) -> str:
    """Say why a step that breaks nothing was not taken."""
    if by_levels:
        return "a full-domain release shows one level of a column for all"
    return "the method chose otherwise to keep more elsewhere, or did not look there (see refine)"


def left_out(row: int, request: Request) -> str:
    """Say why a row is not released."""
    return (
        f"Row {row + 1:,} of the table is left out: up to {request.suppression:.1%} of the rows may be, and without it "
        "a class would have to reach farther to take it in."
    )


@dataclass(frozen=True)
class FinerSteps:
    """Classes and the rules that they keep, to try one finer step of each quasi-identifier.

    Attributes
    ----------
    microdata, classes, models
        The rows, their classes, and what these must keep.
    people
        The person of each row; None if every row is a person.
    counts
        The number of rows that each row stands for; None if it is one.
    """

    microdata: Microdata = field(repr=False)
    classes: EquivalenceClasses = field(repr=False)
    models: tuple[PrivacyModel, ...]
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    counts: NDArray[np.int64] | None = field(default=None, repr=False)

    def tallies(self, names: Sequence[str]) -> dict[str, ColumnTally]:
        """Count what one finer step of each of these quasi-identifiers would do."""
        found = {name: ColumnTally() for name in names}
        for name, tally in found.items():
            tally.add(self.finer(self.microdata.names.index(name)))
        return found

    def row(self, row: int, place: int, names: Sequence[str], request: Request) -> Iterator[str]:
        """Explain the row at some place of ``microdata``."""
        own = int(self.classes.of_row[place])
        if own == SUPPRESSED:
            yield left_out(row, request)
            return
        yield f"Row {row + 1:,} of the table is in a class of {int(self.classes.sizes[own]):,} rows that look alike."
        for name in names:
            yield self._cell(own, name)

    def _cell(self, own: int, name: str) -> str:
        at = self.microdata.names.index(name)
        codes = self.microdata.codes[self.classes.of_row == own, at]
        different = len(np.unique(codes))
        finer = self.finer(at)
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
            return f"{held}; {step}, would keep every rule: {otherwise(self.classes.levels is not None)}."
        return f"{held}; {step}, would break {', '.join(broken)}."

    def finer(self, at: int) -> Finer:
        """Take one finer step of a quasi-identifier in every class; the other columns stay as they are."""
        of_row = self.classes.of_row
        released = of_row != SUPPRESSED
        parts = finer_parts(self.microdata.domains[at], self.microdata.codes[:, at], self.classes, at)
        keys = of_row[released].astype(np.int64) * (int(parts.max(initial=0)) + 1) + parts[released]
        first, numbers = np.unique(keys, return_inverse=True)
        cut = np.full(len(of_row), SUPPRESSED, np.int32)
        cut[released] = numbers
        owner = (first // (int(parts.max(initial=0)) + 1)).astype(np.int64)
        count = np.bincount(owner, minlength=len(self.classes))
        each = None if self.counts is None else self.counts[released]
        heads = np.bincount(numbers, each, minlength=len(first)).astype(np.int64)
        if self.people is not None:
            heads = people_per_class(numbers.astype(np.int32), self.people[released], len(first))
        smallest = np.full(len(self.classes), np.iinfo(np.int64).max)
        np.minimum.at(smallest, owner, heads)
        exact = self.classes.lo[:, at] == self.classes.hi[:, at]
        if self.classes.hidden is not None:
            exact &= ~self.classes.hidden[:, at]
        return Finer(exact, count, smallest, self._broken(cut, owner, heads, ~exact))

    def _broken(
        self, cut: NDArray[np.int32], owner: NDArray[np.int64], heads: NDArray[np.int64], is_cut: NDArray[np.bool_]
    ) -> dict[str, NDArray[np.bool_]]:
        """Find, by rule, the classes that would break it once they are split."""
        requirements = Requirements(self.models, self.microdata)
        classes = EquivalenceClasses.of(self.microdata, Recoding(classes=cut))
        broken: dict[str, NDArray[np.bool_]] = {}
        for rule in requirements.bound:
            if isinstance(rule.model, KAnonymity):
                holds = heads >= rule.model.smallest_class()
            elif self.counts is not None and isinstance(rule.model, SensitiveModel):
                holds = rule.model.holds_for(self._values(cut, len(heads), rule), rule, self._whole(rule))
            else:
                holds = rule.model.holds(rule, self.microdata, classes)
            hit = np.zeros(len(is_cut), bool)
            np.logical_or.at(hit, owner, ~holds)
            name = rule_name(rule.model.to_policy())
            broken[name] = broken.get(name, np.zeros(len(is_cut), bool)) | (hit & is_cut)
        return broken

    def _values(self, cut: NDArray[np.int32], classes: int, rule: Rule) -> NDArray[np.int64]:
        """Count the sensitive values of every class where a row stands for several."""
        column, kept = self.microdata.sensitive[rule.column], cut >= 0
        assert self.counts is not None
        keys = cut[kept].astype(np.int64) * column.size + column.codes[kept]
        return np.bincount(keys, self.counts[kept], classes * column.size).astype(np.int64).reshape(classes, -1)

    def _whole(self, rule: Rule) -> NDArray[np.int64]:
        return self.microdata.sensitive[rule.column].reference


def chosen_columns(column: str | None, names: Sequence[str]) -> list[str]:
    """Select the columns to explain: the one that is named, or all."""
    if column is not None and column not in names:
        raise SchemaError(f"'{column}' is no quasi-identifier of the release. Quasi-identifiers: {listed(names)}.")
    return list(names) if column is None else [column]


def known_row(row: int, rows: int) -> int:
    """Check that the table has a row of this number."""
    if not 0 <= parameters.integer("explain", "row", row, at_least=0) < rows:
        raise ParameterError(f"There is no such row: the table has {rows:,}.")
    return row


def finer_parts(domain: Domain, codes: NDArray[np.integer], classes: EquivalenceClasses, at: int) -> NDArray[np.int64]:
    """Number the part of its class that each row falls into: a level below what the class shows, or its halves."""
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
    """Mark the rows in the upper half of their class, cut at the median."""
    rows = np.flatnonzero(classes.of_row != SUPPRESSED)
    order = rows[np.lexsort((codes[rows], classes.of_row[rows]))]
    ends = np.cumsum(classes.sizes)
    middle = codes[order[ends - classes.sizes + (classes.sizes - 1) // 2]].astype(np.int64)
    largest = codes[order[ends - 1]].astype(np.int64)
    own = np.maximum(classes.of_row, 0)
    at_end = (middle == largest)[own]
    return np.where(at_end, codes >= middle[own], codes > middle[own]).astype(np.int64)


def rule_name(record: dict[str, object]) -> str:
    """Name a model with its parameters: ``k-anonymity (k=10)``."""
    parameters = ", ".join(
        f"{name}={value}" for name, value in record.items() if name in {"k", "l", "t", "column", "width"}
    )
    return f"{record['model']} ({parameters})" if parameters else str(record["model"])
