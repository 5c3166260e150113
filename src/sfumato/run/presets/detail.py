"""Coarser columns: years instead of dates, top-coded ages, three digits of zip codes.

Every distinct value is read in all the ways in which people write dates and ages; a column with a value that none of
them fits is not recoded at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

NOWHERE = "000"
DIGITS = 5

_Y = r"(?P<year>(1[89]|20)\d{2})"
_MONTHS = (
    r"(jan|feb|mar|apr|may|mai|maj|jun|jul|aug|sep|okt|oct|nov|dec|dez|dic|des|ene|abr|ago|gen|mag|giu|lug|set|ott|fev|avr|out|"
    r"mrz|marz|juin|juil|aout|sty|lut|kwi|cze|lip|sie|wrz|paz|lis|gru)[a-z]*\.?"
)
_CLOCK = r"([T ,]+\d{1,2}[:.]\d{2}.*)?"
#: How people write days, months, weeks and quarters; the group 'year' has four digits, 'short' the last two.
WRITTEN = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        _Y + r"[-/. ]\d{1,2}([-/. ]\d{1,2})?" + _CLOCK,
        r"\d{1,2}[-/. ]\d{1,2}[-/. ]" + _Y + _CLOCK,
        r"\d{1,2}[-/.]" + _Y,
        r"((mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?\d{1,2}(st|nd|rd|th)?\.?[- ]?(de )?"
        + _MONTHS
        + r",?[- ]?(de )?"
        + _Y
        + _CLOCK,
        r"((mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?" + _MONTHS + r"[- ](\d{1,2}(st|nd|rd|th)?,? ?)?" + _Y + _CLOCK,
        _Y + r"[- ]?" + _MONTHS + r"([- ]?\d{1,2})?",
        _Y + r"[- /]?[wqtk]\d{1,2}(-\d)?",
        r"[wqtk]\d{1,2}[- /]?" + _Y,
        _Y + r"年.*",
        _Y
        + r"[- /](spring|summer|autumn|fall|winter)|(spring|summer|autumn|fall|winter)[- /]"
        + _Y.replace("year", "later"),
        r"\d{1,2}[-/.]\d{1,2}[-/.](?P<short>\d{2})" + _CLOCK,
        r"\d{1,2}[- ]?" + _MONTHS + r"[- ]?'?(?P<short>\d{2})",
    )
)
#: Dates without a separator, which other numbers may look like.
CLOSED_UP = re.compile(_Y + r"(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(\d{4}|\d{6})?")
YEAR = re.compile(_Y + r"(\.0)?")

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?"
_UNIT = (
    r"\s*(y|yr|yrs|years?|years? old|year-old|y\.?o\.?|y/o|jahre?( alt)?|j|ans?|años|anos|anni|jaar|lat|歳|岁|سنة|"
    r"عاما?|of age)?\.?"
)
_PER_YEAR = {
    "month": 12,
    "months": 12,
    "mo": 12,
    "monate": 12,
    "mois": 12,
    "weeks": 52,
    "week": 52,
    "wk": 52,
    "days": 365,
}
_AGE = re.compile(rf"(?:aged? )?(?P<age>{_NUMBER}){_UNIT}", re.IGNORECASE)
_OPEN = re.compile(
    rf"(?:>=?|≥|over|above|more than|from|at least|ab|über|plus de)\s*(?P<from>{_NUMBER}){_UNIT}|"
    rf"(?P<low>{_NUMBER}){_UNIT}\s*(?:\+|(and|or|&) (over|older|above|more|up)|und (mehr|älter|über)|et plus|y más|"
    rf"plus){_UNIT}",
    re.IGNORECASE,
)
_BELOW = re.compile(rf"(?:<=?|≤|under|below|less than|up to|unter|bis)\s*(?P<below>{_NUMBER}){_UNIT}", re.IGNORECASE)
_BAND = re.compile(
    rf"[\[(]?\s*(?P<low>{_NUMBER})\s*(?:-|–|—|,|;|to|bis|a|\.\.)\s*(?P<high>{_NUMBER})\s*[\])]?{_UNIT}", re.IGNORECASE
)
_DECADE = re.compile(r"(?P<decade>\d{1,2})0'?s", re.IGNORECASE)
_YOUNG = re.compile(
    r"(?P<count>\d+(?:\.\d+)?)\s*(?P<unit>months?|mo|monate|mois|weeks?|wk|days)\.?( old)?", re.IGNORECASE
)
_WORDS = """
unknown missing unk na n/a none other null adult adults child children infant newborn neonate baby toddler teen teenager
youth young senior elderly old older pediatric paediatric adolescent minor unbekannt inconnu desconocido sconosciuto
onbekend erwachsen kind jugendlich adulte enfant adulto niño refused
"""
#: What people write instead of an age, and what tells none above any limit.
AGE_WORDS = frozenset({*_WORDS.split(), "", "?", "-", "*", "not stated", "not known", "not available", "middle aged"})


def as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to text."""
    kind = column.type
    column = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    return column.cast(pa.string())


