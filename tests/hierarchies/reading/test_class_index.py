"""The index of classes finds exactly what a comparison of everybody with every class finds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.hierarchies.reading import scanning

import sfumato as sf
from sfumato.assess.attacks.scenario import true_classes
from sfumato.hierarchies.reading import read_release

TREE = sf.Taxonomy({"Europe": ["France", "Italy"], "Asia": ["Japan", "Korea"]})
HOW = {"age": None, "home": TREE, "zip": sf.Prefix(), "sex": None}


def made(seed: int, people: int, classes: int) -> tuple[pa.Table, pa.Table]:
    """Return people, and a release with overlapping boxes, stars and missing values that many of them fit."""
    random = np.random.default_rng(seed)
    original = pa.table(
        {
            "age": pa.array([None if one == 0 else int(one) for one in random.integers(0, 60, people)], pa.int64()),
            "home": np.resize(["France", "Italy", "Japan", "Korea"], people),
            "zip": random.permutation(np.resize(["53711", "53712", "53800", "60000"], people)),
            "sex": random.permutation(np.resize(["f", "m"], people)),
            "ill": random.choice(["flu", "gout"], people),
        }
    )
    low = random.integers(1, 50, classes)
    ages = [f"[{one}, {one + random.integers(1, 12)}]" for one in low.tolist()]
    ages = [random.choice([age, "*"], p=[0.9, 0.1]) for age in ages]
    release = pa.table(
        {
            "age": pa.array([None if random.random() < 0.05 else age for age in ages], pa.string()),
            "home": random.choice(["Europe", "Asia", "Italy", "*"], classes),
            "zip": random.choice(["537**", "53800", "*", "5****"], classes),
            "sex": random.choice(["f", "m", "*"], classes),
            "ill": random.choice(["flu", "gout"], classes),
        }
    )
    rows = random.integers(0, classes, 2 * classes)
    return original, release.take(pa.array(rows))


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 10_000), people=st.integers(4, 60), classes=st.integers(1, 200), known=st.integers(0, 15))
def test_the_index_finds_what_a_scan_finds(seed, people, classes, known):
    original, release = made(seed, people, classes)
    reading = read_release(original, release, HOW)
    rows = np.arange(people)
    knows = [name for at, name in enumerate(HOW) if known >> at & 1]
    found = reading.candidates_of(rows, knows)
    expected = scanning.matches(reading, rows, knows)
    assert (found.dense(len(reading.classes)) == expected).all()
    assert (found.many == expected.sum(axis=1)).all()
    assert (found.sums(reading.classes.sizes) == expected @ reading.classes.sizes).all()
    own = np.random.default_rng(seed).integers(-1, len(reading.classes), people)
    assert (found.holds(own) == [at >= 0 and expected[row, at] for row, at in enumerate(own)]).all()
    assert (reading.candidates() == scanning.matches(reading, rows).sum(axis=0)).all()
    other = reading.candidates_of(rows[::-1].copy(), ["age"])
    both = found.both(other).dense(len(reading.classes))
    assert (both == expected & scanning.matches(reading, rows[::-1], ["age"])).all()
    part = found.part(people // 3, people).dense(len(reading.classes))
    assert (part == expected[people // 3 :]).all()


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 10_000), people=st.integers(4, 60), classes=st.integers(1, 200))
def test_the_nearest_are_the_nearest(seed, people, classes):
    original, release = made(seed, people, classes)
    reading = read_release(original, release, HOW)
    rows = np.arange(people)
    shifts = {"age": np.random.default_rng(seed).normal(0, 9, people)}
    index = reading.index
    codes = {column.name: column.original for column in reading.columns if column.name != "sex"}
    found = index.candidates(*index.known(codes, people, shifts), nearest=True)
    expected = scanning.nearest(reading, rows, list(codes), shifts)
    assert (found.dense(len(reading.classes)) == expected).all()


@settings(max_examples=examples(20), deadline=None)
@given(seed=st.integers(0, 10_000), people=st.integers(4, 60), classes=st.integers(1, 60), centres=st.booleans())
def test_people_are_assigned_as_one_by_one(seed, people, classes, centres):
    original, release = made(seed, people, classes)
    if centres:
        middles = np.random.default_rng(seed).choice([1.5, 17.25, 30.0, 44.5], release.num_rows)
        release = release.set_column(0, "age", pa.array(middles))
    reading = read_release(original, release, HOW)
    ill = pa.concat_arrays([original["ill"].combine_chunks(), release["ill"].combine_chunks()]).dictionary_encode()
    codes = ill.indices.to_numpy().astype(np.int64)
    secrets = [(codes[:people], codes[people:])]
    assert true_classes(reading, secrets).tolist() == scanning.true_classes(reading, secrets)
    assert true_classes(reading, []).tolist() == scanning.true_classes(reading, [])


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch):
    original, release = made(3, 60, 100)
    whole = read_release(original, release, HOW)
    expected = whole.candidates(), true_classes(whole, [])
    monkeypatch.setattr("sfumato.hierarchies.reading.class_index.BLOCK", 7)
    again = read_release(original, release, HOW)
    assert (again.candidates() == expected[0]).all()
    assert (true_classes(again, []) == expected[1]).all()
