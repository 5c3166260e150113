"""Times are shown by days unless they are declared."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.hierarchies.dates import Days

MOMENTS = [dt.datetime(2012, 4, 21, 3, 12, 26) + dt.timedelta(hours=7 * row) for row in range(40)]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_no_time_of_day_is_shown_and_every_row_lies_in_its_days(zone: str | None) -> None:
    moments = pa.array(MOMENTS, pa.timestamp("s", zone))
    release = sf.anonymize(pa.table({"at": moments}), quasi_identifiers="at", k=5, method="mondrian", keep_order=True)
    shown = release.table["at"].to_pylist()
    assert not any(":" in cell for cell in shown)
    for cell, moment in zip(shown, moments.to_pylist(), strict=True):
        first, last = cell.strip("[]").split(", ") if cell.startswith("[") else (cell, cell)
        assert first <= moment.date().isoformat() <= last


def test_declared_times_stay_times() -> None:
    table = pa.table({"at": MOMENTS})
    release = sf.anonymize(table, quasi_identifiers={"at": sf.Dates()}, k=5, method="mondrian")
    assert all(":" in cell for cell in release.table["at"].to_pylist())


def test_days_of_a_zone_are_those_of_its_calendar() -> None:
    late = pa.array([dt.datetime(2024, 1, 1, 23, 30, tzinfo=dt.UTC)]).cast(pa.timestamp("s", "Europe/Berlin"))
    assert Days().fit("at", late, has_missing=False).domain.values.to_pylist() == [dt.date(2024, 1, 2)]
