"""Verification of a table that does not fit in memory, from groups that an engine counts.

The rules that check tables in memory also check the groups, some classes at a time and wherever they are; the results
for parts are small and can be joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.verify.classes import Coded, in_order
from sfumato.verify.engine_groups import (
    Grouped,
    GroupingEngine,
    Keys,
    Some,
    account_for_rows,
    grouped_columns,
    some_classes,
)
from sfumato.verify.models import SensitiveCounts
from sfumato.verify.release import (
    ABOUT_SENSITIVE,
    check_columns,
    check_requirement,
    examine_classes,
    examine_values,
    is_about,
    is_ordered,
    worse,
)
from sfumato.verify.tallies import Requirement, RuleTally, Total, tally_of
from sfumato.verify.verification import Achieved, RuleCheck, SensitiveAchieved, Verification


def verify_grouped(
    engine: GroupingEngine,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    requirements: Sequence[Requirement] = (),
    *,
    sample: int = 5,
    columns: Mapping[str, Grouped] | None = None,
) -> Verification:
    """Recompute every promise of a table whose rows an engine groups and counts.

    Parameters
    ----------
    engine
        Holds the table.
    quasi_identifiers, sensitive, requirements, sample
        As in `verify_release`, with the same result but for the order of equally bad classes.
    columns
        The columns by name, if their distinct values are already known.
    """
    check_columns(engine.schema.names, quasi_identifiers, sensitive)
    for requirement in requirements:
        check_requirement(requirement, sensitive)
    known = columns or grouped_columns(engine, [*quasi_identifiers, *sensitive])
    keys = Keys([known[name] for name in quasi_identifiers])
    numbered = list(enumerate(requirements))
    general = ClassJudge([one for one in numbered if one[1]["model"] not in ABOUT_SENSITIVE], sample)
    of_values = [
        ValueJudge([one for one in numbered if is_about(one[1], name)], sample, known[name]) for name in sensitive
    ]
    looks = [Look(keys, (general, *of_values[:1])), *(Look(keys, (judge,)) for judge in of_values[1:])]
    seen = [_look(engine, look) for look in looks]
    total, outcomes = seen[0].total, [outcome for one in seen for outcome in one.outcomes]
    account_for_rows(known.values(), total.rows)
    judges = (general, *of_values)
    found = [one for at, judge in enumerate(judges) for one in judge.checks(outcomes[at], total)]
    names: Sequence[str | None] = sensitive or [None]
    return Verification(
        rows=total.rows,
        classes=total.classes,
        achieved=Achieved(
            total.smallest, {name: outcome.achieved for name, outcome in zip(sensitive, outcomes[1:], strict=True)}
        ),
        checks=tuple(check for _, check in sorted(found, key=lambda one: one[0])),
        frequencies={name: one.total.frequencies for name, one in zip(names, seen, strict=True)},
    )


def _look(engine: GroupingEngine, look: Look) -> Seen:
    """Let some judges examine all classes, with the value counts of the last judge's column, and join their results."""
    seen = look(())
    for elsewhere in engine.looked_at(look.keys, look.judges[-1].column, look):
        seen.join(elsewhere)
    return seen


@dataclass(frozen=True)
class Look:
    """Lets judges examine classes, wherever these classes are.

    Attributes
    ----------
    keys
        How classes are numbered.
    judges
        The judges.
    """

    keys: Keys
    judges: tuple[ClassJudge, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Seen:
        """The judges' findings for sorted entries."""
        seen = Seen(Total(), [judge.begin() for judge in self.judges])
        names = [column.name for column in self.keys.columns]
        for some in some_classes(self.keys, batches):
            seen.total.add(some)
            for judge, outcome in zip(self.judges, seen.outcomes, strict=True):
                judge.look(some, names, outcome)
        return seen


@dataclass
class JudgeOutcome:
    """The findings of a judge so far."""

    tallies: list[RuleTally]
    achieved: SensitiveAchieved = field(default_factory=lambda: SensitiveAchieved(None, None, None, None))

    def join(self, other: JudgeOutcome) -> None:
        """Add the judge's findings for other classes."""
        for tally, more in zip(self.tallies, other.tallies, strict=True):
            tally.join(more)
        self.achieved = worse(self.achieved, other.achieved)


@dataclass
class Seen:
    """The findings of judges for some classes, and the totals of these classes."""

    total: Total
    outcomes: list[JudgeOutcome]

    def join(self, other: Seen) -> None:
        """Add the findings for other classes."""
        self.total.join(other.total)
        for outcome, more in zip(self.outcomes, other.outcomes, strict=True):
            outcome.join(more)


@dataclass(frozen=True)
class ClassJudge:
    """Checks the requirements that need no sensitive column.

    Attributes
    ----------
    requirements
        The requirements, each with its place among all requirements.
    sample
        How many of the classes that break a rule to name.
    column
        The sensitive column that it checks.
    """

    requirements: Sequence[tuple[int, Requirement]]
    sample: int
    column: Grouped | None = None

    def begin(self) -> JudgeOutcome:
        """An empty outcome."""
        return JudgeOutcome([tally_of(requirement, self.sample) for _, requirement in self.requirements])

    def look(self, some: Some, quasi_identifiers: Sequence[str], outcome: JudgeOutcome) -> None:
        """Examine some classes and add the findings."""
        for (_, requirement), tally in zip(self.requirements, outcome.tallies, strict=True):
            finding = examine_classes(requirement, some.shown, quasi_identifiers, some.classes)
            assert finding is not None
            tally.add(finding, some, quasi_identifiers)

    def checks(self, outcome: JudgeOutcome, total: Total) -> list[tuple[int, RuleCheck]]:
        """The check of every rule, with its place."""
        return [
            (place, tally.check(requirement, total))
            for (place, requirement), tally in zip(self.requirements, outcome.tallies, strict=True)
        ]


@dataclass(frozen=True)
class ValueJudge(ClassJudge):
    """Checks the requirements of a sensitive column, and computes what it achieves."""

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        assert self.column is not None
        counts = self.column.value_counts
        return counts / max(1, int(counts.sum()))

    @cached_property
    def _ordered(self) -> Coded | None:
        """The values of the column in order, if a requirement needs that."""
        assert self.column is not None
        if not any(is_ordered(requirement) for _, requirement in self.requirements):
            return None
        return in_order(self.column.name, Coded(self.column.values, np.arange(self.column.size, dtype=np.int32)))

    def look(self, some: Some, quasi_identifiers: Sequence[str], outcome: JudgeOutcome) -> None:
        assert self.column is not None
        counted = ordered = SensitiveCounts(self.column.name, self.column.values, some.histogram(self._shares))
        if self._ordered is not None:
            names = self._ordered.codes.astype(np.int64)
            ordered = SensitiveCounts(self.column.name, self._ordered.values, counted.histogram.renamed(names))
        findings, achieved = examine_values(counted, ordered, [requirement for _, requirement in self.requirements])
        for tally, finding in zip(outcome.tallies, findings, strict=True):
            tally.add(finding, some, quasi_identifiers)
        outcome.achieved = worse(outcome.achieved, achieved)
