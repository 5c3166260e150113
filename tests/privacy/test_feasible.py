"""Can the whole table keep a model at all? If not, what the message names works, and nothing beyond it does."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.privacy import definitions
from tests.privacy.helpers import histogram, readable_verdicts, table_of
from tests.privacy.test_models import models

from sfumato.errors import InfeasibleError
from sfumato.methods.suppression import make_feasible
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, Requirements, TCloseness
from sfumato.table.encoding import encode


def reason(model, microdata):
    """Return why a table cannot keep a model; None if it can."""
    broken = Requirements((model,), microdata).broken_by_table()
    return " ".join(rule.model.nearest(rule, microdata) for rule in broken) or None


def named(pattern, message):
    return float(re.search(pattern, message)[1].replace(",", ""))


@settings(max_examples=examples(200))
@given(models(), histogram)
def test_a_table_is_refused_if_and_only_if_it_breaks_the_model(model, counts):
    microdata, whole = table_of([counts])
    assert (reason(model, microdata) is None) == readable_verdicts(model, microdata, whole)[0]


@settings(max_examples=examples(30))
@given(histogram, st.integers(1, 5))
def test_the_largest_k(counts, beyond):
    microdata, _ = table_of([counts])
    message = reason(KAnonymity(len(microdata) + beyond), microdata)
    assert named(r"largest k that works is ([\d,]+)\.", message) == sum(counts) == len(microdata)


#: How finely each kind can be told.
STEPS = {"frequency": 0.01, "entropy": 0.01, "distinct": 1}


@pytest.mark.parametrize("kind", STEPS)
@settings(max_examples=examples(60))
@given(counts=histogram, l=st.sampled_from([7, 8, 100]))
def test_the_largest_l_works_and_the_next_does_not(kind, counts, l):  # noqa: E741
    microdata, _ = table_of([counts])
    message = reason(LDiversity(l, kind=kind), microdata)
    pattern = r"reaches only l=([\d.]+)," if kind == "entropy" else r"largest l that works is ([\d.]+)\."
    best = named(pattern, message)
    make = int if kind == "distinct" else float
    assert best < l
    assert reason(LDiversity(make(best), kind=kind), microdata) is None
    assert reason(LDiversity(make(best + STEPS[kind]), kind=kind), microdata)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["flu"] * 20 + ["acne"] * 5, "most frequent value, 'flu', makes up 80.0% of the rows"),
        (["flu"] * 19 + ["acne"] * 5, "most frequent value makes up"),  # few enough to be somebody
        ([None] * 20 + ["acne"] * 5, "most frequent value, a missing one, makes up"),
        ([7] * 20 + [8] * 5, "most frequent value, '7', makes up"),
    ],
)
def test_a_value_that_is_too_frequent_is_named_and_t_closeness_with_it(values, expected):
    microdata = encode(pa.table({"q": [1] * len(values), "s": values}), {"q": None}, ["s"])
    message = reason(LDiversity(3), microdata)
    assert expected in message
    assert "t-closeness" in message
    assert reason(TCloseness(0.2), microdata) is None


def test_a_large_l_is_not_rounded_up():
    microdata = encode(pa.table({"q": [1] * 12_345, "s": [*range(12_344), 0]}), {"q": None}, ["s"])
    for kind, pattern in (("frequency", r"largest l that works is ([\d.]+)\."), ("entropy", r"only l=([\d.]+),")):
        best = named(pattern, reason(LDiversity(12_345, kind=kind), microdata))
        assert reason(LDiversity(best, kind=kind), microdata) is None
        assert reason(LDiversity(best + 0.01, kind=kind), microdata)


@given(histogram, st.integers(1, 6), st.sampled_from([0.25, 0.5, 1, 2, 3]))
def test_the_nearest_recursive_condition(counts, l, c):  # noqa: E741
    microdata, _ = table_of([counts])
    message = reason(LDiversity(l, kind="recursive", c=c), microdata)
    if message is None:
        assert definitions.recursive(counts, l, Fraction(c))
        return
    if "the largest l" in message:
        best = int(named(r"the largest l that works is (\d+)\.", message))
        assert reason(LDiversity(best, kind="recursive", c=c), microdata) is None
        assert reason(LDiversity(best + 1, kind="recursive", c=c), microdata)
    else:
        assert reason(LDiversity(1, kind="recursive", c=c), microdata)
    if "any c above" in message:
        least = named(r"any c above ([\d.]+) works", message)
        assert reason(LDiversity(l, kind="recursive", c=least * (1 + 1e-6)), microdata) is None
        assert least - 1e-4 <= 0 or reason(LDiversity(l, kind="recursive", c=least - 1e-4), microdata)
    else:
        assert "distinct values" in message


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=6), st.integers(1, 120))
def test_the_largest_width(cells, width):
    microdata = encode(pa.table({"q": cells}), {"q": None})
    message = reason(MinimumSpan("q", width), microdata)
    assert (message is None) == (max(cells) - min(cells) >= width)
    if message is None:
        return
    if max(cells) == min(cells):
        assert "No width works" in message
        return
    best = named(r"largest width that works is ([\d.]+)\.", message)
    assert best == max(cells) - min(cells)
    assert reason(MinimumSpan("q", best), microdata) is None


@given(histogram, st.sampled_from(["equal", "ordered"]))
def test_a_table_is_always_close_to_itself(counts, distance):
    microdata, _ = table_of([counts])
    assert reason(TCloseness(0, distance=distance), microdata) is None


def test_all_that_fails_is_named():
    microdata, _ = table_of([[3, 1, 0, 0, 0, 0]])
    asked = (KAnonymity(9), LDiversity(3), LDiversity(2, kind="distinct"))
    with pytest.raises(InfeasibleError) as caught:
        make_feasible(Requirements(asked, microdata), 0, np.random.default_rng(0))
    message = str(caught.value)
    assert "k=9 is not possible" in message
    assert "l=3 (frequency) is not possible for 's'" in message
    assert "distinct" not in message
