"""The report of all attacks, by what each means for whoever publishes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.assess.attacks.base import BROKEN, GROUPS, GUESSING, NOT_PROMISED, WITHIN, AttackOutcome
from sfumato.common.html import Content, Markup, element, facts, fragment, table, verdict

HEADER = ("attack", "succeeds", "95 % interval", "guessing", "promised")
#: What each group says, under its name.
MEANING = {
    BROKEN: "these succeed more often than the release promises",
    WITHIN: "better than guessing, but no more often than the release promises",
    NOT_PROMISED: "better than guessing, and no model of this release sets a limit",
    GUESSING: "the release does not help these attackers",
}
#: The width of the summary, in characters.
WIDTH = 80


@dataclass(frozen=True)
class AttackReport:
    """The outcomes of attacks on a release.

    Attributes
    ----------
    outcomes
        One outcome per attack and variant.
    skipped
        The attacks that could not run, and what each needs.
    targets, people
        How many rows were attacked, each as a person of its own, of how many.
    found
        People who are found for certain, with their values; empty unless requested.
    ended
        Why some attacks were not tried, such as the time limit; None if all were.
    unfound
        How many of the attacked rows no row of the release fits in all columns.
    unplaced
        How many fit rows of the release that were all assigned to others whom they fit too.
    """

    outcomes: tuple[AttackOutcome, ...]
    skipped: Mapping[str, str]
    targets: int
    people: int
    found: tuple[Mapping[str, Any], ...] = ()
    ended: str | None = None
    unfound: int = 0
    unplaced: int = 0

    @property
    def worst_first(self) -> tuple[AttackOutcome, ...]:
        """The outcomes by their gain over guessing, broken promises first."""
        return tuple(
            sorted(self.outcomes, key=lambda one: (not one.breaks_promise, not one.better_than_guessing, -one.gain))
        )

    @property
    def groups(self) -> dict[str, tuple[AttackOutcome, ...]]:
        """The outcomes that break a promise, keep it, were never promised, or are no better than guessing."""
        return {name: tuple(one for one in self.worst_first if one.group == name) for name in GROUPS}

    @property
    def ok(self) -> bool:
        """Whether no attack succeeds more often than the promises allow."""
        return not any(one.breaks_promise for one in self.outcomes)

    @property
    def verdict(self) -> str:
        """The report in one or two sentences."""
        many = {name: len({one.attack for one in here}) for name, here in self.groups.items()}
        if many[BROKEN]:
            return f"A promise does NOT hold: {_attacks(many[BROKEN])} more often than is promised."
        said = "No promise is broken."
        if self.ended is not None:
            said = f"No promise was broken by the attacks that were tried before {self.ended} ended them."
        if many[NOT_PROMISED]:
            said += f" {_attacks(many[NOT_PROMISED]).capitalize()} where nothing is promised."
        return said

    @property
    def caveat(self) -> str:
        """What makes the figures too low, if rows of the original are not found in the release; else empty."""
        said = []
        if self.unfound:
            said.append(
                f"No row of the release fits {self.unfound:,} of them in all columns, so attacks on them count as "
                "failed. They were left out of the release, or columns were changed before; then name the policy that "
                "made it."
            )
        if self.unplaced:
            said.append(
                f"{self.unplaced:,} of them {'fits' if self.unplaced == 1 else 'fit'} rows that were all assigned to "
                "others, since a file does not say whose row is whose; attacks on them count as failed."
            )
        return " ".join(said)

    def __getitem__(self, name: str) -> AttackOutcome:
        """The worst outcome of an attack."""
        found = next((one for one in self.worst_first if one.attack == name), None)
        if found is None:
            raise KeyError(
                f"'{name}' was not tried" + (f": it needs {self.skipped[name]}" if name in self.skipped else "")
            )
        return found

    def __bool__(self) -> bool:
        return self.ok

    def __iter__(self) -> Iterator[AttackOutcome]:
        return iter(self.worst_first)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {
            "ok": self.ok,
            "verdict": self.verdict,
            "ended": self.ended,
            "targets": self.targets,
            "people": self.people,
            "unfound": self.unfound,
            "unplaced": self.unplaced,
            "attacks": [one.to_dict() for one in self.worst_first],
            "skipped": dict(self.skipped),
            "found": [dict(one) for one in self.found],
        }

    def summary(self) -> str:
        """Format the attacks group by group, each in a sentence and with its figures, and what was not tried."""
        lines = [
            f"{self.targets:,} of {self.people:,} rows attacked, each as a person of its own",
            *textwrap.wrap(self.caveat, WIDTH),
            *textwrap.wrap(self.verdict, WIDTH),
        ]
        for name, outcomes in self.groups.items():
            if outcomes:
                lines += ["", *textwrap.wrap(f"{name.upper()}: {MEANING[name]}", WIDTH)]
                lines += [line for here in _by_attack(outcomes) for line in _lines(here)]
        lines += [""] if self.found or self.skipped else []
        lines += [f"found: {_described(one)}" for one in self.found]
        for name, needs in self.skipped.items():
            lines += textwrap.wrap(f"not tried: {name}, which needs {needs}", WIDTH, subsequent_indent="  ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        # People who were found are not shown: notebooks are saved with their output.
        found = element("p", f"{len(self.found):,} people are found for certain: see .found") if self.found else None
        return fragment(
            f"Attacks on {self.targets:,} of {self.people:,} rows, each as a person of its own",
            element("p", self.caveat) if self.caveat else None,
            verdict(self.ok and self.ended is None, self.verdict),
            [_section(name, outcomes) for name, outcomes in self.groups.items() if outcomes],
            found,
            facts((f"not tried: {name}", f"needs {needs}") for name, needs in self.skipped.items()),
        )


def _attacks(many: int) -> str:
    return "one attack succeeds" if many == 1 else f"{many} attacks succeed"


def _by_attack(outcomes: Iterable[AttackOutcome]) -> list[list[AttackOutcome]]:
    """Put the variants of an attack together, the attack with the worst one first."""
    found: dict[str, list[AttackOutcome]] = {}
    for one in outcomes:
        found.setdefault(one.attack, []).append(one)
    return list(found.values())


def _lines(variants: list[AttackOutcome]) -> list[str]:
    """The lines of one attack: a sentence about its worst variant, and the figures of each."""
    said = textwrap.wrap(
        f"{variants[0].attack}: {variants[0].sentence}",
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
    width = max(len(one.variant) for one in variants)
    for one in variants:
        promised = "" if one.limit is None else f", promised at most {one.limit:.1%}"
        named = f"{one.variant:<{width}}  " if width else ""
        said.append(
            f"      {named}{one.rate:.1%} ({one.low:.1%} to {one.high:.1%}), guessing {one.baseline:.1%}{promised}"
        )
    return said


def _section(name: str, outcomes: tuple[AttackOutcome, ...]) -> Markup:
    rows: list[tuple[Content, ...]] = [
        (
            [f"{one.attack} ({one.variant})" if one.variant else one.attack, element("br"), one.sentence],
            f"{one.rate:.1%}",
            f"{one.low:.1%} to {one.high:.1%}",
            f"{one.baseline:.1%}",
            "" if one.limit is None else f"{one.limit:.1%}",
        )
        for one in outcomes
    ]
    heading = element("h4", f"{name[0].upper()}{name[1:]}: {MEANING[name]}")
    return element("div", heading, table(HEADER, rows, numbers={1, 2, 3, 4}))


def _described(person: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in person.items())
