"""Dates and times: by calendar levels if they are declared, else as intervals."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from sfumato.common import parameters
from sfumato.common.years import full_year
from sfumato.errors import DataError, invalid_parameter
from sfumato.hierarchies.base import Fitted, Hierarchy, converted, sort_codes, texts_between, whole_offsets
from sfumato.hierarchies.calendar import (
    CALENDAR,
    NESTED,
    beyond_calendar,
    calendar_level,
    days_since_epoch,
    ticks_of,
)
from sfumato.hierarchies.levels import identity_level, root_level
from sfumato.hierarchies.scale_domain import IntervalDomain, LevelledDomain

#: Directives of a time of day.
_CLOCK = re.compile(r"%-?[HIMSpfXcT]")


class Dates(Hierarchy):
    """Dates and timestamps, shown as intervals such as ``[2024-01-03, 2024-02-11]`` or by the calendar.

    Parameters
    ----------
    levels
        Calendar levels from fine to coarse: any of ``"day"``, ``"month"``, ``"quarter"``, ``"year"``, ``"decade"``; or
        ``"week"`` (ISO, from Monday), alone or after ``"day"``, since weeks cross the ends of months.
        With levels, every method shows only these: a class shows the finest level that holds all its rows, else ``*``.
        Without, classes show intervals; full-domain methods, which need levels, use all of the first five.
        Text in ISO form (``2024-01-03``) is read as dates. A timestamp with a zone is grouped by the calendar of that
        zone.
    format
        The format of dates in text that is not ISO: ``"%m/%d/%Y"``, ``"%d.%m.%y %H:%M"``, as for
        `datetime.datetime.strptime`, with years of two digits from 1930 to 2029. Classes always show ISO dates.

    Examples
    --------
    >>> Dates(levels=("month", "year"))
    Dates(levels=['month', 'year'])
    """

    name: ClassVar[str] = "dates"
    shorthand: ClassVar[str] = "dates:month,year:%d.%m.%Y"

    def __init__(self, levels: Sequence[str] | None = None, format: str | None = None) -> None:  # noqa: A002
        if isinstance(levels, str) or not isinstance(levels, Iterable | None):
            raise invalid_parameter("Dates", "levels", "a list of levels such as ['month', 'year']", levels)
        for level in levels or ():
            parameters.choice("Dates", "levels", level, tuple(CALENDAR))
        if levels is not None and list(levels) != sorted(set(levels), key=list(CALENDAR).index):
            expected = f"levels from fine to coarse without repeats: {', '.join(CALENDAR)}"
            raise invalid_parameter("Dates", "levels", expected, tuple(levels))
        if levels is not None and "week" in levels and set(levels) - {"day", "week"}:
            expected = "weeks alone or after days, since they cross the ends of months"
            raise invalid_parameter("Dates", "levels", expected, tuple(levels))
        if format is not None and (not isinstance(format, str) or "%" not in format):
            raise invalid_parameter("Dates", "format", "text such as '%m/%d/%Y'", format)
        self.levels = None if levels is None else tuple(levels)
        self.format = format
        # 20241231 is a date in this format, but would otherwise be read as a number.
        self.reads_text = format is not None

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        levels, colon, form = text.partition(":")
        if "%" not in text:
            return {"levels": texts_between(text)}
        return {"format": text} if not colon or "%" in levels else {"levels": texts_between(levels), "format": form}

    def to_policy(self) -> dict[str, Any]:
        said = {"levels": None if self.levels is None else list(self.levels), "format": self.format}
        return {"type": self.name} | {name: value for name, value in said.items() if value is not None}

    def is_fixed(self, kind: pa.DataType) -> bool:
        """The times of a column decide whether it is shown as days, so only days are safe; text needs its form."""
        if pa.types.is_date(kind):
            return bool(self.levels)
        return bool(self.levels and self.format and not _CLOCK.search(self.format)) and _is_text(kind)

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        moments = moments_of(column, values, self.format)
        ordered, codes = sort_codes(moments)
        names = NESTED if self.levels is None else self.levels
        levels = [
            identity_level(ordered, has_missing),
            *(
                calendar_level(name, ordered, has_missing)
                for name in names
                if name != "day" or not pa.types.is_date(ordered.type)
            ),
            root_level(len(ordered) + has_missing),
        ]
        shape = LevelledDomain if self.levels else IntervalDomain
        offsets = whole_offsets(ticks_of(ordered)[0]) / ticks_of(ordered)[1]
        return Fitted(shape(column, ordered, has_missing, tuple(levels), days_since_epoch(ordered), offsets), codes)


class Days(Dates):
    """The default of dates and times: days, since the second of a time gives people away and tells readers little.

    Full-domain methods show months, quarters, years and decades above them, as with `Dates`.
    """

    def __init__(self) -> None:
        super().__init__()

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        moments = moments_of(column, values)
        whole = moments if pa.types.is_date(moments.type) else moments.cast(pa.date32(), safe=False)
        return super().fit(column, whole, has_missing)


def moments_of(column: str, values: pa.Array, form: str | None = None) -> pa.Array:
    """Read values of any type as dates or times; the error says which cannot be read.

    Dates before the year 1 or after 9999 are refused: neither Python nor most readers of a release know them.
    """
    moments = _moments(column, values) if form is None else _parsed(column, values, form)
    beyond = beyond_calendar(moments.drop_null())
    if beyond.any():
        known = np.flatnonzero(moments.is_valid().to_numpy(zero_copy_only=False))
        raise DataError(
            f"Column '{column}' holds {int(beyond.sum()):,} dates before the year 1 or after 9999. Clean the column, "
            "or name the values that mean 'no value' (na=)."
        ).blaming(known[beyond].tolist())
    return moments


def _moments(column: str, values: pa.Array) -> pa.Array:
    kind = values.type
    if pa.types.is_date64(kind):
        return converted(column, values, pa.date32(), "Dates()")
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return values
    if not _is_text(kind):
        # Arrow would read a number as days or microseconds since 1970, which a column of years does not mean.
        raise DataError(
            f"Column '{column}' is declared as Dates(), but its type is {kind}. Convert it to dates, or declare it "
            "as Numeric() or Categorical()."
        )
    try:
        return values.cast(pa.date32())
    except pa.ArrowInvalid:
        return converted(column, values, pa.timestamp("us"), "Dates()")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _parsed(column: str, values: pa.Array, form: str) -> pa.Array:
    """Parse text as dates, or as times if the format has a time of day; dates stay as they are."""
    if pa.types.is_temporal(values.type):
        return values.cast(pa.date32()) if pa.types.is_date64(values.type) else values
    found = [_moment(text.strip(), form) for text in values.cast(pa.string()).to_pylist()]
    misfits = [place for place, moment in enumerate(found) if moment is None]
    if misfits:
        raise DataError(
            f"Column '{column}' is declared as Dates(format={form!r}), but {len(misfits):,} of its {len(found):,} "
            "values are not in that form. Clean the column, or name the values that mean 'no value' (na=)."
        ).blaming(misfits)
    if _CLOCK.search(form):
        return pa.array(found, pa.timestamp("us", "UTC" if "%z" in form else None))
    return pa.array([moment.date() for moment in found if moment is not None], pa.date32())


def _moment(text: str, form: str) -> dt.datetime | None:
    try:
        found = dt.datetime.strptime(text, form)
        return found.replace(year=full_year(found.year)) if "%y" in form else found
    except ValueError:
        return None
