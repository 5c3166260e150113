"""Best cuts: the first cut against all cuts there are, and what the result promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples
from tests.helpers import table_strategy

from sfumato.methods import BestCuts, Task
from sfumato.privacy import KAnonymity, LDiversity, Requirements, TCloseness
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding


def cost(microdata: Microdata, rows: NDArray[np.intp]) -> float:
    """Return what rows cost as one class."""
    codes = microdata.codes[rows].astype(np.int64)
    lo, hi = codes.min(axis=0), codes.max(axis=0)
    return len(rows) * sum(
        microdata.weights[at] * float(domain.span_costs(lo[at : at + 1], hi[at : at + 1])[0])
        for at, domain in enumerate(microdata.domains)
    )


def cheapest_cut(microdata: Microdata, rows: NDArray[np.intp], k: int) -> float:
    """Return the least cost of two sides over all attributes and positions; infinite if no cut is allowed."""
    least = np.inf
    for codes in microdata.codes[rows].T:
        for value in np.unique(codes)[1:]:
            below, above = rows[codes < value], rows[codes >= value]
            if min(len(below), len(above)) >= k:
                least = min(least, cost(microdata, below) + cost(microdata, above))
    return least


@settings(max_examples=examples(80), deadline=None)
@given(table_strategy(rows=(8, 11)))
def test_a_table_that_can_be_cut_once_is_cut_where_that_is_cheapest(table) -> None:
    microdata = table.encoded()
    everything = np.arange(len(microdata))
    recoding = BestCuts().run(Task(microdata, Requirements((KAnonymity(4),), microdata)))
    assert recoding.classes is not None
    made = sum(cost(microdata, np.flatnonzero(recoding.classes == group)) for group in np.unique(recoding.classes))
    whole = cost(microdata, everything)
    assert made == pytest.approx(min(whole, cheapest_cut(microdata, everything, 4)) if whole > 0 else 0.0)


@settings(max_examples=examples(40), deadline=None)
@given(table_strategy(rows=(8, 60)), st.integers(2, 5))
def test_no_cut_is_left_and_equal_rows_stay_together(table, k: int) -> None:
    microdata = table.encoded()
    recoding = BestCuts().run(Task(microdata, Requirements((KAnonymity(k),), microdata)))
    assert recoding.classes is not None
    for group in np.unique(recoding.classes):
        rows = np.flatnonzero(recoding.classes == group)
        assert len(rows) >= min(k, len(microdata))
        assert cost(microdata, rows) == 0 or cheapest_cut(microdata, rows, k) == np.inf
    _, first = np.unique(microdata.codes, axis=0, return_inverse=True)
    pairs = set(zip(first.ravel().tolist(), recoding.classes.tolist(), strict=True))
    assert len(pairs) == first.max() + 1


@settings(max_examples=examples(40), deadline=None)
@given(
    table_strategy(rows=(6, 60)),
    st.sampled_from([(LDiversity(2),), (TCloseness(0.3),), (KAnonymity(2), LDiversity(2))]),
)
def test_both_sides_keep_every_model(table, models) -> None:
    microdata = table.encoded()
    requirements = Requirements(models, microdata)
    assume(not requirements.broken_by_table())
    recoding = BestCuts().run(Task(microdata, requirements))
    assert not requirements.broken_by(recoding)
    assert recoding.classes is not None
    assert isinstance(recoding, Recoding)


def test_a_wide_domain_is_cut_between_bins() -> None:
    import pyarrow as pa  # noqa: PLC0415

    from sfumato.table.encoding import encode  # noqa: PLC0415

    random = np.random.default_rng(3)
    values = np.concatenate([random.uniform(0, 1, 1500), random.uniform(90, 91, 1500)])
    microdata = encode(pa.table({"x": values}), {"x": None})
    recoding = BestCuts().run(Task(microdata, Requirements((KAnonymity(1000),), microdata)))
    assert recoding.classes is not None
    assert len(np.unique(recoding.classes[:1500])) == len(np.unique(recoding.classes[1500:])) == 1
    assert recoding.classes[0] != recoding.classes[-1]
