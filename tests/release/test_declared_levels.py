"""Where levels are declared, a class shows the finest of them that holds it, and its ends are the level's."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from tests.release.given import SEED, Given, shown

import sfumato as sf
from sfumato.errors import VerificationError

AGES = sf.Numeric(widths=(5, 10, 20))
YEARS = sf.Dates(levels=("year", "decade"))


@pytest.mark.parametrize(
    ("values", "how", "label"),
    [
        ([21, 24], AGES, "[20, 24]"),
        ([21, 28], AGES, "[20, 29]"),
        ([28, 31], AGES, "[20, 39]"),
        ([39, 40], AGES, "*"),
        ([41, 41], AGES, "41"),
        ([41, None], AGES, "*"),
        ([None, None], AGES, None),
        ([-3, -1], AGES, "[-5, -1]"),
        ([0.1, 0.2], sf.Numeric(widths=(0.5, 1)), "[0, 0.5)"),
        ([0.25, 0.75], sf.Numeric(widths=(0.5, 1)), "[0, 1)"),
        ([dt.date(1990, 1, 3), dt.date(1990, 11, 30)], YEARS, "1990"),
        ([dt.date(1990, 1, 3), dt.date(1999, 11, 30)], YEARS, "1990s"),
        ([dt.date(1999, 12, 31), dt.date(2000, 1, 1)], YEARS, "*"),
        ([dt.date(1990, 1, 3)] * 2, YEARS, "1990-01-03"),
        (["1990-01-03", "1990-02-01"], YEARS, "1990"),
        ([dt.date(1990, 1, 3), dt.date(1990, 2, 1)], sf.Dates(), "[1990-01-03, 1990-02-01]"),
    ],
)
def test_the_finest_level_that_holds_the_class(values, how, label):
    assert shown([*values, *EVERYTHING[type(values[0] or 0)]], [0, 0, 1, 1], how)["x"][:2] == [label] * 2


#: A second class that makes the table wide, so that what is shown of the first is no matter of its extremes.
EVERYTHING = {
    int: [-1000, 1000],
    float: [-1000.5, 1000.5],
    dt.date: [dt.date(1900, 5, 5), dt.date(2020, 5, 5)],
    str: ["1900-05-05", "2020-05-05"],
}


@pytest.mark.parametrize(
    ("values", "how", "ends"),
    [
        (pa.array([21, 24], pa.int16()), AGES, (20, 24)),
        (pa.array([120, 127], pa.int8()), AGES, (120, 129)),
        (pa.array([2**64 - 3, 2**64 - 1], pa.uint64()), AGES, (Decimal(2**64 - 6), Decimal(2**64 + 3))),
        (pa.array([0.6, 0.7]), sf.Numeric(widths=(0.5,)), (0.5, 1.0)),
        (pa.array([Decimal("0.60"), Decimal("0.70")]), sf.Numeric(widths=(0.5,)), (0.5, 1.0)),
        (pa.array([dt.date(1990, 1, 3), dt.date(1990, 2, 1)]), YEARS, (dt.date(1990, 1, 1), dt.date(1990, 12, 31))),
        (
            pa.array([dt.datetime(1990, 1, 3, 7), dt.datetime(1990, 2, 1)], pa.timestamp("s")),
            YEARS,
            (dt.datetime(1990, 1, 1), dt.datetime(1991, 1, 1)),
        ),
        (
            pa.array([dt.datetime(1990, 1, 3), dt.datetime(1990, 2, 1)], pa.timestamp("ns")),
            YEARS,
            (dt.datetime(1990, 1, 1), dt.datetime(1990, 12, 31)),
        ),
        (
            pa.array([dt.datetime(9998, 1, 3, 7), dt.datetime(9999, 12, 31, 23)], pa.timestamp("us")),
            YEARS,
            (dt.datetime(9990, 1, 1), dt.datetime.max),
        ),
    ],
    ids=str,
)
def test_bounds_are_the_ends_of_the_level(values, how, ends):
    data = shown(values, [0, 0], how, intervals="bounds")
    assert (data["x_min"], data["x_max"]) == ([ends[0]] * 2, [ends[1]] * 2)


def test_a_zone_has_its_own_new_year():
    rome = pa.array([dt.datetime(1990, 1, 3, 7), dt.datetime(1990, 2, 1)], pa.timestamp("s", "Europe/Rome"))
    data = shown(rome, [0, 0], YEARS, intervals="bounds")
    assert data["x_min"][0].astimezone(dt.UTC) == dt.datetime(1989, 12, 31, 23, tzinfo=dt.UTC)
    assert data["x_max"][0].astimezone(dt.UTC) == dt.datetime(1990, 12, 31, 23, tzinfo=dt.UTC)


def test_midpoints_are_those_of_the_level_and_means_those_of_the_rows():
    assert shown([21, 24, 50], [0, 0, 1], AGES, intervals="midpoint")["x"] == [22, 22, 50]
    assert shown([21, 24, 50], [0, 0, 1], AGES, intervals="mean")["x"] == [22.5, 22.5, 50]
    days = [dt.date(1990, 1, 3), dt.date(1990, 2, 1)]
    assert shown(days, [0, 0], YEARS, intervals="midpoint")["x"] == [dt.date(1990, 7, 2)] * 2


@pytest.mark.parametrize("intervals", ["bounds", "midpoint", "mean"])
def test_what_no_level_holds_has_no_numbers(intervals):
    data = shown([39, 40, None, None, 25, None], [0, 0, 1, 1, 2, 2], AGES, intervals=intervals)
    assert set(map(tuple, data.values())) == {(None,) * 6}


@pytest.mark.parametrize("intervals", ["text", "bounds"])
@pytest.mark.parametrize(
    ("values", "how", "width"),
    [
        ([21, 23], AGES, 4),
        ([dt.date(1990, 1, 3), dt.date(1990, 2, 1)], YEARS, 364),
        ([dt.datetime(1990, 1, 3, 7), dt.datetime(1990, 2, 1)], YEARS, 365),
        ([dt.datetime(1990, 1, 3, 7), dt.datetime(1990, 1, 3, 8)], sf.Dates(levels=("day",)), 1),
    ],
)
def test_a_minimum_span_is_about_what_is_shown(values, how, width, intervals):
    table = pa.table({"x": [*values, *(value + 1000 * (values[1] - values[0]) for value in values)]})
    roles = {"quasi_identifiers": {"x": how}, "method": Given((0, 0, 1, 1)), "intervals": intervals, "seed": SEED}
    far = sf.anonymize(table, **roles, k=2, privacy=sf.MinimumSpan("x", width))
    assert far.verify().ok
    with pytest.raises(VerificationError):
        sf.anonymize(table, **roles, k=2, privacy=sf.MinimumSpan("x", width + 1))


def test_a_search_uses_the_width_of_levels_for_a_minimum_span():
    table = pa.table({"age": list(range(60)), "sex": ["f", "m"] * 30})
    schema = sf.Schema({"age": sf.Numeric(widths=(5, 10, 20)), "sex": None})
    release = sf.anonymize(table, schema, k=2, privacy=sf.MinimumSpan("age", 9), method="mondrian")
    tens, twenties = ({f"[{low}, {low + width - 1}]" for low in range(0, 60, width)} for width in (10, 20))
    assert set(release.data["age"].to_pylist()) <= tens | twenties | {"*"}
    assert release.classes > 2


def test_the_bound_counts_levels():
    """Two neighbours who meet only in the widest level lose all of its width, in the release and in the bound."""
    table = pa.table({"age": [9, 10] * 4 + [48, 52] * 4})
    free = sf.anonymize(table, quasi_identifiers="age", k=8)
    levelled = sf.anonymize(table, quasi_identifiers={"age": sf.Numeric(widths=(10, 20))}, k=8)
    assert free.bound < levelled.bound <= levelled.loss.gcp
    assert set(levelled.data["age"].to_pylist()) == {"[0, 19]", "[40, 59]"}


@pytest.mark.parametrize("method", ["cell-suppression", "attribute-suppression"])
def test_a_suppressed_cell_is_shown_by_nothing_of_its_hierarchy(method):
    """Also where all values share a group below the top, whose label would be true, and with numbers on a scale."""
    table = pa.table({"age": [21, 22, 23, 24], "zip": ["53711", "53712", "53713", "53714"]})
    release = sf.anonymize(table, quasi_identifiers={"age": None, "zip": sf.Prefix()}, k=2, method=method)
    assert {name: set(values) for name, values in release.data.to_pydict().items()} == {"age": {"*"}, "zip": {"*"}}
    assert release.loss.gcp == 1
    assert release.loss.precision == 0


def test_a_whole_scale_is_the_top_of_its_hierarchy_for_subtrees():
    table = pa.table({"age": [21, 22, 23, 24]})
    release = sf.anonymize(table, quasi_identifiers="age", k=4, method="full-subtree")
    assert release.data["age"].to_pylist() == ["*"] * 4


def test_full_domain_levels_have_the_ends_of_their_groups():
    table = pa.table({"x": [dt.date(1990, 1, 3), dt.date(1990, 2, 1)]})
    for level, ends in {0: None, 3: (dt.date(1990, 1, 1), dt.date(1990, 12, 31))}.items():
        release = sf.anonymize(
            table, quasi_identifiers="x", k=1, method=Given(levels=(level,)), intervals="bounds", keep_order=True
        )
        found = list(zip(*release.data.to_pydict().values(), strict=True))
        assert found == ([ends] * 2 if ends else [(day, day) for day in table["x"].to_pylist()])
