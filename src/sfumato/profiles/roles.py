"""Suggest the role of a column, with a reason and a certainty; the owner of the table decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sfumato.assess.meaning.contents import Contents
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.meaning import FEWEST_NAMES, NAMES, NUMBERS_ROWS, Meaning
from sfumato.assess.meaning.names import read_name
from sfumato.assess.meaning.persons import CountedColumn, PersonFound, find_person, lasting
from sfumato.assess.meaning.recognise import could_point_to_a_person
from sfumato.assess.meaning.vocabulary import Topic, topic_of
from sfumato.assess.meaning.words import says_code, says_household, says_number, words

#: How sure a suggestion is.
SURE, LIKELY, UNSURE = "sure", "likely", "unsure"
#: What a column can be; the person is an identifier that repeats, by which people are counted.
ROLES = ("identifier", "person", "quasi-identifier", "sensitive", "plain", "weight")

#: Rows per value, on average, from which an identifier repeats on purpose and not by accident.
FEWEST_ROWS_PER_PERSON = 1.05
#: The same, where only the place of the column speaks for people.
FEWEST_ROWS_IN_CLAIMS = 1.2
#: Fewer numbers whose name says nothing stand for nobody: what does not change is constant within them by chance.
FEWEST_PEOPLE = 20
#: A mean above it is of kilograms or pounds, if no weight is above the heaviest.
BODY_WEIGHT, HEAVIEST = 25, 700
#: The spread of weights of people, as a part of their mean; those of a sample differ more.
SPREAD = 0.35
#: Bodies have many weights; if each is that of so many rows, it is that of a stratum.
MANY_ROWS = 100
#: Weights of a sample that were scaled to a mean of 1 miss it by less; fewer different ones say nothing.
MEAN_OF_ONE, MANY_WEIGHTS = 0.02, 20
#: Weights of newborns in grams, as whole numbers.
NEWBORNS = (300, 6500)
#: More different whole numbers are amounts rather than codes or counts.
MANY_NUMBERS = 300
#: The scale of answers that surveys use most, and hardly anything else.
SCALE = range(11)
#: More different numbers from 0 to 100 are steps of a scale.
MANY_STEPS = 12
#: Topics of dates and times.
TIMES = frozenset({"date of birth", "year of birth", "date or time", "year", "age"})
#: Names of the column that a table was made to predict, and the most values that it has.
PREDICTED, FEW_CLASSES = frozenset({"y", "class", "target", "label", "outcome"}), 5
#: Topics of names that say little: a letter and a number, and 'status'.
VAGUE = frozenset({"survey question", "status"})
#: Topics of numbers of contracts: what is said in a few words about one is no number.
CONTRACTS = frozenset({"account number", "insurance number"})
#: The first and the last year of what may be moments.
YEARS = (1850, 2100)
#: Kinds of columns that may number people; dates, postcodes and coordinates are made coarser.
CODED = frozenset({"category", "code", "number"})
#: Places are made coarser too, however small they are.
MADE_COARSER = frozenset({"latitude", "longitude", "coordinates", "place"})
#: Words that are not understood and so many, each in at most so many rows, may be names.
MANY_WORDS, MOST_ALIKE = 20, 4
#: So many texts of several words may be names, if that many first and last words, but fewer, make them up.
MANY_COMBINED, FEWEST_ENDS, MOST_ENDS = 50, 8, 0.6
_DOTTED = re.compile(r"\.")
_CAPITALISED = re.compile(r"([^\W\d_a-z][^\W\d_]*[ ,.'-]*){1,4}")
#: Fewer codes look like those of medicine by chance.
FEWEST_CODES = 3
#: In fewer rows many columns are nearly unique by chance.
FEWEST_ROWS = 20
#: From this share of unique rows on, no column is released as it is.
TELLING = 0.1


@dataclass(frozen=True)
class Suggestion:
    """A role with its reason, in words that hold no value of the table."""

    role: str
    reason: str
    certainty: str


#: Columns that say how the data came about.
ABOUT_THE_DATA = {
    "design": Suggestion(
        "quasi-identifier",
        "stratum or cluster of the sample, which may point to a place; plain if the numbers were masked",
        LIKELY,
    ),
    "technical": Suggestion("plain", "conduct of the study: it is about the data, not about people", LIKELY),
}


OF_CONTRACTS = Suggestion("sensitive", "about an account or a contract, which few others know", UNSURE)


def suggest(facts: ColumnCounts, topic: Topic | None, meaning: Meaning) -> Suggestion:
    """Suggest the role of a column by itself."""
    if meaning.kind == "empty":
        return Suggestion("plain", "it holds nothing", SURE)
    if meaning.kind == "identifier":
        return _identifier(topic, meaning)
    if meaning.kind == "free text":
        certainty = SURE if meaning.by_values else LIKELY
        return Suggestion("identifier", "free text can say anything about anybody, so it is left out", certainty)
    if facts.different == 1 and facts.missing == 0:
        return Suggestion("plain", "every row has the same value", SURE)
    found = _careful(facts, _by_topic(facts, topic, meaning) or _by_kind(facts, meaning))
    coarse = topic is not None and (topic.name in MADE_COARSER or topic.group == "weight")
    return found if coarse else _asked(facts, meaning, found)


def _asked(facts: ColumnCounts, meaning: Meaning, found: Suggestion) -> Suggestion:
    """A column with a value of its own in nearly every row is left out, unless somebody who knows it says otherwise."""
    unique = facts.unique_share > NUMBERS_ROWS and facts.filled >= FEWEST_ROWS
    if not unique or meaning.kind not in CODED or not could_point_to_a_person(facts.name, facts.values):
        return found
    reason = "nearly every row has a value of its own, which may point to a person: is it one's number?"
    return Suggestion("identifier", reason, UNSURE)


def _identifier(topic: Topic | None, meaning: Meaning) -> Suggestion:
    if topic is not None and topic.group == "names" and meaning.by_values:
        return Suggestion("identifier", f"{meaning.detail}, by its values and its name", SURE)
    if meaning.by_values:
        return Suggestion("identifier", f"{meaning.detail}, by its values", LIKELY if topic else SURE)
    return Suggestion("identifier", f"{meaning.detail}, by its name", LIKELY)


def _by_topic(facts: ColumnCounts, topic: Topic | None, meaning: Meaning) -> Suggestion | None:
    """Suggest a role by the column's name."""
    if words(facts.name) in PREDICTED and 1 < facts.different <= FEW_CLASSES:
        return Suggestion("sensitive", "an outcome, by its name, as tables made to predict one have", UNSURE)
    if topic is None:
        return None
    if facts.is_number and (topic.name == "survey weight" or _weighs(facts, topic)):
        return _weight(facts)
    if topic.group == "known" or meaning.kind in {"date", "time", "postcode"}:
        what = topic.name if topic.group == "known" and fits_time(topic.name, meaning) else meaning.kind
        return Suggestion("quasi-identifier", f"{what}: others may know or see it", SURE)
    if topic.group == "secret":
        certainty = UNSURE if topic.name in VAGUE else SURE
        return Suggestion("sensitive", f"{topic.name}: nobody should learn whose it is", certainty)
    return OF_CONTRACTS if topic.name in CONTRACTS else ABOUT_THE_DATA.get(topic.group)


