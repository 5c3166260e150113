"""Every model three times: as read, as compiled, and as defined in fractions; also exactly at its limit."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.privacy import definitions
from tests.privacy.helpers import (
    VALUES,
    compiled_verdicts,
    histogram,
    histograms,
    occurring,
    readable_verdicts,
    table_of,
)

from sfumato.errors import DataError
from sfumato.hierarchies import Taxonomy
from sfumato.privacy import BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.recoding import Recoding
from sfumato.verify.release import verify_release

TREE = Taxonomy.from_dict({"low": {"lowest": ["a", "b"], "lower": ["c"]}, "high": ["d", "e", "f"]})
PATHS = {row[0]: row for row in TREE.rows}

levels = st.sampled_from([1, 1.5, 2, 2.5, 3, 4, 6])
whole_levels = st.integers(1, 6)
factors = st.sampled_from([0.5, 1, 1.5, 2, 3])
closeness = st.sampled_from([0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1])


def expected_by(model, classes):
    """Return what the definitions say about every class."""
    seen = occurring(classes)
    table = [sum(column) for column in zip(*seen, strict=True)]
    match model:
        case KAnonymity(k=k):
            return [sum(counts) >= k for counts in seen]
        case LDiversity(kind="frequency", l=l):
            return [definitions.frequency(counts, Fraction(l)) for counts in seen]
        case LDiversity(kind="distinct", l=l):
            return [definitions.distinct(counts, l) for counts in seen]
        case LDiversity(kind="entropy", l=l):
            return [definitions.entropy(counts, Fraction(l)) for counts in seen]
        case LDiversity(kind="recursive", l=l, c=c):
            return [definitions.recursive(counts, l, Fraction(c)) for counts in seen]
        case BetaLikeness(beta=beta, kind=kind):
            return [definitions.alike(counts, table, Fraction(str(beta)), kind == "enhanced") for counts in seen]
        case DeltaDisclosure(delta=delta):
            return [definitions.undisclosed(counts, table, delta) for counts in seen]
        case TCloseness(distance="equal", t=t):
            distances = [definitions.equal_distance(counts, table) for counts in seen]
        case TCloseness(distance="ordered", t=t):
            distances = [definitions.ordered_distance(counts, table) for counts in seen]
        case TCloseness(distance="hierarchical", t=t):
            there = [value for value, column in zip(VALUES, zip(*classes, strict=True), strict=True) if any(column)]
            paths = [PATHS[value] for value in there]
            distances = [definitions.tree_distance(counts, table, paths) for counts in seen]
    return [distance <= Fraction(str(t)) for distance in distances]


def models():
    return st.one_of(
        st.integers(1, 12).map(KAnonymity),
        levels.map(LDiversity),
        levels.map(lambda level: LDiversity(level, kind="entropy")),
        whole_levels.map(lambda level: LDiversity(level, kind="distinct")),
        st.builds(lambda level, c: LDiversity(level, kind="recursive", c=c), whole_levels, factors),
        st.sampled_from([0.1, 0.5, 1, 2.5]).map(BetaLikeness),
        st.sampled_from([0.3, 0.5, 1, 2.5]).map(lambda beta: BetaLikeness(beta, kind="enhanced")),
        st.sampled_from([0.2, 0.5, 1, 1.5, 3]).map(DeltaDisclosure),
        closeness.map(TCloseness),
        closeness.map(lambda t: TCloseness(t, distance="ordered")),
        closeness.map(lambda t: TCloseness(t, distance="hierarchical", taxonomy=TREE)),
    )


@settings(max_examples=examples(300))
@given(models(), histograms)
def test_three_ways_to_one_verdict(model, classes):
    microdata, recoding = table_of(classes)
    expected = expected_by(model, classes)
    assert readable_verdicts(model, microdata, recoding) == expected
    assert compiled_verdicts(model, microdata, recoding) == expected


@settings(max_examples=examples(200))
@given(models(), st.lists(histogram, min_size=2, max_size=4))
def test_merging_keeps_what_holds(model, classes):
    """The generalization property, which pruning relies on."""
    assert model.monotone
    microdata, recoding = table_of(classes)
    verdicts = compiled_verdicts(model, microdata, recoding)
    for first, second in itertools.combinations(range(len(classes)), 2):
        if verdicts[first] and verdicts[second]:
            merged = recoding.classes.copy()
            merged[merged == second] = first
            after = compiled_verdicts(model, microdata, type(recoding)(classes=merged))
            assert after[first]


@given(models(), histograms)
def test_no_allowed_class_is_smaller_than_the_model_says(model, classes):
    microdata, recoding = table_of(classes)
    for counts, allowed in zip(classes, readable_verdicts(model, microdata, recoding), strict=True):
        assert not allowed or sum(counts) >= model.smallest_class()


# --- exactly at the limit: (the model, classes, the verdict on the first of them)


AT_THE_LIMIT = [
    (BetaLikeness(1), [[2, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], True),
    (BetaLikeness(0.99), [[2, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], False),
    (BetaLikeness(1, kind="enhanced"), [[2, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], False),
    (DeltaDisclosure(1), [[1, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], False),
    (DeltaDisclosure(1.01), [[1, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], True),
    (DeltaDisclosure(9), [[2, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], False),
    (LDiversity(3), [[2, 2, 2, 0, 0, 0]], True),
    (LDiversity(3), [[3, 2, 2, 0, 0, 0]], False),
    (LDiversity(2.5), [[2, 2, 1, 0, 0, 0]], True),
    (LDiversity(3, kind="distinct"), [[9, 1, 1, 0, 0, 0]], True),
    (LDiversity(3, kind="distinct"), [[9, 1, 0, 0, 0, 0]], False),
    *((LDiversity(some, kind="entropy"), [[7] * some + [0] * (6 - some)], True) for some in range(1, 7)),
    (LDiversity(3, kind="entropy"), [[8, 7, 7, 0, 0, 0]], False),
    (LDiversity(2, kind="recursive", c=3), [[6, 1, 1, 0, 0, 0]], False),
    (LDiversity(2, kind="recursive", c=3), [[5, 1, 1, 0, 0, 0]], True),
    (LDiversity(1, kind="recursive", c=1), [[5, 0, 0, 0, 0, 0]], False),
    (LDiversity(6, kind="recursive", c=2), [[1, 1, 1, 1, 1, 0]], False),
    (TCloseness(0), [[3, 2, 1, 0, 0, 0], [3, 2, 1, 0, 0, 0]], True),
    (TCloseness(0.25), [[3, 1, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0]], True),
    (TCloseness(0.24), [[3, 1, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0]], False),
    (TCloseness(0.5, distance="ordered"), [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]], True),
    (TCloseness(0.3, distance="ordered"), [[1, 0, 0, 0, 1, 0], [0, 1, 0, 1, 0, 0]], True),
]


@pytest.mark.parametrize(("model", "classes", "verdict"), AT_THE_LIMIT, ids=str)
def test_a_class_exactly_at_the_limit(model, classes, verdict):
    microdata, recoding = table_of(classes)
    assert expected_by(model, classes)[0] == verdict
    assert readable_verdicts(model, microdata, recoding)[0] == verdict
    assert compiled_verdicts(model, microdata, recoding)[0] == verdict


# --- the earth mover's distance itself


def assert_distance(model_of, classes, exact):
    """Thresholds just above the distance hold and just below do not."""
    microdata, recoding = table_of(classes)
    for t, verdict in ((min(1, exact + 1e-6), True), (exact - 1e-6, False)):
        if t >= 0:
            assert readable_verdicts(model_of(t), microdata, recoding)[0] == verdict
            assert compiled_verdicts(model_of(t), microdata, recoding)[0] == verdict


@settings(max_examples=examples(60))
@given(st.lists(histogram, min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_hierarchical_closeness_is_an_earth_movers_distance(classes, random):
    pytest.importorskip("scipy")
    shape = [(value, random.choice("XY"), random.choice("PQ")) for value in VALUES]
    tree = Taxonomy([(value, f"{upper}{middle}", upper) for value, middle, upper in shape])
    rows = {row[0]: row for row in tree.rows}
    there = [value for value, column in zip(VALUES, zip(*classes, strict=True), strict=True) if any(column)]
    seen = occurring(classes)
    table = [sum(column) for column in zip(*seen, strict=True)]

    def apart(start, end):
        one, other = rows[there[start]], rows[there[end]]
        return next(level for level in range(4) if one[level:] == other[level:]) / 3

    exact = definitions.earth_movers_distance(seen[0], table, apart)
    assert_distance(lambda t: TCloseness(t, distance="hierarchical", taxonomy=tree), classes, exact)


@settings(max_examples=examples(60))
@given(st.lists(histogram, min_size=2, max_size=3))
def test_ordered_closeness_is_an_earth_movers_distance(classes):
    pytest.importorskip("scipy")
    seen = occurring(classes)
    table = [sum(column) for column in zip(*seen, strict=True)]
    steps = max(1, len(table) - 1)
    exact = definitions.earth_movers_distance(seen[0], table, lambda start, end: abs(start - end) / steps)
    assert_distance(lambda t: TCloseness(t, distance="ordered"), classes, exact)


@settings(max_examples=examples(60))
@given(st.lists(histogram, min_size=2, max_size=3))
def test_equal_closeness_is_an_earth_movers_distance(classes):
    pytest.importorskip("scipy")
    seen = occurring(classes)
    table = [sum(column) for column in zip(*seen, strict=True)]
    exact = definitions.earth_movers_distance(seen[0], table, lambda start, end: float(start != end))
    assert_distance(TCloseness, classes, exact)


# --- distances of numbers


NUMBERS = [0, 10, 30, 31, 70, 100]


def numbered(classes):
    """Return a table whose classes have these counts of six numbers."""
    rows = [
        (group, number)
        for group, counts in enumerate(classes)
        for number, count in zip(NUMBERS, counts, strict=True)
        for _ in range(count)
    ]
    of_row = np.array([group for group, _ in rows], np.int32)
    table = pa.table({"q": pa.array(of_row), "s": [number for _, number in rows]})
    return table, encode(table, {"q": None}, ["s"]), Recoding(classes=of_row)


@settings(max_examples=examples(150))
@given(histograms)
def test_numbers_are_as_far_apart_as_their_difference(classes):
    table, microdata, recoding = numbered(classes)
    seen = [sum(column) for column in zip(*classes, strict=True)]
    exact = [definitions.number_distance(counts, seen, NUMBERS) for counts in classes]
    for t in (0.05, 0.2, 0.4, 1):
        model = TCloseness(t, distance="numeric")
        expected = [distance <= Fraction(str(t)) for distance in exact]
        assert readable_verdicts(model, microdata, recoding) == expected
        assert compiled_verdicts(model, microdata, recoding) == expected
    found = verify_release(table, ["q"], ["s"], [TCloseness(1, distance="numeric").to_policy()])
    assert found.t == pytest.approx(float(max(exact)))


def test_a_missing_number_lies_one_range_beyond_the_largest():
    table = pa.table({"q": [0, 0, 1, 1], "s": [0, 10, 10, None]})
    microdata, recoding = encode(table, {"q": None}, ["s"]), Recoding(classes=np.array([0, 0, 1, 1], np.int32))
    # The first class has shares 1/2, 1/2, 0 against 1/4, 1/2, 1/4 at 0, 10 and 20: 1/4 over 10 and 1/4 over 10.
    for t, holds in ((0.49, False), (0.5, True)):
        model = TCloseness(t, distance="numeric")
        assert readable_verdicts(model, microdata, recoding) == [holds, holds]
        assert compiled_verdicts(model, microdata, recoding) == [holds, holds]
        assert verify_release(table, ["q"], ["s"], [model.to_policy()]).ok == holds


def test_distances_of_numbers_need_numbers():
    microdata, _ = table_of([[1, 1, 0, 0, 0, 0]])
    with pytest.raises(DataError, match="holds no numbers"):
        TCloseness(0.5, distance="numeric").bind(microdata)


@settings(max_examples=examples(150))
@given(models(), histograms)
def test_the_verifier_comes_to_the_same_verdict(model, classes):
    microdata, recoding = table_of(classes)
    values = microdata.sensitive[0]
    table = pa.table({"q": recoding.classes, "s": values.values.take(pa.array(values.codes))})
    record = model.to_policy()
    if "taxonomy" in record:
        record["taxonomy"] = {"rows": TREE.rows}
    assert verify_release(table, ["q"], ["s"], [record]).ok == all(expected_by(model, classes))
