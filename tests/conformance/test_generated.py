"""Tables that nobody thought of: every registered method releases them verified, or says why not."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conformance.test_methods import METHODS
from tests.examples import examples

import sfumato as sf
from sfumato.errors import DataError, InfeasibleError, ParameterError

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
COLUMNS = {
    "integer": (pa.int64(), st.integers(-(2**53), 2**53) | st.integers(0, 4)),
    "float": (pa.float64(), st.floats(-1e12, 1e12) | st.sampled_from([0.0, -0.0, 0.1, 1e-300])),
    "text": (pa.string(), TEXT),
    "truth": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))),
    "moment": (pa.timestamp("us", "UTC"), st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))),
    "few": (pa.string(), st.sampled_from("abc")),
}

#: What may be wrong with a generated table, and what the error then says.
REASONS = {InfeasibleError: "not possible", DataError: "missing", ParameterError: "does not support"}


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    rows = draw(st.integers(1, 40))
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4))
    columns = {}
    for place, kind in enumerate(kinds):
        arrow, values = COLUMNS[kind]
        lacking = st.none() if draw(st.booleans()) else st.nothing()
        pool = draw(st.lists(values, min_size=1, max_size=draw(st.sampled_from([1, 3, 40]))))
        cell = st.sampled_from(pool) | lacking
        columns[f"{kind} {place}"] = pa.array(draw(st.lists(cell, min_size=rows, max_size=rows)), arrow)
    names = list(columns)
    illness = st.sampled_from(["flu", "ulcer", "acne", None])
    columns["illness"] = pa.array(draw(st.lists(illness, min_size=rows, max_size=rows)), pa.string())
    return {
        "data": pa.table(columns),
        "quasi_identifiers": names,
        "sensitive": "illness",
        "k": draw(st.integers(1, 6)),
        "l": draw(st.sampled_from([None, 1, 1.5, 2])),
        "t": draw(st.sampled_from([None, 0.3, 0.6])),
        "suppression": draw(st.sampled_from([0.0, 0.1, 0.5])),
        "missing": draw(st.sampled_from(["category", "suppress"])),
        "intervals": draw(st.sampled_from(["text", "bounds", "midpoint", "mean"])),
    }


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(request=requests())
def test_a_generated_table_is_released_verified_or_refused_for_a_reason(name: str, request: dict[str, Any]) -> None:
    rows = request["data"].num_rows
    try:
        release = sf.anonymize(method=METHODS[name], **request)
    except tuple(REASONS) as error:
        reason = next(reason for kind, reason in REASONS.items() if isinstance(error, kind))
        if reason not in str(error):
            raise
        return
    assert release.verify().ok
    assert release.table.num_rows + release.suppressed == rows
    by_budget = release.suppressed - release.manifest["suppressed"]["missing"]
    assert by_budget <= request["suppression"] * rows + 1e-9
    assert 0 <= release.loss.gcp <= 1 + 1e-9
