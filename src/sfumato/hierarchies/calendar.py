"""Calendar levels: the day, week, month, quarter, year or decade of a date or time, and where it ends."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.hierarchies.levels import Ends, Level, grouped_level, only_dates

TICKS_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}

#: The first and the last day of the calendar.
FIRST_DAY, LAST_DAY = (day.toordinal() - dt.date(1970, 1, 1).toordinal() for day in (dt.date.min, dt.date.max))

Days = NDArray[np.int64]


@dataclass(frozen=True)
class Unit:
    """One calendar unit: how times are numbered in order, how a number is shown, and the day on which it begins."""

    count: Callable[[pa.Array], Days]
    label: Callable[[int], str]
    first_day: Callable[[Days], Days]


def _months(moments: pa.Array) -> Days:
    return _numpy(pc.year(moments)) * 12 + _numpy(pc.month(moments)) - 1


def _day_of_month(months: Days) -> Days:
    """The first days of months, counted from the year 0, in days since 1970."""
    found: Days = (months - 1970 * 12).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return found


def _numpy(values: pa.Array) -> Days:
    numbers: Days = values.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


CALENDAR: dict[str, Unit] = {
    "day": Unit(
        lambda moments: _numpy(moments.cast(pa.date32(), safe=False).cast(pa.int32())),
        lambda key: str(np.datetime64(key, "D")),
        lambda keys: keys,
    ),
    "week": Unit(
        # January 1, 1970 was a Thursday.
        lambda moments: (CALENDAR["day"].count(moments) + 3) // 7,
        lambda key: "{:04d}-W{:02d}".format(*(dt.date(1970, 1, 1) + dt.timedelta(7 * key - 3)).isocalendar()[:2]),
        lambda keys: 7 * keys - 3,
    ),
    "month": Unit(_months, lambda key: f"{key // 12:04d}-{key % 12 + 1:02d}", _day_of_month),
    "quarter": Unit(
        lambda moments: _months(moments) // 3,
        lambda key: f"{key // 4:04d}-Q{key % 4 + 1}",
        lambda keys: _day_of_month(3 * keys),
    ),
    "year": Unit(
        lambda moments: _numpy(pc.year(moments)), lambda key: f"{key:04d}", lambda keys: _day_of_month(12 * keys)
    ),
    "decade": Unit(
        lambda moments: _numpy(pc.year(moments)) // 10,
        lambda key: f"{key:03d}0s",
        lambda keys: _day_of_month(120 * keys),
    ),
}


#: The units that nest; weeks do not, since they cross the ends of months.
NESTED = tuple(name for name in CALENDAR if name != "week")


def calendar_level(name: str, ordered: pa.Array, has_missing: bool) -> Level:
    """Make a calendar level of sorted times; times with a zone are grouped by the calendar of that zone."""
    unit = CALENDAR[name]
    local = pc.local_timestamp(ordered) if getattr(ordered.type, "tz", None) else ordered
    keys = unit.count(local)
    different, places = np.unique(keys, return_inverse=True)
    labels = pa.array([unit.label(int(key)) for key in different], pa.string()).take(pa.array(places))
    ends = _ends(unit.first_day(different), unit.first_day(different + 1), ordered)
    return grouped_level(name, keys, labels, has_missing, ends)


def _ends(first: Days, after: Days, ordered: pa.Array) -> Ends:
    """The ends of periods: up to their last day, or for times of day up to where the next one begins."""
    last = after - 1 if only_dates(ordered) else after
    low, high = (_moments(days, ordered.type) for days in (first, last))
    begins, ends = (days_since_epoch(side) for side in (low, high))
    # With daylight saving time a period can be an hour longer or shorter than the calendar says; the shorter counts.
    widths = np.minimum(ends - begins, (last - first).astype(np.float64))
    return Ends(low, high, (begins + ends) / 2, begins - days_since_epoch(ordered[:1]), widths)


def _moments(days: Days, kind: pa.DataType) -> pa.Array:
    """The beginnings of days in a column's type, or the first or last time that it can hold."""
    if pa.types.is_date(kind):
        return pa.array(np.clip(days, FIRST_DAY, LAST_DAY).astype(np.int32)).cast(kind)
    per_day = TICKS_PER_DAY[kind.unit]
    # A day from the ends of what is stored, if that is in another zone than the calendar.
    least, greatest = held_by(kind.unit, per_day if kind.tz else 0)
    ticks = [min(max(day * per_day, least), greatest) for day in days.tolist()]
    naive = pa.array(ticks, pa.int64()).cast(pa.timestamp(kind.unit))
    if kind.tz is None:
        return naive
    zoned = pc.assume_timezone(naive, kind.tz, ambiguous="earliest", nonexistent="earliest")
    return pa.array(np.clip(_numpy(zoned.cast(pa.int64())), *held_by(kind.unit)), pa.int64()).cast(kind)


def held_by(unit: str, margin: int = 0) -> tuple[int, int]:
    """The first and the last tick of the calendar that a type of timestamps holds, less a margin at its own ends."""
    limits, per_day = np.iinfo(np.int64), TICKS_PER_DAY[unit]
    least, greatest = int(limits.min) + 1 + margin, int(limits.max) - margin
    return max(least, FIRST_DAY * per_day), min(greatest, (LAST_DAY + 1) * per_day - 1)


def beyond_calendar(moments: pa.Array) -> NDArray[np.bool_]:
    """Mark what lies before the year 1 or after 9999, in UTC or by the clock of its zone."""
    ticks, per_day = ticks_of(moments)
    if per_day == 1:
        return (ticks < FIRST_DAY) | (ticks > LAST_DAY)
    unit, zone = moments.type.unit, moments.type.tz
    least, greatest = held_by(unit, per_day if zone and unit == "ns" else 0)
    beyond: NDArray[np.bool_] = (ticks < least) | (ticks > greatest)
    if zone is not None and not beyond.any():
        return beyond_calendar(pc.local_timestamp(moments))
    return beyond


def days_since_epoch(moments: pa.Array) -> NDArray[np.float64]:
    """Times in days since 1970."""
    ticks, per_day = ticks_of(moments)
    return ticks / per_day


def ticks_of(moments: pa.Array) -> tuple[NDArray[np.int64], int]:
    """Times in ticks since 1970, and the number of ticks per day."""
    if pa.types.is_date(moments.type):
        return _numpy(moments.cast(pa.int32())), 1
    return _numpy(moments.cast(pa.int64())), TICKS_PER_DAY[moments.type.unit]
