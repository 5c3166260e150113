"""Minimum spans, read from what tables show."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.verify.release import verify_release


def span(width: float, **more: Any) -> dict[str, Any]:
    return {"model": "minimum-span", "column": "age", "width": width, **more}


def holds(shown: list[str | None], width: float, **more: Any) -> bool:
    return verify_release(pa.table({"age": pa.array(shown, pa.string())}), ["age"], [], [span(width, **more)]).ok


@pytest.mark.parametrize(
    ("shown", "width"),
    [
        ("[25, 27]", 2),
        ("[-3, -1]", 2),
        ("[-1.5, 2.25]", 3.75),
        ("[1e3, 1e4]", 9000),
        ("[20, 40)", 20),
        ("[2024-02-28, 2024-03-01]", 2),
        ("[2024-01-01 06:00:00, 2024-01-01 18:00:00]", 0.5),
        ("[2024-01-01 06:00:00.000000Z, 2024-01-02 06:00:00.000000Z]", 1),
        ("[2024-03-31 00:00:00+0100, 2024-04-01 00:00:00+0200]", 23 / 24),
    ],
)
def test_an_interval_at_its_width_and_just_under(shown: str, width: float) -> None:
    assert holds([shown], width)
    assert not holds([shown], width * 1.001)


@pytest.mark.parametrize("shown", ["25", "2024-02-28", "", "(unknown)", "[x]", None])
def test_a_single_value_has_no_width(shown: str | None) -> None:
    assert not holds([shown], 0.001)
    assert not holds(["[0, 100]", shown], 0.001)


def test_a_star_is_as_wide_as_can_be() -> None:
    assert holds(["*"], 1e300)
    result = verify_release(pa.table({"age": ["*"]}), ["age"], [], [span(5)])
    assert "minimum span 5 of 'age': holds, narrowest unlimited\n" in result.summary()


def test_backward_intervals_are_no_way_around_the_width() -> None:
    assert not holds(["[9, 1]"], 2)


def test_rounding_is_judged_on_the_scale_of_the_column() -> None:
    # 0.3 - 0.1 is a little less than 0.2.
    assert 0.3 - 0.1 < 0.2
    assert holds(["[0.1, 0.3]"], 0.2)
    assert not holds(["[0.1, 0.3]", "[0.0, 0.1999]"], 0.2)
    # The days since 1970 do not make a day's width uncertain, also beside a class without any.
    table = pa.table({"age": ["[2024-01-01 00:00:00, 2024-01-01 23:59:59.999]", "2024-01-01", None]})
    (violation,) = verify_release(table, ["age"], [], [span(1)]).violations
    assert violation.breaking == 3


def test_an_order_counts_in_steps() -> None:
    order = ["low", "middle, more or less", "high", "very high"]
    assert holds(["[low, middle, more or less]"], 1, order=order)
    assert holds(["[middle, more or less, very high]"], 2, order=order)
    assert not holds(["[middle, more or less, very high]"], 3, order=order)
    assert not holds(["low"], 1, order=order)


def test_an_interval_that_cannot_be_read_is_never_taken_as_wide() -> None:
    with pytest.raises(DataError, match=r"'age'.*'\[low, high\]'.*order"):
        holds(["[low, high]"], 1)
    with pytest.raises(DataError, match="order"):
        holds(["[low, huge]"], 1, order=["low", "high"])


def test_the_narrow_class_is_named() -> None:
    table = pa.table({"age": ["[20, 29]", "[30, 31]", "[30, 31]"], "sex": ["*", "M", "F"]})
    result = verify_release(table, ["age", "sex"], [], [span(5)])
    (violation,) = result.violations
    assert violation.breaking == 2
    assert [one.values["sex"] for one in violation.sample] == ["M", "F"]
    assert {one.found for one in violation.sample} == {1.0}
    assert violation.found == 1.0


def bounds(low: list[Any], high: list[Any], kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({"age_min": pa.array(low, kind), "age_max": pa.array(high, kind)})


DAY = dt.date(2024, 2, 28)


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        ([25], [27], pa.int64()),
        ([25.5], [27.5], pa.float32()),
        ([Decimal("1.10")], [Decimal("3.10")], None),
        ([DAY], [dt.date(2024, 3, 1)], pa.date32()),
        ([DAY], [dt.date(2024, 3, 1)], pa.date64()),
        ([dt.datetime(2024, 1, 1, 7)], [dt.datetime(2024, 1, 3, 7)], pa.timestamp("ns", "Europe/Rome")),
        (["25"], ["27"], pa.string()),
        (["2024-02-28"], ["2024-03-01"], pa.string()),
        (["2024-02-28"], ["2024-03-01"], pa.dictionary(pa.int8(), pa.string())),
    ],
)
def test_bounds_in_two_columns(low: list[Any], high: list[Any], kind: pa.DataType | None) -> None:
    table = bounds(low, high, kind)
    assert verify_release(table, ["age_min", "age_max"], [], [span(2)])
    assert not verify_release(table, ["age_min", "age_max"], [], [span(2.01)])


def test_bounds_that_are_both_missing_show_nothing() -> None:
    names = ["age_min", "age_max"]
    assert verify_release(bounds([None, 1], [None, 9], pa.int64()), names, [], [span(8)])
    half = verify_release(bounds([None], [9], pa.int64()), names, [], [span(1)])
    assert [(rule.found, rule.breaking) for rule in half.violations] == [(0.0, 1)]
    assert not verify_release(bounds([9], [None], pa.int64()), names, [], [span(1)])
    assert not verify_release(bounds([9], [9], pa.int64()), names, [], [span(1)])


def test_bounds_in_an_order() -> None:
    names, order = ["age_min", "age_max"], ["child", "adult", "old"]
    assert verify_release(bounds(["child"], ["old"]), names, [], [span(2, order=order)])
    assert not verify_release(bounds(["child"], ["adult"]), names, [], [span(2, order=order)])
    with pytest.raises(DataError, match="'child'"):
        verify_release(bounds(["child"], ["old"]), names, [], [span(2)])


def test_a_column_of_numbers_shows_single_values() -> None:
    assert not verify_release(pa.table({"age": [25, 30]}), ["age"], [], [span(1)])


@pytest.mark.parametrize(
    ("label", "days"),
    [("2024-02", 28), ("2023-02", 27), ("2024-Q1", 90), ("2024-Q4", 91), ("1990s", 3651), ("2024-02-03", 0)],
)
def test_a_stretch_of_the_calendar_is_as_wide_as_its_days(label, days):
    table = pa.table({"age": [label, label]})
    assert verify_release(table, ["age"], requirements=[span(max(days, 1))]).ok is (days > 0)
    assert not verify_release(table, ["age"], requirements=[span(days + 1)]).ok


def test_a_year_is_a_stretch_only_in_a_column_of_dates():
    table = pa.table({"age": ["2024", "2024"]})
    assert not verify_release(table, ["age"], requirements=[span(100)]).ok
    assert verify_release(table, ["age"], requirements=[span(365, calendar=True)]).ok
    assert not verify_release(table, ["age"], requirements=[span(366, calendar=True)]).ok
