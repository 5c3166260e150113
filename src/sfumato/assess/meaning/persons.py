"""Which column stands for people, where a person has several rows.

How many rows a value has says nothing about it. What repeats together does: sex, birth and origin stay the same in all
rows of a person, and differ between the people of a ticket, an organization or a first name. A visit keeps them too, so
among the columns that do, the one with the fewest values stands for people. Where a table holds none of these
attributes, only the name of a column is left to go by, which is a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.meaning.translation import english
from sfumato.assess.meaning.vocabulary import topic_of
from sfumato.assess.meaning.words import says_number, says_only_number, says_person
from sfumato.errors import listed

#: What does not change from one row of a person to the next, or hardly.
LASTING = ("sex", "date of birth", "year of birth", "age", "ethnic group")
BIRTHS = frozenset({"date of birth", "year of birth"})
#: The topics of numbers that a person has one of, and that no two people share by mistake.
PERSONAL, NATIONAL = "number of a medical record", "national number"
#: The topic of names, and so many attributes of people that one of them may be misunderstood.
NAME, MANY_ATTRIBUTES = "person's name", 5
#: From this part of the possible agreement on, an attribute is constant: one row in twenty may be wrong.
CONSTANT = 0.75
#: The share of rows without a value up to which a column can stand for people.
MOST_MISSING = 0.2
#: Fewer rows with a value than this share of the most complete candidate's make a column the second choice.
NEARLY_FULL = 0.98
#: Fewer values are groups of people.
FEWEST_PEOPLE = 10
#: Nobody has more rows on average, where a column has fewer values than that.
MOST_ROWS = 20
#: Evidence is looked for in about this many rows, all rows of some of the values.
LOOKED_AT = 200_000


@dataclass(frozen=True)
class CountedColumn:
    """A column as codes: for every row the number of its value, -1 if missing; with the numbers that the codes mean."""

    name: str
    codes: NDArray[np.integer] = field(repr=False)
    numbers: NDArray[np.float64] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, name: str, codes: NDArray[np.integer], values: pa.Array) -> CountedColumn:
        """Take a coded column with its distinct values; a code past the last is a missing value."""
        numbers = None
        if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
            numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return cls(name, np.where(codes < len(values), codes.astype(np.int64), -1), numbers)

    @property
    def different(self) -> int:
        """The number of distinct values."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def filled(self) -> int:
        """The number of rows with a value."""
        return int(np.count_nonzero(self.codes >= 0))


@dataclass(frozen=True)
class PersonFound:
    """A column that stands for people, and why it is taken for one.

    Attributes
    ----------
    name, people, rows
        The column, the number of its values, and of the rows that have one.
    constant
        The attributes of people that do not change within its values; empty if only its name speaks for it.
    by_name
        Whether its name says that it is about people.
    leads
        Whether it is the first column, as that of people is, in a table without attributes of people.
    """

    name: str
    people: int
    rows: int
    constant: tuple[str, ...] = ()
    by_name: bool = False
    leads: bool = False

    @property
    def reason(self) -> str:
        """Say why, as a clause that holds no value of the table."""
        if self.constant:
            stay = "stays" if len(self.constant) == 1 else "stay"
            return f"{listed(self.constant, 3)} {stay} the same within its values"
        if self.leads:
            return "it is the first column, and its numbers come again"
        return "by its name it stands for people" if self.by_name else "its name does not say for what it stands"


def lasting(columns: Iterable[CountedColumn]) -> list[CountedColumn]:
    """Select the columns that hold a lasting attribute of people, by their names, and that differ at all.

    Beside births ages count for nothing: they grow over the years.
    """
    topics = ((one, topic_of(one.name)) for one in columns if one.different > 1)
    known = [(one, topic.name) for one, topic in topics if topic is not None and topic.name in LASTING]
    born = any(topic in BIRTHS for _, topic in known)
    return [one for one, topic in known if not (born and topic == "age")]


def find_person(keys: Sequence[CountedColumn], attributes: Sequence[CountedColumn]) -> PersonFound | None:
    """Find the column that stands for people, among those that may; None if there is none.

    Parameters
    ----------
    keys
        The columns that name somebody or something, none of them a lasting attribute itself.
    attributes
        The lasting attributes of people, as `lasting` selects them.
    """
    judged = [found for key in keys if _repeats(key) and (found := _judge(key, attributes)) is not None]
    if not judged:
        return None
    by_evidence = [one for one in judged if one.constant]
    if by_evidence:  # a visit keeps what its patient keeps, so the coarsest column stands for people
        named = [one for one in by_evidence if one.by_name] or by_evidence
        # A telephone number that some did not give has fewer values for that reason alone.
        full = max(one.rows for one in named)
        found = min((one for one in named if one.rows >= NEARLY_FULL * full), key=lambda one: one.people)
        same = [one for one in by_evidence if (one.people, one.rows) == (found.people, found.rows)]
        return next((one for one in same if says_only_number(one.name)), found)  # 'id' rather than 'device'
    return max(judged, key=lambda one: (one.by_name, one.people))


