"""The interface of attacks, and the outcome of one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.assess.attacks.scenario import Scenario

#: What an outcome means for somebody who publishes, in the order of a report.
BROKEN, WITHIN, NOT_PROMISED, GUESSING = (
    "breaks a promise",
    "within the promise",
    "not promised",
    "no better than guessing",
)
GROUPS = (BROKEN, WITHIN, NOT_PROMISED, GUESSING)

#: The half-width of a 95 % confidence interval, in standard errors.
STANDARD_ERRORS = 1.96

#: With fewer trials than this, a sentence says how many there were.
FEW = 30


@dataclass(frozen=True)
class AttackOutcome:
    """How often an attack succeeded.

    Attributes
    ----------
    attack
        Its name.
    variant
        The column or the amount of knowledge; empty if there is only one variant.
    knows, success
        What the attacker knows, and what counts as success.
    rate
        How often it succeeded, from 0 to 1.
    low, high
        The 95 % confidence interval of the rate for people like these.
    baseline
        How often someone without the release succeeds; ``guesses`` says what they do instead.
    limit
        The rate that the promises of the release allow; None if they set no limit.
    trials
        The number of people, rows or cells that it was tried on.
    sentence
        The outcome in a sentence about people.
    """

    attack: str
    knows: str
    success: str
    rate: float
    low: float
    high: float
    baseline: float
    guesses: str
    trials: int
    variant: str = ""
    limit: float | None = None
    sentence: str = ""

    @property
    def gain(self) -> float:
        """The share of what guessing misses that the attack gets right; at most 0 if it is no better than guessing."""
        return (self.rate - self.baseline) / (1 - self.baseline) if self.baseline < 1 else 0.0

    @property
    def better_than_guessing(self) -> bool:
        """Whether the attack beats its baseline significantly."""
        return self.low > self.baseline + 1e-9

    @property
    def breaks_promise(self) -> bool:
        """Whether the attack succeeds more often than the promises allow."""
        return self.limit is not None and self.low > self.limit + 1e-9

    @property
    def group(self) -> str:
        """Which of the `GROUPS` of a report it belongs to."""
        if self.breaks_promise:
            return BROKEN
        if not self.better_than_guessing:
            return GUESSING
        return NOT_PROMISED if self.limit is None else WITHIN

    @property
    def verdict(self) -> str:
        """The outcome in a few words."""
        if self.breaks_promise:
            return f"BREAKS the promise of {self.limit:.3g}"
        if not self.better_than_guessing:
            return "no better than guessing"
        return "better than guessing" + (f", within the promise of {self.limit:.3g}" if self.limit is not None else "")

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return vars(self) | {"gain": self.gain, "verdict": self.verdict, "group": self.group}


class Attack(ABC):
    """One way to attack people through a release.

    Attributes
    ----------
    name
        Its name.
    knows, success, guesses
        What the attacker knows, what counts as success, and what someone without the release does.
    needs
        What a scenario must provide for the attack.
    finds
        A sentence about people that ends with how often it succeeds: "Whoever knows … finds the row of …". In it,
        ``{rate}`` stands for how often, and ``{variant}`` for the variant.
    instead
        What the baseline is, in the same sentence: "without the release, …".
    """

    name: ClassVar[str]
    knows: ClassVar[str]
    success: ClassVar[str]
    guesses: ClassVar[str]
    needs: ClassVar[str] = "a person to attack"
    finds: ClassVar[str] = ""
    instead: ClassVar[str] = "without the release"

    @abstractmethod
    def run(self, scenario: Scenario) -> Iterable[AttackOutcome]:
        """Run the attack; yield nothing if the scenario lacks what it needs."""

    def outcome(
        self,
        chances: NDArray[np.float64],
        baseline: float,
        limit: float | None = None,
        variant: str = "",
    ) -> AttackOutcome:
        """Summarize the probability of success in every trial."""
        rate = float(chances.mean())
        low, high = wilson(rate, len(chances))
        return AttackOutcome(
            attack=self.name,
            knows=self.knows,
            success=self.success,
            rate=rate,
            low=low,
            high=high,
            baseline=float(baseline),
            guesses=self.guesses,
            trials=len(chances),
            variant=variant,
            limit=limit,
            sentence=self._sentence(rate, len(chances), float(baseline), limit, variant),
        )

    def _sentence(self, rate: float, trials: int, baseline: float, limit: float | None, variant: str) -> str:
        found = self.finds or f"Somebody knows {self.knows}, and {self.success}: {{rate}}"
        promised = "" if limit is None else f"; the release promises at most {in_words(limit)}"
        said = found.format(rate=in_words(rate), variant=variant) + (f" ({trials} tried)" if trials < FEW else "")
        return f"{said}; {self.instead}, {in_words(baseline)}{promised}."


def in_words(rate: float) -> str:
    """Say a rate as people of a hundred, or one of many.

    >>> [in_words(rate) for rate in (0, 0.0004, 0.031, 0.5, 0.9996, 1)]
    ['0 in 100', '1 in 2,500', '3 in 100', '50 in 100', 'more than 99 in 100', '100 in 100']
    """
    if 0 < rate < 0.01:
        return f"1 in {round(1 / rate):,}"
    return "more than 99 in 100" if 0.995 < rate < 1 else f"{round(100 * rate)} in 100"


def wilson(rate: float, trials: int) -> tuple[float, float]:
    """Compute Wilson's interval for a rate; it stays within 0 and 1 and holds for few trials.

    >>> [round(end, 3) for end in wilson(0.0, 20)]
    [0.0, 0.161]
    """
    squared = STANDARD_ERRORS**2
    centre = (rate + squared / (2 * trials)) / (1 + squared / trials)
    spread = STANDARD_ERRORS * math.sqrt(max(0.0, rate * (1 - rate)) / trials + squared / (4 * trials**2))
    spread /= 1 + squared / trials
    return max(0.0, min(rate, centre - spread)), min(1.0, max(rate, centre + spread))
