"""What a finished release still shows that a preset forbids, read from the cells that are written.

Values are judged by forms of its own, not by the code that recodes them. What a column is, and what a date looks like,
it asks the same recogniser: what that overlooks in both places is not found here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date

import pyarrow as pa

from sfumato.assess.meaning.contents import ONE_IS_ENOUGH, WRITTEN_DATE
from sfumato.assess.meaning.names import read_name
from sfumato.assess.meaning.recognise import NOTHING, Recognised, recognise
from sfumato.run.presets.detail import age_shown
from sfumato.run.presets.preset import Preset
from sfumato.verify.verification import RuleCheck

#: Kinds that a preset recodes instead of forbidding them.
RECODED = {"zip": "zips", "age": "ages", "date": "dates", "birth": "dates", "year of birth": "dates"}
#: What is recoded, in words.
SHOWN = {"zips": "the zip codes", "ages": "the ages", "dates": "the dates"}

_DATE = re.compile(WRITTEN_DATE)
_DATE_LIKE = re.compile(r"\d{4}[-/.]\d|\d[-/.]\d{4}|Q[1-4]|(?<!\d)\d{8}(?!\d)|(?<!\d)\d{14}(?!\d)|\d{1,2}[:.]\d{2}")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_ZIP = re.compile(r"^\D*\d{4}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SINGLE = {kind: re.compile(form) for kind, form in ONE_IS_ENOUGH.items()}
_YEARS = re.compile(r"\*|[\[(]?(1[89]|20)\d{2}( or before)?(, (1[89]|20)\d{2}[\])])?")
_YEAR = re.compile(r"((?:1[89]|20)\d{2})(s| or before)?")
#: What is left of years, decades and ranges of years without them.
_NOTHING = re.compile(r"[\s*,;–\[\](){}-]*|missing")
_SHOWN = re.compile(r"[\[({]?\s*(-?\d[\d.,eE+-]*)\s*(?:,|;|-|–|to)\s*-?\d[\d.,eE+-]*\s*[\])}]?")


def left_over(
    preset: Preset, table: pa.Table, confirmed: Collection[str] = (), ages: Collection[str] = (), made: bool = False
) -> Iterator[RuleCheck]:
    """Yield, for every column, what a released table still shows that a preset forbids.

    Parameters
    ----------
    preset
        The preset.
    table
        The release, as text.
    confirmed
        The columns that somebody confirmed to be none of the forbidden kinds; their values are looked at all the same.
    ages
        Columns that hold ages, whatever their names say.
    made
        Whether the release was made under the preset: what its columns are was judged before they were coarsened.
    """
    for name in table.column_names:
        texts = [text for text in table.column(name).to_pylist() if text is not None]
        seen = _seen(name, texts)
        judged = made or name in confirmed
        kind = "age" if name in ages else seen.name.kind if judged else _kind(preset, name, seen)
        rule = RECODED.get(kind or "")
        if rule is not None and getattr(preset, rule) is not None:
            finer = _finer(preset, rule, name) if judged else _unlike(preset, rule, name)
            yield _broken(preset, f"no forbidden detail in {SHOWN[rule]}", name, _count(texts, finer))
        elif name not in confirmed and seen.harmless is None:
            yield from _not_harmless(preset, name, texts, seen, made)


def _kind(preset: Preset, name: str, seen: Recognised) -> str | None:
    """The kind of a column of a table that others made, by the rules that a release is made by."""
    if preset.zips is not None and preset.zips.fits(name):
        return "zip"
    if preset.ages is not None and preset.ages.fits(name):
        return "age"
    if preset.dates is not None and (preset.dates.fits(name) or seen.topic == "year"):
        return "date"
    return seen.name.kind if seen.name.kind == "zip" or seen.topic == NOTHING else seen.kind


def _seen(name: str, texts: list[str]) -> Recognised:
    """Recognise a column by what the release shows of it."""
    shown = [plain for text in texts if (plain := _plain(text)) is not None]
    return recognise(name, pa.chunked_array([shown], pa.string()))


def _not_harmless(preset: Preset, name: str, texts: list[str], seen: Recognised, made: bool) -> Iterator[RuleCheck]:
    what = _forbidden(preset, name, texts, seen, made)
    if what:
        yield _broken(preset, what, name, len(texts))
    elif preset.dates is not None and (dates := _dates(texts)):
        yield _broken(preset, f"no forbidden detail in {SHOWN['dates']}", name, dates)


def _dates(texts: list[str]) -> int:
    """Count the written dates; 1931.05 is an amount if another decimal number of the column is no month of a year.

    >>> _dates(["1931.05", "2020.12"]), _dates(["1931.05", "77.30"]), _dates(["1931.05", "77.30", "1931-05"])
    (2, 0, 1)
    """
    amounts = any(_DECIMAL.fullmatch(text) and not _DATE.search(text) for text in texts)
    return _count(texts, lambda text: _DATE.search(text) and not (amounts and _DECIMAL.fullmatch(text)))


def _finer(preset: Preset, rule: str, name: str) -> Callable[[str], object]:
    """The test whether a value shows more than a rule allows."""
    if rule == "zips":
        return _ZIP.search
    if rule == "ages":
        oldest = preset.ages.oldest if preset.ages is not None else 0
        per_year = 12 if read_name(name).says("months", "month") else 1
        return lambda text: is_too_old(text, (oldest + 1) * per_year)
    return lambda text: _DATE_LIKE.search(text) or _DATE.search(text)


def _unlike(preset: Preset, rule: str, name: str) -> Callable[[str], object]:
    """The test whether a value of a table that others made is anything but what a rule allows."""
    finer = _finer(preset, rule, name)
    if rule == "zips" or preset.ages is None:
        return finer
    if rule == "dates":
        last = date.today().year - (preset.ages.oldest + 1)
        return lambda text: not _is_year(text, last)
    oldest = preset.ages.oldest
    per_year = 12 if read_name(name).says("months", "month") else 1
    # The group of the oldest may be the end of a range.
    return lambda text: finer(text) or age_shown(text.replace(f"{oldest + 1}+", f"{oldest}"), oldest, per_year) is None


def _is_year(text: str, last: int) -> bool:
    """Whether a text is a year, or years, and none of them tells of a great age.

    >>> [_is_year(text, 1936) for text in ("2024", "[2019, 2021]", "1936 or before", "1920", "2024-05", "June", "7")]
    [True, True, True, False, False, False, False]
    """
    early = any(int(one[1]) <= last and one[2] != " or before" for one in _YEAR.finditer(text))
    return not early and _NOTHING.fullmatch(_YEAR.sub("", text.removesuffix(".0"))) is not None


def is_too_old(text: str, limit: int) -> bool:
    """Whether a text shows an age of at least ``limit`` other than as an open end at the limit.

    >>> [is_too_old(text, 90) for text in ("90+", "[85, 90+]", "34", "91 years", "1e2", "[85, 94]", "90")]
    [False, False, False, True, True, True, True]
    """
    found = list(_NUMBER.finditer(text))
    return any(
        float(one[0]) >= limit and not (float(one[0]) == limit and text[one.end() :].lstrip().startswith("+"))
        for one in found
    )


def _forbidden(preset: Preset, name: str, texts: list[str], found: Recognised, made: bool) -> str:
    """Say which forbidden kind a column shows; empty if none."""
    for one in preset.identifiers:
        if one.fits(name) or (one.pattern and any(re.search(one.pattern, text) for text in texts)):
            return f"no {one.what}"
    kinds = {kind: f"no {one.what}" for one in preset.identifiers for kind in one.kinds}
    seen = next((kind for kind, form in _SINGLE.items() if kind in kinds and any(map(form.search, texts))), None)
    if seen is not None or made:
        return kinds[seen] if seen is not None else ""
    if found.name.kind is None and all(map(_YEARS.fullmatch, texts)):
        return ""
    if found.kind in kinds:
        return kinds[found.kind]
    return "understood to be harmless, by name and values" if preset.closed else ""


def _plain(text: str) -> str | None:
    """A value as it was before an interval showed it, as far as its looks go; None if nothing is shown."""
    if text.strip() == "*":
        return None
    found = _SHOWN.fullmatch(text.strip())
    return text if found is None else found[1]


def _count(texts: list[str], finds: Callable[[str], object]) -> int:
    known: dict[str, bool] = {}
    return sum(known[text] if text in known else known.setdefault(text, bool(finds(text))) for text in texts)


def _broken(preset: Preset, what: str, name: str, count: int) -> RuleCheck:
    return RuleCheck(f"{preset.title}: {what}", name, 0, float(count), "such values", count, units="values")
