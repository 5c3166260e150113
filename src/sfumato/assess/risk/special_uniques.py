"""Minimal sample uniques: the smallest sets of columns that single a person out, with SUDA's scores.

A person who is unique by two columns is easier to find, and likelier to be unique in the population, than one who is
unique only by six (Elliot and others, special uniques detection).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.risk.drivers import DistinctLooks

#: The most sets of columns to examine before the search stops and reports that.
MOST_SETS = 2_000

Places = tuple[int, ...]


@dataclass(frozen=True)
class SpecialUniques:
    """The minimal sample uniques of a table, up to a number of columns.

    Attributes
    ----------
    size
        The largest number of columns that was examined.
    people
        How many people are unique by so few columns.
    by_size
        For each number of columns, how many minimal uniques there are.
    by_columns
        The sets of columns with the most minimal uniques, and how many each has.
    contribution
        The share of the whole score that comes from minimal uniques with each column.
    scores
        SUDA's score of every row, 0 for rows that are not unique by so few columns.
    examined, possible
        How many sets of columns were examined, of how many up to the requested size.
    """

    size: int
    people: int
    by_size: Mapping[int, int]
    by_columns: Sequence[tuple[tuple[str, ...], int]]
    contribution: Mapping[str, float]
    scores: NDArray[np.float64] = field(repr=False)
    examined: int
    possible: int

    def to_dict(self) -> dict[str, Any]:
        """Convert all but the scores of single rows to plain values, ready for JSON."""
        return {
            "size": self.size,
            "people": self.people,
            "by_size": {str(size): count for size, count in self.by_size.items()},
            "by_columns": [{"columns": list(names), "uniques": count} for names, count in self.by_columns],
            "contribution": dict(self.contribution),
            "highest_score": float(self.scores.max(initial=0.0)),
            "examined": self.examined,
            "possible": self.possible,
        }


def find_special_uniques(
    distinct: DistinctLooks, size: int = 3, most: int = MOST_SETS, shown: int = 10
) -> SpecialUniques:
    """Find the minimal sample uniques of up to ``size`` columns.

    A person who is unique by a set of columns is unique by every larger one, so a unique is minimal if no set with one
    column less has it. Sets are examined size by size; a size with more sets than ``most`` allows is not begun.
    """
    count = len(distinct.names)
    largest = min(size, count)
    unique_looks = np.flatnonzero(distinct.people == 1)
    scores = np.zeros(len(distinct.people))
    found: Counter[Places] = Counter()
    score_by_column = np.zeros(count)
    below: dict[Places, NDArray[np.uint8]] = {}
    examined, reached = 0, 0
    for step in range(1, largest + 1):
        if examined + math.comb(count, step) > most:
            break
        here: dict[Places, NDArray[np.uint8]] = {}
        worth = _worth(count, step, largest)
        for places in itertools.combinations(range(count), step):
            alone = _unique_by(distinct, places, unique_looks)
            here[places] = np.packbits(alone)
            minimal = alone & ~_unique_by_fewer(places, below, len(unique_looks))
            if hits := int(minimal.sum()):
                found[places] = hits
                scores[unique_looks[minimal]] += worth
                score_by_column[list(places)] += worth * hits
        examined += len(here)
        below, reached = here, step
    total = max(1e-300, float(scores.sum()))
    return SpecialUniques(
        size=reached,
        people=int((scores > 0).sum()),
        by_size={
            step: sum(hits for places, hits in found.items() if len(places) == step) for step in range(1, reached + 1)
        },
        by_columns=[(tuple(distinct.names[at] for at in places), hits) for places, hits in found.most_common(shown)],
        contribution={name: float(score_by_column[at] / total) for at, name in enumerate(distinct.names)},
        scores=scores[distinct.look_of_row],
        examined=examined,
        possible=sum(math.comb(count, step) for step in range(1, largest + 1)),
    )


def _worth(columns: int, size: int, largest: int) -> float:
    """Compute SUDA's score of one minimal unique: the product of (columns - i) for i from its size to the largest."""
    return float(math.prod(max(1, columns - step) for step in range(size, largest + 1)))


def _unique_by(distinct: DistinctLooks, places: Places, unique_looks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Select the unique people who are unique by these columns alone."""
    groups = distinct.grouped(places)
    return distinct.alike(groups)[groups[unique_looks]] == 1


def _unique_by_fewer(places: Places, below: Mapping[Places, NDArray[np.uint8]], people: int) -> NDArray[np.bool_]:
    """Select the people who are unique by all but one of these columns."""
    fewer = np.zeros((people + 7) // 8, np.uint8)
    for left_out in places:
        rest = tuple(place for place in places if place != left_out)
        if rest in below:
            fewer |= below[rest]
    return np.unpackbits(fewer, count=people).astype(bool)
