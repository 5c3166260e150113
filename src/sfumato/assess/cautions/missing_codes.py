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

from sfumato.assess.cautions.caution import CautionFinding, before, quoted, share
from sfumato.assess.cautions.column_kinds import undeclared
from sfumato.assess.cautions.view import RequestView, ViewedColumn
from sfumato.assess.meaning.missing import AMBIGUOUS, MISSING_WORDS, sentinels

#: The share of numbers or dates from which on all other values look out of place.
MOSTLY = 0.8

_NUMBER = r"^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$"
_WRITTEN_NUMBER = r"^\s*[-+]?[$€£¥]?\s*\d{1,3}(([.,' ]\d{3})*|\d*)([.,]\d+)?\s*(%|€|£|\$|[a-zA-Z]{1,3})?\s*$"
_DATE = r"^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?\s*$"

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
        name = _CAPITAL.sub("_", column.name).lower()
        if not _is_number(column.values.type) or not _AGE.search(name) or _NO_AGE.search(name):
            continue
        ages = column.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        odd = (ages < YOUNGEST) | (ages > OLDEST)
        rows = int(column.counts[:-1][odd].sum())
        # If most are beyond, the column is no age in years.
        if rows and 2 * rows < column.counts[:-1].sum():
            yield CautionFinding(
                "warning",
                (column.name,),
                rows,
                f"{quoted(column.name)} holds ages below {YOUNGEST} or above {OLDEST} in {share(rows, view.rows)} "
                "rows: such values stretch every interval, and whoever has one stands out.",
                "Correct them, or name those that mean 'no value' (na=, on the command line --na).",
            )


@before("same-words")
def same_words(view: RequestView) -> Iterator[CautionFinding]:
    """Find categories under several words, such as F and Female."""
    for column in view.with_role("quasi-identifier", "sensitive"):
        if not is_text(column.values.type) or not 2 < len(column.values) <= MOST_WORDS:
            continue
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


@before("numbers-as-text")
def numbers_as_text(view: RequestView) -> Iterator[CautionFinding]:
    """Find columns of numbers that were read as categories because of other words, a comma or a unit."""
    for column in _texts(view):
        found, counts = sort_values(column.values), column.counts[:-1]
        odd = ~(found.numbers | found.without)
        rows = int(counts[odd].sum())
        if not rows or mostly(found.dates, found, counts):
            continue
        if mostly(found.numbers, found, counts):
            why = f"{share(rows, view.rows)} rows that hold something else make it one of categories"
            advice = "Clean these rows, or name the words that mean 'no value'"
        elif mostly(found.written | found.numbers, found, counts):
            why = "a comma, a unit or a currency in them makes it one of categories"
            advice = "Write plain numbers, such as 1234.5"
        else:
            continue
        what = f"{quoted(column.name)} is a column of numbers, but {why} with nothing between a value and '*'."
        yield CautionFinding("warning", (column.name,), rows, what, f"{advice}, or declare it as 'categorical'.")


@before("dates-as-text")
def dates_as_text(view: RequestView) -> Iterator[CautionFinding]:
    """Find dates in a form other than 2024-12-31, which are read as categories unless their form is declared."""
    for column in _texts(view):
        found, counts = sort_values(column.values), column.counts[:-1]
        if not mostly(found.dates, found, counts):
            continue
        form = date_format(column.values.filter(pa.array(found.dates)))
        yield CautionFinding(
            "warning",
            (column.name,),
            int(counts[found.dates].sum()),
            f"{quoted(column.name)} holds dates that are not in the form 2024-12-31, so they are categories with "
            "nothing between a date and '*'.",
            f"Say how they are written: Dates(format={form!r}) (on the command line: "
            f"--hierarchy '{column.name}=dates:{form}'), or declare it as 'categorical'.",
        )


def date_format(texts: pa.StringArray) -> str:
    """Guess the format in which dates are written from their parts."""
    parts = pc.extract_regex(texts, r"^\s*(?P<a>\d+)(?P<s>[-/.])(?P<b>\d+)[-/.](?P<c>\d+)(?P<time>.*)$")
    largest = {name: pc.max(pc.struct_field(parts, name).cast(pa.int64())).as_py() for name in "abc"}
    year = "%Y" if max(largest.values()) > 99 else "%y"
    separator = pc.struct_field(parts, "s")[0].as_py()
    if largest["a"] > 31:
        order = [year, "%m", "%d"]
    elif largest["b"] > 12:
        order = ["%m", "%d", year]
    else:
        order = ["%d", "%m", year]
    clock = {0: "", 1: " %H:%M", 2: " %H:%M:%S"}[min(2, str(pc.struct_field(parts, "time")[0].as_py()).count(":"))]
    return separator.join(order) + clock


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
