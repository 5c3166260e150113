"""Dates and times: intervals for multidimensional methods, the calendar for full-domain ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.errors import DataError, invalid_parameter
from sfumato.hierarchies.base import Fitted, Hierarchy, converted, sort_codes, whole_offsets
from sfumato.hierarchies.domain import IntervalDomain, grouped_level, identity_level, root_level

TICKS_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def _month_key(moments: pa.Array) -> NDArray[np.int64]:
    return _numpy(pc.year(moments)) * 12 + _numpy(pc.month(moments)) - 1


def _numpy(values: pa.Array) -> NDArray[np.int64]:
    numbers: NDArray[np.int64] = values.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def _day_label(key: int) -> str:
    return str(np.datetime64(key, "D"))


#: What each calendar level counts (one number per date, in order) and how a number is shown.
CALENDAR: dict[str, tuple[Callable[[pa.Array], NDArray[np.int64]], Callable[[int], str]]] = {
    "day": (lambda moments: _numpy(moments.cast(pa.date32(), safe=False).cast(pa.int32())), _day_label),
    "month": (_month_key, lambda key: f"{key // 12:04d}-{key % 12 + 1:02d}"),
    "quarter": (lambda moments: _month_key(moments) // 3, lambda key: f"{key // 4:04d}-Q{key % 4 + 1}"),
    "year": (lambda moments: _numpy(pc.year(moments)), lambda key: f"{key:04d}"),
    "decade": (lambda moments: _numpy(pc.year(moments)) // 10, lambda key: f"{key}0s"),
}


class Dates(Hierarchy):
    """Dates and timestamps, shown as intervals such as ``[2024-01-03, 2024-02-11]`` or by the calendar.

    Parameters
    ----------
    levels
        The calendar levels of full-domain methods, from fine to coarse: any of ``"day"``, ``"month"``, ``"quarter"``,
        ``"year"``, ``"decade"``. Text in ISO form (``2024-01-03``) is read as dates. A timestamp with a zone is
        grouped by the calendar of that zone.
    """

    name: ClassVar[str] = "dates"

    def __init__(self, levels: Sequence[str] = tuple(CALENDAR)) -> None:
        if isinstance(levels, str) or not isinstance(levels, Iterable):
            raise invalid_parameter("Dates", "levels", "a list of levels such as ['month', 'year']", levels)
        for level in levels:
            parameters.choice("Dates", "levels", level, tuple(CALENDAR))
        if list(levels) != sorted(set(levels), key=list(CALENDAR).index):
            expected = f"levels from fine to coarse without repeats: {', '.join(CALENDAR)}"
            raise invalid_parameter("Dates", "levels", expected, tuple(levels))
        self.levels = tuple(levels)

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "levels": list(self.levels)}

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        ordered, codes = sort_codes(_moments(column, values))
        local = pc.local_timestamp(ordered) if getattr(ordered.type, "tz", None) else ordered
        levels = [identity_level(ordered, has_missing)]
        for name in self.levels:
            count, label = CALENDAR[name]
            if name == "day" and pa.types.is_date(ordered.type):
                continue
            keys = count(local)
            distinct, places = np.unique(keys, return_inverse=True)
            labels = pa.array([label(int(key)) for key in distinct], pa.string()).take(pa.array(places))
            levels.append(grouped_level(name, keys, labels, has_missing))
        levels.append(root_level(len(ordered) + has_missing))
        days, offsets = _days(ordered)
        return Fitted(IntervalDomain(column, ordered, has_missing, tuple(levels), days, offsets), codes)


def _moments(column: str, values: pa.Array) -> pa.Array:
    kind = values.type
    if pa.types.is_date64(kind):
        return values.cast(pa.date32())
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return values
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        # Arrow would take a number for days or microseconds since 1970, which no column of years means.
        raise DataError(
            f"Column '{column}' is declared as Dates(), but its type is {kind}. Convert it to dates, or declare it "
            "as Numeric() or Categorical()."
        )
    try:
        return values.cast(pa.date32())
    except pa.ArrowInvalid:
        return converted(column, values, pa.timestamp("us"), "Dates()")


def _days(ordered: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return days since the epoch and since the first moment, so that a minimum span can be given in days."""
    ticks_per_day = 1 if pa.types.is_date(ordered.type) else TICKS_PER_DAY[ordered.type.unit]
    ticks = _numpy(ordered.cast(pa.int32() if pa.types.is_date(ordered.type) else pa.int64()))
    return ticks / ticks_per_day, whole_offsets(ticks) / ticks_per_day