def _weighs(facts: ColumnCounts, topic: Topic) -> bool:
    """Whether numbers called weights have more decimals than a scale shows, as weights of a sample have."""
    return topic.name == "body" and "weight" in words(facts.name) and _share_exact(facts) > 0.5


def fits_time(topic: str, meaning: Meaning) -> bool:
    """Whether a topic may be that of dates, if values are dates: a column 'stop' of them is no stop of a journey."""
    return meaning.kind not in {"date", "time"} or topic in TIMES


def _weight(facts: ColumnCounts) -> Suggestion:
    """Distinguish survey weights from body weights."""
    said = read_name(facts.name)
    of_sample = said.says("sampling", "survey", "design", "sample", "person", "household", "final") or "wgt" in words(
        facts.name
    )
    of_bodies = facts.different * MANY_ROWS > facts.filled and bool((np.round(facts.numbers, 2) == facts.numbers).all())
    newborns = facts.is_whole and NEWBORNS[0] <= facts.numbers[0] <= 2_500 <= facts.numbers[-1] <= NEWBORNS[1]
    heavy = BODY_WEIGHT < float(np.average(facts.numbers)) < facts.numbers[-1] < HEAVIEST
    spread = float(np.std(facts.numbers)) / max(1.0, abs(float(np.average(facts.numbers))))
    said_by_label = topic_of(facts.name) is None
    if not of_sample and not said_by_label and (of_bodies or spread < SPREAD) and (heavy or newborns):
        return Suggestion("quasi-identifier", "body weight: others may know or see it", LIKELY)
    return Suggestion("weight", "survey weight: it says how many people a row stands for", LIKELY)


