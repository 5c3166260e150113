"""The second derivation of the papers' figures: its own pieces, by hand, and its page."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.papers.command import DOCS
from benchmarks.rederived import enummulti, fast_anonymization, incognito
from benchmarks.rederived.command import PAGE, compare, derived, page
from benchmarks.rederived.figures import FIGURES, interval
from benchmarks.rederived.mondrian_greedy import at_least, diverse, greedy
from benchmarks.rederived.tables import Attribute, category, dm, gcp, number

TREE = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]


def line(*values: int) -> list[Attribute]:
    return [number(values)]


def test_the_page_is_that_of_the_stored_figures() -> None:
    """Fails when either derivation was run again and the page was not written: `python -m benchmarks rederived`."""
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    assert text == "\n".join(page(DOCS)).rstrip() + "\n"


def test_fifteen_figures_of_all_four_papers_were_derived() -> None:
    done = derived(DOCS)
    assert len(done) >= 15
    assert {FIGURES[name].experiment.split("-")[0] for name in done} == {"incognito", "mondrian", "fast", "enummulti"}


def test_a_category_loses_what_lies_below_its_common_ancestor() -> None:
    attribute = category(["a", "b", "d", "c"], TREE)
    assert attribute.codes.tolist() == [0, 1, 3, 2]
    assert (attribute.loss[0, 0], attribute.loss[0, 1], attribute.loss[1, 2]) == (0, 0.5, 1)
    assert (attribute.first[2, 3], attribute.last[2, 3]) == (2, 3)
    assert gcp([attribute], np.array([0, 0, 1, 1])) == pytest.approx(0.5)


def test_the_optimal_runs_are_the_cheapest() -> None:
    attributes = line(0, 1, 2, 10, 11, 12, 13)
    order = fast_anonymization.hilbert_order(attributes)
    assert order.tolist() == list(range(7))
    classes = fast_anonymization.runs(attributes, order, 3)
    assert classes.tolist() == [3] * 3 + [7] * 4
    assert dm(classes) == 9 + 16


def test_a_greedy_cuts_at_the_median_as_long_as_it_may() -> None:
    points = np.array([[1], [2], [3], [4]])
    assert len(set(greedy(points, at_least(2)).tolist())) == 2
    assert len(set(greedy(points, diverse(np.array([0, 0, 1, 1]), 2)).tolist())) == 1


def test_groups_are_diverse() -> None:
    sensitive = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    classes = fast_anonymization.diverse_groups(np.arange(8), sensitive, 2)
    buckets = fast_anonymization.anatomy(sensitive, 2)
    for made in (classes, buckets):
        for one in set(made.tolist()):
            values = sensitive[made == one]
            assert np.bincount(values).max() * 2 <= len(values)


def test_the_divergence_of_a_table_from_itself_is_nothing() -> None:
    attributes, sensitive = [number([0, 1, 2, 3])], np.array([0, 1, 0, 1])
    own = np.arange(4)
    assert fast_anonymization.divergence(attributes, sensitive, own, 1) == pytest.approx(0)
    assert fast_anonymization.divergence(attributes, sensitive, own, 1, exact=True) == pytest.approx(0)
    together = fast_anonymization.divergence(attributes, sensitive, np.zeros(4, np.int64), 1)
    assert together == pytest.approx(np.log(2))


def test_nodes_are_looked_at_until_one_is_anonymous() -> None:
    halved = tuple(np.arange(4) >> level for level in range(3))
    made = number([0, 1, 2, 3], halved)
    lattice = incognito.Lattice([made, made], 2)
    # Alone, each attribute is 2-anonymous from its second level on, so of pairs only that of both second levels is
    # looked at. From the bottom, all pairs with a first level are, too.
    assert lattice.incognito(2) == [2, 2 + 2 + 1]
    assert lattice.bottom_up(2) == 5 + 1


def test_the_least_cost_of_cuts_is_that_of_all_of_them() -> None:
    data = np.array([[10, 50]] * 4 + [[90, 50]] * 6)
    assert enummulti.optimum(data, 1, 4) == 16 + 36
    assert enummulti.optimum(data, 1, 5) == 100
    assert enummulti.optimum(data, 1, 4, shortest=60) == 100
    assert enummulti.greedy(data, 1, at_least(4)) == 16 + 36


def test_a_shown_interval_is_read() -> None:
    assert (interval("[26, 28]"), interval("7")) == ((26, 28), (7, 7))


def test_derivations_are_compared_point_by_point_and_by_the_order_of_lines() -> None:
    first = {"a": {1.0: 10.0, 2.0: 10.0}, "b": {1.0: 20.0, 2.0: 5.0}}
    found = compare(first, {"a": {1.0: 10.0, 2.0: 11.0}, "b": {1.0: 20.0, 2.0: 12.0}})
    assert found.worst == ("b at 2", pytest.approx(1.4))
    assert (found.same_order, found.orders) == (1, 2)
    assert not found.agrees(2.0)
    with pytest.raises(KeyError):
        compare(first, {"c": {1.0: 1.0}})
