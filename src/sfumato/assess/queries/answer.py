"""The answer of a release to a query."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Answer:
    """An estimate, and two bounds between which the true answer lies for certain.

    Attributes
    ----------
    estimate
        The expected answer if the values of a class are spread evenly over what it shows; None if no row can match, or
        if there is nothing to estimate from.
    lower, upper
        The bounds of the true answer, whatever values the shown cells stand for.
    """

    estimate: Any
    lower: Any
    upper: Any

    @property
    def exact(self) -> bool:
        """Whether only one answer is possible."""
        return bool(self.lower == self.upper)

    def __contains__(self, value: Any) -> bool:
        """Whether a value can be the true answer."""
        return bool(self.lower <= value <= self.upper)

    def __str__(self) -> str:
        shown = [f"{part:,.6g}" if isinstance(part, float) else str(part) for part in (self.lower, self.upper)]
        estimate = f"{self.estimate:,.6g}" if isinstance(self.estimate, float) else str(self.estimate)
        return f"{estimate} (between {shown[0]} and {shown[1]})"


def answer_in_time(answer: Answer, kind: pa.DataType) -> Answer:
    """Convert an answer in days since 1970 to dates, or to times where the column has times of day.

    The bounds of dates are rounded outward, so that the mean of some dates lies between them. What is beyond the years
    that Python knows stays unknown.
    """
    estimate = _moment(answer.estimate, kind, round)
    lower, upper = _moment(answer.lower, kind, math.floor), _moment(answer.upper, kind, math.ceil)
    return Answer(None if isinstance(estimate, float) else estimate, lower, upper)


def _moment(days: float | None, kind: pa.DataType, whole: Callable[[float], int]) -> Any:
    """Convert days to a date or a time in the zone of a column; infinite ones stay numbers."""
    if days is None or not math.isfinite(days):
        return days
    try:
        if pa.types.is_date(kind):
            return EPOCH.date() + dt.timedelta(days=whole(days))
        return _in_zone(EPOCH + dt.timedelta(days=days), kind.tz)
    except OverflowError:
        return math.copysign(math.inf, days)


def _in_zone(moment: dt.datetime, zone: str | None) -> dt.datetime:
    """A time as the clock of a zone shows it; without a zone, as it stands in the table."""
    if zone is None:
        return moment.replace(tzinfo=None)
    try:
        return moment.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError):  # an offset such as +02:00
        return moment
