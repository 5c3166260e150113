"""Functions that run on Spark's executors: steps of the plan, on Arrow data.

Between two functions rows travel packed: one Arrow batch is one binary cell of a Spark frame. Spark then stores, sends
and groups a few large cells instead of converting a million rows to Java objects and back. Plain rows use Spark's own
types, which have neither unsigned numbers nor dictionaries, so those are widened.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.io.parquet import as_parquet
from sfumato.run.large.duckdb.scatter import PACKED_BY, files_of, split
from sfumato.run.large.engine import COUNT, Finished, OnBatch, OnPart

#: Spark's batches have ten thousand rows; this many rows are joined, so that the overhead of calls does not dominate.
BATCH = 1 << 18

#: The most bytes of a batch before it is packed.
CELL_BYTES = 1 << 26

#: The columns of packed rows: the number of rows in a cell, the cell, its part, the task that recodes the part, and the
#: pickled figures of a part.
ROWS, CELL, PART, TASK, TOLD = "rows", "cell", "part", "task", "told"

#: The first and last bytes of a Parquet file.
PARQUET = b"PAR1"

PACKED = pa.schema([(ROWS, pa.int64()), (CELL, pa.binary())])
SCATTERED = pa.schema([(TASK, pa.int64()), (PART, pa.int64()), (CELL, pa.binary())])
FINISHED = PACKED.append(pa.field(TOLD, pa.binary()))

_STORED = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64()}
_STORED |= {pa.large_string(): pa.string()}

Some = TypeVar("Some", pa.RecordBatch, pa.Table)


@dataclass(frozen=True)
class BatchSteps:
    """How an executor gets its batches: from plain or packed rows, and through which functions.

    Attributes
    ----------
    taken
        The schema of plain rows as functions see them; None for packed rows.
    functions
        The functions applied to each batch, in this order.
    """

    taken: pa.Schema | None = None
    functions: tuple[OnBatch, ...] = ()

    def then(self, function: OnBatch) -> BatchSteps:
        """Append a step."""
        return replace(self, functions=(*self.functions, function))

    def batches(self, given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Apply the steps to the batches that Spark hands over."""
        for batch in self._taken(given):
            made = batch
            for function in self.functions:
                made = function(made)
            yield made

    def _taken(self, given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if self.taken is None:
            return (batch for cells in given for batch in unpacked(cells.column(0)))
        return (typed(batch, self.taken) for batch in gathered(given))


@dataclass(frozen=True)
class Work:
    """The work of an executor on its share of the rows: steps, and what happens to each batch in the end."""

    steps: BatchSteps
    end: Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]]

    def __call__(self, given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what goes back to Spark."""
        for batch in self.steps.batches(given):
            yield from self.end(batch)


@dataclass(frozen=True)
class Select:
    """Selects some columns."""

    columns: tuple[str, ...]

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Select them."""
        return batch.select(list(self.columns))


@dataclass(frozen=True)
class AsPlain:
    """Casts columns to types that Spark has."""

    given: pa.Schema

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield rows that Spark can read."""
        yield typed(batch, self.given)


def packed(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Pack a batch into cells."""
    for piece in _pieces(batch):
        yield pa.RecordBatch.from_pylist([{ROWS: piece.num_rows, CELL: _cell(piece)}], PACKED)


@dataclass(frozen=True)
class Scatter:
    """Packs the rows of each part separately.

    Attributes
    ----------
    column
        The column with the part of each row.
    tasks
        The numbers of the tasks, to which parts are dealt in turn.
    """

    column: str
    tasks: tuple[int, ...]

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield cells with their part and the task that recodes it."""
        for part, rows in split(batch, self.parts(batch.column(self.column).to_numpy())):
            task = self.tasks[part % len(self.tasks)]
            cells = [{TASK: task, PART: part, CELL: _cell(piece)} for piece in _pieces(rows)]
            yield pa.RecordBatch.from_pylist(cells, SCATTERED)

    def parts(self, column: NDArray[Any]) -> NDArray[Any]:
        """The part of every row."""
        return column


@dataclass(frozen=True)
class ScatterToFiles(Scatter):
    """Packs the rows of each file separately; each task writes one file, chosen by the random places of rows."""

    def parts(self, column: NDArray[Any]) -> NDArray[Any]:
        """The file of every row."""
        return files_of(column, len(self.tasks))


@dataclass(frozen=True)
class AsFile:
    """Writes all rows of a task to one Parquet file, ordered by their random places.

    Attributes
    ----------
    taken
        The schema of the rows as they come.
    given
        The schema of the file.
    place
        The column of random places.
    """

    taken: pa.Schema
    given: pa.Schema
    place: str

    def __call__(self, cells: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the file as one cell."""
        rows = together(pa.Table.from_batches(cells, pa.schema([(CELL, pa.binary())])), self.taken)
        order = pc.sort_indices(rows.column(self.place))
        file = as_parquet(typed(rows.select(self.given.names).take(order), self.given))
        yield pa.RecordBatch.from_pydict({CELL: pa.array([file], pa.binary())})


@dataclass(frozen=True)
class CountGroups:
    """Counts the distinct rows of a batch, so that Spark has fewer to count."""

    columns: tuple[str, ...]
    given: pa.Schema

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield groups and their counts."""
        rows = typed(batch.select(list(self.columns)), pa.schema(list(self.given)[:-1]))
        names = [f"c{at}" for at in range(len(self.columns))]  # the counter would merge two columns of one name
        counted = pa.Table.from_arrays(rows.columns, names).group_by(names, use_threads=False)
        groups = counted.aggregate([([], "count_all")]).combine_chunks()
        yield from typed(groups, self.given).to_batches()


@dataclass(frozen=True)
class CountValues:
    """Counts the values of several columns in one pass; each value has its own row, null in the other columns."""

    columns: tuple[str, ...]
    given: pa.Schema

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the number of the column, its value in the column's place, and the count."""
        for at, name in enumerate(self.columns):
            values, counts = pc.value_counts(batch.column(name)).flatten()
            cells = [pa.nulls(len(values), kind) for kind in self.given.types[1:-1]]
            cells[at] = cast(values, self.given.types[1 + at])
            which = pa.array(np.full(len(values), at, np.int32))
            yield pa.RecordBatch.from_arrays([which, *cells, counts], schema=self.given)


@dataclass(frozen=True)
class OnOnePart:
    """Runs a function on all rows of a part, sorted so that their order does not depend on how they arrived."""

    function: OnPart
    taken: pa.Schema

    def __call__(self, key: tuple[pa.Scalar, ...], cells: pa.Table) -> pa.Table:
        """Run the function on a part: its rows come back as cells, and its figures in a last row."""
        finished: Finished = self.function(key[1].as_py(), in_order(together(cells, self.taken)))
        made = [batch for rows in joined(finished.rows.to_batches()) for batch in packed(rows)]
        told = [{ROWS: 0, CELL: None, TOLD: pickle.dumps(finished.told)}]
        return pa.concat_tables(
            [
                *(pa.Table.from_batches([one]).append_column(TOLD, pa.nulls(len(one), pa.binary())) for one in made),
                pa.Table.from_pylist(told, FINISHED),
            ]
        )


def together(cells: pa.Table, schema: pa.Schema) -> pa.Table:
    """Unpack cells into one table."""
    rows = pa.Table.from_batches(unpacked(cells.column(CELL)), schema)
    return rows.unify_dictionaries().combine_chunks()


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Split a batch into pieces that fit in a cell."""
    rows = max(1, int(len(batch) * CELL_BYTES // max(1, batch.nbytes)))
    return (batch.slice(begin, rows) for begin in range(0, len(batch), rows))


def _cell(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression=PACKED_BY)) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(cells: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    """Unpack the batches in cells; a cell may also hold a whole Parquet file."""
    for cell in cells:
        packing = cell.as_buffer() if isinstance(cell, pa.BinaryScalar) else cell
        if packing is None:
            continue
        if packing[: len(PARQUET)] == PARQUET:
            yield from _of_parquet(pa.BufferReader(packing))
        else:
            yield from pa.ipc.open_stream(packing)


def _of_parquet(file: pa.BufferReader) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file; texts stay dictionary-encoded, since a release repeats few."""
    texts = [one.name for one in pq.read_schema(file) if pa.types.is_string(one.type)]
    file.seek(0)
    return pq.ParquetFile(file, read_dictionary=texts).iter_batches(BATCH)


def gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join batches into fewer, larger ones."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= BATCH:
            yield from joined(waiting)
            waiting = []
    yield from joined(waiting)


def joined(batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join batches into one."""
    if batches:
        yield from pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().to_batches()


def in_order(rows: pa.Table) -> pa.Table:
    """Sort rows by all their values, so that the same rows always have the same order."""
    keys = [_sortable(column) for column in reversed(rows.columns)]
    return rows.take(pa.array(np.lexsort(keys))) if keys else rows


def _sortable(column: pa.ChunkedArray) -> NDArray[np.generic]:
    """Numbers that sort like the values; small integers, such as codes, sort fastest as they are."""
    if pa.types.is_integer(column.type) and not column.null_count:
        return column.to_numpy()
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    return pc.rank(plain, tiebreaker="dense").to_numpy()


def without_dictionaries(schema: pa.Schema) -> pa.Schema:
    """Replace dictionary types by the types of their values."""
    kinds = [(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type) for one in schema]
    return pa.schema(kinds)


def stored_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with every type replaced by one that Spark has."""
    return pa.schema([(one.name, _STORED.get(one.type, one.type)) for one in without_dictionaries(schema)])


def filed_schema(schema: pa.Schema) -> pa.Schema:
    """The schema of files that Spark reads in its own types; text may stay dictionary-encoded."""
    return pa.schema([(one.name, _STORED.get(one.type, one.type)) for one in schema])


def with_count(schema: pa.Schema) -> pa.Schema:
    """Append the column of counts to a schema."""
    return schema.append(pa.field(COUNT, pa.int64()))


def typed(rows: Some, schema: pa.Schema) -> Some:
    """Cast rows to Spark's types, or to those that the plan expects."""
    columns = [cast(column, field.type) for column, field in zip(rows.columns, schema, strict=True)]
    return type(rows).from_arrays(columns, schema=schema)


def cast(column: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """Cast a column; 64-bit numbers keep all bits, whether signed or not."""
    if column.type == kind:
        return column
    if {column.type, kind} == {pa.int64(), pa.uint64()}:
        if isinstance(column, pa.Array):
            return column.view(kind)
        return pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)
    return column.cast(kind)
