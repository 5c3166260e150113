"""Flat categories, prefixes and explicit orders."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.helpers import encoded_column

from sfumato.errors import DataError, HierarchyError, ParameterError
from sfumato.hierarchies import Categorical, Numeric, Ordered, Prefix, default_hierarchy
from sfumato.hierarchies.dates import Days


def level_labels(values, how):
    return [level.labels.to_pylist() for level in encoded_column(pa.array(values), how).domains[0].levels]


def test_categories_know_only_themselves_and_the_root():
    assert level_labels(["b", "a", None, "c"], Categorical()) == [["a", "b", "c", None], ["*"]]


def test_a_prefix_loses_one_character_per_level():
    assert level_labels(["53715", "53710", "02138"], Prefix()) == [
        ["02138", "53710", "53715"],
        ["0213*", "5371*"],
        ["021**", "537**"],
        ["02***", "53***"],
        ["0****", "5****"],
        ["*"],
    ]


def test_whole_numbers_are_padded_with_zeros_in_front():
    assert level_labels([501, 53715], Prefix())[:2] == [["00501", "53715"], ["0050*", "5371*"]]


def test_zeros_are_put_back_where_the_length_is_declared():
    levels = level_labels(["2139", "53715", "20003", None], Prefix(length=5))
    assert levels[0] == ["02139", "20003", "53715", None]
    assert levels[-2] == ["0****", "2****", "5****", None]
    assert level_labels([2139, 501], Prefix(length=5))[0] == ["00501", "02139"]


def test_only_digits_get_zeros():
    assert level_labels(["A1", "12", ""], Prefix(length=3))[0] == ["", "012", "A1"]


def test_codes_are_not_longer_than_declared():
    with pytest.raises(
        DataError, match="'a' is declared as Prefix\\(length=4\\), but it holds a value of 5 characters"
    ):
        level_labels(["2139", "53715"], Prefix(length=4))
    for length in (0, 65, 2.5, "5", True):
        with pytest.raises(ParameterError, match="length"):
            Prefix(length=length)


def test_shorter_codes_count_as_padded_at_the_end():
    assert level_labels(["12", "123", "1"], Prefix()) == [["1", "12", "123"], ["1**", "12*"], ["1**"], ["*"]]


def test_prefixes_count_characters_not_bytes():
    assert level_labels(["日本", "日中", "é1"], Prefix()) == [["é1", "日中", "日本"], ["é*", "日*"], ["*"]]


def test_characters_that_end_nothing_still_count():
    """A NUL is a character like any other."""
    assert level_labels(["a\0x", "ab", "a"], Prefix())[1] == ["a**", "a\0*", "ab*"]


def test_an_empty_text_is_a_value():
    assert level_labels(["", "a", None], Prefix()) == [["", "a", None], ["*"]]


def test_too_long_a_code_is_refused():
    assert len(level_labels(["x" * 64], Prefix())) == 65
    with pytest.raises(DataError, match="holds a value of 65 characters"):
        encoded_column(pa.array(["x" * 65]), Prefix())


def test_an_order_is_kept_and_gaps_count():
    domain = encoded_column(pa.array(["high", "low"]), Ordered(["low", "medium", "high"])).domains[0]
    assert domain.values.to_pylist() == ["low", "high"]
    assert domain.extent == 2


@pytest.mark.parametrize(
    ("order", "values"),
    [
        ([3, 1, 2], [1, 2, 3]),
        ([2.0, 0.5], [0.5, 2.0]),
        ([2.0, 1.0], [1, 2]),
        ([False, True], [True, False]),
    ],
)
def test_an_order_may_list_the_values_of_any_column(order, values):
    assert encoded_column(pa.array(values), Ordered(order)).domains[0].values.to_pylist() == order


def test_a_value_outside_the_order_is_told_by_its_row():
    with pytest.raises(HierarchyError, match=r"Column 'a' holds 1 value that is not in the order.*stands in row 2\."):
        encoded_column(pa.array(["low", "huge"]), Ordered(["low"]))


@pytest.mark.parametrize("order", [[], "abc", ["a", "b", "a"], [1, "1"], [*map(str, range(20_000)), "7"]])
def test_orders_that_are_none_are_refused(order):
    with pytest.raises(ParameterError, match=r"^The 'order' parameter of Ordered must be .+\. Got .+\."):
        Ordered(order)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (pa.int8(), Numeric()),
        (pa.uint64(), Numeric()),
        (pa.float32(), Numeric()),
        (pa.decimal128(5, 2), Numeric()),
        (pa.date32(), Days()),
        (pa.timestamp("s", "UTC"), Days()),
        (pa.string(), Categorical()),
        (pa.bool_(), Categorical()),
        (pa.dictionary(pa.int8(), pa.int64()), Numeric()),
    ],
)
def test_the_type_decides_where_nothing_is_declared(kind, expected):
    assert default_hierarchy(kind) == expected


def test_declarations_are_compared_by_what_they_say():
    assert Numeric((5, 10)) == Numeric([5, 10]) != Numeric()
    assert repr(Ordered(["a", "b"])) == "Ordered(order=['a', 'b'])"
