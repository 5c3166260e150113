"""Classes that follow prices, and how near to the least possible loss they are proven to be."""

from __future__ import annotations

import signal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import encoded_column, microdata_strategy, task_of
from tests.methods.linear.twins import cheapest_of_all_partitions, loss_of

import sfumato as sf
from sfumato.common.interrupts import Interrupts
from sfumato.loss import gcp_bound
from sfumato.loss.bound.cutting_planes import Stop, search_prices
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import NeighbourBoxes
from sfumato.loss.bound.row_prices import Pricing
from sfumato.methods import Hilbert
from sfumato.methods.proven.diving_heuristic import DivingHeuristic
from sfumato.methods.proven.proof import Proof
from sfumato.methods.proven.proven import LITTLE
from sfumato.methods.refinement import RefinementLimit
from sfumato.methods.refinement.search import _Search, refine
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.table.encoding import encode
from sfumato.table.frequency import frequency_set
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding


@pytest.mark.parametrize("listed", [True, False])
@given(microdata_strategy(rows=(4, 9), most_columns=2), st.integers(2, 4))
def test_everybody_is_in_a_class_of_k(listed: bool, microdata: Microdata, k: int) -> None:
    boxes = ListedBoxes(microdata) if listed else NeighbourBoxes(microdata, frequency_set(microdata))
    priced = search_prices(Pricing(boxes, k), np.full(len(boxes.rows), float(k)), Stop(rounds=8))
    classes = DivingHeuristic(boxes, k, float(k)).run(priced, Stop(), lambda share: None)
    members = [np.flatnonzero(classes == number).tolist() for number in np.unique(classes)]
    assert min(map(len, members)) >= k
    cost = sum(loss_of(microdata, rows) for rows in members)
    assert priced.prices.total <= cheapest_of_all_partitions(microdata, k) + 1e-9 <= cost + 2e-9


@settings(max_examples=examples(20), deadline=None)
@given(microdata_strategy(rows=(4, 40), most_columns=2), st.integers(2, 4))
def test_rows_that_time_left_without_a_class_get_one_by_other_methods(microdata: Microdata, k: int) -> None:
    proof = Proof(task_of(microdata, k))
    prices = proof.raised(Stop(rounds=1))
    classes = proof.followed(prices, Stop(at=0.0))
    assert (classes is None) == (not proof.shows_classes)
    assert classes is None or np.unique(classes, return_counts=True)[1].min() >= k


def test_what_only_calls_every_kernel_takes_little_work_around_rows_of_many_numbers() -> None:
    """The clock of a time limit starts after it; with all the work that is allowed it would take minutes."""
    values = np.random.default_rng(1).normal(size=(400, 4))
    names = ["w", "x", "y", "z"]
    task = task_of(encode(pa.table(dict(zip(names, values.T, strict=True))), dict.fromkeys(names)), 5)
    proof = Proof(task, LITTLE)
    assert isinstance(proof.boxes, NeighbourBoxes)
    proof.raised(Stop(rounds=2))
    assert 0 < proof.boxes.examined < 5_000_000


@settings(max_examples=examples(20), deadline=None)
@given(microdata_strategy(rows=(6, 40), most_columns=2), st.integers(2, 4), st.sampled_from([1.5, 2, 3]))
def test_values_of_the_classes_are_mixed_as_asked(microdata: Microdata, k: int, l: float) -> None:  # noqa: E741
    task = task_of(microdata, (KAnonymity(k), LDiversity(l)))
    proof = Proof(task)
    classes = proof.followed(proof.raised(Stop(rounds=4)), Stop())
    assert classes is None or task.requirements.kept_by(Recoding(classes=classes))


