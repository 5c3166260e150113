"""What became of a rule over all classes of a table, of which only some are looked at at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.verify.classes import Classes
from sfumato.verify.groups import Some
from sfumato.verify.models import TOLERANCE, Finding
from sfumato.verify.population import check_population_uniques
from sfumato.verify.release import ABOUT_ALL, judged
from sfumato.verify.verification import RuleCheck

#: Models that are about a mean over all people, which is the mean of the means of any parts.
MEANS = {*ABOUT_ALL, "marketer-risk", "population-uniques"}

Requirement = Mapping[str, Any]


@dataclass
class Total:
    """What all classes are together."""

    rows: int = 0
    classes: int = 0
    smallest: int | None = None
    frequencies: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, some: Some) -> None:
        """Count some more classes."""
        sizes = some.classes.sizes
        self.rows += int(sizes.sum())
        self.classes += len(sizes)
        if len(sizes):
            least = int(sizes.min())
            self.smallest = least if self.smallest is None else min(self.smallest, least)
            self.frequencies.update(some.frequencies())


@dataclass
class Tally:
    """What became of one rule so far."""

    place: int
    requirement: Requirement
    sample: int
    so_far: RuleCheck | None = None

    def add(self, finding: Finding, some: Some, quasi_identifiers: Sequence[str]) -> None:
        """Add what was found in some classes."""
        new = judged(finding, some.shown, quasi_identifiers, some.classes, self.sample)
        old = self.so_far
        if old is None or old.found is None or new.found is None:
            self.so_far = new if old is None or old.found is None else old
            return
        worst = min if finding.least_is_worst else max
        breaking = sorted((*old.sample, *new.sample), key=lambda one: one.found, reverse=not finding.least_is_worst)
        self.so_far = replace(
            old,
            found=worst(old.found, new.found),
            breaking=old.breaking + new.breaking,
            sample=tuple(breaking[: self.sample]),
        )

    def check(self, total: Total) -> RuleCheck:
        """Return what became of the rule."""
        assert self.so_far is not None
        return self.so_far


@dataclass
class MeanTally(Tally):
    """A rule about the mean over all people: it holds for all classes or for none."""

    people: int = 0
    sum: float = 0.0

    def add(self, finding: Finding, some: Some, quasi_identifiers: Sequence[str]) -> None:
        everywhere = replace(finding, holds=np.zeros(len(finding.holds), bool))  # to have some of them at hand
        super().add(everywhere, some, quasi_identifiers)
        people = int(some.classes.heads.sum())
        self.people += people
        self.sum += people * float(finding.found[0]) if len(finding.found) else 0.0

    def check(self, total: Total) -> RuleCheck:
        found = self.sum / max(1, self.people)
        return _about_all(super().check(total), found, total)


@dataclass
class SizesTally(Tally):
    """A rule about the sizes of all classes together, which are kept: one number for each."""

    sizes: list[NDArray[np.int64]] = field(default_factory=list)

    def add(self, finding: Finding, some: Some, quasi_identifiers: Sequence[str]) -> None:
        everywhere = replace(finding, holds=np.zeros(len(finding.holds), bool))
        super().add(everywhere, some, quasi_identifiers)
        self.sizes.append(some.classes.sizes)

    def check(self, total: Total) -> RuleCheck:
        classes = Classes(np.empty(0, np.int32), np.concatenate(self.sizes))
        finding = check_population_uniques(self.requirement, pa.table({}), (), classes)
        return _about_all(super().check(total), float(finding.found[0]) if len(finding.found) else 0.0, total)


def _about_all(check: RuleCheck, found: float, total: Total) -> RuleCheck:
    if check.found is None:
        return check
    holds = found <= check.asked + TOLERANCE
    sample = tuple(replace(one, found=found) for one in check.sample)
    return replace(check, found=found, breaking=0 if holds else total.classes, sample=() if holds else sample)


def tally_of(place: int, requirement: Requirement, sample: int) -> Tally:
    """Return what tallies a requirement that needs no sensitive column."""
    by_size = requirement["model"] == "population-uniques" and isinstance(requirement.get("population"), int | float)
    kind = SizesTally if by_size else MeanTally if requirement["model"] in MEANS else Tally
    return kind(place, requirement, sample)
