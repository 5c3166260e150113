"""One recogniser for profiles, presets and guardrails: what a column is, by its name and by what it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.assess.meaning.contents import Contents
from sfumato.assess.meaning.facts import ColumnCounts, facts_of
from sfumato.assess.meaning.names import ENTITIES, NameSays, read_name
from sfumato.assess.meaning.translation import understood

#: Kinds of columns that point to a person, and what they hold, in words.
KINDS = {
    "name": "names of people",
    "person": "people: a patient, a relative, an employer, a doctor",
    "institution": "places or institutions smaller than a state",
    "place": "places smaller than a state",
    "zip": "postcodes",
    "date": "dates, or parts of dates",
    "birth": "dates of birth",
    "year of birth": "years of birth",
    "age": "ages",
    "telephone": "telephone numbers",
    "fax": "fax numbers",
    "email": "e-mail addresses",
    "social": "social security or national numbers",
    "record": "numbers of medical records",
    "plan": "numbers of an insurance",
    "account": "account numbers",
    "licence": "numbers of certificates or licences",
    "vehicle": "vehicles or their plates",
    "device": "devices or serial numbers",
    "website": "web addresses",
    "internet": "internet addresses",
    "biometric": "biometric identifiers",
    "photo": "photographs",
    "identifier": "numbers or codes of people or cases",
    "text": "free text, which can say anything",
}
#: The topic of a column without values.
NOTHING = "nothing"
#: The largest number that counts something in one person's life.
LARGEST_COUNT = 100_000
#: Topics that say little, so that they do not make up for words that were not understood.
VAGUE = frozenset({"study", "flag", "measure", "count", "state", "country", "year", "occupation"})
#: Words that announce codes, which may be long.
CODE_WORDS = ("code", "concept", "loinc")
#: Topics of amounts and measurements.
MEASURED = frozenset({"money", "laboratory", "body", "measure", "duration", "scale"})
#: Topics whose things have names of their own, which are no names of people.
NAMED_THINGS = frozenset({"disease", "treatment", "laboratory", "language"})


@dataclass(frozen=True)
class Recognised:
    """What a column is taken for.

    Attributes
    ----------
    kind
        The kind of column that points to a person, one of `KINDS`; None if it is none of them, as far as can be seen.
    by_values
        Whether values show the kind, not only the name.
    topic
        The harmless topic that its name says and its values look like; None if that was not understood.
    name
        What the name says.
    """

    kind: str | None
    by_values: bool
    topic: str | None
    name: NameSays

    @property
    def harmless(self) -> str | None:
        """Why it is harmless, in words; None if that was not understood."""
        if self.topic is None:
            return None
        return "it holds nothing" if self.topic == NOTHING else f"{self.topic}, by its name and its values"

    @property
    def words(self) -> str:
        """What it looks like, in words that hold no value of the table."""
        if self.kind is not None:
            return f"{KINDS[self.kind]}, by its {'values' if self.by_values else 'name'}"
        return self.harmless or "not understood, by its name and its values"


def recognise(name: str, values: pa.ChunkedArray | ColumnCounts, label: str | None = None) -> Recognised:
    """Recognise a column by its name, by its values, and by its label where a file has one.

    Examples
    --------
    >>> recognise("sex", pa.chunked_array([["f", "m", "f"]])).harmless
    'sex, by its name and its values'
    >>> recognise("nameLast", pa.chunked_array([["Abe", "Bek"]])).kind
    'name'
    >>> recognise("x17", pa.chunked_array([["a", "b"]])).harmless
    """
    facts = values if isinstance(values, ColumnCounts) else facts_of(name, values)
    says = read_name(name if label is None else f"{name} {label}")
    contents = Contents(facts)
    if not facts.different:
        return Recognised(None, True, NOTHING, says)
    shown = contents.points_to()
    topic = _harmless(says, contents) if shown is None or _may_look_so(shown, says, contents) else None
    if topic is not None:
        return Recognised(None, True, topic, says)
    if says.kind is not None and (shown is None or says.kind not in {*ENTITIES, "text"}):
        by_name = _timed(says.kind, says, shown, contents)
        return Recognised(by_name, shown is not None, None, says)
    if shown is None and contents.numbers_somebody and not says.topics:
        shown = "identifier"
    return Recognised(shown or says.kind, shown is not None, None, says)


def could_point_to_a_person(name: str, values: pa.Array) -> bool:
    """Whether values that are nearly unique could point to people: words, dates, codes, numbers of something.

    Amounts and measurements are nearly unique as well, but few people outside know them to the last digit. Without
    values, where an engine keeps too many, the type decides.

    >>> could_point_to_a_person("case", pa.array(["K77.1", "A12.0"]))
    True
    >>> could_point_to_a_person("ph", pa.array([7.31, 7.4]))
    False
    """
    kind = values.type
    measured = bool(MEASURED & set(read_name(name).topics))
    if pa.types.is_temporal(kind) or pa.types.is_boolean(kind):
        return pa.types.is_temporal(kind) and not pa.types.is_duration(kind)
    if not len(values):
        is_amount = pa.types.is_floating(kind) or pa.types.is_decimal(kind) or (pa.types.is_integer(kind) and measured)
        return not is_amount
    contents = Contents(ColumnCounts(name, len(values), values, np.arange(len(values))))
    return not contents.is_number or (contents.numbers_somebody and not measured)


def _timed(kind: str, says: NameSays, shown: str | None, contents: Contents) -> str:
    """Births are shown by dates or by years."""
    return "year of birth" if kind == "birth" and contents.is_years else kind


def _may_look_so(shown: str, says: NameSays, contents: Contents) -> bool:
    """Whether values look like a kind by accident: states are places, 1.25 is a time of day."""
    places = shown in {"place", "name"} and (contents.is_state or contents.is_country) and bool(says.topics)
    drugs = shown in {"telephone", "social"} and "treatment" in says.topics and contents.is_drug_code
    amounts = shown == "date" and contents.is_decimal and bool(MEASURED & set(says.topics))
    return places or drugs or amounts or (shown == "name" and contents.among(_values("sex")))


def _harmless(says: NameSays, contents: Contents) -> str | None:
    """The harmless topic that a name says and values look like; None if there is none."""
    if not says.kinds and not says.topics and not says.unknown and (contents.is_snomed or contents.is_medical_text):
        return "disease"
    named = (*says.topics, *(("state",) if says.says("region", "division") and not contents.is_number else ()))
    topics = [topic for topic in named if _holds(topic, says, contents)]
    if not topics or not _clear_of_kinds(says, contents, topics):
        return None
    return topics[0]


def _clear_of_kinds(says: NameSays, contents: Contents, topics: list[str]) -> bool:
    """Whether the name says no kind that points to a person, or values rule it out: yes is no telephone number."""
    strict = [kind for kind in says.strict if not (kind == "place" and "state" in topics)]
    specific = contents.is_small_scale and bool(set(topics) - VAGUE)
    if says.unknown and not (contents.is_flag or contents.is_number or contents.is_medical_text or specific):
        return False
    if not strict:
        return True
    if contents.is_flag:
        return bool({"flag", "outcome", "care", "habits", "opinion"} & set(topics))
    if "count" in topics and _is_count(contents):
        return not set(strict) & {"social", "record", "plan", "account", "licence"}
    if set(strict) <= {"date"} and {"duration"} & set(topics):
        return True
    of_things = set(strict) <= {"name"} and bool(NAMED_THINGS & set(topics))
    return of_things and not _entities(says) and contents.is_category


def _entities(says: NameSays) -> bool:
    return bool(ENTITIES & set(says.kinds))


def _values(topic: str) -> frozenset[str]:
    return frozenset(understood()["harmless"][topic].get("values", "").split())


def _holds(topic: str, says: NameSays, contents: Contents) -> bool:
    """Whether values look as the topic of a name lets expect."""
    holds = "years" if topic == "year" else understood()["harmless"][topic]["holds"]
    known = _values(topic) if topic != "year" else frozenset()
    if known and not (contents.is_number or contents.among(known)):
        return False
    return _LOOKS[holds](says, contents) or (contents.is_flag and holds not in {"country", "state", "years"})


def _is_category(says: NameSays, contents: Contents) -> bool:
    of_medicine = bool({"disease", "treatment"} & set(says.topics)) or says.says(*CODE_WORDS)
    coded = of_medicine and (contents.is_code_of_medicine or contents.is_snomed)
    return contents.is_category or contents.is_medical_code or coded


def _is_measurement(says: NameSays, contents: Contents) -> bool:
    return contents.is_number and not contents.numbers_somebody and not contents.is_years


def _is_money(says: NameSays, contents: Contents) -> bool:
    if contents.is_category:
        return True
    return contents.is_number and max(map(abs, contents.numbers), default=0) < 10**8


def _is_count(contents: Contents) -> bool:
    numbers = contents.numbers
    return contents.is_whole and bool(numbers) and max(numbers) < LARGEST_COUNT and not contents.numbers_somebody


def _is_duration(says: NameSays, contents: Contents) -> bool:
    return contents.is_number and max(contents.numbers, default=0) < LARGEST_COUNT and not contents.is_years


_LOOKS: dict[str, Callable[[NameSays, Contents], bool]] = {
    "category": _is_category,
    "number": lambda says, contents: _is_measurement(says, contents) or contents.is_category,
    "any": lambda says, contents: _is_category(says, contents) or _is_measurement(says, contents),
    "flag": lambda says, contents: contents.is_flag,
    "count": lambda says, contents: _is_count(contents) or bool(contents.is_category and not contents.facts.is_text),
    "duration": _is_duration,
    "money": _is_money,
    "country": lambda says, contents: contents.is_country,
    "state": lambda says, contents: contents.is_state,
    "years": lambda says, contents: contents.is_years,
}
