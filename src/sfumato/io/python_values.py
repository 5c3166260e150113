"""Columns from Python values, as other libraries return them: one type per column, and text if a column mixes types."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.io.columns import packed, tidy
from sfumato.io.inference import inferred
from sfumato.io.readings import WORDS, Expected
from sfumato.io.written_dates import numbered_days

#: Floats cannot represent all integers beyond this.
EXACT = 2**53

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "truth"),
    (int, "number"),
    (float, "number"),
    (str, "text"),
    (dt.datetime, "moment"),
    (dt.date, "date"),
    (dt.time, "time"),
    (dt.timedelta, "span"),
)


def to_column(
    name: str, values: Sequence[object], as_text: bool = False, expected: Expected = WORDS
) -> pa.ChunkedArray:
    """Make a column as :meth:`Source.read` promises it; None is missing.

    Numbers are whole if all of them are. Dates are found in text as in JSON, numbers are not. A column that mixes types
    is text, a number in it as it is written: ``12``, not ``12.0``.

    Examples
    --------
    >>> to_column("age", [34.0, None]).type
    DataType(int64)
    >>> to_column("code", [34.0, "x"]).to_pylist()
    ['34', 'x']
    """
    kinds = {_kind(value) for value in values if value is not None}
    mixed = len(kinds) > 1 and kinds != {"date", "moment"}
    if as_text or mixed or kinds & {"text", "span", "other"} or (expected.required and kinds == {"number"}):
        words = pa.array([None if value is None else written(value) for value in values], pa.string())
        coded = packed(pa.chunked_array([words.dictionary_encode()]))
        return coded if as_text else inferred(coded, expected)
    if kinds == {"number"}:
        numbers = whole_where_possible(pa.array([_float(value) for value in values], pa.float64()))
        column: pa.Array = _as_days(numbers, expected)
    elif "moment" in kinds:
        column = as_dates(pa.array([_moment(value) for value in values], pa.timestamp("us")))
    else:
        column = pa.array(values, pa.null() if not kinds else None)
    return tidy(name, pa.chunked_array([column]))


def _as_days(numbers: pa.Array, expected: Expected) -> pa.Array:
    """Make dates of whole numbers that mean days, where the name of the column says so."""
    if not pa.types.is_integer(numbers.type) or expected.form is not None:
        return numbers
    days = numbered_days(expected.name, numbers.drop_null())
    if days is None:
        return numbers
    expected.tell(days)
    return days.convert(numbers.cast(pa.string()))


def written(value: object) -> str:
    """Write a value as people do.

    >>> [written(value) for value in (12.0, 0.5, True, dt.datetime(2024, 1, 31, 12))]
    ['12', '0.5', 'true', '2024-01-31 12:00:00']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return value.isoformat(" ") if isinstance(value, dt.datetime) else str(value)


def whole_where_possible(numbers: pa.Array) -> pa.Array:
    """Convert floats to integers, if all of them are whole and exactly representable."""
    known = numbers.drop_null().to_numpy(zero_copy_only=False)
    is_whole = bool(np.isfinite(known).all() and (known == np.floor(known)).all() and (np.abs(known) < EXACT).all())
    return numbers.cast(pa.int64()) if is_whole else numbers


def as_dates(moments: pa.Array) -> pa.Array:
    """Convert timestamps to dates, if all of them are at midnight."""
    return moments.cast(pa.date32()) if pc.all(_at_midnight(moments)).as_py() else moments


def _at_midnight(moments: pa.Array) -> pa.Array:
    return pc.equal(pc.floor_temporal(moments, unit="day"), moments)


def _kind(value: object) -> str:
    return next((kind for python, kind in _KINDS if isinstance(value, python)), "other")


def _float(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def _moment(value: object) -> dt.datetime | None:
    if isinstance(value, dt.datetime) or value is None:
        return value
    assert isinstance(value, dt.date)
    return dt.datetime(value.year, value.month, value.day)
