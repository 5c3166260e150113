"""Topics of column names in a dozen languages, and the kind of column that each suggests.

Names are normalized first: ``PatientID``, ``patient-id`` and ``Patient Id`` are all ``patient id``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.assess.meaning.abbreviations import abbreviated
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.names import PARTS_OF_NAMES, NameSays, read_name
from sfumato.assess.meaning.patterns import share_of
from sfumato.assess.meaning.words import COUNTED, words


class Topic(NamedTuple):
    """The topic of a column, by its name.

    Attributes
    ----------
    name
        The topic in words, as reasons use it.
    group
        ``"names"`` a person directly, ``"known"`` to others, ``"secret"``, or ``"technical"``.
    """

    name: str
    group: str


#: Kinds of the recogniser that name a person directly, as topics.
_NAMING = {
    "name": "person's name",
    "telephone": "telephone number",
    "fax": "telephone number",
    "email": "e-mail address",
    "social": "national number",
    "record": "number of a medical record",
    "plan": "insurance number",
    "account": "account number",
    "licence": "number of a licence",
    "vehicle": "device number",
    "device": "device number",
    "website": "web address",
    "internet": "internet address",
    "biometric": "biometric identifier",
    "photo": "photograph",
}
#: Other kinds and topics of the recogniser, as others may know them or not.
_TOLD = {
    "birth": Topic("date of birth", "known"),
    "year of birth": Topic("year of birth", "known"),
    "date": Topic("date or time", "known"),
    "age": Topic("age", "known"),
    "zip": Topic("postcode", "known"),
    "place": Topic("place", "known"),
    "survey weight": Topic("survey weight", "weight"),
    "sex": Topic("sex", "known"),
    "race": Topic("ethnic group", "known"),
    "family": Topic("marital status", "known"),
    "language": Topic("language", "known"),
    "country": Topic("nationality", "known"),
    "state": Topic("place", "known"),
    "education": Topic("education", "known"),
    "occupation": Topic("occupation", "known"),
    "household": Topic("household", "known"),
    "religion": Topic("opinion", "secret"),
    "insurance": Topic("insurance", "secret"),
    "habits": Topic("habits", "secret"),
    "disease": Topic("disease", "secret"),
    "treatment": Topic("treatment", "secret"),
    "laboratory": Topic("laboratory value", "secret"),
    "outcome": Topic("outcome", "secret"),
    "opinion": Topic("opinion", "secret"),
    "money": Topic("money", "secret"),
}


#: Topics of names that may say something private as well: the age at which somebody began to smoke is a habit.
_WEAK = frozenset(
    {"age", "year", "date or time", "household", "sex", "occupation", "place", "count", "hours or years of work"}
    | {"language", "institution"}
)
#: What is private whatever stands beside it.
_PRIVATE = {
    Topic("sexual life", "secret"): re.compile(
        r".*\b(sex (ever|life|activ\w*|age|risk\w*|num(ber)? \w+)|sexrisk|same sex|(first|ever|had) sex|sexual \w+)\b.*"
    ),
    Topic("habits", "secret"): re.compile(
        r".*\b(smok\w*|cigar\w*|tobacco|alcohol\w*|drinks?|drinking|drunk|binge|marij\w*|cannabis|cocaine|heroin|vaping|"
        r"(tv|television|screen|computer|comp|video|gaming|sleep) ?(hrs?|hours?|time)|"
        r"(hrs?|hours?) (of |on |watching )?(tv|television|screen|computer|video|gaming|sleep\w*))\b.*"
    ),
}


#: The age at which somebody fell ill is part of the illness.
_ILL = re.compile(
    r"(diabetes|asthma|cancer|stroke|dementia|depression|\w+(itis|osis|emia|oma)) (onset )?age|age (of )?onset"
)


@cache
def _patterns() -> tuple[tuple[Topic, re.Pattern[str]], ...]:
    """The topics in the order in which they are tried; see the file."""
    listed = tomllib.loads((files("sfumato.assess.meaning") / "topics.toml").read_text(encoding="utf-8"))["topic"]
    return tuple((Topic(one["name"], one["group"]), re.compile(one["words"].replace("\n", ""))) for one in listed)


def _found(said: str) -> Topic | None:
    return next((topic for topic, pattern in _patterns() if pattern.fullmatch(said)), None)


def _private(said: str, found: Topic | None) -> Topic | None:
    """What a name says that nobody else knows, if the topic that was found for it is a weak one."""
    if found is not None and found.name not in _WEAK:
        return found
    if found is not None and found.name == "age" and _ILL.fullmatch(said):
        return Topic("disease", "secret")
    return next((topic for topic, pattern in _PRIVATE.items() if pattern.fullmatch(said)), found)


#: What is said about a thing that has a number: the state of a licence is none of its numbers.
_ABOUT_IT = frozenset(
    """
    state year years since type date class status country category month day expiry expires issued brand model make
    colour color count kind region county city level flag indicator
    """.split()  # noqa: SIM905
)
#: Kinds that number something of a person's.
_NUMBERED = frozenset({"licence", "account", "plan", "record", "vehicle", "device", "social", "internet", "website"})
#: 'Marital status at diagnosis' is about marriage, 'month of absence' about time: what stands in front counts.
_HEAD = re.compile(
    r"((?:.* )?(?:date|year|month|day|week|quarter|time|hour|place|country|region|state|city|age|sex|gender|race|"
    r"status|marital|occupation|education|height|residence|address)) "
    r"(?:at|of|in|on|before|after|during) (?:the )?(?!birth|life|stay).+"
)


def topic_of(name: str) -> Topic | None:
    """Find the topic of a column by its name; None if the name says nothing.

    What names a person directly counts before all else; then the words as they are, then in English.

    >>> topic_of("Geburtsdatum").name, topic_of("hh_income").name, topic_of("no. of children").name, topic_of("xyzzy")
    ('date of birth', 'income', 'household', None)
    >>> topic_of("nameLast"), topic_of("Krankenaktennummer").group
    (Topic(name="person's name", group='names'), 'names')
    """
    found = spelt_topic(name)
    says = read_name(name)
    if found is None and says.kind in {None, "institution", "person"}:
        found = _shortened(name if says.kind is None else " ".join(says.unknown))
    # 'SpO2' and 'HbA1c' are one word each.
    return topic_of(name.lower()) if found is None and name != name.lower() else found


def spelt_topic(name: str) -> Topic | None:
    """Find the topic that the words of a name say; None if they say nothing, or are shortened.

    >>> spelt_topic("marital status at diagnosis").name, spelt_topic("GENHLTH")
    ('marital status', None)
    """
    said = words(name)
    head = _HEAD.fullmatch(said)
    if head is not None and (found := _found(head[1])) is not None and found.group == "known":
        return found
    says = read_name(name)
    counted = COUNTED.sub("", said)
    found = _found(counted) or _found(re.sub(r"[ \d]+$", "", counted))
    if found is None and says.kind == "text":
        return Topic("free text", "text")
    found = _private(said, found)
    if found is not None and (found.group in _CERTAIN or found.name == "vehicle"):
        return found
    if says.kind in _NAMING and not _is_of_things(says):
        return Topic(_NAMING[says.kind], "names")
    if found is None and counted == said:
        meant = " ".join(says.words)
        told = (_TOLD[one] for one in says.topics if one in _TOLD and _is_clear(says))
        found = _TOLD.get(says.kind or "") or _found(COUNTED.sub("", meant)) or next(told, None)
    if found is None and counted != said:
        found = Topic("count", "known")
    return _private(said, found)


def _is_of_things(says: NameSays) -> bool:
    """Whether a name is that of a thing, or says something else about a thing that has a number."""
    if says.kind == "name":
        if says.words[-1] in PARTS_OF_NAMES or _OF_PEOPLE & set(zip(says.words, says.words[1:], strict=False)):
            return False
        return bool(says.topics) or bool({"place", "institution"} & set(says.kinds))
    return says.kind in _NUMBERED and bool(_ABOUT_IT & {says.words[0], says.words[-1]})


#: Groups of topics whose words leave no doubt.
_CERTAIN = frozenset({"names", "text", "weight", "design", "technical"})
#: Only people have these names.
_OF_PEOPLE = frozenset({("first", "name"), ("last", "name"), ("maiden", "name"), ("middle", "name"), ("given", "name")})
#: What a status or a result is of, the other words of a name say.
_SAYS_LITTLE = frozenset({"status", "quality", "result", "class", "level", "type"})


def _is_clear(says: NameSays) -> bool:
    """Whether more than a word of two letters is understood: 'mi' is a disease, and the end of many a name."""
    unclear = {*says.unknown, *_SAYS_LITTLE}
    clear = [word for word in says.words if len(word) > 2 and word not in unclear and not word.isdigit()]
    return bool(clear) or (len(says.words) == 1 and not unclear & set(says.words))


def _shortened(name: str) -> Topic | None:
    found = abbreviated(name)
    return None if found is None else Topic(*found)


#: What no number is: a sum in a column called 'PAID_IP' is no internet address.
_WORDS_ONLY = frozenset({"web address", "photograph", "internet address", "e-mail address"})
#: Words of no more letters mean many things: 'cp' is a postcode, a kind of pain, and a company.
SHORT_NAME = 4
#: The share of ages that may be mistakes, such as 221.
MISTAKEN = 0.05
#: Nobody is older in years; ages in months or days say so.
OLDEST, _IN_PARTS = 130, re.compile(r"mon|mes|moi|mies|day|tag|dia|week|hour|min|year|band|code|cat|grp|group")
#: Numbers of citizens have more digits, and each is that of fewer rows.
SHORTEST_NATIONAL, REPEATED = 10_000, 3
#: Topics whose numbers are codes or steps: fractions are something else, such as an index or a sum of money.
_KINDS_OF_PEOPLE = ("sex", "marital status", "ethnic group", "nationality", "language", "education", "institution")
#: Weights of a sample are hardly ever below 0; changes of weight are.
MOST_BELOW_ZERO = 0.1
#: What a laboratory finds, and the share of it in a column of findings.
_FINDING = re.compile(
    r"[-+<>≤≥~±]*\s*\d.*|[-+]+|(pos|neg)\w*|(ab)?normal|high|low|trace|reactive|non-?reactive|yes|no|[yn]",
    re.IGNORECASE,
)
MOSTLY = 0.5
#: Texts of letters and digits are no sums of money, however they are called, if many differ.
_SUMS, MANY_CODES, MOSTLY_CODES = frozenset({"money", "income"}), 20, 0.9
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)[A-Z]{1,6}([- ]?[A-Z0-9]){3,}", re.IGNORECASE)
#: Units of measurement are written shorter: longer ones are of an army, or of a hospital.
LONGEST_UNIT = 15


def topic_of_numbers(facts: ColumnCounts, found: Topic | None) -> Topic | None:
    """Find the topic of a column of numbers, given the one that its name and its label say; None if it cannot be that.

    Fractions are no dates: 'kwh_day' is so much a day; and they number nobody. Postcodes have more than two digits,
    coordinates end at 180, and the numbers of citizens are long.

    >>> import pyarrow as pa
    >>> from sfumato.assess.meaning.facts import facts_of
    >>> paid = facts_of("MEDREIMB_IP", pa.chunked_array([[120.0, 12.5]]))
    >>> topic_of_numbers(paid, topic_of("MEDREIMB_IP")).name
    'money'
    >>> topic_of_numbers(facts_of("cp", pa.chunked_array([[0, 1, 2, 3]])), topic_of("cp"))
    """
    numbers = facts.numbers
    if found is None or not len(numbers):
        return found
    if found.name in _WORDS_ONLY:
        return _shortened(facts.name)
    largest = float(np.abs(numbers[[0, -1]]).max())
    short = len(words(facts.name)) <= SHORT_NAME
    if found.group == "names" and not facts.is_whole:
        by_name = spelt_topic(facts.name)
        return None if by_name is not None and by_name.group == "names" else by_name
    impossible = {
        **dict.fromkeys(_KINDS_OF_PEOPLE, not facts.is_whole),
        "date or time": not facts.is_whole,
        "postcode": largest < 100,
        "age": _often_beyond(facts, OLDEST) and _IN_PARTS.search(words(facts.name)) is None,
        "latitude": largest > 90 and short,
        "longitude": largest > 180 and short,
        "national number": largest < SHORTEST_NATIONAL and facts.filled >= REPEATED * facts.different,
        "survey weight": set(numbers) <= {0, 1} or float((numbers < 0).mean()) > MOST_BELOW_ZERO,
    }
    return None if impossible.get(found.name) else found


def _often_beyond(facts: ColumnCounts, most: float) -> bool:
    """Whether more numbers than mistakes explain lie beyond a limit."""
    numbers = facts.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return bool(facts.counts[np.abs(numbers) > most].sum() > MISTAKEN * facts.filled)


def topic_of_words(facts: ColumnCounts, found: Topic | None) -> Topic | None:
    """Find the topic of a column of words or codes, given the one that its name says; None if it cannot be that.

    Short names are those of substances by chance: 'na17' is sodium only if numbers or findings stand in it.
    """
    said = words(facts.name)
    if said == "rank" and facts.is_text:
        return Topic("occupation", "known")
    if said == "unit" and facts.lengths[1] > LONGEST_UNIT:
        return Topic("institution", "known")
    if found is not None and found.name in _SUMS and facts.different >= MANY_CODES:
        return None if share_of(facts.texts, _LETTERS_AND_DIGITS.fullmatch) > MOSTLY_CODES else found
    short = len(facts.name) <= SHORT_NAME
    if found is None or found.name != "laboratory value" or not short:
        return found
    return found if share_of(facts.texts, _FINDING.fullmatch) > MOSTLY else None


def labelled_topic(name: str, label: str | None) -> Topic | None:
    """Find the topic of a column by its label, where a file has one, and by its name where a long one says something.

    >>> labelled_topic("DMDMARTL", "Marital status").name, labelled_topic("v1", "Name of the patient").group
    ('marital status', 'names')
    >>> labelled_topic("cp", "Type of chest pain").name, labelled_topic("region", "Area of the household").name
    ('disease', 'place')
    """
    if not label:
        return topic_of(name)
    by_name, by_label = spelt_topic(name), spelt_topic(label)
    unclear = (
        by_name is None
        or by_name.name in {"survey question", "survey weight"}
        or len(words(name).replace(" ", "")) <= SHORT_NAME
    )
    if by_label is not None and (unclear or by_label.group in {"names", "weight", "design"}):
        return by_label
    return by_name or topic_of(name)
