"""The verifier against a slow oracle, on random tables in every disguise that Arrow has for the same values."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.verify import oracle

from sfumato.verify import classes as verify_classes
from sfumato.verify.release import verify_release

Column = list[Any]

TEXTS = st.sampled_from(["a", "b", "", "*", "[1, 2]", None])
NUMBERS = st.sampled_from([0.0, -0.0, 1.5, math.nan, None])
ILLNESSES = st.sampled_from(["cold", "flu", "gout", "ulcer", None])
TREE = [
    ["ulcer", "stomach", "inner", "*"],
    ["cold", "lung", "inner", "*"],
    ["flu", "lung", "inner", "*"],
    ["gout", "joint", "outer", "*"],
]


@st.composite
def disguised(draw: st.DrawFn, values: Column, kind: pa.DataType) -> pa.ChunkedArray:
    """Store values in chunks, some plain and some with untidy dictionaries of their own."""
    cuts = sorted(draw(st.lists(st.integers(0, len(values)), max_size=2)))
    parts = [values[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(values)], strict=True)]
    if draw(st.booleans()):
        return pa.chunked_array([pa.array(part, kind, from_pandas=False) for part in parts], kind)
    chunks = [draw(untidy(part, kind)) for part in parts]
    return pa.chunked_array(chunks, pa.dictionary(pa.int8(), kind))


@st.composite
def untidy(draw: st.DrawFn, values: Column, kind: pa.DataType) -> pa.DictionaryArray:
    """Make a dictionary array whose dictionary repeats values, has unused ones and may hold a null."""
    entries = draw(st.permutations([*values, *values[:3], values[0] if values else None, None]))
    places = [[at for at, entry in enumerate(entries) if same(entry, value)] for value in values]
    nulls = [None] if draw(st.booleans()) else []
    indices = [
        draw(st.sampled_from([*at, *(nulls if value is None else [])]))
        for at, value in zip(places, values, strict=True)
    ]
    dictionary = pa.array(entries, kind, from_pandas=False)
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), dictionary)


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, list[tuple[Any, ...]]]:
    rows = draw(st.lists(st.tuples(TEXTS, NUMBERS, ILLNESSES), min_size=1, max_size=24))
    columns = [list(column) for column in zip(*rows, strict=True)]
    kinds = [pa.string(), pa.float64(), pa.string()]
    arrays = [draw(disguised(column, kind)) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=["text", "number", "illness"]), rows


@given(tables())
def test_everything_achieved_is_what_the_oracle_finds(drawn: tuple[pa.Table, list[tuple[Any, ...]]]) -> None:
    table, rows = drawn
    groups, whole = oracle.histograms(rows, 2, 0)
    recursive = [{"model": "l-diversity", "kind": "recursive", "c": 1.0, "l": rank} for rank in (1, 2, 3)]
    result = verify_release(table, ["text", "number"], ["illness"], recursive)
    achieved = result.achieved.sensitive["illness"]
    assert (result.rows, result.classes) == (len(rows), len(groups))
    assert result.k == min(counts.total() for counts in groups.values())
    assert achieved.distinct_l == min(len(counts) for counts in groups.values())
    assert achieved.frequency_l == pytest.approx(float(min(map(oracle.frequency, groups.values()))))
    assert achieved.entropy_l == pytest.approx(min(map(oracle.entropy, groups.values())))
    assert achieved.t == pytest.approx(float(max(oracle.equal(counts, whole) for counts in groups.values())))
    for rank, found in achieved.recursive_c.items():
        assert found == pytest.approx(max(oracle.recursive(counts, rank) for counts in groups.values()))


@given(tables(), st.sampled_from(["ordered", "hierarchical"]))
def test_distances_are_what_the_oracle_finds(drawn: tuple[pa.Table, list[tuple[Any, ...]]], distance: str) -> None:
    table, rows = drawn
    groups, whole = oracle.histograms(rows, 2, 0)
    rule: dict[str, Any] = {"model": "t-closeness", "t": 0.0, "distance": distance}
    if distance == "hierarchical":
        expected = {shown: oracle.hierarchical(counts, whole, TREE) for shown, counts in groups.items()}
        rule["taxonomy"] = TREE
    else:
        expected = {shown: oracle.ordered(counts, whole) for shown, counts in groups.items()}
    result = verify_release(table, ["text", "number"], ["illness"], [rule], sample=len(rows))
    (check,) = result.checks
    assert result.t == pytest.approx(float(max(expected.values())), abs=1e-12)
    found = {tuple(one.values.values()): one.found for one in check.sample}
    assert found == pytest.approx({shown: float(far) for shown, far in expected.items() if far > 0})


@given(tables(), st.integers(1, 5), st.sampled_from([1, 1.5, 2, 3]))
def test_exactly_the_breaking_classes_are_named(
    drawn: tuple[pa.Table, list[tuple[Any, ...]]], k: int, diverse: float
) -> None:
    table, rows = drawn
    groups, _ = oracle.histograms(rows, 2, 0)
    rules = [{"model": "k-anonymity", "k": k}, {"model": "l-diversity", "l": diverse}]
    result = verify_release(table, ["text", "number"], ["illness"], rules, sample=len(rows))
    size, diversity = ({tuple(one.values.values()) for one in check.sample} for check in result.checks)
    assert size == {shown for shown, counts in groups.items() if counts.total() < k}
    assert diversity == {shown for shown, counts in groups.items() if oracle.frequency(counts) < diverse}
    assert result.ok == (not size and not diversity)


@given(st.lists(st.lists(st.integers(0, 9), min_size=12, max_size=12), min_size=1, max_size=20))
def test_keys_that_outgrow_a_word_are_still_told_apart(rows: list[list[int]]) -> None:
    # Twelve columns of up to 200 values each need 92 bits; unused dictionary entries count for the size of a key.
    dictionary = pa.array([f"v{value}" for value in range(200)])
    names = [f"q{at}" for at in range(12)]
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array(column, pa.int16()), dictionary) for column in zip(*rows, strict=True)
    ]
    result = verify_release(pa.table(arrays, names=names), names)
    groups = oracle.classes_of([tuple(row) for row in rows], 12)
    assert result.classes == len(groups)
    assert result.k == min(map(len, groups.values()))


def test_a_key_never_wraps_around() -> None:
    # Only the first of five columns with 2**16 values differs; in one 64-bit word it would be pushed out.
    wide = [verify_classes.Coded(pa.nulls(2**16 - 1), np.array([at, 0], np.int32)) for at in (1, 0, 0, 0, 0)]
    assert len(verify_classes.group_rows(wide)) == 2


def test_indices_that_leave_no_room_for_a_missing_value() -> None:
    dictionary = pa.array([f"v{value}" for value in range(128)])
    indices = pa.array([0, 127, None, None, 127], pa.int8())
    result = verify_release(pa.table({"q": pa.DictionaryArray.from_arrays(indices, dictionary)}), ["q"])
    assert (result.classes, result.k) == (3, 1)


DAY = dt.date(2024, 2, 29)
NOON = dt.datetime(2024, 2, 29, 12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pa.array([1, 2, 1, None], pa.uint8()),
        lambda: pa.array([2**62, 2**62 + 1, 2**62, None], pa.int64()),
        lambda: pa.array([1.5, math.nan, 1.5, 2.5], pa.float32(), from_pandas=False),
        lambda: pa.array([np.float16(1), np.float16(2), np.float16(1), None], pa.float16()),
        lambda: pa.array([True, False, True, None]),
        lambda: pa.array([DAY, DAY + dt.timedelta(1), DAY, None]),
        lambda: pa.array([DAY, DAY + dt.timedelta(1), DAY, None], pa.date64()),
        lambda: pa.array([NOON, NOON + dt.timedelta(1), NOON, None], pa.timestamp("s")),
        lambda: pa.array([1, 2, 1, None], pa.timestamp("ns", "Europe/Rome")),
        lambda: pa.array([dt.time(1), dt.time(2), dt.time(1), None]),
        lambda: pa.array([dt.timedelta(1), dt.timedelta(2), dt.timedelta(1), None]),
        lambda: pa.array([Decimal("1.50"), Decimal("2.50"), Decimal("1.50"), None]),
        lambda: pa.array([Decimal("1.50"), Decimal("2.50"), Decimal("1.50"), None], pa.decimal256(40, 2)),
        lambda: pa.array([b"a", b"b", b"a", None]),
        lambda: pa.array(["a", "b", "a", None], pa.large_string()),
        lambda: pa.array(["a", "b", "a", None], pa.string_view()),
        lambda: pa.array([b"a", b"b", b"a", None], pa.binary_view()),
        lambda: pa.DictionaryArray.from_arrays([0, 1, 0, None], pa.array([1.5, 2.5])),
        lambda: pa.DictionaryArray.from_arrays([0, 1, 0, 2], pa.array([DAY, DAY + dt.timedelta(1), None])),
        lambda: pa.DictionaryArray.from_arrays([0, 1, 2, None], pa.array(["a", "b", "a"], pa.string_view())),
    ],
)
def test_every_type_of_column_makes_the_same_classes(make: Callable[[], pa.Array]) -> None:
    array = make()
    table = pa.table({"q": array, "s": array})
    result = verify_release(table.select(["q"]), ["q"], [], [{"model": "k-anonymity", "k": 2}])
    assert (result.classes, result.k) == (3, 1)
    (violation,) = result.violations
    assert violation.breaking == 2
    assert None in [one.values["q"] for one in violation.sample] or array.null_count == 0
    assert result.summary()
    assert result.to_dict()["classes"] == 3
    sensitive = verify_release(table.append_column("all", [["*"] * 4]), ["all"], ["q", "s"])
    assert sensitive.achieved.sensitive["s"].distinct_l == 3
    assert sensitive.l == 2.0


def test_a_column_of_nothing_is_one_class() -> None:
    assert verify_release(pa.table({"q": pa.nulls(3)}), ["q"]).k == 3


def test_thousands_of_values_in_thousands_of_classes_fit_in_memory() -> None:
    # As a full matrix, the counts of this table would take 40 GB.
    rows = 140_000
    table = pa.table({"q": np.arange(rows) // 2, "s": np.arange(rows) % 70_000})
    rules = [{"model": "t-closeness", "t": 1.0, "distance": distance} for distance in ("equal", "ordered")]
    result = verify_release(table, ["q"], ["s"], rules)
    assert (result.k, result.l, result.classes) == (2, 2.0, 70_000)
    assert result.t == pytest.approx(1 - 2 / 70_000)
