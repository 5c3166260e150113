"""The meaning of a column, judged by its values and its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.assess.meaning.contents import Contents
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.names import read_name
from sfumato.assess.meaning.orders import order_of
from sfumato.assess.meaning.patterns import (
    DIRECT,
    STRUCTURED,
    found_in,
    holds_given_names,
    looks_like_addresses,
    looks_like_postcodes,
    share_of,
)
from sfumato.assess.meaning.vocabulary import Topic
from sfumato.assess.meaning.words import (
    says_code,
    says_household,
    says_joined_number,
    says_number,
    says_only_number,
    says_person,
    words,
)
from sfumato.assess.meaning.written_dates import forms_of

#: From this share of unique rows on, a column numbers its rows.
NUMBERS_ROWS = 0.9
#: Fewer distinct values identify no person, whatever the column's name.
FEWEST_NAMES = 10
#: Labels of codes have few words.
LONGEST_LABEL = 7
#: Fewer distinct digits pass a check by accident.
FEWEST_CHECKED = 20
#: Names of people, which several may share.
NAMES = "names of people"
#: In fewer rows whole numbers are consecutive by chance.
FEWEST_NUMBERED = 50
#: Whole numbers of one length: so many digits number something if the name says nothing, or even if it says something.
LONG, LONGER = 5, 8
#: Numbers of so many digits or more lose zeros in front, and the share of them that do not.
WITHOUT_ZEROS, MOSTLY_FULL = 7, 0.6
#: The share of values ending in 0 from which on amounts were rounded.
MOSTLY_ROUND = 0.5
#: The rows of a household or a person: the fewest on average, and the most.
FEWEST_MEMBERS, MOST_MEMBERS = 1.2, 50
#: Numbers of groups: the most rows of one, the share of possible ones that occur, that of many, and how far from the
#: middle of all numbers that of the rows may be.
MOST_OF_GROUP, MOSTLY_COMPLETE, HALF_COMPLETE, MANY_NUMBERS, MIDDLE = 12, 0.9, 0.5, 300, 0.1
#: Where percentages, days of a year and minutes of a day end.
ENDS_OF_SCALES = frozenset({100, 365, 366, 1440})
#: A few values, each of many rows, are categories and number nobody, whatever the column's name.
FEW_CATEGORIES, MANY_ROWS = 12, 20
#: Longer texts may be somebody's number, however often they occur.
SHORT_LABEL = 3
#: Whole numbers with at most this many distinct values may be codes or steps instead of amounts.
FEW_NUMBERS = 12

#: What is written as a year and a month, though all months are numbers of quarters.
MONTHS, QUARTERS = (("%Y/%m",), ("%Y-%m",)), 4

_WRITTEN = re.compile(r"[-+]?\s?([$€£¥]|[A-Z]{3})?\s?\d{1,3}([.,' ]?\d{3})*([.,]\d+)?\s?([$€£¥%]|[A-Z]{3})?")
_DESCRIBES = re.compile(r"\b(desc\w*|display|label|beschreibung|descripcion|descricao|descrizione|omschrijving)\b")
_CURRENCY = re.compile(r"[$€£¥]|\b(EUR|USD|GBP|CHF)\b")
_CODE = re.compile(r"[A-Z]{0,3}\d{2,8}([.\-]\d+)?", re.IGNORECASE)
_ROUND, _VERY_ROUND = re.compile(r"0$"), re.compile(r"00$")
_LONG = re.compile(r"[A-Z]{0,4}[- ]?\d{5,}[A-Z]?", re.IGNORECASE)
_LONG_CODE = re.compile(r"(?=(.*\d){5})(?=.*[A-Za-z])[A-Za-z0-9/.-]{8,}|\d{8,}")
_UNNAMED_CODE = re.compile(
    r"(?=(.*\d){4})[A-Za-z0-9/.-]{8,}|\d{6,}|(?=.*\d.*\d)(?=.*[- ])[A-Z]{1,3}([- ]?[A-Z0-9]{1,4}){2,4}"
)
_NUMBER_WORDS = frozenset(
    {"id", "ids", "uid", "uuid", "key", "no", "nr", "number", "num", "numero", "nummer", "ref", "record"}
    | {"case", "serial", "seq", "folio", "reference", "expediente"}
)
_AMOUNTS = {"income", "money"}
#: Topics whose numbers stay small: longer ones of one length number people or cases.
_COUNTED = {"survey question", "count", "stay", "household", "use of a service"}
#: Topics whose numbers count something about a person, whatever words stand in the name.
_PRIVATE = {"habits", "sexual life"}
#: Topics of what belongs to many people: the number of a county is no number of a person.
_GROUPS = ("place", "institution", "nationality", "design of the sample", "journey", "language", "vehicle")
#: Topics of what no small number is, whatever the name says: 'links' need not be web addresses.
_THINGS = ("web address", "photograph", "biometric identifier", "internet address", "e-mail address", "device number")
#: Names of numbers that things have: a few categories of them are kinds of things.
_OF_THINGS = (
    "account number",
    "number of a licence",
    "device number",
    "insurance number",
    "web address",
    "telephone number",
)
_STEPS = {"performance", "opinion", "survey question", "education"}
_CODED = {"occupation", "nationality", "place", "education", "disease", "treatment"}


@dataclass(frozen=True)
class Meaning:
    """The meaning of a column.

    Attributes
    ----------
    kind
        One of ``number``, ``amount``, ``date``, ``time``, ``postcode``, ``code``, ``category``, ``ordered category``,
        ``free text``, ``identifier``, or ``empty``.
    detail
        The details: the code system, the format of dates, the kind of identifier.
    by_values
        Whether the values show it, not only the name.
    order
        The steps of an ordered category.
    """

    kind: str
    detail: str | None = None
    by_values: bool = False
    order: tuple[str, ...] = ()


Look = Callable[[ColumnCounts, Topic | None], Meaning | None]


def meaning_of(facts: ColumnCounts, topic: Topic | None) -> Meaning:
    """Find the meaning of a column: the first that fits, the most specific first."""
    if not facts.different:
        return Meaning("empty", by_values=True)
    looks = (_direct, _moment, *(_NUMBER_LOOKS if facts.is_number else _TEXT_LOOKS))
    return next((found for look in looks if (found := look(facts, topic)) is not None), Meaning("category"))


def _named(topic: Topic | None, *names: str) -> bool:
    return topic is not None and topic.name in names


# Any type


def _direct(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find identifiers by their format: e-mail addresses, account numbers, national numbers."""
    if not facts.is_text and (not facts.is_whole or facts.different < FEWEST_CHECKED):
        return None
    found = found_in(facts.texts, DIRECT)
    if found is None or (facts.different < FEWEST_CHECKED and "addresses" not in found and found != "IBANs"):
        return None
    # A written date, or a postcode of nine digits, can pass for a telephone number or a service number.
    if facts.is_text and forms_of(facts.texts):
        return None
    return None if _named(topic, "postcode", "income", "money") else Meaning("identifier", found, by_values=True)


