"""Where a table may be cut: given points, or so many at quantiles, equal widths or the boundaries of a tree."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from tests.methods.enumeration.tables import TREE

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.hierarchies import Hierarchy
from sfumato.methods.enumeration.splits import DEFAULT_COUNT, Splits, plain_splits, split_codes
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

NUMBERS = [10, 20, 20, 30, 40, 50, 50, 50, 90, 100]


def coded(values: object, how: Hierarchy) -> Microdata:
    return encode(pa.table({"x": values}), {"x": how})


def cuts(microdata: Microdata, given: Splits, placing: str = "auto") -> list[int]:
    return split_codes(microdata, {"x": given}, placing)[0].tolist()


def first_right(microdata: Microdata, given: Splits, placing: str = "auto") -> list[object]:
    """The smallest value on the right of each cut."""
    return [microdata.domains[0].texts[code].as_py() for code in cuts(microdata, given, placing)]


def test_a_value_at_a_cut_point_lies_on_its_left() -> None:
    numbers = coded(NUMBERS, sf.Numeric())
    assert first_right(numbers, [30]) == ["40"]
    assert first_right(numbers, [29.5]) == ["30"]


def test_points_that_divide_nothing_and_repeated_ones_do_not_count() -> None:
    numbers = coded(NUMBERS, sf.Numeric())
    assert cuts(numbers, [5, 100, 1000, 30, 31, 30]) == cuts(numbers, [30])


def test_dates_are_cut_at_dates() -> None:
    days = coded([datetime.date(2020, month, 15) for month in range(1, 7)], sf.Dates())
    assert first_right(days, [datetime.date(2020, 3, 15)]) == ["2020-04-15"]
    assert first_right(days, ["2020-03-14"]) == ["2020-03-15"]


def test_categories_are_cut_after_a_value_or_a_group() -> None:
    colours = coded(["red", "orange", "blue", "teal", "green"], sf.Taxonomy.from_dict(TREE))
    order = colours.domains[0].texts.to_pylist()
    assert cuts(colours, [order[0]]) == [1]
    last_of_sea = max(order.index("blue"), order.index("teal"))
    assert cuts(colours, ["sea"]) == [last_of_sea + 1]


def test_orders_are_cut_after_a_value() -> None:
    grades = coded(["low", "high", "medium"], sf.Ordered(["low", "medium", "high"]))
    assert first_right(grades, ["medium"]) == ["high"]


@pytest.mark.parametrize("placing", ["auto", "quantiles"])
def test_quantiles_divide_the_rows_evenly(placing: str) -> None:
    numbers = coded(NUMBERS, sf.Numeric())
    assert first_right(numbers, 1, placing) == ["50"]
    assert first_right(numbers, 2, placing) == ["30", "90"] or first_right(numbers, 2, placing) == ["30", "50"]


def test_a_frequent_value_does_not_cost_cuts() -> None:
    skewed = coded([1] * 90 + list(range(2, 12)), sf.Numeric())
    for count in range(1, 11):
        assert len(cuts(skewed, count)) == count


def test_equal_widths_ignore_the_rows() -> None:
    numbers = coded(NUMBERS, sf.Numeric())
    assert first_right(numbers, 2, "width") == ["50", "90"]


def test_taxonomies_are_cut_at_their_highest_boundaries_first() -> None:
    colours = coded(["red", "orange", "blue", "teal", "green"], sf.Taxonomy.from_dict(TREE))
    groups = colours.domains[0].levels[-2].groups
    (between,) = (np.flatnonzero(np.diff(groups)) + 1).tolist()
    assert cuts(colours, 1) == [between]
    assert set(cuts(colours, 1)) < set(cuts(colours, 2)) < set(cuts(colours, 4))
    assert len(cuts(colours, 9)) == 4


def test_missing_values_can_always_be_cut_off() -> None:
    lacking = coded([1, 2, None, 3], sf.Numeric())
    assert cuts(lacking, [1]) == [1, 3]
    assert cuts(lacking, 0) == [3]


def test_what_is_not_named_gets_the_default() -> None:
    table = pa.table({"x": range(100), "y": range(100)})
    microdata = encode(table, {"x": None, "y": None})
    named, other = split_codes(microdata, {"x": [50]}, "auto")
    assert (len(named), len(other)) == (1, DEFAULT_COUNT)
    assert [len(found) for found in split_codes(microdata, 7, "auto")] == [7, 7]
    assert [len(found) for found in split_codes(microdata, None, "auto")] == [DEFAULT_COUNT] * 2


def test_unknown_columns_are_named() -> None:
    with pytest.raises(SchemaError, match=r"'z', which are not quasi-identifiers.*'x'"):
        split_codes(coded(NUMBERS, sf.Numeric()), {"z": 3}, "auto")


@pytest.mark.parametrize(
    ("values", "how", "point"),
    [
        (NUMBERS, sf.Numeric(), "forty"),
        (NUMBERS, sf.Numeric(), True),
        (["a", "b"], sf.Categorical(), "c"),
        ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], sf.Dates(), "soon"),
    ],
)
def test_a_point_that_fits_nowhere_is_refused(values: list[object], how: Hierarchy, point: object) -> None:
    with pytest.raises(ParameterError, match=r"parameter 'splits' cuts 'x'"):
        cuts(coded(values, how), [point])


@pytest.mark.parametrize(
    "wrong",
    [
        {"splits": -1},
        {"splits": {"x": 1.5}},
        {"splits": "x"},
        {"placing": "anywhere"},
        {"minimize": "beauty"},
        {"time_limit": -1},
        {"gap": -0.1},
        {"memory_limit": 0},
        {"engine": "steam"},
        {"priority": "age"},
    ],
)
def test_parameters_are_checked(wrong: dict[str, object]) -> None:
    (name,) = wrong
    with pytest.raises(ParameterError, match=rf"The '{name}' parameter of EnumMulti"):
        sf.EnumMulti(**wrong)  # type: ignore[arg-type]


def test_manifests_hold_plain_points() -> None:
    given = {"day": [datetime.date(2020, 1, 1)], "age": [np.int64(4), 5.5], "zip": 3}
    assert plain_splits(given) == {"day": ["2020-01-01"], "age": [4, 5.5], "zip": 3}
    assert plain_splits(5) == 5
