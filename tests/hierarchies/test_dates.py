"""Dates and timestamps of every unit, with and without zones, before and after 1970."""

from __future__ import annotations

import datetime as dt
import itertools
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column

from sfumato.errors import DataError, ParameterError
from sfumato.hierarchies import Dates

UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def shown(values, name):
    """Return each value's label at a calendar level."""
    microdata = encoded_column(values, Dates())
    level = next(level for level in microdata.domains[0].levels if level.name == name)
    return [level.labels[int(level.groups[code])].as_py() for code in microdata.codes[:, 0]]


def calendar(day: dt.date) -> dict[str, str]:
    return {
        "month": f"{day:%Y-%m}",
        "quarter": f"{day.year}-Q{(day.month + 2) // 3}",
        "year": str(day.year),
        "decade": f"{str(day.year)[:3]}0s",
    }


@given(st.lists(st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)), min_size=1, max_size=10))
def test_dates_follow_the_calendar(days):
    for name in ("month", "quarter", "year", "decade"):
        assert shown(pa.array(days), name) == [calendar(day)[name] for day in days]


@pytest.mark.parametrize("unit", UNITS)
@given(st.lists(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)), min_size=1, max_size=6))
def test_timestamps_of_every_unit_follow_the_calendar(unit, moments):
    values = pa.array([moment.replace(microsecond=0) for moment in moments], pa.timestamp(unit))
    assert shown(values, "day") == [str(moment.date()) for moment in moments]
    assert shown(values, "decade") == [calendar(moment)["decade"] for moment in moments]


@given(st.lists(st.datetimes(dt.datetime(1975, 1, 1), dt.datetime(2030, 1, 1)), min_size=1, max_size=6))
def test_a_zone_has_its_own_calendar(moments):
    utc = [moment.replace(tzinfo=dt.UTC, microsecond=0) for moment in moments]
    local = [moment.astimezone(ZoneInfo("Australia/Sydney")).date() for moment in utc]
    values = pa.array(utc, pa.timestamp("us", "Australia/Sydney"))
    assert shown(values, "day") == list(map(str, local))
    assert shown(values, "month") == [calendar(day)["month"] for day in local]


def test_the_hour_that_comes_twice_stays_in_order():
    """On 2024-10-27 at 01:00 UTC clocks in Berlin go back from 03:00 to 02:00."""
    utc = [dt.datetime(2024, 10, 26, 22, 30, tzinfo=dt.UTC) + dt.timedelta(minutes=30 * step) for step in range(8)]
    domain = encoded_column(pa.array(utc[::-1], pa.timestamp("s", "Europe/Berlin")), Dates()).domains[0]
    assert domain.values.cast(pa.int64()).to_pylist() == [int(moment.timestamp()) for moment in utc]
    assert [level.labels.to_pylist() for level in domain.levels[1:3]] == [["2024-10-27"], ["2024-10"]]
    assert domain.texts.to_pylist()[3:6] == [
        "2024-10-27 02:00:00+0200",
        "2024-10-27 02:30:00+0200",
        "2024-10-27 02:00:00+0100",
    ]


def test_dates_are_spans_of_days():
    domain = encoded_column(pa.array([dt.date(1969, 12, 30), dt.date(1970, 1, 1), dt.date(1970, 1, 9)])).domains[0]
    assert domain.extent == 10
    assert domain.positions.tolist() == pytest.approx([0, 0.2, 1])
    assert domain.numbers.tolist() == [-2, 0, 8]


@pytest.mark.parametrize("unit", UNITS)
def test_neighbouring_ticks_are_told_apart(unit):
    now = 1_700_000_000 * UNITS[unit]
    domain = encoded_column(pa.array([now, now + 1, now + 4], pa.timestamp(unit)), Dates()).domains[0]
    assert domain.positions.tolist() == pytest.approx([0, 0.25, 1])
    assert domain.extent == pytest.approx(4 / 86_400 / UNITS[unit])


def test_the_whole_range_of_nanoseconds_is_finite():
    ends = pa.array([-(2**63) + 1, 0, 2**63 - 1], pa.timestamp("ns"))
    assert encoded_column(ends, Dates(levels=())).domains[0].positions.tolist() == pytest.approx([0, 0.5, 1])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_iso_texts_are_dates(kind):
    assert shown(pa.array(["2024-01-03", "1969-12-31"], kind), "month") == ["2024-01", "1969-12"]
    assert shown(pa.array(["2024-01-03T23:30:00", "2024-01-04"], kind), "day") == ["2024-01-03", "2024-01-04"]


def test_texts_of_one_moment_are_one_value():
    microdata = encoded_column(pa.array(["2024-01-03", "2024-01-03T00:00:00", None, "2024-01-05"]), Dates())
    assert microdata.codes[:, 0].tolist() == [0, 0, 2, 1]


