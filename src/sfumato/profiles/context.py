"""What a column's neighbours say of it, where its own name and values say nothing.

Tables are made by people: they put what belongs together side by side, number the questions of one battery, and give a
code a second column that spells it out. What follows from that is a guess, and is marked as one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.meaning.contents import Contents
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.meaning import meaning_of
from sfumato.assess.meaning.vocabulary import Topic
from sfumato.assess.meaning.words import words
from sfumato.profiles.report import ColumnProfile
from sfumato.profiles.roles import UNSURE, VAGUE, Suggestion, suggest

#: Fewer different values match those of another column by chance.
FEWEST_SPELT = 5
#: Columns that are named and coded alike: the fewest that show a topic, and the share of them that must agree.
FEWEST_ALIKE, AGREE = 2, 0.75
#: Unnamed columns with the same steps that make a battery of questions.
FEWEST_QUESTIONS = 3
#: The steps of an answer.
STEPS = range(4, 12)
#: Marks up to the best one, of tests that are numbered.
MARKS, FEWEST_MARKS, BEST_MARK = ("marks",), 8, 20
#: How far a neighbour may stand away.
NEAR = 3
#: More values of one column are no answers to a question.
MOST_ANSWERS = 12

#: Flags that are never true together exclude one another if by chance at least so many rows would have both.
FEWEST_EXPECTED = 10
CODES_OF_FLAGS = ("yes", "no")
YES = frozenset({"1", "yes", "y", "true", "t", "ja", "j", "si", "sí", "oui", "sim", "tak"})
#: What stands for yes and no, or for any two things.
CODES_OF_TWO = frozenset({"2"})

QUESTION = Topic("survey question", "secret")


def with_context(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Suggest roles again for columns that were not understood by themselves."""
    told = [_spelt_out(one, columns) or one for one in columns]
    found = _runs(told) | _batteries(told) | _dummies(told)
    told = [_alike(one, told) or found.get(one.name) or one for one in told]
    return [_between(at, told) or one for at, one in enumerate(told)]


def _is_open(column: ColumnProfile) -> bool:
    """Whether neither the name nor the values say what a column is."""
    unclear = column.topic is None or column.topic.group == "text"
    return unclear and column.suggestion.certainty == UNSURE and column.role in {"quasi-identifier", "sensitive"}


def _is_understood(column: ColumnProfile) -> bool:
    return column.topic is not None and column.topic.group in {"known", "secret"} and column.topic.name not in VAGUE


def _with_topic(column: ColumnProfile, topic: Topic, why: str) -> ColumnProfile:
    meaning = meaning_of(column.facts, topic)
    found = suggest(column.facts, topic, meaning)
    if found.role not in {"quasi-identifier", "sensitive"}:
        return column
    said = Suggestion(found.role, f"{topic.name}, {why}", UNSURE)
    return replace(column, meaning=meaning, suggestion=said, topic=topic)


