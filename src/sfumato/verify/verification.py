"""The result of a verification, for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.common.html import Markup, element, facts, folded, fragment, table, verdict
from sfumato.errors import printable

#: The number of classes for every pair of class size and count of the most frequent value.
ClassFrequencies = Mapping[tuple[int, int], int]

#: The rules that every table keeps with a limit of 1: on a least number, and on a largest share.
AT_LEAST = ("k-anonymity", "l-diversity", "k-map")
AT_MOST = ("t-closeness", "average risk", "unique share", "marketer risk", "population uniques")


@dataclass(frozen=True)
class Unproven:
    """Promises that a table alone does not prove, all for the same reason.

    Attributes
    ----------
    promises
        The promises, in words.
    since
        What the table lacks.
    advice
        How they can be checked.
    """

    promises: tuple[str, ...]
    since: str = ""
    advice: str = ""

    def __str__(self) -> str:
        *first, last = self.promises
        named = f"{', '.join(first)} and {last}" if first else last
        return f"{named}, since {self.since}" if self.since else named


@dataclass(frozen=True)
class BreakingClass:
    """A class that breaks a rule.

    Attributes
    ----------
    values
        What the table shows in each quasi-identifier; None for a missing value.
    size
        The number of its rows.
    found
        Its value of what the rule limits.
    """

    values: Mapping[str, Any]
    size: int
    found: float

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={_cell(value)}" for name, value in self.values.items())
        return f"{shown}: {self.size:,} {'row' if self.size == 1 else 'rows'}, found {_number(self.found)}"


@dataclass(frozen=True)
class RuleCheck:
    """One rule and whether it holds.

    Attributes
    ----------
    rule
        The rule in words, such as ``k-anonymity k=10``.
    column
        The column that it concerns; None for all quasi-identifiers together.
    asked
        Its limit, such as 10.
    found
        The worst value of all classes, in the same unit; None without classes.
    measures
        What ``found`` is, such as ``smallest class``.
    breaking
        The number of classes that break it.
    sample
        A few of them, the worst first.
    units
        What breaks it: classes, values of a column, or differences from a certificate.
    """

    rule: str
    column: str | None
    asked: float
    found: float | None
    measures: str
    breaking: int
    sample: tuple[BreakingClass, ...] = ()
    units: str = "classes"

    @property
    def ok(self) -> bool:
        """Whether every class keeps the rule."""
        return self.breaking == 0

    @property
    def promises_nothing(self) -> bool:
        """Whether every table keeps the rule, such as ``k-anonymity k=1``."""
        if self.rule.startswith(AT_LEAST) and self.measures != "largest factor":
            return self.asked <= 1
        return self.asked >= 1 if self.rule.startswith(AT_MOST) else self.rule == "delta-presence 0 to 1"

    def __str__(self) -> str:
        about = f"{self.rule} of '{self.column}'" if self.column is not None else self.rule
        if self.found is None:
            return f"{about}: not checked, as there are no classes"
        if self.units != "classes" and not self.asked:  # what is found is the number of breaks, which the verdict says
            return f"{about}: {_verdict(self)}"
        return f"{about}: {_verdict(self)}, {self.measures} {_number(self.found)}"


@dataclass(frozen=True)
class SensitiveAchieved:
    """How well the classes protect one sensitive column; all None for a table without rows.

    Attributes
    ----------
    distinct_l, entropy_l, frequency_l
        The largest l of each kind of l-diversity.
    recursive_c
        For each requested l of recursive l-diversity, the number above which every c holds.
    t, distance
        The smallest t of t-closeness and its distance: the first one requested, else ``equal``.
    """

    distinct_l: int | None
    entropy_l: float | None
    frequency_l: float | None
    t: float | None
    distance: str = "equal"
    recursive_c: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Achieved:
    """What a table satisfies, whatever was requested.

    Attributes
    ----------
    k
        The size of the smallest class; None for a table without rows.
    sensitive
        By sensitive column.
    """

    k: int | None
    sensitive: Mapping[str, SensitiveAchieved]


@dataclass(frozen=True)
class Verification:
    """The result of checking a table against its promises; true if everything holds.

    A table without rows is never verified: it may be the result of a failed read. Its ``k``, ``l`` and ``t`` are None.
    Nor is a table of which some promise could not be checked, even though no rule is broken.

    Attributes
    ----------
    rows, classes
        The number of rows and of classes.
    achieved
        What the table satisfies, whatever was requested.
    checks
        Every rule and whether it holds.
    notes
        What the publisher should know although no rule is broken.
    not_checkable
        The promises that this table alone cannot prove, by what is lacking.
    frequencies
        The number of classes for every pair of class size and count of the most frequent value, by sensitive column
        (None for a table without any); only if an engine counted.
    """

    rows: int
    classes: int
    achieved: Achieved
    checks: tuple[RuleCheck, ...]
    notes: tuple[str, ...] = ()
    frequencies: Mapping[str | None, ClassFrequencies] = field(default_factory=dict, repr=False, compare=False)
    not_checkable: tuple[Unproven, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are rows, every promise could be checked, and every class keeps every rule."""
        return not self.broken and not self.not_checkable

    @property
    def broken(self) -> bool:
        """Whether a rule is broken, or there are no rows that could keep one."""
        return self.rows == 0 or not all(check.ok for check in self.checks)

    @property
    def violations(self) -> tuple[RuleCheck, ...]:
        """The rules that some class breaks."""
        return tuple(check for check in self.checks if not check.ok)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What holds and yet protects nobody: rules that every table keeps, and classes of one."""
        if self.broken:
            return ()
        empty = [check.rule for check in self.checks if check.promises_nothing]
        said = [f"{rule} promises nothing: every table keeps it." for rule in dict.fromkeys(empty)]
        if self.k == 1:
            said.append("Somebody looks like nobody else (k=1): whoever knows their quasi-identifiers finds their row.")
        return tuple(said)

    @property
    def k(self) -> int | None:
        """The size of the smallest class."""
        return self.achieved.k

    @property
    def l(self) -> float | None:  # noqa: E743
        """The largest l such that no sensitive value makes up more than 1/l of a class, in any sensitive column."""
        return min((one.frequency_l for one in self._sensitive if one.frequency_l is not None), default=None)

    @property
    def t(self) -> float | None:
        """The largest distance of a class from the table, in any sensitive column."""
        return max((one.t for one in self._sensitive if one.t is not None), default=None)

    @property
    def _sensitive(self) -> tuple[SensitiveAchieved, ...]:
        return tuple(self.achieved.sensitive.values())

    def __bool__(self) -> bool:
        return self.ok

    def summary(self) -> str:
        """Say in a few lines what holds, what does not, and which classes break it."""
        lines = [self._verdict()]
        if not self.rows:
            lines.append("The table has no rows, so there is nothing that could keep a rule.")
        if not self.checks:
            lines.append("No rule was given, so there was nothing to check.")
        for check in self.checks:
            lines.append(str(check))
            lines += [f"  {one} (asked {_number(check.asked)})" for one in check.sample]
            if check.sample and check.breaking > len(check.sample):
                lines.append(f"  and {check.breaking - len(check.sample):,} more")
        for unproven in self.not_checkable:
            lines.append(f"Not checkable from this file: {unproven}.")
            lines += [f"  {unproven.advice}"] if unproven.advice else []
        lines += [f"Note: {note}" for note in (*self.caveats, *self.notes)]
        return "\n".join(printable(line, lines=False) for line in lines)

    def _verdict(self) -> str:
        """Say first whether everything, a part or nothing was verified."""
        said = "NOT verified" if self.broken else "Partly verified" if self.not_checkable else "Verified"
        rows, classes = "row" if self.rows == 1 else "rows", "class" if self.classes == 1 else "classes"
        return f"{said}: {self.rows:,} {rows} in {self.classes:,} {classes}"

    def _repr_html_(self) -> str:
        said_too = (*self.caveats, *self.notes)
        rules = [
            [check.rule, check.column, _number(check.asked), _found(check), check.measures, _verdict(check)]
            for check in self.checks
        ]
        header = ["rule", "column", "asked", "found", "which is the", "verdict"]
        return fragment(
            "Verification",
            verdict(self.ok, self._verdict()),
            table(header, rules, numbers={2, 3}) if rules else element("p", "No rule was given."),
            [_breaking(check) for check in self.violations if check.sample],
            facts(("not checkable", f"{one}. {one.advice}".rstrip()) for one in self.not_checkable)
            if self.not_checkable
            else None,
            facts(("note", note) for note in said_too) if said_too else None,
        )

    def broken_rules(self) -> str:
        """Say which rules are broken, without values of the table: unsafe data must not get into logs."""
        return "\n".join(printable(str(check), lines=False) for check in self.violations)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON; an infinite number becomes None."""
        return {
            "ok": self.ok,
            "rows": self.rows,
            "classes": self.classes,
            "k": self.k,
            "sensitive": {name: _plain_achieved(one) for name, one in self.achieved.sensitive.items()},
            "rules": [_plain_check(check) for check in self.checks],
            "not_checkable": [str(one) for one in self.not_checkable],
            "notes": [*self.caveats, *self.notes],
        }


