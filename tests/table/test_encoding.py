"""Columns of every type become codes, the smallest that fit, and missing is missing however it is written."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import encoded_column, table_strategy

import sfumato as sf
from sfumato.errors import DataError
from sfumato.hierarchies import Categorical, Dates, IntervalDomain, Numeric, Prefix, TreeDomain
from sfumato.table.encoding import encode, missing_rows, refuse_missing
from sfumato.table.microdata import smallest_unsigned

UTC = dt.UTC
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
COLUMNS = {
    **{str(kind): pa.array([3, 1, None, 2, 1], kind) for kind in INTEGERS},
    "float32": pa.array([3.5, 1, None, 2, 1], pa.float32()),
    "float64 with NaN": pa.array([3.5, 1, float("nan"), 2, 1], pa.float64()),
    "decimal": pa.array([decimal.Decimal(text) if text else None for text in ("3.50", "1", "", "2", "1")]),
    "string": pa.array(["c", "a", None, "b", "a"]),
    "large_string": pa.array(["c", "a", None, "b", "a"], pa.large_string()),
    "dictionary": pa.array(["c", "a", None, "b", "a"]).dictionary_encode(),
    "date": pa.array([dt.date(2003, 1, 1), dt.date(1901, 1, 1), None, dt.date(2002, 1, 1), dt.date(1901, 1, 1)]),
    "timestamp": pa.array([3, 1, None, 2, 1], pa.timestamp("ms")),
    "zoned": pa.array([3, 1, None, 2, 1], pa.timestamp("ns", "Europe/Berlin")),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("chunks", [1, 2])
def test_every_type_is_coded_in_its_order_with_missing_last(column, chunks):
    split = pa.chunked_array([column] if chunks == 1 else [column[:2], column[2:]])
    # by default times are shown by their days
    microdata = encoded_column(split, Dates() if pa.types.is_timestamp(column.type) else None)
    assert microdata.codes[:, 0].tolist() == [2, 0, 3, 1, 0]
    assert microdata.codes.dtype == np.uint16
    assert microdata.domains[0].has_missing


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_every_type_can_be_sensitive(column):
    microdata = encode(pa.table({"a": range(5), "s": column}), {"a": None}, ["s"])
    sensitive = microdata.sensitive[0]
    assert sensitive.codes.tolist() == [2, 0, 3, 1, 0]
    assert sensitive.counts().tolist() == [2, 1, 1, 1]
    assert sensitive.values.to_pylist()[-1] is None


def test_booleans_are_categories():
    microdata = encoded_column(pa.array([True, None, False]))
    assert microdata.codes[:, 0].tolist() == [1, 2, 0]
    assert isinstance(microdata.domains[0], TreeDomain)


@pytest.mark.parametrize("index", INTEGERS, ids=str)
@pytest.mark.parametrize("categories", [1, 5, 127, 128])
def test_categories_of_any_index_type(index, categories):
    """A type that is just large enough for the indices has no room to count one further."""
    values = [f"{number:03d}" for number in range(categories)]
    coded = pa.DictionaryArray.from_arrays(pa.array([*range(categories), None], index), pa.array(values))
    microdata = encoded_column(coded)
    assert microdata.codes[:, 0].tolist() == [*range(categories), categories]
    assert microdata.domains[0].values.to_pylist() == values


def test_a_full_unsigned_index():
    coded = pa.DictionaryArray.from_arrays(pa.array(range(256), pa.uint8()), pa.array(range(256)))
    assert encoded_column(coded).codes[:, 0].tolist() == [*range(256)]


def test_categories_that_do_not_occur_leave_no_trace():
    coded = pa.DictionaryArray.from_arrays(pa.array([3, 1, None]), pa.array(["a", "b", "secret", "d"]))
    assert encoded_column(coded).domains[0].values.to_pylist() == ["b", "d"]
    microdata = encode(pa.table({"a": [1, 2, 3], "s": coded}), {"a": None}, ["s"])
    assert microdata.sensitive[0].values.to_pylist() == ["b", "d", None]


@pytest.mark.parametrize("chunks", [1, 2])
def test_dictionaries_may_repeat_values_and_hold_missing_ones(chunks):
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None]), pa.array(["b", None, "b", "a"]))
    column = pa.chunked_array([coded] * chunks)
    assert encoded_column(column).codes[:, 0].tolist() == [1, 2, 1, 0, 2] * chunks
    assert missing_rows(pa.table({"a": column}), ["a"]).tolist() == [False, True, False, False, True] * chunks


def test_not_a_number_in_a_dictionary_is_missing():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([2.0, float("nan"), 1.0]))
    assert encoded_column(coded).codes[:, 0].tolist() == [1, 2, 0]
    assert missing_rows(pa.table({"a": coded}), ["a"]).tolist() == [False, True, False]


def test_chunks_with_dictionaries_of_their_own():
    column = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()])
    assert encoded_column(column).codes[:, 0].tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize(
    ("distinct", "expected"),
    [(2, np.uint16), (257, np.uint16), (65_536, np.uint16), (65_537, np.uint32)],
)
def test_codes_take_the_smallest_type_of_16_bits_or_more_that_fits(distinct, expected):
    microdata = encoded_column(pa.array(range(distinct)))
    assert microdata.codes.dtype == expected
    assert microdata.codes[:, 0].tolist() == [*range(distinct)]
    assert smallest_unsigned([1, distinct]) == expected


def test_missing_takes_part_in_the_smallest_type():
    assert encoded_column(pa.array([*range(65_535), None])).codes.dtype == np.uint16
    with_missing = encoded_column(pa.array([*range(65_536), None]))
    assert with_missing.codes.dtype == np.uint32
    assert with_missing.codes[-1, 0] == 65_536


def test_the_widest_column_decides_for_all():
    table = pa.table({"a": range(300), "b": [1] * 300})
    microdata = encode(table, {"a": None, "b": None})
    assert microdata.codes.dtype == np.uint16
    assert microdata.codes.flags.c_contiguous


@settings(max_examples=examples(40))
@given(table_strategy(missing=True))
def test_encoding_changes_nothing_and_can_be_undone(table):
    microdata = table.encoded()
    for at, (domain, cells) in enumerate(zip(microdata.domains, table.cells.values(), strict=True)):
        values = domain.values.to_pylist() + [None] * domain.has_missing
        assert [values[code] for code in microdata.codes[:, at]] == cells
    for column, cells in zip(microdata.sensitive, table.sensitive.values(), strict=True):
        assert column.values.take(pa.array(column.codes)).to_pylist() == cells


def test_weights_add_up_to_one():
    table = pa.table({"a": [1, 2], "b": [1, 2], "c": [1, 2]})
    names = dict.fromkeys("abc")
    assert encode(table, names).weights.tolist() == pytest.approx([1 / 3] * 3)
    assert encode(table, names, weights={"a": 2.0, "c": 0.0}).weights.tolist() == pytest.approx([2 / 3, 1 / 3, 0])


def test_a_declared_hierarchy_beats_the_type():
    assert isinstance(encoded_column(pa.array([1, 2]), Categorical()).domains[0], TreeDomain)
    assert isinstance(encoded_column(pa.array(["1", "2"]), Numeric()).domains[0], IntervalDomain)


# --- missing values


def test_rows_that_lack_a_value():
    table = pa.table({"a": [1.0, None, float("nan"), 2.0], "b": ["x", "", None, None]})
    assert missing_rows(table, ["a"]).tolist() == [False, True, True, False]
    assert missing_rows(table, ["a", "b"]).tolist() == [False, True, True, True]
    assert missing_rows(table, []).tolist() == [False] * 4


def test_refusing_missing_values_names_columns_and_counts():
    table = pa.table({"a": [1.0, None, float("nan")], "b": ["x", "", "y"], "c": [None, None, "z"]})
    with pytest.raises(DataError, match=r"^Missing values in 'a' \(2\), 'c' \(2\) and missing='error' was asked for"):
        refuse_missing(table, ["a", "b", "c"])
    assert refuse_missing(table, ["b"]) is None


@pytest.mark.parametrize("cells", [pa.nulls(3), pa.array([None, None], pa.int64()), pa.array([float("nan")])])
def test_a_column_of_nothing_is_refused(cells):
    with pytest.raises(DataError, match="'a' holds only missing values"):
        encoded_column(cells)


def test_a_sensitive_column_of_nothing_has_one_value():
    microdata = encode(pa.table({"a": [1, 2], "s": pa.nulls(2)}), {"a": None}, ["s"])
    assert microdata.sensitive[0].codes.tolist() == [0, 0]
    assert microdata.sensitive[0].values.to_pylist() == [None]


@pytest.mark.parametrize("column", [pa.array([[1]]), pa.array([{"x": 1}]), pa.array([b"\xff"])])
def test_types_that_cannot_be_coded_are_refused_by_name(column):
    with pytest.raises(DataError, match="Column 'a' has the type"):
        encoded_column(column)
    with pytest.raises(DataError, match=r"Column 's' (has the|of) type"):
        encode(pa.table({"a": [1], "s": column}), {"a": None}, ["s"])


@given(st.lists(st.sampled_from([0.0, -0.0, 1.5, None, float("nan")]), min_size=1, max_size=8))
def test_floats_are_equal_as_people_count(cells):
    known = sorted({0.0 + cell for cell in cells if cell is not None and cell == cell})
    if not known:
        return
    codes = encoded_column(pa.array(cells, pa.float64())).codes[:, 0].tolist()
    assert codes == [known.index(0.0 + cell) if cell is not None and cell == cell else len(known) for cell in cells]


def test_ordered_categories_keep_their_order():
    sizes = pa.DictionaryArray.from_arrays([2, 0, 1, 0], ["small", "medium", "large", "huge"], ordered=True)
    domain = encode(pa.table({"size": sizes}), {"size": None}).domains[0]
    assert domain.values.to_pylist() == ["small", "medium", "large"]
    assert domain.span_labels(np.array([0]), np.array([1])).to_pylist() == ["[small, medium]"]
    plain = pa.DictionaryArray.from_arrays(sizes.indices, sizes.dictionary)
    assert encode(pa.table({"size": plain}), {"size": None}).domains[0].texts.to_pylist() == [
        "large",
        "medium",
        "small",
    ]


def test_whole_floats_are_padded_like_whole_numbers():
    domain = encode(pa.table({"zip": [2139.0, 53715.0, 20003.0, None]}), {"zip": Prefix()}).domains[0]
    assert domain.texts.to_pylist() == ["02139", "20003", "53715", None]


def test_ordered_categories_of_pandas_are_shown_in_their_order():
    pandas = pytest.importorskip("pandas")
    sizes = pandas.Categorical(["s", "m", "l", "m", "s", "l"], categories=["xs", "s", "m", "l"], ordered=True)
    release = sf.anonymize(pandas.DataFrame({"size": sizes}), quasi_identifiers="size", k=3)
    assert set(release.data["size"]) == {"[s, m]", "[m, l]"}
