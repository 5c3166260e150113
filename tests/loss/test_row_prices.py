"""Prices of rows, against every box and every partition of small tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples
from tests.helpers import encoded_column, microdata_strategy
from tests.methods.linear.twins import cheapest_of_all_partitions, loss_of

import sfumato as sf
from sfumato.common.threads import at_most
from sfumato.loss import gcp_bound
from sfumato.loss.bound import bound as bound_module
from sfumato.loss.bound import neighbour_boxes
from sfumato.loss.bound.cutting_planes import Stop, search_prices
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import NeighbourBoxes
from sfumato.loss.bound.row_prices import SAFETY, Mixed, OverpricedBoxes, Pricing, capped_prices, distinct_rows
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


def assert_they_hold(prices: NDArray[np.float64], microdata: Microdata, k: int) -> None:
    """A box is overpriced if and only if some k rows in it pay more than they lose as a class."""
    assert prices.min(initial=0) >= 0
    for rows in combinations(range(len(microdata)), k):
        assert prices[list(rows)].sum() <= loss_of(microdata, list(rows)) + 1e-9


small = microdata_strategy(rows=(2, 9))


@given(small, st.integers(2, 4), st.booleans())
def test_they_hold_in_every_box(microdata: Microdata, k: int, suppression: bool) -> None:
    boxes, prices = capped_prices(microdata, k, suppression)
    each = prices.each[boxes.rows.of_row]
    assert prices.total == pytest.approx(each.sum())
    assert_they_hold(each, microdata, k)
    assert not suppression or each.max() <= 1


def around(microdata: Microdata, k: int, mixed: Mixed | None = None) -> Pricing:
    """Prices by the boxes around every row, which is what tables get that have too many boxes to list."""
    return Pricing(NeighbourBoxes(microdata, distinct_rows(microdata, mixed)), k, mixed=mixed)


@given(small, st.integers(2, 4), st.sampled_from([0, 1, 20, 10_000]), st.sampled_from([0.0, 0.05, 0.5]))
def test_they_hold_in_every_box_around_every_row_however_little_work_is_done(
    microdata: Microdata, k: int, work: int, tolerance: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbour_boxes, "TOLERANCE", tolerance)
        pricing = around(microdata, k)
        pricing.boxes.work = work
        prices, _ = pricing.cap(pricing.highest(np.inf))
    each = prices.each[pricing.boxes.rows.of_row] * (1 - SAFETY)
    assert_they_hold(each, microdata, k)
    assert len(microdata) < k or each.sum() <= cheapest_of_all_partitions(microdata, k) + 1e-9


@given(
    small,
    st.integers(2, 4),
    st.sampled_from([0, 1, 20, 10_000]),
    st.sampled_from([0.001, 0.5]),
    st.sampled_from([0.9, 1.1, 3.0, 100.0]),
    st.integers(0, 9),
)
def test_prices_that_nearly_hold_or_do_not_are_lowered_until_they_do(
    microdata: Microdata, k: int, work: int, spare: float, factor: float, seed: int
) -> None:
    pricing = around(microdata, k)
    begin, _ = pricing.cap(pricing.highest(np.inf))
    boxes = pricing.boxes
    assert isinstance(boxes, NeighbourBoxes)
    boxes.held_work, boxes.spare = work, spare
    guess = begin.each * np.random.default_rng(seed).uniform(0.5, factor, len(begin.each)) + (factor > 2) * 0.1
    pool = OverpricedBoxes.room_for(50, pricing.width)
    prices, used = pricing.hold(guess, pool)
    assert (prices.each <= guess).all()
    assert_they_hold(prices.each[boxes.rows.of_row] * (1 - SAFETY), microdata, k)
    found = pool.take(slice(used))
    assert (found.paid(guess) > found.limits * k).all()
    if work == 10_000 and factor == 0.9 and spare == 0.001:
        assert prices.total >= (1 - 2 * spare) * (guess * pricing.counts).sum()


@settings(max_examples=examples(60), deadline=None)
@given(
    microdata_strategy(rows=(3, 8), most_columns=3),
    st.integers(2, 4),
    st.sampled_from([1.5, 2, 3]),
    st.sampled_from([1, 10_000]),
    st.sampled_from([1.1, 10.0]),
    st.integers(0, 9),
)
def test_the_same_where_values_must_be_mixed(
    microdata: Microdata,
    k: int,
    l: float,  # noqa: E741
    work: int,
    factor: float,
    seed: int,
) -> None:
    requirements = Requirements((KAnonymity(k), LDiversity(l)), microdata)
    k, allowed, mixed = requirements.smallest_class, well_mixed(microdata, l), Mixed.by(requirements)
    pricing = around(microdata, k, mixed)
    boxes = pricing.boxes
    assert isinstance(boxes, NeighbourBoxes)
    boxes.held_work = work
    begin, _ = pricing.cap(pricing.highest(np.inf))
    guess = begin.each * np.random.default_rng(seed).uniform(1, factor, len(begin.each)) + 0.01
    prices, _ = pricing.hold(guess, OverpricedBoxes.room_for(50, pricing.width))
    each = prices.each[boxes.rows.of_row] * (1 - SAFETY)
    for size in range(k, len(microdata) + 1):
        for rows in map(list, combinations(range(len(microdata)), size)):
            assert not allowed(rows) or each[rows].sum() <= loss_of(microdata, rows) + 1e-9


def test_prices_are_the_same_on_any_number_of_threads() -> None:
    random = np.random.default_rng(5)
    microdata = encode(pa.table({name: random.normal(size=300) for name in "ab"}), dict.fromkeys("ab"))
    found = []
    for threads in (1, 4):
        with at_most(threads):
            pricing = around(microdata, 4)
            found.append(search_prices(pricing, np.full(300, 4.0), Stop(rounds=4)).prices.each)
    assert found[0].tobytes() == found[1].tobytes()


def test_several_numbers_prove_far_more_than_pairs_of_rows() -> None:
    random = np.random.default_rng(7)
    microdata = encode(pa.table({name: random.normal(size=300) for name in "abc"}), dict.fromkeys("abc"))
    bound = gcp_bound(microdata, 5)
    assert bound.prices is not None
    assert bound == pytest.approx(bound.prices.mean())
    assert bound > 1.4 * bound_module._pair_bound(bound_module.DistinctRows.of(microdata), 5, 0, 0, False)
    release = sf.anonymize(pa.table({name: random.normal(size=60) for name in "ab"}), k=5, quasi_identifiers=["a", "b"])
    assert 0 < release.bound <= release.loss.gcp
    assert release.bound.certified


@given(small, st.integers(2, 4))
def test_no_partition_loses_less(microdata: Microdata, k: int) -> None:
    k = min(k, len(microdata))
    bound = gcp_bound(microdata, k, suppression=False)
    assert bound.certified
    assert bound.prices is not None
    least = cheapest_of_all_partitions(microdata, k)
    assert bound.prices.sum() <= least + 1e-9
    assert bound * len(microdata) <= least + 1e-9


def well_mixed(microdata: Microdata, l: float) -> Callable[[list[int]], bool]:  # noqa: E741
    values = microdata.sensitive[0].codes
    return lambda rows: np.bincount(values[rows]).max() * l <= len(rows) * (1 + 1e-9)


@given(microdata_strategy(rows=(2, 8), most_columns=3), st.integers(1, 4), st.sampled_from([1.5, 2, 2.5, 3]))
def test_where_values_must_be_mixed_no_mixed_class_and_no_such_partition_loses_less(
    microdata: Microdata,
    k: int,
    l: float,  # noqa: E741
) -> None:
    requirements = Requirements((KAnonymity(k), LDiversity(l)), microdata)
    k, allowed, mixed = requirements.smallest_class, well_mixed(microdata, l), Mixed.by(requirements)
    boxes, capped = capped_prices(microdata, k, mixed=mixed)
    pricing = Pricing(boxes, k, mixed=mixed)
    raised = search_prices(pricing, np.full(len(pricing.counts), float(k)), Stop(rounds=3)).prices
    assert raised.total >= capped.total - 1e-9
    pricing = around(microdata, k, mixed)
    by_neighbours, _ = pricing.cap(pricing.highest(np.inf))
    for prices in (capped, raised, by_neighbours):
        each = prices.each[boxes.rows.of_row] * (1 - SAFETY)
        for size in range(k, len(microdata) + 1):
            for rows in map(list, combinations(range(len(microdata)), size)):
                assert not allowed(rows) or each[rows].sum() <= loss_of(microdata, rows) + 1e-9
    assert (
        gcp_bound(microdata, k, mixed=mixed) * len(microdata)
        <= cheapest_of_all_partitions(microdata, k, allowed) + 1e-9
    )


def test_values_that_must_be_mixed_make_equal_rows_pay() -> None:
    # Two equal rows could be a class, if they were not both ill; each of them has to travel to a healthy one.
    people = pa.table({"age": [0, 0, 1, 1], "ill": ["yes", "yes", "no", "no"]})
    microdata = encode(people, {"age": None}, ["ill"])
    mixed = Mixed.by(Requirements((LDiversity(2),), microdata))
    assert gcp_bound(microdata, 2) == 0
    assert gcp_bound(microdata, 2, mixed=mixed) == pytest.approx(1)
    release = sf.anonymize(people, quasi_identifiers="age", sensitive="ill", k=2, l=2)
    assert release.bound == pytest.approx(release.loss.gcp)


@settings(max_examples=40, deadline=None)
@given(microdata_strategy(rows=(2, 8), most_columns=2), st.integers(2, 3))
def test_no_partition_that_leaves_rows_out_loses_less(microdata: Microdata, k: int) -> None:
    bound = gcp_bound(microdata, k, suppression=True) * len(microdata)
    rows = range(len(microdata))
    for kept in (list(some) for size in rows for some in combinations(rows, size) if size == 0 or size >= k):
        lost = cheapest_of_all_partitions(microdata.take(np.array(kept)), k) if kept else 0.0
        assert bound <= lost + len(microdata) - len(kept) + 1e-9


def test_a_crowd_pays_nothing_and_an_outlier_pays_for_it() -> None:
    # Four rows at 0 can be a class that loses nothing, so that nobody of them need pay. The outlier costs its class as
    # many times its span as the class has rows, and that is what it pays.
    microdata = encoded_column(pa.array([0, 0, 0, 0, 1]))
    boxes, prices = capped_prices(microdata, 2)
    assert prices.each[boxes.rows.of_row] == pytest.approx([0, 0, 0, 0, 2])
    assert gcp_bound(microdata, 2, suppression=False) == pytest.approx(2 / 5)
    assert gcp_bound(microdata, 2, suppression=True) == pytest.approx(1 / 5)


def test_prices_stand_in_the_order_of_the_input() -> None:
    people = pa.table({"age": [0, 50, 0, 0, 100, 0]})
    release = sf.anonymize(people, quasi_identifiers="age", k=2, seed=3)
    assert release.bound.prices is not None
    assert release.bound.prices.tolist() == pytest.approx([0, 0.5, 0, 0, 0.5, 0])


@settings(max_examples=100)
@given(small, st.integers(2, 4), st.integers(1, 8), st.booleans())
def test_a_search_raises_them_and_they_still_hold(microdata: Microdata, k: int, rounds: int, listed: bool) -> None:
    pricing = Pricing(ListedBoxes(microdata), k) if listed else around(microdata, k)
    begin, _ = pricing.cap(pricing.highest(np.inf))
    found = search_prices(pricing, np.full(len(pricing.counts), float(k)), Stop(rounds=rounds))
    assert len(found.multipliers) == len(found.pool)
    assert found.prices.total >= begin.total - 1e-9
    assert_they_hold(found.prices.each[pricing.boxes.rows.of_row] * (1 - 1e-8), microdata, k)
