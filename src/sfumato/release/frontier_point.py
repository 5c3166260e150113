"""A point of a frontier: one k, what its release loses and what is left of the risk, in figures and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: The most columns that a sentence names; the others are only counted.
NAMED = 4


@dataclass(frozen=True)
class FrontierPoint:
    """What a release with classes of at least k people loses, and how likely people are found in it.

    Attributes
    ----------
    k
        The k that was asked for.
    failed
        Why there is no release with this k; all figures are None then.
    gcp
        The loss, from 0 to 1: the global certainty penalty.
    by_attribute
        The loss of each quasi-identifier.
    achieved
        The people in the smallest class.
    classes, rows, suppressed
        The number of classes, of released rows, and of rows left out.
    highest, mean
        The highest and the mean chance that someone who knows all quasi-identifiers picks the right row.
    before, highest_before
        The mean and the highest chance in the original.
    sizes
        How many classes have how many people, as pairs in ascending order.
    l, t
        What the sensitive columns achieve.
    sampled
        The rows that the figures were estimated from; None if they are those of a verified release of all rows.
    bound
        A loss that no release with this k can beat, by any method; None if it was not computed (yet).
    bound_confidence
        1 if the bound is proven, otherwise the confidence of a sample.
    people
        Whether people are counted, who may have several rows.
    seconds
        How long it took to find the classes.
    """

    k: int
    failed: str | None = None
    gcp: float | None = None
    by_attribute: Mapping[str, float] = field(default_factory=dict)
    achieved: int | None = None
    classes: int | None = None
    rows: int | None = None
    suppressed: int | None = None
    highest: float | None = None
    mean: float | None = None
    before: float | None = None
    highest_before: float | None = None
    sizes: Sequence[tuple[int, int]] = field(default=(), repr=False)
    l: float | None = None  # noqa: E741
    t: float | None = None
    sampled: int | None = None
    bound: float | None = None
    bound_confidence: float | None = None
    people: bool = False
    seconds: float | None = None

    @property
    def approximate(self) -> bool:
        """Whether the figures are estimates from a sample; shown as ≈."""
        return self.sampled is not None

    @property
    def costliest(self) -> str | None:
        """The quasi-identifier that lost most; None if nothing was lost."""
        worst = max(self.by_attribute, key=lambda name: self.by_attribute[name], default=None)
        return None if worst is None or not self.by_attribute[worst] else worst

    @property
    def sentence(self) -> str:
        """The point in words, for people who have to decide."""
        if self.failed is not None:
            return self.failed
        assert self.achieved is not None
        assert self.gcp is not None
        who = "A neighbour who knows " + _named(list(self.by_attribute))
        about = "about " if self.approximate else ""
        parts = [
            f"Everybody looks like at least {_others(self.achieved)}.",
            f"{who} finds the right {'person' if self.people else 'row'} with a chance of at most "
            f"{at_most(self.highest)}, on average {about}{percent(self.mean)}; before, it was {percent(self.before)} "
            "on average.",
            f"It costs {about}{percent(self.gcp)} of the detail, most in {self.costliest}."
            if self.costliest is not None
            else "It costs no detail.",
        ]
        if self.suppressed:
            parts.append(
                f"{about.capitalize()}{self.suppressed:,} {'row is' if self.suppressed == 1 else 'rows are'} left out."
            )
        if self.approximate:
            parts.append(f"Estimated from {self.sampled:,} rows.")
        return " ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        shown = {"by_attribute": dict(self.by_attribute), "sizes": [list(pair) for pair in self.sizes]}
        known = {"approximate": self.approximate, "costliest": self.costliest, "sentence": self.sentence}
        return plain | shown | known

    def __str__(self) -> str:
        return self.sentence


def percent(share: float | None) -> str:
    """Format a share for a sentence: at most one decimal, and none that says nothing.

    >>> [percent(share) for share in (0.1, 0.0629, 0.00004, 0.0, 1.0, 0.9999)]
    ['10%', '6.3%', 'less than 0.1%', '0%', '100%', '99.9%']
    """
    if share is None:
        return "an unknown share"
    if 0 < share < 0.0005:
        return "less than 0.1%"
    rounded = round(share * 100, 1)
    # What is almost everything is not everything.
    return f"{min(rounded, 99.9) if share < 1 else rounded:.1f}".removesuffix(".0") + "%"


def at_most(share: float | None) -> str:
    """Format an upper limit, rounded up: a promise must not be rounded in our favour.

    >>> [at_most(share) for share in (0.1, 1 / 3, 1 / 11, 1.0)]
    ['10%', '33.4%', '9.1%', '100%']
    """
    if share is None:
        return "an unknown share"
    return f"{math.ceil(share * 1000 - 1e-9) / 10:.1f}".removesuffix(".0") + "%"


def _others(alike: int) -> str:
    return f"{alike - 1:,} other" + ("" if alike == 2 else "s")


def _named(names: Sequence[str]) -> str:
    """Name the columns that the neighbour knows, or count them if they are many."""
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more columns"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
