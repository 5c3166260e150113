"""The least, the largest and the mean of times are times; their bounds hold to the second."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError

MOMENTS = [dt.datetime(2024, 1, 1, 8, 30) + dt.timedelta(hours=13 * row) for row in range(8)]
MEAN = MOMENTS[0] + dt.timedelta(hours=13 * 3.5)
ZONE = "Europe/Berlin"


def release_of(
    cells: list[Any], kind: pa.DataType, quasi: bool, intervals: str = "text", how: Any = None
) -> sf.Release:
    table = pa.table({"q": [1] * len(cells), "at": pa.array(cells, kind)})
    times = sf.Dates() if pa.types.is_timestamp(kind) else None  # undeclared, they are shown by days
    roles: dict[str, Any] = {"quasi_identifiers": {"q": None, "at": times}} if quasi else {"quasi_identifiers": "q"}
    plain = {} if quasi else {"plain": "at", "confirm": "at"}
    return sf.anonymize(table, **roles, **plain, k=2, method="mondrian", intervals=intervals, seed=1)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("quasi", [False, True])
@pytest.mark.parametrize("intervals", ["text", "bounds"])
@pytest.mark.parametrize("zone", [None, "UTC", ZONE])
def test_times_are_answered_as_times(unit: str, quasi: bool, intervals: str, zone: str | None) -> None:
    release = release_of(MOMENTS, pa.timestamp(unit, zone), quasi, intervals)
    utc = None if zone is None else dt.UTC
    for ask, truth in ((release.min, MOMENTS[0]), (release.max, MOMENTS[-1]), (release.mean, MEAN)):
        answer = ask("at")
        true = truth.replace(tzinfo=utc)
        assert isinstance(answer.estimate, dt.datetime)
        assert answer.lower <= true <= answer.upper, (ask, answer)
        if not quasi:
            assert answer.exact


def test_a_time_is_answered_in_the_zone_of_its_column() -> None:
    found = release_of(MOMENTS, pa.timestamp("us", ZONE), quasi=False).min("at")
    assert found.estimate.isoformat() == "2024-01-01T09:30:00+01:00"


def test_bounds_of_a_mean_of_dates_hold() -> None:
    days = [dt.date(2024, 1, 1)] * 3 + [dt.date(2024, 1, 2)]
    answer = release_of(days, pa.date32(), quasi=False).mean("at")
    assert (answer.lower, answer.estimate, answer.upper) == (*[dt.date(2024, 1, 1)] * 2, dt.date(2024, 1, 2))


def test_a_day_stands_for_all_its_times() -> None:
    table = pa.table({"at": ["2024-01-01", "2024-01-01", "2024-02"]})
    released = sf.Released.open(table, {"at": sf.Dates(levels=("day", "month"))})
    answer = released.max("at", {"at": ("2024-01-01", "2024-01-02")})
    assert answer.lower <= dt.date(2024, 1, 1)
    assert answer.upper >= dt.date(2024, 1, 2), "from midnight to midnight"


@pytest.mark.parametrize("kind", [pa.time64("us"), pa.time32("s"), pa.duration("s")])
def test_times_of_day_and_durations_have_no_mean_yet(kind: pa.DataType) -> None:
    release = release_of([1, 2, 3, 4], pa.int32() if kind.bit_width == 32 else pa.int64(), quasi=False)
    data = release.table.set_column(1, "at", release.table["at"].cast(kind))
    with pytest.raises(ParameterError, match="'at' holds no numbers or dates"):
        sf.Released.open(data, "q").mean("at")


def test_dates_beyond_the_calendar_of_python_are_unknown() -> None:
    days = pa.array([0, 10**7], pa.int32()).cast(pa.date32())
    answer = sf.Released.open(pa.table({"q": [1, 1], "at": days}), "q").max("at")
    assert answer.estimate is None
    assert answer.upper == float("inf")


def test_bounds_of_the_largest_numbers_hold() -> None:
    table = pa.table({"q": ["[-1.7e308, 1.7e308)", "[0, 1.7e308)"]})
    released = sf.Released.open(table, {"q": sf.Numeric()})
    assert -1e308 in released.min("q")
    assert 1e308 in released.mean("q")
