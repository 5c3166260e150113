"""Rank suggested quasi-identifiers: by how likely an outsider knows them, then by what they add to the risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.assess.cautions.rows_view import fingerprints
from sfumato.assess.meaning.facts import ColumnCounts

#: What outsiders know, from what anybody can see or look up to what is only a guess.
KNOWN_TO = ("anybody who meets them, or registers", "acquaintances, colleagues, neighbours", "perhaps nobody: guessed")
#: Topics by who knows them; all others are guessed.
BY_TOPIC: Mapping[str, int] = {
    **dict.fromkeys(
        (
            *("sex", "age", "date of birth", "year of birth", "postcode", "place", "ethnic group", "nationality"),
            *("marital status", "occupation"),
        ),
        0,
    ),
    **dict.fromkeys(
        (
            *("education", "language", "household", "body", "date or time", "year", "institution", "stay", "vehicle"),
            *("journey", "latitude", "longitude", "coordinates"),
        ),
        1,
    ),
}
GUESSED = len(KNOWN_TO) - 1
#: A column that is empty in more rows says little about most people.
MOSTLY_MISSING = 0.5
#: The most columns of a core set, and the fewest, which guessed ones fill up.
MOST_CORE, FEWEST_CORE = 8, 3
#: A column that raises the risk by less than this factor follows from those before it, or nearly.
FOLLOWS = 1.02
#: Beyond this part of the risk of all columns that most people know, these are taken anyway: where a birthday says
#: nearly everything, nothing adds much, and yet nobody would leave out the sex.
SATURATED = 0.9
#: Topics that say the same of a person.
SAME = {"age": "date of birth", "year of birth": "date of birth"}


@dataclass(frozen=True)
class Ranked:
    """A quasi-identifier in its place.

    Attributes
    ----------
    name
        The column.
    known
        Who knows it, as an index of `KNOWN_TO`.
    risk
        The chance to pick a person's row, on average, knowing this column and all core columns before it.
    adds
        What it adds to that chance.
    core
        Whether it belongs to the core set: what outsiders most likely know and what singles people out.
    """

    name: str
    known: int
    risk: float
    adds: float
    core: bool

    @property
    def reason(self) -> str:
        """Say why it stands where it stands."""
        who = f"known to {KNOWN_TO[self.known]}" if self.known < GUESSED else KNOWN_TO[self.known]
        return f"{who}; knowing it too raises the average risk from {self.risk - self.adds:.1%} to {self.risk:.1%}"


@dataclass(frozen=True)
class SuggestedColumn:
    """A suggested quasi-identifier: its counts, its topic, and whether it is about somebody else."""

    facts: ColumnCounts
    topic: str | None
    of_others: bool = False

    @property
    def known(self) -> int:
        """Who knows it, as an index of `KNOWN_TO`."""
        known = BY_TOPIC.get(self.topic or "", GUESSED)
        rarely = self.facts.missing > MOSTLY_MISSING * self.facts.rows
        return min(GUESSED, known + (self.of_others or rarely))


def rank(candidates: Sequence[SuggestedColumn]) -> tuple[Ranked, ...]:
    """Rank columns; the core set comes first.

    The next column is one that most people know, and among these the one that raises the risk most. A second column
    on a topic tells less than a first one, so it comes later.
    """
    core: list[SuggestedColumn] = []
    found: list[Ranked] = []
    left = list(candidates)
    everything = _risk([one for one in left if one.known == 0])
    for known, most in enumerate((MOST_CORE, MOST_CORE, FEWEST_CORE)):
        follow: list[SuggestedColumn] = []
        while len(core) < most and (tried := [one for one in left if _known_now(one, core) == known]):
            before = found[-1].risk if found else 0.0
            best, now = max(((one, _risk([*core, one])) for one in tried), key=lambda one: one[1])
            left.remove(best)
            if core and now < FOLLOWS * before and not (known == 0 and before > SATURATED * everything):
                follow.append(best)
                continue
            core.append(best)
            found.append(Ranked(best.facts.name, known, now, now - before, core=True))
        left += follow
    before = found[-1].risk if found else 0.0
    rest = sorted(((one, _risk([*core, one])) for one in left), key=lambda one: (one[0].known, -one[1]))
    return (*found, *(Ranked(one.facts.name, one.known, now, now - before, core=False) for one, now in rest))


def _known_now(candidate: SuggestedColumn, core: Sequence[SuggestedColumn]) -> int:
    second = _matter(candidate) in {_matter(one) for one in core}
    return min(GUESSED, candidate.known + second)


def _matter(candidate: SuggestedColumn) -> str | None:
    return SAME.get(candidate.topic or "", candidate.topic)


def _risk(columns: Sequence[SuggestedColumn]) -> float:
    """The chance to pick the right row among those that look alike, on average over the rows."""
    looks = np.unique(fingerprints(one.facts.codes.astype(np.int64) + 1 for one in columns))
    return len(looks) / max(1, columns[0].facts.rows) if columns else 0.0
