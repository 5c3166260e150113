"""Dates of birth, generalized as ages at a reference date."""

from __future__ import annotations

import datetime as dt
import re
from calendar import isleap
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import DataError, invalid_parameter
from sfumato.hierarchies.base import Fitted, Hierarchy, LabelMeaning, as_number, numbers_between, sort_codes
from sfumato.hierarchies.calendar import days_since_epoch
from sfumato.hierarchies.dates import moments_of
from sfumato.hierarchies.levels import Ends, Level, grouped_level, identity_level, root_level
from sfumato.hierarchies.scale_domain import LevelledDomain

EPOCH = dt.date(1970, 1, 1)
_LABEL = re.compile(r"aged (?P<low>\d+)(?:-(?P<high>\d+)|(?P<open>\+))?")


class Ages(Hierarchy):
    """Dates of birth, shown as ages in full years at a day of reference: ``aged 34``, ``aged 30-34``, ``aged 90+``.

    To add a column of ages, see `sfumato.Age`.

    Parameters
    ----------
    at
        The reference date, as a date or as ISO text, the same for all people and tables.
    widths
        The widths in years of the levels above single years, each a multiple of the one before.
    top
        The age from which on all ages are shown alike, such as ``aged 90+``; None for no such age.
    format
        The format of dates in text that is not ISO, as in `Dates`.

    Examples
    --------
    >>> born = pa.array(["1990-06-15", "1990-06-16", "1931-01-01"])
    >>> Ages("2024-06-15", [5], top=90).fit("born", born, has_missing=False).domain.levels[1].labels.to_pylist()
    ['aged 90+', 'aged 34', 'aged 33']
    """

    name: ClassVar[str] = "ages"
    shorthand: ClassVar[str] = "ages:2024-12-31:5,10:90"

    def __init__(
        self,
        at: str | dt.date,
        widths: Sequence[int] = (),
        top: int | None = None,
        format: str | None = None,  # noqa: A002
    ) -> None:
        self.at = _day(at)
        self.widths = parameters.multiples("Ages", "widths", widths)
        if any(width != int(width) for width in self.widths):
            raise invalid_parameter("Ages", "widths", "whole years", widths)
        self.top = None if top is None else parameters.integer("Ages", "top", top, at_least=1)
        self.format = None if format is None else parameters.text("Ages", "format", format)
        self.reads_text = format is not None

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        at, _, rest = text.partition(":")
        widths, _, top = rest.partition(":")
        said: dict[str, Any] = {"at": at.strip()} | ({"widths": numbers_between(widths)} if widths.strip() else {})
        return said | ({"top": as_number(top.strip())} if top.strip() else {})

    def to_policy(self) -> dict[str, Any]:
        said = {"widths": list(self.widths) or None, "top": self.top, "format": self.format}
        given = {name: value for name, value in said.items() if value is not None}
        return {"type": self.name, "at": self.at.isoformat()} | given

    def is_fixed(self, kind: pa.DataType) -> bool:
        return True

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        days = moments_of(column, values, self.format).cast(pa.date32(), safe=False)
        unborn = np.flatnonzero(days.cast(pa.int32()).to_numpy() > (self.at - EPOCH).days)
        if len(unborn):
            raise DataError(
                f"Column '{column}' holds dates after {self.at}, the day of reference, when nobody of them was born. "
                "Give a later day, or clean the column."
            ).blaming(unborn.tolist())
        ordered, codes = sort_codes(days)
        levels = (
            identity_level(ordered, has_missing),
            *self._levels(ordered, has_missing),
            root_level(len(ordered) + has_missing),
        )
        numbers = days_since_epoch(ordered)
        return Fitted(LevelledDomain(column, ordered, has_missing, levels, numbers, numbers - numbers[:1]), codes)

    def _levels(self, ordered: pa.Array, has_missing: bool) -> Iterator[Level]:
        ages = completed_years(ordered, np.full(len(ordered), np.datetime64(self.at)))
        for width in (1, *(int(width) for width in self.widths if width > 1)):
            begins = ages // width * width
            if self.top is not None:
                begins = np.where(ages >= self.top, self.top, begins)
            bands = [self._band(begin, width) for begin in dict.fromkeys(begins.tolist())]
            label_of = {low: _label(low, after) for low, after in bands}
            labels = pa.array([label_of[begin] for begin in begins.tolist()], pa.string())
            name = "age" if width == 1 else f"{width} years"
            yield grouped_level(name, begins, labels, has_missing, self._ends(bands, ordered))

    def _band(self, begin: int, width: int) -> tuple[int, int | None]:
        """The ages of a band: the first one, and the first one beyond it."""
        if self.top is not None and begin >= self.top:
            return begin, None
        return begin, begin + width if self.top is None else min(begin + width, self.top)

    def _born(self, low: int, after: int | None) -> tuple[dt.date | None, dt.date]:
        """The first and the last day of birth of people of these ages."""
        return None if after is None else self._turning(after) + dt.timedelta(1), self._turning(low)

    def _turning(self, age: int) -> dt.date:
        """The latest day of birth of a person of this age."""
        year = max(self.at.year - age, 1)
        leap_day = (self.at.month, self.at.day) == (2, 29)
        return self.at.replace(year=year, day=28 if leap_day and not isleap(year) else self.at.day)

    def _ends(self, bands: Sequence[tuple[int, int | None]], ordered: pa.Array) -> Ends:
        born = [self._born(*band) for band in bands]
        first = ordered[0].as_py()
        low, high = (pa.array([pair[side] for pair in born], pa.date32()) for side in (0, 1))
        reach = np.array([[((begin or first) - first).days, (end - first).days] for begin, end in born], np.float64)
        shown = (first - EPOCH).days + reach.mean(axis=1)
        open_ended = np.array([begin is None for begin, _ in born], bool)
        return Ends(low, high, np.where(open_ended, np.nan, shown), reach[:, 0], reach[:, 1] - reach[:, 0])

    def meaning(self, label: str) -> LabelMeaning | None:
        found = _LABEL.fullmatch(label)
        if found is None:
            return None
        low = int(found["low"])
        after = None if found["open"] else int(found["high"] or low) + 1
        first, last = self._born(low, after)
        return LabelMeaning(-np.inf if first is None else float((first - EPOCH).days), float((last - EPOCH).days + 1))


