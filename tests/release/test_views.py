"""Views of a release: the same classes in other forms, each checked as somebody else reads it."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import EngineError, ParameterError, VerificationError
from sfumato.verify.views import verify_view

VIEWS = ("text", "midpoint", "bounds", "mean", "interval")


def people(rows: int = 400, seed: int = 5) -> pa.Table:
    random = np.random.default_rng(seed)
    born = [dt.date(1950, 1, 1) + dt.timedelta(days=int(days)) for days in random.integers(0, 20_000, rows)]
    pay = [None if one < 0.05 else round(float(one) * 9_000, 2) for one in random.random(rows)]
    return pa.table(
        {
            "age": random.integers(18, 90, rows),
            "pay": pa.array(pay, pa.float64()),
            "born": born,
            "grade": random.choice(["low", "mid", "high"], rows),
            "town": random.choice(["Siena", "Lucca", "Pisa"], rows),
            "ill": random.choice(["flu", "ulcer", "asthma", "gout"], rows),
        }
    )


PEOPLE = people()
ROLES = {"age": None, "pay": None, "born": None, "grade": sf.Ordered(["low", "mid", "high"]), "town": None}


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return sf.anonymize(PEOPLE, quasi_identifiers=ROLES, sensitive="ill", k=5, l=2, method="mondrian", seed=3)


def partition(frame: pd.DataFrame) -> list[int]:
    """Number the rows by what they show of the quasi-identifiers, in the order of first appearance."""
    shown = ["|".join(map(str, row)) for row in frame.drop(columns="ill").itertuples(index=False)]
    return pd.factorize(np.array(shown, object))[0].tolist()


def test_all_views_have_the_same_classes_in_the_same_order(release):
    expected = partition(release.to_pandas())
    for view in VIEWS:
        for frame in (
            release.to_pandas(intervals=view),
            release.to_arrow(intervals=view).to_pandas(),
            release.to_polars(intervals=view).to_pandas(),
        ):
            assert frame["ill"].tolist() == release.to_pandas()["ill"].tolist()
            same = partition(frame)
            if view != "midpoint":  # intervals with one middle are one class to a reader
                assert len(set(same)) == len(set(expected)) == len(set(zip(same, expected, strict=True)))
            assert min(np.bincount(same)) >= 5


def test_every_view_is_true_of_the_original(release):
    row_of = release.row_of
    original = PEOPLE.to_pandas().iloc[row_of].reset_index(drop=True)
    frame = release.to_pandas(intervals="interval")
    assert isinstance(frame["age"].dtype, pd.IntervalDtype)
    assert frame["age"].dtype.closed == "both"
    for value, interval in zip(original["age"], frame["age"], strict=True):
        assert value in interval
    for value, interval in zip(pd.to_datetime(original["born"]), frame["born"], strict=True):
        assert interval.left <= value <= interval.right
    means = release.to_polars(intervals="mean").to_pandas()
    classes = partition(release.to_pandas())
    expected = original["age"].groupby(np.array(classes)).transform("mean")
    assert np.allclose(means["age"], expected)
    bounds = release.to_arrow(intervals="bounds").to_pandas()
    middle = release.to_pandas(intervals="midpoint")
    assert np.allclose(middle["age"], (bounds["age_min"] + bounds["age_max"]) / 2)
    assert ((bounds["age_min"] <= original["age"]) & (original["age"] <= bounds["age_max"])).all()


def test_types_are_those_of_the_library(release):
    frame = release.to_polars(intervals="interval")
    assert frame.schema["age"] == pl.Struct({"min": pl.Int64, "max": pl.Int64})
    assert frame.schema["born"] == pl.Struct({"min": pl.Date, "max": pl.Date})
    table = release.to_arrow(intervals="interval")
    assert pa.types.is_struct(table.schema.field("pay").type)
    shown = release.to_pandas(intervals="interval")
    # pandas has no intervals of words: their ends are two columns.
    assert {"grade_min", "grade_max"} <= set(shown.columns)
    assert list(shown.index[:2]) == [0, 1]


def test_a_view_is_what_was_asked_for_at_once(release):
    for view in ("text", "midpoint", "bounds", "mean"):
        again = sf.anonymize(
            PEOPLE, quasi_identifiers=ROLES, sensitive="ill", k=5, l=2, method="mondrian", seed=3, intervals=view
        )
        assert release.to_pandas(intervals=view).equals(again.to_pandas())


def test_a_view_that_a_model_cannot_be_read_from_is_refused():
    release = sf.anonymize(
        PEOPLE, quasi_identifiers="age", sensitive="ill", rest="drop", k=5, privacy=[sf.MinimumSpan("age", 5)]
    )
    assert release.to_pandas(intervals="bounds").shape[0] == 400
    assert release.to_pandas(intervals="interval").shape[0] == 400
    with pytest.raises(ParameterError, match="MinimumSpan"):
        release.to_pandas(intervals="mean")


def test_a_typo_gets_the_word_that_was_meant(release):
    with pytest.raises(ParameterError, match="Did you mean 'midpoint'"):
        release.to_pandas(intervals="midpiont")


def test_an_engine_has_one_view():
    release = sf.anonymize(PEOPLE, quasi_identifiers="age", rest="drop", k=5, engine="duckdb", method="mondrian")
    with pytest.raises(EngineError, match="intervals='mean'"):
        release.to_polars(intervals="mean")


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_the_check_of_a_view_can_fail(library):
    ends = [(20, 29)] * 3 + [(30, 39)]
    structs = pa.array([{"min": low, "max": high} for low, high in ends])
    table = pa.table({"age": structs, "ill": ["flu", "gout", "flu", "gout"]})
    frame = {"arrow": lambda: table, "polars": lambda: pl.from_arrow(table)}.get(
        library,
        lambda: pd.DataFrame(
            {
                "age": pd.arrays.IntervalArray.from_tuples(ends, closed="both"),
                "ill": ["flu", "gout", "flu", "gout"],
            }
        ),
    )()
    k = {"model": "k-anonymity", "k": 3}
    with pytest.raises(VerificationError, match="not handed out"):
        verify_view(frame, ["age"], ["ill"], [k], rows=4)
    with pytest.raises(VerificationError, match="4 rows were read, not 5"):
        verify_view(frame, ["age"], ["ill"], [{"model": "k-anonymity", "k": 1}], rows=5)
    assert verify_view(frame, ["age"], ["ill"], [{"model": "k-anonymity", "k": 1}], rows=4).classes == 2


def test_a_release_knows_its_policy(tmp_path):
    release = sf.anonymize(PEOPLE, quasi_identifiers=["age", "town"], sensitive="ill", rest="drop", k=5, l=2, seed=7)
    release.policy.write(tmp_path / "policy.toml")
    again = sf.Policy.read(tmp_path / "policy.toml")
    assert again.privacy == release.policy.privacy == (sf.KAnonymity(5), sf.LDiversity(2))
    assert again.seed is None  # the seed stays with the publisher
    assert again.run(people(300, seed=8)).achieved.k >= 5
    best = sf.strongest(PEOPLE, quasi_identifiers="age", rest="drop", maximize="k", max_gcp=0.4)
    assert best.release.policy.privacy[0].k == best.release.promises[0]["k"]
    ladder = [sf.anonymize(PEOPLE, release.policy.schema, k=k).policy.privacy[0].k for k in (2, 5)]
    assert all(low < high for low, high in pairwise(ladder))


def test_numbers_have_no_more_digits_than_they_say(release):
    random = np.random.default_rng(1)
    table = pa.table({"weight": pa.array(random.normal(70, 9, 200).round(1), pa.float32()), "pay": random.random(200)})
    released = sf.anonymize(table, quasi_identifiers=["weight", "pay"], k=7, method="mondrian", seed=1)
    for view in ("mean", "midpoint"):
        shown = released.to_arrow(intervals=view)
        for name, digits in (("weight", 7), ("pay", 8)):
            assert max(len(str(one).replace("0.", "").replace(".", "")) for one in shown[name].to_pylist()) <= digits
    ends = released.to_pandas(intervals="interval")["weight"]
    assert all(round(one.left, 1) == one.left and round(one.right, 1) == one.right for one in ends)