def test_classes_follow_prices_with_mixed_values() -> None:
    people = sf.datasets.census(rows=300, seed=3).without_levels()
    microdata = encode(
        people.table, {name: people.hierarchies[name] for name in people.quasi_identifiers}, ["occupation"]
    )
    task = task_of(microdata, (KAnonymity(5), LDiversity(2)))
    proof, plain = Proof(task), Proof(task_of(microdata, 5))
    prices, without = proof.raised(Stop(rounds=12)), plain.raised(Stop(rounds=12))
    assert prices is not None
    assert proof.bound(prices) > 0.99 * plain.bound(without)  # fewer classes are allowed, so rows may pay more
    goal, classes = TaskLoss(task), proof.followed(prices, Stop())
    assert classes is not None
    assert proof.bound(prices) <= goal.measure_rows(classes).loss < goal.measure_rows(Hilbert().run(task).classes).loss


def test_refinement_looks_where_loss_can_be_avoided() -> None:
    microdata = encoded_column(pa.array([0, 10, 40, 60, 90, 100, 50]))
    classes = np.array([0, 0, 1, 1, 2, 2, -1], np.int32)
    # The classes lose 0.1, 0.2 and 0.1 a row; the rows of the second one have to pay all of it.
    prices = np.array([0.1, 0.05, 0.2, 0.2, 0.0, 0.1, 1.0])
    search = _Search(TaskLoss(task_of(microdata, 2)), classes, Interrupts(), prices)
    assert np.flatnonzero(search._avoidable(classes)).tolist() == [4, 5]
    kept = search.improve(classes, 1, np.inf)
    assert kept[6] == -1
    assert np.unique(kept[:4], return_counts=True)[1].tolist() == [2, 2]


@settings(max_examples=examples(20), deadline=None)
@given(microdata_strategy(rows=(4, 40), most_columns=3), st.integers(2, 4))
def test_refinement_by_prices_keeps_k_and_loses_no_more(microdata: Microdata, k: int) -> None:
    goal = TaskLoss(task_of(microdata, k))
    start = Hilbert().run(goal.task).classes
    refined = refine(goal, start, RefinementLimit(8), gcp_bound(microdata, k).prices)
    assert np.unique(refined, return_counts=True)[1].min() >= k
    assert goal.measure_rows(refined) <= goal.measure_rows(start)


def test_an_interrupt_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def raised(proof: Proof, stop: Stop) -> None:
        signal.raise_signal(signal.SIGINT)
        assert stop.now

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs tests in the background ignores it
    monkeypatch.setattr(Proof, "raised", raised)
    people = sf.datasets.census(rows=300, seed=3)
    try:
        release = sf.anonymize(people.table, people.schema, k=5, method="proven", seed=1)
    finally:
        signal.signal(signal.SIGINT, before)
    tried = release.tried
    assert release.loss.gcp == tried["refined"] == min(tried.values())


def test_best_follows_prices_where_there_is_time() -> None:
    people = sf.datasets.census(rows=300, seed=3)
    chosen = ["age", "gender", "marital_status"]
    task = task_of(encode(people.table, {name: people.hierarchies[name] for name in chosen}, ()), 5)
    tried = sf.Best(time_limit=2).run(task).details["tried"]
    assert tried["refined"] <= min(tried.values())
    assert "following prices" in tried


def test_a_release_knows_how_near_it_is() -> None:
    people = sf.datasets.census(rows=600, seed=3)
    release = sf.anonymize(people.table, people.schema, k=5, method="proven", seed=1)
    plain = sf.anonymize(people.table, people.schema, k=5, seed=1)
    assert release.loss.gcp <= plain.loss.gcp
    assert plain.bound <= release.bound <= release.loss.gcp
    assert release.bound.prices is not None
    assert release.bound == pytest.approx(release.bound.prices.mean())


def test_it_ends_as_soon_as_it_is_near_enough() -> None:
    people = sf.datasets.census(rows=300, seed=3)
    release = sf.anonymize(people.table, people.schema, k=5, method=sf.Proven(time_limit=60, gap=1.0), seed=1)
    assert release.loss.gcp <= 2 * release.bound
    assert release.manifest["seconds"]["method"] < 60


@pytest.mark.parametrize(("parameter", "value"), [("time_limit", 0), ("gap", -1)])
def test_wrong_parameters_are_refused(parameter: str, value: float) -> None:
    with pytest.raises(sf.errors.ParameterError, match=f"The '{parameter}' parameter of Proven must be a number"):
        sf.Proven(**{parameter: value})
