"""What the values of a column show: single values that point to a person, and what all of them look like."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.orders import order_of
from sfumato.assess.meaning.patterns import holds_given_names, known_values, share_of
from sfumato.assess.meaning.translation import is_medical, medical_words

#: One value that looks like this is enough: whole texts or parts of them, as RE2 reads them.
ONE_IS_ENOUGH: dict[str, str] = {
    "email": r"[\w.+-]+\s?@\s?[\w-]+\.[A-Za-z]{2,}",
    "website": r"(?i)\bhttps?://|\bwww\.|\b[a-z0-9-]+\.(com|org|net|edu|gov|de|fr|uk|info|io)(/\S*)?\b",
    "account": r"\b[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}\b|\b(\d{4}[ -]){3}\d{3,4}\b",
    "social": r"\b\d{3}-\d{2}-\d{4}\b|\b\d{3} \d{2} \d{4}\b",
    "telephone": (
        r"(\+\d{1,3}[ .-]?)?(\(\d{3}\) ?|\b\d{3}[ .-])\d{3}[ .-]\d{4}\b|\+\d[\d ()/-]{7,}\d|"
        r"\b0\d{1,4}[ /-]\d{3,}[ -]?\d{2,}"
    ),
    "vehicle": r"\b[A-HJ-NPR-Z0-9]{3}[A-HJ-NPR-Z][A-HJ-NPR-Z0-9]{4}[0-9X][A-HJ-NPR-Z0-9]{8}\b",
    "device": r"\b([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b",
    "internet": (
        r"\b((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)\b|\b([0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f]{1,4}\b|"
        r"([0-9A-Fa-f]{1,4}:)+:([0-9A-Fa-f]{1,4})?|^::[0-9A-Fa-f]"
    ),
    "identifier": r"\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b|\b[0-9a-f]{32,}\b",
    "photo": r"(?i)\.(jpe?g|png|gif|tiff?|bmp|dcm|heic|webp|mp4|mov|avi|wav|mp3)\b",
    "age": r"(?i)\b(9\d|1[0-2]\d)[ -]?(yo|y/o|y\.o\.|years?[ -]old|yrs?[ -]old|years of age)\b",
    "place": (
        r"(?i)^\s*\d{1,5}\s+([a-z'.-]+\s+){1,4}(st|street|ave|avenue|rd|road|blvd|boulevard|lane|ln|dr|drive|court|ct|way|"
        r"place|pl|square|sq|terrace|parkway|pkwy)\b|(stra(ss|ß)e|str\.|straat|weg|gasse|platz)\s*\d+|\b(rue|calle|via|avenida|ul\.)\s"
        r"+[a-z].*\d|-?\d{1,3}\.\d{3,}\s*[,;]\s*-?\d{1,3}\.\d{3,}"
    ),
}
_MONTH = (
    r"(jan|feb|mar|apr|may|mai|jun|jul|aug|sep|okt|oct|nov|dec|dez|dic|ene|abr|ago|gen|mag|giu|lug|set|ott|janv|fevr|avr|"
    r"juin|juil|aout)"
)
#: A written date, week, month or quarter, whatever is around it.
WRITTEN_DATE = (
    r"(?i)\b(1[6-9]|2[01])\d{2}[-/.](0?[1-9]|1[0-2])([-/.]\d{1,2})?\b|\b\d{1,2}[./-]\d{1,2}[./-]((1[6-9]|2[01])\d{2}|\d{2})\b|"
    r"\b\d{1,2}\.?[ -]?" + _MONTH + r"[a-zé]*\.?,?[ -]?'?(\d{4}|\d{2})?\b|\b" + _MONTH + r"[a-zé]*\.?[ -]\d{1,4}\b|"
    r"\b(1[6-9]|2[01])\d{2}[- ]?[wqtk]\d{1,2}\b|\b[qtwk]\d{1,2}([- /]?(1[6-9]|2[01])\d{2}|[- /]'?\d{2})\b|"
    r"\b(0?[1-9]|1[0-2])[/-](1[6-9]|2[01])\d{2}\b|\d{4}年|\d{1,2}月\d{0,2}"
)
_DAY_WORDS = re.compile(
    r"(mon|tues?|wed(nes)?|thu(rs)?|fri|satur|sat|sun)(day)?|(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|"
    r"(january|february|march|april|may|june|july|august|september|october|november|december)|" + _MONTH + r"|"
    r"spring|summer|autumn|fall|winter|q[1-4]|week ?\d{1,2}|w\d{1,2}",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"([01]?\d|2[0-3])[:.h][0-5]\d([:.][0-5]\d(\.\d+)?)?( ?[ap]\.?m\.?)?", re.IGNORECASE)
_NUMBER = re.compile(
    r"\s*[<>≤≥~±=]*\s*[-+]?\s?[$€£¥]?\s?(\d{1,3}([.,' ]\d{3})+|\d+)([.,]\d+)?([eE][-+]?\d+)?\s*[$€£¥%°]?\s*"
    r"([a-zA-Zµμ%°/²³^.·*]{0,12}\d?){0,2}\s*\+?"
)
_PRESSURE = re.compile(r"\s*\d{2,3}\s*/\s*\d{2,3}\s*")
_TITLED = re.compile(r"(dr|mr|mrs|ms|miss|prof|sir|herr|frau|sr|sra|mme|mlle|dott|sig)\.? [A-Z].*", re.IGNORECASE)
_LAST_FIRST = re.compile(
    r"[A-Z][\w'-]+, ?[A-Z][\w'.-]*( [A-Z]\.?)?|[A-Z]\. ?[A-Z][a-z]{2,}|[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_INSTITUTION = re.compile(
    r"\b(hospital|clinic|klinik\w*|krankenhaus|hopital|ospedale|medical center|health cent\w+|university of|church of|"
    r"academy|llc|inc|gmbh|ltd|corp|county|township)\b|.+ (elementary|middle|high) school",
    re.IGNORECASE,
)
_DISEASE_CODE = re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?|\d{3}\.\d{1,2}|[EV]\d{2,3}\.?\d{0,2}")
_PROCEDURE_CODE = re.compile(
    r"\d{4}[0-9A-Z]|[A-Z]\d{4}|\d-\d{3}(\.\w+)?|\d{4,5}-\d{3,4}-\d{1,2}|\d{3,9}|\d{1,5}-\d|[EV]?\d{2,5}"
)
_DRUG_CODE = re.compile(r"\d{4,5}-\d{3,4}-\d{1,2}")
_LETTERED = re.compile(r"(?=.*\d.*\d.*\d)(?=.*[A-Za-z])[A-Za-z0-9_./#-]{5,}")
_TOO_MANY_DIGITS = re.compile(r"\d{5}")

#: The group of symmetries of a pentagon, by which Verhoeff's check digits are computed, and its permutations.
_VERHOEFF = tuple(
    tuple((a + b) % 5 + 5 * (b >= 5) if a < 5 else (a - b) % 5 + 5 * (b < 5) for b in range(10)) for a in range(10)
)
_FIRST = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
_PERMUTED = [tuple(range(10))]
for _ in range(7):
    _PERMUTED.append(tuple(_FIRST[one] for one in _PERMUTED[-1]))

#: From this share of unique rows on a column has a value of its own for nearly every row.
NEARLY_UNIQUE = 0.9
#: In fewer rows many columns are nearly unique by chance.
FEWEST_ROWS = 20
#: The share of the rows up to which there are different codes of procedures or drugs.
SOME_CODES = 0.25
#: The longest category, in characters and words.
LONGEST_CATEGORY, MOST_WORDS = 80, 9
#: More different values of letters and digits number something.
FEW_LETTERED = 10
#: Yes, no, unknown, and one more.
MOST_ANSWERS = 4
#: Whole numbers with at most this many distinct values may be codes of categories.
FEW_CODES = 40


class Contents:
    """The values of a column, as far as the recogniser asks about them.

    Parameters
    ----------
    facts
        The column, without what means "no value".
    """

    def __init__(self, facts: ColumnCounts) -> None:
        self.facts = facts
        #: The distinct values as text; of many, a sample spread over all.
        self.texts = facts.texts

    def points_to(self) -> str | None:
        """The kind of a value that points to a person, or of all values together; None if there is none."""
        return self._single() or self._date() or self._people()

    def _single(self) -> str | None:
        if self.facts.is_number:
            return None
        return next((kind for kind, form in ONE_IS_ENOUGH.items() if self._any(form)), None)

    def _any(self, form: str) -> bool:
        """Whether any value at all has a form in it."""
        return bool(pc.any(pc.match_substring_regex(self.facts.values.cast(pa.string()), form)).as_py())

    def _date(self) -> str | None:
        if pa.types.is_temporal(self.facts.values.type):
            return "date"
        if self.share(_is_day_number) > 0.95:
            return "date"
        if self.facts.is_number:
            return None
        written = self._any(WRITTEN_DATE)
        in_words = self.share(_DAY_WORDS.fullmatch) > 0.5 or self.share(_CLOCK.fullmatch) > 0.5
        return "date" if written or in_words else None

    def _people(self) -> str | None:
        if self.facts.is_number or not self.texts:
            return None
        if self.share(_TITLED.fullmatch) > 0.3 or self.share(_LAST_FIRST.fullmatch) > 0.5:
            return "name"
        if holds_given_names(self.texts) or self.holds_surnames:
            return "name"
        if self.share(_is_city) > 0.2 or self.share(_INSTITUTION.search) > 0.3:
            return "place"
        return "text" if self.is_free_text else None

    def share(self, fits: Callable[[str], object]) -> float:
        """The share of the distinct values that fit."""
        return share_of(self.texts, fits)

    @property
    def holds_surnames(self) -> bool:
        """Whether most values are surnames."""
        return self.share(_is_surname) > 0.5

    @property
    def holds_titles(self) -> bool:
        """Whether values are names behind a title, as in 'Dr. Abe'."""
        return self.share(_TITLED.fullmatch) > 0.5

    @property
    def is_free_text(self) -> bool:
        """Whether values are sentences."""
        words = [len(text.split()) for text in self.texts]
        many = self.facts.different > 0.2 * self.facts.filled and self.facts.different >= 3
        return bool(words) and (
            (many and sum(words) / len(words) >= 5) or max(map(len, self.texts)) > 3 * LONGEST_CATEGORY
        )

    @property
    def is_flag(self) -> bool:
        """Whether values say yes or no."""
        if pa.types.is_boolean(self.facts.values.type):
            return True
        return 0 < len(self.texts) <= 4 and all(
            text.lower().removesuffix(".0") in known_values("yes_no") for text in self.texts
        )

    @property
    def is_number(self) -> bool:
        """Whether nearly all values are numbers, with or without a unit."""
        return self.facts.is_number or (bool(self.texts) and self.share(_is_number) >= 0.9 and not self._has_code)

    @property
    def _has_code(self) -> bool:
        """Whether texts are digits of one length with zeros in front, as numbers that count nothing are."""
        return self.share(lambda text: re.fullmatch(r"0\d{2,}", text) is not None) > 0.05

    @property
    def numbers(self) -> list[float]:
        """The numbers in the values."""
        if self.facts.is_number:
            return [float(one) for one in self.facts.numbers]
        found = (re.search(r"\d[\d,' ]*\.?\d*", text) for text in self.texts)
        return [float(re.sub(r"[,' ]", "", one[0])) for one in found if one is not None]

    @property
    def is_decimal(self) -> bool:
        """Whether texts are small numbers, most with a decimal point, which times of a day look like."""
        small = self.share(re.compile(r"\d{1,3}(\.\d+)?").fullmatch) == 1.0
        return bool(self.texts) and small and self.share(lambda text: "." in text) > 0.5

    @property
    def is_whole(self) -> bool:
        """Whether values are whole numbers."""
        return self.facts.is_whole or (self.is_number and self.share(lambda text: text.isdigit()) > 0.9)

    @property
    def is_years(self) -> bool:
        """Whether values are years."""
        return bool(self.texts) and self.share(lambda text: re.fullmatch(r"(1[89]|20)\d\d(\.0)?", text)) > 0.95

    @property
    def is_weeks(self) -> bool:
        """Whether values are weeks or months of years, such as 202117."""
        form = re.compile(r"(19|20)\d\d(0[1-9]|[1-4]\d|5[0-3])(\.0)?")
        return bool(self.texts) and self.share(form.fullmatch) == 1.0 and len({text[:4] for text in self.texts}) < 40

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly every row has a value of its own."""
        return self.facts.unique_share > NEARLY_UNIQUE and self.facts.filled >= FEWEST_ROWS

    @property
    def numbers_somebody(self) -> bool:
        """Whether whole numbers look like those of people or cases: long, dense or of one length."""
        if not self.is_whole or not self.numbers:
            return False
        low, high = min(self.numbers), max(self.numbers)
        long = high >= 10**6 and len({len(text) for text in self.texts}) == 1
        dense = self.nearly_unique and high - low < 1.2 * self.facts.different
        unique = self.nearly_unique and low >= 10**4 and len(str(int(low))) == len(str(int(high)))
        return high >= 10**8 or (long and self.facts.unique_share > 0.5) or dense or unique or self.come_again

    @property
    def come_again(self) -> bool:
        """Whether long numbers of one length come again and again, as those of people with several rows do.

        Amounts of as many digits would hardly ever be the same twice, unless they are rounded.
        """
        low, high = min(self.numbers, default=0), max(self.numbers, default=0)
        if not self.is_whole or low < 10**4 or len(str(int(low))) != len(str(int(high))):
            return False
        many = FEWEST_ROWS <= self.facts.different <= self.facts.filled / 1.5
        return many and not self.is_weeks and self.share(lambda text: text.removesuffix(".0").endswith("0")) < 0.5

    @property
    def is_category(self) -> bool:
        """Whether values are words or short codes that repeat, or steps of a scale."""
        if self.is_flag or order_of(self.texts):
            return True
        if self.facts.is_number:
            return self.facts.is_whole and self.facts.different <= FEW_CODES and abs(self.facts.numbers).max() < 1000
        coded = self.facts.different > FEW_LETTERED and self.share(_LETTERED.fullmatch) > 0.5
        return not self.nearly_unique and not coded and self.share(_is_short) == 1.0

    @property
    def is_small_scale(self) -> bool:
        """Whether a few categories are each in many rows."""
        few = 0 < self.facts.different <= FEW_LETTERED and self.facts.filled >= 5 * self.facts.different
        return few and self.is_category

    @property
    def is_medical_code(self) -> bool:
        """Whether values are codes of diseases or drugs."""
        return self.share(_DISEASE_CODE.fullmatch) >= 0.9

    @property
    def is_code_of_medicine(self) -> bool:
        """Whether values are codes of diseases, procedures, tests or drugs in digits, each in many rows."""
        repeat = self.facts.different <= SOME_CODES * self.facts.filled
        return repeat and self.share(_PROCEDURE_CODE.fullmatch) >= 0.9

    @property
    def is_drug_code(self) -> bool:
        """Whether values are national codes of drugs, which look like telephone numbers."""
        return self.is_code_of_medicine and self.share(_DRUG_CODE.fullmatch) >= 0.9

    @property
    def is_snomed(self) -> bool:
        """Whether values are concepts of SNOMED CT, by their check digits."""
        return len(self.texts) > 1 and self.share(is_snomed) == 1.0

    @property
    def is_medical_text(self) -> bool:
        """Whether nearly all values hold a word of medicine, and no more than a few others."""
        return self.share(_says_medicine) >= 0.8 and self.is_category

    def among(self, known: frozenset[str]) -> bool:
        """Whether nearly all values are in a list."""
        return bool(self.texts) and self.share(lambda text: text.lower().strip(". ") in known) >= 0.9

    @property
    def is_country(self) -> bool:
        """Whether values are countries, by name or code."""
        return self.among(known_values("countries")) or (self.is_flag and not self.facts.is_number)

    @property
    def is_state(self) -> bool:
        """Whether values are states of the United States, or regions of several."""
        numbers = self.numbers if self.is_whole else []
        return self.among(known_values("states")) or (bool(numbers) and 1 <= min(numbers) <= max(numbers) <= 78)


