"""Row groups that were written side by side make a Parquet file that other programs read as one."""

from __future__ import annotations

import datetime
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.common.progress import silent
from sfumato.common.threads import at_most
from sfumato.io import parquet
from sfumato.io.parquet import as_parquet, write_parquet
from sfumato.io.parquet_footer import MAGIC, ThriftReader, written


def people(rows: int) -> pa.Table:
    random = np.random.default_rng(1)
    names = pa.array([f"name {number}" for number in range(40)])
    day = datetime.date(2020, 1, 1)
    return pa.table(
        {
            "age": random.integers(0, 99, rows),
            "name": names.take(pa.array(random.integers(0, 40, rows))).dictionary_encode(),
            "pay": pa.array(random.random(rows), mask=random.random(rows) < 0.1),
            "day": [day + datetime.timedelta(int(number)) for number in random.integers(0, 999, rows)],
            "note": [None if number % 5 == 0 else f"ä {number}" for number in range(rows)],
            "yes": random.random(rows) < 0.5,
            **{f"column {number}": np.full(rows, number) for number in range(20)},
        }
    )


@pytest.mark.parametrize("rows", [0, 1, 7, 100, 1_000])
def test_a_file_of_many_row_groups_is_the_table(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 37)
    table = people(rows)
    write_parquet(table, tmp_path / "people.parquet", silent)
    read = pq.read_table(tmp_path / "people.parquet")
    plain = table.set_column(1, "name", table["name"].cast(pa.string()))
    assert read.equals(plain.cast(read.schema))
    facts = pq.read_metadata(tmp_path / "people.parquet")
    assert facts.num_rows == rows
    assert facts.num_row_groups == max(1, -(-rows // 37))
    assert [facts.row_group(at).num_rows for at in range(facts.num_row_groups)][:-1] == [37] * (-(-rows // 37) - 1)
    [found] = duckdb.sql(f"SELECT count(*), sum(age), count(note) FROM '{tmp_path}/people.parquet'").fetchall()
    assert found == (rows, sum(table["age"].to_pylist()) if rows else None, rows - table["note"].null_count)


def test_row_groups_can_be_read_one_by_one_and_skipped_by_their_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 50)
    write_parquet(pa.table({"number": range(500)}), tmp_path / "numbers.parquet", silent)
    with pq.ParquetFile(tmp_path / "numbers.parquet") as file:
        assert file.read_row_group(7)["number"].to_pylist() == list(range(350, 400))
        ends = [file.metadata.row_group(at).column(0).statistics for at in range(10)]
    assert [(one.min, one.max) for one in ends] == [(50 * at, 50 * at + 49) for at in range(10)]


@pytest.mark.parametrize("threads", [2, 3, 7, 16])
def test_the_bytes_do_not_depend_on_the_number_of_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 41)
    with at_most(1):
        wanted = as_parquet(people(600))
    with at_most(threads):
        assert as_parquet(people(600)) == wanted


def test_one_row_group_is_written_as_arrow_writes_it() -> None:
    table = people(300)
    sink = pa.BufferOutputStream()
    with parquet._writer(sink, table.schema) as writer:
        writer.write_table(parquet.canonical(table))
    assert as_parquet(table) == sink.getvalue().to_pybytes()


def test_a_footer_is_written_as_it_was_read() -> None:
    file = as_parquet(people(50))
    length = int.from_bytes(file[-8:-4], "little")
    footer = file[-8 - length : -8]
    assert file.endswith(MAGIC)
    assert written(ThriftReader(footer).struct()) == footer


def test_long_fields_and_negative_numbers_survive() -> None:
    struct = ThriftReader(b"\x15\x01\x05\x80\x02\x7f\x00").struct()
    assert [(number, field.value) for number, field in struct.items()] == [(1, -1), (128, -64)]
    assert written(struct) == b"\x15\x01\x05\x80\x02\x7f\x00"
    with pytest.raises(ValueError, match="type 11"):
        ThriftReader(b"\x1b\x00").struct()
