"""Type inference for text files: numbers, dates, booleans, or text.

A column is judged by all its distinct values, never by a sample, so a late surprise turns a column into text
instead of an error. Values that conversion would change stay text: leading zeros, a plus sign, more digits than an
integer holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc


class _Reading(NamedTuple):
    """A type that text may have: the pattern that every value must match, and the Arrow type."""

    pattern: str
    kind: pa.DataType


_MOMENT = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_WHOLE = r"-?(0|[1-9]\d*)"

_NUMBERS = (
    _Reading(rf"^\s*{_WHOLE}\s*$", pa.int64()),
    _Reading(rf"^\s*({_WHOLE}(\.\d*)?|-?\.\d+)([eE][+-]?\d+)?\s*$", pa.float64()),
    _Reading(r"^(?i:true|false)$", pa.bool_()),
)
_DATES = (
    _Reading(r"^\d{4}-\d{2}-\d{2}$", pa.date32()),
    _Reading(rf"^{_MOMENT}$", pa.timestamp("us")),
    _Reading(rf"^{_MOMENT}(Z|[+-]\d{{2}}:?\d{{2}})$", pa.timestamp("us", tz="UTC")),
)


def inferred(column: pa.ChunkedArray, numbers: bool = True) -> pa.ChunkedArray:
    """Give a dictionary column of text the type that all its values share, if there is one.

    Parameters
    ----------
    column
        Text as a dictionary, one for all chunks. Anything else comes back as it is.
    numbers
        Whether digits mean a number. In JSON they do not: there, ``"12"`` is text on purpose.
    """
    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    values = _converted(column.chunk(0).dictionary, (*_NUMBERS, *_DATES) if numbers else _DATES)
    if values is None:
        return column
    return pa.chunked_array([values.take(chunk.indices) for chunk in column.chunks])


class Narrowing:
    """Inference piece by piece, with the same result as `inferred` on all values at once."""

    def __init__(self, numbers: bool = True) -> None:
        self._left = list((*_NUMBERS, *_DATES) if numbers else _DATES)
        self._broken: set[pa.DataType] = set()
        self._empty = True

    def look(self, values: pa.Array) -> None:
        """Rule out the types that these values cannot have."""
        distinct = values.unique().drop_null()
        if not len(distinct):
            return
        self._empty = False
        self._left = [reading for reading in self._left if _all_match(distinct, reading.pattern)]
        self._broken |= {reading.kind for reading in self._left if _cast(distinct, reading.kind) is None}

    @property
    def kind(self) -> pa.DataType:
        """The type that all values share; null if there are no values."""
        if self._empty:
            return pa.null()
        return self._left[0].kind if self._left and self._left[0].kind not in self._broken else pa.string()


def converted_to(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Give text the type that was found for it."""
    if kind in (pa.string(), pa.null()):
        return values.cast(kind)
    return pc.utf8_trim_whitespace(values).cast(kind)


def _converted(values: pa.Array, readings: Sequence[_Reading]) -> pa.Array | None:
    for reading in readings:
        if len(values) and _all_match(values, reading.pattern):
            return _cast(values, reading.kind)
    return None


def _all_match(values: pa.Array, pattern: str) -> bool:
    # Most columns are decided by their first values.
    parts = (values.slice(0, 100), values)
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in parts)


def _cast(values: pa.Array, kind: pa.DataType) -> pa.Array | None:
    try:
        return pc.utf8_trim_whitespace(values).cast(kind)
    except pa.ArrowInvalid:
        # February 31, or an integer of thirty digits: it stays text.
        return None