def may_be_person(first: CountedColumn) -> PersonFound | None:
    """Whether the first column might stand for people where a table has no attribute of people that could tell.

    Tables of visits and claims begin with whose they are, and say that it is a number.
    """
    possible = says_number(first.name) and _repeats(first) and _are_many(first)
    return PersonFound(first.name, first.different, first.filled) if possible else None


def _repeats(key: CountedColumn) -> bool:
    rows = len(key.codes)
    return key.filled >= (1 - MOST_MISSING) * rows and key.different < key.filled


def _judge(key: CountedColumn, attributes: Sequence[CountedColumn]) -> PersonFound | None:
    if not _are_many(key) and key.filled > MOST_ROWS * key.different:
        return None
    constant = tuple(one.name for one in attributes if constancy(key, one) >= CONSTANT)
    if _speaks_of_people(key.name) or _numbers(key.name, PERSONAL):
        # Its attributes may change over the years, so half of them speak for it.
        kept = constant if 2 * len(constant) >= len(attributes) else ()
        if not kept and _numbers(key.name, NAME):  # people share names
            return None
        return PersonFound(key.name, key.different, key.filled, kept, by_name=True)
    speaks = len(constant) > 1 or says_number(key.name) or says_only_number(key.name)
    speaks = speaks or _numbers(key.name, NATIONAL)
    # Of many attributes one may be misunderstood: the race of an establishment is none of a person's.
    fits = len(constant) >= len(attributes) - len(attributes) // MANY_ATTRIBUTES and (
        speaks if attributes else says_only_number(key.name)
    )
    return PersonFound(key.name, key.different, key.filled, constant) if fits and _are_many(key) else None


def _speaks_of_people(name: str) -> bool:
    """Whether a name is about people, in whatever language."""
    return says_person(name) or says_person(" ".join(english(name)))


def _numbers(name: str, what: str) -> bool:
    """Whether a column holds numbers of a kind, by its name."""
    topic = topic_of(name)
    return topic is not None and topic.name == what


def _are_many(key: CountedColumn) -> bool:
    return key.different >= FEWEST_PEOPLE


def constancy(key: CountedColumn, attribute: CountedColumn) -> float:
    """How far the rows of one value of a column agree in an attribute: 1 if always, 0 if no more than any two rows.

    Numbers, such as an age that grows from visit to visit, agree as far as they lie closer together than in the table.

    >>> visits = CountedColumn("patient", np.repeat(np.arange(50), 4))
    >>> sex = CountedColumn("sex", np.repeat(np.arange(50) % 2, 4))
    >>> ward = CountedColumn("ward", np.arange(200) % 4)
    >>> constancy(visits, sex), constancy(visits, ward) < 0.1
    (1.0, True)
    """
    step = -(-len(key.codes) // LOOKED_AT)
    taken = (key.codes >= 0) & (attribute.codes >= 0) & (key.codes % step == 0)
    groups, values = key.codes[taken].astype(np.int64), attribute.codes[taken].astype(np.int64)
    sizes = np.bincount(groups) if len(groups) else np.zeros(0, np.int64)
    several = sizes[groups] > 1 if len(groups) else np.zeros(0, bool)
    groups, values = groups[several], values[several]
    if not len(groups):
        return 0.0
    found = _equal_pairs(groups, values, sizes)
    if attribute.numbers is not None:
        found = max(found, _close_numbers(groups, attribute.numbers[values], sizes))
    return found


def _equal_pairs(groups: NDArray[np.int64], values: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """The agreement of a row with the others of its group, above that of any two rows, as part of what is possible."""
    width = int(values.max()) + 1
    cells, counts = np.unique(groups * width + values, return_counts=True)
    within = float((counts * (counts - 1) / (sizes[cells // width] - 1)).sum()) / len(groups)
    totals = np.bincount(values)
    anyhow = float((totals * (totals - 1.0)).sum()) / (len(values) * max(1, len(values) - 1))
    return 0.0 if anyhow >= 1 else (within - anyhow) / (1 - anyhow)


def _close_numbers(groups: NDArray[np.int64], numbers: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
    """The part of the variance that lies between groups, not within them."""
    if not np.isfinite(numbers).all() or np.ptp(numbers) == 0:
        return 0.0
    scaled = (numbers - numbers.mean()) / np.abs(numbers).max()
    means = np.bincount(groups, scaled, len(sizes)) / np.maximum(1, sizes)
    apart = (scaled - means[groups]) ** 2 * sizes[groups] / (sizes[groups] - 1)
    return 1 - float(apart.mean() / scaled.var())
