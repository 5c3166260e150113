"""What minimum lengths say about the size of blocks, against a look at every box of the grid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.methods.enumeration.brute_force import grid_box
from tests.methods.enumeration.tables import mixed, numbers

from sfumato.loss.metrics import DM, GCP
from sfumato.methods.enumeration import minimum_lengths
from sfumato.methods.enumeration.minimum_lengths import least_sizes
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.partition_search import describe, inside
from sfumato.methods.enumeration.splits import split_codes
from sfumato.privacy import KAnonymity, MinimumSpan, Requirements

SEEDS = st.integers(0, 2**32 - 1)


def instance_of(random: np.random.Generator, gcp: bool = False) -> PartitionProblem:
    """A table with missing values, or three numbers; one or two attributes must not be too short."""
    rows = int(random.integers(8, 60))
    microdata = numbers(random, rows, 3) if random.random() < 0.5 else mixed(random, rows)
    models = [KAnonymity(2), MinimumSpan("x0", float(random.integers(1, 5)))]
    if "x1" in microdata.names:
        models.append(MinimumSpan("x1", float(random.integers(1, 4))))
    requirements = Requirements(tuple(models), microdata)
    return PartitionProblem.of(requirements, split_codes(microdata, 3, "auto"), GCP if gcp else DM)


def boxes_of(instance: PartitionProblem) -> list[tuple[tuple[int, int], ...]]:
    intervals = [list(itertools.combinations_with_replacement(range(hi + 1), 2)) for _, hi in grid_box(instance)]
    return list(itertools.product(*intervals))


def wide_enough(instance: PartitionProblem, box: tuple[tuple[int, int], ...]) -> bool:
    """Whether a box, from its first code to its last, could hold a class that is not too short."""
    grid, requirements = instance.table.grid, instance.requirements
    for rule in requirements.bound:
        if isinstance(rule.model, MinimumSpan):
            lo, hi = (grid.edges[grid.slabs[rule.column] + slab] for slab in box[rule.column])
            if hi[1] < rule.reach[lo[0]]:
                return False
    return True


@given(seed=SEEDS)
@settings(max_examples=examples(40))
def test_least_sizes_are_those_of_the_emptiest_wide_box(seed: int) -> None:
    instance = instance_of(np.random.default_rng(seed))
    rows = instance.table.grid.rows
    assume(not instance.requirements.broken_by_table())
    least = np.full(len(rows), rows.sum())
    for box in boxes_of(instance):
        if wide_enough(instance, box):
            atoms = inside(instance, box)
            least[atoms] = np.minimum(least[atoms], rows[atoms].sum())
    assert least_sizes(instance.requirements, instance.table.grid).tolist() == least.tolist()


@pytest.mark.parametrize("gcp", [False, True])
@pytest.mark.parametrize("most", [0, 100, minimum_lengths.MOST_CELLS])
@given(seed=SEEDS)
@settings(max_examples=examples(15))
def test_no_allowed_box_is_below_its_floor(gcp: bool, most: int, seed: int) -> None:
    instance = instance_of(np.random.default_rng(seed), gcp)
    assume(not instance.requirements.broken_by_table())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimum_lengths, "MOST_CELLS", most)
        floors = instance.problem.grid.floors
    for box in boxes_of(instance):
        found = describe(instance, box)
        assert floors[inside(instance, box)].sum() <= found.cost + 1e-9
