"""Conditions of a query on one column: a range, a value, or any of several."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError, shortened
from sfumato.hierarchies.base import as_text
from sfumato.hierarchies.reading.extents import positions

#: A range ``(from, to)`` with both ends, None for no end; a value; a set or list of values; a group of a taxonomy.
Condition = Any

#: A condition for each column of a query; all of them must hold.
Where = Mapping[str, Condition]


@dataclass(frozen=True)
class Span:
    """A range of a scale, both ends included."""

    low: float
    high: float


def spans_of(name: str, condition: Condition, order: Sequence[object] | None) -> list[Span]:
    """Read a condition on a column with a scale as ranges that do not overlap."""
    if isinstance(condition, tuple):
        if len(condition) != 2:
            raise _refused(name, condition, "a range has two ends, such as (30, 40); None stands for no end")
        low, high = (_place(name, end, order) for end in condition)
        return [Span(-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)]
    chosen = values_of(condition)
    return [Span(place, place) for place in sorted({_place(name, value, order) for value in chosen})]


def texts_of(name: str, condition: Condition) -> list[str]:
    """Read a condition on a column of categories as labels."""
    if isinstance(condition, tuple):
        raise _refused(name, condition, "its values have no order, so give a value or a set such as {'a', 'b'}")
    return [as_text(value) for value in values_of(condition)]


def values_of(condition: Condition) -> Collection[Any]:
    """List the values of a condition; a single value is a list of one."""
    return list(condition) if isinstance(condition, set | frozenset | list | np.ndarray) else [condition]


def _place(name: str, value: Any, order: Sequence[object] | None) -> float:
    """Locate a value on a column's scale; NaN for None."""
    if value is None:
        return math.nan
    given = pa.array([as_text(value) if order is not None or isinstance(value, str) else value])
    place = float(positions(given, order)[0])
    if math.isnan(place):
        raise _refused(name, value, "this is no value of its scale")
    return place


def _refused(name: str, condition: object, why: str) -> ParameterError:
    return ParameterError(f"The condition {shortened(condition)} on '{name}' cannot be read: {why}.")
