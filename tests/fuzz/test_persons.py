"""Classes hold as many people as was asked for, counted again by somebody else. See `tests.fuzz.persons`."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from tests.fuzz.duration import rounds
from tests.fuzz.persons import Case, attempt, judge_people, judge_pseudonyms
from tests.fuzz.search import Finding

import sfumato as sf

TABLE = pa.table({"age": [1, 1], "illness": ["x", "y"]})


def test_people_are_counted():
    counts = Counter(attempt(rng.randrange(2**40)) for rng in rounds())
    assert counts["released"] >= 1


def _case(patients: list[str | None], asked: str = "") -> tuple[Case, list[dict[str, object]]]:
    rows = [{"age": "[1, 2]", "region": "N", "illness": "flu", "row": row} for row in range(len(patients))]
    return Case(
        {"patient": patients, "nurse": patients}, {"pseudonymize": asked, "plain": []}, ["patient"], 2, None
    ), rows


def test_the_judge_counts_people_and_not_rows():
    one, rows = _case(["a", "a", "a"])
    release = sf.anonymize(TABLE, quasi_identifiers="age", sensitive="illness", k=2)
    with pytest.raises(Finding, match="1 people"):
        judge_people(one, release, rows)


@pytest.mark.parametrize("pseudonyms", [["x", "y", "z"], ["x", "x", "x"], ["a", "a", "b"], [None, None, "z"]])
def test_the_judge_sees_false_pseudonyms(pseudonyms):
    one, rows = _case(["a", "a", "b"], "patient")
    with pytest.raises(Finding):
        judge_pseudonyms(one, [row | {"patient": pseudonym} for row, pseudonym in zip(rows, pseudonyms, strict=True)])
