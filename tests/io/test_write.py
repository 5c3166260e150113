"""Files come out whole or not at all, and bring nothing along."""

import datetime as dt
import errno
import io
import json
import math
import os
import re
import stat
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.errors import DataError, OutputError, ParameterError
from sfumato.io import atomic, check_writable, open_source, write_table, write_text
from sfumato.io import lines as lines_of_text
from sfumato.io import parquet as parquet_files
from sfumato.io import spss_stata_sas as statistics_writing
from sfumato.io.csv import csv_chunks, without_formulas
from sfumato.io.json import jsonl_chunks

STATISTICS = ["sav", "zsav", "dta"]
ENDINGS = ["csv", "tsv", "parquet", "pq", "jsonl", "ndjson", "arrow", "feather", *STATISTICS]

TABLE = pa.table(
    {
        "age": pa.array(["[25, 27]", "*", None]).dictionary_encode(),
        "n": pa.array([1, None, 3], pa.int32()),
        "f": [1.5, None, -2.0],
        "note": ['say "hi", all', "two\nlines", "größe"],
        "born": [dt.date(1990, 1, 2), None, dt.date(1980, 12, 31)],
        "seen": pa.array(
            [dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 1, 12, 0, 0, 500000), None], pa.timestamp("us")
        ),
        "alive": [True, None, False],
    }
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again(tmp_path, ending):
    path = tmp_path / f"release.{ending}"
    write_table(TABLE, path)
    source = open_source(path)
    read = source.read(source.columns)
    words = {"alive": ["true", None, "false"]} if ending in STATISTICS else {}
    assert read.to_pydict() == TABLE.to_pydict() | words
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_table_gives_the_same_bytes(tmp_path, ending):
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    write_table(TABLE, str(first))
    # The same values, from other chunks and another dictionary.
    shuffled = pa.array(["unused", None, "*", "[25, 27]"]).dictionary_encode().slice(1)
    same = shuffled.take(pa.array([2, 1, 0]))
    pieces = pa.chunked_array([same.slice(0, 1), same.slice(1)])
    write_table(TABLE.set_column(0, "age", pieces), second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_of_the_original_comes_along(tmp_path, ending):
    frame = pd.DataFrame(
        {
            "city": pd.Categorical(
                ["Rome", "Oslo", "PLANTED-dropped"], categories=["PLANTED-unused", "Oslo", "Rome", "PLANTED-dropped"]
            ),
            "n": [1, 2, 3],
        },
        index=pd.Index(["PLANTED-1", "PLANTED-2", "PLANTED-3"], name="PLANTED-index"),
    )
    frame.attrs["PLANTED-attribute"] = "PLANTED"
    table = pa.Table.from_pandas(frame).drop_columns(["PLANTED-index"]).slice(0, 2)
    schema = table.schema.set(1, pa.field("n", pa.int64(), metadata={"PLANTED-field": "PLANTED"}))
    table = table.cast(schema.with_metadata({**table.schema.metadata, b"PLANTED-schema": b"PLANTED"}))
    path = tmp_path / f"release.{ending}"
    # Uncompressed, so that the bytes show what is there.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_files, "COMPRESSION", "none")
        write_table(table, path)
    content = path.read_bytes()
    assert b"Rome" in content
    assert b"PLANTED" not in content
    assert b"pandas" not in content
    assert b"ARROW:schema" not in content


def test_parquet_has_no_metadata_of_its_own_and_sane_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.io.parquet.ROW_GROUP_ROWS", 2)
    write_table(TABLE, tmp_path / "a.parquet")
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert file.metadata.metadata is None
    assert file.metadata.num_row_groups == 2
    assert file.read().to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_without_rows(tmp_path, ending):
    path = tmp_path / f"empty.{ending}"
    write_table(TABLE.slice(0, 0), path)
    if ending.endswith("json") or ending == "jsonl":
        assert path.read_bytes() == b""
    else:
        assert open_source(path).columns == tuple(TABLE.column_names)
        assert open_source(path).read(["n"]).num_rows == 0


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+1-cmd", "'+1-cmd"),
        ("-x", "'-x"),
        ("-", "'-"),
        ("\tx", "'\tx"),
        ("\rx", '"\'\rx"'),
        ("\nx", '"\'\nx"'),
        ("=a,b", '"\'=a,b"'),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-.5e-3", "-.5e-3"),
        ("-5\n", '"\'-5\n"'),
        ("a=b", "a=b"),
        ("'=x", "''=x"),
        ("''=x", "'''=x"),
        ("'-5", "''-5"),
        ("\ufeff=x", '"\ufeff\'=x"'),
        (" =x", " '=x"),
        ("a;=x", "a;'=x"),
        ("a;'=x", "a;''=x"),
        ("a\t@x", "a\t'@x"),
        ("a;-5;b", "a;-5;b"),
        ("a\n=x", '"a\n\'=x"'),
        ("\uff1dx", "'\uff1dx"),
        ("[-5, 3]", '"[-5, 3]"'),
        ("", '""'),
        (None, ""),
    ],
)
@pytest.mark.parametrize("encoded", [False, True])
def test_cells_that_a_spreadsheet_would_run(tmp_path, cell, written, encoded):
    column = pa.array([cell, "x"], pa.string())
    write_table(pa.table({"a": column.dictionary_encode() if encoded else column, "b": [1, 2]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode() == f"a,b\n{written},1\nx,2\n"


def test_names_that_a_spreadsheet_would_run(tmp_path):
    write_table(pa.table({"=a": [-1], "b,c": [2]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == '\'=a,"b,c"\n-1,2\n'


def test_csv_is_plain_to_read(tmp_path):
    write_table(TABLE.slice(0, 1).drop_columns(["note"]), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == (
        'age,n,f,born,seen,alive\n"[25, 27]",1,1.5,1990-01-02,2020-01-01 12:00:00,true\n'
    )


def test_json_lines_are_typed(tmp_path):
    table = pa.table(
        {
            'q"k': ['a"b', None],
            "n": [1, None],
            "f": [float("nan"), float("-inf")],
            "b": [True, False],
            "ü": ["é", "\n\u2028"],
        }
    )
    write_table(table, tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {'q"k': 'a"b', "n": 1, "f": None, "b": True, "ü": "é"},
        {'q"k': None, "n": None, "f": "-inf", "b": False, "ü": "\n\u2028"},
    ]


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([None, "", " ", "x"], '""\n""\n" "\nx\n'),
        ([1.0, None, float("inf"), float("-inf"), float("nan"), -0.0], '1\n""\ninf\n-inf\n""\n0\n'),
    ],
)
def test_a_table_of_one_column_has_no_empty_line(tmp_path, values, written):
    write_table(pa.table({"a": values}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == f"a\n{written}"
    assert len(pd.read_csv(tmp_path / "a.csv")) == len(values)


@pytest.mark.parametrize("table", [{"a": ["x\0y"]}, {"a\0": ["x"]}])
def test_a_character_at_which_readers_stop_is_refused(tmp_path, table):
    with pytest.raises(DataError, match=r"holds the character NUL.*Remove it"):
        write_table(pa.table(table), tmp_path / "a.csv")
    assert os.listdir(tmp_path) == []


@given(
    st.lists(st.text("'=+-;|\t\n 1]\ufeff\"a", max_size=6), min_size=2, max_size=12, unique=True),
    st.sampled_from(",\t"),
)
def test_what_is_different_stays_different(texts, separator):
    guarded = without_formulas(pa.array(texts, pa.large_string()), separator).to_pylist()
    assert len(set(guarded)) == len(texts)
    pieces = [piece for text in guarded for piece in re.split(r"[;|\r\n]", text)]
    assert not [piece for piece in pieces if re.match(r"[=@]|[+-](?![\d.])", piece.lstrip('\ufeff "'))]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6),
            st.none() | st.integers(-5, 5),
            st.none() | st.floats(),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 5),
)
def test_any_table_survives_as_text(rows, size):
    texts, integers, floats = (list(column) for column in zip(*rows, strict=True))
    table = pa.table(
        {"t": pa.array(texts, pa.string()), "i": pa.array(integers, pa.int64()), "f": pa.array(floats, pa.float64())}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_of_text, "CHUNK_ROWS", size)
        lines = b"".join(bytes(chunk) for chunk in jsonl_chunks(table)).decode()
        text = b"".join(bytes(chunk) for chunk in csv_chunks(table, ","))
    known = [None if f is None or math.isnan(f) else f for f in floats]
    written = [f if f is None or math.isfinite(f) else str(f) for f in known]
    assert [json.loads(line) for line in lines.split("\n")[:-1]] == [
        {"t": t, "i": i, "f": f} for t, i, f in zip(texts, integers, written, strict=True)
    ]
    read = pyarrow.csv.read_csv(
        io.BytesIO(text),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=table.schema, strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
        ),
    )
    plain = [t if t is None else t.replace("'", "") for t in texts]
    assert [t if t is None else t.replace("'", "") for t in read["t"].to_pylist()] == plain
    assert read["i"].to_pylist() == integers
    assert read["f"].to_pylist() == known


@pytest.mark.parametrize("name", ["release.docx", "release", "release.csv.gz", ".csv"])
def test_unknown_endings_list_the_known(tmp_path, name):
    for act in (lambda: write_table(TABLE, tmp_path / name), lambda: check_writable(tmp_path / name)):
        with pytest.raises(ParameterError, match=r"ends in one of \.csv, \.tsv, \.parquet"):
            act()
    assert os.listdir(tmp_path) == []


def _raise(error):
    def run(*_args, **_kwargs):
        raise error

    return run


def _break_half_way(monkeypatch, ending, error):
    """Let the writer of a format fail after it has written something."""
    if ending in ("parquet", "pq"):
        monkeypatch.setattr("sfumato.io.parquet.ROW_GROUP_ROWS", 1)
        original, calls = pq.ParquetWriter.write_table, []

        def write(self, table, *args, **kwargs):
            calls.append(1)
            if len(calls) > 1:
                raise error
            original(self, table, *args, **kwargs)

        monkeypatch.setattr(pq.ParquetWriter, "write_table", write)
        return
    monkeypatch.setattr(pa.ipc.RecordBatchFileWriter, "write_table", _raise(error), raising=False)

    def half(frame, path, *_args):
        path.write_bytes(b"half")
        raise error

    monkeypatch.setattr(statistics_writing, "_write", half)

    def chunks(*_args):
        yield b"half"
        raise error

    monkeypatch.setattr("sfumato.io.csv.csv_chunks", chunks)
    monkeypatch.setattr("sfumato.io.json.jsonl_chunks", chunks)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("existing", [True, False])
def test_an_interrupt_half_way_leaves_no_file(tmp_path, monkeypatch, ending, existing):
    path = tmp_path / f"release.{ending}"
    if existing:
        path.write_text("as it was")
    _break_half_way(monkeypatch, ending, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        write_table(TABLE, path)
    assert os.listdir(tmp_path) == ([path.name] if existing else [])
    assert not existing or path.read_text() == "as it was"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_is_said_and_leaves_no_file(tmp_path, monkeypatch, ending):
    _break_half_way(monkeypatch, ending, OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(OutputError, match=r"release.* cannot be written: the disk is full"):
        write_table(TABLE, tmp_path / f"release.{ending}")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_at_the_very_end_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "release.csv"
    path.write_text("as it was")
    monkeypatch.setattr(os, step, _raise(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OutputError, match="Input/output error"):
        write_table(TABLE, path)
    assert os.listdir(tmp_path) == ["release.csv"]
    assert path.read_text() == "as it was"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_disk_that_is_really_full(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "_temporary", lambda _folder: nullcontext((0, Path("/dev/full"))))
    with pytest.raises(OutputError, match="the disk is full"):
        write_text(tmp_path / "a.json", "x" * 100_000)


@pytest.mark.parametrize(
    "act", [lambda path: write_table(TABLE, path), check_writable, lambda path: write_text(path, "x")]
)
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nowhere/a.csv", "its directory does not exist"),
        ("file/a.csv", "its directory does not exist"),
        ("folder.csv", "it is a directory"),
        ("a\0b.csv", "the path is not valid"),
        ("x" * 300 + ".csv", "cannot be written"),
    ],
)
def test_places_that_cannot_be_written(tmp_path, act, place, message):
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OutputError, match=message):
        act(f"{tmp_path}/{place}")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.csv"]


def test_no_permission(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "open", _raise(PermissionError(errno.EACCES, "Permission denied")))
    with pytest.raises(OutputError, match="permission denied"):
        check_writable(tmp_path / "a.csv")


def test_check_writable_leaves_nothing_and_touches_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("as it was")
    check_writable(path)
    check_writable(tmp_path / "new.parquet")
    check_writable(tmp_path / "manifest.json", table=False)
    assert os.listdir(tmp_path) == ["a.csv"]
    assert path.read_text() == "as it was"


def test_a_link_stays_a_link_and_permissions_stay(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_text(link, "new\nlines ü")
    assert link.is_symlink()
    assert real.read_bytes() == "new\nlines ü".encode()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write_table(TABLE, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_mode == (tmp_path / "usual").stat().st_mode
