"""A release is read as people read it: every kind of cell, and every row of the original behind its own."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.hierarchies.reading import scanning

import sfumato as sf
from sfumato.errors import DataError, SchemaError
from sfumato.hierarchies.reading import read_column, read_extents, read_release

TREE = sf.Taxonomy({"Europe": ["France", "Italy"], "Asia": ["Japan", "Korea"]})
GRADES = sf.Ordered(["low", "mid", "high"])
DAYS = [dt.date(2023, 12, 31), dt.date(2024, 1, 3), dt.date(2024, 2, 1), dt.date(2031, 5, 5)]


def behind(cells, values, how=None, kind=None):
    """Return for every cell the values that may hide behind it, None for a missing one."""
    column = read_column(pa.table({"x": pa.array(cells, kind)}), "x", pa.array(values), how)
    codes = np.arange(column.domain.size + 1)
    inside = column.covers(codes)
    names = [*column.domain.values.to_pylist(), None]
    return [[name for name, here in zip(names, inside[:, cell], strict=True) if here] for cell in column.cell_of_row]


@pytest.mark.parametrize(
    ("cells", "values", "how", "hidden"),
    [
        (["[20, 29]", "41", "*", None], [20, 29, 30, 41], None, [[20, 29], [41], [20, 29, 30, 41, None], [None]]),
        (["[0.5, 0.7)", "[0.7, 1)"], [0.5, 0.6, 0.7, 1.0], None, [[0.5, 0.6], [0.7]]),
        (["[-3, -1]", "[1e3, 2e3]"], [-3, -2, 0, 1500], None, [[-3, -2], [1500]]),
        (["Europe", "Japan", "*"], ["France", "Japan"], TREE, [["France"], ["Japan"], ["France", "Japan", None]]),
        (["Asia"], ["France"], TREE, [[]]),
        (["{a, c}", "b"], ["a", "b", "c"], None, [["a", "c"], ["b"]]),
        (["537**", "6****"], ["53711", "53700", "53800"], sf.Prefix(), [["53700", "53711"], []]),
        (["537**", "53800"], ["53711", "53700", "53800"], None, [["53700", "53711"], ["53800"]]),
        (["2024-01", "2024", "2024-Q1", "2030s"], DAYS, None, [DAYS[1:2], DAYS[1:3], DAYS[1:3], DAYS[3:]]),
        (["[2023-12-31, 2024-01-03]", "2024-02-01"], DAYS, None, [DAYS[:2], DAYS[2:3]]),
        (
            ["[low, mid]", "high"],
            ["low", "mid", "high"],
            sf.Ordered(["low", "mid", "high"]),
            [["low", "mid"], ["high"]],
        ),
        (["[a, b, c]"], ["a", "a, b", "c"], sf.Ordered(["a", "a, b", "c"]), [["a, b", "c"]]),
    ],
)
def test_what_may_hide_behind_a_cell(cells, values, how, hidden):
    assert behind(cells, values, how) == hidden


def test_a_label_that_nobody_knows_is_an_error_that_says_what_to_give():
    with pytest.raises(DataError, match="hierarchy"):
        behind(["Europe"], ["France", "Japan"])
    with pytest.raises(DataError, match="Column 'x' of the release shows 'young'"):
        behind(["young"], [20, 30])


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(SchemaError, match="'x_min'"):
        read_column(pa.table({"y": [1]}), "x", pa.array([1]))


def test_bounds_without_a_value_tell_nothing():
    release = pa.table({"x_min": [1, None], "x_max": [3, None]})
    column = read_column(release, "x", pa.array([1, 2, 4, None]))
    assert column.covers(np.arange(4))[:, column.cell_of_row].T.tolist() == [
        [True, True, False, False],
        [True, True, True, True],
    ]


def test_midpoints_are_known_as_such_and_only_nearness_is_told():
    column = read_column(pa.table({"x": [1.5, 8.5]}), "x", pa.array([1, 2, 8, 9]))
    assert column.centres
    assert scanning.distances(column, np.arange(4))[:, column.cell_of_row].argmin(axis=1).tolist() == [0, 0, 1, 1]


def test_distances_on_a_scale_are_gaps_and_shifts_move_the_known_value():
    column = read_column(pa.table({"x": ["[0, 4]", "[6, 10]"]}), "x", pa.array([0, 5, 10, None]))
    apart = scanning.distances(column, np.arange(4))[:, column.cell_of_row]
    assert apart.tolist() == [[0.0, 0.6], [0.1, 0.1], [0.6, 0.0], [1.0, 1.0]]
    moved = scanning.distances(column, np.array([1]), np.array([2.0]))[:, column.cell_of_row]
    assert moved.tolist() == [[pytest.approx(0.3), 0.0]]


def test_without_an_original_ends_are_read_in_the_scale_of_the_column():
    extents = read_extents("day", pa.array(["2024-01", "[1970-01-02, 1970-01-03]"]), calendar=True)
    assert extents.low.tolist() == [19723.0, 1.0]
    assert extents.high.tolist() == [19754.0, 2.0]
    assert extents.open_end.tolist() == [True, False]
    assert math.isinf(read_extents("x", pa.array(["*"])).low[0])


PEOPLE = {
    "age": st.integers(0, 40) | st.none(),
    "weight": st.sampled_from([50.5, 61.25, 70.0, 88.125]),
    "home": st.sampled_from(["France", "Italy", "Japan", "Korea"]) | st.none(),
    "zip": st.sampled_from(["53711", "53712", "53800", "60000"]),
    "born": st.dates(dt.date(1990, 1, 1), dt.date(2003, 1, 1)),
    "grade": st.sampled_from(["low", "mid", "high"]),
}
HOW = {
    "age": sf.Numeric(widths=(5, 10)),
    "weight": None,
    "home": TREE,
    "zip": sf.Prefix(),
    "born": sf.Dates(),
    "grade": GRADES,
}
TYPES = {"age": pa.int64(), "home": pa.string(), "born": pa.date32()}


COMPLETE = {"age": 7, "weight": 50.5, "home": "Korea", "zip": "53711", "born": dt.date(1999, 9, 9), "grade": "mid"}


@settings(max_examples=examples(40))
@given(
    rows=st.lists(st.fixed_dictionaries(PEOPLE), min_size=4, max_size=30),
    method=st.sampled_from(["mondrian", "lattice"]),
    intervals=st.sampled_from(["text", "bounds"]),
)
def test_everybody_may_be_in_the_class_that_they_are_in(rows, method, intervals):
    rows = [COMPLETE, *rows]  # a column without any value is refused
    people = pa.table({name: pa.array([row[name] for row in rows], TYPES.get(name)) for name in PEOPLE})
    release = sf.anonymize(people, quasi_identifiers=HOW, k=2, method=method, intervals=intervals, keep_order=True)
    reading = read_release(people, release.table, HOW)
    everybody = np.arange(len(rows))
    assert reading.candidates_of(everybody).holds(reading.classes.of_row).all()
    assert (scanning.apart(reading, everybody)[everybody, reading.classes.of_row] == 0).all()
    assert reading.people == len(rows)


def test_what_is_not_known_rules_nobody_out():
    people = pa.table({"age": [20, 30], "sex": ["f", "m"]})
    reading = read_release(people, people, {"age": None, "sex": None})
    assert reading.candidates_of(np.arange(2), ["age"]).dense(2).tolist() == [[True, False], [False, True]]
    assert reading.candidates_of(np.arange(2), []).dense(2).all()
