"""Shifted dates: what gives a shift away stays, or is asked about; clocks and calendars hold."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import refused
from tests.examples import examples

import sfumato as sf
from sfumato.cli.exits import BAD_DATA
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, ParameterError
from sfumato.table.transform_base import TransformContext

DAY = dt.date(2024, 3, 1)


def shifted(cells: list[Any], kind: pa.DataType, people: list[Any] | None = None, **asked: Any) -> list[Any]:
    columns: dict[str, Any] = {"x": pa.array(cells, kind)} | ({} if people is None else {"who": pa.array(people)})
    context = TransformContext(pa.table(columns), Secret(7), None if people is None else "who")
    return sf.Shift(**{"days": 365} | asked).apply("x", context).to_pylist()


def moved(cells: list[Any], kind: pa.DataType, people: list[Any] | None = None, **asked: Any) -> list[int]:
    return [(new - old).days for new, old in zip(shifted(cells, kind, people, **asked), cells, strict=True)]


@pytest.mark.parametrize(
    "day", ["9999-12-31", "2999-12-31", "2262-04-11", "2199-01-01", "1900-01-01", "1753-01-01", "0001-01-01"]
)
@pytest.mark.parametrize("text", [False, True])
def test_dates_that_stand_for_none_stay(day: str, text: bool) -> None:
    given: Any = day if text else dt.date.fromisoformat(day)
    usual: Any = DAY.isoformat() if text else DAY
    found = shifted([given, usual, None], pa.string() if text else pa.date32(), ["a", "a", "a"])
    assert found[0] == dt.date.fromisoformat(day)
    assert found[1] != DAY
    assert found[2] is None


def test_an_open_end_with_a_time_of_day_stays() -> None:
    last = dt.datetime(9999, 12, 31, 23, 59, 59)
    assert shifted([last, dt.datetime(2024, 1, 1, 8)], pa.timestamp("us"))[0] == last


def test_rows_without_a_person_have_their_own_shift() -> None:
    days = [DAY + dt.timedelta(row) for row in range(60)]
    people = ["None", "None", *[None] * 56, "null", ""]
    by = moved(days, pa.date32(), people)
    assert by[0] == by[1]
    assert len(set(by[1:])) > 40, "all others differ but for chance"


def test_a_person_has_one_shift_in_all_columns_and_other_seeds_another() -> None:
    rows = pa.table({"a": [DAY, DAY + dt.timedelta(9)], "b": [dt.date(2023, 1, 1), dt.date(2023, 7, 1)], "who": [1, 2]})

    def days(name: str, seed: int) -> list[int]:
        found = sf.Shift(99, []).apply(name, TransformContext(rows, Secret(seed), "who")).to_pylist()
        return [(new - old).days for new, old in zip(found, rows[name].to_pylist(), strict=True)]

    found = [days(name, seed) for seed in (1, 2) for name in ("a", "b")]
    assert found[0] == found[1]
    assert found[0] != found[2] == found[3]


ENDS = [DAY + dt.timedelta(row) for row in range(40)]


@pytest.mark.parametrize(
    ("days", "asked"),
    [
        ([DAY] * 3, True),
        ([DAY, DAY], True),
        ([DAY] * 3 + [dt.date(2020, 1, 1)], True),
        ([*ENDS, *[ENDS[-1]] * 5], True),
        ([*ENDS, *[ENDS[0]] * 5], True),
        ([*ENDS, *[ENDS[20]] * 9], True),
        ([*ENDS, *ENDS], False),
        ([*ENDS, ENDS[-1], ENDS[0]], False),
        ([*ENDS, *[ENDS[20]] * 3], False),
        ([DAY], False),
        ([DAY, None, dt.date(9999, 12, 31), dt.date(9999, 12, 31)], False),
        ([], False),
    ],
)
def test_a_date_that_many_share_is_a_question(days: list[Any], asked: bool) -> None:
    if not asked:
        assert len(shifted(days, pa.date32())) == len(days)
        return
    with pytest.raises(DataError, match="has a date that many people share") as question:
        shifted(days, pa.date32())
    assert DAY.isoformat() not in str(question.value)
    assert all(0 < abs(by) <= 365 for by in moved(days, pa.date32(), keep=[]))
    shared = max(days, key=days.count)
    found = shifted(days, pa.date32(), keep=[shared])
    assert all(new == shared for new, old in zip(found, days, strict=True) if old == shared)


def test_many_visits_of_one_person_are_no_question() -> None:
    rng = random.Random(1)
    days = [DAY] * 30 + [DAY + dt.timedelta(rng.randrange(900)) for _ in range(200)]
    people = ["one"] * 30 + [f"p{row}" for row in range(200)]
    assert len(shifted(days, pa.date32(), people)) == 230


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "+05:30"])
def test_midnights_stay_midnights(zone: str) -> None:
    """By the clock of the zone; otherwise an hour more or less tells whether summer time began in between."""
    tz = dt.timezone(dt.timedelta(hours=5, minutes=30)) if zone[0] == "+" else ZoneInfo(zone)
    cells = [dt.datetime(2023, month, day, tzinfo=tz) for month in range(1, 13) for day in (1, 17)]
    found = shifted(cells, pa.timestamp("us", zone))
    assert {moment.astimezone(tz).time() for moment in found} == {dt.time(0)}


def test_an_hour_that_does_not_exist_becomes_the_next() -> None:
    tz = ZoneInfo("Europe/Berlin")
    cells = [dt.datetime(2024, 3, 30, 2, 30, tzinfo=tz), dt.datetime(2024, 4, 1, 2, 30, tzinfo=tz)]
    found = {
        moment.astimezone(tz).replace(tzinfo=None) for moment in shifted(cells, pa.timestamp("us", str(tz)), days=1)
    }
    assert found <= {
        *(dt.datetime(2024, 3, 29, 2, 30), dt.datetime(2024, 3, 31, 3), dt.datetime(2024, 4, 2, 2, 30)),
    }


REFUSED = r"could leave what a date of this type|cannot be read so|before the year 1 or after 9999"
KINDS: dict[str, pa.DataType] = {
    "date32": pa.date32(),
    "date64": pa.date64(),
    **{f"{unit} {zone}": pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "Asia/Tokyo")},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("end", ["first", "last"])
def test_what_could_leave_its_type_is_refused(kind: str, end: str) -> None:
    type_ = KINDS[kind]
    bits = 31 if kind == "date32" else 63
    edge = -(2**bits) + 1 if end == "first" else 2**bits - 1
    if kind == "date64":
        edge -= edge % 86_400_000 if end == "last" else -(-edge % 86_400_000)
    near = [dt.date(9999, 12, 1)] if end == "last" else [dt.date(1, 1, 5)]
    arrays = [pa.array([edge], pa.int32() if bits == 31 else pa.int64()).cast(type_)]
    if "ns" not in kind:
        arrays.append(pa.array(near, pa.date32()).cast(type_))
    for cells in arrays:
        context = TransformContext(pa.table({"x": cells}), Secret(1))
        with pytest.raises(DataError, match=REFUSED) as refusal:
            sf.Shift(40, keep=[]).apply("x", context)
        assert not any(value in str(refusal.value) for value in ("9999-12", "0001-01", str(edge)))


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)), min_size=1, max_size=8),
    st.integers(1, 3_652_058),
    st.sampled_from(["date32", "us None", "s Asia/Tokyo", "ns None"]),
)
def test_a_shift_is_the_calendars_or_refused(days: list[dt.date], most: int, kind: str) -> None:
    type_ = KINDS[kind]
    try:
        cells = pa.array(days, pa.date32()).cast(pa.timestamp(type_.unit) if kind != "date32" else type_)
    except pa.ArrowInvalid:
        return
    if "Tokyo" in kind:
        cells = pa.compute.assume_timezone(cells, "Asia/Tokyo")
    try:
        found = sf.Shift(most, keep=[]).apply("x", TransformContext(pa.table({"x": cells}), Secret(2)))
    except DataError:
        reach = dt.timedelta(most + (3 if kind != "date32" else 0))
        least, last = (dt.date(1677, 9, 21), dt.date(2262, 4, 11)) if "ns" in kind else (dt.date.min, dt.date.max)
        assert any(day - least < reach or last - day < reach for day in days)
        return
    local = pa.compute.local_timestamp(found) if "Tokyo" in kind else found
    for old, new in zip(days, local.cast(pa.date32()).to_pylist(), strict=True):
        assert 0 < abs((new - old).days) <= most


@pytest.mark.parametrize(
    "wrong", [{"days": 0}, {"days": 10**12}, {"days": 1.5}, {"keep": "2024-01-01"}, {"keep": ["soon"]}, {"keep": [1]}]
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="parameter of Shift must be"):
        sf.Shift(**{"days": 5} | wrong)


def test_the_command_line_asks_about_shared_dates(tmp_path: Any) -> None:
    rows = "".join(f"{30 + row % 3},2024-12-31\n" for row in range(9))
    (tmp_path / "t.csv").write_text(f"age,end\n{rows}")
    roles = ("--qi", "age", "--plain", "end", "-k", "3")
    asked = ("anonymize", tmp_path / "t.csv", "-o", tmp_path / "r.csv", *roles)
    assert "end=shift:5:" in refused(BAD_DATA, *asked, "--transform", "end=shift:5")
