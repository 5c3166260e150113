"""Views of a release: the same classes with intervals shown in another way, each verified as it is handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.common.parameters import choice
from sfumato.io import to_frame
from sfumato.io.interval_columns import with_pandas_intervals, with_structs
from sfumato.release.shown import columns_of
from sfumato.release.values import INTERVALS
from sfumato.verify.views import verify_view

if TYPE_CHECKING:
    from sfumato.release.release import Release

#: An interval as one value: pandas' own kind, and a struct in Polars and Arrow.
INTERVAL = "interval"
VIEWS = (*INTERVALS, INTERVAL)


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
            frame, packed = with_pandas_intervals(table, pairs)
        else:
            frame, packed = _framed(with_structs(table, pairs), library), {name: (name,) for name in pairs}
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
