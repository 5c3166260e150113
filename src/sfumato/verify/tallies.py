"""Tallies of rules over all classes of a table, when only some classes are examined at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.verify.classes import Classes
from sfumato.verify.engine_groups import Some
from sfumato.verify.models import TOLERANCE, RuleFinding
from sfumato.verify.population import check_population_uniques
from sfumato.verify.release import ABOUT_ALL, judged
from sfumato.verify.verification import RuleCheck

#: Models that limit a mean over all people, which can be computed from the means of parts.
MEANS = {*ABOUT_ALL, "marketer-risk", "population-uniques"}

Requirement = Mapping[str, Any]


@dataclass
class Total:
    """Totals over all classes."""

    rows: int = 0
    classes: int = 0
    smallest: int | None = None
    frequencies: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, some: Some) -> None:
        """Add some classes."""
        sizes = some.classes.sizes
        self.rows += int(sizes.sum())
        self.classes += len(sizes)
        if len(sizes):
            least = int(sizes.min())
            self.smallest = least if self.smallest is None else min(self.smallest, least)
            self.frequencies.update(some.frequencies())

    def join(self, other: Total) -> None:
        """Add the totals of other classes."""
        self.rows += other.rows
        self.classes += other.classes
        self.smallest = min((one.smallest for one in (self, other) if one.smallest is not None), default=None)
        self.frequencies.update(other.frequencies)


@dataclass
class RuleTally:
    """The state of one rule so far; small, so that workers can send it to the coordinator.

    Attributes
    ----------
    sample
        How many of the classes that break the rule to name.
    so_far
        The check of the classes so far.
    least_is_worst
        Whether lower values are worse.
    """

    sample: int
    so_far: RuleCheck | None = None
    least_is_worst: bool = True

    def add(self, finding: RuleFinding, some: Some, quasi_identifiers: Sequence[str]) -> None:
        """Add the finding of some classes."""
        self._add(judged(finding, some.shown, quasi_identifiers, some.classes, self.sample), finding.least_is_worst)

    def join(self, other: RuleTally) -> None:
        """Add the tally of other classes."""
        if other.so_far is not None:
            self._add(other.so_far, other.least_is_worst)

    def _add(self, new: RuleCheck, least_is_worst: bool) -> None:
        old, self.least_is_worst = self.so_far, least_is_worst
        if old is None or old.found is None or new.found is None:
            self.so_far = new if old is None or old.found is None else old
            return
        worst = min if least_is_worst else max
        breaking = sorted((*old.sample, *new.sample), key=lambda one: one.found, reverse=not least_is_worst)
        self.so_far = replace(
            old,
            found=worst(old.found, new.found),
            breaking=old.breaking + new.breaking,
            sample=tuple(breaking[: self.sample]),
        )

    def check(self, requirement: Requirement, total: Total) -> RuleCheck:
        """The check over all classes."""
        assert self.so_far is not None
        return self.so_far


@dataclass
class MeanTally(RuleTally):
    """A rule about the mean over all people: it holds for all classes or for none."""

    people: int = 0
    sum: float = 0.0

    def add(self, finding: RuleFinding, some: Some, quasi_identifiers: Sequence[str]) -> None:
        super().add(_broken_everywhere(finding), some, quasi_identifiers)
        people = int(some.classes.heads.sum())
        self.people += people
        self.sum += people * float(finding.found[0]) if len(finding.found) else 0.0

    def join(self, other: RuleTally) -> None:
        assert isinstance(other, MeanTally)
        super().join(other)
        self.people += other.people
        self.sum += other.sum

    def check(self, requirement: Requirement, total: Total) -> RuleCheck:
        found = self.sum / max(1, self.people)
        return _about_all(super().check(requirement, total), found, total)


@dataclass
class SizesTally(RuleTally):
    """A rule about the sizes of all classes together: how many classes have each size."""

    classes: Counter[int] = field(default_factory=Counter)

    def add(self, finding: RuleFinding, some: Some, quasi_identifiers: Sequence[str]) -> None:
        super().add(_broken_everywhere(finding), some, quasi_identifiers)
        sizes, classes = np.unique(some.classes.sizes, return_counts=True)
        self.classes.update(dict(zip(sizes.tolist(), classes.tolist(), strict=True)))

    def join(self, other: RuleTally) -> None:
        assert isinstance(other, SizesTally)
        super().join(other)
        self.classes.update(other.classes)

    def check(self, requirement: Requirement, total: Total) -> RuleCheck:
        sizes, classes = (np.array(list(numbers), np.int64) for numbers in (self.classes, self.classes.values()))
        everything = Classes(np.empty(0, np.int32), np.repeat(sizes, classes))
        finding = check_population_uniques(requirement, pa.table({}), (), everything)
        found = float(finding.found[0]) if len(finding.found) else 0.0
        return _about_all(super().check(requirement, total), found, total)


def _broken_everywhere(finding: RuleFinding) -> RuleFinding:
    """A finding that every class breaks, so that the sample has classes to name if the mean is too high."""
    return replace(finding, holds=np.zeros(len(finding.holds), bool))


def _about_all(check: RuleCheck, found: float, total: Total) -> RuleCheck:
    if check.found is None:
        return check
    holds = found <= check.asked + TOLERANCE
    sample = tuple(replace(one, found=found) for one in check.sample)
    return replace(check, found=found, breaking=0 if holds else total.classes, sample=() if holds else sample)


def tally_of(requirement: Requirement, sample: int) -> RuleTally:
    """The tally for a requirement."""
    by_size = requirement["model"] == "population-uniques" and isinstance(requirement.get("population"), int | float)
    kind = SizesTally if by_size else MeanTally if requirement["model"] in MEANS else RuleTally
    return kind(sample)
