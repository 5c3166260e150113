"""Writing TOML: what Python's reader reads is what was written."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.common.toml import dumps

texts = st.text(st.characters(codec="utf-8"), max_size=8)
leaves = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | texts
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=12) | st.dictionaries(texts, inner, max_size=6), max_leaves=25
)


@given(st.dictionaries(texts, values))
def test_anything_plain_survives(data: dict[str, Any]) -> None:
    assert tomllib.loads(dumps(data)) == data


def test_numbers_keep_their_kind() -> None:
    written = tomllib.loads(dumps({"a": 1, "b": 1.0, "c": True, "d": np.int64(3), "e": np.float64(2.5), "f": 1e300}))
    assert written == {"a": 1, "b": 1.0, "c": True, "d": 3, "e": 2.5, "f": 1e300}
    assert [type(value) for value in written.values()] == [int, float, bool, int, float, float]


def test_what_is_not_finite_survives() -> None:
    written = tomllib.loads(dumps({"a": math.inf, "b": -math.inf, "c": math.nan}))
    assert (written["a"], written["b"]) == (math.inf, -math.inf)
    assert math.isnan(written["c"])


def test_none_is_left_out() -> None:
    assert dumps({"a": None, "b": {"c": None, "d": {"e": None}}}) == "[b]\nd = {}\n"


def test_empty_tables_stay() -> None:
    assert tomllib.loads(dumps({"a": {}, "b": [{}, {}]})) == {"a": {}, "b": [{}, {}]}


def test_what_toml_cannot_say_is_refused() -> None:
    with pytest.raises(TypeError, match="no way to write a object"):
        dumps({"a": object()})
