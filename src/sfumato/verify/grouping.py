"""The promises of a table that does not fit in memory, from groups that an engine counts.

What comes out is judged by the rules that also judge tables in memory, some classes at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.verify.classes import Coded, in_order
from sfumato.verify.groups import (
    Engine,
    Grouped,
    Keys,
    Some,
    account_for_rows,
    grouped_columns,
    some_classes,
    value_counts,
)
from sfumato.verify.models import Sensitive
from sfumato.verify.release import (
    ABOUT_SENSITIVE,
    check_columns,
    check_requirement,
    examine_classes,
    examine_values,
    is_about,
    is_ordered,
)
from sfumato.verify.tallies import Requirement, Tally, Total, tally_of
from sfumato.verify.verification import Achieved, SensitiveAchieved, Verification


def verify_grouped(
    engine: Engine,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    requirements: Sequence[Requirement] = (),
    *,
    sample: int = 5,
    columns: Mapping[str, Grouped] | None = None,
) -> Verification:
    """Recompute every promise of a table by letting an engine group and count its rows.

    Parameters
    ----------
    engine
        Who holds the table.
    quasi_identifiers, sensitive, requirements, sample
        As in `verify_release`, and so is what comes out, but for the order of classes that are equally bad.
    columns
        The columns by name, where their different values are known already.
    """
    check_columns(engine.schema.names, quasi_identifiers, sensitive)
    for requirement in requirements:
        check_requirement(requirement, sensitive)
    known = columns or grouped_columns(engine, [*quasi_identifiers, *sensitive])
    for column in known.values():
        column.load(engine)
    keys = Keys([known[name] for name in quasi_identifiers])
    general = Judge([tally_of(place, one, sample) for place, one in _numbered(requirements, about_classes=True)])
    of_values = [
        ValueJudge(
            [Tally(place, one, sample) for place, one in _numbered(requirements) if is_about(one, name)],
            known[name],
            value_counts(engine, known[name]),
        )
        for name in sensitive
    ]
    total = _look(engine, keys, [general, *of_values[:1]], quasi_identifiers)
    others = [_look(engine, keys, [judge], quasi_identifiers) for judge in of_values[1:]]
    account_for_rows(engine, total.rows)
    tallies = sorted(
        (tally for judge in (general, *of_values) for tally in judge.tallies), key=lambda tally: tally.place
    )
    names: Sequence[str | None] = sensitive or [None]
    return Verification(
        rows=total.rows,
        classes=total.classes,
        achieved=Achieved(total.smallest, {judge.column.name: judge.achieved for judge in of_values}),
        checks=tuple(tally.check(total) for tally in tallies),
        frequencies={name: one.frequencies for name, one in zip(names, [total, *others], strict=True)},
    )


def _numbered(requirements: Sequence[Requirement], about_classes: bool = False) -> list[tuple[int, Requirement]]:
    """Return requirements with their places; if asked, only those that need no sensitive column."""
    numbered = enumerate(requirements)
    return [(place, one) for place, one in numbered if not about_classes or one["model"] not in ABOUT_SENSITIVE]


def _look(engine: Engine, keys: Keys, judges: Sequence[Judge], quasi_identifiers: Sequence[str]) -> Total:
    """Show all classes to some judges, with the counts of the column of the last, and return what they are together."""
    total = Total()
    for some in some_classes(engine, keys, judges[-1].column):
        total.add(some)
        for judge in judges:
            judge.look(some, quasi_identifiers)
    return total


class Judge:
    """Looks at some classes after the other, and tallies what is asked of them."""

    column: Grouped | None = None

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self.tallies = tallies

    def look(self, some: Some, quasi_identifiers: Sequence[str]) -> None:
        """Check what needs no sensitive column."""
        for tally in self.tallies:
            finding = examine_classes(tally.requirement, some.shown, quasi_identifiers, some.classes)
            assert finding is not None
            tally.add(finding, some, quasi_identifiers)


class ValueJudge(Judge):
    """Checks what is asked of a sensitive column, and finds what it achieves."""

    column: Grouped

    def __init__(self, tallies: Sequence[Tally], column: Grouped, counts: NDArray[np.int64]) -> None:
        super().__init__(tallies)
        self.column = column
        self.achieved = SensitiveAchieved(None, None, None, None)
        self._shares = counts / max(1, int(counts.sum()))
        self._ordered = None
        if any(is_ordered(tally.requirement) for tally in tallies):
            everything = Coded(column.values, np.arange(column.size, dtype=np.int32))
            self._ordered = in_order(column.name, everything)

    def look(self, some: Some, quasi_identifiers: Sequence[str]) -> None:
        counted = ordered = Sensitive(self.column.name, self.column.values, some.histogram(self._shares))
        if self._ordered is not None:
            names = self._ordered.codes.astype(np.int64)
            ordered = Sensitive(self.column.name, self._ordered.values, counted.histogram.renamed(names))
        findings, achieved = examine_values(counted, ordered, [tally.requirement for tally in self.tallies])
        for tally, finding in zip(self.tallies, findings, strict=True):
            tally.add(finding, some, quasi_identifiers)
        self.achieved = _worse(self.achieved, achieved)


def _worse(one: SensitiveAchieved, other: SensitiveAchieved) -> SensitiveAchieved:
    if one.t is None or other.t is None:
        return other if one.t is None else one
    assert one.distinct_l is not None
    assert other.distinct_l is not None
    return replace(
        one,
        distinct_l=min(one.distinct_l, other.distinct_l),
        entropy_l=min(one.entropy_l or 0.0, other.entropy_l or 0.0),
        frequency_l=min(one.frequency_l or 0.0, other.frequency_l or 0.0),
        t=max(one.t, other.t),
        recursive_c={l: max(c, other.recursive_c[l]) for l, c in one.recursive_c.items()},  # noqa: E741
    )
