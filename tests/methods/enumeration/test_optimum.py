"""The answer is the best of all partitions, for every cost and model, whichever engine finds it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples
from tests.methods.enumeration.brute_force import cost_of, optimum
from tests.methods.enumeration.tables import MODELS, feasible, mixed, numbers

from sfumato.loss import METRICS, Objective
from sfumato.methods.enumeration import box_search
from sfumato.methods.enumeration.box_search import best_by_boxes
from sfumato.methods.enumeration.optimality import FoundPartition
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partition_search import PRIORITIES, best_by_partitions
from sfumato.methods.enumeration.search_limits import SearchLimits
from sfumato.methods.enumeration.splits import split_codes
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding

Engine = Callable[[PartitionProblem], FoundPartition]

SEEDS = st.integers(0, 2**32 - 1)

#: Every loss that can be searched for without a label.
COSTS = ("dm", "c_avg", "gcp")


def by_table(instance: PartitionProblem) -> FoundPartition:
    return best_by_boxes(instance, SearchLimits(60.0))


def by_search(instance: PartitionProblem, megabytes: float = 8.0) -> FoundPartition:
    """The search that large grids get, on a small one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(box_search, "_all_fit", lambda *_: False)
        return best_by_boxes(instance, SearchLimits(60.0, megabytes))


def by_partitions(instance: PartitionProblem) -> FoundPartition:
    return best_by_partitions(instance, SearchLimits(60.0), "bound")


ENGINES: dict[str, Engine] = {"table": by_table, "search": by_search, "pet": by_partitions}


def instance_of(microdata: Microdata, model: str, cost: str, splits: int, gap: float = 0.0) -> PartitionProblem:
    requirements = feasible(MODELS[model], microdata)
    assume(requirements is not None)
    assert requirements is not None
    return PartitionProblem.of(requirements, split_codes(microdata, splits, "auto"), METRICS[cost], gap)


def classes(instance: PartitionProblem, found: FoundPartition) -> NDArray[np.int32]:
    return found.blocks[instance.table.of_row]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("model", MODELS)
@given(seed=SEEDS)
@settings(max_examples=examples(8))
def test_in_the_plane_it_is_the_best_of_all(engine: str, cost: str, model: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(numbers(random, int(random.integers(6, 40)), 2), model, cost, 2)
    found = ENGINES[engine](instance)
    best = optimum(instance, cost)
    assert instance.shown(found.value) == pytest.approx(best)
    assert instance.shown(found.bound) == pytest.approx(best)
    assert cost_of(instance, classes(instance, found), cost) == pytest.approx(best)
    assert not instance.requirements.broken_by(Recoding(classes=classes(instance, found)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cost", COSTS)
@given(seed=SEEDS, model=st.sampled_from(["k", "distinct", "closeness"]))
@settings(max_examples=examples(5))
def test_in_space_it_is_the_best_of_all(engine: str, cost: str, seed: int, model: str) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(numbers(random, int(random.integers(6, 40)), 3), model, cost, 1)
    assert instance.shown(ENGINES[engine](instance).value) == pytest.approx(optimum(instance, cost))


@pytest.mark.parametrize("cost", COSTS)
@given(seed=SEEDS, model=st.sampled_from(list(MODELS)))
@settings(max_examples=examples(15))
def test_engines_agree_on_larger_grids_with_trees_and_missing_values(cost: str, seed: int, model: str) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(mixed(random, int(random.integers(10, 120))), model, cost, 4)
    table, search = by_table(instance), by_search(instance)
    assert table.value == pytest.approx(search.value)
    assert search.bound == pytest.approx(search.value)
    assert table.value <= table.greedy + 1e-9
    for found in (table, search):
        assert instance.value(found.blocks) == pytest.approx(found.value)
        assert not instance.requirements.broken_by(Recoding(classes=classes(instance, found)))


@pytest.mark.parametrize("engine", ["search", "pet"])
@pytest.mark.parametrize("cost", COSTS)
@given(seed=SEEDS, gap=st.sampled_from([0.05, 0.5, 2.0]), model=st.sampled_from(["k", "k", *MODELS]))
@settings(max_examples=examples(10))
def test_an_approximate_answer_is_within_its_factor(engine: str, cost: str, seed: int, gap: float, model: str) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(numbers(random, int(random.integers(10, 60)), 2), model, cost, 3, gap)
    best = instance.shown(by_table(instance).value)
    found = ENGINES[engine](instance)
    assert best - 1e-9 <= instance.shown(found.value) <= best * (1 + gap) + 1e-9
    assert instance.shown(found.bound) <= best + 1e-9
    assert instance.shown(found.value) <= instance.shown(found.bound) * (1 + gap) + 1e-9


@pytest.mark.parametrize("priority", PRIORITIES)
@given(seed=SEEDS, cost=st.sampled_from(list(COSTS)))
@settings(max_examples=examples(8))
def test_every_priority_ends_at_the_optimum(priority: str, seed: int, cost: str) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(numbers(random, int(random.integers(6, 50)), 2), "k", cost, 2)
    found = best_by_partitions(instance, SearchLimits(60.0), priority)
    assert found.value == pytest.approx(by_table(instance).value)


@pytest.mark.parametrize("cost", COSTS)
@given(seed=SEEDS, model=st.sampled_from(["k", *MODELS]))
@settings(max_examples=examples(15))
def test_a_search_cut_short_has_a_valid_bound_and_is_not_worse_than_greedy(cost: str, seed: int, model: str) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(numbers(random, 200, 3), model, cost, 4)
    best = by_table(instance).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(box_search, "_all_fit", lambda *_: False)
        patch.setattr(box_search, "SEARCH_CHUNK", 1)
        found = best_by_boxes(instance, SearchLimits(None, share=random.random() / 100))
    assert found.bound <= best + 1e-9 <= found.value + 2e-9
    assert found.value <= found.greedy + 1e-9


@pytest.mark.parametrize("cost", COSTS)
@given(seed=SEEDS)
@settings(max_examples=examples(6))
def test_little_memory_costs_the_proof_but_not_the_validity(cost: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    instance = instance_of(numbers(random, 150, 2), "k", cost, 4)
    best = by_table(instance).value
    # Room for Mondrian's own boxes and no more.
    found = by_search(instance, megabytes=1e-6)
    queue = best_by_partitions(instance, SearchLimits(60.0, megabytes=0.02), "cost")
    for answer in (found, queue):
        assert answer.bound <= best + 1e-9 <= answer.value + 2e-9
        assert answer.value <= answer.greedy + 1e-9
        assert instance.value(answer.blocks) == pytest.approx(answer.value)


@given(seed=SEEDS, weight=st.floats(0.0, 5.0))
@settings(max_examples=examples(10))
def test_a_cost_of_your_own_adds_sizes_and_spans(seed: int, weight: float) -> None:
    random = np.random.default_rng(seed)
    cost = Objective("own", by_size=lambda sizes: np.sqrt(sizes) + 0.1 * sizes**1.5, spread=weight)
    requirements = feasible(MODELS["k"], numbers(random, 30, 2))
    assert requirements is not None
    instance = PartitionProblem.of(requirements, split_codes(requirements.microdata, 2, "auto"), cost)
    found = [engine(instance).value for engine in ENGINES.values()]
    assert found == pytest.approx([found[0]] * 3)