def usable_weights(facts: ColumnCounts) -> bool:
    """Whether every row has a weight above 0, as a release needs them."""
    return facts.is_number and facts.missing == 0 and bool(facts.numbers[0] > 0)


def _share_exact(facts: ColumnCounts) -> float:
    """The share of the different numbers that have more than three decimals."""
    return float((np.round(facts.numbers, 3) != facts.numbers).mean())


def _are_normalised(facts: ColumnCounts) -> bool:
    """Whether numbers have a mean of 1 and many decimals, as weights of a sample often do."""
    if facts.is_whole or not usable_weights(facts) or facts.different < MANY_WEIGHTS:
        return False
    numbers = facts.values.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return _share_exact(facts) > 0.5 and abs(float(np.average(numbers, weights=facts.counts)) - 1) < MEAN_OF_ONE


def _by_kind(facts: ColumnCounts, meaning: Meaning) -> Suggestion:
    """Suggest the usual role of a kind, if the name says nothing."""
    if meaning.kind in {"date", "time", "postcode"} or meaning.detail == "coordinates":
        return Suggestion("quasi-identifier", f"{meaning.detail or meaning.kind}: others may know it", LIKELY)
    if (found := _by_content(facts, meaning)) is not None:
        return found
    if meaning.kind == "amount" or (facts.is_number and not facts.is_whole):
        return _by_fractions(facts)
    if facts.is_whole and (why := _by_number(facts)) is not None:
        return Suggestion("sensitive", why, UNSURE)
    return Suggestion("quasi-identifier", "nothing says that others cannot know it", UNSURE)


def _by_fractions(facts: ColumnCounts) -> Suggestion:
    """Suggest a role for amounts and numbers with fractions, if the name says nothing."""
    if _are_normalised(facts):
        return Suggestion("weight", "numbers with a mean of 1, as weights of a sample are", UNSURE)
    if len(facts.numbers) and not facts.is_whole and facts.numbers[0] > YEARS[0] and facts.numbers[-1] < YEARS[1]:
        return Suggestion("quasi-identifier", "years with their fractions, as moments: others may know them", UNSURE)
    return Suggestion("sensitive", "a measured number that few others know", UNSURE)


def _by_content(facts: ColumnCounts, meaning: Meaning) -> Suggestion | None:
    """Suggest a role by what the values say, if the name says nothing."""
    if meaning.kind == "code" and meaning.detail in {"ICD-10", "ATC"}:
        return Suggestion("sensitive", f"{meaning.detail} codes: nobody should learn whose it is", SURE)
    contents = Contents(facts)
    coded = contents.is_medical_code and (facts.lengths[0] < facts.lengths[1] or contents.share(_DOTTED.search) > 0)
    if facts.is_text and facts.different > FEWEST_CODES and (coded or contents.is_medical_text):
        return Suggestion("sensitive", "codes or words of medicine: nobody should learn whose they are", UNSURE)
    many = facts.different >= max(MANY_WORDS, facts.filled / MOST_ALIKE) or _are_put_together(facts)
    if facts.is_text and meaning.kind == "category" and many and contents.share(_CAPITALISED.fullmatch) > 0.9:
        return Suggestion("identifier", "many different words, as names have: does it name people?", UNSURE)
    return None


