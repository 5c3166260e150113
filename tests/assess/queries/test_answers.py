"""Questions to releases: bounds that always contain the truth, estimates against a slow form, and plain examples."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import COUNTRIES, GRADES, KINDS, table_strategy

import sfumato as sf
from sfumato.assess.queries import Answer, Released
from sfumato.errors import ParameterError, SchemaError

Row = dict[str, Any]

#: What may be asked of each kind of column.
GROUPS = {label: {row[0] for row in COUNTRIES.rows if label in row} for row in COUNTRIES.rows for label in row[:-1]}


@st.composite
def conditions(draw: st.DrawFn, kind: str) -> Any:
    value = KINDS[kind][2]
    if kind in {"category", "country", "zip"}:
        several = st.sets(value, min_size=1, max_size=3)
        group = st.sampled_from(sorted(GROUPS)) if kind == "country" else value
        return draw(st.one_of(value, several, group))
    if kind == "grade":
        places = sorted(draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))
        return draw(st.one_of(value, st.just((GRADES[places[0]], GRADES[places[1]]))))
    ends = st.tuples(value, value).map(lambda pair: tuple(sorted(pair)))
    open_ended = ends.map(lambda pair: (pair[0], None))
    return draw(st.one_of(ends, open_ended, value, st.sets(value, min_size=1, max_size=3)))


def fits(kind: str, condition: Any, value: Any) -> bool:
    """Return whether a value of the original meets a condition, from the definition."""
    if value is None:
        return False
    if isinstance(condition, tuple):
        place = GRADES.index if kind == "grade" else lambda cell: cell
        low, high = condition
        return (low is None or place(low) <= place(value)) and (high is None or place(value) <= place(high))
    wanted = condition if isinstance(condition, set) else {condition}
    if kind == "country":
        wanted = {leaf for label in wanted for leaf in GROUPS[label]}
    return value in wanted


def truth(rows: list[Row], where: Row, column: str | None, kinds: dict[str, str]) -> dict[str, Any]:
    meant = [row for row in rows if all(fits(kinds[name], asked, row[name]) for name, asked in where.items())]
    values = [row[column] for row in meant if row[column] is not None] if column else []
    found: dict[str, Any] = {"count": len(meant), "sum": sum(values)}
    return found | ({"mean": sum(values) / len(values), "min": min(values), "max": max(values)} if values else {})


@settings(max_examples=examples(120), deadline=None)
@given(st.data())
def test_bounds_always_contain_the_truth(data) -> None:
    table = data.draw(table_strategy(rows=(4, 24), missing=data.draw(st.booleans())))
    income = data.draw(st.lists(st.integers(-3, 9), min_size=len(table), max_size=len(table)))
    columns = {name: pa.array(cells, KINDS[name][1]) for name, cells in table.cells.items()}
    original = pa.table(columns | {"s0": table.sensitive["s0"], "income": income})
    release = sf.anonymize(
        original,
        quasi_identifiers=table.hierarchies,
        sensitive="s0",
        plain="income",
        k=data.draw(st.integers(1, 4)),
        method=data.draw(st.sampled_from(["mondrian", "hilbert", "lattice"])),
        intervals=data.draw(st.sampled_from(["text", "bounds", "midpoint", "mean"])),
        suppression=data.draw(st.sampled_from([0.0, 0.3])),
        seed=1,
    )
    kinds = {name: name for name in table.cells} | {"s0": "category", "income": "number"}
    asked = data.draw(st.lists(st.sampled_from([*table.cells, "s0", "income"]), max_size=3, unique=True))
    where = {name: data.draw(conditions(kinds[name])) if name != "s0" else {"flu", "gout"} for name in asked}
    scaled = [name for name in [*table.cells, "income"] if name in {"number", "binned", "tenths", "income"}]
    column = data.draw(st.sampled_from(scaled))
    expected = truth(original.to_pylist(), where, column, kinds)
    for question, value in expected.items():
        answer = release.count(where) if question == "count" else getattr(release, question)(column, where)
        slack = 1e-6 * max(1.0, abs(value))
        assert answer.lower - slack <= value <= answer.upper + slack, (question, answer, value)
        if answer.estimate is not None and question in {"count", "sum"}:
            assert answer.lower - slack <= answer.estimate <= answer.upper + slack


def slow_count(cells: list[tuple[int, int]], labels: list[str], low: int, high: int, wanted: set[str]) -> float:
    """Return the expected number of rows: every whole number of an interval is as likely as any other."""
    total = 0.0
    for (first, last), label in zip(cells, labels, strict=True):
        inside = [low <= value <= high for value in range(first, last + 1)]
        values = {"a": {"a"}, "b": {"b"}, "{a, b}": {"a", "b"}, "*": {"a", "b"}}[label]
        total += sum(inside) / len(inside) * len(values & wanted) / len(values)
    return total


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted).map(tuple), min_size=2, max_size=12),
    st.tuples(st.integers(-2, 22), st.integers(-2, 22)).map(sorted),
    st.data(),
)
def test_estimates_are_those_of_even_spread(cells, asked, data) -> None:
    labels = data.draw(st.lists(st.sampled_from(["a", "b", "{a, b}", "*"]), min_size=len(cells), max_size=len(cells)))
    labels[:2] = ["a", "b"]
    shown = [f"[{first}, {last}]" if first < last else str(first) for first, last in cells]
    released = Released.open(pa.table({"x": shown, "y": labels}), ["x", "y"])
    wanted = data.draw(st.sampled_from([{"a"}, {"b"}, {"a", "b"}]))
    answer = released.count({"x": tuple(asked), "y": wanted})
    assert answer.estimate == pytest.approx(slow_count(cells, labels, *asked, wanted))


def test_a_class_is_counted_by_the_share_of_it_that_is_asked_for() -> None:
    released = Released.open(pa.table({"age": ["[20, 29]"] * 10}), "age")
    assert released.count({"age": (20, 24)}) == Answer(5.0, 0, 10)
    assert released.count({"age": (20, 29)}) == Answer(10.0, 10, 10)
    assert released.count({"age": (30, None)}) == Answer(0.0, 0, 0)
    assert released.count() == Answer(10.0, 10, 10)
    assert released.count({"age": (20, 29)}).exact


def test_means_of_classes_answer_sums_of_whole_classes_exactly() -> None:
    people = pa.table({"age": [20, 23, 41, 48], "city": ["a", "a", "b", "b"]})
    schema = sf.Schema({"age": None, "city": None})
    release = sf.anonymize(people, schema, k=2, intervals="mean", seed=1)
    assert release.sum("age", {"city": "b"}) == Answer(89.0, 89.0, 89.0)
    assert release.sum("age", {"age": (30, 60)}).upper == np.inf
    assert release.count({"age": (30, 60)}) == Answer(2.0, 0, 4)


def test_dates_come_back_as_dates() -> None:
    table = pa.table({"born": ["[2000-01-01, 2000-01-05]", "2000-02-01"]})
    released = Released.open(table, {"born": sf.Dates()})
    assert released.min("born") == Answer(dt.date(2000, 1, 1), dt.date(2000, 1, 1), dt.date(2000, 1, 5))
    assert released.count({"born": ("2000-01-01", dt.date(2000, 1, 31))}) == Answer(1.0, 1, 1)
    with pytest.raises(ParameterError, match="cannot be added up"):
        released.sum("born")


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("1982", 2),
        (1982, 2),
        ("1982-03", 1),
        ("1982-Q1", 1),
        ("1980s", 3),
        (("1982", "1983"), 3),
        (("1983", None), 2),
        pytest.param({"1982", "1982-03", "1990-01-01"}, 3, id="several"),
        ("18.03.1982", 1),
        ("1983-01-01", 1),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s")], ids=str)
def test_a_year_stands_for_its_days_and_a_day_for_its_times(asked: object, count: int, kind: pa.DataType) -> None:
    days = [dt.datetime(1982, 3, 18), dt.datetime(1982, 12, 31), dt.datetime(1983, 1, 1), dt.datetime(1990, 1, 1)]
    later = dt.timedelta(hours=23 if pa.types.is_timestamp(kind) else 0)
    released = Released.open(pa.table({"born": pa.array([day + later for day in days]).cast(kind)}), "born")
    assert released.count({"born": asked}) == Answer(float(count), count, count)


def test_a_float_is_a_place_on_the_scale_of_days() -> None:
    released = Released.open(pa.table({"born": pa.array([dt.date(1975, 6, 6)])}), "born")
    assert (dt.date(1975, 6, 6) - dt.date(1970, 1, 1)).days == 1982
    assert released.count({"born": 1982.0}).estimate == 1
    assert released.count({"born": (1981.5, 1982.5)}).estimate == 1
    assert released.count({"born": 1982}).estimate == 0


@pytest.mark.parametrize("asked", ["34", 34, "1982,5", ("1982", "12")], ids=str)
def test_a_number_is_no_date(asked: object) -> None:
    released = Released.open(pa.table({"born": pa.array([dt.date(1982, 3, 18)])}), "born")
    with pytest.raises(ParameterError, match="no date"):
        released.count({"born": asked})


def test_rows_that_are_not_there_widen_the_bounds() -> None:
    released = Released.open(pa.table({"age": ["30", "31"]}), "age", suppressed=3)
    assert released.count({"age": 30}) == Answer(1.0, 1, 4)
    assert released.mean("age") == Answer(30.5, -np.inf, np.inf)


def test_nobody_fits() -> None:
    released = Released.open(pa.table({"age": ["30", "31"]}), "age")
    assert released.mean("age", {"age": (40, 50)}) == Answer(None, None, None)
    assert released.sum("age", {"age": (40, 50)}) == Answer(0.0, 0.0, 0.0)
    assert released.max("age", {"age": (40, 50)}) == Answer(None, None, None)


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ({"weight": 3}, SchemaError, "no column 'weight'"),
        ({"city": ("a", "b")}, ParameterError, "no order"),
        ({"age": (1, 2, 3)}, ParameterError, "two ends"),
        ({"age": "young"}, ParameterError, "no value of its scale"),
        ({"country": "Atlantis"}, ParameterError, "neither a value nor a group"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(where, error, words: str) -> None:
    table = pa.table({"age": ["[20, 29]"], "city": ["a"], "country": ["Europe"]})
    released = Released.open(table, {"age": sf.Numeric(), "city": sf.Categorical(), "country": COUNTRIES})
    with pytest.raises(error, match=words):
        released.count(where)
