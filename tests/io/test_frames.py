"""Frames in, Arrow in between, the same kind of frame out."""

import datetime as dt
import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.errors import DataError, SchemaError, SourceError
from sfumato.io import open_source
from sfumato.io.columns import DICTIONARY

TABLE = pa.table(
    {
        "age": pa.array([34, None, 51], pa.int64()),
        "income": [1.5, 2.5, None],
        "city": ["Rome", "", None],
        "born": [dt.date(1990, 1, 2), None, dt.date(1980, 12, 31)],
        "seen": pa.array([dt.datetime(2020, 1, 1, 12), None, None], pa.timestamp("us", "Europe/Rome")),
        "alive": [True, None, False],
    }
)

CONNECTION = duckdb.connect()  # kept: relations of DuckDB 1.4 do not keep theirs

FRAMES = {
    "pandas": lambda: TABLE.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get, date_as_object=True),
    "polars": lambda: pl.from_arrow(TABLE),
    "pyarrow": lambda: TABLE,
    "duckdb": lambda: CONNECTION.from_arrow(TABLE),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_becomes_the_same_table(kind):
    source = open_source(FRAMES[kind]())
    table = source.read(source.columns)
    assert source.kind == kind
    assert source.columns == tuple(TABLE.column_names)
    assert table.to_pydict() == TABLE.to_pydict()
    assert table.schema.field("age").type == pa.int64()
    assert table.schema.field("city").type in (pa.string(), DICTIONARY)


@pytest.mark.parametrize("kind", FRAMES)
def test_only_the_columns_asked_for_in_that_order(kind):
    table = open_source(FRAMES[kind]()).read(["city", "age"])
    assert table.column_names == ["city", "age"]


@pytest.mark.parametrize("kind", FRAMES)
def test_as_text_makes_numbers_text(kind):
    table = open_source(FRAMES[kind]()).read(["age", "income"], as_text=["age"])
    assert table["age"].to_pylist() == ["34", None, "51"]
    assert table["income"].to_pylist() == [1.5, 2.5, None]


def test_pandas_comes_back_with_a_fresh_index_and_its_types():
    frame = FRAMES["pandas"]().set_index(pd.Index([7, 7, 7]))
    source = open_source(frame)
    back = source.to_native(source.read(source.columns))
    assert isinstance(back, pd.DataFrame)
    assert isinstance(back.index, pd.RangeIndex)
    assert back["age"].dtype == pd.Int64Dtype()
    assert back["alive"].dtype == pd.BooleanDtype()
    assert back["age"].tolist() == [34, pd.NA, 51]
    assert back["seen"].dt.tz is not None


@pytest.mark.parametrize(
    ("kind", "value"), [(pa.int64(), 2**53 + 1), (pa.uint64(), 2**64 - 1), (pa.int8(), -5), (pa.uint8(), 200)]
)
def test_integers_beside_missing_values_stay_exact_in_pandas(kind, value):
    source = open_source(pd.DataFrame({"a": [1]}))
    back = source.to_native(pa.table({"a": pa.array([value, None], kind)}))
    assert back["a"][0] == value
    assert back["a"][1] is pd.NA


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_released_dictionaries_come_out_as_plain_text(kind):
    released = pa.table({"city": pa.array(["Rome", None, "*"]).dictionary_encode()})
    back = open_source(FRAMES[kind]()).to_native(released)
    again = open_source(back).read(["city"])
    assert again.schema.field("city").type == pa.string()
    assert again["city"].to_pylist() == ["Rome", None, "*"]
    assert type(back) is type(FRAMES[kind]())


def test_metadata_does_not_come_back():
    table = pa.table({"a": pa.array([1])}, schema=pa.schema([pa.field("a", pa.int64(), metadata={"x": "y"})]))
    back = open_source(table).to_native(table.replace_schema_metadata({"pandas": "{}"}))
    assert back.schema.metadata is None
    assert back.schema.field("a").metadata is None


def test_record_batch():
    source = open_source(TABLE.to_batches()[0])
    assert source.read(["age"])["age"].to_pylist() == [34, None, 51]


@pytest.mark.parametrize("index", [[1, 1, 2], pd.MultiIndex.from_tuples([(1, 1), (1, 1), (2, 1)])])
def test_the_index_of_pandas_is_ignored(index):
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=index)
    source = open_source(frame)
    assert source.columns == ("a",)
    assert source.read(["a"])["a"].to_pylist() == [1, 2, 3]


