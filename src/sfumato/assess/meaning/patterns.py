"""Recognize e-mail addresses, IBANs, national numbers and others by their format and check digits.

A pattern counts if nearly all values match it; where the format alone is too loose, the check digits decide.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sfumato.assess.meaning.words import words

#: The share of the values that must match a pattern.
NEARLY_ALL = 0.9


@cache
def known_values(name: str) -> frozenset[str]:
    """Known values: ``yes_no``, ``states``, ``countries``, ``cities``, ``surnames``, ``given_names``."""
    lists = tomllib.loads((files("sfumato.assess.meaning") / "values.toml").read_text(encoding="utf-8"))
    return frozenset(word.replace("_", " ") for word in lists[name].split())


#: The share of values that rules out chance, since words such as 'Rosa' or 'Max' also occur elsewhere.
NAMES_SHARE = 0.3

#: Addresses: so many of them, in so many streets, with so many numbers.
MANY_ADDRESSES, FEWEST_STREETS, FEWEST_HOUSES = 50, 4, 20
_ADDRESS = re.compile(r"([^\W\d_][^\d]{3,}?),? (\d{1,4}(?: ?[a-zA-Z])?)|(\d{1,4}[a-zA-Z]?),? ([^\W\d_][^\d]{3,})")


class Pattern(NamedTuple):
    """A format of values, with a check beyond the format."""

    name: str
    form: re.Pattern[str]
    check: Callable[[str], bool] = lambda _: True

    def fits(self, text: str) -> bool:
        """Whether a value matches the pattern."""
        return self.form.fullmatch(text) is not None and self.check(text)


def digits_of(text: str) -> list[int]:
    """The digits of a text."""
    return [int(one) for one in text if one.isdecimal() and one.isascii()]


def luhn(text: str) -> bool:
    """Whether the last digit is the check digit of the others, as on payment cards.

    >>> luhn("4111 1111 1111 1111"), luhn("4111 1111 1111 1112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits_of(text))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def iban(text: str) -> bool:
    """Whether the check digits of an international account number are right.

    >>> iban("DE89 3704 0044 0532 0130 00"), iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    letters = re.sub(r"\s", "", text).upper()
    return int("".join(str(int(one, 36)) for one in letters[4:] + letters[:4])) % 97 == 1


def weighted(weights: Sequence[int], modulus: int, remainder: int = 0) -> Callable[[str], bool]:
    """Make a check: the weighted sum of the digits has a certain remainder."""

    def check(text: str) -> bool:
        digits = digits_of(text)
        total = sum(weight * digit for weight, digit in zip(weights, digits, strict=False))
        return len(digits) == len(weights) and total % modulus == remainder

    return check


def _nhs(text: str) -> bool:
    digits = digits_of(text)
    return 11 - sum((10 - place) * one for place, one in enumerate(digits[:9])) % 11 in {digits[9], digits[9] + 11}


def _spanish(text: str) -> bool:
    number = text[:-1].upper().replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1].upper()


def _french(text: str) -> bool:
    number = re.sub(r"\s", "", text).upper().replace("2A", "19").replace("2B", "18")
    return 97 - int(number[:13]) % 97 == int(number[13:])


def _brazilian(text: str) -> bool:
    digits = digits_of(text)
    for count in (9, 10):
        rest = sum((count + 1 - place) * one for place, one in enumerate(digits[:count])) * 10 % 11 % 10
        if rest != digits[count]:
            return False
    return True


def _german_tax(text: str) -> bool:
    product = 10
    digits = digits_of(text)
    for digit in digits[:10]:
        rest = (digit + product) % 10 or 10
        product = rest * 2 % 11
    return (11 - product) % 10 == digits[10]


_EAN = (1, 3) * 6 + (1,)

#: Direct identifiers of a person or of something that is theirs, the most specific first.
DIRECT: tuple[Pattern, ...] = (
    Pattern("e-mail addresses", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    Pattern("web addresses", re.compile(r"(https?://|www\.)\S+", re.IGNORECASE)),
    Pattern("IBANs", re.compile(r"[A-Z]{2}\d{2}(\s?[A-Z0-9]){11,30}", re.IGNORECASE), iban),
    Pattern("UUIDs", re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)),
    Pattern("hash values", re.compile(r"(?=.*[a-f])(?=.*\d)([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})", re.IGNORECASE)),
    Pattern("IP addresses", re.compile(r"((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)")),
    Pattern("IP addresses", re.compile(r"(?=.*::|([^:]*:){7})[0-9a-f:]{3,39}", re.IGNORECASE)),
    Pattern("MAC addresses", re.compile(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)),
    Pattern(
        "street addresses",
        re.compile(
            r"\d{1,5}[a-z]? ([\w'.-]+ ){1,4}(st|street|ave|avenue|rd|road|blvd|boulevard|ln|lane|dr|drive|court|ct|way|"
            r"place|pl|square|sq|terrace|parkway|pkwy)\.?|"
            r"[\w .'-]+(stra(ss|ß)e|str\.|straat|weg|gasse|platz|laan) ?\d+ ?[a-z]?|"
            r"(rue|calle|via|avenida|ul\.|rua) .*\d+.*|\d+,? (rue|avenue|boulevard) .*",
            re.IGNORECASE,
        ),
    ),
    Pattern("US social security numbers", re.compile(r"(?!000|666|9)\d{3}-\d{2}-\d{4}")),
    Pattern("Swiss insurance numbers", re.compile(r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}"), weighted(_EAN, 10)),
    Pattern(
        "French social security numbers",
        re.compile(r"[12]\s?\d{2}\s?\d{2}\s?\d[\dAB]\s?\d{3}\s?\d{3}\s?\d{2}"),
        _french,
    ),
    Pattern("Italian tax codes", re.compile(r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]", re.IGNORECASE)),
    Pattern("Spanish identity numbers", re.compile(r"[\dXYZ]\d{7}[A-Z]", re.IGNORECASE), _spanish),
    Pattern("UK national insurance numbers", re.compile(r"[A-CEGHJ-PR-TW-Z]{2}\s?(\d{2}\s?){3}[A-D]", re.IGNORECASE)),
    Pattern("Brazilian tax numbers", re.compile(r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}"), _brazilian),
    Pattern("German tax numbers", re.compile(r"[1-9]\d{10}"), _german_tax),
    Pattern("Polish person numbers", re.compile(r"\d{11}"), weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)),
    Pattern("NHS numbers", re.compile(r"\d{3}[ -]?\d{3}[ -]?\d{4}"), _nhs),
    Pattern("Swedish person numbers", re.compile(r"\d{6}[-+]?\d{4}"), luhn),
    Pattern("Dutch service numbers", re.compile(r"\d{9}"), weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11)),
    Pattern("payment card numbers", re.compile(r"(\d[ -]?){13,19}"), luhn),
    Pattern(
        "telephone numbers",
        re.compile(r"(\+|00)\d[\d ()/.-]{6,18}|\(?0\d{1,5}\)?[ /-][\d -]{4,12}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"),
    ),
)

#: Codes whose first characters mean something, and coordinates; by themselves they identify no person.
STRUCTURED: tuple[Pattern, ...] = (
    Pattern("ATC", re.compile(r"[A-DGHJ-NPRSV]\d{2}([A-Z]([A-Z](\d{2})?)?)?", re.IGNORECASE)),
    Pattern("ICD-10", re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?[-*+†]?")),
    Pattern("coordinates", re.compile(r"(POINT\s*)?\(?-?\d{1,3}\.\d{2,}[,;\s]+-?\d{1,3}\.\d{2,}\)?", re.IGNORECASE)),
    Pattern("time", re.compile(r"([01]?\d|2[0-3])[:.][0-5]\d([:.][0-5]\d)?( ?[ap]m)?", re.IGNORECASE)),
)

#: Postcodes with letters, unlike other codes; those of digits alone need a column name that says so.
POSTCODES: tuple[re.Pattern[str], ...] = (
    re.compile(r"[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}", re.IGNORECASE),
    re.compile(r"[A-Z]\d[A-Z] ?\d[A-Z]\d", re.IGNORECASE),
    re.compile(r"\d{4} ?[A-Z]{2}", re.IGNORECASE),
    re.compile(r"\d{5}-\d{4}|\d{4}-\d{3}|\d{2}-\d{3}|\d{3} \d{2}"),
)


def found_in(texts: Sequence[str], patterns: Sequence[Pattern]) -> str | None:
    """Find the first pattern that nearly all values match.

    >>> found_in(["ada@example.org", "bob@example.com"], DIRECT)
    'e-mail addresses'
    """
    if not texts:
        return None
    few = texts[:20]
    for pattern in patterns:
        # Most patterns are settled by a few values.
        if share_of(few, pattern.fits) >= NEARLY_ALL / 2 and share_of(texts, pattern.fits) >= NEARLY_ALL:
            return pattern.name
    return None


def share_of(texts: Sequence[str], fits: Callable[[str], object]) -> float:
    """The share of values that match."""
    return sum(1 for text in texts if fits(text)) / max(1, len(texts))


def looks_like_postcodes(texts: Sequence[str]) -> bool:
    """Whether values look like postcodes with letters or a dash at a fixed place."""
    return bool(texts) and any(share_of(texts, form.fullmatch) >= NEARLY_ALL for form in POSTCODES)


def looks_like_addresses(texts: Sequence[str]) -> bool:
    """Whether many texts put a street and a number together, several of both.

    >>> streets = ("Main St", "Rue Foch", "Lindenweg", "Calle Real")
    >>> looks_like_addresses([f"{street} {number}" for street in streets for number in range(30)])
    True
    """
    if len(texts) < MANY_ADDRESSES or share_of(texts, _ADDRESS.fullmatch) < NEARLY_ALL:
        return False
    found = [one for text in texts if (one := _ADDRESS.fullmatch(text)) is not None]
    streets, numbers = ({one[first] or one[second] for one in found} for first, second in ((1, 4), (2, 3)))
    return len(streets) >= FEWEST_STREETS and len(numbers) >= FEWEST_HOUSES


def holds_given_names(texts: Sequence[str]) -> bool:
    """Whether many values hold a given name, alone or beside another word.

    >>> holds_given_names(["Keller, Anna", "MOREAU/PAUL MR"]), holds_given_names(["Rosa Street", "Main Street"] * 9)
    (True, False)
    """
    given = known_values("given_names")

    def is_name(text: str) -> bool:
        parts = words(text).split()
        return 1 <= len(parts) <= 4 and any(part in given for part in parts) and "street" not in parts

    return sum(map(is_name, texts)) > 1 and share_of(texts, is_name) >= NAMES_SHARE
