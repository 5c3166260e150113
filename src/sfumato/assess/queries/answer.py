"""The answer of a release to a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """An estimate, and two bounds between which the true answer lies for certain.

    Attributes
    ----------
    estimate
        The expected answer if the values of a class are spread evenly over what it shows; None if no row can match, or
        if there is nothing to estimate from.
    lower, upper
        The bounds of the true answer, whatever values the shown cells stand for.
    """

    estimate: Any
    lower: Any
    upper: Any

    @property
    def exact(self) -> bool:
        """Whether only one answer is possible."""
        return bool(self.lower == self.upper)

    def __contains__(self, value: Any) -> bool:
        """Whether a value can be the true answer."""
        return bool(self.lower <= value <= self.upper)

    def __str__(self) -> str:
        shown = [f"{part:,.6g}" if isinstance(part, float) else str(part) for part in (self.lower, self.upper)]
        estimate = f"{self.estimate:,.6g}" if isinstance(self.estimate, float) else str(self.estimate)
        return f"{estimate} (between {shown[0]} and {shown[1]})"
