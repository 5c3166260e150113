"""Checks of arguments, with uniform error messages."""

from __future__ import annotations

import itertools
import math
import numbers
import re
from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import TypeVar

from sfumato.errors import did_you_mean, invalid_parameter

T = TypeVar("T")

#: The most bits of a whole number: Python refuses to print those with thousands of digits.
LONGEST_WHOLE = 4096
#: The smallest memory limit: the program itself and one batch of rows need about as much.
LEAST_SIZE = 64 << 20

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?)b?|b)?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def integer(owner: str, name: str, value: object, at_least: int) -> int:
    """Convert ``value`` to an int, or refuse it."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or int(value) < at_least or int(value).bit_length() > LONGEST_WHOLE:  # type: ignore[call-overload]
        hint = _as_number(name, value) if _float(_unquoted(value)) >= at_least else ""
        raise invalid_parameter(owner, name, f"an integer of at least {at_least}", value, hint)
    return int(value)  # type: ignore[call-overload]


def _unquoted(value: object) -> object:
    """The number that a text such as ``"5"`` stands for; anything else as it is."""
    return float(value) if isinstance(value, str) and re.fullmatch(r"\s*\d{1,12}(\.\d+)?\s*", value) else value


def _as_number(name: str, value: object) -> str:
    """Suggest the number that a text such as ``"5"``, or a float such as ``5.0``, stands for."""
    text = value.strip() if isinstance(value, str) else repr(value) if isinstance(value, float) else ""
    written = re.fullmatch(r"(\d{1,12})(\.0+|\.\d+)?", text)
    if written is None or (isinstance(value, float) and value != int(value)):
        return ""
    plain = written[1] if (written[2] or ".0").strip(".0") == "" else text
    return f"Write {name}={plain}, without quotes." if isinstance(value, str) else f"Write {name}={plain}."


def number(
    owner: str,
    name: str,
    value: object,
    at_least: float = -math.inf,
    above: float = -math.inf,
    hint: str = "",
) -> float:
    """Convert ``value`` to a finite float within its bounds, or refuse it."""
    bound = f" above {above:g}" if above > -math.inf else f" of at least {at_least:g}" if at_least > -math.inf else ""
    given = _float(value)
    if not (math.isfinite(given) and given >= at_least and given > above):
        meant = _float(_unquoted(value))
        written = _as_number(name, value) if isinstance(value, str) and meant >= at_least and meant > above else ""
        raise invalid_parameter(owner, name, f"a number{bound}", value, hint or written)
    return given


def multiples(owner: str, name: str, value: object) -> tuple[float, ...]:
    """Convert ``value`` to a tuple of positive numbers, each a multiple of the one before, or refuse it."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise invalid_parameter(owner, name, "a list of numbers such as [5, 10, 20]", value)
    given = tuple(value)
    for one in given:
        number(owner, name, one, above=0)
    for narrow, wide in itertools.pairwise(given):
        if wide <= narrow or abs(wide / narrow - round(wide / narrow)) > 1e-9:
            expected = (
                f"a list in which each {name.removesuffix('s')} is a multiple of the one before, such as 5, 10, 20"
            )
            raise invalid_parameter(owner, name, expected, given, f"{wide:g} is not a multiple of {narrow:g}.")
    return given


def share(owner: str, name: str, value: object) -> float:
    """Convert ``value`` to a share from 0 to 1, or refuse it; for 4, the message suggests 0.04."""
    given = _float(value)
    if 0 <= given <= 1:
        return given
    hint = f"For {given:g} % write {given / 100:g}." if 1 < given <= 100 else ""
    raise invalid_parameter(owner, name, "a share from 0 to 1", value, hint)


def rows_within(share: float, rows: int) -> int:
    """Round a share of rows down, exactly: 0.29 of 100 rows is 29, although 0.29 * 100 is a little less in floats."""
    return int(Fraction(repr(float(share))) * rows)


def choice(owner: str, name: str, value: T, allowed: Collection[T]) -> T:
    """Pass ``value`` through if it is one of ``allowed``, or refuse it."""
    if value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise invalid_parameter(owner, name, f"one of {options}", value, did_you_mean(value, allowed))
    return value


def flag(owner: str, name: str, value: object) -> bool:
    """Pass ``value`` through if it is a bool, or refuse it: 0 and "no" are accidents waiting to happen."""
    if not isinstance(value, bool):
        raise invalid_parameter(owner, name, "True or False", value)
    return value


def text(owner: str, name: str, value: object) -> str:
    """Pass ``value`` through if it is text, or refuse it."""
    if not isinstance(value, str):
        raise invalid_parameter(owner, name, "text", value)
    return value


def size(owner: str, name: str, value: object) -> int:
    """Convert a size such as ``"4GB"``, ``"512MiB"`` or a number of bytes to bytes, or refuse it.

    Examples
    --------
    >>> size("anonymize", "memory", "4GB"), size("anonymize", "memory", "512MiB")
    (4000000000, 536870912)
    """
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    given = value if isinstance(value, int) and not isinstance(value, bool) else 0
    if found is not None:
        given = int(float(found[1]) * (1024 if found[3] else 1000) ** _POWERS[(found[2] or "").lower()])
    if given < LEAST_SIZE:
        raise invalid_parameter(owner, name, "a size such as '4GB' or '512MiB', at least 64 MiB", value)
    return given


def names(owner: str, name: str, value: object) -> tuple[str, ...]:
    """Convert one name or several to a tuple, or refuse what is not a name."""
    given = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    if not all(isinstance(one, str) for one in given):
        raise invalid_parameter(owner, name, "a column name or a list of them", value)
    return given


def _float(value: object) -> float:
    """Convert a real number to a float; anything else, and what is too large, to NaN, which fits no bound."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
