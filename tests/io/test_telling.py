"""How far reading and writing are is told as it goes, where it is known or can be guessed."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.io import files, open_source, write_table

ROWS = 4_000


@pytest.fixture
def table():
    return pa.table({"number": range(ROWS), "word": [f"word {row % 7}" for row in range(ROWS)]})


def told_by_reading(data):
    told = []
    source = open_source(data)
    read = source.read(source.columns, tell=told.append)
    assert read.num_rows == ROWS
    return told


def advances(told):
    """Whether shares only grow, from what is not yet everything to everything."""
    return told == sorted(told) and 0 < told[0] < 1 and told[-1] == 1 and len(set(told)) > 2


def text_file(path, kind, table):
    rows = table.to_pylist()
    if kind == "csv":
        text = "number,word\n" + "".join(f"{row['number']},{row['word']}\n" for row in rows)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_text_is_guessed_from_its_size(kind, table, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "BATCH_ROWS", 1_000)  # the engine may make batches a little larger
    told = told_by_reading(text_file(tmp_path / f"table.{kind}", kind, table))
    assert advances(told)
    assert told[0] < 0.5 * files.PARSING + 0.1, "the first batch is not yet everything"


def test_lines_are_guessed_well(table, tmp_path):
    path = text_file(tmp_path / "table.csv", "csv", table)
    assert files.guessed_lines(path) == ROWS + 1
    assert 0.8 * ROWS < files.guessed_lines(path, sample=2_000) < 1.3 * ROWS
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r"))
    assert files.guessed_lines(path) == ROWS + 1


def test_a_packed_file_is_read_without_a_guess(table, tmp_path):
    path = text_file(tmp_path / "table.csv", "csv", table)
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert files.guessed_lines(packed) == 0
    told = told_by_reading(packed)
    assert told == sorted(told)
    assert told[0] > files.PARSING, "only the columns are told"


@pytest.mark.parametrize("group_rows", [1_000, 70])
def test_parquet_is_told_by_row_groups(group_rows, table, tmp_path):
    path = tmp_path / "table.parquet"
    pq.write_table(table, path, row_group_size=group_rows)
    told = told_by_reading(path)
    assert advances(told)
    assert len(told) <= 20
    again = open_source(path).read(["number", "word"])
    assert again["number"].to_pylist() == table["number"].to_pylist()
    assert again["word"].to_pylist() == table["word"].to_pylist()


def test_frames_are_told_by_columns(table):
    assert told_by_reading(pd.DataFrame({"number": table["number"], "word": table["word"]})) == [0.5, 1.0]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_writing_is_told_by_batches(ending, table, tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.io.lines.CHUNK_ROWS", 1_000)
    monkeypatch.setattr("sfumato.io.parquet.ROW_GROUP_ROWS", 1_000)
    told = []
    write_table(table, tmp_path / f"table.{ending}", told.append)
    assert told[:4] == [0.25, 0.5, 0.75, 1.0]
    assert set(told[4:]) <= {1.0}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_nothing_to_write_is_soon_told(ending, table, tmp_path):
    told = []
    write_table(table.slice(0, 0), tmp_path / f"table.{ending}", told.append)
    assert told == [1.0]
