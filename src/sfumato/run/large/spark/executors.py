"""What runs on the executors of Spark: functions of the plan, fed with Arrow.

Between two functions rows travel packed: a batch of Arrow is one cell of a Spark frame. To Spark a million rows are a
few large cells, which it keeps, sends and groups without turning every value into a row of Java and back. Where rows
are plain, Spark has no unsigned numbers and no dictionaries: they lie there in the next larger type.
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

#: Spark hands over batches of ten thousand rows; so many are taken together, or the work is mostly calling.
BATCH = 1 << 18

#: So many bytes a packed batch has at most, before it is packed.
CELL_BYTES = 1 << 26

#: The columns of packed rows: how many there are in a cell, the cell, the part they belong to and the task that works
#: on it, and what a part tells.
ROWS, CELL, PART, TASK, TOLD = "rows", "cell", "part", "task", "told"

#: What a file of Parquet begins and ends with.
PARQUET = b"PAR1"

PACKED = pa.schema([(ROWS, pa.int64()), (CELL, pa.binary())])
SCATTERED = pa.schema([(TASK, pa.int64()), (PART, pa.int64()), (CELL, pa.binary())])
FINISHED = PACKED.append(pa.field(TOLD, pa.binary()))

_STORED = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64()}
_STORED |= {pa.large_string(): pa.string()}

Some = TypeVar("Some", pa.RecordBatch, pa.Table)


@dataclass(frozen=True)
class BatchSteps:
    """How an executor comes to batches: from plain rows or from packed ones, and through which functions.

    Attributes
    ----------
    taken
        The columns of plain rows as functions see them; None where rows are packed.
    functions
        What is made of every batch, one after the other.
    """

    taken: pa.Schema | None = None
    functions: tuple[OnBatch, ...] = ()

    def then(self, function: OnBatch) -> BatchSteps:
        """Return these steps and one more."""
        return replace(self, functions=(*self.functions, function))

    def batches(self, given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what is made of whatever Spark hands over."""
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
    """What an executor does with its share of the rows: steps, and what becomes of each batch in the end."""

    steps: BatchSteps
    end: Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]]

    def __call__(self, given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what goes back to Spark."""
        for batch in self.steps.batches(given):
            yield from self.end(batch)


@dataclass(frozen=True)
class Select:
    """Leaves out all columns but some."""

    columns: tuple[str, ...]

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return these columns."""
        return batch.select(list(self.columns))


@dataclass(frozen=True)
class AsPlain:
    """Gives columns the types that Spark has for them."""

    given: pa.Schema

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield rows that Spark can read by itself."""
        yield typed(batch, self.given)


def packed(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield a batch as cells."""
    for piece in _pieces(batch):
        yield pa.RecordBatch.from_pylist([{ROWS: piece.num_rows, CELL: _cell(piece)}], PACKED)


@dataclass(frozen=True)
class Scatter:
    """Packs the rows of every part by themselves.

    Attributes
    ----------
    column
        The column that says which part a row belongs to.
    tasks
        What tasks are called; parts take turns.
    """

    column: str
    tasks: tuple[int, ...]

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield cells with the part that they belong to, and the task that works on it."""
        for part, rows in split(batch, self.parts(batch.column(self.column).to_numpy())):
            task = self.tasks[part % len(self.tasks)]
            cells = [{TASK: task, PART: part, CELL: _cell(piece)} for piece in _pieces(rows)]
            yield pa.RecordBatch.from_pylist(cells, SCATTERED)

    def parts(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the part of every row."""
        return column


@dataclass(frozen=True)
class ScatterToFiles(Scatter):
    """Packs the rows of every file by themselves; a task writes one, and the column holds random places."""

    def parts(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the file of every row."""
        return files_of(column, len(self.tasks))


@dataclass(frozen=True)
class AsFile:
    """Makes one file of Parquet of all rows of a task, which lie in the order of their places.

    Attributes
    ----------
    taken
        The columns of the rows as they come.
    given
        Those that the file has.
    place
        The column of random numbers that say where a row lies.
    """

    taken: pa.Schema
    given: pa.Schema
    place: str

    def __call__(self, cells: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the bytes of the file, in one cell."""
        rows = together(pa.Table.from_batches(cells, pa.schema([(CELL, pa.binary())])), self.taken)
        order = pc.sort_indices(rows.column(self.place))
        file = as_parquet(typed(rows.select(self.given.names).take(order), self.given))
        yield pa.RecordBatch.from_pydict({CELL: pa.array([file], pa.binary())})


@dataclass(frozen=True)
class CountGroups:
    """Counts the different rows of a batch, so that Spark has fewer to count."""

    columns: tuple[str, ...]
    given: pa.Schema

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield groups and how many rows each has."""
        rows = typed(batch.select(list(self.columns)), pa.schema(list(self.given)[:-1]))
        names = [f"c{at}" for at in range(len(self.columns))]  # of two columns of one name the counter makes one
        counted = pa.Table.from_arrays(rows.columns, names).group_by(names, use_threads=False)
        groups = counted.aggregate([([], "count_all")]).combine_chunks()
        yield from typed(groups, self.given).to_batches()


@dataclass(frozen=True)
class CountValues:
    """Counts the values of several columns in one look, each in rows of its own, which have nothing in the others."""

    columns: tuple[str, ...]
    given: pa.Schema

    def __call__(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield which column it is, its values among those of all columns, and how many rows have each."""
        for at, name in enumerate(self.columns):
            values, counts = pc.value_counts(batch.column(name)).flatten()
            cells = [pa.nulls(len(values), kind) for kind in self.given.types[1:-1]]
            cells[at] = cast(values, self.given.types[1 + at])
            which = pa.array(np.full(len(values), at, np.int32))
            yield pa.RecordBatch.from_arrays([which, *cells, counts], schema=self.given)


@dataclass(frozen=True)
class OnOnePart:
    """Runs a function on all rows of a part, which it puts in an order that does not depend on who brought them."""

    function: OnPart
    taken: pa.Schema

    def __call__(self, key: tuple[pa.Scalar, ...], cells: pa.Table) -> pa.Table:
        """Return what the function makes of a part, in cells, with a last row for what it tells."""
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
    """Return the rows that lie in cells."""
    rows = pa.Table.from_batches(unpacked(cells.column(CELL)), schema)
    return rows.unify_dictionaries().combine_chunks()


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield a batch in pieces that are not too large for a cell."""
    rows = max(1, int(len(batch) * CELL_BYTES // max(1, batch.nbytes)))
    return (batch.slice(begin, rows) for begin in range(0, len(batch), rows))


def _cell(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression=PACKED_BY)) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpacked(cells: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    """Yield the batches that lie in cells; a cell may hold a whole file of Parquet as well."""
    for cell in cells:
        packing = cell.as_buffer() if isinstance(cell, pa.BinaryScalar) else cell
        if packing is None:
            continue
        if packing[: len(PARQUET)] == PARQUET:
            yield from _of_parquet(pa.BufferReader(packing))
        else:
            yield from pa.ipc.open_stream(packing)


def _of_parquet(file: pa.BufferReader) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file; a release repeats few texts, which stay numbered."""
    texts = [one.name for one in pq.read_schema(file) if pa.types.is_string(one.type)]
    file.seek(0)
    return pq.ParquetFile(file, read_dictionary=texts).iter_batches(BATCH)


def gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield fewer, larger batches."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= BATCH:
            yield from joined(waiting)
            waiting = []
    yield from joined(waiting)


def joined(batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches as one."""
    if batches:
        yield from pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().to_batches()


def in_order(rows: pa.Table) -> pa.Table:
    """Return rows in the order of their cells: the same rows, the same order."""
    keys = [_sortable(column) for column in reversed(rows.columns)]
    return rows.take(pa.array(np.lexsort(keys))) if keys else rows


def _sortable(column: pa.ChunkedArray) -> NDArray[np.generic]:
    """Return numbers in the order of cells; small whole numbers, which codes are, are sorted fastest as they are."""
    if pa.types.is_integer(column.type) and not column.null_count:
        return column.to_numpy()
    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    return pc.rank(plain, tiebreaker="dense").to_numpy()


def without_dictionaries(schema: pa.Schema) -> pa.Schema:
    """Return columns with the types of their values."""
    kinds = [(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type) for one in schema]
    return pa.schema(kinds)


def stored_schema(schema: pa.Schema) -> pa.Schema:
    """Return the types in which Spark holds columns."""
    return pa.schema([(one.name, _STORED.get(one.type, one.type)) for one in without_dictionaries(schema)])


def filed_schema(schema: pa.Schema) -> pa.Schema:
    """Return the types in which columns are written, to be read by Spark in its own; texts may stay numbered."""
    return pa.schema([(one.name, _STORED.get(one.type, one.type)) for one in schema])


def with_count(schema: pa.Schema) -> pa.Schema:
    """Return columns and the one in which groups are counted."""
    return schema.append(pa.field(COUNT, pa.int64()))


def typed(rows: Some, schema: pa.Schema) -> Some:
    """Return rows in the types in which Spark holds them, or in those that the plan expects."""
    columns = [cast(column, field.type) for column, field in zip(rows.columns, schema, strict=True)]
    return type(rows).from_arrays(columns, schema=schema)


def cast(column: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """Return a column in another type; of 64 bits each is kept, whatever their sign."""
    if column.type == kind:
        return column
    if {column.type, kind} == {pa.int64(), pa.uint64()}:
        if isinstance(column, pa.Array):
            return column.view(kind)
        return pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)
    return column.cast(kind)
