"""A table that is divided into parts by a hash of its classes verifies like one that is not, with any threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.common.threads import at_most
from sfumato.verify import classes
from sfumato.verify.classes import code_column, group_rows
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification

REQUIREMENTS = (
    {"model": "k-anonymity", "k": 3},
    {"model": "l-diversity", "l": 2.5},
    {"model": "l-diversity", "l": 2, "kind": "entropy"},
    {"model": "l-diversity", "l": 2, "kind": "recursive", "c": 1.5},
    {"model": "t-closeness", "t": 0.3},
    {"model": "t-closeness", "t": 0.3, "distance": "ordered"},
    {"model": "beta-likeness", "beta": 1.0},
    {"model": "delta-disclosure", "delta": 1.0},
    {"model": "average-risk", "limit": 0.2},
    {"model": "unique-share", "limit": 0.1},
)


def table(rows: int, seed: int, kind: str) -> pa.Table:
    random = np.random.default_rng(seed)
    texts = pa.array([None, "a", "b", "*", "[1, 2]"])
    columns = {
        "text": texts.take(pa.array(random.integers(0, 5, rows))),
        "number": pa.array(random.integers(0, 4, rows).astype(np.float64), mask=random.random(rows) < 0.1),
        "illness": pa.array([f"illness {n}" for n in range(6)]).take(pa.array(random.integers(0, 6, rows))),
    }
    if kind == "dictionary":
        columns = {name: column.dictionary_encode() for name, column in columns.items()}
    whole = pa.table(columns)
    return pa.concat_tables([whole.slice(0, rows // 3), whole.slice(rows // 3)]) if kind == "chunks" else whole


def without_order(found: Verification) -> Verification:
    """Which of several equally bad classes are named depends on the parts."""
    return replace(found, checks=tuple(replace(check, sample=()) for check in found.checks))


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(1, 300),
    st.integers(0, 10**6),
    st.sampled_from(["plain", "dictionary", "chunks"]),
    st.booleans(),
    st.integers(1, 4),
)
def test_parts_change_nothing(rows: int, seed: int, kind: str, by_person: bool, threads: int) -> None:
    released = table(rows, seed, kind)
    people = np.random.default_rng(seed).integers(0, rows, rows) if by_person else None
    asked = (released, ["text", "number"], ["illness"], REQUIREMENTS)
    wanted = verify_release(*asked, people=people)
    with pytest.MonkeyPatch.context() as patch, at_most(threads):
        patch.setattr(classes, "MANY", 1)
        patch.setattr(classes, "STRETCH", 7)
        found = verify_release(*asked, people=people)
    assert without_order(found) == without_order(wanted)
    assert [len(check.sample) for check in found.checks] == [len(check.sample) for check in wanted.checks]


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(1, 200), st.integers(0, 10**6))
def test_parts_hold_every_row_once_and_no_class_twice(rows: int, seed: int) -> None:
    coded = [code_column(name, table(rows, seed, "plain").column(name)) for name in ("text", "number")]
    wanted = group_rows(coded)
    with pytest.MonkeyPatch.context() as patch, at_most(3):
        patch.setattr(classes, "MANY", 1)
        patch.setattr(classes, "STRETCH", 5)
        patch.setattr(classes, "KEY_LIMIT", 6)  # keys are numbered anew after the first column
        found = group_rows(coded)
    pairs = set(zip(wanted.of_row.tolist(), found.of_row.tolist(), strict=True))
    assert len(pairs) == len(wanted) == len(found)
    assert np.array_equal(np.bincount(found.of_row), found.sizes)
    assert found.divided is not None
    assert sorted(found.divided.rows.tolist()) == list(range(rows))
    local = [found.part(number) for number in found.parts]
    assert [int(one.sizes.sum()) for one in local] == [len(one.of_row) for one in local]
    assert all(one.of_row.max(initial=-1) < len(one) for one in local)
