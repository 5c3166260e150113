"""What runs on the executors of Spark: functions of the plan, fed with Arrow, and the few types that Spark lacks.

Spark has no unsigned numbers and no dictionaries. Rows lie there in the next larger type, and are what the plan expects
whenever one of its functions looks at them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.scale.engine import Finished, OnBatch, OnPart

#: Spark hands over batches of ten thousand rows; so many are taken together, or the work is mostly calling.
BATCH = 1 << 18

#: The column in which a part tells about itself, in a row of its own; no released column is called so.
TOLD = "sfumato told"

#: The column of what is packed: batches, or what a function made of them.
PACKED = "batch"

_STORED = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64()}
_STORED |= {pa.large_string(): pa.string()}

Some = TypeVar("Some", pa.RecordBatch, pa.Table)


@dataclass(frozen=True)
class OnBatches:
    """Runs a function on the batches of an executor, many of them at a time."""

    function: OnBatch
    taken: pa.Schema
    given: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what the function makes of the batches."""
        for batch in gathered(batches):
            yield typed(self.function(typed(batch, self.taken)), self.given)


@dataclass(frozen=True)
class OnOnePart:
    """Runs a function on all rows of a part, which it puts in an order that does not depend on who brought them."""

    function: OnPart
    column: str
    taken: pa.Schema
    given: pa.Schema

    def __call__(self, key: tuple[pa.Scalar, ...], part: pa.Table) -> pa.Table:
        """Return what the function makes of a part, with a last row for what it tells."""
        rows = in_order(typed(part.combine_chunks(), self.taken))
        finished: Finished = self.function(key[0].as_py(), rows)
        plain = pa.schema(list(self.given)[:-1])
        nothing = pa.nulls(finished.rows.num_rows, pa.binary())
        shown = typed(finished.rows, plain).append_column(self.given.field(TOLD), nothing)
        told = {name: [None] for name in plain.names} | {TOLD: [pickle.dumps(finished.told)]}
        return pa.concat_tables([shown, pa.Table.from_pydict(told, self.given)])


@dataclass(frozen=True)
class OnPiece:
    """Runs a function on all batches of an executor's task, and packs what it makes of them into one row."""

    function: Callable[[Iterable[pa.RecordBatch]], object]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what the function makes of the batches."""
        yield pa.RecordBatch.from_arrays(
            [pa.array([pickle.dumps(self.function(gathered(batches)))], pa.binary())], [PACKED]
        )


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
        yield from pa.Table.from_batches(batches).combine_chunks().to_batches()


def packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches as bytes, one row each: so the driver can fetch a frame piece by piece."""
    for batch in gathered(batches):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], [PACKED])


def unpacked(piece: bytes) -> list[pa.RecordBatch]:
    """Return what was packed."""
    return list(pa.ipc.open_stream(piece))


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


def with_told(schema: pa.Schema) -> pa.Schema:
    """Return columns and the one in which parts tell about themselves."""
    return schema.append(pa.field(TOLD, pa.binary()))


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