def test_date64_is_a_date():
    assert shown(pa.array([dt.date(1960, 5, 1)], pa.date64()), "quarter") == ["1960-Q2"]


@pytest.mark.parametrize("values", [[1990, 1991], [1990.5], [True], ["yesterday"], ["2024-13-01"], [b"2024-01-01"]])
def test_what_is_no_date_is_refused(values):
    with pytest.raises(DataError, match=r"Column 'a' is declared as Dates\(\), but"):
        encoded_column(pa.array(values), Dates())


def test_days_as_32_bit_numbers_are_refused_too():
    with pytest.raises(DataError, match="its type is int32"):
        encoded_column(pa.array([1990], pa.int32()), Dates())


def test_an_unknown_zone_is_refused():
    with pytest.raises(DataError, match="Column 'a'"):
        encoded_column(pa.array([1, 2], pa.timestamp("s", "Nowhere/Atall")))


def test_levels_can_be_chosen():
    domain = encoded_column(pa.array([dt.date(2020, 1, 1), dt.date(2021, 1, 1)]), Dates(levels=("year",))).domains[0]
    assert [level.name for level in domain.levels] == ["value", "year", "any"]


@pytest.mark.parametrize("levels", [("year", "month"), ("day", "day"), ("week", "month")])
def test_levels_that_do_not_grow_are_refused(levels):
    with pytest.raises(ParameterError, match=r"^The 'levels' parameter of Dates must be .+\. Got .+\."):
        Dates(levels=levels)


def test_every_choice_of_levels_nests():
    names = ("day", "month", "quarter", "year", "decade")
    moments = pa.array([dt.datetime(2019, 12, 31, 5) + dt.timedelta(hours=7 * step) for step in range(60)])
    for chosen in itertools.chain.from_iterable(itertools.combinations(names, size) for size in range(1, 6)):
        levels = encoded_column(moments, Dates(levels=chosen)).domains[0].levels
        for lower, upper in itertools.pairwise(levels):
            assert len(set(zip(lower.groups, upper.groups, strict=True))) == len(lower)


def test_whole_seconds_are_shown_without_a_fraction():
    moments = pa.array([0, 1_500_000, 60_000_000], pa.timestamp("us", "+01:00"))
    domain = Dates().fit("when", moments, has_missing=False).domain
    assert domain.texts.to_pylist() == [
        "1970-01-01 01:00:00+0100",
        "1970-01-01 01:00:01.500000+0100",
        "1970-01-01 01:01:00+0100",
    ]
    assert Dates().fit("when", pa.array([1], pa.timestamp("s")), False).domain.texts[0].as_py() == "1970-01-01 00:00:01"


@pytest.mark.parametrize("levels", ["month", 5])
def test_levels_that_are_no_list_are_refused(levels):
    with pytest.raises(ParameterError, match="must be a list of levels such as"):
        Dates(levels)


@pytest.mark.parametrize(
    ("form", "texts", "expected"),
    [
        ("%m/%d/%Y", ["12/31/2024", " 1/2/2023 "], [dt.date(2024, 12, 31), dt.date(2023, 1, 2)]),
        ("%d.%m.%y", ["31.12.24"], [dt.date(2024, 12, 31)]),
        ("%Y%m%d", ["20241231"], [dt.date(2024, 12, 31)]),
        ("%d/%m/%Y %H:%M", ["31/12/2024 07:30"], [dt.datetime(2024, 12, 31, 7, 30)]),
    ],
)
def test_dates_are_read_in_the_declared_form(form, texts, expected):
    domain = Dates(format=form).fit("seen", pa.array(texts), has_missing=False).domain
    assert sorted(domain.values.to_pylist()) == sorted(expected)
    assert Dates(format=form).reads_text
    assert not Dates().reads_text


def test_days_that_are_numbers_and_real_dates_are_taken_too():
    assert Dates(format="%Y%m%d").fit("seen", pa.array([20240131]), False).domain.values.to_pylist() == [
        dt.date(2024, 1, 31)
    ]
    assert Dates(format="%d.%m.%Y").fit("seen", pa.array([dt.date(2024, 1, 31)]), False).domain.values.to_pylist() == [
        dt.date(2024, 1, 31)
    ]


@pytest.mark.parametrize("text", ["2024-12-31", "31.02.2024", "31.12.2024 and more", "?"])
def test_a_date_in_another_form_is_told_by_its_row(text):
    column = pa.array(["31.12.2024", text])
    with pytest.raises(
        DataError, match=r"Dates\(format='%d.%m.%Y'\), but 1 of its 2 values.*stands in row 2\."
    ) as told:
        encoded_column(column, Dates(format="%d.%m.%Y"))
    assert text == "?" or text not in str(told.value)


@pytest.mark.parametrize("form", ["", "month", 5])
def test_a_form_that_is_none_is_refused(form):
    with pytest.raises(ParameterError, match="'format' parameter of Dates must be text such as"):
        Dates(format=form)
