"""Suggest a hierarchy for a column by its meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa

from sfumato.assess.cautions.column_kinds import lost_zeros
from sfumato.assess.meaning.contents import Contents
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.meaning import Meaning
from sfumato.assess.meaning.words import says_code, words
from sfumato.assess.meaning.written_dates import forms_of, moment_of
from sfumato.errors import DataError, HierarchyError
from sfumato.hierarchies import (
    ICD10,
    ISCO,
    NACE,
    Categorical,
    Countries,
    Dates,
    Hierarchy,
    Numeric,
    Ordered,
    Prefix,
    Taxonomy,
)
from sfumato.profiles.drawn import drawn

#: Steps of coordinates in degrees: from about a kilometre to about a hundred.
DEGREES = (0.01, 0.05, 0.1, 0.5, 1.0)
#: Bands of written numbers: about this many in the finest level.
BANDS = 20
#: The most values of a hierarchy that is written to a file.
MOST_LISTED = 20_000
#: Topics of places, of which one can hold another, and others whose columns can be coarser forms of each other.
PLACES = frozenset({"place", "postcode", "nationality"})
GROUPED = frozenset({"occupation", "education", "disease", "ethnic group", "age", "institution"})
#: A group that holds more of the rows groups nothing.
MOST_ALIKE = 0.9
#: Topics whose whole numbers are codes of words.
CODED = frozenset(
    {"sex", "marital status", "ethnic group", "nationality", "language", "place", "occupation", "opinion", "insurance"}
    | {"design of the sample", "institution"}
)
#: Topics whose few numbers are as often kinds of homes, stays or cars as they are counts.
KINDS_OF_THINGS, MOST_KINDS = frozenset({"household", "stay", "vehicle", "journey", "insurance"}), 12
#: Beginnings of names whose numbers count or measure something.
_COUNTS = re.compile(
    r"(num|nb|nr of|no of|n |anz|count|age|alter|edad|years|yrs|hours|hrs|days|weeks|months).*|"
    r".*\b(hours?|hrs|minutes|distance|dist|km|miles|density|population|percent|pct|rate|size|count)\b.*"
)
#: More different numbers are no codes, unless a name says so; fewer show no steps.
MOST_CODES, FEWEST_STEPS = 40, 5
#: Shorter codes are mostly numbered in the order of the alphabet, so that their beginnings mean nothing.
SHORTEST_CODE = 3
#: Fewer different codes are not worth a system.
FEW_CODES = 4
#: So few one-digit numbers with such a gap before the last are answers and what stands for none.
FEW_ANSWERS, GAP = 6, 3
#: What stands between the parts of a place.
PART_SIGNS = (", ", "  ", " / ", " - ")
#: How times are shown: a minute gives people away and tells readers little.
CALENDAR_OF_TIMES = ("day", "month", "quarter", "year")
#: The word for values that fit no rule, and for the root.
OTHER, ROOT = "other", "*"


def hierarchy_of(facts: ColumnCounts, meaning: Meaning, topic: str | None = None) -> Hierarchy:
    """Suggest the first hierarchy that takes all of the column's own values; flat categories if none does."""
    for chosen in (*_by_system(facts, topic), *drawn(facts, topic), _chosen(facts, meaning, topic)):
        if isinstance(chosen, Taxonomy) and not all(_survives(row[0]) for row in chosen.rows):
            continue
        with suppress(DataError, HierarchyError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
            chosen.fit(facts.name, facts.values, has_missing=facts.missing > 0)
            return chosen
    return Categorical()


def _by_system(facts: ColumnCounts, topic: str | None) -> Iterator[Hierarchy]:
    """Yield the hierarchies of code systems that a topic suggests; values that do not follow a system refuse it."""
    said = words(facts.name)
    texts = facts.texts
    if topic == "nationality" and facts.is_text:
        yield Countries()
    if topic == "disease" and facts.is_text:
        yield ICD10()
    if topic == "occupation" and re.search(r"\b(nace|naics)\b", said):
        yield NACE()
    four = facts.is_whole and facts.lengths == (4, 4)
    if topic == "occupation" and (re.search(r"\bisco\b|\bisco ?\d", said) or (four and facts.different > FEW_CODES)):
        yield ISCO()
    if facts.is_text and facts.different > FEW_CODES and (parts := _parts(texts)) is not None and topic in PLACES:
        yield _by_parts(facts, parts)


def _parts(texts: Sequence[str]) -> str | None:
    """The sign between the parts of places, such as town, county and country, the widest last."""
    for sign in PART_SIGNS:
        counts = {text.count(sign) for text in texts}
        if len(counts) == 1 and counts <= {1, 2, 3}:
            return sign
    return None


def _by_parts(facts: ColumnCounts, sign: str) -> Taxonomy:
    """Group places by what stands behind the first sign, then behind the next."""
    rows = []
    for text in _listed(facts):
        parts = [part.strip() for part in text.split(sign)]
        rows.append([text, *(", ".join(parts[at:]) for at in range(1, len(parts))), ROOT])
    return Taxonomy(rows)


def _survives(value: str) -> bool:
    """Whether a value can be read back unchanged from a hierarchy file."""
    return value == value.strip() and value not in {"", ROOT}


def _chosen(facts: ColumnCounts, meaning: Meaning, topic: str | None) -> Hierarchy:
    if meaning.kind in {"date", "time"}:
        return _moments(facts, meaning)
    if meaning.kind in {"postcode", "code"}:
        return _codes(facts) if facts.lengths[1] >= SHORTEST_CODE else Categorical()
    if meaning.order:
        return Ordered(_as_written(facts, meaning.order))
    if meaning.detail == "coordinates":
        return Numeric(widths=DEGREES)
    if meaning.detail == "written with signs":
        return _bands(facts)
    return Numeric() if facts.is_number and meaning.kind != "category" and not is_coded(facts, topic) else Categorical()


def is_coded(facts: ColumnCounts, topic: str | None) -> bool:
    """Whether numbers stand for words, so that an interval of them means nothing.

    Where neither the name nor its topic says so, few numbers do, unless their frequencies rise and fall as those of
    counts and ages do.
    """
    if not facts.is_whole:
        return False
    said = words(facts.name)
    counts = _COUNTS.fullmatch(said) is not None
    if (
        says_code(facts.name)
        or said.endswith(("code", " cd"))
        or Contents(facts).is_snomed
        or (topic in CODED and not counts)
    ):
        return True
    steps = bool((np.diff(facts.numbers) == 1).all())
    if facts.different <= FEW_ANSWERS and 6 < facts.numbers[-1] < 10 and np.diff(facts.numbers).max() >= GAP:
        return True  # 1, 2, 7 and 9: yes, no, and no answer
    if topic == "education" or (topic == "survey question" and facts.different >= FEWEST_STEPS):
        return not steps
    if topic in KINDS_OF_THINGS:
        return facts.different <= MOST_KINDS and not counts and not _rise_and_fall(facts)
    unknown = topic is None or topic == "survey question"
    return unknown and facts.different <= MOST_CODES and not counts and not _rise_and_fall(facts)


def _rise_and_fall(facts: ColumnCounts) -> bool:
    """Whether neighbouring numbers are about as frequent, with one peak, as counts, ages and ratings are."""
    numbers = facts.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    counts = facts.counts[np.argsort(numbers)]
    steps = np.diff(np.sort(numbers))
    if facts.different < FEWEST_STEPS or not bool((steps == 1).all()):
        return False
    turns = np.sign(np.diff(counts))
    turns = turns[turns != 0]
    return int(np.count_nonzero(np.diff(turns) > 0)) == 0


def _as_written(facts: ColumnCounts, order: Sequence[str]) -> list[str]:
    """Spell the steps as the table does, blanks included."""
    places = {
        text.strip(): place for place, text in reversed(list(enumerate(facts.values.cast(pa.string()).to_pylist())))
    }
    spelt = facts.values.cast(pa.string())
    return [spelt[places[step]].as_py() for step in order]


def _moments(facts: ColumnCounts, meaning: Meaning) -> Hierarchy:
    if pa.types.is_date(facts.values.type):
        return Dates()
    if pa.types.is_timestamp(facts.values.type):
        return Dates(levels=CALENDAR_OF_TIMES)
    if meaning.detail == "time of day":
        return Taxonomy([_clock_row(text) for text in _listed(facts)])
    forms = forms_of(facts.texts)
    if len(forms) == 1:
        levels = CALENDAR_OF_TIMES if "%H" in forms[0] or "%I" in forms[0] else None
        return Dates(levels=levels, format=None if forms[0] == "%Y-%m-%d" else forms[0])
    return Taxonomy([_calendar_row(text, forms) for text in _listed(facts)])


def _calendar_row(text: str, forms: Sequence[str]) -> list[str]:
    moment = moment_of(text, forms)
    if moment is None:
        return [text, OTHER, OTHER, OTHER, ROOT]
    return [text, f"{moment:%Y-%m}", f"{moment:%Y}", f"{moment.year // 10}0s", ROOT]


def _clock_row(text: str) -> list[str]:
    found = re.match(r"\s*(\d{1,2})", text)
    if found is None:
        return [text, OTHER, OTHER, ROOT]
    hour = int(found[1]) % 12 + 12 * ("p" in text.lower()) if re.search(r"[ap]m", text.lower()) else int(found[1])
    part = hour // 6 * 6
    return [text, f"{hour:02d}:00-{hour:02d}:59", f"{part:02d}:00-{part + 5:02d}:59", ROOT]


def _codes(facts: ColumnCounts) -> Hierarchy:
    texts = pa.array(facts.texts, pa.string())
    return Prefix(length=facts.lengths[1]) if facts.is_text and lost_zeros(texts) else Prefix()


def _bands(facts: ColumnCounts) -> Hierarchy:
    """Make bands of round width for numbers written with units or separators."""
    numbers = {text: number_of(text) for text in _listed(facts)}
    known = [number for number in numbers.values() if number is not None]
    width = round_width((max(known) - min(known)) / BANDS) if known else 1.0
    return Taxonomy([_band_row(text, number, width) for text, number in numbers.items()])


def _band_row(text: str, number: float | None, width: float) -> list[str]:
    if number is None:
        return [text, OTHER, OTHER, ROOT]
    labels = [
        f"{math.floor(number / step) * step:g} to under {(math.floor(number / step) + 1) * step:g}"
        for step in (width, 5 * width)
    ]
    return [text, *labels, ROOT]


def number_of(text: str) -> float | None:
    """Parse the number that people read in a text; None if there is none.

    >>> number_of("3.450,00 €"), number_of("$1,234.50"), number_of("12,5"), number_of("none")
    (3450.0, 1234.5, 12.5, None)
    """
    digits = re.sub(r"[^\d.,-]", "", text)
    last = max(digits.rfind(","), digits.rfind("."))
    grouped = (
        last >= 0
        and len(digits) - last == 4
        and digits.count(digits[last]) >= 1
        and digits.count(",") * digits.count(".") == 0
    )
    whole, part = (digits, "") if last < 0 or grouped else (digits[:last], digits[last + 1 :])
    try:
        return float(re.sub(r"[.,]", "", whole) + ("." + part if part else ""))
    except ValueError:
        return None


def round_width(width: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten.

    >>> round_width(3.2), round_width(180), round_width(0.07)
    (5.0, 200.0, 0.1)
    """
    if not width > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return next((round(step * power, 12) for step in (1, 2, 5) if step * power >= width), 10 * power)


def _listed(facts: ColumnCounts) -> list[str]:
    """List all distinct values as sorted text, so that the order reveals nothing; refuse too many."""
    if facts.different > MOST_LISTED:
        raise DataError(f"Column '{facts.name}' has {facts.different:,} values, too many for a list.")
    texts: list[str] = facts.values.cast(pa.string()).to_pylist()
    return sorted(texts)


def may_group(topic: str | None, other: str | None) -> bool:
    """Whether a column on one topic can be a coarser form of one on another: regions of cities, groups of jobs.

    What merely follows from another column, as an empty answer follows from who was asked, is no coarser form of it.

    >>> may_group("place", "postcode"), may_group("ethnic group", "date or time"), may_group(None, None)
    (True, False, False)
    """
    if topic in PLACES and other in PLACES:
        return True
    return topic == other and topic in GROUPED


def parents_of(facts: ColumnCounts, others: Sequence[ColumnCounts]) -> ColumnCounts | None:
    """Find a column whose values group those of another one, as regions group cities; None if there is none."""
    if facts.different < 4 or facts.filled < 5 * facts.different:
        return None
    fits = [
        other
        for other in others
        if 1 < other.different <= facts.different / 2
        and other.largest_share < MOST_ALIKE
        and other.missing <= facts.missing
        and _determines(facts, other)
    ]
    return max(fits, key=lambda other: other.different, default=None)


def _determines(facts: ColumnCounts, parent: ColumnCounts) -> bool:
    both = (facts.codes >= 0) & (parent.codes >= 0)
    pairs = np.unique(facts.codes[both].astype(np.int64) * parent.different + parent.codes[both])
    return len(pairs) == len(np.unique(facts.codes[facts.codes >= 0])) == facts.different


def grouped_by(facts: ColumnCounts, parent: ColumnCounts) -> Taxonomy:
    """Make a taxonomy of a column's values below those of another one."""
    both = (facts.codes >= 0) & (parent.codes >= 0)
    pairs = np.unique(facts.codes[both].astype(np.int64) * parent.different + parent.codes[both])
    values, groups = facts.values.cast(pa.string()), parent.values.cast(pa.string())
    rows = [
        [values[int(pair // parent.different)].as_py(), groups[int(pair % parent.different)].as_py()] for pair in pairs
    ]
    rows.sort()
    same = {row[0] for row in rows} & {row[1] for row in rows}
    return Taxonomy([[value, f"{group} (all)" if group in same else group, ROOT] for value, group in rows])
