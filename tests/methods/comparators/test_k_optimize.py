"""K-Optimize: equal to trying every set of cuts, its bound never above that, and its kernels against slow twins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import table_strategy

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import KOptimize, Task
from sfumato.methods.comparators.cut_table import CutTable
from sfumato.methods.comparators.kernels.k_optimize import BOUND, COST, LEFT_OUT, SURELY_OUT
from sfumato.methods.enumeration.splits import split_codes
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

#: As many cuts as can be tried in all their combinations.
MOST_CUTS = 9

Cut = tuple[int, int]


def cuts_of(microdata: Microdata, splits: int) -> list[Cut]:
    return [(at, int(code)) for at, codes in enumerate(split_codes(microdata, splits, "auto")) for code in codes]


def classes_of(microdata: Microdata, chosen: tuple[Cut, ...]) -> list[tuple[int, ...]]:
    """Return for every row on how many second sides it lies, attribute by attribute."""
    attributes = range(len(microdata.domains))
    return [
        tuple(sum(at == attribute and row[at] >= code for attribute, code in chosen) for at in attributes)
        for row in microdata.codes.tolist()
    ]


def judged(microdata: Microdata, chosen: tuple[Cut, ...], k: int, l: int, by_label: bool) -> tuple[int, float]:  # noqa: E741
    """Return how many rows are left out and what all rows cost, from the definitions."""
    labels = microdata.sensitive[0].codes.tolist()
    groups: dict[Any, list[int]] = {}
    for row, name in enumerate(classes_of(microdata, chosen)):
        groups.setdefault(name, []).append(labels[row])
    left_out, cost, rows = 0, 0.0, len(microdata)
    for group in groups.values():
        most = max(Counter(group).values())
        if len(group) < k or most * l > len(group):
            left_out += len(group)
        else:
            cost += len(group) - most if by_label else len(group) ** 2
    return left_out, (cost + left_out) / rows if by_label else cost + left_out * rows


def every_set(cuts: list[Cut]) -> Iterator[tuple[Cut, ...]]:
    for count in range(len(cuts) + 1):
        yield from combinations(cuts, count)


def brute_force(microdata: Microdata, splits: int, k: int, l: int, by_label: bool, budget: int) -> float:  # noqa: E741
    found = (judged(microdata, chosen, k, l, by_label) for chosen in every_set(cuts_of(microdata, splits)))
    return min(cost for left_out, cost in found if left_out <= budget)


@settings(max_examples=examples(60), deadline=None)
@given(
    table_strategy(rows=(6, 30), most_columns=3),
    st.integers(1, 4),
    st.sampled_from([1, 2]),
    st.sampled_from(["dm", "cm"]),
    st.sampled_from([0, 3]),
)
def test_the_optimum_is_that_of_all_sets_of_cuts(table, k: int, l: int, minimize: str, budget: int) -> None:  # noqa: E741
    microdata = table.encoded()
    requirements = Requirements((KAnonymity(k), LDiversity(l)), microdata)
    splits = 2
    if requirements.broken_by_table() or len(cuts_of(microdata, splits)) > MOST_CUTS:
        return
    method = KOptimize(minimize, splits=splits, time_limit=60)
    recoding = method.run(Task(microdata, requirements, suppressible=budget))
    optimality = recoding.details["optimality"]
    assert optimality.proven
    assert optimality.cost == pytest.approx(brute_force(microdata, splits, k, l, minimize == "cm", budget))
    classes = EquivalenceClasses.of(microdata, recoding)
    measured = METRICS[minimize].measure(RecodedTable(microdata, classes))
    assert measured == pytest.approx(optimality.cost)
    assert classes.suppressed <= budget


@settings(max_examples=examples(40), deadline=None)
@given(
    table_strategy(rows=(6, 30), most_columns=3), st.integers(1, 3), st.sampled_from([1, 2]), st.booleans(), st.data()
)
def test_a_bound_is_below_all_that_a_cut_leads_to(table, k: int, l: int, by_label: bool, data) -> None:  # noqa: E741
    microdata = table.encoded()
    cuts = cuts_of(microdata, 2)[:7]
    if not cuts or len(microdata) < k:
        return
    job = Task(microdata, Requirements((KAnonymity(k), LDiversity(l)), microdata))
    codes = [np.array([code for attribute, code in cuts if attribute == at]) for at in range(len(microdata.domains))]
    searched = CutTable.of(job, codes, by_label)
    places = data.draw(st.permutations(range(len(cuts))))
    middle = data.draw(st.integers(0, len(cuts) - 1))
    head, tail = tuple(places[:middle]), tuple(places[middle:])
    found = searched.trials(head, tail, searched.floors((*head, *tail)))
    scale = len(microdata) if by_label else 1
    for row, cut in zip(found, tail, strict=True):
        left_out, cost = judged(microdata, tuple(cuts[at] for at in (*head, cut)), k, l, by_label)
        assert (row[LEFT_OUT], row[COST]) == (left_out, pytest.approx(cost * scale))
        others = [at for at in tail if at != cut]
        for added in every_set(others):
            chosen = tuple(cuts[at] for at in (*head, cut, *added))
            left_out, cost = judged(microdata, chosen, k, l, by_label)
            assert row[SURELY_OUT] <= left_out
            assert row[BOUND] <= cost * scale + 1e-9


def test_a_search_that_is_stopped_tells_a_bound() -> None:
    random = np.random.default_rng(5)
    people = pa.table({name: random.integers(0, 30, 300) for name in "abc"})
    stopped = sf.anonymize(
        people, quasi_identifiers=list("abc"), k=3, method=KOptimize(time_limit=0.0), seed=1
    ).optimality
    assert not stopped.proven
    assert stopped.bound < stopped.cost == 300**2
    longer = sf.anonymize(people, quasi_identifiers=list("abc"), k=3, method=KOptimize(), seed=1).optimality
    assert stopped.bound <= longer.bound <= longer.cost <= longer.greedy < stopped.cost


def test_groups_are_the_same_for_all_rows() -> None:
    random = np.random.default_rng(6)
    people = pa.table({"age": random.integers(20, 60, 200), "city": random.choice(list("abcdef"), 200)})
    release = sf.anonymize(people, quasi_identifiers=["age", "city"], k=10, method="k-optimize", seed=1)
    shown = sorted(set(release.table["age"].to_pylist()), key=lambda text: int(text.strip("[]").split(",")[0]))
    ends = [int(text.strip("[]").split(",")[-1]) for text in shown]
    begins = [int(text.strip("[]").split(",")[0]) for text in shown]
    assert all(end < begin for end, begin in zip(ends[:-1], begins[1:], strict=True))


@pytest.mark.parametrize(
    ("given", "words"),
    [({"minimize": "gcp"}, "'dm', 'cm'"), ({"splits": -1}, "KOptimize"), ({"time_limit": -1}, "KOptimize")],
)
def test_what_it_cannot_do_is_refused(given, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        KOptimize(**given)