def _moment(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find dates and times: typed, as text in any format, or as digits such as 20241231."""
    types = pa.types
    tests = (
        (types.is_time, "time", "time of day"),
        (types.is_timestamp, "time", "date and time"),
        (types.is_date, "date", None),
    )
    for is_such, kind, detail in tests:
        if is_such(facts.values.type):
            return Meaning(kind, detail, by_values=True)
    if facts.is_number and not (facts.is_whole and facts.numbers[0] > 18_000_000):
        return None
    forms = forms_of(facts.texts)
    if not forms:
        return None
    if forms in MONTHS and all(month <= QUARTERS for month in map(_month_of, facts.texts)):
        return Meaning("ordered category", "quarters", by_values=True, order=tuple(sorted(facts.texts)))
    kind = "time" if "%H" in forms[0] else "date"
    return Meaning(kind, forms[0] if len(forms) == 1 else "several forms", by_values=True)


def _month_of(text: str) -> int:
    """The month, or the quarter, behind a year."""
    return int(re.split(r"[-/]", text.strip())[-1])


# Numbers


def _coordinate(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    limit = 90 if _named(topic, "latitude") else 180 if _named(topic, "longitude") else 0
    if limit and len(facts.numbers) and abs(facts.numbers[[0, -1]]).max() <= limit:
        return Meaning("number", "coordinates", by_values=True)
    return None


def _postcode_number(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    if _named(topic, "postcode") and facts.is_whole and 3 <= facts.lengths[1] <= 9:
        return Meaning("postcode", by_values=True)
    return None


def _numbering(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find whole numbers that only number rows or people."""
    if not facts.is_whole or facts.different < FEWEST_NAMES:
        return None
    dense = facts.numbers[-1] - facts.numbers[0] < 1.2 * facts.different
    if dense and facts.unique_share > NUMBERS_ROWS and facts.filled >= FEWEST_NUMBERED:
        return Meaning("identifier", "row numbers", by_values=True)
    if _named(topic, *_AMOUNTS) or (_named(topic, *_THINGS) and _is_scale(facts)):
        return None
    return _numbering_by_name(facts, topic) or _numbering_by_length(facts, topic) or _numbering_of_groups(facts, topic)


def _numbering_by_name(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    if topic is not None and topic.group == "names" and not Contents(facts).is_years:
        return Meaning("identifier", topic.name)
    many = facts.different >= min(50, facts.filled / 5)
    if says_only_number(facts.name) or (many and _is_numbered(facts, topic)):
        return _numbered(facts)
    return _grouping(facts, topic)


def _grouping(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find numbers or codes whose rows all follow each other in small groups, as those of households do."""
    unnamed = topic is None or topic.name in {"survey question", "count"} or says_household(facts.name)
    many = facts.different >= FEWEST_NUMBERED and FEWEST_MEMBERS * facts.different <= facts.filled
    if unnamed and many and facts.counts.max() <= MOST_MEMBERS and facts.stands_together:
        return Meaning("identifier", "numbers of groups whose rows stand together, such as households", by_values=True)
    return None


def _numbering_by_length(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    contents = Contents(facts)
    size = _one_length(facts)
    coded = says_code(facts.name) and (topic is not None or size < LONGER)
    if coded or contents.is_weeks or contents.is_snomed:
        return None
    unnamed = _is_unnamed(topic)
    if unnamed and contents.come_again:
        return Meaning("identifier", "long numbers that come again", by_values=True)
    measured = _named(topic, "survey weight", "date or time", *_GROUPS, *_CODED)
    rounded = contents.share((_VERY_ROUND if size >= WITHOUT_ZEROS else _ROUND).search) >= MOSTLY_ROUND
    exact = facts.different >= FEWEST_CHECKED and not rounded
    if exact and ((unnamed and size >= LONG) or (not measured and size >= LONGER)):
        return Meaning("identifier", "numbers of one length", by_values=True)
    return None


def _numbering_of_groups(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find numbers from 1 on that hardly leave one out, each of a few rows, as those of people and households are.

    Counts and amounts become rarer as they grow, and ages have many rows each.
    """
    if topic is not None or facts.different < FEWEST_NUMBERED or facts.counts.max() > MOST_OF_GROUP:
        return None
    low, high = float(facts.numbers[0]), float(facts.numbers[-1])
    complete = facts.different >= (MOSTLY_COMPLETE if facts.different < MANY_NUMBERS else HALF_COMPLETE) * (high - low)
    middle = float(np.average(facts.values.cast(pa.float64()).to_numpy(zero_copy_only=False), weights=facts.counts))
    even = abs(middle - (low + high) / 2) < MIDDLE * (high - low)
    few = facts.filled <= MOST_OF_GROUP / 2 * facts.different
    if low < 0 or low > MIDDLE * high or high in ENDS_OF_SCALES or not complete or not even or not few:
        return None
    return Meaning("identifier", "whole numbers from 1 on, each of a few rows: do they number people or households?")


def _is_unnamed(topic: Topic | None) -> bool:
    """Whether a name says nothing that rules out numbers of people: 'x1' may be a question, or anything."""
    return topic is None or topic.name in _COUNTED


def _one_length(facts: ColumnCounts) -> int:
    """The length of all values; of long ones, some may have lost the zeros that they began with. 0 if they differ."""
    shortest, longest = facts.lengths
    if shortest == longest:
        return longest
    full = share_of(facts.texts, lambda text: len(text) == longest)
    return longest if longest >= WITHOUT_ZEROS and full >= MOSTLY_FULL else 0


def _is_scale(facts: ColumnCounts) -> bool:
    """Whether a few small numbers are each in many rows, as answers and steps are."""
    return bool(facts.numbers[-1] < 100) and facts.filled >= 20 * facts.different


def _numbered(facts: ColumnCounts) -> Meaning:
    what = "numbers of households" if says_household(facts.name) else "numbers of people or cases"
    return Meaning("identifier", what, by_values=facts.unique_share > NUMBERS_ROWS)


def _is_numbered(facts: ColumnCounts, topic: Topic | None) -> bool:
    """Whether a name says a number of people or cases: the age of a patient is none, the number of one is."""
    name = facts.name
    if _named(topic, *_PRIVATE):
        return False
    groups = _named(topic, *_GROUPS) and facts.filled >= 5 * facts.different
    if groups and not says_person(name) and not says_household(name):
        return False
    about = topic is not None and topic.group in {"known", "secret"} and topic.name != "count"
    numbered = bool(_NUMBER_WORDS & set(words(name).split())) or says_joined_number(name)
    return says_number(name) and (not about or numbered)


def _amount(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    if _named(topic, *_AMOUNTS) and facts.different > FEW_NUMBERS:
        return Meaning("amount", by_values=True)
    return None


def _number_code(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find whole numbers that are codes, such as those of occupations."""
    if not facts.is_whole or facts.numbers[0] < 0:
        return None
    long = facts.lengths[0] >= 3 and facts.different > 4
    if long and (_named(topic, "occupation") or (says_code(facts.name) and topic is not None)):
        return Meaning("code", _system(topic), by_values=True)
    return None


def _few_numbers(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    if not facts.is_whole or facts.different > FEW_NUMBERS:
        return None
    steps = bool((np.diff(facts.numbers) == 1).all()) and facts.different > 2
    if steps and _named(topic, *_STEPS):
        return Meaning("ordered category", "steps", by_values=True)
    coded = topic is not None and topic.name in {
        "sex",
        "marital status",
        "ethnic group",
        "nationality",
        "place",
        "disease",
    }
    return Meaning("category", by_values=True) if facts.different <= 2 or coded or says_code(facts.name) else None


def _number(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    years = facts.is_whole and facts.numbers[0] >= 1850 and facts.numbers[-1] <= 2100
    return Meaning("number", "years" if years and facts.different > 2 else None, by_values=True)


_NUMBER_LOOKS: tuple[Look, ...] = (
    _coordinate,
    _postcode_number,
    _numbering,
    _number_code,
    _amount,
    _few_numbers,
    _number,
)


# Text and truth values


def _truth(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    return Meaning("category", by_values=True) if facts.different <= 2 and not facts.unique else None


def _structured(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find times of day, pairs of coordinates and codes of medicine."""
    found = found_in(facts.texts, STRUCTURED)
    if found == "time":
        return Meaning("time", "time of day", by_values=True)
    if found == "coordinates":
        # Centres of districts are places of many; a place of its own is somebody's.
        shared = facts.filled >= MANY_ROWS * facts.different
        return Meaning("category" if shared else "identifier", "coordinates", by_values=True)
    if (topic is None or topic.name in {"place", "postcode"}) and looks_like_addresses(facts.texts):
        return Meaning("identifier", "street addresses", by_values=True)
    dotted = share_of(facts.texts, lambda text: "." in text) > 0.2
    full = found == "ATC" and facts.lengths[1] >= 5
    if found is not None and (full or dotted or _named(topic, "disease", "treatment")):
        return Meaning("code", "ATC" if found == "ATC" and (full or _named(topic, "treatment")) else "ICD-10", True)
    return None


def _postcode(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    if _named(topic, "postcode") and facts.lengths[0] >= 3 and facts.lengths[1] <= 10:
        return Meaning("postcode", by_values=True)
    return Meaning("postcode", by_values=True) if looks_like_postcodes(facts.texts) and topic is None else None


def _steps(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    order = order_of(facts.texts) if facts.different <= 40 else ()
    return Meaning("ordered category", by_values=True, order=order) if order else None


def _written_number(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find numbers written with a comma, a unit or a currency."""
    if share_of(facts.texts, _WRITTEN.fullmatch) < 0.95 or facts.different <= FEW_NUMBERS:
        return None
    money = _named(topic, *_AMOUNTS) or share_of(facts.texts, _CURRENCY.search) > 0.5
    marked = share_of(facts.texts, re.compile(r"[.,' ]\d|[$€£¥%]").search) > 0.3
    if money or (marked and not says_number(facts.name)):
        return Meaning("amount" if money else "number", "written with signs", by_values=True)
    return None


def _names(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    named = topic is not None and topic.group == "names" and (facts.different > 3 or facts.unique == facts.filled)
    if facts.different > 1 and Contents(facts).holds_titles:
        return Meaning("identifier", NAMES, by_values=True)
    if facts.different < FEWEST_NAMES and not named:
        return None
    if holds_given_names(facts.texts) or (topic is None and Contents(facts).holds_surnames):
        return Meaning("identifier", NAMES, by_values=True)
    if topic is None or topic.group != "names":
        return None
    few = facts.different <= FEW_CATEGORIES and facts.filled >= MANY_ROWS * facts.different
    if few and topic.name == "person's name" and _names_things(facts.name):
        return None
    short = facts.lengths[1] <= SHORT_LABEL and topic.name in {"national number", "number of a medical record"}
    return None if few and (short or topic.name in _OF_THINGS) else Meaning("identifier", topic.name)


def _names_things(name: str) -> bool:
    """Whether a name ends in 'name' behind a word that is none of people: 'component_name' may be a product's."""
    says = read_name(name)
    return says.words[-1:] == ("name",) and bool(says.unknown) and "person" not in says.kinds


def _free_text(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    count, length = (float(np.mean([size(text) for text in facts.texts])) for size in (_count_words, len))
    many = facts.different > 0.2 * facts.filled and facts.different >= FEWEST_NAMES
    named = topic is not None and topic.group == "text"
    if many and ((count >= 5 and length >= 25) or (named and count >= 2)):
        return Meaning("free text", by_values=True)
    repeats = facts.filled >= MANY_ROWS / 2 * facts.different and count <= LONGEST_LABEL
    coded = repeats and _DESCRIBES.search(words(facts.name)) is not None
    named = named and facts.different > 3
    return Meaning("free text") if named and not coded else None


def _count_words(text: str) -> int:
    return len(text.split())


def _text_numbering(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find words or codes that are unique in nearly all rows, or that the column's name calls a number of a person."""
    enough = facts.different >= min(50, facts.filled / 5) and facts.different >= FEWEST_NAMES
    if enough and _is_numbered(facts, topic):
        return _numbered(facts)
    if (found := _grouping(facts, topic)) is not None:
        return found
    small_area = _named(topic, "place") and facts.lengths[0] == facts.lengths[1] and _is_coded(facts)
    if facts.unique_share > NUMBERS_ROWS and facts.filled >= FEWEST_NAMES and not small_area:
        return Meaning("identifier", "a value of its own in nearly every row", by_values=True)
    many = facts.different >= max(FEWEST_CHECKED, facts.filled / 10)
    if (
        many
        and not _named(topic, "date or time", *_GROUPS, *_CODED)
        and share_of(facts.texts, (_UNNAMED_CODE if _is_unnamed(topic) else _LONG_CODE).fullmatch) > 0.9
    ):
        return Meaning("identifier", "long codes, as numbers of people are", by_values=True)
    if _named(topic, "count") and facts.different >= FEWEST_CHECKED and share_of(facts.texts, _LONG.fullmatch) > 0.9:
        return Meaning("identifier", "long numbers with letters", by_values=True)
    return None


def _is_coded(facts: ColumnCounts) -> bool:
    return share_of(facts.texts, _CODE.fullmatch) >= 0.95


def _text_code(facts: ColumnCounts, topic: Topic | None) -> Meaning | None:
    """Find codes of a system by their format and the topic of the column."""
    coded = (topic is not None and topic.name in _CODED) or says_code(facts.name)
    if coded and facts.different > 4 and _is_coded(facts) and facts.lengths[0] >= 2:
        return Meaning("code", _system(topic), by_values=True)
    return None


_TEXT_LOOKS: tuple[Look, ...] = (
    _postcode,
    _structured,
    _steps,
    _names,
    _written_number,
    _free_text,
    _text_numbering,
    _text_code,
    _truth,
)


def _system(topic: Topic | None) -> str | None:
    """The code system that a topic suggests."""
    systems = {"occupation": "occupations, such as ISCO", "place": "places", "nationality": "countries"}
    return None if topic is None else systems.get(topic.name)
