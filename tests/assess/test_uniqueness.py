"""Uniqueness of any set of columns, against a count by hand; estimates are near and say that they are."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as some

import sfumato as sf
from sfumato.assess.risk import uniqueness as module
from sfumato.errors import SchemaError

cells = some.one_of(some.none(), some.integers(0, 3))


@given(some.lists(some.tuples(cells, cells, cells), min_size=1, max_size=30), some.sets(some.sampled_from("abc")))
def test_unique_people_are_those_counted_by_hand(rows: list[tuple[int | None, ...]], names: set[str]) -> None:
    table = pa.table({name: pa.array([row[at] for row in rows], pa.int64()) for at, name in enumerate("abc")})
    chosen = ["abc".index(name) for name in sorted(names)]
    counts = Counter(tuple(row[at] for at in chosen) for row in rows)
    found = sf.uniqueness(table).exactly(sorted(names))
    assert found.unique == sum(times == 1 for times in counts.values())
    assert found.exact
    assert sf.uniqueness(table).about(sorted(names)) == found


def test_it_agrees_with_the_risk_of_people_who_have_several_rows() -> None:
    table = pa.table({"age": [30, 30, 41, 41, 52, 60], "sex": list("ffffmm"), "whose": [1, 1, 2, 3, 3, 4]})
    found = sf.uniqueness(table, person="whose").about(["age", "sex"])
    assert found.unique == sf.risk(table, quasi_identifiers=["age", "sex"], person="whose").unique
    assert (found.people, found.exact) == (4, True)


def test_estimates_are_near_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    table = pa.table({name: random.integers(0, size, 60_000) for name, size in {"a": 60, "b": 40, "c": 50}.items()})
    unique = sf.uniqueness(table)
    monkeypatch.setattr(module, "FEW", 1_000)
    for names in (["a", "b"], ["a", "b", "c"], ["c", "a"]):
        about, exactly = unique.about(names), unique.exactly(names)
        assert not about.exact
        assert about.low <= exactly.unique <= about.high
        assert about.unique == pytest.approx(exactly.unique, rel=0.1, abs=50)
        assert "about" in str(about)


def test_a_million_rows_take_less_time_by_sample_than_grouping_them() -> None:
    random = np.random.default_rng(0)
    table = pa.table({f"c{at}": random.integers(0, 90, 1_000_000).astype(np.int32) for at in range(5)})
    unique, names = sf.uniqueness(table), [f"c{at}" for at in range(5)]
    unique.about(names)  # codes are made once

    def cheapest(work: object) -> float:
        took = []
        for _ in range(3):
            begin = time.process_time()
            work(names)  # type: ignore[operator]
            took.append(time.process_time() - begin)
        return min(took)

    assert cheapest(unique.about) < cheapest(unique.exactly)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(SchemaError, match="no column 'zip'"):
        sf.uniqueness(pa.table({"age": [1]})).about(["zip"])
    with pytest.raises(SchemaError, match="no column 'whose'"):
        sf.uniqueness(pa.table({"age": [1]}), person="whose")
