"""Rank suggested quasi-identifiers: by how likely an outsider knows them, then by what they add to the risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.assess.cautions.rows_view import fingerprints
from sfumato.assess.meaning.facts import ColumnCounts

#: What outsiders know, from what anybody can see or look up to what is only a guess.
KNOWN_TO = ("anybody who meets them, or registers", "acquaintances, colleagues, neighbours", "perhaps nobody: guessed")
#: What anybody can see or look up, in the order in which a person is described. An age comes before a birthday and a
#: postcode before other places, since they keep more when they become coarser.
DESCRIBED = (
    *("sex", "age", "year of birth", "date of birth", "postcode", "place", "ethnic group", "nationality"),
    *("marital status", "occupation"),
)
#: Topics by who knows them; all others are guessed.
BY_TOPIC: Mapping[str, int] = {
    **dict.fromkeys(DESCRIBED, 0),
    **dict.fromkeys(
        (
            *("education", "language", "household", "body", "date or time", "year", "institution", "stay", "vehicle"),
            *("hours or years of work", "tenure", "distance"),
            *("journey", "latitude", "longitude", "coordinates"),
        ),
        1,
    ),
}
GUESSED = len(KNOWN_TO) - 1
#: A column that is empty in more rows says little about most people.
MOSTLY_MISSING = 0.5
#: One that is empty in more of them comes after others on its topic.
SOMETIMES_MISSING = 0.1
#: The most columns of a core set, and the fewest, which guessed ones fill up.
MOST_CORE, FEWEST_CORE = 8, 3
#: A column that raises the risk by less than this factor follows from those before it, or nearly.
FOLLOWS = 1.02
#: Beyond this part of the risk of all columns that most people know, these are taken anyway: where a birthday says
#: nearly everything, nothing adds much, and yet nobody would leave out the region.
SATURATED = 0.9
#: Of several places, the one with the fewest values comes first, if it has at least this many.
FEWEST_PLACES = 4
#: Whoever is older is so in months.
OLDEST = 120
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
        before, now = f"{self.risk - self.adds:.1%}", f"{self.risk:.1%}"
        if before == now:
            return f"{who}; knowing it too leaves the average risk at {now}"
        return f"{who}; knowing it too raises the average risk from {before} to {now}"


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

    The next column is one that most people know, in the order in which people are described, and otherwise the one that
    raises the risk most. A second column on a topic tells less than a first one, so it comes later.
    """
    core: list[SuggestedColumn] = []
    found: list[Ranked] = []
    left = list(candidates)
    everything = _risk([one for one in left if one.known == 0])
    for known, most in enumerate((MOST_CORE, MOST_CORE, FEWEST_CORE)):
        follow: list[SuggestedColumn] = []
        while len(core) < most and (
            tried := [one for one in left if known_beside(one, core) == known and not restates(one, core)]
        ):
            before = found[-1].risk if found else 0.0
            best, now = min(((one, _risk([*core, one])) for one in tried), key=_place)
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


def _place(candidate: tuple[SuggestedColumn, float]) -> tuple[int, bool, float]:
    """Where a column comes among others that as many know."""
    column, risk = candidate
    described = DESCRIBED.index(column.topic) if column.topic in DESCRIBED else len(DESCRIBED)
    if column.topic != "place":
        rarely = column.facts.missing > SOMETIMES_MISSING * column.facts.rows
        return described, rarely or (column.topic == "age" and not _in_years(column.facts)), -risk
    return described, column.facts.different < FEWEST_PLACES, column.facts.different


def _in_years(facts: ColumnCounts) -> bool:
    """Whether ages are years, as others know them, and no months, days or bands."""
    return facts.is_number and facts.is_whole and facts.numbers[0] >= 0 and facts.numbers[-1] <= OLDEST


def known_beside(candidate: SuggestedColumn, core: Sequence[SuggestedColumn]) -> int:
    """Who knows a column, as an index of `KNOWN_TO`; what a second one on a topic adds, fewer know."""
    second = _matter(candidate) in {_matter(one) for one in core}
    return min(GUESSED, candidate.known + second)


def restates(candidate: SuggestedColumn, core: Sequence[SuggestedColumn]) -> bool:
    """Whether a column says in another form how old the person of a core column is."""
    return candidate.topic in {*SAME, *SAME.values()} and any(
        one.topic != candidate.topic and _matter(one) == _matter(candidate) and one.of_others == candidate.of_others
        for one in core
    )


def _matter(candidate: SuggestedColumn) -> str | None:
    return SAME.get(candidate.topic or "", candidate.topic)


def _risk(columns: Sequence[SuggestedColumn]) -> float:
    """The chance to pick the right row among those that look alike, on average over the rows."""
    looks = np.unique(fingerprints(one.facts.codes.astype(np.int64) + 1 for one in columns))
    return len(looks) / max(1, columns[0].facts.rows) if columns else 0.0
