"""Costs of people's own: whatever adds up over blocks is minimized, by every engine."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples
from tests.methods.enumeration.brute_force import row_partitions
from tests.methods.enumeration.tables import MODELS, feasible, numbers
from tests.methods.enumeration.test_optimum import ENGINES

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.loss import Blocks, Objective
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.splits import split_codes
from sfumato.table.recoding import Recoding


def errors_and_volume(blocks: Blocks) -> NDArray[np.float64]:
    """Rows without the most frequent value of their block, and the root of its volume: neither is a sum over rows."""
    rare = blocks.sizes - blocks.counts["s"].max(axis=1)
    return np.asarray(rare + np.sqrt((1 + blocks.spans).prod(axis=1)) * 0.7, np.float64)


OWN = {
    "blocks": Objective("blocks", by_block=errors_and_volume),
    "sizes too": Objective("sizes too", by_size=lambda sizes: 0.1 * sizes**1.5, spread=0.5, by_block=errors_and_volume),
}


def by_definition(instance: PartitionProblem, classes: NDArray[np.int32], own: Objective) -> float:
    """The cost of a partition, class by class and row by row."""
    microdata = instance.requirements.microdata
    total = 0.0
    for group in range(int(classes.max()) + 1):
        codes = microdata.codes[classes == group]
        values = microdata.sensitive[0].codes[classes == group].tolist()
        spans = [
            float(domain.span_costs(codes[:, at].min()[None], codes[:, at].max()[None])[0])
            for at, domain in enumerate(microdata.domains)
        ]
        total += len(values) - max(values.count(value) for value in values)
        total += math.sqrt(math.prod(1 + span for span in spans)) * 0.7
        if own.spread:
            total += 0.1 * len(values) ** 1.5
            total += 0.5 * len(values) * sum(np.array(spans) * microdata.weights)
    return total


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("own", OWN.values(), ids=OWN)
@given(seed=st.integers(0, 2**32 - 1), model=st.sampled_from(["k", "distinct", "length"]))
@settings(max_examples=examples(6))
def test_whatever_adds_up_is_minimized(engine: str, own: Objective, seed: int, model: str) -> None:
    random = np.random.default_rng(seed)
    requirements = feasible(MODELS[model], numbers(random, int(random.integers(8, 40)), 2))
    assume(requirements is not None)
    assert requirements is not None
    instance = PartitionProblem.of(requirements, split_codes(requirements.microdata, 2, "auto"), own)
    found = ENGINES[engine](instance)
    best = min(
        by_definition(instance, classes, own)
        for classes in row_partitions(instance)
        if not requirements.broken_by(Recoding(classes=classes))
    )
    assert found.value == pytest.approx(best)
    assert found.bound == pytest.approx(best)
    assert found.value <= found.greedy + 1e-9
    classes = np.unique(found.blocks[instance.table.of_row], return_inverse=True)[1].astype(np.int32)
    assert by_definition(instance, classes, own) == pytest.approx(best)


def test_as_people_use_it() -> None:
    table = pa.table({"age": [20, 21, 30, 31, 40, 41], "illness": ["a", "a", "b", "b", "b", "b"]})
    errors = Objective("errors", by_block=lambda blocks: blocks.sizes - blocks.counts["illness"].max(axis=1))
    method = sf.EnumMulti(splits={"age": [21, 30]}, minimize=errors)
    release = sf.anonymize(table, quasi_identifiers="age", sensitive="illness", k=2, method=method)
    assert release.optimality.cost == 0
    assert release.optimality.proven
    shown = zip(release.data["age"].to_pylist(), release.data["illness"].to_pylist(), strict=True)
    assert {age for age, illness in shown if illness == "a"} == {"[20, 21]"}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda blocks: -blocks.sizes,
        lambda blocks: np.full(len(blocks.sizes), np.nan),
        lambda blocks: np.full(len(blocks.sizes), np.inf),
        lambda blocks: 1.0,
    ],
)
def test_what_cannot_be_added_up_is_refused(wrong: object) -> None:
    table = pa.table({"age": [20, 21, 30, 31]})
    own = Objective("odd", by_block=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="The loss 'odd' must be a finite number of at least 0"):
        sf.anonymize(table, quasi_identifiers="age", k=2, method=sf.EnumMulti(minimize=own))