def is_snomed(text: str) -> bool:
    """Whether a text is the number of a concept of SNOMED CT, by its length, its partition and its check digit.

    >>> is_snomed("44054006"), is_snomed("44054007"), is_snomed("1234567")
    (True, False, False)
    """
    if re.fullmatch(r"[1-9]\d{5,17}", text) is None or text[-3:-1] not in {"00", "10"}:
        return False
    check = 0
    for place, digit in enumerate(reversed(text)):
        check = _VERHOEFF[check][_PERMUTED[place % 8][int(digit)]]
    return check == 0


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None or _PRESSURE.fullmatch(text) is not None


def _is_day_number(text: str) -> bool:
    found = re.fullmatch(r"(1[89]|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(\d{4,6})?", text)
    return found is not None


def _is_short(text: str) -> bool:
    return len(text) <= LONGEST_CATEGORY and len(text.split()) <= MOST_WORDS and not _TOO_MANY_DIGITS.search(text)


def _says_medicine(text: str) -> bool:
    return any(word in medical_words() or is_medical(word) for word in map(str.lower, _WORD.findall(text)))


def _is_city(text: str) -> bool:
    return text.lower() in known_values("cities")


def _is_surname(text: str) -> bool:
    parts = _WORD.findall(text)
    return 1 <= len(parts) <= 3 and parts[-1].lower() in known_values("surnames")
