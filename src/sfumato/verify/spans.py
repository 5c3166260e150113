"""How wide are the intervals that a table shows? Read from its text, or from its two columns of bounds."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.errors import DataError, SchemaError, listed, shortened
from sfumato.verify.classes import Classes, code_column
from sfumato.verify.models import TOLERANCE, Finding

ANYTHING = "*"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECONDS_PER_DAY = 86_400_000_000

#: Labels that stand for a stretch of the calendar, and how many months it has.
STRETCHES = (
    (re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})"), 1),
    (re.compile(r"(?P<year>\d{4})-Q(?P<quarter>[1-4])"), 3),
    (re.compile(r"(?P<year>\d{3}0)s"), 120),
)
#: A year reads like a number, so it is one only in a column that is known to hold dates.
YEAR = re.compile(r"(?P<year>\d{4})")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

Place = Callable[[str], float | None]
Interval = tuple[float, float]
Stretches = Callable[[str], Interval | None]

POINT: Interval = (0.0, 0.0)
#: Shows nothing, so no width is too much to ask of it.
UNLIMITED: Interval = (-math.inf, math.inf)


def check_span(
    requirement: Mapping[str, Any], table: pa.Table, quasi_identifiers: Sequence[str], classes: Classes
) -> Finding:
    """Check a minimum span: no class shows an interval of a column that is narrower than ``width``.

    A single value, also a missing one, is an interval of no width; ``*`` is as wide as can be. Text is read as numbers
    or ISO dates (whose widths are in days), or by the ``order`` of the requirement, in whose steps its width is. A
    month, a quarter or a decade is as wide as from its first day to its last; with ``calendar``, so is a year. Where
    ``calendar`` is ``"times"``, all of them reach to where the next one begins, and a day without a time is one too.
    """
    name = str(requirement.get("column"))
    width = parameters.number("minimum-span", "width", requirement.get("width"), above=0)
    place = _place_in(requirement.get("order"))
    stretches = _stretches(requirement.get("calendar"))
    bounds = [f"{name}_min", f"{name}_max"]
    if name in quasi_identifiers:
        intervals = _shown_intervals(table, name, classes, place, stretches)
    elif set(bounds) <= set(quasi_identifiers):
        intervals = _bounds(table, bounds, classes, place)
    else:
        raise SchemaError(
            f"The minimum span is about the column '{name}', which is not a quasi-identifier, nor are "
            f"{listed(bounds)}. Quasi-identifiers: {listed(quasi_identifiers)}."
        )
    found = intervals[:, 1] - intervals[:, 0]
    finite = intervals[np.isfinite(found) & (found > 0)]
    # Positions are rounded relative to the scale they lie on.
    slack = TOLERANCE * max(width, float(np.ptp(finite)) if len(finite) else 0.0)
    return Finding(f"minimum span {width:g}", name, width, "narrowest", found, found >= width - slack)


def _place_in(order: Sequence[object] | None) -> Place:
    """Return what places a text on a scale: its rank in an order, else its number or its day."""
    if order is not None:
        return {str(value): float(rank) for rank, value in enumerate(order)}.get
    # Few different bounds make many different intervals.
    return cache(_position)


def _shown_intervals(
    table: pa.Table, name: str, classes: Classes, place: Place, stretches: Stretches
) -> NDArray[np.float64]:
    coded = code_column(name, table.column(name))
    if _is_text(coded.values):
        shown = [stretches(text) or _read(name, text, place) for text in coded.values.to_pylist()]
    else:
        shown = [POINT] * len(coded.values)
    return np.array([*shown, POINT])[coded.codes[classes.first_rows]]


def _stretches(calendar: object) -> Stretches:
    """Return what reads stretches of the calendar: the first and the last day, or where the next one begins."""
    with_times = calendar == "times"
    months = (*STRETCHES, (YEAR, 12)) if calendar else STRETCHES

    def read(text: str) -> Interval | None:
        if with_times and DAY.fullmatch(text):
            first = _position(text)
            return None if first is None else (first, first + 1)
        found = _stretch(text, months)
        return None if found is None else (found[0], found[1] - (not with_times))

    return read


def _stretch(text: str, stretches: Sequence[tuple[re.Pattern[str], int]]) -> Interval | None:
    """Return the first day of a stretch of the calendar and the first one after it; None for any other text."""
    for pattern, months in stretches:
        found = pattern.fullmatch(text)
        if found is None:
            continue
        parts = {name: int(number) for name, number in found.groupdict().items()}
        month = parts.get("month", 3 * parts["quarter"] - 2 if "quarter" in parts else 1)
        first = parts["year"] * 12 + month - 1
        return _first_day(first), _first_day(first + months)
    return None


def _first_day(month: int) -> float:
    """Return the first day of a month, counted from the year 0, in days since 1970."""
    return float(np.datetime64(f"{month // 12:04d}-{month % 12 + 1:02d}-01").astype(np.int64))


def _is_text(values: pa.Array) -> bool:
    return pa.types.is_string(values.type) or pa.types.is_large_string(values.type)


def _read(name: str, text: str, place: Place) -> Interval:
    """Return the interval that a text shows."""
    if text == ANYTHING:
        return UNLIMITED
    parts = text[1:-1].split(", ")
    if text[:1] not in {"[", "("} or text[-1:] not in {"]", ")"} or len(parts) == 1:
        return POINT
    for cut in range(1, len(parts)):
        low, high = place(", ".join(parts[:cut])), place(", ".join(parts[cut:]))
        if low is not None and high is not None:
            return (low, high)
    raise _unreadable(name, "interval", text)


def _bounds(table: pa.Table, names: list[str], classes: Classes, place: Place) -> NDArray[np.float64]:
    """Return the intervals of two columns; where both are missing, nothing is shown."""
    intervals = np.stack([_side(name, table.column(name), classes, place) for name in names], axis=1)
    missing = np.isnan(intervals)
    intervals[missing.any(axis=1)] = POINT  # half an interval still shows a value
    intervals[missing.all(axis=1)] = UNLIMITED
    return intervals


def _side(name: str, column: pa.ChunkedArray, classes: Classes, place: Place) -> NDArray[np.float64]:
    coded = code_column(name, column)
    return np.append(_positions(name, coded.values, place), math.nan)[coded.codes[classes.first_rows]]


def _positions(name: str, values: pa.Array, place: Place) -> NDArray[np.float64]:
    """Return numbers as they are, dates and times as days, text as it is read."""
    kind = values.type
    if _is_text(values) or pa.types.is_boolean(kind):
        return np.array([_known(name, text, place) for text in values.cast(pa.string()).to_pylist()], np.float64)
    if not pa.types.is_temporal(kind):
        return np.asarray(values.cast(pa.float64(), safe=False))
    zone = getattr(kind, "tz", None)
    ticks = values.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64())
    return np.asarray(ticks) / MICROSECONDS_PER_DAY


def _known(name: str, text: str, place: Place) -> float:
    position = place(text)
    if position is None:
        raise _unreadable(name, "bound", text)
    return position


def _unreadable(name: str, what: str, text: str) -> DataError:
    return DataError(
        f"Column '{name}': the {what} {shortened(text)} is neither of numbers nor of dates, so no width can be told. "
        "Give the order of the column's values with the minimum span."
    )


def _position(text: str) -> float | None:
    """Return a number as itself and an ISO date or time as days; None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return _days(text)
    return number if math.isfinite(number) else None


def _days(text: str) -> float | None:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return (moment - EPOCH) / dt.timedelta(days=1)
