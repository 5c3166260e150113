"""The report of all attacks, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.assess.attacks.base import AttackOutcome
from sfumato.common.html import element, facts, fragment, table, verdict

HEADER = ("attack", "succeeds", "95 % interval", "guessing", "verdict")


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
        How many people were attacked, of how many.
    found
        People who are found for certain, with their values; empty unless requested.
    """

    outcomes: tuple[AttackOutcome, ...]
    skipped: Mapping[str, str]
    targets: int
    people: int
    found: tuple[Mapping[str, Any], ...] = ()

    @property
    def worst_first(self) -> tuple[AttackOutcome, ...]:
        """The outcomes by their gain over guessing, broken promises first."""
        return tuple(
            sorted(self.outcomes, key=lambda one: (not one.breaks_promise, not one.better_than_guessing, -one.gain))
        )

    @property
    def ok(self) -> bool:
        """Whether no attack succeeds more often than the promises allow."""
        return not any(one.breaks_promise for one in self.outcomes)

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
            "targets": self.targets,
            "people": self.people,
            "attacks": [one.to_dict() for one in self.worst_first],
            "skipped": dict(self.skipped),
            "found": [dict(one) for one in self.found],
        }

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """List the rows of the `summary`: attack, success, interval, guessing, verdict."""
        return [
            (
                f"{one.attack} ({one.variant})" if one.variant else one.attack,
                f"{one.rate:.1%}",
                f"{one.low:.1%} to {one.high:.1%}",
                f"{one.baseline:.1%}",
                one.verdict,
            )
            for one in self.worst_first
        ]

    def summary(self) -> str:
        """Format the table of attacks, worst first, and what was not tried."""
        cells = [HEADER, *self.rows()]
        widths = [max(len(row[at]) for row in cells) for at in range(len(HEADER))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        lines.insert(0, f"{self.targets:,} of {self.people:,} people attacked")
        lines += [f"found: {_described(one)}" for one in self.found]
        lines += [f"not tried: {name}, which needs {needs}" for name, needs in self.skipped.items()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        said = "No attack succeeds more often than is promised" if self.ok else "A promise does NOT hold"
        # People who were found are not shown: notebooks are saved with their output.
        found = element("p", f"{len(self.found):,} people are found for certain: see .found") if self.found else None
        return fragment(
            f"Attacks on {self.targets:,} of {self.people:,} people",
            verdict(self.ok, said),
            table(HEADER, self.rows(), numbers={1, 2, 3}),
            found,
            facts((f"not tried: {name}", f"needs {needs}") for name, needs in self.skipped.items()),
        )


def _described(person: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in person.items())