def by_value(column: pa.ChunkedArray, change: Callable[[str], object], kind: pa.DataType) -> pa.ChunkedArray:
    """Change every distinct value of a column once."""
    coded = as_texts(column).combine_chunks().dictionary_encode()
    changed = pa.array([change(text) for text in coded.dictionary.to_pylist()], kind)
    return pa.chunked_array([changed.take(coded.indices)])


def distinct_texts(column: pa.ChunkedArray) -> list[str]:
    """The distinct values of a column as text."""
    texts: list[str] = as_texts(column).drop_null().unique().to_pylist()
    return texts


def is_a_date(column: pa.ChunkedArray, named: bool, is_year: bool) -> bool:
    """Whether a column holds dates: by its type, or by how all its values are written.

    Parameters
    ----------
    column
        The values.
    named, is_year
        Whether the column's name says dates, or years of birth; digits alone could be anything.
    """
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        return True
    if pa.types.is_nested(column.type) or column.null_count == len(column):
        return False
    texts = distinct_texts(column)
    closed_up = named and all(CLOSED_UP.fullmatch(text.removesuffix(".0")) for text in texts)
    years = (named or is_year) and all(YEAR.fullmatch(text) for text in texts)
    return closed_up or years or all(year_of(text) is not None and not _is_digits(text) for text in texts)


def year_of(text: str) -> int | None:
    """Read the year of a date as people write it; None if it cannot be read.

    >>> [year_of(text) for text in ("05/17/24", "17 May 2024", "20240517", "2024-W20", "Q2 2024", "May", "12")]
    [2024, 2024, 2024, 2024, 2024, None, None]
    """
    plain = unicodedata.normalize("NFKD", text.strip())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    for form in (YEAR, CLOSED_UP, *WRITTEN):
        found = form.fullmatch(plain.removesuffix(".0"))
        if found is not None:
            parts = found.groupdict()
            year = parts.get("year") or parts.get("later")
            return int(year) if year else datetime.strptime(parts["short"], "%y").year
    return None


