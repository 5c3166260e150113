"""The frontier: its points are those of releases, in a known order, and can be broken off and continued."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.release.frontier_point import FrontierPoint
from sfumato.run import frontier as module

ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": "illness", "rest": "drop"}


def made_up(rows: int, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "age": random.integers(18, 90, rows),
            "zip": random.integers(0, 40, rows),
            "illness": random.choice(["flu", "ulcer", "asthma", "gout"], rows),
        }
    )


PEOPLE = made_up(400)


def test_points_come_from_the_middle_outwards_and_the_bounds_after_them() -> None:
    frontier = sf.frontier(PEOPLE, **ROLES, k=[2, 5, 10, 20], seed=1)
    seen = list(frontier)
    assert [point.k for point in seen] == [10, 5, 20, 2, 10, 5, 20, 2]
    assert [point.bound is None for point in seen] == [True] * 4 + [False] * 4
    assert frontier.done
    assert not frontier.pending
    assert [point.k for point in frontier.points] == [2, 5, 10, 20]
    for point in frontier.points:
        assert point.bound is not None
        assert point.gcp is not None
        assert point.bound <= point.gcp + 1e-9


def test_a_point_is_that_of_the_release_which_anonymize_makes() -> None:
    frontier = sf.frontier(PEOPLE, **ROLES, k=[3, 10], l=2, seed=7, bounds=False)
    for point in list(frontier):
        alone = sf.anonymize(PEOPLE, **ROLES, k=point.k, l=2, seed=7)
        again = frontier.release(point.k)
        assert again.table.equals(alone.table)
        assert again.verify().ok
        assert again.manifest["cautions"] == alone.manifest["cautions"]
        assert (point.gcp, point.achieved) == (alone.loss.gcp, alone.achieved.k)
        # Every figure once more, from the released rows alone.
        groups = alone.table.group_by(["age", "zip"]).aggregate([([], "count_all")])["count_all"].to_pylist()
        assert point.classes == len(groups)
        assert point.highest == pytest.approx(1 / min(groups))
        assert point.mean == pytest.approx(len(groups) / sum(groups))
        assert sorted(groups) == [size for size, times in point.sizes for _ in range(times)]
        distinct = PEOPLE.group_by(["age", "zip"]).aggregate([]).num_rows
        assert point.before == pytest.approx(distinct / len(PEOPLE))


def test_a_loop_that_was_left_goes_on_where_it_ended() -> None:
    whole = [point.to_dict() for point in sf.frontier(PEOPLE, **ROLES, k=[2, 5, 10], seed=3)]
    frontier = sf.frontier(PEOPLE, **ROLES, k=[2, 5, 10], seed=3)
    pieces = []
    while not frontier.done:
        for point in frontier:
            pieces.append(point.to_dict())
            break
    for record in whole + pieces:
        del record["seconds"]
    assert pieces == whole


def test_cancel_stops_a_point_halfway_and_the_next_loop_computes_it() -> None:
    begun: list[sf.Frontier] = []
    stop = threading.Event()

    def watch(stage: str, share: float) -> None:
        if not stop.is_set() and begun and begun[0].points:
            stop.set()
            begun[0].cancel()

    frontier = sf.frontier(PEOPLE, **ROLES, k=[5, 10, 20], seed=3, bounds=False, progress=watch)
    begun.append(frontier)
    assert [point.k for point in frontier] == [10]
    assert frontier.pending == (5, 20)
    assert [point.k for point in frontier] == [5, 20]


def test_an_impossible_k_is_a_point_that_says_why() -> None:
    frontier = sf.frontier(PEOPLE, **ROLES, k=[10, 500], seed=1)
    failed = {point.k: point.failed for point in frontier}
    assert failed[10] is None
    assert "400" in str(failed[500])
    assert frontier.points[-1].sentence == failed[500]
    with pytest.raises(InfeasibleError):
        frontier.release(500)


def test_any_k_can_be_asked_for_afterwards() -> None:
    frontier = sf.frontier(PEOPLE, **ROLES, k=[10], seed=1, bounds=False)
    assert frontier.point(13).k == 13
    assert frontier.release(17).achieved.k >= 17


def test_models_that_are_given_hold_at_every_point() -> None:
    frontier = sf.frontier(
        PEOPLE, **ROLES, k=[2, 8], privacy=[sf.KAnonymity(4), sf.LDiversity(3)], seed=1, bounds=False
    )
    points = list(frontier)
    assert {point.k for point in points} == {4, 8}
    assert all(point.l is not None and point.l >= 3 for point in points)


def test_many_rows_are_looked_at_in_a_sample_first(monkeypatch: pytest.MonkeyPatch) -> None:
    people = made_up(20_000)
    for name, value in {"MANY": 10_000, "SAMPLED": 4_000, "NEIGHBOURHOOD": 500}.items():
        monkeypatch.setattr(module, name, value)
    points = list(sf.frontier(people, **ROLES, k=[5, 10], seed=1, bounds=False, method="hilbert"))
    assert [(point.k, point.approximate) for point in points] == [(10, True), (5, True), (10, False), (5, False)]
    for about, exact in zip(points[:2], points[2:], strict=True):
        assert about.gcp == pytest.approx(exact.gcp, rel=0.3)
        assert about.classes == pytest.approx(exact.classes, rel=0.3)
        assert "Estimated from 4,000 rows" in about.sentence
        assert "Estimated" not in exact.sentence


def test_the_sentence_names_columns_and_never_rounds_in_our_favour() -> None:
    lost = {"age": 0.1, "zip": 0.02}
    point = FrontierPoint(
        3, gcp=0.0591, by_attribute=lost, achieved=3, highest=1 / 3, mean=0.2, before=0.84, suppressed=1
    )
    assert point.sentence == (
        "Everybody looks like at least 2 others. A neighbour who knows age and zip finds the right row with a chance "
        "of at most 33.4%, on average 20%; before, it was 84% on average. It costs 5.9% of the detail, most in age. "
        "1 row is left out."
    )


def test_people_with_several_rows_are_counted_once() -> None:
    visits = pa.concat_tables([PEOPLE, PEOPLE.slice(0, 100)])
    visits = visits.append_column("whose", pa.array([*range(400), *range(100)]))
    point = next(sf.frontier(visits, **ROLES, person="whose", k=5, seed=1, bounds=False))
    assert point.people
    assert point.achieved is not None
    assert point.achieved >= 5
    assert "right person" in point.sentence


@pytest.mark.parametrize(("wrong", "said"), [([], "is empty"), (1, "at least 2"), ("5", "integer"), ([2.5], "integer")])
def test_a_wrong_k_is_refused(wrong: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        sf.frontier(PEOPLE, **ROLES, k=wrong)


def test_what_only_an_engine_could_do_is_refused() -> None:
    with pytest.raises(ParameterError, match="sample"):
        sf.frontier(PEOPLE, **ROLES, engine="duckdb")