def _found(check: RuleCheck) -> str:
    return "" if check.found is None else _number(check.found)


def _verdict(check: RuleCheck) -> str:
    if check.found is None:
        return "not checked, as there are no classes"
    one = {"classes": "class", "values": "value", "differences": "difference"}
    units = one[check.units] if check.breaking == 1 else check.units
    return "holds" if check.ok else f"BROKEN by {check.breaking:,} {units}"


def _breaking(check: RuleCheck) -> Markup:
    """Some of the classes that break a rule, folded."""
    about = check.rule if check.column is None else f"{check.rule} of '{check.column}'"
    rows = [
        [", ".join(f"{name}={_cell(value)}" for name, value in one.values.items()), f"{one.size:,}", _number(one.found)]
        for one in check.sample
    ]
    more = check.breaking - len(check.sample)
    rest = element("p", f"and {more:,} more") if more > 0 else None
    return folded(f"Classes that break {about}", table(["class", "rows", "found"], rows, numbers={1, 2}), rest)


def _plain_achieved(achieved: SensitiveAchieved) -> dict[str, Any]:
    return {
        "distinct_l": achieved.distinct_l,
        "entropy_l": achieved.entropy_l,
        "frequency_l": achieved.frequency_l,
        "recursive_c": {str(l): _finite(c) for l, c in achieved.recursive_c.items()},  # noqa: E741
        "t": achieved.t,
        "distance": achieved.distance,
    }


def _plain_check(check: RuleCheck) -> dict[str, Any]:
    return {
        "rule": check.rule,
        "column": check.column,
        "ok": check.ok,
        "asked": check.asked,
        "found": _finite(check.found),
        "breaking": check.breaking,
        "sample": [
            {
                "values": {name: None if value is None else str(value) for name, value in one.values.items()},
                "size": one.size,
                "found": _finite(one.found),
            }
            for one in check.sample
        ],
    }


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _cell(value: object, limit: int = 60) -> str:
    """Show a cell as it stands in the table, shortened if it is long."""
    text = "(missing)" if value is None else str(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _number(number: float) -> str:
    """Format a number briefly: whole numbers as such, infinity as unlimited."""
    if isinstance(number, float) and math.isinf(number):  # an integer may be too large for a float
        return "unlimited"
    return f"{int(number):,}" if number == int(number) else f"{number:.6g}"