def test_nan_and_nat_of_pandas_are_missing():
    frame = pd.DataFrame(
        {
            "f": [np.nan, 1.0],
            "o": pd.Series([np.nan, "x"], dtype=object),
            "t": [pd.NaT, pd.Timestamp("2020-01-01")],
            "n": pd.Series([pd.NA, 3], dtype=object),
        }
    )
    table = open_source(frame).read(frame.columns.to_list())
    assert all(column.null_count == 1 for column in table.columns)


def test_nan_of_polars_stays():
    column = open_source(pl.DataFrame({"f": [float("nan"), None, 1.0]})).read(["f"])["f"]
    assert column.null_count == 1


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"c": pd.Categorical(["b", None, "a"], categories=["unused", "a", "b"], ordered=True)}),
        pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Enum(["unused", "a", "b"]))}),
        pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([3, None, 1], pa.uint8()), ["x", "a", None, "b"])}),
        pa.table({"c": pa.DictionaryArray.from_arrays([1, 2, 0], ["a", "b", None])}),
    ],
)
def test_categories_become_one_dictionary_of_used_values(frame):
    column = open_source(frame).read(["c"])["c"]
    assert (column.type.index_type, column.type.value_type) == (DICTIONARY.index_type, DICTIONARY.value_type)
    assert column.to_pylist() == ["b", None, "a"]
    assert sorted(column.chunk(0).dictionary.to_pylist()) == ["a", "b"]


def test_dictionaries_of_several_chunks_are_unified():
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "b", None]).dictionary_encode()]
    column = open_source(pa.table({"c": pa.chunked_array(chunks)})).read(["c"])["c"]
    assert column.to_pylist() == ["a", "b", "c", "b", None]
    assert len({tuple(chunk.dictionary.to_pylist()) for chunk in column.chunks}) == 1


def test_dictionary_with_a_duplicate_value_is_cleaned():
    broken = pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "a", "b"])
    column = open_source(pa.table({"c": broken})).read(["c"])["c"]
    assert column.to_pylist() == ["a", "a", "b"]
    assert column.chunk(0).dictionary.to_pylist() == ["a", "b"]


def test_categories_of_numbers_become_numbers():
    column = open_source(pd.DataFrame({"c": pd.Categorical([3, 1, 3])})).read(["c"])["c"]
    assert column.type == pa.int64()
    assert column.to_pylist() == [3, 1, 3]


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.null()])
def test_kinds_of_text_become_string(kind):
    table = pa.table({"c": pa.array([None, None] if kind == pa.null() else ["a", None], kind)})
    assert open_source(table).read(["c"]).schema.field("c").type == pa.string()


def test_rarer_types_pass():
    table = pa.table(
        {
            "d": [decimal.Decimal("1.50")],
            "t": [dt.time(1, 2)],
            "h": pa.array([1.5], pa.float16()),
            "r": pa.RunEndEncodedArray.from_arrays([1], ["x"]),
        }
    )
    read = open_source(table).read(table.column_names)
    assert read.to_pydict() == {
        "d": [decimal.Decimal("1.50")],
        "t": [dt.time(1, 2)],
        "h": [1.5],
        "r": ["x"],
    }


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([1, "SECRET"], "number, str"),
        ([True, 1], "bool, number"),
        ([dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 12)], "date, datetime"),
        (["SECRET", b"SECRET"], "bytes, str"),
        (["SECRET"] * 200 + [5], "number, str"),
    ],
)
def test_mixed_types_are_named_and_values_are_not(values, kinds):
    source = open_source(pd.DataFrame({"x": pd.Series(values, dtype=object)}))
    with pytest.raises(DataError, match=f"Column 'x' mixes types: {kinds}") as caught:
        source.read(["x"])
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_integers_and_floats_may_stand_together():
    column = open_source(pd.DataFrame({"x": pd.Series([1, 2.5, None], dtype=object)})).read(["x"])["x"]
    assert column.to_pylist() == [1.0, 2.5, None]


@pytest.mark.parametrize("value", [2**70, 1 + 2j, object()])
def test_objects_without_a_place_are_refused(value):
    source = open_source(pd.DataFrame({"x": pd.Series([value], dtype=object)}))
    with pytest.raises(DataError, match="Column 'x' holds values of type"):
        source.read(["x"])