def _are_put_together(facts: ColumnCounts) -> bool:
    """Whether many texts put a few first words together with a few last ones, as people's names do."""
    if not facts.is_text or facts.different < MANY_COMBINED:
        return False
    parts = [text.replace(",", " ").split() for text in facts.texts]
    if not all(2 <= len(one) <= 4 for one in parts):
        return False
    ends = [len({one[at] for one in parts}) for at in (0, -1)]
    return min(ends) >= FEWEST_ENDS and max(ends) <= MOST_ENDS * len(parts)


def _by_number(facts: ColumnCounts) -> str | None:
    """Say why whole numbers are private, if the name says nothing; None if they need not be."""
    if facts.different > MANY_NUMBERS and not says_code(facts.name):
        return "an exact number that few others know"
    ends = (facts.numbers[0], facts.numbers[-1])
    if facts.different == len(SCALE) and ends == (0, SCALE[-1]):
        return "a scale from 0 to 10, as answers of surveys have"
    return (
        "a scale from 0 to 100, as of marks and feelings" if facts.different > MANY_STEPS and ends == (0, 100) else None
    )


def _careful(facts: ColumnCounts, found: Suggestion) -> Suggestion:
    """Never suggest releasing a column as it is if it singles rows out."""
    if found.role == "plain" and facts.unique > TELLING * facts.rows and facts.rows >= FEWEST_NAMES:
        return Suggestion("quasi-identifier", f"{found.reason}, but many rows are alone with their value", LIKELY)
    return found


def _may_number_people(facts: ColumnCounts, meaning: Meaning) -> bool:
    """Whether a column that is taken for something else could number people with several rows, as 'idcode' does."""
    topic = topic_of(facts.name)
    unnamed = topic is None or topic.name in {"survey question", "count"}
    repeats = facts.different >= FEWEST_PEOPLE and facts.filled >= FEWEST_ROWS_PER_PERSON * facts.different
    return unnamed and repeats and meaning.kind in CODED and (facts.is_whole or facts.is_text)


def suggest_person(columns: Iterable[tuple[ColumnCounts, Meaning, str]]) -> PersonFound | None:
    """Find the identifier of people with several rows, given every column with its role; None if there is none.

    People share names, not numbers, so a column of names is none. Numbers and codes whose name says nothing stand for
    people if several things that never change about people follow from them.
    """
    keys, others, names, unnamed = list[CountedColumn](), list[CountedColumn](), list[str](), list[CountedColumn]()
    for facts, meaning, role in columns:
        names.append(facts.name)
        coded = CountedColumn.of(facts.name, facts.codes, facts.values)
        named = meaning.kind == "identifier" and meaning.detail != NAMES
        if role == "identifier" and (named or _may_number_people(facts, meaning)):
            keys.append(coded)
        elif role != "identifier":
            others.append(coded)
            unnamed += [coded] if _may_number_people(facts, meaning) else []
    repeating = [one for one in keys if one.filled >= FEWEST_ROWS_PER_PERSON * one.different]
    attributes = lasting(others)
    found = find_person(repeating, attributes)
    if found is None or not found.constant:
        by_evidence = find_person(unnamed, attributes) if len(attributes) > 1 else None
        found = by_evidence or found
    if found is not None and (found.constant or found.by_name):
        return found
    first = keys[0] if keys and keys[0].name == names[0] and keys[0] in repeating else None
    if (
        first is None
        or first.filled < FEWEST_ROWS_IN_CLAIMS * first.different
        or attributes
        or not says_number(first.name)
        or says_household(first.name)
    ):
        return None
    return PersonFound(first.name, first.different, first.filled, leads=True)