def _spelt_out(column: ColumnProfile, others: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """Give a column that spells out the codes of another one its topic."""
    facts = column.facts
    if not _is_open(column) or facts.different < FEWEST_SPELT or 2 * facts.different > facts.rows:
        return None
    for other in others:
        if other is not column and _is_understood(other) and _same_groups(column.facts, other.facts):
            assert other.topic is not None
            return _with_topic(column, other.topic, f"since it says the same as '{other.name}' in other words")
    return None


def _same_groups(one: ColumnCounts, other: ColumnCounts) -> bool:
    """Whether each value of one column always stands beside the same value of another."""
    if one.different != other.different or not np.array_equal(one.codes >= 0, other.codes >= 0):
        return False
    pairs = one.codes[one.codes >= 0].astype(np.int64) * other.different + other.codes[one.codes >= 0]
    return len(np.unique(pairs)) == one.different


def _coded_as(facts: ColumnCounts) -> tuple[str, ...] | None:
    """The values of a column with few of them, by which columns of one kind are alike."""
    return tuple(sorted(facts.texts)) if 0 < facts.different <= MOST_ANSWERS else None


def _family(name: str) -> str | None:
    """The first word of a name of several, which columns of one kind share."""
    said = words(name).split()
    return said[0] if len(said) > 1 else None


def _alike(column: ColumnProfile, others: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """Give a column the topic of those that are named and coded as it is."""
    family, coded = _family(column.name), _coded_as(column.facts)
    if not _is_open(column) or family is None or coded is None:
        return None
    alike = [
        one for one in others if _is_understood(one) and _family(one.name) == family and _coded_as(one.facts) == coded
    ]
    topics = Counter(one.topic for one in alike if one.topic is not None)
    if len(alike) < FEWEST_ALIKE:
        return None
    topic, count = topics.most_common(1)[0]
    group = sum(number for one, number in topics.items() if one.group == topic.group)
    if group < AGREE * len(alike):
        return None
    return _with_topic(column, topic, f"as {count} other columns that are named and coded alike")


def _batteries(columns: Sequence[ColumnProfile]) -> dict[str, ColumnProfile]:
    """Find unnamed columns that are numbered, or share their first word, and have the same steps: a battery."""
    groups: dict[tuple[str, tuple[str, ...]], list[ColumnProfile]] = defaultdict(list)
    for one in columns:
        stem, coded = _stem(one.name), _scale(one.facts)
        if stem is not None and "#" in stem and _is_mark(one.facts):
            coded = MARKS
        if stem is not None and coded is not None and _is_open(one):
            groups[stem, coded].append(one)
    why = "as others that are named and answered in the same way"
    found = (one for group in groups.values() if len(group) >= FEWEST_QUESTIONS for one in group)
    return {one.name: _with_topic(one, QUESTION, why) for one in found}


def _is_mark(facts: ColumnCounts) -> bool:
    """Whether whole numbers may be marks, of which not every test has all."""
    few = facts.is_whole and FEWEST_MARKS <= facts.different <= BEST_MARK + 1
    return few and bool(facts.numbers[0] >= 0) and bool(facts.numbers[-1] <= BEST_MARK)


def _runs(columns: Sequence[ColumnProfile]) -> dict[str, ColumnProfile]:
    """Find columns side by side with the same steps, none of which others know: answers."""
    found = dict[str, ColumnProfile]()
    for steps, some in groupby(columns, lambda one: _scale(one.facts)):
        run = list(some)
        if steps and len(run) >= FEWEST_QUESTIONS and not any(_is_known(one) for one in run):
            why = "as those beside it that are answered in the same steps"
            found |= {one.name: _with_topic(one, QUESTION, why) for one in run if _is_open(one)}
    return found


def _scale(facts: ColumnCounts) -> tuple[str, ...] | None:
    """The steps of an answer in whole numbers; None if a column has none."""
    coded = _coded_as(facts)
    return coded if coded is not None and facts.is_whole and len(coded) in STEPS else None


def _stem(name: str) -> str | None:
    """What the names of a battery's questions have in common: all but their numbers, or their first word."""
    said = words(name)
    numbered = re.sub(r"\d+", "#", said)
    return numbered if "#" in numbered else _family(name)


def _dummies(columns: Sequence[ColumnProfile]) -> dict[str, ColumnProfile]:
    """Find flags that exclude one another, one of them understood: what 'black' is, 'hispanic' beside it is too."""
    flags = [one for one in columns if one.facts.different == len(CODES_OF_FLAGS) and Contents(one.facts).is_flag]
    found = dict[str, ColumnProfile]()
    for one in (flag for flag in flags if _is_open(flag)):
        beside = [other for other in flags if _is_known(other) and _exclude(one.facts, other.facts)]
        if beside and beside[0].topic is not None:
            why = f"since it and '{beside[0].name}' are never true together"
            found[one.name] = _with_topic(one, beside[0].topic, why)
    return found


def _is_known(column: ColumnProfile) -> bool:
    return column.topic is not None and column.topic.group == "known"


def _exclude(one: ColumnCounts, other: ColumnCounts) -> bool:
    """Whether two flags are never true together though by chance they would often be."""
    both = [np.isin(flag.codes, np.flatnonzero(_true(flag))) for flag in (one, other)]
    expected = both[0].mean() * both[1].mean() * one.rows
    return expected >= FEWEST_EXPECTED and not (both[0] & both[1]).any()


def _true(facts: ColumnCounts) -> NDArray[np.bool_]:
    """Which of a flag's values says yes."""
    return np.array([text.lower().removesuffix(".0") in YES for text in facts.texts])


def _between(at: int, columns: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """Take a column with a few values between private ones for private too, and an answer.

    Between columns that others know, codes 1 and 2 are as often something that they know as well.
    """
    column = columns[at]
    if not _is_open(column) or column.facts.different > MOST_ANSWERS or column.role == "sensitive":
        return None
    before, after = _near(columns[:at][::-1]), _near(columns[at + 1 :])
    groups = {one.topic_group for one in (before, after) if one is not None}
    if _is_answer(column.facts, surely=groups == {"known"}):
        return replace(
            column, suggestion=Suggestion("sensitive", "an answer to a question that is not understood", UNSURE)
        )
    if before is None or after is None or groups != {"secret"}:
        return None
    reason = f"not understood, but it stands between '{before.name}' and '{after.name}', which are private"
    return replace(column, suggestion=Suggestion("sensitive", reason, UNSURE))


def _is_answer(facts: ColumnCounts, *, surely: bool) -> bool:
    """Whether a column says yes or no, in words or in codes, as few columns about looks, places and times do."""
    flag = facts.different > 1 and Contents(facts).is_flag
    if surely:
        return flag and not set(facts.texts) & CODES_OF_TWO
    return flag or facts.different == len(("yes", "no"))


def _near(columns: Sequence[ColumnProfile]) -> ColumnProfile | None:
    near: Iterator[ColumnProfile] = islice(columns, NEAR)
    return next((one for one in near if _is_understood(one)), None)