def year_shown(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Extract the year of every date.

    >>> year_shown(pa.chunked_array([["2024-05-17", None, "1999-01-02"]])).to_pylist()
    [2024, None, 1999]
    """
    return pc.year(column) if pa.types.is_temporal(column.type) else by_value(column, year_of, pa.int64())


def earliest_year(column: pa.ChunkedArray) -> int:
    """The earliest year of a column of dates."""
    if pa.types.is_temporal(column.type):
        return int(pc.min(pc.year(column)).as_py())
    return min(year for text in distinct_texts(column) if (year := year_of(text)) is not None)


def has_short_years(column: pa.ChunkedArray) -> bool:
    """Whether some date has a year of two digits, so that its century is anybody's guess."""
    if pa.types.is_temporal(column.type):
        return False
    found = (form.fullmatch(text.strip()) for text in distinct_texts(column) for form in WRITTEN[-2:])
    return any(one is not None for one in found)


def year_of_birth(column: pa.ChunkedArray, last: int) -> pa.ChunkedArray:
    """Extract the year of every date of birth; everyone born in ``last`` or before is one group.

    >>> year_of_birth(pa.chunked_array([["1931-05-17", "1999-01-02"]]), 1936).to_pylist()
    ['1936 or before', '1999']
    """
    years = year_shown(column)
    return pc.if_else(pc.less_equal(years, last), f"{last} or before", years.cast(pa.string()))


def age_shown(text: str, oldest: int, per_year: int = 1) -> str | None:
    """Write an age without what is above ``oldest``; None if it cannot be read.

    Parameters
    ----------
    text
        The age as it is written: a number, with a unit, a band, an open end.
    oldest
        The largest age in years that may be shown.
    per_year
        How many units of the column are a year: 12 if ages are counted in months.

    >>> [age_shown(text, 89) for text in ("34", "91 years", "1e2", "85-94", "80-89", ">89", "unknown", "x91")]
    ['34', '90+', '90+', '85+', '80-89', '90+', 'unknown', None]
    """
    text = text.strip()
    most = (oldest + 1) * per_year
    top = f"{oldest + 1}+" if per_year == 1 else f"{oldest + 1}+ years"
    if found := _AGE.fullmatch(text):
        age = _as_number(found["age"])
        return top if age >= most else text if age < 0 else str(int(age))
    if found := _YOUNG.fullmatch(text):
        return top if float(found["count"]) / _PER_YEAR[found["unit"].lower()] > oldest else text
    return _age_range(text, most, top)


def _age_range(text: str, most: int, top: str) -> str | None:
    """Write a range of ages, or an age in words, without what is at or above ``most``; None if it cannot be read."""
    if found := _OPEN.fullmatch(text):
        return top if _as_number(found["from"] or found["low"]) >= most - 1 else text
    if found := _BELOW.fullmatch(text):
        return text if _as_number(found["below"]) <= most else None
    if found := _BAND.fullmatch(text):
        low, high = _as_number(found["low"]), _as_number(found["high"])
        return text if high < most else top if low >= most else f"{int(low)}+"
    if found := _DECADE.fullmatch(text):
        return top if int(found["decade"]) * 10 >= most else text
    return text if text.lower() in AGE_WORDS else None


def reads_as_ages(column: pa.ChunkedArray, oldest: int, per_year: int = 1) -> bool:
    """Whether every value of a column can be read as an age, or holds no number at all."""
    return all(age_shown(text, oldest, per_year) is not None for text in distinct_texts(column))


def top_coded(column: pa.ChunkedArray, oldest: int, per_year: int = 1) -> pa.ChunkedArray:
    """Write ages in whole years as text, with one group above ``oldest``; other text stays as it is.

    >>> top_coded(pa.chunked_array([[34, 89.5, 90, None, 104]]), 89).to_pylist()
    ['34', '89', '90+', None, '90+']
    """
    return by_value(column, lambda text: age_shown(text, oldest, per_year), pa.string())


def short_zip(column: pa.ChunkedArray, low: Collection[str]) -> pa.ChunkedArray:
    """Cut zip codes to three digits; 000 if these are among ``low``, or are no digits.

    >>> short_zip(pa.chunked_array([["02139-4307", "2139", "90210", "03601", "K1A 0B1", None]]), {"036"}).to_pylist()
    ['021', '021', '902', '000', '000', None]
    """
    texts = pc.replace_substring_regex(as_texts(column), r"^(\d{1,5}[- ]|\d{5})\d{4}$|\.0$", r"\1")
    texts = pc.utf8_trim(texts, "- ")
    # Three digits are a code that was cut already, or one that lost its zeros as a number.
    is_short = pc.all(pc.equal(pc.utf8_length(texts), 3)).as_py() or False
    begin = pc.utf8_slice_codeunits(texts if is_short else pc.utf8_lpad(texts, DIGITS, "0"), 0, 3)
    hidden = pc.or_(pc.is_in(begin, pa.array(sorted(low), pa.string())), pc.invert(_are_digits(begin)))
    return pc.if_else(pc.is_null(texts), None, pc.if_else(hidden, NOWHERE, begin))


def oldest_last(oldest: int) -> list[str]:
    """List all ages as `top_coded` writes them, in order."""
    return [*map(str, range(oldest + 1)), f"{oldest + 1}+"]


def ranges_of(age: str, widths: Sequence[int], oldest: int) -> list[str]:
    """List an age and the ranges of these widths around it; the oldest group stays as it is.

    >>> ranges_of("37", [5, 10], 89), ranges_of("90+", [5, 10], 89)
    (['37', '[35, 39]', '[30, 39]'], ['90+', '90+', '90+'])
    """
    if not age.isdigit():
        return [age] * (len(widths) + 1)
    begins = [int(age) // width * width for width in widths]
    return [age, *(f"[{low}, {min(low + width - 1, oldest)}]" for low, width in zip(begins, widths, strict=True))]


def _as_number(text: str) -> float:
    return float(text.replace(",", "."))


def _is_digits(text: str) -> bool:
    return text.strip().removesuffix(".0").isdigit()


def _are_digits(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.match_substring_regex(texts, r"^\d+$")
