"""EnumMulti as people use it: what it promises about its answer, suppression, limits, interrupts."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.methods.enumeration.brute_force import all_partitions, cells_of, grid_box
from tests.methods.enumeration.tables import numbers

import sfumato as sf
from sfumato.errors import InfeasibleError
from sfumato.loss import METRICS
from sfumato.methods import Task
from sfumato.methods.enumeration import box_search
from sfumato.methods.enumeration.optimality import Optimality
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.splits import split_codes
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

POINTS = sf.datasets.simple_normal(600).table


def release(method: sf.EnumMulti, k: int = 20, **options: object) -> sf.Release:
    return sf.anonymize(POINTS, quasi_identifiers=["x", "y"], k=k, method=method, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["boxes", "pet"])
@pytest.mark.parametrize("cost", ["dm", "c_avg", "gcp"])
def test_the_cost_is_the_loss_of_the_release(engine: str, cost: str) -> None:
    made = release(sf.EnumMulti(splits=2, minimize=cost, engine=engine))
    assert made.optimality.cost == pytest.approx(getattr(made.loss, cost))
    assert made.optimality.proven
    assert made.optimality.bound == pytest.approx(made.optimality.cost)
    assert made.optimality.gap == 0
    assert made.optimality.nodes > 0
    assert made.optimality.greedy >= made.optimality.cost


def test_the_summary_and_the_manifest_tell() -> None:
    made = release(sf.EnumMulti(splits={"x": [40, 60], "y": 3}))
    assert "is the least possible with these cuts, proven" in made.summary()
    parameters = json.loads(json.dumps(made.manifest))["method"]["parameters"]
    assert parameters["splits"] == {"x": [40, 60], "y": 3}
    own = release(sf.EnumMulti(minimize=METRICS["dm"])).manifest
    assert json.loads(json.dumps(own))["method"]["parameters"]["minimize"] == "dm"


def test_the_manifest_says_how_good_it_is() -> None:
    made = release(sf.EnumMulti(splits=4))
    told = json.loads(json.dumps(made.manifest, allow_nan=False))["method"]["optimality"]
    assert told == {
        "measure": "dm",
        "cost": made.loss.dm,
        "bound": made.optimality.bound,
        "greedy": made.optimality.greedy,
        "nodes": made.optimality.nodes,
        "ended": "optimum",
        "gap": 0.0,
        "proven": True,
    }
    assert Optimality("gcp", 0.5, 0.0, 0.6, 5, "time").to_dict()["gap"] is None


@pytest.mark.parametrize("refine", [False, True])
def test_the_manifest_has_no_categories(refine: bool) -> None:
    table = pa.table({"city": ["Pisa", "Siena", "Lucca"] * 4})
    method = sf.EnumMulti(splits={"city": ["Lucca", "Pisa"]})
    made = sf.anonymize(table, quasi_identifiers="city", k=2, method=method, refine=refine)
    assert made.classes == 3
    assert not any(city in json.dumps(made.manifest) + made.summary() for city in ("Pisa", "Siena", "Lucca"))
    assert sf.Policy(sf.Schema("city"), method=method).method.parameters()["splits"] == {"city": ["Lucca", "Pisa"]}


def test_classes_respect_the_cuts() -> None:
    made = release(sf.EnumMulti(splits={"x": [40, 60], "y": []}), k=5, intervals="bounds")
    for lo, hi in zip(*(made.table.column(f"x_{end}").to_pylist() for end in ("min", "max")), strict=True):
        assert not lo <= 40 < hi
        assert not lo <= 60 < hi


def test_without_any_cut_there_is_one_class() -> None:
    made = release(sf.EnumMulti(splits=0))
    assert (made.classes, made.optimality.proven) == (1, True)


def test_it_is_never_worse_than_mondrian_on_all_cuts() -> None:
    everything = sf.EnumMulti(splits=200)
    greedy = sf.anonymize(POINTS, quasi_identifiers=["x", "y"], k=20, method="mondrian")
    made = release(everything)
    assert made.optimality.greedy == greedy.loss.dm
    assert made.loss.dm <= greedy.loss.dm


@pytest.mark.parametrize(
    ("optimality", "gap", "text"),
    [
        (Optimality("dm", 100.0, 100.0, 120.0, 5), 0.0, "least possible with these cuts, proven"),
        (Optimality("dm", 110.0, 100.0, 120.0, 5), 0.1, "at most 10.00% above"),
        (Optimality("dm", 1e6, 9e5, 2e6, 5, "time"), 1 / 9, "(bound 900,000, greedy 2,000,000, stopped by the time"),
        (Optimality("gcp", 0.25, 0.2, 0.5, 5, "interrupt"), 0.25, "(bound 0.2, greedy 0.5, interrupted)"),
        (Optimality("gcp", 0.5, 0.0, 0.6, 5), math.inf, "an unknown distance from"),
        (Optimality("gcp", 0.0, 0.0, 0.0, 5), 0.0, "proven"),
    ],
)
def test_optimality_in_words(optimality: Optimality, gap: float, text: str) -> None:
    assert optimality.gap == pytest.approx(gap)
    assert optimality.proven == (gap == 0)
    assert text in str(optimality)


# Anytime


def hard_task() -> tuple[Task, sf.EnumMulti]:
    """A table that no search solves at once."""
    people = sf.datasets.census(3_000, seed=2).without_levels()
    from sfumato.table.encoding import encode  # noqa: PLC0415

    microdata = encode(people.table, people.schema.quasi_identifiers)
    return Task(microdata, Requirements((KAnonymity(20),), microdata)), sf.EnumMulti(splits=8, time_limit=0.5)


def test_time_is_kept_and_the_bound_is_valid() -> None:
    task, method = hard_task()
    found = method.run(task).details["optimality"]
    assert not found.proven
    assert found.bound <= found.cost <= found.greedy
    longer = sf.EnumMulti(splits=8, time_limit=2).run(task).details["optimality"]
    assert longer.cost <= found.cost
    assert longer.bound >= found.bound
    assert found.bound <= longer.cost


@pytest.mark.parametrize(
    ("limits", "ended"),
    [
        ({"time_limit": 0.2}, "time"),
        ({}, "work"),
        ({"gap": 1.0}, "gap"),
        ({"time_limit": 0.2, "memory_limit": 0.001}, "memory"),
        ({"time_limit": 0.2, "engine": "pet"}, "time"),
        ({"time_limit": 2, "engine": "pet", "memory_limit": 0.1}, "memory"),
        ({"gap": 10.0, "engine": "pet"}, "gap"),
    ],
)
def test_it_says_why_it_ended(limits: dict[str, Any], ended: str) -> None:
    task, _ = hard_task()
    found = sf.EnumMulti(splits=8, **limits).run(task).details["optimality"]
    assert found.ended == ended
    assert 0 < found.bound < found.cost <= found.greedy


def test_a_wide_gap_ends_the_search_at_once() -> None:
    task, _ = hard_task()
    quick = sf.EnumMulti(splits=8, time_limit=30, gap=1.0).run(task).details["optimality"]
    assert quick.cost <= 2 * quick.bound


def test_without_a_time_limit_the_answer_is_always_the_same() -> None:
    task, _ = hard_task()
    first, second = (sf.EnumMulti(splits=8).run(task) for _ in range(2))
    assert first.details["optimality"] == second.details["optimality"]
    assert np.array_equal(first.classes, second.classes)  # type: ignore[arg-type]


def test_progress_tells_cost_bound_gap_and_nodes() -> None:
    task, method = hard_task()
    heard: list[tuple[str, float]] = []
    method.run(Task(task.microdata, task.requirements, progress=lambda *told: heard.append(told)))
    assert all(word in heard[-1][0] for word in ("best", "bound", "gap", "nodes"))
    assert all(0 <= share <= 1 for _, share in heard)
    costs = [float(stage.split()[1].rstrip(",").replace(",", "")) for stage, _ in heard]
    assert costs == sorted(costs, reverse=True)


# The engine "pet" tells how far it is after every so many partitions: the second time is in the middle of its search.
@pytest.mark.parametrize(("engine", "after"), [("boxes", 1), ("boxes", 3), ("pet", 1), ("pet", 2)])
def test_an_interrupt_returns_the_best_so_far(engine: str, after: int) -> None:
    task, _ = hard_task()
    told = []

    def interrupt(stage: str, share: float) -> None:
        told.append(stage)
        if len(told) == after:
            raise KeyboardInterrupt

    interrupted = Task(task.microdata, task.requirements, progress=interrupt)
    found = sf.EnumMulti(splits=4, time_limit=60, engine=engine).run(interrupted)
    assert len(told) == after
    assert found.details["optimality"].ended == "interrupt"
    assert found.details["optimality"].cost <= found.details["optimality"].greedy
    assert not task.requirements.broken_by(found)


def test_an_interrupt_of_a_small_table_returns_greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    made = release(sf.EnumMulti(splits=5), progress=lambda stage, share: interrupt() if "best" in stage else None)
    assert made.optimality.cost == made.optimality.greedy
    assert made.optimality.bound <= made.optimality.cost


# Suppression


def best_with_rows_left_out(instance: PartitionProblem, most: int, worth: float) -> float:
    """All partitions, and for each all choices of blocks to leave out."""
    cells = cells_of(instance)
    best = math.inf
    for partition in all_partitions(grid_box(instance)):
        options = [(0, 0.0)]
        for box in partition:
            lo, hi = np.array(box).T
            inside = ((cells >= lo) & (cells <= hi)).all(axis=1)
            if inside.any():
                options = list(_extended(instance, inside, options, worth))
        best = min([best, *(cost for left_out, cost in options if left_out <= most)])
    return best


def _extended(
    instance: PartitionProblem, inside: np.ndarray, options: list[tuple[int, float]], worth: float
) -> list[tuple[int, float]]:
    rows = int(inside.sum())
    extended = [(left_out + rows, cost + rows * worth) for left_out, cost in options]
    if rows >= instance.smallest:
        microdata = instance.requirements.microdata
        alone = EquivalenceClasses.of(microdata, Recoding(classes=np.where(inside, 0, SUPPRESSED).astype(np.int32)))
        spans = [domain.span_costs(alone.lo[:, at], alone.hi[:, at])[0] for at, domain in enumerate(microdata.domains)]
        own = rows**2 if instance.objective.name == "dm" else rows * float(np.dot(spans, microdata.weights))
        extended += [(left_out, cost + own) for left_out, cost in options]
    return extended


@pytest.mark.parametrize("cost", ["dm", "gcp"])
@given(seed=st.integers(0, 2**32 - 1), most=st.integers(0, 12))
@settings(max_examples=examples(15))
def test_rows_are_left_out_where_that_is_cheaper(cost: str, seed: int, most: int) -> None:
    random = np.random.default_rng(seed)
    microdata = numbers(random, int(random.integers(8, 40)), 2)
    requirements = Requirements((KAnonymity(3),), microdata)
    method = sf.EnumMulti(splits=2, minimize=cost, time_limit=30)
    recoding = method.run(Task(microdata, requirements, suppressible=most))
    instance = PartitionProblem.of(requirements, split_codes(microdata, 2, "auto"), METRICS[cost])
    best = best_with_rows_left_out(instance, most, METRICS[cost].price(microdata, len(microdata)))
    found = recoding.details["optimality"]
    assert found.bound <= instance.shown(best) + 1e-9 <= found.cost + 2e-9
    if found.proven:
        assert found.cost == pytest.approx(instance.shown(best))
    assert recoding.classes is not None
    assert np.count_nonzero(recoding.classes == SUPPRESSED) <= most


def test_outliers_are_left_out_when_they_cost_too_much() -> None:
    ages = [20] * 10 + [21] * 10 + [99]
    table = pa.table({"age": ages})
    method = sf.EnumMulti(minimize="gcp")
    kept = sf.anonymize(table, quasi_identifiers="age", k=5, method=method)
    fewer = sf.anonymize(table, quasi_identifiers="age", k=5, method=method, suppression=0.05)
    assert (kept.suppressed, fewer.suppressed) == (0, 1)
    assert fewer.loss.gcp == pytest.approx(fewer.optimality.cost)
    assert fewer.optimality.proven
    assert fewer.loss.gcp < kept.loss.gcp


def test_average_class_size_never_leaves_rows_out() -> None:
    assert release(sf.EnumMulti(minimize="c_avg"), suppression=0.1).suppressed == 0


def test_what_is_infeasible_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="largest k"):
        release(sf.EnumMulti(), k=601)


def test_large_grids_are_searched_and_small_ones_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = release(sf.EnumMulti(splits=8))
    monkeypatch.setattr(box_search, "_all_fit", lambda *_: False)
    searched = release(sf.EnumMulti(splits=8, time_limit=60))
    assert solved.optimality.cost == searched.optimality.cost
    assert searched.optimality.proven
    assert solved.optimality.nodes != searched.optimality.nodes
