"""What the name of a column says: which kinds that point to a person, and which harmless topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sfumato.assess.meaning.translation import english, is_medical, understood

#: The most words of a phrase that is looked for.
LONGEST_PHRASE = 4
#: Kinds that name somebody only if nothing harmless is said about them.
ENTITIES = frozenset({"person", "institution"})
#: Alone, these words are parts of a person's name.
PARTS_OF_NAMES = frozenset(
    {"first", "last", "middle", "given", "family", "sur", "fore", "full", "maiden", "mi", "legal"}
)
#: Last words that name somebody behind a word for people.
ENDS_OF_NAMES = frozenset({"first", "last", "middle", "given", "maiden", "family"})
PEOPLE = frozenset(
    {"deceased", "decedent", "victim", "suspect", "defendant", "offender", "driver", "recip", "applicant"}
)
#: Words that say how a column of dates goes on without saying more.
YEAR_WORDS = frozenset({"year", "yr", "yob"})
#: The last words of names such as 'referred_by' and 'transferred_from', which people or places follow.
BY_WHOM = {"name": ("by",), "place": ("from", "to")}
BIRTH, DEATH = "birth", "death"


@dataclass(frozen=True)
class NameSays:
    """What the words of a name say.

    Attributes
    ----------
    words
        The name in English words.
    kinds
        The kinds of columns that point to a person, in the order of the name.
    topics
        The harmless topics.
    unknown
        The words that are not understood.
    """

    words: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def strict(self) -> tuple[str, ...]:
        """The kinds that are forbidden whatever stands beside them."""
        return tuple(kind for kind in self.kinds if kind not in ENTITIES)

    @property
    def kind(self) -> str | None:
        """The kind that the name says, if any: an e-mail address is an e-mail, not an address."""
        return next((kind for kind in RANKED if kind in self.kinds), None)

    def says(self, *wanted: str) -> bool:
        """Whether one of some words is in the name."""
        return any(word in self.words for word in wanted)


#: The most specific kind first: a 'home telephone' is a telephone, a 'name of the doctor' a name.
RANKED = (
    *("email", "website", "internet", "fax", "telephone", "social", "biometric", "photo"),
    *("vehicle", "licence", "device", "account", "plan", "record", "name", "birth", "year of birth"),
    *("date", "age", "zip", "place", "identifier", "text", "person", "institution"),
)


@cache
def _phrases() -> Mapping[tuple[str, ...], tuple[str, str]]:
    """From phrases to what they are: a kind, a harmless topic, or a filler; kinds before topics before fillers."""
    said = understood()
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for kind, words in said["kinds"].items():
        for phrase in words.split():
            found.setdefault(tuple(phrase.split("_")), ("kind", kind))
    for topic, how in said["harmless"].items():
        for phrase in how["words"].split():
            found.setdefault(tuple(phrase.split("_")), ("topic", topic))
    return found


@cache
def _fillers() -> frozenset[str]:
    return frozenset(word for phrase in understood()["fillers"]["words"].split() for word in phrase.split("_"))


@cache
def read_name(name: str) -> NameSays:
    """Read what a column's name says.

    >>> read_name("nameLast").kind, read_name("Krankenaktennummer").kind, read_name("patient_sex").topics
    ('name', 'record', ('sex',))
    """
    said = english(name)
    kinds, topics, unknown = list[str](), list[str](), list[str]()
    for group, what in _parts(said):
        {"kind": kinds, "topic": topics, "unknown": unknown}[group].append(what)
    kinds = [*_of_time(said, kinds, topics), *kinds]
    if YEAR_WORDS & set(said) and "year of birth" not in kinds and "age" not in kinds:
        topics.append("year")
    kinds += [kind for kind, ends in BY_WHOM.items() if len(said) > 1 and said[-1] in ends]
    if _is_part_of_name(said, kinds, topics, unknown):
        kinds.append("name")
    return NameSays(said, tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(topics)), tuple(unknown))


def _is_part_of_name(said: Sequence[str], kinds: list[str], topics: list[str], unknown: list[str]) -> bool:
    """Whether a name says a part of somebody's name: 'first' alone, 'decedent_last', but not 'last_online'."""
    if len(said) > 1 and said[-1] in ENDS_OF_NAMES and (set(said) & PEOPLE or set(kinds) == {"person"}):
        return True
    alone = not kinds and not topics and bool(set(said) & PARTS_OF_NAMES)
    return alone and (not unknown or said[-1] in PARTS_OF_NAMES)


def _parts(said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what each phrase of a name is, the longest phrase first; words such as 'of' are left out."""
    at = 0
    while at < len(said):
        size, found = _longest(said, at)
        if found is not None:
            yield found
        elif said[at] not in _fillers() and not said[at].isdigit() and len(said[at]) > 1:
            yield ("topic", "disease") if is_medical(said[at]) else ("unknown", said[at])
        at += size


def _longest(said: Sequence[str], at: int) -> tuple[int, tuple[str, str] | None]:
    for size in range(min(LONGEST_PHRASE, len(said) - at), 0, -1):
        some = tuple(said[at : at + size])
        found = _phrases().get(some) or (_phrases().get(("".join(some),)) if size > 1 or some[0].isalpha() else None)
        if found is not None:
            return size, found
    return 1, None


def _of_time(said: Sequence[str], kinds: list[str], topics: list[str]) -> Iterator[str]:
    """Yield what a name says of births, ages and years, which several words say together."""
    birth = BIRTH in said or "born" in said
    if birth and YEAR_WORDS & set(said):
        yield "year of birth"
    elif birth and (not topics or "date" in kinds) and "place" not in kinds:
        yield "birth"
    if "age" in said and "body" not in topics:
        yield "age"
    if "zip" in said:
        yield "zip"
