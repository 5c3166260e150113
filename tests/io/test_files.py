"""Parquet and JSON files, and paths that lead nowhere."""

import datetime as dt
import gzip
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, SchemaError, SourceError
from sfumato.io import open_source
from sfumato.io.columns import DICTIONARY

ENDINGS = [".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".pq", ".jsonl", ".ndjson", ".json"]


@pytest.fixture
def parquet(tmp_path):
    """Write a Parquet file and open it."""

    def run(table, name="people.parquet", **options):
        pq.write_table(table, tmp_path / name, **options)
        return open_source(tmp_path / name)

    return run


@pytest.fixture
def jsonl(tmp_path):
    """Write a JSON file and open it."""

    def run(text, name="people.jsonl"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return open_source(tmp_path / name)

    return run


def test_parquet_keeps_types_and_makes_text_a_dictionary(parquet):
    table = pa.table(
        {
            "n": pa.array([1, None], pa.int32()),
            "s": ["x", None],
            "d": [dt.date(2020, 1, 1), None],
            "t": pa.array([dt.datetime(2020, 1, 1), None], pa.timestamp("us", "UTC")),
            "zip": ["02139", ""],
        }
    )
    source = parquet(table)
    read = source.read(source.columns)
    assert source.kind == "parquet"
    assert read.to_pydict() == table.to_pydict()
    assert read.schema.types == [pa.int32(), DICTIONARY, pa.date32(), pa.timestamp("us", "UTC"), DICTIONARY]


def test_parquet_columns_by_choice_order_and_as_text(parquet):
    source = parquet(pa.table({"a": [1], "b": [2.5], "c": ["x"]}))
    read = source.read(["c", "a"], as_text=["a"])
    assert read.to_pydict() == {"c": ["x"], "a": ["1"]}


def test_parquet_of_categories_and_many_row_groups(parquet):
    words = [f"w{i % 50}" for i in range(20_000)]
    source = parquet(pa.table({"w": pa.array(words).dictionary_encode()}), row_group_size=1000)
    column = source.read(["w"])["w"]
    assert column.to_pylist() == words
    assert len(column.chunk(0).dictionary) == 50


def test_parquet_names_that_differ_in_case_or_need_quotes(parquet):
    table = pa.table({"age": [1], "Age": [2], "a'b\"c": [3], "größe; --": [4]})
    source = parquet(table, "it's [1] *ü.parquet")
    assert source.columns == tuple(table.column_names)
    assert source.read(["Age", "größe; --", "a'b\"c", "age"]).to_pydict() == {
        "Age": [2],
        "größe; --": [4],
        "a'b\"c": [3],
        "age": [1],
    }


def test_parquet_with_a_name_twice(parquet):
    with pytest.raises(SchemaError, match="both named 'a'"):
        parquet(pa.table([[1], [2]], names=["a", "a"]))


def test_parquet_without_rows(parquet):
    source = parquet(pa.table({"a": pa.array([], pa.string()), "n": pa.array([], pa.int64())}))
    read = source.read(["a", "n"])
    assert read.num_rows == 0
    assert read.schema.types == [DICTIONARY, pa.int64()]


def test_parquet_nested_columns_only_hurt_when_read(parquet):
    source = parquet(pa.table({"a": [1], "l": [[1, 2]], "b": [b"x"]}))
    assert source.read(["a"]).num_rows == 1
    for name in ("l", "b"):
        with pytest.raises(DataError, match=f"Column '{name}' is of type"):
            source.read([name])


def test_a_file_gives_an_arrow_table_without_unused_values_or_their_first_order(parquet):
    source = parquet(pa.table({"a": ["z", "a", "m"]}))
    kept = source.read(["a"]).take([2, 0]).replace_schema_metadata({"x": "y"})
    native = source.to_native(kept)
    assert native["a"].to_pylist() == ["m", "z"]
    assert native["a"].chunk(0).dictionary.to_pylist() == ["m", "z"]
    assert native.schema.metadata is None


@pytest.mark.parametrize("damage", ["text", "cut", "zeros"])
def test_parquet_that_is_none(tmp_path, damage):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"a": ["SECRET"] * 1000}), path)
    whole = path.read_bytes()
    path.write_bytes({"text": b"a,b\nSECRET,2\n", "cut": whole[: len(whole) // 2], "zeros": bytes(100)}[damage])
    with pytest.raises(SourceError, match=r"people\.parquet' is not a Parquet file, or was cut short") as caught:
        open_source(path)
    assert "SECRET" not in str(caught.value)


def test_parquet_damaged_in_the_middle(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"a": [f"SECRET{i}" for i in range(5000)]}), path)
    content = bytearray(path.read_bytes())
    content[8:400] = os.urandom(392)
    path.write_bytes(content)
    source = open_source(path)
    with pytest.raises(SourceError, match="damaged") as caught:
        source.read(["a"])
    assert "SECRET" not in str(caught.value)


def test_json_lines(jsonl):
    source = jsonl(
        '{"n": 1, "f": 1.5, "s": "x", "zip": "02139", "d": "2020-01-02", "b": true}\n'
        '{"n": null, "s": "", "d": null, "late": 5}\n'
    )
    table = source.read(source.columns)
    assert source.kind == "jsonl"
    assert table.to_pydict() == {
        "n": [1, None],
        "f": [1.5, None],
        "s": ["x", ""],
        "zip": ["02139", None],
        "d": [dt.date(2020, 1, 2), None],
        "b": [True, None],
        "late": [None, 5],
    }


def test_json_as_text_is_the_text_of_the_file(jsonl):
    source = jsonl('{"d": "2020-01-02T10:00:00Z", "n": 7}\n{"d": "2020-01-03T10:00:00Z", "n": 8}\n')
    assert source.read(["d", "n"], as_text=["d", "n"]).to_pydict() == {
        "d": ["2020-01-02T10:00:00Z", "2020-01-03T10:00:00Z"],
        "n": ["7", "8"],
    }


def test_json_of_mixed_types_becomes_text(jsonl):
    source = jsonl('{"a": 1}\n' * 30_000 + '{"a": "x"}\n')
    assert source.read(["a"])["a"].unique().to_pylist() == ["1", "x"]


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a": 2}]', '{"a": 1}\n{"a": 2}\n', '[\n{"a": 1},\n{"a": 2}\n]\n'])
def test_json_arrays(jsonl, text):
    assert jsonl(text, "people.json").read(["a"])["a"].to_pylist() == [1, 2]


def test_packed_json_lines(jsonl):
    assert jsonl(gzip.compress(b'{"a": 1}\n'), "people.jsonl.gz").read(["a"])["a"].to_pylist() == [1]


def test_json_rows_that_share_few_keys_are_still_columns(jsonl):
    source = jsonl("".join(f'{{"id": {i}, "k{i}": 1}}\n' for i in range(300)))
    assert len(source.columns) == 301


def test_json_nested_columns_only_hurt_when_read(jsonl):
    source = jsonl('{"a": 1, "o": {"x": 1}, "l": [1]}\n')
    assert source.read(["a"]).num_rows == 1
    for name in ("o", "l"):
        with pytest.raises(DataError, match=f"Column '{name}' is of type"):
            source.read([name])


def test_json_keys_that_differ_only_in_case(jsonl):
    with pytest.raises(SchemaError, match="differ from 'A' only in case"):
        jsonl('{"a": 1}\n{"a": 2, "A": 3}\n')


def test_json_keys_that_only_look_renamed(jsonl):
    source = jsonl('{"street": "x", "street_1": "y", "it\'s \\"q\\"": 1}\n')
    assert source.read(["street_1", 'it\'s "q"']).to_pydict() == {"street_1": ["y"], 'it\'s "q"': [1]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1}\nSECRET\n{"a": 2}\n', 2),
        ('{"a": 1}\n\n{"a": "SECRET\n', 3),
        ('{"a": 1}\n["SECRET"]\n', 2),
        (b'{"a": 1}\n{"a": "SECRET\xff"}\n', 2),
        ('{"a": 1, "a": "SECRET"}\n', 1),
    ],
)
def test_broken_json_lines_say_where_and_quote_nothing(jsonl, text, line):
    with pytest.raises(SourceError, match=f"In line {line} it is not") as caught:
        jsonl(text).read(["a"])
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"PAR1\0\0", b"[1, 2]", b"5", b'{"a": 1'])
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_json_that_is_none(jsonl, content, ending):
    with pytest.raises(SourceError, match="must hold"):
        jsonl(content, f"people{ending}").read([])


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_files_are_named(tmp_path, ending):
    with pytest.raises(SourceError, match=r"There is no file '.*nobody\..*' *. Check the path"):
        open_source(str(tmp_path / f"nobody{ending}"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_directories_are_named(tmp_path, ending):
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(SourceError, match="is a directory"):
        open_source(tmp_path / f"folder{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_without_a_byte_are_named(tmp_path, ending):
    path = tmp_path / f"people{ending}"
    path.touch()
    with pytest.raises(SourceError, match=r"people.* is empty"):
        open_source(path)


def test_no_permission(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(SourceError, match="may not be read"):
        open_source(path)


def test_an_input_error_of_the_disk(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")

    def fail(*_args, **_kwargs):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("builtins.open", fail)
    with pytest.raises(SourceError, match="cannot be read: Input/output error"):
        open_source(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_before_it_blocks(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(SourceError, match="not a regular file"):
        open_source(tmp_path / "pipe.csv")


@pytest.mark.parametrize("name", ["people.docx", "people", "people.parquet.gz", "people.gz", ".csv"])
def test_unknown_endings_list_the_known(tmp_path, name):
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(SourceError, match=r"unknown ending\. Known are \.csv, .*\.zst.*\.xlsx"):
        open_source(tmp_path / name)


def test_an_impossible_path():
    with pytest.raises(SourceError, match="cannot be read: the path is not valid"):
        open_source("a\0b.csv")


def test_a_file_that_vanishes_between_opening_and_reading(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    source = open_source(path)
    path.unlink()
    with pytest.raises(SourceError, match=r"people\.csv"):
        source.read(["a"])


def test_parquet_columns_whose_names_look_nested_are_told_apart(tmp_path):
    table = pa.table({"a": [1, 2], "a.b": ["x", "y"], "A": [3, 4], "a.b.c": [5.0, 6.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    source = open_source(tmp_path / "t.parquet")
    for names in (["a"], ["a.b"], ["A", "a"], ["a.b.c", "a.b", "A", "a"]):
        read = source.read(names)
        assert read.column_names == names
        assert {name: read[name].to_pylist() for name in names} == {name: table[name].to_pylist() for name in names}