def _label(low: int, after: int | None) -> str:
    if after is None:
        return f"aged {low}+"
    return f"aged {low}" if after == low + 1 else f"aged {low}-{after - 1}"


def _day(given: str | dt.date) -> dt.date:
    if isinstance(given, dt.datetime):
        return given.date()
    if isinstance(given, dt.date):
        return given
    try:
        return dt.date.fromisoformat(given)
    except (TypeError, ValueError):
        raise invalid_parameter("Ages", "at", "a date such as '2024-12-31'", given) from None


def completed_years(born: pa.Array, at: NDArray[Any]) -> NDArray[np.int64]:
    """The completed years between days; a year is complete on the birthday.

    >>> days = pa.array([dt.date(2000, 2, 29), dt.date(2000, 3, 1)])
    >>> completed_years(days, np.array(["2024-02-29", "2024-02-29"], "datetime64[D]")).tolist()
    [24, 23]
    """
    begins, ends = (np.asarray(days).astype("datetime64[D]") for days in (born.to_numpy(zero_copy_only=False), at))
    months = [days.astype("datetime64[M]").astype(np.int64) for days in (begins, ends)]
    day_of_month = [(days - days.astype("datetime64[M]")).astype(np.int64) for days in (begins, ends)]
    found: NDArray[np.int64] = (months[1] - months[0] - (day_of_month[1] < day_of_month[0])) // 12
    return found
