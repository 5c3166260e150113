"""The package's grouping and the verifier's, written apart, agree: on random tables and on hostile values."""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.common import grouping
from sfumato.errors import DataError
from sfumato.verify import classes as verifier

Values = Sequence[Any]

MOMENT = dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC)
#: Not-a-number with other bits than Python's, negative and signalling ones among them.
NANS = [
    struct.unpack("<d", struct.pack("<Q", bits))[0]
    for bits in (0x7FF8000000000001, 0xFFF8000000000000, 1 | 0x7FF << 52)
]
#: Texts that print alike, or nearly so.
LOOK_ALIKES = ["a", "\u0430", "\u00e1", "a\u0301", "fi", "\ufb01", "K", "\u212a", "\u200b", "\x00", "a\x00", "A"]
#: Per type the values that are easily taken for one another, or for missing.
HOSTILE: dict[pa.DataType, Values] = {
    pa.float64(): [0.0, -0.0, math.nan, *NANS, math.inf, -math.inf, 5e-324, 0.1 + 0.2, 0.3, 2.0**53, 2.0**53 + 2],
    pa.float32(): [0.0, -0.0, math.nan, math.inf, 1e-45, 16_777_216.0],
    pa.float16(): [np.float16(one) for one in (0.0, -0.0, math.nan, 65504.0, 6e-8)],
    pa.int64(): [2**63 - 1, -(2**63), 0, -1, 2**53, 2**53 + 1],
    pa.uint64(): [2**64 - 1, 2**63, 0],
    pa.int8(): list(range(-128, 128)),
    pa.bool_(): [True, False],
    pa.null(): [None],
    pa.string(): [
        *LOOK_ALIKES,
        "",
        " ",
        "*",
        "nan",
        "None",
        "null",
        "[1, 2]",
        "{a, b}",
        "['a']",
        "0",
        "-0",
        "0.0",
        "1e3",
    ],
    pa.binary(): [b"", b"\x00", b"\x00\x00", b"\xff", b"a"],
    pa.binary(2): [b"\x00\x00", b"\x00\xff", b"ab"],
    pa.decimal128(38, 2): [Decimal("0.00"), Decimal("-0.00"), Decimal("1.50"), Decimal("9" * 36 + ".99")],
    pa.decimal256(70, 3): [Decimal("0.000"), Decimal("1.500"), Decimal("9" * 67 + ".999")],
    pa.date32(): [dt.date(1, 1, 1), dt.date(1970, 1, 1), dt.date(9999, 12, 31)],
    pa.timestamp("us", "Europe/Berlin"): [
        MOMENT,
        MOMENT + dt.timedelta(hours=1),
        dt.datetime(1970, 1, 1, tzinfo=dt.UTC),
    ],
    pa.timestamp("ns"): [dt.datetime(1970, 1, 1), dt.datetime(2024, 10, 27, 2, 30)],
    pa.time64("us"): [dt.time(0), dt.time(23, 59, 59, 999_999)],
    pa.duration("s"): [dt.timedelta(0), dt.timedelta(days=-1), dt.timedelta(days=1)],
}
VIEWS = {pa.large_string(): pa.string(), pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
HOSTILE |= {kind: HOSTILE[other] for kind, other in VIEWS.items()}


def cells(kind: pa.DataType) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(HOSTILE[kind]) | st.none(), max_size=12)


@st.composite
def columns(draw: st.DrawFn) -> pa.ChunkedArray:
    """A column in any number of chunks, some of them empty, with or without dictionaries of their own."""
    kind = draw(st.sampled_from(list(HOSTILE)))
    values = [pa.array(one, kind) for one in draw(st.lists(cells(kind), max_size=4))]
    if not pa.types.is_null(kind) and draw(st.booleans()):
        chunks = [pointing(draw, entries) for entries in values]
        return pa.chunked_array(chunks, pa.dictionary(pa.int8(), kind))
    return pa.chunked_array(values, kind)


def pointing(draw: st.DrawFn, entries: pa.Array) -> pa.DictionaryArray:
    """Rows that point at a dictionary, whose entries may be repeated, missing or unused."""
    places = st.integers(0, len(entries) - 1) | st.none() if len(entries) else st.none()
    return pa.DictionaryArray.from_arrays(pa.array(draw(st.lists(places, max_size=12)), pa.int8()), entries)


def assert_coded_alike(column: pa.ChunkedArray) -> None:
    ours, theirs = grouping.code_column("q", column), verifier.code_column("q", column)
    assert ours.codes.dtype == theirs.codes.dtype
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    assert ours.size == theirs.size
    if len(column):
        assert ours.values.type == theirs.values.type
        assert [str(one) for one in ours.values] == [str(one) for one in theirs.values]


@given(columns())
@example(pa.chunked_array([pa.nulls(1), pa.nulls(0), pa.nulls(2)]))
def test_both_code_a_column_alike(column: pa.ChunkedArray) -> None:
    assert_coded_alike(column)


@given(columns())
def test_codes_are_equal_where_values_are(column: pa.ChunkedArray) -> None:
    coded = grouping.code_column("q", column)
    shown = [meant(one) for one in column]
    for row, code in enumerate(coded.codes.tolist()):
        assert (code == len(coded.values)) == (shown[row] is None)
        assert [shown[row] == other for other in shown] == (coded.codes == code).tolist()


