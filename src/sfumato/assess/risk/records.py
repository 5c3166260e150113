"""The risk of single records in a few figures: the highest, the mean, the share above thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The thresholds that regulations and data custodians use.
THRESHOLDS = (0.05, 0.09, 0.2, 0.33, 0.5)

#: Where the bands of the distribution begin, in class sizes.
BANDS = (1, 2, 3, 5, 11, 20, 50, 100)


@dataclass(frozen=True)
class Band:
    """The people in classes of ``least`` to ``most`` people, themselves included."""

    least: int
    most: int | None
    people: int
    share: float


@dataclass(frozen=True)
class RecordRisk:
    """How likely an attacker who knows the quasi-identifiers picks the right row.

    Attributes
    ----------
    people
        The number of people.
    highest, mean
        The largest and the mean risk; None for an empty table.
    unique
        How many people are unique.
    above
        The share of people whose risk is above each threshold.
    distribution
        The number of people by class size.
    by_size
        How many people look alike, and how many people there are of whom that is so; for `bands`.
    """

    people: int
    highest: float | None
    mean: float | None
    unique: int
    above: Mapping[float, float]
    distribution: tuple[Band, ...]
    by_size: tuple[NDArray[np.float64], NDArray[np.int64]] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls, risks: NDArray[np.float64], people: NDArray[np.integer], thresholds: Iterable[float] = THRESHOLDS
    ) -> RecordRisk:
        """Summarize risks, of which ``people[i]`` people have ``risks[i]``."""
        total = int(people.sum())
        if not total:
            return cls(0, None, None, 0, dict.fromkeys(thresholds, 0.0), ())
        return cls(
            people=total,
            highest=float(risks[people > 0].max()),
            mean=float(risks @ people / total),
            unique=int(people[risks >= 1].sum()),
            above={limit: float(people[above(risks, limit)].sum() / total) for limit in thresholds},
            distribution=_bands(1 / risks, people, BANDS),
            by_size=_by_size(1 / risks, people),
        )

    def bands(self, split: int | None = None) -> tuple[Band, ...]:
        """Count people by class size, in bands none of which holds sizes on both sides of ``split``."""
        if split is None or split in BANDS or self.by_size is None:
            return self.distribution
        starts = [*(band for band in BANDS if band < split), split, *(band for band in BANDS if band >= 1.5 * split)]
        return _bands(*self.by_size, starts)

    @property
    def unique_share(self) -> float:
        """The share of people who are unique."""
        return self.unique / self.people if self.people else 0.0

    def below(self, size: int) -> float:
        """Compute the share of people in classes of fewer than ``size``."""
        return sum(band.share for band in self.distribution if band.least < size)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {
            "people": self.people,
            "highest": self.highest,
            "mean": self.mean,
            "unique": self.unique,
            "unique_share": self.unique_share,
            "above": {f"{limit:g}": share for limit, share in self.above.items()},
            "distribution": [vars(band) for band in self.distribution],
        }


def smallest_class(threshold: float) -> int:
    """Compute the class size that keeps risks at or below a threshold.

    A threshold is read as it is printed, with two digits: 0.09 stands for 1/11 = 0.0909… and 0.33 for 1/3.

    >>> [smallest_class(threshold) for threshold in (0.05, 0.09, 0.2, 0.33, 0.4, 0.5)]
    [20, 11, 5, 3, 3, 2]
    """
    nearest = round(1 / threshold)
    if nearest and math.floor(100 / nearest + 1e-9) == round(threshold * 100, 9):
        return nearest
    return math.ceil(1 / threshold - 1e-9)


def above(risks: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Select the risks above a threshold, which is read as it is printed."""
    return risks > (1 + 1e-9) / smallest_class(threshold)


def _by_size(alike: NDArray[np.float64], people: NDArray[np.integer]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Add people up by how many look alike."""
    sizes, place = np.unique(alike, return_inverse=True)
    return sizes, np.bincount(place, people, len(sizes)).astype(np.int64)


def _bands(alike: NDArray[np.float64], people: NDArray[np.integer], starts: Sequence[int]) -> tuple[Band, ...]:
    """Count people in bands that begin at some class sizes; the last one is open."""
    total = int(people.sum())
    ends = [*starts[1:], None]
    bands = []
    for least, beyond in zip(starts, ends, strict=True):
        inside = (alike >= least - 1e-9) & (alike < (math.inf if beyond is None else beyond - 1e-9))
        count = int(people[inside].sum())
        bands.append(Band(least, None if beyond is None else beyond - 1, count, count / total))
    return tuple(bands)
