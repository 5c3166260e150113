"""What happened to a column is counted in bins that the release shows, and agrees with a slow count."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from tests.release.report.conftest import people

import sfumato as sf
from sfumato.release.report.bins import ANY, HIDDEN, MISSING, OTHERS
from sfumato.release.report.columns import ColumnFacts, describe_column
from sfumato.release.report.facts import column_facts
from sfumato.release.values import ValueCounts
from sfumato.testing import tables


def described(
    values: list[object], shown: list[object], hierarchy: sf.Categorical | None = None, least: int = 1
) -> ColumnFacts:
    original = pa.array(values)
    distinct = original.drop_null().unique()
    counts = [values.count(value) for value in distinct.to_pylist()] + [values.count(None)]
    originals = ValueCounts(distinct, np.array(counts), np.zeros(len(counts), np.int64))
    found = describe_column(pa.table({"x": pa.array(shown)}), "x", originals, hierarchy, least)
    assert found is not None
    return found


class TestByHand:
    def test_intervals(self):
        found = described([1, 2, 3, 4, 11, 12], ["[1, 4]"] * 4 + ["[11, 12]"] * 2)
        assert found.labels == ("1 – 10", "11 – 12")
        assert found.before == found.after == (0.6667, 0.3333)
        assert found.kept == 1

    def test_a_wide_interval_is_spread_over_the_bins_that_it_may_be_in(self):
        found = described([1, 2, 3, 4], ["[1, 2]", "[3, 4]", "[1, 4]", "[1, 4]"])
        assert found.labels == ("1 – 2", "3 – 4")
        assert found.after == (0.5, 0.5)

    def test_categories_by_the_narrowest_labels(self):
        taxonomy = sf.Taxonomy([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]])
        found = described(["a", "a", "b", "c", "d", "d"], ["a", "a", "ab", "cd", "cd", "*"], taxonomy)  # type: ignore[arg-type]
        # b is nowhere shown by itself: half of what hides behind ab is counted with the others.
        assert dict(zip(found.labels, found.before, strict=True)) == {
            "a": 0.3333,
            "cd": 0.5,
            OTHERS: 0.1667,
            HIDDEN: 0.0,
        }
        assert dict(zip(found.labels, found.after, strict=True)) == {
            "a": 0.4167,
            "cd": 0.3333,
            OTHERS: 0.0833,
            HIDDEN: 0.1667,
        }

    def test_missing_values_are_a_bin_of_their_own(self):
        found = described([1, 2, None, None], ["[1, 2]", "[1, 2]", None, None])
        assert found.labels == ("1 – 2", MISSING)
        assert found.before == found.after == (0.5, 0.5)

    def test_what_cannot_be_read_is_left_out(self):
        originals = ValueCounts(pa.array([1]), np.array([1, 0]), np.zeros(2, np.int64))
        assert describe_column(pa.table({"x": ["about one"]}), "x", originals, sf.Numeric(), 1) is None

    @pytest.mark.parametrize("values", [[1, 2, 3, None], ["a", "b", "c", None]])
    def test_a_column_that_is_hidden_throughout(self, values):
        found = described(values, ["*", "*", "*", None])
        assert found.labels == (ANY, HIDDEN, MISSING)
        assert found.before == (0.75, 0.0, 0.25)
        assert found.after == (0.0, 0.75, 0.25)

    def test_bands_without_an_end(self):
        bands = sf.Bands([18, 65], labels=["young", "grown", "old"])
        found = described([5, 9, 20, 40, 70, 99], ["young", "young", "grown", "grown", "old", "old"], bands)
        assert found.labels == ("below 18", "18 – 64", "65 and above")
        assert found.before == found.after == (0.3333, 0.3333, 0.3333)

    def test_levels_add_up(self):
        found = described([1, 2, 3, 4], ["[1, 2]", "3", "*", None], sf.Numeric())  # type: ignore[arg-type]
        assert {level.name: level.share for level in found.levels} == {
            "value": 0.25,
            "intervals": 0.25,
            "any": 0.25,
            "missing": 0.25,
        }


class TestReleases:
    @pytest.mark.parametrize("name", ["age", "hours", "town", "school"])
    def test_shares_are_those_of_a_slow_count(self, release: sf.Release, name: str):
        found = column_facts(release, name)
        assert found is not None
        assert sum(found.before) == pytest.approx(1, abs=0.002)
        assert sum(found.after) == pytest.approx(1, abs=0.002)
        assert sum(level.share for level in found.levels) == pytest.approx(1)
        assert found.lost == pytest.approx(release.loss.by_attribute[name])
        values = people().column(name).to_pylist()
        for label, share in zip(found.labels, found.before, strict=True):
            assert share == pytest.approx(slow_share(values, label), abs=0.0001), label

    def test_every_bin_is_in_words_that_the_release_shows(self, release: sf.Release):
        for name in ("town", "school"):
            shown = set(release.table.column(name).to_pylist())
            assert set(column_facts(release, name).labels) <= shown | {HIDDEN, OTHERS, MISSING}
        for name in ("age", "hours"):
            ends = {int(end) for cell in release.table.column(name).to_pylist() for end in re.findall(r"\d+", cell)}
            lows = {int(label.split(" – ")[0]) for label in column_facts(release, name).labels if label[0].isdigit()}
            assert lows <= ends

    def test_few_people_are_never_a_bin(self, release: sf.Release):
        rows = people().num_rows
        for name in release.shown.quasi_identifiers:
            found = column_facts(release, name)
            assert all(
                share * rows >= 5 - 0.1
                for label, share in zip(found.labels, found.before, strict=True)
                if label != HIDDEN
            )


def slow_share(values: list[object], label: str) -> float:
    """Count a bin from its name alone."""
    if label in {HIDDEN, MISSING}:
        return 0.0
    numbers = re.fullmatch(r"(\d+)(?: – (\d+))?", label)
    if numbers:
        low, high = int(numbers[1]), int(numbers[2] or numbers[1])
        # Whoever is left out may lie beyond what is shown, and counts in the nearest bin.
        return sum(low <= value <= high for value in values) / len(values)  # type: ignore[operator]
    below = {"basic": {"primary", "secondary"}, "higher": {"college", "master"}}.get(label, {label})
    return sum(value in below for value in values) / len(values)


def test_dates_ends_and_means():
    random = np.random.default_rng(3)
    days = pa.array(np.datetime64("1980-01-01") + random.integers(0, 9000, 200)).cast(pa.date32())
    table = pa.table({"born": days, "pay": random.normal(3000, 500, 200).round(2), "ill": ["a", "b"] * 100})
    for intervals in ("text", "bounds", "midpoint", "mean"):
        release = sf.anonymize(
            table,
            quasi_identifiers=["born", "pay"],
            sensitive="ill",
            k=5,
            method="mondrian",
            intervals=intervals,
            seed=1,
        )
        for name in ("born", "pay"):
            found = column_facts(release, name)
            assert sum(found.after) == pytest.approx(1, abs=0.002), (name, intervals)
            assert len(found.labels) > 2
    assert re.fullmatch(r"\d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d", column_facts(release, "born").labels[0])


@pytest.mark.parametrize("method", ["mondrian", "hilbert", "incognito", "peeling"])
def test_whatever_a_method_shows_is_counted_whole(method: str):
    release = sf.anonymize(tables.people(60), tables.SCHEMA, k=12, method=method, seed=2, suppression=0.1)
    for name in release.shown.quasi_identifiers:
        found = column_facts(release, name)
        assert found is not None
        assert sum(found.before) == pytest.approx(1, abs=0.002)
        assert sum(found.after) == pytest.approx(1, abs=0.002)
        assert sum(level.share for level in found.levels) == pytest.approx(1)
        # Read from the release, a cell spans the values that it may hide; what rounding adds to it, its maker knows.
        assert found.lost <= release.loss.by_attribute[name] + 1e-9
