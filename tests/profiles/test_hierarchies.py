"""Suggested hierarchies of times: nobody needs the minute, and it gives people away."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import sfumato as sf

BEGIN = dt.datetime(2022, 1, 3, 8, 15)
TIMES = [BEGIN + dt.timedelta(hours=37 * row, minutes=row % 60) for row in range(300)]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(TIMES, pa.timestamp("us")),
        pa.array([f"{time:%d.%m.%Y %H:%M}" for time in TIMES]),
        pa.array([f"{time:%Y-%m-%d %H:%M}" for time in TIMES]),
    ],
)
def test_times_are_suggested_by_the_calendar(cells: pa.Array) -> None:
    table = pa.table({"arrival": cells, "age": [20 + row % 60 for row in range(300)]})
    schema = sf.profile(table).schema({"arrival": "quasi-identifier", "age": "quasi-identifier"})
    release = sf.anonymize(table, schema, k=5)
    assert not [shown for shown in release.data["arrival"].to_pylist() if ":" in shown]
