"""One-dimensional l-diversity: groups of different sensitive values, whatever their distribution."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import microdata_strategy
from tests.methods.linear.twins import total_loss

import sfumato as sf
from sfumato.errors import InfeasibleError
from sfumato.methods import CostAware, Hilbert, Mondrian, Task
from sfumato.methods.linear.diversity import frontier_of
from sfumato.methods.linear.kernels.diversity import diverse_groups
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.runs import cut_by_rules
from sfumato.privacy import KAnonymity, LDiversity, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding


def groups_of(values: list[int], l: int, places: list[float] | None = None) -> np.ndarray:  # noqa: E741
    ordered = np.array(values, np.int32)
    place = np.arange(len(values), dtype=float) if places is None else np.array(places, float)
    return diverse_groups(ordered, place, l, frontier_of(ordered))


def check_groups(values: list[int], groups: np.ndarray, l: int) -> None:  # noqa: E741
    """Lemma 2 and Corollary 1 of the paper: l to 2l - 1 rows, no value twice; every row in one group."""
    members = defaultdict(list)
    for value, group in zip(values, groups.tolist(), strict=True):
        members[group].append(value)
    assert min(members) == 0
    assert max(members) == len(members) - 1
    for inside in members.values():
        assert l <= len(inside) <= 2 * l - 1
        assert len(set(inside)) == len(inside)


def eligible(values: list[int], l: int) -> bool:  # noqa: E741
    return bool(values) and max(Counter(values).values()) * l <= len(values)


@st.composite
def eligible_values(draw: st.DrawFn) -> tuple[list[int], int]:
    """Hostile but eligible: one value at the limit, ties, as many values as l, two values, many values."""
    l = draw(st.integers(1, 6))  # noqa: E741
    kind = draw(st.sampled_from(["limit", "ties", "m=l", "many", "any"]))
    if kind == "limit":
        count = draw(st.integers(1, 12))
        others = count * (l - 1)
        rest = draw(st.lists(st.integers(1, max(1, 3 * l)), min_size=others, max_size=others))
        values = [0] * count + rest
    elif kind == "ties":
        each, m = draw(st.integers(1, 8)), draw(st.integers(l, 3 * l))
        values = [value for value in range(m) for _ in range(each)]
    elif kind == "m=l":
        values = [value for value in range(l) for _ in range(draw(st.integers(1, 10)))][: 10 * l]
        values = [value for value in range(l) for _ in range(max(1, len(values) // l))]
    elif kind == "many":
        values = list(range(draw(st.integers(l, 60))))
    else:
        values = draw(st.lists(st.integers(0, 8), min_size=l, max_size=60))
    ordering = draw(st.sampled_from(["sorted", "shuffled", "reversed"]))
    if ordering == "shuffled":
        values = draw(st.permutations(values))
    elif ordering == "reversed":
        values = values[::-1]
    return list(values), l


@given(eligible_values())
def test_a_solution_is_found_whenever_the_table_is_eligible(drawn: tuple[list[int], int]) -> None:
    values, l = drawn  # noqa: E741
    if eligible(values, l):
        check_groups(values, groups_of(values, l), l)


@pytest.mark.parametrize(
    ("values", "l"),
    [
        ([0] * 500 + list(range(1, 501)), 2),
        ([0, 1] * 400, 2),
        ([0] * 400 + [1] * 400, 2),
        ([value for value in range(7) for _ in range(100)], 7),
        (list(range(5000)), 3),
        ([*range(3000), *range(3000)], 3000),
        ([0] * 1000 + [1] * 999 + [2] * 998 + list(range(3, 1006)), 4),
    ],
    ids=["one at the limit", "m=2 mixed", "m=2 apart", "m=l sorted", "all different", "l=m=3000", "three near it"],
)
def test_hostile_distributions(values: list[int], l: int) -> None:  # noqa: E741
    assert eligible(values, l)
    check_groups(values, groups_of(values, l), l)


def test_time_does_not_grow_with_the_number_of_values() -> None:
    # Thousands of values that are never critical: a scan of all of them per group would take minutes.
    rng = np.random.default_rng(0)
    values = rng.integers(0, 5000, 60_000).astype(np.int32)
    values[rng.random(60_000) < 0.3] = 0
    groups = groups_of(values.tolist(), 3)
    check_groups(values.tolist(), groups, 3)


@given(eligible_values())
def test_groups_come_in_the_same_order_in_every_queue(drawn: tuple[list[int], int]) -> None:
    """The group order of Lemma 3: along the rows of one value, groups only rise."""
    values, l = drawn  # noqa: E741
    if eligible(values, l):
        groups = groups_of(values, l)
        for value in set(values):
            assert (np.diff(groups[np.array(values) == value]) > 0).all()


def slow_groups(values: list[int], l: int, places: list[float]) -> list[tuple[list[int], str]]:  # noqa: E741
    """The heuristic as the page on it says, by scans: the rows of every group, and which step made it."""
    queues = {value: [row for row, other in enumerate(values) if other == value] for value in set(values)}
    made = []
    while any(queues.values()):
        left = sum(map(len, queues.values()))
        frontier = sorted(queue[0] for queue in queues.values() if queue)
        critical = {value for value, queue in queues.items() if queue and len(queue) == left // l}
        for size in range(l, l + left % l + 1):
            taken, step = frontier[:size], "greedy"
            if critical <= {values[row] for row in taken}:
                break
        else:
            others = [row for row in frontier[: l + left % l] if values[row] not in critical]
            taken = sorted([queues[value][0] for value in critical] + others[: max(0, l - len(critical))])
            step = "fall-back"
        for row in taken:
            queues[values[row]].remove(row)
        if next_row := joining(queues, values, l, places, taken):
            taken, step = [*taken, next_row[0]], f"{step}, extended"
        made.append((taken, step))
    return made


def joining(queues, values: list[int], l: int, places: list[float], taken: list[int]) -> list[int]:  # noqa: E741
    """The extent optimization: the next row of the frontier, taken off its queue, if it joins the group."""
    frontier = sorted(queue[0] for queue in queues.values() if queue)
    left = sum(map(len, queues.values()))
    if len(frontier) < l or left <= l or len(taken) >= 2 * l - 1:
        return []
    row = frontier[0]
    nearer = places[row] - places[min(taken)] < places[frontier[l - 1]] - places[row]
    if not nearer or values[row] in {values[other] for other in taken}:
        return []
    after = {value: len(queue) - (value == values[row]) for value, queue in queues.items()}
    if max(after.values()) * l > left - 1:
        return []
    queues[values[row]].remove(row)
    return [row]


@given(eligible_values(), st.sampled_from(["even", "clustered"]))
def test_groups_are_those_of_the_slow_way(drawn: tuple[list[int], int], spread: str) -> None:
    values, l = drawn  # noqa: E741
    if eligible(values, l):
        places = [float(row if spread == "even" else 10 * (row // 4) + row % 4) for row in range(len(values))]
        expected = np.empty(len(values), int)
        for group, (taken, _) in enumerate(slow_groups(values, l, places)):
            expected[taken] = group
        assert groups_of(values, l, places).tolist() == expected.tolist()


@given(eligible_values(), st.sampled_from(["even", "clustered"]))
def test_borders_are_in_order_where_no_value_is_critical(drawn: tuple[list[int], int], spread: str) -> None:
    """The border order of Lemma 4: greedy groups begin in order, and end in order if they did not have to grow."""
    values, l = drawn  # noqa: E741
    if not eligible(values, l):
        return
    places = [float(row if spread == "even" else 10 * (row // 4) + row % 4) for row in range(len(values))]
    steps = [step for _, step in slow_groups(values, l, places)]
    groups = groups_of(values, l, places)
    members = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    for at, (here, following) in enumerate(pairwise(members)):
        if steps[at].startswith("greedy"):
            assert here[0] < min(other[0] for other in members[at + 1 :])
            if len(here) == l:
                assert here[-1] < following[-1]


def test_every_step_is_met_by_the_hostile_tables() -> None:
    """What the two tests above compare is not always the same easy step."""
    met: Counter[str] = Counter()
    rng = np.random.default_rng(5)
    for most in [1, 2, 3] * 60:
        values = rng.permutation([0] * 6 + rng.integers(1, 7, 12 * most).tolist()).tolist()
        if eligible(values, 3):
            places = [float(10 * (row // 4) + row % 4) for row in range(len(values))]
            met.update(step for _, step in slow_groups(values, 3, places))
    assert {"greedy", "greedy, extended", "fall-back"} <= set(met)


def test_the_next_row_joins_if_it_lies_nearer_than_the_group_it_would_begin() -> None:
    """Figure 9 of the paper: rows 1 to 4 are close together, rows 5 to 7 far away."""
    values, places = [0, 1, 2, 3, 0, 1, 2], [0.0, 1.0, 2.0, 3.0, 50.0, 51.0, 52.0]
    assert groups_of(values, 3, places).tolist() == [0, 0, 0, 0, 1, 1, 1]
    spread = [0.0, 1.0, 2.0, 49.0, 50.0, 51.0, 52.0]
    assert groups_of(values, 3, spread).tolist() != [0, 0, 0, 0, 1, 1, 1]


def test_critical_values_are_taken_from_afar_when_they_must() -> None:
    values = [0, 1, 0, 1, 0, 1, 2, 2, 2]
    groups = groups_of(values, 3)
    check_groups(values, groups, 3)


MODELS = [
    (LDiversity(2),),
    (KAnonymity(4), LDiversity(2)),
    (LDiversity(2, kind="entropy"),),
    (LDiversity(2, kind="distinct"),),
    (LDiversity(2, kind="recursive", c=2.0),),
    (LDiversity(1.5),),
    (KAnonymity(3), TCloseness(0.4)),
    (LDiversity(2, column="s0"), LDiversity(2, kind="distinct", column="s1")),
]


@given(
    microdata_strategy(rows=(2, 40), sensitive=2),
    st.sampled_from(MODELS),
    st.sampled_from([Hilbert(), CostAware(), Hilbert(keep_equal=True)]),
)
def test_every_class_keeps_every_model(microdata: Microdata, models, method) -> None:
    requirements = Requirements(models, microdata)
    if not requirements.broken_by_table():
        recoding = method.run(Task(microdata, requirements))
        assert requirements.broken_by(recoding) == []


def cheapest_allowed(microdata: Microdata, order: np.ndarray, requirements: Requirements) -> float:
    """The least loss of all cuts of an order into runs that keep every model."""
    best = [0.0] + [np.inf] * len(order)
    for stop in range(1, len(order) + 1):
        for start in range(stop):
            alone = np.full(len(order), -1, np.int32)
            alone[order[start:stop]] = 0
            if best[start] < np.inf and not requirements.broken_by(Recoding(classes=alone)):
                best[stop] = min(best[stop], best[start] + total_loss(microdata, alone, suppressed=0.0))
    return best[-1]


@given(microdata_strategy(rows=(2, 12)), st.sampled_from([LDiversity(2), LDiversity(2, kind="entropy")]))
def test_runs_under_rules_are_the_cheapest_of_all(microdata: Microdata, model: LDiversity) -> None:
    requirements = Requirements((model,), microdata)
    if not requirements.broken_by_table():
        line = Line.of(Task(microdata, requirements), Hilbert().make_mapping())
        cut = cut_by_rules(line, np.arange(len(line) + 1), requirements)
        assert cut.loss == pytest.approx(cheapest_allowed(microdata, line.order, requirements))


def test_an_ineligible_table_is_refused_with_the_largest_l_that_works() -> None:
    people = pa.table({"age": [1, 2, 3, 4, 5], "illness": ["flu", "flu", "gout", "gout", "asthma"]})
    with pytest.raises(InfeasibleError, match=r"largest l that works is 2\.5"):
        sf.anonymize(people, quasi_identifiers="age", sensitive="illness", l=3, method="hilbert")


def test_l_diverse_groups_lose_less_than_mondrian_on_a_census() -> None:
    people = sf.datasets.census(rows=4000, seed=3).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, ["occupation"])
    requirements = Requirements((LDiversity(6),), microdata)
    losses = [
        total_loss(microdata, method.run(Task(microdata, requirements)).classes)
        for method in (CostAware(), Hilbert(), Mondrian())
    ]
    assert losses == sorted(losses)
