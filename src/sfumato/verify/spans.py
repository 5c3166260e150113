"""Minimum span: how wide the intervals are that a table shows, read from its text or from two columns of bounds.

All widths are exact: numbers are taken digit by digit as they are shown, and times in their own units. So rounding
never decides whether an interval is wide enough, whatever the size of the numbers or the range of the column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import DataError, SchemaError, listed, shortened
from sfumato.verify.classes import Classes, code_column
from sfumato.verify.models import RuleFinding

ANYTHING = "*"

#: Labels of calendar periods, and their lengths in months.
STRETCHES = (
    (re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})"), 1),
    (re.compile(r"(?P<year>\d{4})-Q(?P<quarter>[1-4])"), 3),
    (re.compile(r"(?P<year>\d{3}0)s"), 120),
)
#: A year looks like a number, so it is read as a year only in a column of dates.
YEAR = re.compile(r"(?P<year>\d{4})")
WEEK = re.compile(r"(?P<year>\d{4})-W(?P<week>\d{2})")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

#: A date in ISO form, with or without a time of day and a zone.
MOMENT = re.compile(
    r"(?P<day>[+-]?\d{4,6}-\d{2}-\d{2})"
    r"(?:[ T](?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d+)?))?)?"
    r"(?P<zone>Z|(?P<sign>[+-])(?P<ahead>\d{2}):?(?P<minutes>\d{2})?)?"
)
#: Ticks per day by the unit of an Arrow type.
PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
#: Larger powers of ten are refused: they would only take time to write out.
MOST_DIGITS = 1_000

Place = Callable[[str], Fraction | None]
Stretches = Callable[[str], Fraction | None]
#: The ends of labels that only a declaration explains; None for an open end.
Labels = Mapping[str, tuple[str | None, str | None]]

#: The width of an interval; None if nothing is shown, which is wider than any required width.
Width = Fraction | None
POINT = Fraction(0)


def check_span(
    requirement: Mapping[str, Any], table: pa.Table, quasi_identifiers: Sequence[str], classes: Classes
) -> RuleFinding:
    """Check a minimum span: no class shows an interval narrower than ``width``.

    A single value, also a missing one, is an interval of no width; ``*`` is as wide as can be. Text is read as numbers
    or ISO dates (whose widths are in days), or by the ``order`` of the requirement, in whose steps its width is. A
    month, a quarter or a decade is as wide as from its first day to its last; with ``calendar``, so is a year. Where
    ``calendar`` is ``"times"``, all of them reach to where the next one begins, and a day without a time is one too.
    ``90+`` and ``<18`` have no other end. ``labels`` says of other texts from where to where they reach.
    """
    name = str(requirement.get("column"))
    asked = parameters.number("minimum-span", "width", requirement.get("width"), above=0)
    # An integer may be too large for a float.
    exact = int(requirement["width"]) if asked.is_integer() else asked
    place = _place_in(requirement.get("order"))
    stretches = _stretches(requirement.get("calendar"))
    bounds = [f"{name}_min", f"{name}_max"]
    if name in quasi_identifiers:
        labels = requirement.get("labels") or {}
        widths, of_class = _shown_widths(table, name, classes, place, stretches, labels)
    elif set(bounds) <= set(quasi_identifiers):
        open_ends = any(None in ends for ends in (requirement.get("labels") or {}).values())
        widths, of_class = _widths_between(table, bounds, classes, place, open_ends)
    else:
        raise SchemaError(
            f"The minimum span is about the column '{name}', which is not a quasi-identifier, nor are "
            f"{listed(bounds)}. Quasi-identifiers: {listed(quasi_identifiers)}."
        )
    found = np.array([_rounded(width) for width in widths], np.float64)[of_class]
    holds = np.array([_is_enough(width, exact) for width in widths], np.bool_)[of_class]
    return RuleFinding(f"minimum span {asked:g}", name, asked, "narrowest", found, holds)


def _is_enough(found: Width, asked: float) -> bool:
    """Whether an interval is wide enough.

    Integer widths are compared exactly. Other widths are only known as the nearest float, so the width found is rounded
    to a float, too.
    """
    if found is None:
        return True
    return found >= asked if isinstance(asked, int) else _rounded(found) >= asked


def _rounded(width: Width) -> float:
    try:
        return math.inf if width is None else float(width)
    except OverflowError:
        return math.inf


def _place_in(order: Sequence[object] | None) -> Place:
    """The function that places a text on a scale: by its rank in an order, else as a number or a day."""
    if order is not None:
        return {str(value): Fraction(rank) for rank, value in enumerate(order)}.get
    # Cached, since few distinct bounds make many intervals.
    return cache(position)


def _shown_widths(
    table: pa.Table, name: str, classes: Classes, place: Place, stretches: Stretches, labels: Labels
) -> tuple[list[Width], NDArray[np.integer]]:
    """The width of every distinct cell of a column, and which of them every class shows."""
    coded = code_column(name, table.column(name))
    widths: list[Width] = [POINT] * len(coded.values)
    if _is_text(coded.values):
        widths = [_width_of(name, text, place, stretches, labels) for text in coded.values.to_pylist()]
    return [*widths, POINT], coded.codes[classes.first_rows]


def _width_of(name: str, text: str, place: Place, stretches: Stretches, labels: Labels) -> Width:
    """The width of the interval that a text shows."""
    if text == ANYTHING or is_open(text, place):
        return None
    stretch = stretches(text) or _around(text, place)
    if stretch is not None:
        return stretch
    if text in labels:
        low, high = (None if end is None else place(end) for end in labels[text])
        return None if low is None or high is None else high - low
    parts = text[1:-1].split(", ")
    if text[:1] not in {"[", "("} or text[-1:] not in {"]", ")"} or len(parts) == 1:
        return POINT
    for cut in range(1, len(parts)):
        low, high = place(", ".join(parts[:cut])), place(", ".join(parts[cut:]))
        if low is not None and high is not None:
            return high - low
    raise _unreadable(name, "interval", text)


def is_open(text: str, place: Place) -> bool:
    """Whether a text such as ``90+`` or ``<18`` shows one end only."""
    known = text[:-1] if text.endswith("+") else text[1:] if text.startswith("<") else ""
    return bool(known) and place(known) is not None


def _around(text: str, place: Place) -> Fraction | None:
    """The width of a rounded number such as ``40±5``."""
    middle, sign, half = text.partition("±")
    reach = place(half) if sign and place(middle) is not None else None
    return None if reach is None else 2 * reach


def _stretches(calendar: object) -> Stretches:
    """The function that measures calendar periods: up to the last day, or up to where the next period begins."""
    with_times = calendar == "times"
    months = (*STRETCHES, (YEAR, 12)) if calendar else STRETCHES

    def read(text: str) -> Fraction | None:
        if WEEK.fullmatch(text):
            return Fraction(7 if with_times else 6)
        if with_times and DAY.fullmatch(text):
            return None if _days(text) is None else Fraction(1)
        found = _stretch(text, months)
        return None if found is None else found - (not with_times)

    return read


def _stretch(text: str, stretches: Sequence[tuple[re.Pattern[str], int]]) -> Fraction | None:
    """The days of a calendar period; None for any other text."""
    for pattern, months in stretches:
        found = pattern.fullmatch(text)
        if found is None:
            continue
        parts = {name: int(number) for name, number in found.groupdict().items()}
        month = parts.get("month", 3 * parts["quarter"] - 2 if "quarter" in parts else 1)
        first = parts["year"] * 12 + month - 1
        return _first_day(first + months) - _first_day(first)
    return None


def _first_day(month: int) -> Fraction:
    """The first day of a month, counted from the year 0, in days since 1970."""
    return Fraction(int(np.datetime64(f"{month // 12:04d}-{month % 12 + 1:02d}-01").astype(np.int64)))


def _is_text(values: pa.Array) -> bool:
    return pa.types.is_string(values.type) or pa.types.is_large_string(values.type)


def _widths_between(
    table: pa.Table, names: list[str], classes: Classes, place: Place, open_ends: bool
) -> tuple[list[Width], NDArray[np.integer]]:
    """The widths of the distinct pairs of two columns, and which of them every class shows."""
    lows, highs = (_side(name, table.column(name), place) for name in names)
    codes = [code_column(name, table.column(name)).codes[classes.first_rows] for name in names]
    pairs, of_class = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    return [_between(lows[low], highs[high], open_ends) for low, high in pairs.tolist()], of_class.reshape(-1)


def _between(low: Fraction | float | None, high: Fraction | float | None, open_ends: bool) -> Width:
    """The width between two bounds; None if both are missing."""
    if low is None or high is None:
        # One bound alone still shows a value, unless open ends are declared.
        return None if low is high or open_ends else POINT
    if isinstance(low, Fraction) and isinstance(high, Fraction):
        return high - low
    return None if float(low) < float(high) else POINT


def _side(name: str, column: pa.ChunkedArray, place: Place) -> list[Fraction | float | None]:
    """The positions of the distinct values of a column of bounds, and at the end of a missing one."""
    values = code_column(name, column).values
    kind = values.type
    if pa.types.is_temporal(kind):
        per_day = 1 if pa.types.is_date32(kind) else PER_DAY[getattr(kind, "unit", "ms")]
        wide = pa.int32() if kind.bit_width == 32 else pa.int64()
        return [*(Fraction(ticks, per_day) for ticks in values.cast(wide).to_pylist()), None]
    texts = values.cast(pa.string()).to_pylist()
    if _is_text(values) or pa.types.is_boolean(kind):
        return [*(_known(name, text, place) for text in texts), None]
    # A float counts as the decimal number that it is shown as.
    return [*(Fraction(text) if text[-3:] not in {"inf", "nan"} else float(text) for text in texts), None]


def _known(name: str, text: str, place: Place) -> Fraction:
    position = place(text)
    if position is None:
        raise _unreadable(name, "bound", text)
    return position


def _unreadable(name: str, what: str, text: str) -> DataError:
    return DataError(
        f"Column '{name}': the {what} {shortened(text)} is neither of numbers nor of dates, so it has no width. "
        "Give the order of the column's values with the minimum span."
    )


def position(text: str) -> Fraction | None:
    """The position of a text: a number as itself, an ISO date or time in days; None for anything else."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return _days(text)
    return Fraction(number) if number.is_finite() and abs(number.adjusted()) < MOST_DIGITS else None


def _days(text: str) -> Fraction | None:
    """The exact number of days from the beginning of 1970 to a time."""
    found = MOMENT.fullmatch(text)
    if found is None:
        return None
    try:
        day = int(np.datetime64(found["day"], "D").astype(np.int64))
    except ValueError:
        return None
    hours, minutes = (int(found[part] or 0) for part in ("hour", "minute"))
    seconds = Fraction((found["second"] or "0").replace(",", "."))
    ahead = (60 * int(found["ahead"] or 0) + int(found["minutes"] or 0)) * (-1 if found["sign"] == "-" else 1)
    if hours > 23 or minutes > 59 or seconds >= 60:
        return None
    return day + Fraction(60 * hours + minutes - ahead, 1440) + seconds / 86_400
