"""What a release answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """An estimate, and two bounds between which the true answer lies for certain.

    Attributes
    ----------
    estimate
        What is expected if the values of a class are spread evenly over what it shows; None if no row can be meant, or
        if nothing is shown to estimate from.
    lower, upper
        What the original cannot be below or above, whatever hides behind the shown cells.
    """

    estimate: Any
    lower: Any
    upper: Any

    @property
    def exact(self) -> bool:
        """Whether only one answer is possible."""
        return bool(self.lower == self.upper)

    def __contains__(self, value: Any) -> bool:
        """Return whether a value is possible as the true answer."""
        return bool(self.lower <= value <= self.upper)

    def __str__(self) -> str:
        shown = [f"{part:,.6g}" if isinstance(part, float) else str(part) for part in (self.lower, self.upper)]
        estimate = f"{self.estimate:,.6g}" if isinstance(self.estimate, float) else str(self.estimate)
        return f"{estimate} (between {shown[0]} and {shown[1]})"