def test_polars_objects_are_looked_at():
    source = open_source(pl.DataFrame({"x": pl.Series([1, "a"], dtype=pl.Object)}))
    with pytest.raises(DataError, match="mixes types: number, str"):
        source.read(["x"])


@pytest.mark.parametrize("values", [[[1, 2]], [{"a": 1}], [b"x"]])
def test_nested_and_binary_columns_are_refused_by_name(values):
    source = open_source(pa.table({"fine": [1], "x": values}))
    assert source.read(["fine"]).num_rows == 1
    with pytest.raises(DataError, match="Column 'x' is of type"):
        source.read(["x"])


def test_periods_and_intervals_of_pandas_are_refused():
    frame = pd.DataFrame({"p": pd.period_range("2020", "2021", freq="Y"), "i": pd.interval_range(0, 2)})
    for name in frame.columns:
        with pytest.raises(DataError, match=f"Column '{name}' is of type"):
            open_source(frame).read([name])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "Columns 1 and 3 are both named 'a'"),
        (["a", 5, "b"], "Column 2 has a name of type int"),
        (["a", "", "b"], "Column 2 has no name"),
        (pd.MultiIndex.from_tuples([("a", "b"), ("a", "c"), ("b", "c")]), "Column 1 has a name of type tuple"),
    ],
)
def test_names_that_cannot_be_used(names, message):
    with pytest.raises(SchemaError, match=message):
        open_source(pd.DataFrame([[1, 2, 3]], columns=names))


def test_duplicate_names_in_arrow():
    with pytest.raises(SchemaError, match="both named 'a'"):
        open_source(pa.table([[1], [2]], names=["a", "a"]))


def test_a_table_without_columns():
    with pytest.raises(SchemaError, match="no columns"):
        open_source(pd.DataFrame())


def test_unknown_columns_are_named():
    with pytest.raises(SchemaError, match=r"no column 'size'.*'age', 'income'"):
        open_source(TABLE).read(["age", "size"])
    with pytest.raises(SchemaError, match="no column 'size'"):
        open_source(TABLE).read(["age"], as_text=["size"])


@pytest.mark.parametrize("data", [5, None, {"a": [1]}, [1, 2], pd.Series([1]), b"file.csv"])
def test_anything_else_is_refused_with_what_is_accepted(data):
    with pytest.raises(SourceError, match=r"is not a table\.( .+\.)? Accepted are a pandas"):
        open_source(data)


def test_a_relation_that_fails_does_not_quote_values():
    relation = CONNECTION.sql("SELECT CAST(x AS INTEGER) AS n FROM (VALUES ('SECRET')) t(x)")
    with pytest.raises(SourceError, match="relation cannot be computed") as caught:
        open_source(relation).read(["n"])
    assert "SECRET" not in str(caught.value)


def test_relation_with_awkward_names_and_an_enum():
    connection = duckdb.connect()
    source = open_source(connection.sql("""SELECT 1 AS "a ""b'", 'y'::ENUM ('x', 'y') AS e"""))
    table = source.read(["e", "a \"b'"])
    assert table.to_pydict() == {"e": ["y"], "a \"b'": [1]}
    assert table["e"].chunk(0).dictionary.to_pylist() == ["y"]
    assert isinstance(source.to_native(table), pa.Table)


def test_no_columns_no_table():
    assert open_source(TABLE).read([]).num_columns == 0


def test_frames_stay_as_they_were():
    frame = FRAMES["pandas"]()
    before = frame.copy(deep=True)
    source = open_source(frame)
    source.to_native(source.read(source.columns, as_text=source.columns))
    pd.testing.assert_frame_equal(frame, before)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), max_size=30), st.integers(1, 7))
def test_any_text_survives_in_any_frame(values, size):
    chunks = [pa.array(values[i : i + size], pa.string()) for i in range(0, len(values), size)]
    table = pa.table({"x": pa.chunked_array(chunks, pa.string())})
    encoded = pa.table({"x": pa.chunked_array([c.dictionary_encode() for c in chunks], DICTIONARY)})
    for data in (table, encoded, pl.from_arrow(table), pl.from_arrow(encoded), CONNECTION.from_arrow(table)):
        assert open_source(data).read(["x"])["x"].to_pylist() == values
