"""A suppression budget is spent inside the optimization."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column, microdata_strategy, task_of
from tests.methods.linear.twins import cheapest_consecutive, total_loss

import sfumato as sf
from sfumato.methods import CostAware, Hilbert
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.runs import LineCut, cut_by_size
from sfumato.methods.linear.suppression import cheapest_trimmed, cut_at_fitting_price
from sfumato.methods.suppression import trim
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


@given(
    microdata_strategy(rows=(2, 40)),
    st.integers(2, 5),
    st.integers(0, 10),
    st.sampled_from([Hilbert(), CostAware(), Hilbert(keep_equal=True)]),
)
def test_the_budget_is_kept_and_never_makes_it_worse(microdata: Microdata, k: int, budget: int, method) -> None:
    k = min(k, len(microdata))
    classes = method.run(task_of(microdata, k, budget)).classes
    assert np.count_nonzero(classes < 0) <= budget
    assert np.bincount(classes[classes >= 0], minlength=1).min() >= k or (classes < 0).all()
    without = method.run(task_of(microdata, k, 0)).classes
    assert total_loss(microdata, classes) <= total_loss(microdata, without) + 1e-9


@given(st.lists(st.integers(0, 30), min_size=3, max_size=8), st.integers(2, 3), st.integers(1, 3))
def test_no_other_rows_would_have_saved_more(cells: list[int], k: int, budget: int) -> None:
    """With one attribute: cheaper than every other choice of as many rows, and every cut of the rest into runs."""
    microdata = encoded_column(pa.array(cells))
    line = Line.of(task_of(microdata, k, budget), Hilbert().make_mapping())
    classes = cut_at_fitting_price(line, k, budget, keep_equal=False)
    left_out = int(np.count_nonzero(classes < 0))
    assert left_out <= budget
    best = min(
        cheapest_consecutive(microdata, [[row] for row in line.order if row not in chosen], k) + left_out
        for chosen in combinations(range(len(cells)), left_out)
    )
    assert total_loss(microdata, classes) == pytest.approx(best)


def test_the_lowest_price_that_fits_the_budget_is_found() -> None:
    """A higher price leaves out fewer rows and loses more: no price within the budget may do better."""
    # Crowds of forty, and between them single rows at different distances, each worth more or less than it widens.
    lonely = 10 * np.arange(10) + np.linspace(2.0, 5.0, 10)
    microdata = encoded_column(pa.array(np.concatenate([np.repeat(np.arange(0.0, 101.0, 10.0), 40), lonely])))
    line = Line.of(task_of(microdata, 40, 10), Hilbert().make_mapping())
    ends = np.arange(len(line) + 1)
    cuts = [cut_by_size(line, ends, 40, price=1 + extra).classes for extra in np.arange(0.0, 4, 0.0625)]
    for budget in range(1, 9):
        classes = cut_at_fitting_price(line, 40, budget, keep_equal=False)
        fitting = [cut for cut in cuts if np.count_nonzero(cut < 0) <= budget]
        assert total_loss(microdata, classes) <= min(total_loss(microdata, cut) for cut in fitting) + 1e-9
        assert np.count_nonzero(classes < 0) == min(budget, np.count_nonzero(cuts[0] < 0))


def test_an_outlier_is_left_out() -> None:
    microdata = encoded_column(pa.array([1, 1, 1, 2, 2, 2, 90]))
    classes = Hilbert().run(task_of(microdata, 3, 1)).classes
    assert np.flatnonzero(classes < 0).tolist() == [6]


def test_the_cut_that_loses_least_without_its_outliers_is_taken() -> None:
    """A cut that is the cheaper one as it stands may be the dearer one once both are trimmed."""
    microdata = encoded_column(pa.array([0, 0, 0, 6, 6, 6, 20]))
    task = task_of(microdata, 2, 1)
    stuck, loose = (np.array(classes, np.int32) for classes in ([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1, 1]))
    cuts = [LineCut(classes, total_loss(microdata, classes)) for classes in (stuck, loose)]
    assert cuts[0].loss < cuts[1].loss
    assert cheapest_trimmed(task, cuts).tolist() == [0, 0, 0, 1, 1, 1, -1]
    assert cheapest_trimmed(task_of(microdata, 2, 0), cuts) is stuck


def test_it_saves_more_than_trimming_afterwards() -> None:
    people = sf.datasets.census(rows=5000, seed=5).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, [])
    task = task_of(microdata, 20, 250)
    inside = total_loss(microdata, Hilbert().run(task).classes)
    after = total_loss(microdata, trim(task, Hilbert().run(task_of(microdata, 20, 0)).classes))
    assert inside < after
