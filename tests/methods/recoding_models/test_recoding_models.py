"""Each recoding model shows what it says it shows, and keeps the models it was asked for."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.lattice.brute_force import MODELS, all_answers, feasible, tables

from sfumato.loss import LossReport, RecodedTable
from sfumato.methods import (
    AttributeSuppression,
    CellGeneralization,
    CellSuppression,
    FullSubgraph,
    FullSubtree,
    Lattice,
    Method,
    OrderedSetPartition,
    Task,
)
from sfumato.methods.recoding_models.value_groups import children
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

METHODS: list[Method] = [
    FullSubtree(),
    OrderedSetPartition(),
    FullSubgraph(),
    CellGeneralization(),
    CellSuppression(),
    AttributeSuppression(),
]


def released(task: Task, recoding: Recoding) -> EquivalenceClasses:
    return EquivalenceClasses.of(task.microdata, recoding)


def gcp(task: Task, method: Method) -> float:
    recoded = RecodedTable(task.microdata, released(task, method.run(task)), 0, task.requirements.k)
    return LossReport.of(recoded).gcp


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=examples(40))
@given(microdata=tables(), models=st.sampled_from(MODELS), share=st.sampled_from([0.0, 0.2]))
def test_what_is_released_is_true_and_keeps_the_models(
    method: Method, microdata: Microdata, models, share: float
) -> None:
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(microdata)))
    recoding = method.run(task)
    classes = released(task, recoding)
    kept = classes.of_row != SUPPRESSED
    assert (~kept).sum() <= task.suppressible
    codes = microdata.codes[kept]
    assert (classes.lo[classes.of_row[kept]] <= codes).all()
    assert (codes <= classes.hi[classes.of_row[kept]]).all()
    if kept.any():
        part = microdata.take(kept)
        again = Requirements(models, part)
        numbered = Recoding(classes=classes.of_row[kept].astype(np.int32))
        assert not again.broken_by(numbered)


@pytest.mark.parametrize("method", [FullSubtree(), OrderedSetPartition()], ids=lambda method: method.name)
@settings(max_examples=examples(40))
@given(microdata=tables(), k=st.integers(2, 4))
def test_a_single_dimension_recoding_shows_a_value_by_one_group_everywhere(
    method: Method, microdata: Microdata, k: int
) -> None:
    assume(len(microdata) >= k)
    task = task_of(microdata, (KAnonymity(k),), 0)
    classes = released(task, method.run(task))
    for at, domain in enumerate(microdata.domains):
        shown = defaultdict(set)
        for row, group in enumerate(classes.of_row):
            shown[int(microdata.codes[row, at])].add((int(classes.lo[group, at]), int(classes.hi[group, at])))
        assert all(len(spans) == 1 for spans in shown.values())
        spans = {span for spans in shown.values() for span in spans}
        for (_, one), (two, _) in zip(sorted(spans), sorted(spans)[1:], strict=False):
            assert one < two
        if isinstance(method, FullSubtree):
            assert all(is_subtree(domain, span) for span in spans)


def is_subtree(domain, span: tuple[int, int]) -> bool:
    known = [(0, domain.size - 1)]
    for part in known:
        known += children(domain, part)
    return span in known


@settings(max_examples=examples(40))
@given(microdata=tables(), k=st.integers(2, 4), share=st.sampled_from([0.0, 0.3]))
def test_attribute_suppression_finds_the_best_subset(microdata: Microdata, k: int, share: float) -> None:
    assume(len(microdata) >= k)
    task = task_of(microdata, (KAnonymity(k),), int(share * len(microdata)))
    tops = [domain.top for domain in microdata.domains]
    expected = [
        tuple(int(level > 0) for level in node)
        for node in all_answers(task)
        if all(level in (0, top) for level, top in zip(node, tops, strict=True))
    ]
    found = AttributeSuppression().run(task)
    assert found.details["alternatives"].answers == expected
    assert tuple(int(level > 0) for level in found.levels) in expected


@settings(max_examples=examples(40))
@given(microdata=tables(), k=st.integers(2, 4))
def test_cell_suppression_shows_a_cell_as_it_is_or_not_at_all(microdata: Microdata, k: int) -> None:
    assume(len(microdata) >= k)
    classes = released(task := task_of(microdata, (KAnonymity(k),), 0), CellSuppression().run(task))
    for at, domain in enumerate(task.microdata.domains):
        exact = classes.lo[:, at] == classes.hi[:, at]
        nothing = (classes.lo[:, at] == 0) & (classes.hi[:, at] == domain.size - 1)
        assert (exact | nothing).all()


def crowd() -> Microdata:
    """A few hundred people, most of them in one corner, on whom freer recodings do better than one level for all."""
    from sfumato.hierarchies import Numeric  # noqa: PLC0415
    from sfumato.table.encoding import encode  # noqa: PLC0415

    random = np.random.default_rng(3)
    columns = {"age": random.geometric(0.08, 400), "pay": random.geometric(0.1, 400)}
    widths = {name: Numeric(widths=(2, 4, 8, 16, 32)) for name in columns}
    return encode(pa.table(columns), widths)


@pytest.mark.parametrize(
    "method", [FullSubtree(), OrderedSetPartition(), FullSubgraph(), CellGeneralization()], ids=lambda m: m.name
)
def test_freer_recodings_lose_less_than_one_level_for_all(method: Method) -> None:
    task = task_of(crowd(), (KAnonymity(5),), 0)
    assert gcp(task, method) < gcp(task, Lattice())
