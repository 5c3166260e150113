"""How often somebody is alone at an end of an interval: against a slow count over what the release shows."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy
from tests.release.given import SEED, Given

import sfumato as sf
from sfumato.loss import interval_ends as singling
from sfumato.loss import singling_out
from sfumato.table.recoding import EquivalenceClasses, Recoding

PEOPLE = {"age": [21, 23, 23, 23, 40, 44, 44, 40], "sex": ["f", "f", "f", "m", "m", "m", "m", "m"]}


def singled(classes, people=None, **options):
    """Return what the manifest of a release of people in these classes says."""
    table = pa.table(people or PEOPLE)
    release = sf.anonymize(
        table, quasi_identifiers=dict.fromkeys(table.column_names), k=1, method=Given(classes), seed=SEED, **options
    )
    return release.manifest["singling_out"], release.summary()


def test_by_hand():
    """[21, 23] of women has one at 21; [40, 44] of men has two at each end; 23 is no interval."""
    found, summary = singled((0, 0, 0, 1, 2, 2, 2, 2))
    assert found == {"classes_with_intervals": 2, "classes": 1, "rows": 3, "share": 0.5}
    assert "in 50% of the 2 classes with intervals (37.50% of rows), exactly one person" in summary


def test_others_in_the_box_count_too():
    """Two classes of men and women, 21 to 40: at 21 there is one person, in both boxes."""
    found, _ = singled((0, 0, 0, 0), {"age": [21, 40, 40, 40], "sex": ["f", "m", "m", "f"]})
    assert found["classes"] == 1
    found, _ = singled((0, 0, 1, 1), {"age": [21, 40, 21, 40], "sex": ["f", "m", "f", "m"]})
    assert found == {"classes_with_intervals": 2, "classes": 0, "rows": 0, "share": 0.0}


def test_round_ends_and_declared_levels_may_be_nobodys():
    people = {"age": [21, 23, 82, 83], "sex": ["f"] * 4}
    assert singled((0, 0, 1, 1), people)[0]["classes"] == 2
    assert singled((0, 0, 1, 1), people, ends="grid")[0] == {
        "classes_with_intervals": 2, "classes": 0, "rows": 0, "share": 0.0
    }  # fmt: skip
    declared = sf.Schema({"age": sf.Numeric(widths=(5,)), "sex": None})
    release = sf.anonymize(pa.table(people), declared, k=1, method=Given((0, 0, 1, 1)), seed=SEED)
    assert release.manifest["singling_out"]["classes"] == 0


def test_no_intervals_no_word_of_them():
    found, summary = singled((0, 0, 1, 1), {"age": [21, 21, 40, 40]})
    assert found["classes_with_intervals"] == 0
    assert "at an end" not in summary


def test_a_full_domain_level_has_ends_too():
    table = pa.table({"born": [dt.date(1990, 1, 1), dt.date(1990, 5, 5), dt.date(1991, 2, 2)]})
    release = sf.anonymize(table, quasi_identifiers="born", k=1, method=Given(levels=(3,)))
    assert release.data["born"].to_pylist().count("1990") == 2
    assert release.manifest["singling_out"] == {
        "classes_with_intervals": 2, "classes": 1, "rows": 2, "share": 0.5
    }  # fmt: skip


KINDS = ("number", "binned", "category", "country", "month")


@settings(max_examples=examples(60))
@given(microdata_strategy(rows=(2, 20), kinds=KINDS, most_columns=3), st.data())
def test_against_reading_what_is_shown(microdata, data):
    of_row = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(microdata), max_size=len(microdata))), np.int32
    )
    classes = EquivalenceClasses.of(microdata, Recoding(classes=of_row))
    found = singling_out(microdata, classes, np.random.default_rng(0))
    domains = microdata.domains
    values = [[*domain.values.to_pylist(), None] for domain in domains]
    people = [[values[at][code] for at, code in enumerate(row)] for row in microdata.codes]
    spans = zip(domains, classes.lo.T, classes.hi.T, strict=True)
    labels = [domain.span_labels(lo, hi).to_pylist() for domain, lo, hi in spans]
    intervals = alone = within = 0
    for number in range(len(classes)):
        shown = [column[number] for column in labels]
        fitting = [person for person in people if all(map(fits, domains, person, shown))]
        ends = [(at, end) for at, label in enumerate(shown) for end in ends_of(domains[at].name, label)]
        intervals += bool(ends)
        single = any(sum(person[at] == end for person in fitting) == 1 for at, end in ends)
        alone += single
        within += single * int(classes.sizes[number])
    assert (found.intervals, found.classes, found.rows, found.sampled) == (intervals, alone, within, None)


def ends_of(name, label):
    """Read the ends of an interval or of a stretch of the calendar."""
    if label is None or name not in {"number", "binned", "month"}:
        return []
    if pair := re.fullmatch(r"\[(-?\d+), (-?\d+)\]", label):
        return [int(end) for end in pair.groups()]
    if name == "month" and (months := re.fullmatch(r"(\d{4})(-(\d{2}))?|(\d{3})0s", label)):
        year, _, month, decade = months.groups()
        first = dt.date(int(year or f"{decade}0"), int(month or 1), 1)
        after = (
            dt.date(first.year + (10 if decade else 1), 1, 1)
            if not month
            else (first + dt.timedelta(31)).replace(day=1)
        )
        return [first, after - dt.timedelta(1)]
    return []


def fits(domain, value, label):
    """Whether a value may stand behind a label."""
    if label == "*":
        return True
    if value is None or label is None:
        return value is label
    ends = ends_of(domain.name, label)
    if ends:
        return ends[0] <= value <= ends[1]
    code = domain.values.to_pylist().index(value)
    return any(level.labels[int(level.groups[code])].as_py() == label for level in domain.levels)


def test_large_tables_are_sampled(monkeypatch):
    random = np.random.default_rng(3)
    table = pa.table({"age": random.integers(0, 60, 3000), "pay": random.integers(0, 500, 3000)})
    release = sf.anonymize(table, quasi_identifiers=["age", "pay"], k=5, method="mondrian", seed=1)
    everything = release.manifest["singling_out"]
    monkeypatch.setattr(singling, "MOST_COMPARED", 1_000)
    again = sf.anonymize(table, quasi_identifiers=["age", "pay"], k=5, method="mondrian", seed=1)
    sampled = again.manifest["singling_out"]
    assert 0 < sampled["sampled_classes"] < everything["classes_with_intervals"] == sampled["classes_with_intervals"]
    assert sampled["share"] == pytest.approx(everything["share"], abs=0.15)
    assert "ends               in about" in again.summary()


def test_equal_rows_are_counted_together_where_they_occur_often(monkeypatch):
    """Whether the rows or the distinct rows are compared, the answer is the same."""
    random = np.random.default_rng(4)
    pay = np.round(random.exponential(60, 2_000))
    table = pa.table({"pay": pay, "children": random.integers(0, 3, 2_000)})
    asked = {"quasi_identifiers": ["pay", "children"], "k": 3, "method": "mondrian", "seed": 1}
    together = sf.anonymize(table, **asked).manifest["singling_out"]
    assert 0 < together["classes"] < together["classes_with_intervals"]
    monkeypatch.setattr(singling, "SOME_ROWS", 100)
    monkeypatch.setattr(singling, "OFTEN", 1_000_000)
    assert sf.anonymize(table, **asked).manifest["singling_out"] == together


def test_in_long_tables_few_pairs_of_codes_are_counted(monkeypatch):
    """Whether pairs of codes are sorted or counted, the answer is the same."""
    random = np.random.default_rng(4)
    table = pa.table({"pay": random.integers(0, 90, 2_000), "age": random.integers(20, 80, 2_000)})
    asked = {"quasi_identifiers": ["pay", "age"], "k": 3, "method": "mondrian", "seed": 1}
    sorted_ = sf.anonymize(table, **asked).manifest["singling_out"]
    assert 0 < sorted_["classes"] < sorted_["classes_with_intervals"]
    monkeypatch.setattr(singling, "LONG", 1)
    assert sf.anonymize(table, **asked).manifest["singling_out"] == sorted_
