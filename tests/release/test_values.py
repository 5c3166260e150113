"""How classes are shown: every kind of domain, every kind of interval, with and without missing values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from tests.release.given import SEED, Given, shown

import sfumato as sf
from sfumato.errors import SchemaError

DAY = dt.date(2024, 1, 3)
NOON = dt.datetime(2024, 1, 3, 12)
TREE = sf.Taxonomy.from_dict({"Europe": ["France", "Italy"], "Asia": ["Japan", "Korea"]})
CLASSES = [0, 0, 1, 1]


def days(*numbers: int) -> list[dt.date]:
    return [DAY + dt.timedelta(days=number) for number in numbers]


class TestText:
    @pytest.mark.parametrize(
        ("values", "how", "labels"),
        [
            ([25, 27, 41, 41], None, ["[25, 27]", "41"]),
            ([-3, -1, 0, 7], sf.Numeric(), ["[-3, -1]", "[0, 7]"]),
            ([0.5, 2.25, 3.0, 3.0], None, ["[0.5, 2.25]", "3"]),
            (pa.array(["1.10", "2.20", "9.00", "9.00"]).cast(pa.decimal128(8, 2)), None, ["[1.10, 2.20]", "9.00"]),
            ([True, False, True, True], None, ["*", "true"]),
            (["a", "b", "c", "c"], None, ["*", "c"]),
            (["France", "Italy", "Italy", "Japan"], TREE, ["Europe", "*"]),
            (["53711", "53712", "53710", "60000"], sf.Prefix(), ["5371*", "*"]),
            (days(0, 8, 40, 40), None, ["[2024-01-03, 2024-01-11]", "2024-02-12"]),
            (["low", "mid", "high", "high"], sf.Ordered(["low", "mid", "high"]), ["[low, mid]", "high"]),
        ],
    )
    def test_a_class_is_shown_by_what_its_rows_span(self, values, how, labels):
        assert shown(values, CLASSES, how)["x"] == [labels[0]] * 2 + [labels[1]] * 2

    @pytest.mark.parametrize(
        ("values", "how"),
        [
            ([25, None, None, None], None),
            ([0.5, float("nan"), None, None], None),
            (["a", None, None, None], None),
            (["France", None, None, None], TREE),
            (["53711", None, None, None], sf.Prefix()),
            ([DAY, None, None, None], None),
            (["low", None, None, None], sf.Ordered(["low", "high"])),
        ],
    )
    def test_missing_is_null_alone_and_anything_together_with_a_value(self, values, how):
        assert shown(values, CLASSES, how)["x"] == ["*", "*", None, None]

    def test_times_are_shown_with_their_zone(self):
        moments = pa.array([NOON, NOON + dt.timedelta(hours=2)], pa.timestamp("s", "UTC"))
        assert shown(moments, [0, 0], sf.Dates())["x"] == ["[2024-01-03 12:00:00Z, 2024-01-03 14:00:00Z]"] * 2

    def test_levels_are_shown_by_their_labels(self):
        table = pa.table({"x": [21, 24, 37, None], "city": ["France", "Italy", "Japan", "Japan"]})
        roles = {"x": sf.Numeric(widths=(5, 10)), "city": TREE}
        release = sf.anonymize(table, quasi_identifiers=roles, k=1, method=Given(levels=(1, 1)), keep_order=True)
        assert release.data["x"].to_pylist() == ["[20, 24]", "[20, 24]", "[35, 39]", None]
        assert release.data["city"].to_pylist() == ["Europe", "Europe", "Asia", "Asia"]


class TestBounds:
    @pytest.mark.parametrize(
        "values",
        [
            pa.array([25, 27, 41, 44], pa.int16()),
            pa.array([0.5, 2.25, 3.0, 4.0]),
            pa.array([Decimal("1.10"), Decimal("2.20"), Decimal("3.30"), Decimal("4.40")]),
            pa.array(days(0, 8, 40, 41)),
            pa.array([NOON + dt.timedelta(hours=hour) for hour in range(4)], pa.timestamp("ns", "Europe/Rome")),
        ],
        ids=lambda values: str(values.type),
    )
    def test_two_columns_of_the_same_type(self, values):
        release = sf.anonymize(
            pa.table({"x": values}),
            quasi_identifiers={"x": sf.Dates() if pa.types.is_timestamp(values.type) else None},
            k=2,
            method=Given((0, 0, 1, 1)),
            seed=SEED,
            keep_order=True,
            intervals="bounds",
        )
        assert release.data.column_names == ["x_min", "x_max"]
        assert release.data.schema.types == [values.type] * 2
        assert release.data["x_min"].to_pylist() == values.take([0, 0, 2, 2]).to_pylist()
        assert release.data["x_max"].to_pylist() == values.take([1, 1, 3, 3]).to_pylist()

    def test_an_order_has_bounds_too(self):
        data = shown(["low", "high", "mid", "mid"], CLASSES, sf.Ordered(["low", "mid", "high"]), intervals="bounds")
        assert data == {"x_min": ["low", "low", "mid", "mid"], "x_max": ["high", "high", "mid", "mid"]}

    def test_missing_values_leave_both_empty(self):
        data = shown([25, None, None, None], CLASSES, intervals="bounds")
        assert data == {"x_min": [None] * 4, "x_max": [None] * 4}

    def test_categories_stay_one_column(self):
        assert shown(["a", "b", "c", "c"], CLASSES, intervals="bounds") == {"x": ["*", "*", "c", "c"]}

    @pytest.mark.parametrize("role", ["plain", "identifiers", "quasi_identifiers"])
    def test_a_column_of_that_name_is_in_the_way(self, role):
        table = pa.table({"age": [1, 2], "age_max": [3, 4]})
        roles = {"quasi_identifiers": ["age"]}
        roles[role] = [*roles.get(role, []), "age_max"]
        with pytest.raises(SchemaError, match=r"'age' by its bounds needs a column 'age_max'.*Rename"):
            sf.anonymize(table, **roles, k=2, intervals="bounds")
        assert sf.anonymize(table, **roles, k=2).classes == 1


class TestNumbers:
    def test_midpoints_lie_between_the_bounds(self):
        assert shown([25, 28, 41, 41], CLASSES, intervals="midpoint") == {"x": [26.5, 26.5, 41.0, 41.0]}

    def test_means_are_those_of_the_rows(self):
        assert shown([1, 2, 9, 5], [0, 0, 0, 1], intervals="mean") == {"x": [4.0, 4.0, 4.0, 5.0]}

    def test_means_are_those_of_the_released_rows(self):
        assert shown([1, 2, 9, 5], [0, 0, -1, 1], intervals="mean") == {"x": [1.5, 1.5, 5.0]}

    @pytest.mark.parametrize("intervals", ["midpoint", "mean"])
    def test_missing_values_leave_nothing_to_average(self, intervals):
        assert shown([25, None, None, 3], [0, 0, 1, 2], intervals=intervals) == {"x": [None, None, None, 3.0]}

    @pytest.mark.parametrize("intervals", ["midpoint", "mean"])
    def test_dates_stay_dates(self, intervals):
        before = [dt.date(1950, 1, 1), dt.date(1950, 1, 4), dt.date(1960, 5, 5), dt.date(1960, 5, 5)]
        expected = [dt.date(1950, 1, 2)] * 2 + [dt.date(1960, 5, 5)] * 2
        assert shown(before, CLASSES, intervals=intervals)["x"] == expected

    @pytest.mark.parametrize("intervals", ["midpoint", "mean"])
    @pytest.mark.parametrize("zone", [None, "Europe/Rome"])
    def test_a_class_of_one_moment_shows_that_moment(self, intervals, zone):
        start = dt.datetime(1931, 7, 5, 3, 4, 5, 123457)
        steps = [dt.timedelta(days=977 * number, microseconds=7919 * number) for number in range(50)]
        moments = pa.array([start + step for step in steps], pa.timestamp("us", zone))
        found = shown(moments, range(50), sf.Dates(), intervals=intervals)["x"]
        apart = [abs(one - other) for one, other in zip(found, moments.to_pylist(), strict=True)]
        assert max(apart) <= dt.timedelta(microseconds=1)  # what a double holds of a day in this century

    @pytest.mark.parametrize("intervals", ["midpoint", "mean"])
    def test_what_cannot_be_averaged_is_text(self, intervals):
        order = sf.Ordered(["low", "mid", "high"])
        assert shown(["low", "mid", "high", "high"], CLASSES, order, intervals=intervals)["x"][0] == "[low, mid]"
        assert shown(["a", "b", "c", "c"], CLASSES, intervals=intervals)["x"] == ["*", "*", "c", "c"]


class TestRows:
    def test_suppressed_rows_are_not_there(self):
        assert shown([1, 2, 3, 4], [0, 0, -1, 1])["x"] == ["[1, 2]", "[1, 2]", "4"]

    def test_gaps_in_the_numbers_of_classes_do_not_matter(self):
        assert shown([1, 2, 3, 4], [5, 5, 2, 2])["x"] == ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"]

    def test_columns_come_in_the_order_of_the_input(self):
        table = pa.table({"note": ["u", "v"], "age": [1, 2], "name": ["p", "q"], "illness": ["f", "g"], "zip": [3, 4]})
        release = sf.anonymize(
            table,
            quasi_identifiers=["zip", "age"],
            sensitive="illness",
            identifiers="name",
            plain="note",
            k=2,
            intervals="bounds",
        )
        assert release.data.column_names == ["note", "age_min", "age_max", "illness", "zip_min", "zip_max"]
