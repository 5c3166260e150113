"""The losses by hand, and against slow loops over random tables."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy, table_strategy
from tests.loss.slow import SlowLoss

from sfumato.hierarchies import Categorical, Numeric, Taxonomy
from sfumato.loss import METRICS, LossReport, RecodedTable, ncp, ncp_by_attribute
from sfumato.table.encoding import encode
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding


def measured(microdata, recoding, left_out=0, k=1):
    return LossReport.of(RecodedTable(microdata, EquivalenceClasses.of(microdata, recoding), left_out, k))


# --- by hand: six people, two classes of two and of three, one person left out

TREE = Taxonomy.from_dict({"Europe": ["France", "Italy", "Spain"], "Asia": ["Japan"]})
PEOPLE = {
    "age": [20, 30, 40, 50, 60, 70],
    "country": ["France", "Italy", "Spain", "Japan", "Japan", "Japan"],
    "disease": ["flu", "flu", "flu", "gout", "flu", "gout"],
}
HAND = encode(pa.table(PEOPLE), {"age": Numeric(), "country": TREE}, ["disease"])
LEVELLED = encode(pa.table(PEOPLE), {"age": Numeric(widths=(20, 40)), "country": TREE}, ["disease"])
BY_HAND = Recoding(classes=np.array([0, 0, 1, 1, 1, SUPPRESSED], np.int32))


def test_ncp_by_hand():
    """Ages span 50 years and four countries occur, three of them in Europe.

    The first class is [20, 30] and Europe: 10/50 and 3/4. The second is [40, 60] and *: 20/50 and 4/4.
    """
    classes = EquivalenceClasses.of(HAND, BY_HAND)
    assert ncp_by_attribute(HAND, classes).tolist() == [pytest.approx([0.2, 0.75]), pytest.approx([0.4, 1])]
    assert ncp(HAND, classes).tolist() == pytest.approx([0.475, 0.7])


def test_ncp_of_declared_levels_by_hand():
    """What is shown counts: [20, 39] reaches over 19 of 50 years, [40, 79] over 39."""
    for recoding in (BY_HAND, Recoding(classes=np.array([0, 0, 1, 1, 1, 1], np.int32))):
        classes = EquivalenceClasses.of(LEVELLED, recoding)
        assert ncp_by_attribute(LEVELLED, classes)[:, 0].tolist() == pytest.approx([19 / 50, 39 / 50])
    full_domain = EquivalenceClasses.of(LEVELLED, Recoding(levels=(1, 2)))
    assert ncp_by_attribute(LEVELLED, full_domain)[:, 0].tolist() == pytest.approx([19 / 50] * 3)
    nothing = EquivalenceClasses.of(LEVELLED, Recoding(levels=(3, 2)))
    assert ncp_by_attribute(LEVELLED, nothing).tolist() == [[1, 1]]


def test_gcp_by_hand():
    """Two rows of 0.475, three of 0.7 and one suppressed, over six."""
    assert measured(HAND, BY_HAND).gcp == pytest.approx((2 * 0.475 + 3 * 0.7 + 1) / 6)


def test_gcp_with_weights_by_hand():
    """Age counts three times as much: 0.75 · 0.2 + 0.25 · 0.75 = 0.3375 and 0.75 · 0.4 + 0.25 · 1 = 0.55."""
    weighted = encode(pa.table(PEOPLE), {"age": None, "country": TREE}, ["disease"], weights={"age": 3})
    assert measured(weighted, BY_HAND).gcp == pytest.approx((2 * 0.3375 + 3 * 0.55 + 1) / 6)


def test_dm_by_hand():
    """2² + 3², and a suppressed row costs all six."""
    assert measured(HAND, BY_HAND).dm == 4 + 9 + 6


def test_c_avg_by_hand():
    """Five released rows in two classes are 2.5 each: 1.25 times k = 2."""
    assert measured(HAND, BY_HAND, k=2).c_avg == pytest.approx(1.25)


def test_cm_by_hand():
    """Nobody is in the minority of the first class, one of (flu, gout, flu) is, and one row is suppressed."""
    assert measured(HAND, BY_HAND).cm == pytest.approx(2 / 6)


def test_entropy_by_hand():
    """Bits lost, of those that there are.

    Age: six values once each, log2(6) bits per row. [20, 30] leaves 1 bit open, [40, 60] leaves log2(3), the
    suppressed row loses all of log2(6).
    Country: France, Italy, Spain occur once of six rows (log2(6) bits), Japan three times (1 bit). Europe stands for
    three rows: log2(3) bits each in the first class. * stands for six: log2(6) for Spain and 1 for each Japan; the
    suppressed Japan loses its 1 bit.
    """
    six, three = math.log2(6), math.log2(3)
    lost = (2 * 1 + 3 * three + six) + (2 * three + six + 1 + 1 + 1)
    total = 6 * six + (3 * six + 3)
    assert measured(HAND, BY_HAND).entropy == pytest.approx(lost / total)


def test_precision_and_height_by_hand():
    """Both hierarchies have their top: age at 3 (20, 40 years, *), country at 2.

    [20, 30] is one interval of 20 years: level 1. [40, 60] is one of 40: level 2. Europe is level 1, * level 2.
    """
    loss = measured(LEVELLED, BY_HAND)
    assert loss.precision == pytest.approx(1 - (2 * (1 / 3 + 1 / 2) / 2 + 3 * (2 / 3 + 1) / 2 + 1) / 6)
    assert loss.height == pytest.approx((2 * (1 + 1) + 3 * (2 + 2) + 5) / 6)


def test_rows_left_out_for_missing_values_count_as_suppressed():
    plain, more = measured(HAND, BY_HAND), measured(HAND, BY_HAND, left_out=2)
    assert more.gcp == pytest.approx((plain.gcp * 6 + 2) / 8)
    assert more.dm == 4 + 9 + 3 * 8
    assert more.cm == pytest.approx((2 + 2) / 8)
    assert more.entropy == pytest.approx((plain.entropy * 6 + 2) / 8)
    assert 1 - more.precision == pytest.approx(((1 - plain.precision) * 6 + 2) / 8)
    assert more.height == pytest.approx((plain.height * 6 + 2 * 3) / 8)
    assert more.c_avg == plain.c_avg


# --- against loops


@settings(max_examples=examples(60))
@given(table_strategy(rows=(1, 14)), st.integers(0, 3), st.integers(1, 4), st.data())
def test_classes_against_loops(table, left_out, k, data):
    of_row = data.draw(st.lists(st.sampled_from([None, 0, 1, 5]), min_size=len(table), max_size=len(table)))
    codes = np.array([SUPPRESSED if name is None else name for name in of_row], np.int32)
    slow = SlowLoss(table, of_row, None, left_out)
    assert_equal(measured(table.encoded(), Recoding(classes=codes), left_out, k), slow, k)


@settings(max_examples=examples(60))
@given(table_strategy(rows=(1, 14)), st.integers(0, 3), st.data())
def test_levels_against_loops(table, left_out, data):
    microdata = table.encoded()
    levels = tuple(data.draw(st.integers(0, domain.top)) for domain in microdata.domains)
    gone = data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)))
    slow = SlowLoss(table, [None] * len(table), levels, left_out)
    rows = zip(*table.cells.values(), strict=True)
    names = [
        tuple(tree.paths[cell][level:] for tree, cell, level in zip(slow.columns.values(), row, levels, strict=True))
        for row in rows
    ]
    slow = SlowLoss(table, [None if out else name for out, name in zip(gone, names, strict=True)], levels, left_out)
    assert_equal(measured(microdata, Recoding(levels=levels, suppressed=np.array(gone)), left_out), slow, 1)


def assert_equal(report, slow, k):
    for name in set(METRICS) - {"c_avg"}:
        assert report[name] == pytest.approx(getattr(slow, name)(), abs=1e-9), name
    assert report.c_avg == pytest.approx(slow.c_avg(k))
    for name, metric in METRICS.items():
        assert report[name] >= -1e-12
        assert metric.upper is None or report[name] <= metric.upper + 1e-12
    assert report.entropy >= 0


# --- the two ends


@settings(max_examples=examples(40))
@given(microdata_strategy())
def test_nothing_is_lost_when_nothing_changes(microdata):
    levels = (0,) * len(microdata.domains)
    alone = Recoding(classes=np.arange(len(microdata), dtype=np.int32))
    for recoding in (Recoding(levels=levels), alone):
        loss = measured(microdata, recoding)
        assert loss.gcp == loss.height == 0
        assert loss.precision == 1
        assert loss.entropy == pytest.approx(0, abs=1e-12)


@settings(max_examples=examples(40))
@given(microdata_strategy(rows=(2, 20)))
def test_everything_is_lost_when_everything_is_hidden(microdata):
    """Columns with a single value lose nothing even as *: there was nothing to tell."""
    varied = np.array([domain.size > 1 for domain in microdata.domains])
    top = tuple(domain.top for domain in microdata.domains)
    loss = measured(microdata, Recoding(levels=top))
    assert loss.gcp == pytest.approx(microdata.weights[varied].sum())
    assert loss.precision == pytest.approx(0)
    assert loss.height == sum(top)
    assert loss.dm == len(microdata) ** 2
    assert loss.entropy == pytest.approx(float(varied.any()))


@settings(max_examples=examples(40))
@given(microdata_strategy())
def test_suppressing_everybody_loses_everything(microdata):
    loss = measured(microdata, Recoding(classes=np.full(len(microdata), SUPPRESSED, np.int32)))
    assert (loss.gcp, loss.cm, loss.entropy, loss.precision, loss.c_avg) == pytest.approx((1, 1, 1, 0, 0))
    assert loss.dm == len(microdata) ** 2
    assert set(loss.by_attribute.values()) == {0}


def test_entropy_stays_below_one_when_only_the_rare_are_released():
    microdata = encode(pa.table({"a": ["x"] * 9 + ["y"]}), {"a": Categorical()})
    classes = np.array([SUPPRESSED] * 8 + [0, 0], np.int32)
    assert measured(microdata, Recoding(classes=classes)).entropy == pytest.approx(1)


def test_a_full_domain_release_has_the_height_of_its_levels():
    """Also where a group holds a single value, so that nothing else is shown for it."""
    loss = measured(HAND, Recoding(levels=(0, 1)))
    assert loss.height == 1
    assert loss.precision == pytest.approx(1 - 0.25)
    assert loss.by_attribute["country"] == pytest.approx(3 * 0.75 / 6)


# --- the report


def test_a_report_reads_like_a_mapping_and_like_an_object():
    report = measured(HAND, BY_HAND)
    assert list(report) == list(METRICS)
    assert len(report) == len(METRICS)
    assert report["dm"] == report.dm == 19
    assert report.by_attribute == pytest.approx({"age": (2 * 0.2 + 3 * 0.4) / 5, "country": (2 * 0.75 + 3) / 5})
    assert "dm=19" in repr(report)
    with pytest.raises(AttributeError, match=r"no loss called 'magic'\. Known: gcp"):
        _ = report.magic


def test_every_loss_says_what_it_is():
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.title
        assert metric.higher_is_better == (name == "precision")
