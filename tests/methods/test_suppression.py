"""Spending a budget: never more than allowed, never in vain, and no more than needed."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy

from sfumato.errors import InfeasibleError
from sfumato.loss import LossReport, RecodedTable
from sfumato.methods import Task
from sfumato.methods.suppression import make_feasible, trim
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

models = st.sampled_from(
    [
        LDiversity(2),
        LDiversity(3),
        LDiversity(2.5, kind="entropy"),
        LDiversity(2, kind="distinct"),
        LDiversity(2, kind="recursive", c=1.5),
        TCloseness(0.1),
        KAnonymity(4),
    ]
)
counts_of_values = st.lists(st.integers(0, 6), min_size=2, max_size=4).filter(any)


def table_of(counts):
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    return encode(pa.table({"q": range(len(values)), "s": values}), {"q": None}, ["s"])


def random():
    return np.random.default_rng(3)


# --- making a request feasible


@settings(max_examples=examples(150))
@given(counts_of_values, st.lists(models, min_size=1, max_size=2), st.integers(0, 12))
def test_the_rest_is_feasible_within_the_budget(counts, asked, budget):
    microdata = table_of(counts)
    requirements = Requirements(tuple(asked), microdata)
    try:
        left_out = make_feasible(requirements, budget, random())
    except InfeasibleError:
        assert requirements.broken_by_table()
    else:
        assert left_out.sum() <= budget
        assert not Requirements(tuple(asked), microdata.take(~left_out)).broken_by_table()
        assert left_out.any() == bool(requirements.broken_by_table())


def fewest(counts, level):
    """Try every way to leave rows out."""
    feasible = [
        sum(counts) - sum(kept)
        for kept in itertools.product(*(range(count + 1) for count in counts))
        if any(kept) and max(kept) * level <= sum(kept)
    ]
    return min(feasible, default=None)


@settings(max_examples=examples(150))
@given(counts_of_values, st.sampled_from([1, 1.5, 2, 2.5, 3, 4]))
def test_no_more_rows_than_needed_for_a_frequency(counts, level):
    requirements, needed = Requirements((LDiversity(level),), table_of(counts)), fewest(counts, level)
    if needed is None:
        with pytest.raises(InfeasibleError, match=r"largest l that works is"):
            make_feasible(requirements, sum(counts), random())
        return
    assert make_feasible(requirements, needed, random()).sum() == needed
    if needed:
        with pytest.raises(InfeasibleError) as caught:
            make_feasible(requirements, needed - 1, random())
        share = float(re.search(r"suppression=([\d.]+)", str(caught.value))[1])
        assert f"leave out {needed} rows" in str(caught.value)
        assert int(share * sum(counts) + 1e-9) >= needed


def test_only_over_frequent_values_leave():
    counts = [9, 2, 1]
    microdata = table_of(counts)
    left_out = make_feasible(Requirements((LDiversity(2),), microdata), 6, random())
    assert np.bincount(microdata.sensitive[0].codes[left_out], minlength=3).tolist() == [6, 0, 0]


def test_which_rows_leave_is_random_but_repeatable():
    requirements = Requirements((LDiversity(2),), table_of([30, 10]))
    first, again = (make_feasible(requirements, 20, np.random.default_rng(1)) for _ in range(2))
    other = make_feasible(requirements, 20, np.random.default_rng(2))
    assert (first == again).all()
    assert (first != other).any()


def test_thinning_that_leaves_too_few_rows_is_refused_with_both_reasons():
    requirements = Requirements((KAnonymity(10), LDiversity(2)), table_of([10, 2]))
    with pytest.raises(InfeasibleError) as caught:
        make_feasible(requirements, 12, random())
    message = str(caught.value)
    assert "l=2 (frequency) is not possible" in message
    assert "The largest k that works is 4." in message


# --- trimming


def chunked(microdata, size):
    """Return valid but careless classes: neighbours in the order of the codes."""
    order = np.lexsort(microdata.codes.T[::-1])
    classes = np.empty(len(microdata), np.int32)
    classes[order] = np.minimum(np.arange(len(microdata)) // size, max(0, len(microdata) // size - 1))
    return classes


def gcp(microdata, classes):
    return LossReport.of(RecodedTable(microdata, EquivalenceClasses.of(microdata, Recoding(classes=classes)))).gcp


@settings(max_examples=examples(80))
@given(
    microdata_strategy(rows=(5, 24), sensitive=2),
    st.lists(models, max_size=2),
    st.integers(2, 4),
    st.integers(0, 8),
)
def test_trimming_keeps_models_and_budget_and_never_loses(microdata, asked, k, budget):
    requirements = Requirements((KAnonymity(k), *asked), microdata)
    classes = chunked(microdata, k + 1)
    if requirements.broken_by(Recoding(classes=classes)):
        requirements = Requirements((KAnonymity(k),), microdata)
    before = classes.copy()
    trimmed = trim(Task(microdata, requirements, budget), classes)
    assert (classes == before).all()
    left_out = trimmed == SUPPRESSED
    assert left_out.sum() <= budget
    assert (trimmed[~left_out] == classes[~left_out]).all()
    released = Requirements(requirements.models, microdata.take(~left_out))
    assert not released.broken_by(Recoding(classes=trimmed[~left_out]))
    assert gcp(microdata, trimmed) <= gcp(microdata, classes) + 1e-9


def test_an_outlier_is_trimmed():
    """Leaving 1000 out costs 1 and saves six rows nearly all of theirs."""
    microdata = encode(pa.table({"q": [1, 2, 3, 4, 5, 6, 1000, 500, 501, 502]}), {"q": None})
    requirements = Requirements((KAnonymity(3),), microdata)
    classes = np.array([0] * 7 + [1] * 3, np.int32)
    assert trim(Task(microdata, requirements, 1), classes).tolist() == [0] * 6 + [SUPPRESSED] + [1] * 3
    assert trim(Task(microdata, requirements, 0), classes).tolist() == classes.tolist()


def test_an_outlier_that_its_class_needs_stays():
    microdata = encode(pa.table({"q": [1, 2, 1000]}), {"q": None})
    classes = np.zeros(3, np.int32)
    assert trim(Task(microdata, Requirements((KAnonymity(3),), microdata), 1), classes).tolist() == [0, 0, 0]
    wide = Requirements((MinimumSpan("q", 999),), microdata)
    assert trim(Task(microdata, wide, 1), classes).tolist() == [0, 0, 0]
    free = Requirements((KAnonymity(2),), microdata)
    assert trim(Task(microdata, free, 1), classes).tolist() == [0, 0, SUPPRESSED]


def test_classes_may_have_gaps_and_suppressed_rows():
    microdata = encode(pa.table({"q": [1, 2, 3, 1000, 7, 7, 9]}), {"q": None})
    requirements = Requirements((KAnonymity(2),), microdata)
    classes = np.array([2, 2, 2, 2, 5, 5, SUPPRESSED], np.int32)
    assert trim(Task(microdata, requirements, 3), classes).tolist() == [2, 2, 2, SUPPRESSED, 5, 5, SUPPRESSED]
