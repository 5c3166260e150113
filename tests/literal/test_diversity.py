"""l-diversity on a line to the letter of its paper, against its pseudocode by scans, and against Sfumato's groups."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.literal.linear import LiteralDiversity, diversity_groups
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.linear.test_diversity import eligible, eligible_values, groups_of

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.table.encoding import encode


def by_pseudocode(values: list[int], l: int, places: list[float], extend: bool) -> list[int]:  # noqa: E741
    """Figure 8 line by line, and the optimization of Figure 9."""
    buckets = {value: [row for row, other in enumerate(values) if other == value] for value in set(values)}
    groups, number = [0] * len(values), 0

    def eg(taken: list[int]) -> bool:
        left = sum(map(len, buckets.values())) - len(taken)
        counts = [sum(row not in taken for row in bucket) for bucket in buckets.values()]
        return max(counts) * l <= left

    def frontier() -> list[int]:
        return sorted(bucket[0] for bucket in buckets.values() if bucket)

    while any(buckets.values()):
        heads = frontier()
        by_count = sorted(heads, key=lambda row: (-len(buckets[values[row]]), row))
        tries = [heads[:count] for count in range(l, len(heads) + 1)]
        tries += [by_count[:count] for count in range(l, len(heads) + 1)]
        group = next(taken for taken in tries if eg(taken))
        for row in group:
            buckets[values[row]].remove(row)
        heads = frontier()
        if extend and len(heads) >= l:
            a, b = heads[0], heads[l - 1]
            nearer = abs(places[a] - places[min(group)]) < abs(places[b] - places[a])
            if nearer and values[a] not in {values[row] for row in group} and eg([a]):
                group = [*group, a]
                buckets[values[a]].remove(a)
        for row in group:
            groups[row] = number
        number += 1
    return groups


@given(eligible_values(), st.sampled_from([1, 4]), st.booleans())
def test_groups_are_those_of_the_pseudocode(drawn: tuple[list[int], int], bunch: int, extend: bool) -> None:
    values, l = drawn  # noqa: E741
    if eligible(values, l):
        places = [float(10 * (row // bunch) + row % bunch) for row in range(len(values))]
        found = diversity_groups(np.array(values, np.int32), np.array(places), l, extend)
        assert found.tolist() == by_pseudocode(values, l, places, extend)


@given(eligible_values())
def test_a_solution_is_found_whenever_the_table_is_eligible(drawn: tuple[list[int], int]) -> None:
    """Groups of l to m different values; unlike Sfumato's they may exceed 2l - 1."""
    values, l = drawn  # noqa: E741
    if eligible(values, l):
        groups = diversity_groups(np.array(values, np.int32), np.arange(len(values), dtype=float), l)
        for group in np.unique(groups):
            inside = np.array(values)[groups == group]
            assert l <= len(inside) == len(set(inside.tolist()))


def test_it_differs_from_sfumatos_where_a_value_becomes_critical() -> None:
    """Value 3 is critical: the letter takes the 2 most frequent values, 3 and 0; Sfumato 3 and the nearest, 2."""
    values = [2, 0, 1, 3, 0, 3, 3]
    letter = diversity_groups(np.array(values, np.int32), np.arange(7.0), 2, extend=False)
    assert np.flatnonzero(letter == 0).tolist() == [1, 3]
    assert np.flatnonzero(groups_of(values, 2) == 0).tolist() == [0, 3]
    quiet = [0, 1, 2, 3] * 5
    assert diversity_groups(np.array(quiet, np.int32), np.arange(20.0), 2).tolist() == groups_of(quiet, 2).tolist()


@settings(max_examples=examples(30))
@given(eligible_values())
def test_without_critical_values_it_is_sfumatos(drawn: tuple[list[int], int]) -> None:
    values, l = drawn  # noqa: E741
    spread = list(range(len(values)))  # every row has a value of its own: nothing ever becomes critical before the end
    if len(spread) >= l:
        letter = diversity_groups(np.array(spread, np.int32), np.arange(len(spread), dtype=float), l)
        ours = groups_of(spread, l)
        before_the_end = (letter < letter.max() - 1) & (ours < ours.max() - 1)
        assert (letter[before_the_end] == ours[before_the_end]).all()


def test_its_releases_are_verified_and_nothing_else_is_promised() -> None:
    people = sf.datasets.census(rows=500, seed=2).without_levels()
    schema = sf.Schema(people.schema.quasi_identifiers, sensitive="occupation", rest="drop")
    for method in (LiteralDiversity(), LiteralDiversity(extend=False)):
        assert sf.anonymize(people.table, schema, l=4, method=method).achieved.k >= 4
    microdata = encode(people.table, people.schema.quasi_identifiers)
    with pytest.raises(ParameterError, match="frequency l-diversity"):
        LiteralDiversity().run(task_of(microdata, 3))
