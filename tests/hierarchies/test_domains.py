"""Every kind of hierarchy against a slow walk over paths: levels, span costs and labels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from tests.helpers import KINDS, PlainTable, cells_strategy
from tests.reference import SlowHierarchy

from sfumato.hierarchies import Domain
from sfumato.table.kernels.spans import span_cost
from sfumato.table.microdata import Microdata

one_column = st.sampled_from(list(KINDS)).flatmap(
    lambda kind: st.integers(1, 25).flatmap(
        lambda count: cells_strategy(kind, count, missing=True).map(lambda cells: PlainTable({kind: cells}))
    )
)


@njit
def compiled_cost(spans, attribute, lo, hi):
    return span_cost(spans, attribute, lo, hi)


def fitted(table: PlainTable) -> tuple[Domain, list, SlowHierarchy, Microdata]:
    """Return a column's domain, its values in code order with None for missing, and its slow twin."""
    (name, cells), microdata = next(iter(table.cells.items())), table.encoded()
    domain = microdata.domains[0]
    values = domain.values.to_pylist() + [None] * domain.has_missing
    return domain, values, SlowHierarchy(table.hierarchies[name], cells), microdata


@given(one_column)
def test_every_cell_gets_the_code_of_its_value(table):
    _, values, _, microdata = fitted(table)
    assert [values[code] for code in microdata.codes[:, 0]] == next(iter(table.cells.values()))


@given(one_column)
def test_codes_follow_the_order_of_the_scale_and_missing_is_last(table):
    domain, values, slow, _ = fitted(table)
    assert domain.missing_code == (len(values) - 1 if None in slow.counts else None)
    assert set(values) == set(slow.counts)
    assert len(values) == domain.size == len(slow.counts)
    if slow.is_scale:
        known = values[: len(domain.values)]
        assert known == sorted(known, key=slow._place)


@given(one_column)
def test_levels_are_the_groups_of_the_paths(table):
    domain, values, slow, _ = fitted(table)
    assert domain.top == slow.top
    for at, level in enumerate(domain.levels):
        for code, value in enumerate(values):
            group = {values[other] for other in np.flatnonzero(level.groups == level.groups[code])}
            assert group == slow.group(value, at)


@given(one_column)
def test_levels_nest_and_groups_are_contiguous(table):
    domain, values, _, _ = fitted(table)
    for level in domain.levels:
        assert level.groups[0] == 0
        assert set(np.diff(level.groups)) <= {0, 1}
        assert len(level) == level.groups[-1] + 1
    for lower, upper in itertools.pairwise(domain.levels):
        parents = {(mine, above) for mine, above in zip(lower.groups, upper.groups, strict=True)}
        assert len(parents) == len(lower)
    assert list(domain.levels[0].groups) == list(range(len(values)))
    assert domain.levels[-1].labels.to_pylist() == ["*"]


@given(one_column)
def test_only_the_top_covers_missing_together_with_a_value(table):
    domain, values, _, _ = fitted(table)
    if domain.missing_code is None:
        return
    for level in domain.levels[:-1]:
        assert np.count_nonzero(level.groups == level.groups[domain.missing_code]) == 1
        assert level.labels[int(level.groups[domain.missing_code])].as_py() is None
    for code in range(len(values) - 1):
        pair = np.array([code]), np.array([domain.missing_code])
        assert domain.span_costs(*pair)[0] == 1
        assert domain.span_labels(*pair).to_pylist() == ["*"]


@given(one_column)
def test_span_costs_are_those_of_the_definition(table):
    domain, values, slow, microdata = fitted(table)
    pairs = list(itertools.combinations_with_replacement(range(len(values)), 2))
    lo, hi = np.array(pairs).T
    costs = domain.span_costs(lo, hi)
    compiled = [compiled_cost(microdata.spans, 0, first, last) for first, last in pairs]
    for (first, last), cost in zip(pairs, costs, strict=True):
        assert cost == pytest.approx(slow.cost({values[first], values[last]}))
        # In-order codes make the extremes enough: what lies between them adds nothing.
        assert cost == pytest.approx(slow.cost(values[first : last + 1]))
    assert compiled == pytest.approx(costs)
    assert costs.min() == 0
    assert costs.max() <= 1


@given(one_column)
def test_wider_spans_never_cost_less(table):
    domain, values, _, _ = fitted(table)
    size = len(values)
    table_of_costs = domain.span_costs(*np.divmod(np.arange(size**2), size)[::-1]).reshape(size, size).T
    costs = np.triu(table_of_costs)
    for first in range(size):
        assert (np.diff(costs[first, first:]) >= -1e-12).all()
        assert (np.diff(costs[: first + 1, first]) <= 1e-12).all()


@given(one_column)
def test_labels_of_spans(table):
    domain, values, slow, _ = fitted(table)
    texts = domain.texts.to_pylist()
    pairs = list(itertools.combinations_with_replacement(range(len(values)), 2))
    lo, hi = np.array(pairs).T
    for (first, last), label in zip(pairs, domain.span_labels(lo, hi).to_pylist(), strict=True):
        if first == last:
            assert label == texts[first]
        elif values[last] is None:
            assert label == "*"
        elif slow.is_scale and not slow.shows_levels:
            assert label == f"[{texts[first]}, {texts[last]}]"
        else:
            level = slow.height({values[first], values[last]})
            groups = domain.levels[level]
            assert label == groups.labels[int(groups.groups[first])].as_py()


def test_a_large_tree_is_climbed_to_the_same_costs_as_tabulated():
    """Beyond 128 codes the kernel climbs ancestors instead of looking costs up."""
    zips = [f"{number:03d}" for number in range(0, 1000, 3)]
    table = PlainTable({"zip": zips})
    domain, values, slow, microdata = fitted(table)
    assert len(values) > 128
    random = np.random.default_rng(5)
    lo, hi = np.sort(random.integers(0, len(values), (2, 300)), axis=0)
    for first, last, cost in zip(lo, hi, domain.span_costs(lo, hi), strict=True):
        assert cost == pytest.approx(slow.cost({values[first], values[last]}))
        assert compiled_cost(microdata.spans, 0, first, last) == pytest.approx(cost)


def test_hand_worked_taxonomy():
    """Six countries occur: under South two, under Europe three, under the root all."""
    cells = ["Italy", "Spain", "France", "Japan", "Korea", "Nowhere"]
    domain, values, _, _ = fitted(PlainTable({"country": cells}))
    assert values == cells
    spans = {("Italy", "Italy"): 0, ("Italy", "Spain"): 2 / 6, ("Italy", "France"): 3 / 6, ("Italy", "Japan"): 1}
    for (first, last), cost in spans.items():
        lo, hi = np.array([values.index(first)]), np.array([values.index(last)])
        assert domain.span_costs(lo, hi)[0] == pytest.approx(cost)
    assert domain.span_labels(np.array([0, 0]), np.array([1, 2])).to_pylist() == ["South", "Europe"]


def test_leaves_that_do_not_occur_do_not_count():
    domain, *_ = fitted(PlainTable({"country": ["Italy", "Spain", "Japan"]}))
    assert domain.span_costs(np.array([0]), np.array([1]))[0] == pytest.approx(2 / 3)
