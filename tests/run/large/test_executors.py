"""What executors do with rows, tried here without any: packing, counting and bringing parts together."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from sfumato.run.large.engine import COUNT, Finished
from sfumato.run.large.spark import executors
from sfumato.run.large.spark.executors import (
    CELL,
    PART,
    ROWS,
    TASK,
    TOLD,
    AsFile,
    BatchSteps,
    CountGroups,
    CountValues,
    OnOnePart,
    Scatter,
    ScatterToFiles,
    Work,
    filed_schema,
    packed,
    stored_schema,
    unpacked,
    with_count,
)

ROWS_HERE = 1_000


@pytest.fixture
def batch() -> pa.RecordBatch:
    """Return rows in types that Spark does not have, with gaps."""
    random = np.random.default_rng(4)
    words = pa.array(random.integers(0, 2, ROWS_HERE), pa.int32(), mask=random.random(ROWS_HERE) < 0.1)
    columns = {
        "key": pa.array(random.integers(0, 1 << 64, ROWS_HERE, np.uint64)),
        "word": pa.DictionaryArray.from_arrays(words, ["a", "b", "never seen"]),
        "text": pa.array([f"{row} " * 20 for row in range(ROWS_HERE)]),
        "part": pa.array(random.integers(0, 5, ROWS_HERE), pa.uint32()),
    }
    return pa.RecordBatch.from_pydict(columns)


def test_what_is_packed_comes_out_whatever_the_size_of_cells(
    batch: pa.RecordBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room, cells in ((1 << 26, 1), (10_000, 5)):
        monkeypatch.setattr(executors, "CELL_BYTES", room)
        made = pa.Table.from_batches(packed(batch))
        assert made.num_rows >= cells
        assert pc.sum(made.column(ROWS)).as_py() == ROWS_HERE
        assert pa.Table.from_batches(unpacked(made.column(CELL))).equals(pa.Table.from_batches([batch]))
    assert not list(unpacked([None]))


def test_a_file_of_parquet_is_a_cell(batch: pa.RecordBatch) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_batches([batch]), sink)
    [read] = unpacked(pa.array([sink.getvalue().to_pybytes()], pa.binary()))
    assert read.to_pylist() == batch.to_pylist()


def test_steps_follow_one_another_from_plain_rows_as_from_packed_ones(batch: pa.RecordBatch) -> None:
    def first_half(rows: pa.RecordBatch) -> pa.RecordBatch:
        return rows.slice(0, rows.num_rows // 2)

    cells = pa.RecordBatch.from_arrays([pa.Table.from_batches(packed(batch)).column(CELL).combine_chunks()], [CELL])
    for steps, given in ((BatchSteps(), cells), (BatchSteps(batch.schema), batch)):
        [made] = steps.then(first_half).then(first_half).batches(iter([given]))
        assert made.equals(batch.slice(0, ROWS_HERE // 4))


def test_counts_are_those_of_the_rows(batch: pa.RecordBatch) -> None:
    columns = ("word", "part")
    given = with_count(stored_schema(pa.schema([batch.schema.field(name) for name in columns])))
    rows = pa.Table.from_batches([batch]).select(columns).to_pylist()
    groups = [
        one
        for made in Work(BatchSteps(batch.schema), CountGroups(columns, given))(iter([batch]))
        for one in made.to_pylist()
    ]
    assert sum(group[COUNT] for group in groups) == ROWS_HERE
    assert all(group[COUNT] == rows.count({name: group[name] for name in columns}) for group in groups)
    named = with_count(pa.schema([("of", pa.int32()), ("c0", pa.string()), ("c1", pa.int64())]))
    values = [one for made in CountValues(columns, named)(batch) for one in made.to_pylist()]
    for at, name in enumerate(columns):
        own = [one for one in values if one["of"] == at]
        assert {one[f"c{at}"]: one[COUNT] for one in own} == {
            value: [row[name] for row in rows].count(value) for value in {row[name] for row in rows}
        }
        assert all(one[f"c{1 - at}"] is None for one in own)


def test_a_part_comes_together_in_one_order_whoever_brings_it(batch: pa.RecordBatch) -> None:
    def tell(part: int, rows: pa.Table) -> Finished:
        return Finished(rows.slice(0, 3), (part, rows.num_rows))

    halves = [batch.slice(0, 400), batch.slice(400)]
    found = []
    for order in (halves, halves[::-1]):
        cells = pa.Table.from_batches([made for half in order for made in Scatter("part", (7, 11))(half)])
        assert set(zip(cells.column(PART).to_pylist(), cells.column(TASK).to_pylist(), strict=True)) == {
            (part, (7, 11)[part % 2]) for part in range(5)
        }
        done = OnOnePart(tell, batch.schema)((pa.scalar(11), pa.scalar(3)), cells.filter(pc.field(PART) == 3))
        kept = pa.Table.from_batches(unpacked(done.column(CELL)))
        assert kept.num_rows == 3
        found.append((kept.to_pylist(), pickle.loads(done.column(TOLD).to_pylist()[-1])))
    assert found[0] == found[1]
    assert found[0][1] == (3, batch.column("part").to_pylist().count(3))


def test_files_hold_their_rows_in_the_order_of_random_places_and_nothing_else(batch: pa.RecordBatch) -> None:
    tasks = (5, 6, 8)
    given = filed_schema(pa.schema([one for one in batch.schema if one.name != "key"]))
    halves = [batch.slice(0, 400), batch.slice(400)]
    files = []
    for order in (halves, halves[::-1]):
        cells = pa.Table.from_batches([made for half in order for made in ScatterToFiles("key", tasks)(half)])
        mine = [cells.filter(pc.field(TASK) == task).select([CELL]) for task in tasks]
        files.append([one for rows in mine for one in AsFile(batch.schema, given, "key")(iter(rows.to_batches()))])
    assert files[0] == files[1]
    kept = [cell.as_py() for one in files[0] for cell in one.column(CELL)]
    assert len(kept) == len(tasks)
    in_order = sorted(batch.to_pylist(), key=lambda row: row["key"])
    expected = [{name: row[name] for name in given.names} for row in in_order]
    assert [row for file in kept for row in pq.read_table(pa.BufferReader(file)).to_pylist()] == expected
    words = [pq.read_table(pa.BufferReader(file), read_dictionary=["word"]).column("word") for file in kept]
    assert [chunk.dictionary.to_pylist() for column in words for chunk in column.chunks] == [["a", "b"]] * len(tasks)
    [nobody] = AsFile(batch.schema, given, "key")(iter([]))
    assert pq.read_table(pa.BufferReader(nobody.column(CELL)[0].as_py())).num_rows == 0
