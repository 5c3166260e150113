"""Cautions about values that look wrong: codes for a missing one, impossible ages, several words for one thing.

Also about numbers and dates that were read as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.assess.cautions.caution import Caution, CautionFinding, before, quoted, share
from sfumato.assess.cautions.column_kinds import FEWEST_CODES, looks_like_code, undeclared, written_alike_in
from sfumato.assess.cautions.view import RequestView, ViewedColumn
from sfumato.assess.meaning.missing import AMBIGUOUS, MISSING_WORDS, sentinels
from sfumato.assess.meaning.words import says_code
from sfumato.assess.meaning.written_dates import moment_of

#: The share of numbers or dates from which on all other values look out of place.
MOSTLY = 0.8

_NUMBER = r"^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$"
_WRITTEN_NUMBER = r"^\s*[-+]?[$€£¥]?\s*\d{1,3}(([.,' ]\d{3})*|\d*)([.,]\d+)?\s*(%|€|£|\$|[a-zA-Z]{1,3})?\s*$"
_DATE = r"^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[A-Z]{1,5})?)?\s*$"

_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_FULL_MONTH = r"(January|February|March|April|May|June|July|August|September|October|November|December)"
_YEAR = r"(1[89]|20)\d\d"
#: Digits of Arabic, Persian, Devanagari, and wide ones.
_OTHER_DIGITS = r"[\x{660}-\x{669}\x{6f0}-\x{6f9}\x{966}-\x{96f}\x{ff10}-\x{ff19}]"
_MONTHS = "They look like months: give their form, and each counts as its first day"
#: A time with the name of a zone, which may mean several.
_NAMED_ZONE = r"\d:\d{2}(:\d{2}(\.\d+)?)? ?[B-LN-Z][A-Z]{1,4}\s*$|\d:\d{2}(:\d{2}(\.\d+)?)? ?A[A-LN-Z][A-Z]{0,3}\s*$"

#: Texts that are nearly dates or numbers: how they look, the form in which they can be read as dates, and what to do.
_NEARLY_READ = (
    (rf"^\s*{_YEAR}-(0?[1-9]|1[0-2])\s*$", "%Y-%m", _MONTHS),
    (rf"^\s*{_YEAR}/(0?[1-9]|1[0-2])\s*$", "%Y/%m", _MONTHS),
    (rf"^\s*(0?[1-9]|1[0-2])/{_YEAR}\s*$", "%m/%Y", _MONTHS),
    (rf"^\s*(0?[1-9]|1[0-2])\.{_YEAR}\s*$", "%m.%Y", _MONTHS),
    (rf"^\s*(0?[1-9]|1[0-2])-{_YEAR}\s*$", "%m-%Y", _MONTHS),
    (rf"^\s*(?i:{_MONTH}) {_YEAR}\s*$", "%b %Y", _MONTHS),
    (rf"^\s*(?i:{_MONTH})-{_YEAR}\s*$", "%b-%Y", _MONTHS),
    (rf"^\s*(?i:{_MONTH})-\d\d\s*$", "%b-%y", _MONTHS),
    (rf"^\s*(?i:{_FULL_MONTH}) {_YEAR}\s*$", "%B %Y", _MONTHS),
    (
        rf"^\s*{_YEAR}-?([0-2]\d\d|3[0-6]\d)\s*$",
        "%Y-%j",
        "They look like numbered days of a year: give their form",
    ),
    (
        rf"^\s*{_YEAR}(-(0[1-9]|1[0-2])(-\d\d)?)?\s*$",
        "%Y-%m-%d|%Y-%m|%Y",
        "Some lack the day, or the month too: give all forms, and what is lacking counts as the first",
    ),
    (
        rf"^\s*({_YEAR}[- ]?[QTqt][1-4]|[QTqt][1-4][-/ ]?{_YEAR})\s*$",
        None,
        "They look like quarters: write the first day of each, as 2024-10-01",
    ),
    (rf"^\s*{_YEAR}-?W\d{{1,2}}\s*$", None, "They look like weeks: write the first day of each, as 2024-09-30"),
    (
        rf"^\s*{_YEAR}/\d\d\s*$",
        None,
        "They look like years that begin within one and end within the next: write the first of each, as 2024",
    ),
    (
        r"^\s*([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?\s*$",
        None,
        "They look like times of the day: write them as hours, such as 13.5",
    ),
    (r"^\s*['\x{2019}`][-+\d].*\d", None, "They begin with the mark by which spreadsheets keep text: remove it"),
    (rf"^\s*[-+]?{_OTHER_DIGITS}", None, "They are written in digits of another script: write them as 0 to 9"),
)

#: Nobody is younger or older.
YOUNGEST, OLDEST = 0, 120
_AGE = re.compile(r"(^|[^a-z])(age|alter|edad|età|eta|idade|leeftijd|wiek|alder)([^a-z]|$)")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Ages in other units, and bands of ages.
_NO_AGE = re.compile(r"group|band|class|grupp|code|month|week|day|monat|woche|tag|second|hour")

#: Different words for the same thing, by which lists of categories get dirty.
_SAME = (
    ("f", "female", "woman", "w", "weiblich", "frau", "femme", "mujer", "femenino", "feminino"),
    ("m", "male", "man", "männlich", "mann", "homme", "hombre", "masculino"),
    ("y", "yes", "true", "ja", "j", "oui", "si", "sí", "sim", "1"),
    ("n", "no", "false", "nein", "non", "não", "0"),
)
_MEANS = {word: place for place, same in enumerate(_SAME) for word in same}
#: The most dates that are tried in every form.
SOME_DATES = 2_000
#: With more different words, a column is no such list.
MOST_WORDS = 12


class SortedValues(NamedTuple):
    """The distinct values of a column of text: words for a missing value, numbers, written numbers, and dates."""

    words: list[str]
    without: NDArray[np.bool_]
    numbers: NDArray[np.bool_]
    written: NDArray[np.bool_]
    dates: NDArray[np.bool_]


@before("missing-codes")
def missing_codes(view: RequestView) -> Iterator[CautionFinding]:
    """Find values that mean a missing one but count like any other."""
    for column in view.with_role("quasi-identifier", "sensitive"):
        if is_text(column.values.type):
            yield from _missing_words(view, column)
        elif column.role == "quasi-identifier" and column.name in {one.name for one in undeclared(view, "number")}:
            yield from _sentinels(view, column)


def _missing_words(view: RequestView, column: ViewedColumn) -> Iterator[CautionFinding]:
    found = sort_values(column.values)
    counts = column.counts[:-1]
    rows = int(counts[found.without].sum())
    is_number, is_date = (mostly(kind, found, counts) for kind in (found.numbers, found.dates))
    declared = view.declared.get(column.name) is not None
    hides_kind = rows > 0 and (is_number or is_date) and column.role == "quasi-identifier" and not declared
    words = [word for word in found.words if hides_kind or word.strip().lower() not in AMBIGUOUS]
    if not words:
        return
    kind = "numbers" if is_number else "dates"
    effect = f", which makes a column of {kind} one of categories" if hides_kind else ""
    yield CautionFinding(
        "warning" if hides_kind else "note",
        (column.name,),
        rows,
        f"{quoted(column.name)} holds {_listed(words)} in {share(rows, view.rows)} rows as a value like any other"
        f"{effect}.",
        f"If that means 'no value', say so: {_na(column.name, words)}.",
    )


def _sentinels(view: RequestView, column: ViewedColumn) -> Iterator[CautionFinding]:
    found = sentinels(column.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), column.counts[:-1])
    if found:
        rows = sum(found.values())
        words = [str(value) for value in found]
        yield CautionFinding(
            "warning",
            (column.name,),
            rows,
            f"{quoted(column.name)} holds the number {_listed(words)} in {share(rows, view.rows)} rows, apart from "
            "all others: it looks like a code for 'no value', and then stretches every interval.",
            f"If that is what it means, say so: {_na(column.name, words)}.",
        )


@before("odd-ages")
def odd_ages(view: RequestView) -> Iterator[CautionFinding]:
    """Find ages that nobody has, which stretch every interval."""
    for column in view.with_role("quasi-identifier", "sensitive", "plain"):
        yield from _odd_ages(column, view.rows)


def _odd_ages(column: ViewedColumn, rows: int) -> Iterator[CautionFinding]:
    name = _CAPITAL.sub("_", column.name).lower()
    if not _is_number(column.values.type) or not _AGE.search(name) or _NO_AGE.search(name):
        return
    ages = column.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    odd = (ages < YOUNGEST) | (ages > OLDEST)
    count = int(column.counts[:-1][odd].sum())
    # If most are beyond, the column is no age in years.
    if count and 2 * count < column.counts[:-1].sum():
        yield CautionFinding(
            "warning",
            (column.name,),
            count,
            f"{quoted(column.name)} holds ages below {YOUNGEST} or above {OLDEST} in {share(count, rows)} "
            "rows: such values stretch every interval, and whoever has one stands out.",
            "Correct them, or name those that mean 'no value' (na=, on the command line --na).",
        )


@before("same-words")
def same_words(view: RequestView) -> Iterator[CautionFinding]:
    """Find categories under several words, such as F and Female."""
    for column in view.with_role("quasi-identifier", "sensitive"):
        yield from _same_words(column)


def _same_words(column: ViewedColumn) -> Iterator[CautionFinding]:
    if not is_text(column.values.type) or not 2 < len(column.values) <= MOST_WORDS:
        return
    said = [text.strip().lower() for text in column.values.to_pylist()]
    meant = [_MEANS[word] for word in set(said) if word in _MEANS]
    again = len(meant) - len(set(meant))
    if again:
        yield CautionFinding(
            "warning",
            (column.name,),
            again,
            f"{quoted(column.name)} seems to have several words for one thing, as in 'F' and 'Female': they count "
            "as different.",
            f"Make them one before, or fold capitals and blanks: transform={{{column.name!r}: sf.Fold(case=True)}} "
            f"(on the command line --transform {column.name}=fold:case). If they are different, confirm it.",
        )


def look_wrong(column: ViewedColumn, rows: int) -> Iterator[Caution]:
    """Find what looks wrong in the values of a column, whatever may be asked for."""
    found = {"odd-ages": list(_odd_ages(column, rows)), "same-words": list(_same_words(column))}
    found["look-alikes"] = [] if found["same-words"] else list(written_alike_in(column))
    for code, findings in found.items():
        yield from (Caution(code, **vars(finding)) for finding in findings)


@before("numbers-as-text")
def numbers_as_text(view: RequestView) -> Iterator[CautionFinding]:
    """Find columns of numbers that were read as categories because of other words, a comma or a unit."""
    for column in _texts(view):
        yield from _numbers_as_text(column, view.rows)


def _numbers_as_text(column: ViewedColumn, rows: int) -> Iterator[CautionFinding]:
    found, counts = sort_values(column.values), column.counts[:-1]
    count = int(counts[~(found.numbers | found.without)].sum())
    if mostly(found.dates, found, counts):
        return
    if not count:
        if _are_stored(column, found):
            yield CautionFinding(
                "warning",
                (column.name,),
                int(counts[found.numbers].sum()),
                f"{quoted(column.name)} holds numbers that are stored as text, which makes it one of categories with "
                "nothing between a value and '*'.",
                f"Declare it as 'numeric' (on the command line --hierarchy {column.name}=numeric), or as 'categorical' "
                "if they are codes.",
            )
        return
    if found.words and (found.written | found.numbers | found.without).all():
        why = f"{_listed(found.words)} among them makes it one of categories"
        advice = f"If {_listed(found.words)} means 'no value', say so: {_na(column.name, found.words)}"
    elif mostly(found.numbers, found, counts):
        why = f"{share(count, rows)} rows that hold something else make it one of categories"
        advice = "Clean these rows, or name the words that mean 'no value'"
    elif mostly(found.written | found.numbers, found, counts):
        why = "a comma, a unit or a currency in them makes it one of categories"
        advice = "Write plain numbers, such as 1234.5"
    else:
        return
    what = f"{quoted(column.name)} is a column of numbers, but {why} with nothing between a value and '*'."
    yield CautionFinding("warning", (column.name,), count, what, f"{advice}, or declare it as 'categorical'.")


@before("dates-as-text")
def dates_as_text(view: RequestView) -> Iterator[CautionFinding]:
    """Find dates that are read as categories, because they have no one form, or other words among them."""
    for column in _texts(view):
        yield from _dates_as_text(column)


def _are_stored(column: ViewedColumn, found: SortedValues) -> bool:
    """Whether text holds plain numbers that are probably no codes: many, and an age or of different lengths."""
    if found.without.any() or found.numbers.sum() < FEWEST_CODES or says_code(column.name):
        return False
    texts = column.values.cast(pa.string()).filter(pa.array(found.numbers))
    codes = looks_like_code(texts) or pc.any(pc.match_substring_regex(texts, r"^0\d|^\s*\+\d{7}")).as_py()
    return not codes or _AGE.search(column.name.lower()) is not None


def _dates_as_text(column: ViewedColumn) -> Iterator[CautionFinding]:
    found, counts = sort_values(column.values), column.counts[:-1]
    if mostly(found.dates, found, counts):
        yield CautionFinding(
            "warning",
            (column.name,),
            int(counts[found.dates].sum()),
            f"{quoted(column.name)} holds dates, but not all of them in forms that go together, so they are categories "
            "with nothing between a date and '*'.",
            _how_to_write(column, found),
        )


def _how_to_write(column: ViewedColumn, found: SortedValues) -> str:
    """What to do so that a column of dates is read as dates."""
    if found.words and (found.dates | found.without).all():
        return f"If {_listed(found.words)} means 'no value', say so: {_na(column.name, found.words)}."
    if pc.all(pc.match_substring_regex(column.values.cast(pa.string()), _NAMED_ZONE)).as_py():
        return "The name of a time zone stands behind them: leave it out, or write how far it is ahead, as +01:00."
    form, fitting = date_format(column.values.filter(pa.array(found.dates)))
    if fitting < MOSTLY:
        return (
            "Some may have the day first and others the month: write all of them as 2024-12-31, or declare the column "
            "as 'categorical'."
        )
    if fitting < 1 or not found.dates.all():
        return (
            f"Most are written {form!r}: correct the others, or name those that mean 'no value' (na=, on the command "
            "line --na), or declare the column as 'categorical'."
        )
    return (
        f"Say how they are written: Dates(format={form!r}) (on the command line: --hierarchy "
        f"'{column.name}=dates:{form}'), or declare it as 'categorical'."
    )


def read_as_words(column: ViewedColumn) -> str | None:
    """What to do about numbers or dates that words among them make categories; None if there are none."""
    if not is_text(column.values.type) or sort_values(column.values).numbers.all():
        return None
    found = [*_numbers_as_text(column, 1), *_dates_as_text(column)]
    return found[0].advice if found else _about_nearly_read(column)


def _about_nearly_read(column: ViewedColumn) -> str | None:
    """What to do about months, quarters, times of day and others; None if a column holds something else."""
    for pattern, form, advice in _NEARLY_READ:
        fits = _flags(pc.match_substring_regex(column.values.cast(pa.string()), pattern))
        if mostly(fits, sort_values(column.values), column.counts[:-1]):
            given = f" (dates={{{column.name!r}: {form!r}}}, on the command line --dates '{column.name}={form}')"
            return f"{advice}{given if form else ''}, or declare it as 'categorical'."
    return None


def date_format(texts: pa.StringArray) -> tuple[str, float]:
    """Guess the form in which most dates are written; also returns the share of them that have it."""
    parts = pc.extract_regex(texts, r"^\s*(?P<a>\d+)(?P<s>[-/.])(?P<b>\d+)[-/.](?P<c>\d+)(?P<time>.*)$")
    longest = max(pc.max(pc.utf8_length(pc.struct_field(parts, name))).as_py() for name in "abc")
    year = "%Y" if longest > len("99") else "%y"
    separator = pc.struct_field(parts, "s")[0].as_py()
    clock = {0: "", 1: " %H:%M", 2: " %H:%M:%S"}[min(2, str(pc.struct_field(parts, "time")[0].as_py()).count(":"))]
    orders = (["%d", "%m", year], ["%m", "%d", year], [year, "%m", "%d"])
    some = [
        text.strip()
        for text in texts.take(np.unique(np.linspace(0, len(texts) - 1, SOME_DATES).astype(int))).to_pylist()
    ]
    fits = {
        form: sum(moment_of(text, [form]) is not None for text in some)
        for form in (separator.join(one) + clock for one in orders)
    }
    return max(fits, key=fits.__getitem__), max(fits.values()) / len(some)


def sort_values(values: pa.Array) -> SortedValues:
    """Sort the distinct values of a column of text by what they look like."""
    texts = values.cast(pa.string())
    known = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(texts)), pa.array(sorted(MISSING_WORDS)))
    without = _flags(known)
    matches = [_flags(pc.match_substring_regex(texts, pattern)) & ~without for pattern in (_NUMBER, _WRITTEN_NUMBER)]
    dates = _flags(pc.match_substring_regex(texts, _DATE)) & ~without
    return SortedValues(texts.filter(known).to_pylist(), without, matches[0], matches[1] & ~dates, dates)


def mostly(kind: NDArray[np.bool_], found: SortedValues, counts: NDArray[np.int64]) -> bool:
    """Whether most rows that hold a value hold one of this kind."""
    return bool(counts[kind].sum() > MOSTLY * counts[~found.without].sum())


def _texts(view: RequestView) -> list[ViewedColumn]:
    names = [domain.name for domain in undeclared(view, "category") if is_text(domain.values.type)]
    return [view.columns[name] for name in names]


def is_text(kind: pa.DataType) -> bool:
    """Whether values are text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _flags(values: pa.Array) -> NDArray[np.bool_]:
    flags: NDArray[np.bool_] = values.to_numpy(zero_copy_only=False)
    return flags


def _listed(words: list[str]) -> str:
    shown = ", ".join(repr(word) if not word.lstrip("-").isdigit() else word for word in words[:5])
    return shown if len(words) <= 5 else f"{shown} and {len(words) - 5} more"


def _na(name: str, words: list[str]) -> str:
    return f"na={{{name!r}: {words[:5]}}} (on the command line: --na '{name}={','.join(words[:5])}')"
