"""What is known before anything is cut, against a look at every box of the grid."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.methods.enumeration.brute_force import grid_box
from tests.methods.enumeration.tables import MODELS, mixed, numbers

from sfumato.hierarchies import Numeric
from sfumato.loss import METRICS
from sfumato.methods.enumeration.kernels import box_floors
from sfumato.methods.enumeration.kernels.box_floors import nearest_penalties
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partition_search import describe, inside
from sfumato.methods.enumeration.splits import split_codes
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.encoding import encode

SEEDS = st.integers(0, 2**32 - 1)

#: Every loss that can be searched for without a label.
COSTS = ("dm", "c_avg", "gcp")


def instance_of(random: np.random.Generator, model: str, cost: str) -> PartitionProblem:
    rows = int(random.integers(8, 60))
    microdata = numbers(random, rows, 3) if random.random() < 0.5 else mixed(random, rows)
    # Shares of values that no whole number of rows has are where rounding could go wrong.
    models = [KAnonymity(2), LDiversity(1.5 + random.random())] if model == "frequency" else MODELS[model]
    return PartitionProblem.of(Requirements(tuple(models), microdata), split_codes(microdata, 2, "auto"), METRICS[cost])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("cost", COSTS)
@given(seed=SEEDS)
@settings(max_examples=examples(4))
def test_no_allowed_box_is_below_its_floors(model: str, cost: str, seed: int) -> None:
    instance = instance_of(np.random.default_rng(seed), model, cost)
    costs, floors = instance.problem.costs, instance.problem.grid.floors
    intervals = [list(itertools.combinations_with_replacement(range(hi + 1), 2)) for _, hi in grid_box(instance)]
    for box in itertools.product(*intervals):
        found = describe(instance, box)
        assert max(floors[inside(instance, box)].sum(), costs.floor[found.rows]) <= found.cost + 1e-9


def test_frequent_values_make_floors_higher() -> None:
    """Three rows with the same value in one place: with l = 4 their class has twelve rows, DM 12 for each."""
    table = pa.table({"x": [0] * 3 + [1] * 9 + [2], "s": [*"aaa", *"bbbcccddd", "e"]})
    microdata = encode(table, {"x": Numeric()}, ["s"])
    requirements = Requirements((KAnonymity(2), LDiversity(4)), microdata)
    instance = PartitionProblem.of(requirements, split_codes(microdata, 2, "auto"), METRICS["dm"])
    assert instance.problem.grid.floors.tolist() == [3 * 12, 9 * 12, 1 * 4]


@given(seed=SEEDS, smallest=st.integers(2, 30))
@settings(max_examples=examples(20))
def test_penalties_of_neighbours_are_those_of_a_slow_look(seed: int, smallest: int) -> None:
    instance = instance_of(np.random.default_rng(seed), "k", "gcp")
    grid, microdata = instance.table.grid, instance.requirements.microdata
    found = nearest_penalties(grid, microdata.spans, smallest)
    for atom, (lo, hi) in enumerate(grid.codes):
        both = np.minimum(grid.codes[:, 0], lo), np.maximum(grid.codes[:, 1], hi)
        penalties = sum(
            weight * domain.span_costs(both[0][:, at], both[1][:, at])
            for at, (domain, weight) in enumerate(zip(microdata.domains, microdata.weights, strict=True))
        )
        near = np.argsort(penalties)
        enough = np.flatnonzero(np.cumsum(grid.rows[near]) >= smallest)
        exact = penalties[near[enough[0]]] if len(enough) else 1.0
        if grid.rows[atom] >= smallest:
            assert found[atom] == 0
        else:
            assert exact - 1 / box_floors.BINS <= found[atom] + 1e-9
            assert found[atom] <= exact + 1e-9


def test_with_little_time_for_neighbours_large_atoms_come_first() -> None:
    instance = instance_of(np.random.default_rng(3), "k", "gcp")
    grid, spans = instance.table.grid, instance.requirements.microdata.spans
    complete = nearest_penalties(grid, spans, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(box_floors, "MOST_PAIRS", 2 * len(grid.rows))
        some = nearest_penalties(grid, spans, 20)
    asked = np.flatnonzero(some)
    assert len(asked) == 2
    assert np.array_equal(some[asked], complete[asked])
    assert grid.rows[asked].min() >= np.sort(grid.rows)[-2]
