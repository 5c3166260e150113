"""Numbers: widths exact at their edges, whatever the type and however large."""

from __future__ import annotations

import decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column

from sfumato.errors import DataError, ParameterError
from sfumato.hierarchies import Numeric


def labels(values, width, kind=None):
    """Return each value's interval of one width, in the order of the values given."""
    microdata = encoded_column(pa.array(values, kind), Numeric(widths=(width,)))
    level = microdata.domains[0].levels[1]
    return [level.labels[int(level.groups[code])].as_py() for code in microdata.codes[:, 0]]


def positions(values, kind=None):
    return encoded_column(pa.array(values, kind), Numeric()).domains[0].positions.tolist()


def test_whole_numbers_show_closed_intervals_also_below_zero():
    assert labels([-6, -5, -1, 0, 4, 5], 5) == ["[-10, -6]", "[-5, -1]", "[-5, -1]", "[0, 4]", "[0, 4]", "[5, 9]"]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
def test_tenths_lie_in_the_interval_that_they_begin(kind):
    tenths = [-0.7, -0.6, -0.3, 0.1, 0.3, 0.6, 0.7]
    shown = ["[-0.7, -0.6)", "[-0.6, -0.5)", "[-0.3, -0.2)", "[0.1, 0.2)", "[0.3, 0.4)", "[0.6, 0.7)", "[0.7, 0.8)"]
    assert labels(tenths, 0.1, kind) == shown


def test_decimals_lie_in_the_interval_that_they_begin():
    assert labels([decimal.Decimal("0.60"), decimal.Decimal("0.59")], 0.1) == ["[0.6, 0.7)", "[0.5, 0.6)"]


def test_a_whole_width_of_fractions_is_open_at_its_end():
    assert labels([4.9, 5.0, -0.1], 5) == ["[0, 5)", "[5, 10)", "[-5, 0)"]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([2**62 + 1, 2**62 + 7], pa.int64(), ["[4611686018427387905, 4611686018427387909]",
                                              "[4611686018427387910, 4611686018427387914]"]),
        ([2**64 - 2, 2**64 - 1], pa.uint64(), ["[18446744073709551610, 18446744073709551614]",
                                               "[18446744073709551615, 18446744073709551619]"]),
        ([-(2**63)], pa.int64(), ["[-9223372036854775810, -9223372036854775806]"]),
        ([-128, 127], pa.int8(), ["[-130, -126]", "[125, 129]"]),
    ],
)  # fmt: skip
def test_the_largest_integers_keep_every_digit(values, kind, expected):
    assert labels(values, 5, kind) == expected


@given(
    st.lists(st.decimals(-50, 50, places=2).map(float), min_size=1, max_size=20, unique=True),
    st.sampled_from([0.1, 0.25, 0.3, 1.5, 7, 0.01]),
)
def test_every_number_lies_in_its_interval(values, width):
    for value, label in zip(values, labels(values, width), strict=True):
        low, high = (Fraction(bound) for bound in label.strip("[)").split(", "))
        assert low <= Fraction(str(value)) < high
        assert high - low == Fraction(str(width))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20, unique=True), st.integers(1, 2**40))
def test_every_integer_lies_in_its_interval(values, width):
    for value, label in zip(values, labels(values, width, pa.int64()), strict=True):
        low, high = (int(bound) for bound in label.strip("[]").split(", "))
        assert low <= value <= high == low + width - 1
        assert low % width == 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12, unique=True))
def test_any_float_can_be_binned_and_levels_nest(values):
    domain = encoded_column(pa.array(values), Numeric(widths=(0.1, 0.3, 3))).domains[0]
    for lower, upper in zip(domain.levels, domain.levels[1:], strict=False):
        assert len(set(zip(lower.groups, upper.groups, strict=True))) == len(lower)
    assert domain.positions[0] == 0
    assert (np.diff(domain.positions) >= 0).all()
    assert domain.positions[-1] == (1 if domain.size > 1 else 0)


@pytest.mark.parametrize("first", [0, 10**18, 2**63 - 5, -(2**63)])
def test_large_neighbours_are_told_apart(first):
    assert positions([first + step for step in range(5)], pa.int64()) == [0, 0.25, 0.5, 0.75, 1]


def test_large_decimals_are_told_apart():
    large = [decimal.Decimal(10**30 + step) for step in (0, 1, 4)]
    assert positions(large, pa.decimal128(38, 2)) == [0, 0.25, 1]


def test_the_whole_range_of_integers_and_of_floats_is_finite():
    assert positions([-(2**63), 0, 2**63 - 1], pa.int64()) == pytest.approx([0, 0.5, 1])
    assert positions([-1.7e308, 0.0, 1.7e308]) == pytest.approx([0, 0.5, 1])


def test_booleans_are_numbers_when_declared_so():
    microdata = encoded_column(pa.array([True, False, None]), Numeric())
    assert microdata.codes[:, 0].tolist() == [1, 0, 2]
    assert microdata.domains[0].texts.to_pylist() == ["0", "1", None]


def test_texts_of_one_number_are_one_value():
    microdata = encoded_column(pa.array(["1", "1.0", None, "2", "01"]), Numeric())
    assert microdata.codes[:, 0].tolist() == [0, 0, 2, 1, 0]
    assert microdata.domains[0].size == 3


def test_zero_has_one_sign():
    assert encoded_column(pa.array([0.0, -0.0, 1.0])).codes[:, 0].tolist() == [0, 0, 1]


def test_a_single_value_has_no_span():
    domain = encoded_column(pa.array([7, 7])).domains[0]
    assert domain.extent == 0
    assert domain.span_costs(np.array([0]), np.array([0]))[0] == 0


@pytest.mark.parametrize("bad", [float("inf"), float("-inf")])
def test_infinite_numbers_are_refused(bad):
    with pytest.raises(DataError, match="'a' holds infinite numbers"):
        encoded_column(pa.array([1.0, bad]))


@pytest.mark.parametrize("values", [["1", "x"], [b"x"], [[1]]])
def test_what_is_no_number_is_refused(values):
    with pytest.raises(DataError, match="Column 'a'"):
        encoded_column(pa.array(values), Numeric())


@pytest.mark.parametrize("widths", [(5, 12), (10, 5), (5, 5), (0,), (-1,), (float("nan"),), ("5",), (True,)])
def test_widths_that_do_not_nest_are_refused(widths):
    with pytest.raises(ParameterError, match=r"^The 'widths' parameter of Numeric must be .+\. Got .+\."):
        Numeric(widths=widths)


def test_widths_may_be_fractions_of_each_other():
    assert Numeric(widths=(0.1, 0.3, 0.6)).widths == (0.1, 0.3, 0.6)


@pytest.mark.parametrize("widths", [5, "5"])
def test_widths_that_are_no_list_are_refused(widths):
    with pytest.raises(ParameterError, match=r"must be a list of numbers such as \[5, 10, 20\]\. Got '?5'?\."):
        Numeric(widths)


@pytest.mark.parametrize("place", [0, 1, 6, 7])
def test_a_word_among_numbers_is_told_by_its_row(place):
    cells = [str(number) for number in range(8)]
    cells[place] = "seven and a half"
    with pytest.raises(DataError, match=rf"declared as Numeric\(\).*stands in row {place + 1}\.$") as caught:
        encoded_column(pa.array(cells), Numeric())
    assert "half" not in str(caught.value)
