"""Words that are steps: bands of numbers, grades, answers from never to always."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

#: Common ordinal scales, in lower case; a column may lack some of the steps.
LADDERS: tuple[tuple[str, ...], ...] = tuple(
    tuple(ladder.split("|"))
    for ladder in (
        "very low|low|medium|moderate|high|very high",
        "none|low|mid|high",
        "none|minimal|mild|moderate|severe|very severe|critical",
        "never|rarely|seldom|sometimes|often|usually|always",
        "strongly disagree|disagree|neither|neutral|agree|strongly agree",
        "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
        "very poor|poor|bad|fair|average|good|very good|excellent",
        "xs|s|m|l|xl|xxl",
        "tiny|small|medium|large|huge",
        "i|ii|iii|iv|v|vi",
        "stage i|stage ii|stage iii|stage iv",
        "f|e|d|c|b|a",
        "none|no schooling|preschool|primary|lower secondary|secondary|upper secondary|high school|vocational|"
        "some college|associate|bachelor|bachelors|master|masters|professional|doctorate|phd",
        "economy|premium|premium economy|business|first",
        "1st|2nd|3rd|4th|5th|6th",
        "mon|tue|wed|thu|fri|sat|sun",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
        "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
        "january|february|march|april|may|june|july|august|september|october|november|december",
        "never|former|current",
        "nie|selten|manchmal|oft|immer",
        "sehr schlecht|schlecht|mittel|gut|sehr gut",
        "niedrig|mittel|hoch",
        "jamais|rarement|parfois|souvent|toujours",
        "faible|moyen|eleve",
        "nunca|raramente|a veces|a menudo|siempre",
        "bajo|medio|alto",
    )
)
#: Fewer steps make no scale.
FEWEST_STEPS = 3

#: A band between the brackets of an interval, as in '[70-80)'.
_BRACKETED = re.compile(r"[\[(]\s*(\d[\d.,]*\s*[-–,;]\s*\d[\d.,]*)\s*[\])]")
_BAND = re.compile(
    r"[€$£]?\s?(?P<low>\d[\d.,]*)\s*[kK]?\s?(-|–|—|to|bis|a|à|al|até|tot|t/m|do|til|till|"
    r"up to)\s?[€$£]?(?P<high>\d[\d.,]*)\s*\S{0,6}( (years?|jahre|ans|anni|años|anos|jaar|lat|months)( old)?)?|"
    r"(?P<under><|<=|≤|under|less than|up to|unter|bis|moins de|menos de|meno di|minder dan|poniżej|do) ?"
    r"[€$£]?(?P<below>\d[\d.,]*)\s*\S{0,6}( .{0,12})?|"
    r"(?P<over>>|>=|≥|over|more than|above|ab|uber|über|plus de|más de|mas de|oltre|meer dan|powyżej) ?"
    r"[€$£]?(?P<above>\d[\d.,]*)\s*\S{0,6}( .{0,12})?|"
    r"[€$£]?(?P<open>\d[\d.,]*)\s?\S{0,3}((\+| \+)( (years?|jahre|ans|anni|años|anos|jaar|lat))?( old)?|"
    r"( .{0,8})? (and|or|&) (over|above|older|more|up)| (und|oder) (mehr|älter)| (et|ou) plus| [yo] más| ou mais|"
    r" e (oltre|più)| (en|of) (ouder|meer)| i więcej| (och|eller) äldre| (og|eller) (over|eldre|ældre))",
    re.IGNORECASE,
)


def order_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Sort the values if they are the steps of a scale; empty otherwise.

    >>> order_of(["65+", "18-24", "25-64"]), order_of(["High", "Low", "Medium"]), order_of(["red", "blue", "green"])
    (('18-24', '25-64', '65+'), ('Low', 'Medium', 'High'), ())
    >>> order_of(["70 or Older", "0 to 17", "18 to 69"]), order_of(["85+ years", "1-4 years", "5-84 years"])
    (('0 to 17', '18 to 69', '70 or Older'), ('1-4 years', '5-84 years', '85+ years'))
    >>> order_of(["[90-100)", "[0-10)", ">200", "[10-20)"])
    ('[0-10)', '[10-20)', '[90-100)', '>200')
    """
    if len(texts) < FEWEST_STEPS:
        return ()
    return _bands(texts) or _ladder(texts)


def _ladder(texts: Sequence[str]) -> tuple[str, ...]:
    small = [text.lower() for text in texts]
    if len(set(small)) < len(small):
        return ()
    for ladder in LADDERS:
        if set(small) <= set(ladder):
            return tuple(sorted(texts, key=lambda text: ladder.index(text.lower())))
    return ()


def _bands(texts: Sequence[str]) -> tuple[str, ...]:
    """Sort bands of numbers by their lower ends."""
    places: dict[str, tuple[float, int]] = {}
    for text in texts:
        found = _BAND.fullmatch(_unbracketed(text))
        if found is None:
            return ()
        number = next(found[name] for name in ("low", "below", "above", "open") if found[name] is not None)
        places[text] = (_number(number), -1 if found["under"] else 1 if found["over"] or found["open"] else 0)
    return tuple(sorted(texts, key=lambda text: places[text])) if len(set(places.values())) == len(texts) else ()


class WrittenBand(NamedTuple):
    """A band of numbers as a table writes it: from a number to another one, or without an end."""

    low: float
    high: float | None
    bracketed: bool


def band_of(text: str) -> WrittenBand | None:
    """Read a band; one without a beginning begins below everything.

    >>> band_of("[60-70)"), band_of("85+").high, band_of("under 5").low, band_of("red")
    (WrittenBand(low=60.0, high=70.0, bracketed=True), None, -inf, None)
    """
    unbracketed = _unbracketed(text)
    found = _BAND.fullmatch(unbracketed)
    if found is None:
        return None
    if found["low"] is not None:
        high = re.search(r"(?P<high>\d[\d.,]*)", unbracketed[found.end("low") :])
        return WrittenBand(_number(found["low"]), _number(high["high"]) if high else None, unbracketed != text)
    if found["below"] is not None:
        return WrittenBand(-math.inf, _number(found["below"]), bracketed=False)
    return WrittenBand(_number(found["above"] or found["open"]), None, bracketed=False)


def _unbracketed(text: str) -> str:
    """Write '[70-80)' and '(70, 80]' as other bands are written."""
    found = _BRACKETED.fullmatch(text)
    return text if found is None else re.sub(r"\s*[–;,-]\s*", "-", found[1], count=1)


def _number(text: str) -> float:
    digits = re.sub(r"[.,](?=\d{3}\b)", "", text).replace(",", ".").rstrip(".")
    return float(digits) if digits.count(".") < 2 else 0.0
