"""Conditions of a query on one column: a range, a value, or any of several."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError, shortened
from sfumato.hierarchies.base import as_text
from sfumato.hierarchies.reading.extents import DAY, DOTTED, positions, stretch_of

#: A range ``(from, to)`` with both ends, None for no end; a value; a set or list of values; a group of a taxonomy.
Condition = Any

#: A condition for each column of a query; all of them must hold.
Where = Mapping[str, Condition]


#: A text that is no date, though it has a place on the scale of days.
NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


@dataclass(frozen=True, order=True)
class Span:
    """A range of a scale, both ends included."""

    low: float
    high: float


def spans_of(name: str, condition: Condition, order: Sequence[object] | None, dates: bool = False) -> list[Span]:
    """Read a condition on a column with a scale as ranges that do not overlap.

    On dates, ``dates``, a year such as 1982 stands for all of its days, and so do a month, a quarter and a decade;
    a day stands for all of its times.
    """
    if isinstance(condition, tuple):
        if len(condition) != 2:
            raise _refused(name, condition, "a range has two ends, such as (30, 40); None stands for no end")
        first, last = (_span(name, end, order, dates) for end in condition)
        if first.low > last.high:
            raise _refused(name, condition, f"a range begins with its lower end; write {condition[::-1]!r}")
        return [Span(first.low, last.high)]
    spans: list[Span] = []
    for one in sorted({_span(name, value, order, dates) for value in values_of(condition)}):
        if spans and one.low <= spans[-1].high:
            spans[-1] = Span(spans[-1].low, max(spans[-1].high, one.high))
        else:
            spans.append(one)
    return spans


def texts_of(name: str, condition: Condition) -> list[str]:
    """Read a condition on a column of categories as labels."""
    if isinstance(condition, tuple):
        raise _refused(name, condition, "its values have no order, so give a value or a set such as {'a', 'b'}")
    return [as_text(value) for value in values_of(condition)]


def values_of(condition: Condition) -> Collection[Any]:
    """List the values of a condition; a single value is a list of one."""
    return list(condition) if isinstance(condition, set | frozenset | list | np.ndarray) else [condition]


def _span(name: str, value: Any, order: Sequence[object] | None, dates: bool) -> Span:
    """Locate a value on a column's scale; None is everywhere."""
    if value is None:
        return Span(-math.inf, math.inf)
    text = as_text(value)
    # A float is a place on the scale of days, as measures of utility ask for it; 1982 is what people write.
    dates = dates and not isinstance(value, float)
    if dates and (days := stretch_of(text)) is not None:
        return Span(days.low, math.nextafter(days.high, -math.inf))
    given = pa.array([text if order is not None or isinstance(value, str) else value])
    place = float(positions(given, order)[0])
    if math.isnan(place) or (dates and NUMBER.fullmatch(text)):
        raise _refused(name, value, "this is no date, such as 2020-05-17" if dates else "this is no value of its scale")
    a_day = dates and (DAY.fullmatch(text) or DOTTED.fullmatch(text)) is not None
    return Span(place, math.nextafter(place + 1, -math.inf) if a_day else place)


def _refused(name: str, condition: object, why: str) -> ParameterError:
    return ParameterError(f"The condition {shortened(condition)} on '{name}' cannot be read: {why}.")
