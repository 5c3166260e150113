"""The loss that no release can beat, against every partition of small tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import encoded_column, microdata_strategy
from tests.methods.linear.twins import cheapest_of_all_partitions, loss_of

import sfumato as sf
from sfumato.loss import gcp_bound
from sfumato.loss.bound import bound as module
from sfumato.loss.bound.bound import lower_confidence
from sfumato.methods import EnumMulti, Task
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


def row_losses(microdata: Microdata, k: int) -> list[float]:
    """What every row loses together with its (k - 1)-th nearest other, the slow way."""
    rows = range(len(microdata))
    return [
        sorted(loss_of(microdata, [row, other]) / 2 for other in rows if other != row)[k - 2] if k > 1 else 0.0
        for row in rows
    ]


@given(microdata_strategy(rows=(1, 8)), st.integers(1, 4))
def test_no_partition_beats_the_bound(microdata: Microdata, k: int) -> None:
    k = min(k, len(microdata))
    bound = gcp_bound(microdata, k)
    assert bound.confidence == 1.0
    assert bound <= cheapest_of_all_partitions(microdata, k) / len(microdata) + 1e-9


@settings(max_examples=examples(40), deadline=None)
@given(microdata_strategy(rows=(2, 30)), st.integers(1, 5))
def test_no_optimum_of_a_branch_and_bound_beats_the_bound(microdata: Microdata, k: int) -> None:
    k = min(k, len(microdata))
    task = Task(microdata, Requirements((KAnonymity(k),), microdata))
    optimum = EnumMulti(splits=2, minimize="gcp").run(task).details["optimality"]
    assert gcp_bound(microdata, k) <= optimum.cost + 1e-9


@given(microdata_strategy(rows=(1, 25)), st.integers(1, 6))
def test_it_is_at_least_what_rows_lose_with_their_neighbours(microdata: Microdata, k: int) -> None:
    k = min(k, len(microdata))
    people = module.DistinctRows.of(microdata)
    assert module._pair_bound(people, k, 0, 0, True) >= np.mean(row_losses(microdata, k)) - 1e-9


@given(microdata_strategy(rows=(1, 40)), st.integers(1, 6), st.sampled_from([0, 1, 8]), st.booleans())
def test_every_row_is_told_its_loss_whatever_is_passed_by(
    microdata: Microdata, k: int, leading: int, wide: bool
) -> None:
    k = min(k, len(microdata))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEADING", leading)
        patch.setattr(module, "KEY_LIMIT", 1 if wide else 1 << 62)
        people = module.DistinctRows.of(microdata)
        found = people.least_losses(np.arange(len(people)), k)
    assert sorted(np.repeat(found, people.counts)) == pytest.approx(sorted(row_losses(microdata, k)))


def test_all_rows_of_a_class_pay_for_the_dearest() -> None:
    # 100 must be with some 0, so that one of the others pays as much as it does.
    microdata = encoded_column(pa.array([0, 0, 0, 100]))
    assert np.mean(row_losses(microdata, 2)) == pytest.approx(1 / 4)
    assert gcp_bound(microdata, 2) == pytest.approx(2 / 4)


def test_where_looking_around_rows_takes_too_long_pairs_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    microdata = encode(pa.table({name: random.normal(size=40) for name in "ab"}), dict.fromkeys("ab"))
    priced = gcp_bound(microdata, 3)
    monkeypatch.setattr(module, "COMPARED", 40 * 40 * 2 - 1)
    pairs = gcp_bound(microdata, 3)
    assert priced.prices is not None
    assert pairs.prices is None
    assert 0 < pairs < priced


@pytest.mark.parametrize("priced_rows", [0, 100])
def test_a_row_that_may_be_left_out_need_not_pay_for_a_class(priced_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PRICED_ROWS", priced_rows)
    people = pa.table({"age": [0, 0, 0, 100]})
    release = sf.anonymize(people, quasi_identifiers="age", k=2, suppression=0.25, method="hilbert")
    assert release.loss.gcp == 0.25
    assert release.bound <= 0.25


def test_rows_that_are_left_out_lose_everything() -> None:
    microdata = encoded_column(pa.array([1, 1, 2, 2]))
    assert gcp_bound(microdata, 2, left_out=4) == pytest.approx(0.5)


def test_a_sample_of_a_large_table_says_how_sure_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    people = sf.datasets.census(rows=800, seed=1).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, [])
    monkeypatch.setattr(module, "PRICED_ROWS", 0)
    exact = gcp_bound(microdata, 5)
    assert exact.confidence == 1.0
    assert exact.sampled is None
    monkeypatch.setattr(module, "PAIRS", 100_000)
    monkeypatch.setattr(module, "BOX_WORK", 2_000)
    sampled = [gcp_bound(microdata, 5, seed=seed) for seed in range(8)]
    assert all(bound.confidence == 0.99 and bound.sampled is not None for bound in sampled)
    everybody = module.DistinctRows.of(microdata)
    losses = everybody.box_losses(np.flatnonzero(everybody.counts < 5), 5)
    in_boxes = losses @ everybody.counts[everybody.counts < 5] / len(microdata)
    assert exact < in_boxes
    assert all(0.5 * in_boxes < bound < in_boxes for bound in sampled)
    monkeypatch.setattr(module, "PAIRS", 300_000)
    monkeypatch.setattr(module, "WORK", 1)
    assert gcp_bound(microdata, 5).sampled == module.LEAST_SAMPLE  # the first of more than 300 took all of the work


@settings(max_examples=examples(40), deadline=None)
@given(microdata_strategy(rows=(2, 8)), st.integers(2, 4), st.sampled_from([1, 30, 10_000]))
def test_no_box_of_k_rows_loses_less_than_its_rows_must(microdata: Microdata, k: int, work: int) -> None:
    people = module.DistinctRows.of(microdata)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BOX_WORK", work)
        found = people.box_losses(np.arange(len(people)), k)
    rows = range(len(microdata))
    if len(microdata) >= k:
        least = [
            min(loss_of(microdata, [row, *others]) / k for others in combinations(set(rows) - {row}, k - 1))
            for row in rows
        ]
        assert (np.sort(np.repeat(found, people.counts)) <= np.sort(least) + 1e-9).all()
        if work == 10_000:
            assert (np.sort(np.repeat(found, people.counts)) * 1.01 >= np.sort(least) - 1e-9).all()


def test_rows_with_enough_equals_are_not_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    # One row in a hundred has no equals; a sample of all rows would hardly meet it.
    cells = [1] * 9900 + list(range(2, 102))
    microdata = encoded_column(pa.array(cells))
    monkeypatch.setattr(module, "PAIRS", 1)
    monkeypatch.setattr(module, "PRICED_ROWS", 0)
    monkeypatch.setattr(module, "LEAST_SAMPLE", 50)
    bound = gcp_bound(microdata, 2)
    assert bound.sampled == 50
    assert 0.5 * 0.01 / 100 < bound < 0.01 / 100


@pytest.mark.parametrize("share", [0.02, 0.2, 0.7])
def test_sampled_means_are_rarely_undercut(share: float) -> None:
    rng = np.random.default_rng(8)
    found = [lower_confidence((rng.random(300) < share).astype(float), 0.05) for _ in range(300)]
    assert np.mean([bound > share for bound in found]) <= 0.07
    assert np.mean(found) > share / 2 - 0.01


def test_a_sample_may_be_ended_at_will() -> None:
    """Whoever stops where it looks best is still rarely wrong."""
    rng = np.random.default_rng(9)
    drawn = [(rng.random(300) < 0.2).astype(float) for _ in range(300)]
    best = [max(lower_confidence(values[:end], 0.05, 300) for end in (20, 75, 150, 300)) for values in drawn]
    assert np.mean([bound > 0.2 for bound in best]) <= 0.07


def test_a_release_tells_its_bound() -> None:
    people = sf.datasets.census(rows=800, seed=2).without_levels()
    release = sf.anonymize(people.table, people.schema, k=5)
    assert 0 < release.bound < release.loss.gcp
    assert f"at most {release.loss.gcp / release.bound - 1:.1%} above the least possible, proven" in release.summary()


def test_every_release_knows_how_far_it_may_be_from_the_least_loss() -> None:
    people = sf.datasets.census(rows=300, seed=2).without_levels()
    release = sf.anonymize(people.table, people.schema, k=5, method="mondrian", seed=1)
    found = release.optimality
    assert (found.measure, found.cost, found.bound) == ("gcp", release.loss.gcp, float(release.bound))
    assert found.gap == pytest.approx(release.loss.gcp / release.bound - 1)
    assert str(found).endswith(f"above the least possible (bound {found.bound:.4g})")
    assert str(sf.anonymize(pa.table({"x": [1, 1, 2, 2]}), quasi_identifiers="x", k=2).optimality) == (
        "gcp 0 is the least possible, proven"
    )


def test_a_bound_that_takes_too_long_is_a_weaker_one(monkeypatch: pytest.MonkeyPatch) -> None:
    people = sf.datasets.census(rows=600, seed=1)
    release = sf.anonymize(people.table, people.schema, k=5, l=2, seed=1)
    full = release.bound
    monkeypatch.setattr("sfumato.loss.bound.bound.SECONDS", 1e-9)
    again = sf.anonymize(people.table, people.schema, k=5, l=2, seed=1).bound
    assert 0 < again <= full <= release.loss.gcp
    assert again.prices is None
