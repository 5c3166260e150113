"""The best recodings of small tables against every recoding there is, and bounds that nothing is below."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.lattice.brute_force import MODELS, feasible, tables

import sfumato as sf
from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import (
    CellGeneralization,
    CellSuppression,
    FullSubgraph,
    FullSubtree,
    Method,
    OrderedSetPartition,
    Task,
)
from sfumato.methods.recoding_models import best_cells, best_columns, best_regions
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

METHODS: list[Method] = [FullSubtree(), OrderedSetPartition(), FullSubgraph(), CellGeneralization(), CellSuppression()]

#: The first and the last code of a group.
Span = tuple[int, int]
Rows = tuple[int, ...]


@st.composite
def tasks(draw: st.DrawFn, most: int = 6) -> Task:
    """A few rows of a random table, and models that they can keep."""
    microdata = draw(tables())
    microdata = microdata.take(np.arange(min(len(microdata), most)))
    models = draw(st.sampled_from(MODELS))
    assume(feasible(models, microdata))
    return task_of(microdata, models)


def gcp(task: Task, recoding: Recoding) -> float:
    return METRICS["gcp"].measure(RecodedTable(task.microdata, EquivalenceClasses.of(task.microdata, recoding)))


def subtree_divisions(domain, span: Span, level: int) -> Iterator[tuple[Span, ...]]:
    """Yield every division of a group of a level into groups of it and of those below."""
    yield (span,)
    if level:
        groups = domain.levels[level - 1].groups
        numbers = sorted(set(groups[span[0] : span[1] + 1].tolist()))
        parts = [(int(np.flatnonzero(groups == n)[0]), int(np.flatnonzero(groups == n)[-1])) for n in numbers]
        for below in product(*(subtree_divisions(domain, part, level - 1) for part in parts)):
            yield tuple(found for division in below for found in division)


def interval_divisions(domain) -> Iterator[tuple[Span, ...]]:
    """Yield every division of an order into intervals."""
    for size in range(domain.size):
        for cuts in combinations(range(1, domain.size), size):
            begins = (0, *cuts)
            yield tuple((lo, hi - 1) for lo, hi in zip(begins, (*cuts, domain.size), strict=True))


def least_by_columns(task: Task, method: Method) -> float:
    """The least GCP of all recodings column by column."""
    microdata, best = task.microdata, np.inf
    lists = [
        set(subtree_divisions(domain, (0, domain.size - 1), domain.top))
        if isinstance(method, FullSubtree)
        else set(interval_divisions(domain))
        for domain in microdata.domains
    ]
    for ways in product(*lists):
        spans = [
            [next(span for span in way if span[0] <= code <= span[1]) for code in column]
            for way, column in zip(ways, microdata.codes.T.tolist(), strict=True)
        ]
        shown = [tuple(column[row] for column in spans) for row in range(len(microdata))]
        best = min(best, loss_if_allowed(task, shown))
    return best


def loss_if_allowed(task: Task, shown: list[tuple[Span, ...]]) -> float:
    """What rows lose that are shown so, equal ones as one class; infinite if a class breaks a model."""
    numbers = {cells: number for number, cells in enumerate(dict.fromkeys(shown))}
    classes = np.array([numbers[cells] for cells in shown], np.int32)
    if task.requirements.broken_by(Recoding(classes=classes)):
        return np.inf
    bounds = np.array(list(numbers), np.int64)
    return gcp(task, Recoding(classes=classes, bounds=(bounds[:, :, 0], bounds[:, :, 1])))


def partitions(rows: Rows) -> Iterator[list[Rows]]:
    """Yield every partition of some rows."""
    if not rows:
        yield []
        return
    for size in range(len(rows)):
        for more in combinations(rows[1:], size):
            rest = tuple(row for row in rows[1:] if row not in more)
            for others in partitions(rest):
                yield [(rows[0], *more), *others]


def hull(microdata: Microdata, rows: Rows, two_levels: bool = False) -> tuple[Span, ...]:
    """The lowest groups of all attributes that hold some rows."""
    found = []
    for at, domain in enumerate(microdata.domains):
        codes = microdata.codes[list(rows), at]
        for level in (0, domain.top) if two_levels else range(domain.top + 1):
            groups = domain.levels[level].groups
            if len(set(groups[codes].tolist())) == 1:
                inside = np.flatnonzero(groups == groups[codes[0]])
                found.append((int(inside[0]), int(inside[-1])))
                break
    return tuple(found)


def least_by_partitions(task: Task, method: Method) -> float:
    """The least GCP of all partitions of the rows that the model of a method can show."""
    microdata, best = task.microdata, np.inf
    for classes in partitions(tuple(range(len(microdata)))):
        regions = [hull(microdata, rows, isinstance(method, CellSuppression)) for rows in classes]
        of_row = np.empty(len(microdata), np.int32)
        for number, rows in enumerate(classes):
            of_row[list(rows)] = number
        if task.requirements.broken_by(Recoding(classes=of_row)):
            continue
        if isinstance(method, FullSubgraph):
            if not any(overlap(one, two) for one, two in combinations(regions, 2)):
                best = min(best, gcp(task, Recoding(classes=of_row)))
            continue
        bounds = np.array(regions, np.int64)
        best = min(best, gcp(task, Recoding(classes=of_row, bounds=(bounds[:, :, 0], bounds[:, :, 1]))))
    return best


def overlap(one: tuple[Span, ...], two: tuple[Span, ...]) -> bool:
    return all(lo <= other_hi and other_lo <= hi for (lo, hi), (other_lo, other_hi) in zip(one, two, strict=True))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=examples(12))
@given(task=tasks())
def test_the_best_is_that_of_all_recodings(method: Method, task: Task) -> None:
    if isinstance(method, (FullSubtree, OrderedSetPartition)):
        task = task_of(first_columns(task.microdata, 2), task.requirements.models)
        assume(feasible(task.requirements.models, task.microdata))
        expected = least_by_columns(task, method)
    else:
        expected = least_by_partitions(task, method)
    recoding = method.run(task)
    found = recoding.details["optimality"]
    assert found.proven
    assert found.cost == pytest.approx(expected)
    assert gcp(task, recoding) == pytest.approx(found.cost)
    assert not task.requirements.broken_by(Recoding(classes=recoding.classes))


def first_columns(microdata: Microdata, count: int) -> Microdata:
    codes = np.ascontiguousarray(microdata.codes[:, :count])
    return Microdata(codes, microdata.domains[:count], microdata.sensitive)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=examples(12))
@given(microdata=tables(), k=st.integers(2, 4), share=st.sampled_from([0.0, 0.2]))
def test_bounds_are_below_every_answer_whenever_the_search_ends(
    method: Method, microdata: Microdata, k: int, share: float
) -> None:
    assume(len(microdata) >= k)
    task = task_of(microdata, k, int(share * len(microdata)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_columns, "WORK", 0)
        patch.setattr(best_regions, "MOST_COMPARED", 1)
        patch.setattr(best_cells, "MOST_SETS", 1)
        stopped = method.run(task).details.get("optimality")
    best = method.run(task).details.get("optimality")
    assert (stopped is None) == (best is None) == (task.suppressible > 0 and isinstance(method, FullSubgraph))
    if stopped is not None:
        assert stopped.bound <= best.cost + 1e-9
        assert best.cost <= stopped.cost + 1e-9
        assert stopped.among == f"{method.name} recodings"


def test_it_is_told_what_it_is_the_best_of() -> None:
    table = pa.table({"age": [20, 21, 30, 31, 40, 41], "sex": ["f", "m"] * 3})
    schema = sf.Schema({"age": sf.Numeric(widths=(10, 20)), "sex": None})
    release = sf.anonymize(table, schema, k=2, method=CellGeneralization())
    assert release.optimality.cost == pytest.approx(release.loss.gcp)
    assert str(release.optimality).endswith("is the least possible of all cell-generalization recodings, proven")
    assert release.manifest["method"]["optimality"]["among"] == "cell-generalization recodings"


def test_a_long_column_and_many_ways_are_not_searched_but_bounded() -> None:
    random = np.random.default_rng(2)
    columns = {"age": random.geometric(0.08, 400), "pay": random.geometric(0.1, 400)}
    table = pa.table(columns)
    schema = sf.Schema({name: sf.Numeric(widths=(2, 4, 8, 16, 32)) for name in columns})
    for method in METHODS:
        found = sf.anonymize(table, schema, k=5, method=method).optimality
        assert 0 < found.bound <= found.cost