def meant(cell: pa.Scalar) -> object:
    """A cell as the definition compares it: missing ones are one, and so are the two zeros."""
    if isinstance(cell, pa.DictionaryScalar):
        return meant(cell.value) if cell.is_valid else None
    # Python compares times of one zone by the clock, which shows an hour twice when summer ends.
    value = cell.value if pa.types.is_timestamp(cell.type) else cell.as_py()
    return None if isinstance(value, float | np.floating) and math.isnan(value) else value


@st.composite
def tables(draw: st.DrawFn) -> list[pa.ChunkedArray]:
    rows = draw(st.integers(0, 20))
    kinds = draw(st.lists(st.sampled_from(list(HOSTILE)), min_size=1, max_size=4))
    cell = {
        kind: st.lists(st.sampled_from(HOSTILE[kind][:4]) | st.none(), min_size=rows, max_size=rows) for kind in kinds
    }
    return [pa.chunked_array([pa.array(draw(cell[kind]), kind)]) for kind in kinds]


@given(tables())
def test_both_group_rows_alike(table: list[pa.ChunkedArray]) -> None:
    ours = grouping.group_rows(grouping.code_column("q", column) for column in table)
    theirs = verifier.group_rows(verifier.code_column("q", column) for column in table)
    assert_grouped_alike(ours, theirs)
    column = table[0]
    counted = verifier.count_values(theirs, verifier.code_column("q", column))
    highest = grouping.highest_counts(ours, grouping.code_column("q", column))
    assert highest.tolist() == ([count for part in counted for count in part.largest.tolist()] if len(theirs) else [])


def assert_grouped_alike(ours: grouping.RowGroups, theirs: verifier.Classes) -> None:
    assert ours.of_row.dtype == theirs.of_row.dtype
    assert ours.of_row.tolist() == theirs.of_row.tolist()
    assert ours.sizes.tolist() == theirs.sizes.tolist()
    assert ours.first_rows.tolist() == theirs.first_rows.tolist()


@given(st.integers(0, 2**32 - 1), st.integers(0, 300), st.lists(st.integers(1, 2**20), min_size=1, max_size=8))
def test_both_group_codes_of_any_width_alike(seed: int, rows: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    codes = [rng.choice(rng.integers(0, size, 3), rows).astype(np.int32) for size in sizes]
    ours = grouping.group_rows(
        grouping.CodedColumn(pa.nulls(size - 1), code) for size, code in zip(sizes, codes, strict=True)
    )
    theirs = verifier.group_rows(
        verifier.Coded(pa.nulls(size - 1), code) for size, code in zip(sizes, codes, strict=True)
    )
    assert_grouped_alike(ours, theirs)


@pytest.mark.parametrize("sizes", [[10] * 9, [3, 400, 2, 900], [900, 900, 900], [2**20] * 3, [2**27] * 2])
def test_both_group_alike_by_table_and_by_sorting(sizes: list[int]) -> None:
    rng = np.random.default_rng(5)
    codes = [rng.integers(0, size, 500).astype(np.int32) for size in sizes]
    codes = [np.append(code, code[::-1]) for code in codes]
    columns = [grouping.CodedColumn(pa.nulls(size - 1), code) for code, size in zip(codes, sizes, strict=True)]
    theirs = verifier.group_rows(verifier.code_column("q", pa.chunked_array([pa.array(code)])) for code in codes)
    assert_grouped_alike(grouping.group_rows(columns), theirs)


def test_a_key_never_wraps_around() -> None:
    wide = [grouping.CodedColumn(pa.nulls(2**16 - 1), np.array([at, 0], np.int32)) for at in (1, 0, 0, 0, 0)]
    assert len(grouping.group_rows(wide)) == 2


def test_no_columns_make_no_groups() -> None:
    assert len(grouping.group_rows([])) == 0 == len(verifier.group_rows([]))


def test_a_long_dictionary_leaves_room_for_a_missing_value() -> None:
    dictionary = pa.array([f"v{value}" for value in range(128)])
    indices = pa.array([0, 127, None, None, 127], pa.int8())
    assert_coded_alike(pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary)]))


def test_extension_types_are_compared_by_what_they_store() -> None:
    storage = pa.array([b"0" * 16, b"1" * 16, b"0" * 16, None], pa.binary(16))
    column = pa.chunked_array([pa.ExtensionArray.from_storage(pa.uuid(), storage)])
    assert_coded_alike(column)
    assert grouping.code_column("q", column).codes.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("kind", [pa.list_(pa.int8()), pa.struct([("a", pa.int8())]), pa.map_(pa.int8(), pa.int8())])
def test_both_refuse_what_cannot_be_compared(kind: pa.DataType) -> None:
    column = pa.chunked_array([pa.nulls(2, kind)])
    with pytest.raises(DataError) as ours:
        grouping.code_column("q", column)
    with pytest.raises(DataError) as theirs:
        verifier.code_column("q", column)
    assert str(ours.value) == str(theirs.value)
