"""Peeling: each node against a dictionary of cells, and what the whole walk promises."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import table_strategy

import sfumato as sf
from sfumato import datasets
from sfumato.errors import ParameterError
from sfumato.methods import Peeling, Task
from sfumato.methods.kernels.peeling import NodeCells, TupleCounts, peel_node
from sfumato.methods.search_levels import level_costs, search_levels
from sfumato.privacy import KAnonymity, LDiversity, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.frequency import frequency_set
from sfumato.table.recoding import EquivalenceClasses, Recoding


@settings(max_examples=examples(60), deadline=None)
@given(table_strategy(rows=(1, 40)), st.data())
def test_a_node_releases_exactly_the_allowed_cells(table, data: st.DataObject) -> None:
    microdata = table.encoded()
    models = data.draw(st.sampled_from([(KAnonymity(2),), (KAnonymity(3),), (LDiversity(2),)]))
    requirements = Requirements(models, microdata)
    found = frequency_set(microdata)
    levels = [data.draw(st.sampled_from(search_levels(domain))) for domain in microdata.domains]
    random = np.random.default_rng(1)
    hashes = [random.integers(1 << 63, size=int(groups[-1]) + 1, dtype=np.uint64)[groups] for groups in levels]
    at = np.cumsum([0, *(len(groups) for groups in levels[:-1])])
    order = np.argsort(found.of_row, kind="stable")
    frequencies = TupleCounts(
        np.ascontiguousarray(found.codes),
        found.counts,
        requirements.sensitive_codes[order],
        np.append(0, np.cumsum(found.counts)),
    )
    of_tuple = np.full(len(found), -1, np.int32)
    waiting = np.arange(len(found), dtype=np.int32)
    cells = NodeCells(np.empty((128, 2), np.int64), np.empty(128, np.int32), np.empty((len(found), 2), np.int32))
    classes, left = peel_node(
        frequencies,
        requirements.rules,
        max(1, requirements.smallest_class),
        np.concatenate(hashes),
        at,
        waiting,
        of_tuple,
        0,
        cells,
    )
    expected = set()
    rows_of = defaultdict(list)
    for row, codes in enumerate(microdata.codes):
        rows_of[tuple(int(groups[code]) for groups, code in zip(levels, codes, strict=True))].append(row)
    for rows in rows_of.values():
        alone = np.full(len(microdata), -1, np.int32)
        alone[rows] = 0
        if not requirements.broken_by(Recoding(classes=alone)):
            expected.add(tuple(rows))
    made = of_tuple[found.of_row]
    assert {tuple(np.flatnonzero(made == group).tolist()) for group in range(classes)} == expected
    assert waiting[:left].tolist() == np.flatnonzero(of_tuple < 0).tolist()


@settings(max_examples=examples(40), deadline=None)
@given(table_strategy(rows=(4, 60)), st.data())
def test_every_row_gets_an_allowed_class(table, data: st.DataObject) -> None:
    microdata = table.encoded()
    choices = [(KAnonymity(4),), (KAnonymity(2), LDiversity(2)), (TCloseness(0.2),)]
    requirements = Requirements(data.draw(st.sampled_from(choices)), microdata)
    assume(not requirements.broken_by_table())
    recoding = Peeling(nodes=data.draw(st.sampled_from([1, 20, 20_000]))).run(Task(microdata, requirements))
    assert recoding.classes is not None
    assert (recoding.classes >= 0).all()
    assert not requirements.broken_by(recoding)


@settings(max_examples=examples(30), deadline=None)
@given(table_strategy(rows=(10, 60), most_columns=2, kinds=("category", "country")))
def test_rows_that_are_many_enough_lose_nothing(table) -> None:
    microdata = table.encoded()
    requirements = Requirements((KAnonymity(3),), microdata)
    recoding = Peeling().run(Task(microdata, requirements))
    classes = EquivalenceClasses.of(microdata, recoding)
    found = frequency_set(microdata)
    assert recoding.classes is not None
    frequent = [np.flatnonzero(found.of_row == entry) for entry in np.flatnonzero(found.counts >= 3)]
    for rows in frequent:
        # All of them together, although a leftover row may have joined them.
        assert len(np.unique(classes.of_row[rows])) == 1


@settings(max_examples=examples(60), deadline=None)
@given(table_strategy(rows=(1, 30), most_columns=1))
def test_levels_go_from_values_to_everything(table) -> None:
    (domain,) = table.encoded().domains
    levels = search_levels(domain)
    counts = [len(np.unique(groups)) for groups in levels]
    assert counts[0] == domain.size
    assert counts[-1] == 1
    assert counts == sorted(set(counts), reverse=True)
    for groups in levels:
        assert groups[0] == 0
        assert set(np.diff(groups).tolist()) <= {0, 1}
    costs = level_costs(domain, levels)
    assert costs[0].max() == 0
    assert costs[-1] == pytest.approx(np.full(domain.size, 0.0 if domain.size == 1 else costs[-1][0]))


def test_the_number_of_nodes_is_checked() -> None:
    with pytest.raises(ParameterError, match="nodes"):
        Peeling(nodes=0)


def test_without_time_the_first_node_is_the_last() -> None:
    people = datasets.census(rows=300, seed=1).without_levels()
    microdata = encode(people.table, {name: people.hierarchies[name] for name in people.quasi_identifiers})
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    found = Peeling(time_limit=1e-9).run(task)
    assert found.details["nodes_visited"] == 0
    assert not task.requirements.broken_by(found)
    assert Peeling(time_limit=1e6).run(task).details["nodes_visited"] > 0
    with pytest.raises(ParameterError, match="time_limit"):
        Peeling(time_limit=0)


def test_visits_end_the_walk_at_the_same_node_every_time() -> None:
    people = datasets.census(rows=300, seed=1).without_levels()
    microdata = encode(people.table, {name: people.hierarchies[name] for name in people.quasi_identifiers})
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    distinct = len(frequency_set(microdata))
    visited = [Peeling(visits=visits).run(task).details["nodes_visited"] for visits in (1, distinct + 1, 10**9)]
    assert visited[:2] == [1, 2]
    assert visited[2] == Peeling().run(task).details["nodes_visited"] > 2
    assert not task.requirements.broken_by(Peeling(visits=distinct).run(task))
    with pytest.raises(ParameterError, match="visits"):
        Peeling(visits=0)


def test_rows_that_are_passed_over_at_random_keep_the_models_and_depend_on_the_seed() -> None:
    people = sf.datasets.census(rows=400, seed=1)

    def peeled(asleep: float, seed: int) -> sf.Release:
        return sf.anonymize(people.table, people.schema, k=5, method=Peeling(asleep=asleep), seed=seed)

    first, again, other = peeled(0.3, 1), peeled(0.3, 1), peeled(0.3, 2)
    assert first.achieved.k >= 5
    assert first.table.equals(again.table)
    assert first.loss.gcp != other.loss.gcp
    assert peeled(1.0, 1).achieved.k >= 5
    with pytest.raises(ParameterError, match="asleep"):
        Peeling(asleep=1.5)
