"""Every refused argument reads the same."""

from __future__ import annotations

import decimal
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.common import parameters
from sfumato.errors import ParameterError, invalid_parameter, listed, shortened

FORM = r"^The 'x' parameter of Thing must be {}\. Got {}\.$"


def refused(expected, got):
    return pytest.raises(ParameterError, match=FORM.format(expected, got))


@pytest.mark.parametrize("value", [2, 7, np.int8(3), np.uint64(9)])
def test_integers(value):
    found = parameters.integer("Thing", "x", value, at_least=2)
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize("value", [1, -5, True, 2.0, "2", None, decimal.Decimal(2), np.float64(3), [2], float("nan")])
def test_what_is_no_such_integer(value):
    with refused("an integer of at least 2", ".*"):
        parameters.integer("Thing", "x", value, at_least=2)


@pytest.mark.parametrize("value", [0.5, 1, np.float32(0.5), Fraction(1, 3), 10**300])
def test_numbers(value):
    found = parameters.number("Thing", "x", value, above=0)
    assert found == float(value)
    assert type(found) is float


@pytest.mark.parametrize("value", [0, -1, True, "1", None, float("nan"), float("inf"), 10**400, -(10**400), 1j])
def test_what_is_no_such_number(value):
    with refused("a number above 0", ".*"):
        parameters.number("Thing", "x", value, above=0)
    assert parameters.number("Thing", "x", 1, at_least=1) == 1


def test_bounds_of_numbers_are_told():
    with refused("a number of at least 1", "0.5"):
        parameters.number("Thing", "x", 0.5, at_least=1)
    with refused("a number", "'a'"):
        parameters.number("Thing", "x", "a")
    with pytest.raises(ParameterError, match=r"Got None\. Give it\.$"):
        parameters.number("Thing", "x", None, hint="Give it.")


@pytest.mark.parametrize("value", [0, 1, 0.04, True - 0.5, np.float64(0.3), Fraction(1, 7)])
def test_shares(value):
    assert parameters.share("Thing", "x", value) == float(value)


@pytest.mark.parametrize("value", [-0.01, 101, True, "0.1", None, float("nan"), float("inf"), 10**400])
def test_what_is_no_share(value):
    with refused("a share from 0 to 1", ".*"):
        parameters.share("Thing", "x", value)


@pytest.mark.parametrize(("value", "meant"), [(4, "0.04"), (2.5, "0.025"), (100, "1"), (1.5, "0.015")])
def test_whoever_says_percent_is_told_the_share(value, meant):
    with pytest.raises(ParameterError) as caught:
        parameters.share("anonymize", "suppression", value)
    assert str(caught.value) == (
        f"The 'suppression' parameter of anonymize must be a share from 0 to 1. Got {value}. "
        f"For {value:g} % write {meant}."
    )


def test_choices_and_flags():
    assert parameters.choice("Thing", "x", "a", ("a", "b")) == "a"
    assert parameters.flag("Thing", "x", False) is False
    with refused("one of 'a', 'b'", "'c'"):
        parameters.choice("Thing", "x", "c", ("a", "b"))
    for value in (0, 1, "no", None):
        with refused("True or False", ".*"):
            parameters.flag("Thing", "x", value)


def test_refusals_are_value_errors_and_short():
    error = invalid_parameter("Thing", "x", "short", "y" * 100_000)
    assert isinstance(error, ValueError)
    assert len(str(error)) < 200


def test_long_values_and_lists_are_cut():
    assert shortened("a") == "'a'"
    assert len(shortened("a" * 500)) == 60
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed(map(str, range(15)), limit=2) == "'0', '1' and 13 more"


def test_numbers_of_thousands_of_digits_are_refused() -> None:
    for k in (10**5_000, -(10**5_000)):
        with pytest.raises(ParameterError, match="must be an integer of at least 1"):
            sf.KAnonymity(k)
