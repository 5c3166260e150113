"""Views of a release: the same classes with intervals shown in another way, each verified as it is handed out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.parameters import choice
from sfumato.io import pandas_intervals, to_frame
from sfumato.io.columns import plain
from sfumato.release.shown import columns_of
from sfumato.release.values import INTERVALS
from sfumato.verify.views import verify_view

if TYPE_CHECKING:
    from sfumato.release.release import Release

#: An interval as one value: pandas' own kind, and a struct in Polars and Arrow.
INTERVAL = "interval"
VIEWS = (*INTERVALS, INTERVAL)

#: The names of the two ends in a struct.
ENDS = ("min", "max")


def view_of(release: Release, library: str, intervals: str) -> Any:
    """The rows of a release as a frame of a library, with intervals shown in this way.

    The rows are in the order of the release, and its classes are those that were found. What the frame shows is read
    once more and checked against every promise.
    """
    choice(f"to_{library}", "intervals", intervals, VIEWS)
    shown = release.origin.shown_as("bounds" if intervals == INTERVAL else intervals)
    table, columns = shown.table, dict(shown.quasi_identifiers)
    if intervals == INTERVAL:
        pairs = {name: (own[0], own[1]) for name, own in columns.items() if len(own) == 2}
        if library == "pandas":
            frame, packed = _with_pandas_intervals(table, pairs)
        else:
            frame, packed = _framed(_with_structs(table, pairs), library), {name: (name,) for name in pairs}
        columns |= packed
    else:
        frame = _framed(table, library)
    verify_view(
        frame,
        columns_of(columns),
        release.sensitive,
        release.promises,
        rows=release.verification.rows,
        people=release.people,
    )
    return frame


def _framed(table: pa.Table, library: str) -> Any:
    return table if library == "arrow" else to_frame(table, library)


def _with_structs(table: pa.Table, ends: Mapping[str, tuple[str, str]]) -> pa.Table:
    """Replace pairs of columns, the ends of intervals, by one column of structs each, null where both are."""
    for name, (low, high) in ends.items():
        sides = [plain(table.select([one])).column(0).combine_chunks() for one in (low, high)]
        nothing = pc.and_(pc.is_null(sides[0]), pc.is_null(sides[1]))
        column = pa.StructArray.from_arrays(sides, ENDS, mask=nothing)
        at = table.column_names.index(low)
        table = table.set_column(at, name, column).drop_columns([high])
    return table


def _with_pandas_intervals(
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
        intervals = pandas_intervals(frame, *(table.column(one) for one in pair))
        if intervals is None:
            shown[name] = pair
            continue
        at = list(frame.columns).index(pair[0])
        frame = frame.drop(columns=list(pair))
        frame.insert(at, name, intervals)
        shown[name] = (name,)
    return frame, shown
