"""SQLite, Arrow, fixed width and packed text, each written by somebody else."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import lzma
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SourceError
from sfumato.io import open_source

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}
TEXTS = {
    "a.csv": "age,city\n34,Łódź\n51,Bonn\n",
    "a.jsonl": '{"age": 34, "city": "Łódź"}\n{"age": 51, "city": "Bonn"}\n',
}
TEXTS["a.json"] = '[{"age": 34, "city": "Łódź"},\n {"age": 51, "city": "Bonn"}]'
TEXTS["a.tsv"] = TEXTS["a.csv"].replace(",", "\t")
TEXTS["a.fwf"] = "age city\n34  Łódź\n51  Bonn\n"


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", TEXTS)
def test_packed_text_is_read_and_checked(tmp_path: Path, name: str, packing: str) -> None:
    path = tmp_path / f"{name}{packing}"
    path.write_bytes(PACKINGS[packing](TEXTS[name].encode()))
    source = open_source(path)
    assert source.read(source.columns).to_pydict() == {"age": [34, 51], "city": ["Łódź", "Bonn"]}
    assert sf.check(path, quasi_identifiers="city", k=1).rows == 2


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_text_that_was_cut_short_is_refused(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"a.csv{packing}"
    content = PACKINGS[packing](b"age,city\n" + b"".join(b"%d,x%d\n" % (n, n * n) for n in range(2_000)))
    for broken in (content[: len(content) // 2], b"age,city\n1,x\n"):
        path.write_bytes(broken)
        with pytest.raises(SourceError, match=r"a\.csv\.\w+'"):
            sf.anonymize(path, quasi_identifiers="age", rest="drop", k=1)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (age INTEGER, city TEXT, born TEXT, pay, code, photo BLOB, none)")
        rows = [(34, "Łódź", "1990-01-02", 1, "A"), (51, None, "1931-12-31", 2.5, 7), (None, "", None, None, "B")]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, x'00', NULL)", rows)
        connection.execute('CREATE VIEW "the old" AS SELECT age FROM people WHERE age > 40')
    return path


def test_a_table_of_sqlite_has_the_types_of_its_values(database: Path) -> None:
    with pytest.raises(SourceError, match=r"has 2 tables: 'people', 'the old'\. Choose one"):
        open_source(database)
    source = open_source(database, sheet="people")
    assert source.read(["age", "city", "born", "pay", "code", "none"]).to_pydict() == {
        "age": [34, 51, None],
        "city": ["Łódź", None, ""],
        "born": [dt.date(1990, 1, 2), dt.date(1931, 12, 31), None],
        "pay": [1.0, 2.5, None],
        "code": ["A", "7", "B"],
        "none": [None, None, None],
    }
    assert source.read(["age"], as_text=["age"])["age"].to_pylist() == ["34", "51", None]
    with pytest.raises(DataError, match="'photo' holds binary data"):
        source.read(["photo"])
    assert open_source(database, sheet="the old").read(["age"])["age"].to_pylist() == [51]
    with pytest.raises(ParameterError, match="no table 'x'"):
        open_source(database, sheet="x")


def test_a_damaged_database_is_refused(database: Path) -> None:
    database.write_bytes(database.read_bytes()[:100] + b"SECRET" * 700)
    with pytest.raises(SourceError, match="is not an SQLite database"):
        open_source(database)


@pytest.mark.parametrize("compression", ["lz4", "uncompressed"])
def test_feather_as_pandas_and_arrow_write_it(tmp_path: Path, compression: str) -> None:
    frame = pd.DataFrame({"age": [34, 51], "city": pd.Categorical(["Łódź", None], ["Bonn", "Łódź"])})
    frame.to_feather(tmp_path / "a.feather", compression=compression)
    source = open_source(tmp_path / "a.feather")
    table = source.read(source.columns)
    assert table.to_pydict() == {"age": [34, 51], "city": ["Łódź", None]}
    assert table["city"].chunk(0).dictionary.to_pylist() == ["Łódź"]
    assert sf.check(tmp_path / "a.feather", quasi_identifiers=["age", "city"], k=1).rows == 2


def test_a_stream_of_arrow_and_what_is_none(tmp_path: Path) -> None:
    table = pa.table({"age": [34, 51]})
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    assert open_source(tmp_path / "a.arrow").read(["age"]) == table
    content = (tmp_path / "a.arrow").read_bytes()
    for broken in (b"age\n34\n", content[: len(content) // 2], b"ARROW1\0\0SECRET"):
        (tmp_path / "b.arrow").write_bytes(broken)
        with pytest.raises(SourceError, match="is not an Arrow or Feather file"):
            open_source(tmp_path / "b.arrow").read(["age"])


FIXED = "name      ageborn\nSmith      341990-01-02\nÅsa Öberg  51\n\nLee       1021931-12-31\n"


def test_fixed_width_by_a_layout(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIXED.partition("\n")[2], encoding="utf-8")
    source = open_source(tmp_path / "a.txt", layout="name 1-10, age 11-13, born 14-23")
    assert source.read(source.columns).to_pydict() == {
        "name": ["Smith", "Åsa Öberg", "Lee"],
        "age": [34, 51, 102],
        "born": [dt.date(1990, 1, 2), None, dt.date(1931, 12, 31)],
    }
    assert source.remarks == ()
    release = sf.anonymize(tmp_path / "a.txt", quasi_identifiers="age", rest="drop", k=3, layout="age 11-13")
    assert release.verification.rows == 3


def test_fixed_width_is_found_by_blanks_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.fwf").write_bytes("name  zip   pay\nÅsa   02139  1.5\nLee   10001   20\n".encode("cp1252"))
    source = open_source(tmp_path / "a.fwf")
    assert source.read(source.columns).to_pydict() == {
        "name": ["Åsa", "Lee"],
        "zip": ["02139", "10001"],
        "pay": [1.5, 20.0],
    }
    assert "3 columns, parted by the blanks" in str(source.remarks[0])
    assert "read as cp1252" in str(source.remarks[1])


@pytest.mark.parametrize("layout", ["", "name", "name 10-1", "name 0-3", "1-3"])
def test_a_layout_that_is_none_is_refused(tmp_path: Path, layout: str) -> None:
    (tmp_path / "a.fwf").write_text(FIXED, encoding="utf-8")
    with pytest.raises(ParameterError, match="'layout' parameter of open_source must be columns with their places"):
        open_source(tmp_path / "a.fwf", layout=layout)
    with pytest.raises(ParameterError, match="A layout is for text"):
        open_source(_parquet(tmp_path), layout="name 1-3")


def _parquet(folder: Path) -> Path:
    pa.parquet.write_table(pa.table({"a": [1]}), folder / "a.parquet")
    return folder / "a.parquet"
