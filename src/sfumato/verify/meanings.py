"""The exact meaning of a text: a number with all of its digits, a time with its zone, or the text itself."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?|[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?", re.ASCII)

Meaning = Decimal | dt.datetime | str


def number(text: str) -> Decimal | None:
    """Parse a number without rounding; None for any other text.

    Examples
    --------
    >>> number("0.1234567890123456789") == number("0.12345678901234567890"), number("12 cm")
    (True, None)
    """
    plain = text.strip()
    return Decimal(plain) if _NUMBER.fullmatch(plain) else None


def moment(text: str) -> dt.datetime | None:
    """Parse an ISO date or time, in UTC if it has a zone; None for any other text."""
    plain = text.strip()
    if not _MOMENT.fullmatch(plain):
        return None
    try:
        read = dt.datetime.fromisoformat(plain)
        return read.astimezone(dt.UTC) if read.tzinfo is not None else read
    except (ValueError, OverflowError):
        return None


def ranks(texts: Sequence[str]) -> list[int]:
    """The rank of every text, ordered as numbers or times if all of them are, else as text.

    Equal numbers have one rank, however they are written.
    """
    meanings = _all(number, texts) or _all(moment, texts) or list(texts)
    try:
        ordered = sorted(set(meanings))
    except TypeError:  # times with and without a zone cannot be compared
        return ranks_of_texts(texts)
    place = {meaning: rank for rank, meaning in enumerate(ordered)}
    return [place[meaning] for meaning in meanings]


def ranks_of_texts(texts: Sequence[str]) -> list[int]:
    """The rank of every text in alphabetical order."""
    place = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return [place[text] for text in texts]


def _all(read: Callable[[str], Meaning | None], texts: Sequence[str]) -> list[Meaning] | None:
    meanings = []
    for text in texts:
        meaning = read(text)
        if meaning is None:
            return None
        meanings.append(meaning)
    return meanings


def written_differently(texts: Sequence[str]) -> tuple[str, str] | None:
    """Find two texts with the same meaning, such as 1 and 1.0; None if there are none."""
    first: dict[Meaning, str] = {}
    for text in texts:
        other = first.setdefault(_meaning(text), text)
        if other != text:
            return other, text
    return None


def _meaning(text: str) -> Meaning:
    found = number(text)
    if found is not None:
        return found
    plain = text.strip()
    return moment(text) or (plain.lower() if plain.lower() in {"true", "false"} else plain)
