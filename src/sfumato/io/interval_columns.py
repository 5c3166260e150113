"""Columns of intervals: structs of two ends in Arrow and Polars, intervals in pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.io.columns import plain
from sfumato.io.frames import to_frame
from sfumato.io.library import library

#: The names of the two ends of an interval.
ENDS = ("min", "max")


def with_structs(table: pa.Table, ends: Mapping[str, tuple[str, str]]) -> pa.Table:
    """Replace pairs of columns, the ends of intervals, by one column of structs each, null where both are."""
    for name, (low, high) in ends.items():
        sides = [plain(table.select([one])).column(0).combine_chunks() for one in (low, high)]
        nothing = pc.and_(pc.is_null(sides[0]), pc.is_null(sides[1]))
        column = pa.StructArray.from_arrays(sides, ENDS, mask=nothing)
        at = table.column_names.index(low)
        table = table.set_column(at, name, column).drop_columns([high])
    return table


def with_pandas_intervals(
    table: pa.Table, ends: Mapping[str, tuple[str, str]]
) -> tuple[Any, dict[str, tuple[str, ...]]]:
    """Turn a table into a pandas frame in which pairs of columns are intervals, closed at both ends.

    Returns
    -------
    tuple
        The frame, and the columns that show each name: two where pandas has no interval of such ends, as of words.
    """
    frame = to_frame(table, "pandas")
    shown: dict[str, tuple[str, ...]] = {}
    for name, pair in ends.items():
        intervals = _intervals(*(table.column(one) for one in pair))
        if intervals is None:
            shown[name] = pair
            continue
        at = list(frame.columns).index(pair[0])
        frame = frame.drop(columns=list(pair))
        frame.insert(at, name, intervals)
        shown[name] = (name,)
    return frame, shown


def _intervals(low: pa.ChunkedArray, high: pa.ChunkedArray) -> Any:
    """The intervals of pandas between two ends; None if it has none of this kind."""
    pandas = library("pandas", "A pandas data frame", "pandas")
    kind = low.type
    one_sided = pc.any(pc.xor(pc.is_null(low), pc.is_null(high))).as_py()
    if pa.types.is_temporal(kind) and not one_sided and not pa.types.is_time(kind):
        moments = [side.cast(pa.timestamp("us", getattr(kind, "tz", None))).to_pandas() for side in (low, high)]
        return pandas.arrays.IntervalArray.from_arrays(*moments, closed="both")
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    if not low.null_count and not high.null_count:
        return pandas.arrays.IntervalArray.from_arrays(low.to_numpy(), high.to_numpy(), closed="both")
    left, right = (side.cast(pa.float64()).to_numpy(zero_copy_only=False) for side in (low, high))
    left, right = left.copy(), right.copy()
    nothing = np.isnan(left) & np.isnan(right)
    left[np.isnan(left) & ~nothing], right[np.isnan(right) & ~nothing] = -np.inf, np.inf
    return pandas.arrays.IntervalArray.from_arrays(left, right, closed="both")
