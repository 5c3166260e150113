"""Roles: every column has exactly one, or the message says which lacks it and how to declare it."""

from __future__ import annotations

import pytest

from sfumato.errors import ParameterError, SchemaError
from sfumato.hierarchies import Numeric, Prefix
from sfumato.table.schema import Schema

COLUMNS = ["name", "age", "zip", "disease", "note"]


def test_every_column_gets_its_role_in_the_order_of_the_table():
    schema = Schema({"zip": Prefix(), "age": None}, sensitive="disease", identifiers=["name"], plain=["note"])
    assert list(schema.roles(COLUMNS).items()) == [
        ("name", "identifier"),
        ("age", "quasi-identifier"),
        ("zip", "quasi-identifier"),
        ("disease", "sensitive"),
        ("note", "plain"),
    ]


@pytest.mark.parametrize("rest", ["plain", "drop"])
def test_the_rest_can_be_covered(rest):
    roles = Schema("age", rest=rest).roles(COLUMNS)
    assert roles == {**dict.fromkeys(COLUMNS, rest), "age": "quasi-identifier"}


def test_an_undeclared_column_is_never_a_silent_default():
    with pytest.raises(SchemaError) as caught:
        Schema(["age", "zip"]).roles(COLUMNS)
    message = str(caught.value)
    assert message.startswith("No role is declared for 'name', 'disease', 'note'.")
    assert "rest='drop'" in message
    assert "--qi" in message


def test_an_unknown_column_is_named_with_those_there_are():
    with pytest.raises(SchemaError, match=r"no column 'agee', 'ill'\. Its columns are 'name', 'age'.*mean 'age'\?"):
        Schema(["agee"], sensitive=["ill"], rest="drop").roles(COLUMNS)
    with pytest.raises(SchemaError, match=r"no column 'xyz'\. Its columns are 'name', 'age'.*spelling"):
        Schema(["xyz"], rest="drop").roles(COLUMNS)


def test_without_quasi_identifiers_there_is_nothing_to_protect():
    with pytest.raises(SchemaError, match=r"No quasi-identifier is declared.*quasi_identifiers=\['age'\]"):
        Schema(rest="drop").roles(COLUMNS)


def test_a_table_without_columns_is_refused():
    with pytest.raises(SchemaError, match="no columns"):
        Schema(rest="drop").roles([])


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"quasi_identifiers": ["a"], "sensitive": "a"}, "both as quasi-identifier and as sensitive"),
        ({"sensitive": "a", "identifiers": "a"}, "both as sensitive and as identifier"),
        ({"identifiers": "a", "plain": "a"}, "both as identifier and as plain"),
        ({"sensitive": ["a", "a"]}, "twice as sensitive"),
        ({"quasi_identifiers": ["a", "b", "a"]}, "twice as quasi-identifier"),
    ],
)
def test_a_column_has_one_role(roles, says):
    with pytest.raises(SchemaError, match=f"Column 'a' is declared {says}"):
        Schema(**roles)


@pytest.mark.parametrize(
    "wrong",
    [
        {"quasi_identifiers": 5},
        {"quasi_identifiers": None},
        {"quasi_identifiers": ["a", 5]},
        {"quasi_identifiers": {5: None}},
        {"quasi_identifiers": {"a": "numeric"}},
        {"quasi_identifiers": {"a": Numeric}},
        {"sensitive": 5},
        {"sensitive": [None]},
        {"identifiers": ["a", b"b"]},
        {"plain": 3.5},
        {"rest": "keep"},
        {"quasi_identifiers": ["a"], "weights": 5},
        {"quasi_identifiers": ["a"], "weights": ["a"]},
        {"quasi_identifiers": ["a"], "weights": {"a": -1}},
        {"quasi_identifiers": ["a"], "weights": {"a": "2"}},
        {"quasi_identifiers": ["a"], "weights": {"a": float("inf")}},
        {"quasi_identifiers": ["a"], "weights": {"a": 0}},
    ],
    ids=str,
)
def test_refusals_have_one_form(wrong):
    with pytest.raises(ParameterError, match=r"^The '.+' parameter of Schema must be .+\. Got .+\."):
        Schema(**wrong)


def test_weights_belong_to_quasi_identifiers():
    assert Schema(["a", "b"], weights={"a": 0}).weights == {"a": 0}
    with pytest.raises(SchemaError, match="weight for 's', which is not a quasi-identifier"):
        Schema(["a"], sensitive="s", weights={"s": 1})


def test_what_the_caller_gave_is_copied():
    given, weights = {"a": None}, {"a": 2.0}
    schema = Schema(given, weights=weights)
    given["b"] = None
    weights["a"] = 9
    assert schema.quasi_identifiers == {"a": None}
    assert schema.weights == {"a": 2.0}


def test_names_may_come_from_any_iterable():
    schema = Schema((name for name in ("a", "b")), sensitive={"s"})
    assert tuple(schema.quasi_identifiers) == ("a", "b")
    assert schema.sensitive == ("s",)
