"""Cells of a column on a scale, read without the original: the interval that each of them covers.

Numbers stand for themselves, dates and times for days since 1970, the values of an order for their ranks.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError, shortened

ANYTHING = "*"
#: How ARX and databases write a missing value, where no value is called so.
ABSENT = "NULL"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECONDS_PER_DAY = 86_400_000_000

#: Labels of calendar periods, and their lengths in months.
STRETCHES = (
    (re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})"), 1),
    (re.compile(r"(?P<year>\d{4})-Q(?P<quarter>[1-4])"), 3),
    (re.compile(r"(?P<year>\d{3}0)s"), 120),
    (re.compile(r"(?P<year>\d{4})"), 12),
)

WEEK = re.compile(r"(?P<year>\d{4})-W(?P<week>0[1-9]|[1-4]\d|5[0-3])")

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

#: A day as it is written with dots, the day first; and a number with a decimal comma, not with one before thousands.
DOTTED, COMMA = re.compile(r"(\d{2})\.(\d{2})\.(\d{4})"), re.compile(r"([+-]?\d+),(\d{1,2}|\d{4,})")

#: A code without its last digits.
CUT_OFF = re.compile(r"[^*]\*+$")

#: How the label of an interval begins that has one end only.
COMPARED = re.compile(r"(<=|>=|<|>)\s*")

#: Turns the text of a single value into its position on the scale; None for other texts.
Place = Callable[[str], float | None]
#: Returns the interval of a label, without its upper end; None for labels that it does not explain.
Meant = Callable[[str], tuple[float, float] | None]


class Extent(NamedTuple):
    """The interval of one cell; ``open_end`` if the upper end is excluded, ``open_start`` if the lower one is."""

    low: float
    high: float
    open_end: bool = False
    missing: bool = False
    open_start: bool = False


EVERYTHING = Extent(-math.inf, math.inf, missing=True)
#: A cell that shows a missing value: no number lies between these ends.
NOTHING = Extent(math.inf, -math.inf, missing=True)


@dataclass(frozen=True)
class Extents:
    """The intervals of the distinct cells of a column.

    Attributes
    ----------
    low, high
        The ends; infinite for ``*``, and ``low`` above ``high`` for a cell that holds no number.
    open_end
        Whether the upper end is excluded, as in ``[20, 30)`` and ``[20, 30[``.
    missing
        Whether the cell may stand for a missing value.
    open_start
        Whether the lower end is excluded, as in ``(20, 30]`` and ``]20, 30]``.
    """

    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    open_end: NDArray[np.bool_] = field(repr=False)
    missing: NDArray[np.bool_] = field(repr=False)
    open_start: NDArray[np.bool_] = field(repr=False)

    def __len__(self) -> int:
        return len(self.low)

    @classmethod
    def of(cls, extents: Sequence[Extent]) -> Extents:
        """Collect the extents of single cells."""
        low, high, *flags = zip(*extents, strict=True) if extents else ((), (), (), (), ())
        return cls(np.array(low, float), np.array(high, float), *(np.array(flag, bool) for flag in flags))


def read_extents(
    name: str,
    cells: pa.Array,
    order: Sequence[object] | None = None,
    calendar: bool = False,
    meaning: Meant = lambda label: None,
    days: bool = False,
) -> Extents:
    """Read the distinct cells of a column: a value, an interval, a calendar period, ``*``, or nothing.

    Intervals are read in the notations of Sfumato, ARX (``[20, 30[``, ``>=80``) and pandas (``(20, 30]``).

    Parameters
    ----------
    name
        The column, for messages.
    cells
        Distinct cells, of any type.
    order
        All values from first to last, where the scale is an order of names.
    calendar
        Whether the column holds dates, so that ``2024`` and ``2020s`` are calendar periods.
    meaning
        Returns the interval of a label that only the hierarchy explains.
    days
        Whether a day without a time stands for all of its times.

    Examples
    --------
    >>> extents = read_extents("age", pa.array(["[20, 30)", "41", "*", None]))
    >>> extents.low.tolist(), extents.high.tolist()
    ([20.0, 41.0, -inf, inf], [30.0, 41.0, inf, -inf])
    """
    if not _is_text(cells.type):
        return Extents.of([_point(position) for position in positions(cells)])
    place = _place_in(order)
    explained = _with_days(meaning) if days else meaning
    return Extents.of([_extent(name, text, place, calendar, explained) for text in cells.to_pylist()])


def _with_days(meaning: Meant) -> Meant:
    """Explain days as well, from midnight to midnight."""

    def explain(label: str) -> tuple[float, float] | None:
        found = _days(label) if DAY.fullmatch(label) else None
        return meaning(label) if found is None else (found, found + 1)

    return explain


def read_bounds(lows: NDArray[np.float64], highs: NDArray[np.float64]) -> Extents:
    """Read two columns of bounds; if both are missing, the cell may be anything."""
    silent = np.isnan(lows) & np.isnan(highs)
    low = np.where(silent | np.isnan(lows), -math.inf, lows)
    high = np.where(silent | np.isnan(highs), math.inf, highs)
    closed = np.zeros(len(low), bool)
    return Extents(low, high, closed, np.isnan(lows) | np.isnan(highs), closed)


def positions(values: pa.Array, order: Sequence[object] | None = None) -> NDArray[np.float64]:
    """The positions of single values on their scale; NaN for missing ones."""
    kind = values.type
    if _is_text(kind):
        place = _place_in(order)
        found = [None if text is None else place(text) for text in values.to_pylist()]
        return np.array([math.nan if one is None else one for one in found], float)
    if pa.types.is_boolean(kind):
        values = values.cast(pa.int8())
    if pa.types.is_temporal(kind):
        ticks = values.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
        return np.asarray(ticks.cast(pa.float64(), safe=False), float) / MICROSECONDS_PER_DAY
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), float)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)


def _point(position: float) -> Extent:
    return NOTHING if math.isnan(position) else Extent(position, position)


def _extent(name: str, text: str | None, place: Place, calendar: bool, meaning: Meant) -> Extent:
    """The interval of one cell."""
    if text is None or text == ANYTHING:
        return NOTHING if text is None else EVERYTHING
    stretch = stretch_of(text) if calendar else None
    if stretch is not None:
        return stretch
    declared = meaning(text)
    position = place(text) if declared is None else None
    if position is not None:
        return Extent(position, position)
    explained = _open_ended(text, place) if declared is None else Extent(*declared, open_end=True)
    if explained is not None:
        return explained
    for low, high in _ends(text):
        first, last = place(low), place(high)
        if first is not None and last is not None:
            return Extent(first, last, text[-1] in ")[", open_start=text[0] in "(]")
    if text == ABSENT:
        return NOTHING
    raise unreadable(name, text)


def _open_ended(text: str, place: Place) -> Extent | None:
    """The interval of ``90+``, ``<18``, ``>=90`` or ``40±5``; None for any other text."""
    if text.endswith("+") and (low := place(text[:-1])) is not None:
        return Extent(low, math.inf)
    sign = COMPARED.match(text)
    if sign is not None and (end := place(text[sign.end() :])) is not None:
        strict = "=" not in sign[0]
        if sign[0][0] == "<":
            return Extent(-math.inf, end, open_end=strict)
        return Extent(end, math.inf, open_start=strict)
    middle, around, half = text.partition("±")
    at, reach = (place(middle), place(half)) if around else (None, None)
    return None if at is None or reach is None else Extent(at - reach, at + reach, open_end=True)


def unreadable(name: str, text: str) -> DataError:
    """The error for a cell that cannot be read without a hierarchy."""
    hint = " Codes that are cut off are read with 'prefix'." if CUT_OFF.search(text) else ""
    return DataError(
        f"Column '{name}' of the release shows {shortened(text)}, which is neither a value of the original nor an "
        f"interval of them. Give the hierarchy that the release was made with, as in the schema or the policy.{hint}"
    )


def _ends(text: str) -> Iterator[tuple[str, str]]:
    """Yield every way to read a text as an interval's two ends: values may hold commas themselves."""
    if text[:1] in {"[", "(", "]"} and text[-1:] in {"]", ")", "["}:
        parts = text[1:-1].split(", ")
        for cut in range(1, len(parts)):
            yield ", ".join(parts[:cut]), ", ".join(parts[cut:])


def stretch_of(text: str) -> Extent | None:
    """The days of a week, month, quarter, year or decade; None for any other text."""
    week = WEEK.fullmatch(text)
    if week is not None:
        monday = np.datetime64(dt.date.fromisocalendar(int(week["year"]), int(week["week"]), 1)).astype(np.int64)
        return Extent(float(monday), float(monday + 7), open_end=True)
    for pattern, months in STRETCHES:
        found = pattern.fullmatch(text)
        if found is not None:
            parts = {key: int(number) for key, number in found.groupdict().items()}
            month = parts.get("month", 3 * parts["quarter"] - 2 if "quarter" in parts else 1)
            first = parts["year"] * 12 + month - 1
            return Extent(_first_day(first), _first_day(first + months), open_end=True)
    return None


def _first_day(month: int) -> float:
    """The first day of a month, counted from the year 0, in days since 1970."""
    return float(np.datetime64(f"{month // 12:04d}-{month % 12 + 1:02d}-01").astype(np.int64))


def _place_in(order: Sequence[object] | None) -> Place:
    if order is not None:
        return {str(value): float(rank) for rank, value in enumerate(order)}.get
    return _position


def _position(text: str) -> float | None:
    """The position of a text: a number as itself, a date or time in days; None for anything else."""
    try:
        number = float(COMMA.sub(r"\1.\2", text) if COMMA.fullmatch(text) else text)
    except ValueError:
        return _days(text)
    return number if math.isfinite(number) else None


def _days(text: str) -> float | None:
    """The days since 1970 of an ISO date or time, or of a day with dots; None for anything else."""
    dotted = DOTTED.fullmatch(text)
    try:
        moment = dt.datetime.fromisoformat(text if dotted is None else "-".join(dotted.groups()[::-1]))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return (moment - EPOCH) / dt.timedelta(days=1)
