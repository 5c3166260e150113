"""Scatter rows over files of the temporary folder: by part, or by random place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.threads import in_order
from sfumato.io import write_table

#: The compression of temporary files: fast, and codes shrink to less than half.
PACKED_BY = "lz4"

#: How many files are sorted and written at a time: together they take less memory than a part that is recoded.
AT_ONCE = 2


def scatter(batches: Iterable[pa.RecordBatch], column: str, folder: Path) -> dict[int, Path]:
    """Write each row to the file of its part, in the order of the rows; return the files."""
    files: dict[int, Path] = {}
    with ExitStack() as stack:
        writers: dict[int, pa.ipc.RecordBatchStreamWriter] = {}
        for batch in batches:
            for part, rows in split(batch, batch.column(column).to_numpy()):
                if part not in writers:
                    files[part] = folder / f"{part}.arrow"
                    sink = stack.enter_context(pa.OSFile(str(files[part]), "wb"))
                    writers[part] = stack.enter_context(pa.ipc.new_stream(sink, batch.schema, options=_packed()))
                writers[part].write_batch(rows)
    return files


def split(batch: pa.RecordBatch, numbers: NDArray[np.integer]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Split a batch by the numbers of its rows; each group keeps the order of the batch."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    if not len(ordered):
        return
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])).tolist()
    together = batch.take(pa.array(order)) if len(begins) > 1 else batch
    for begin, end in zip(begins, [*begins[1:], len(ordered)], strict=True):
        yield int(ordered[begin]), together.slice(begin, end - begin)


def files_of(places: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """The file of each random place; files are ranges of places."""
    return (places >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)


def _packed() -> pa.ipc.IpcWriteOptions:
    """Options for writing rows that wait for the others of their part or file."""
    return pa.ipc.IpcWriteOptions(compression=PACKED_BY)


def read_and_remove(path: Path) -> pa.Table:
    """Read a file and remove it."""
    with pa.OSFile(str(path)) as file:
        table = pa.ipc.open_stream(file).read_all()
    path.unlink()
    return table


class Vocabulary:
    """The distinct texts of a column so far; rows hold the numbers of their texts."""

    def __init__(self, kind: pa.DataType) -> None:
        self.texts = pa.array([], kind)

    def numbers(self, column: pa.ChunkedArray) -> pa.Array:
        """Number the texts; missing ones stay null."""
        coded = column.unify_dictionaries().combine_chunks()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        known = pc.index_in(coded.dictionary, self.texts)
        fresh = coded.dictionary.filter(known.is_null())
        if len(fresh):
            self.texts = pa.concat_arrays([self.texts, pc.unique(fresh)])
            known = pc.index_in(coded.dictionary, self.texts)
        return known.take(coded.indices)


class Spools:
    """Distributes rows to files by their random places, and sorts each file at the end.

    Texts are stored as numbers, since a release repeats few distinct ones.

    Parameters
    ----------
    folder
        The folder for waiting rows.
    schema
        Their columns.
    place
        The column of random numbers that decide the file of a row and its position there.
    count
        The number of files.
    tell
        Called with the number of rows written.
    """

    def __init__(
        self, folder: Path, schema: pa.Schema, place: str, count: int, tell: Callable[[str, int], None]
    ) -> None:
        self._count, self._place, self._tell = count, place, tell
        self._words = {one.name: Vocabulary(one.type.value_type) for one in schema if pa.types.is_dictionary(one.type)}
        kinds = [pa.field(one.name, pa.int32() if one.name in self._words else one.type) for one in schema]
        self._schema, self._names = pa.schema(kinds), schema.names
        self._files = [folder / f"{number}.arrow" for number in range(count)]
        self._stack = ExitStack()
        self._writers = [
            self._stack.enter_context(
                pa.ipc.new_stream(
                    self._stack.enter_context(pa.OSFile(str(file), "wb")), self._schema, options=_packed()
                )
            )
            for file in self._files
        ]

    def add(self, table: pa.Table) -> None:
        """Add rows."""
        columns = [self._number(name, table.column(name)) for name in self._names]
        batch = pa.Table.from_arrays(columns, schema=self._schema).combine_chunks()
        numbers = files_of(table.column(self._place).to_numpy(), self._count)
        for piece in batch.to_batches():
            for number, rows in split(piece, numbers[: piece.num_rows]):
                self._writers[number].write_batch(rows)
            numbers = numbers[piece.num_rows :]

    def _number(self, name: str, column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        return self._words[name].numbers(column) if name in self._words else column

    def write(self, folder: Path, names: Sequence[str]) -> list[Path]:
        """Sort the rows of each file, and write them."""
        self._stack.close()
        paths = [folder / f"{name}.parquet" for name in names]
        rows = 0
        for length in in_order(lambda both: self._write(*both), zip(self._files, paths, strict=True), AT_ONCE):
            rows += length
            self._tell("writing", rows)
        return paths

    def _write(self, file: Path, path: Path) -> int:
        """Sort the rows of a file, write them, and return their number."""
        table = read_and_remove(file)
        table = table.take(pc.sort_indices(table, [(self._place, "ascending")])).drop_columns([self._place])
        for column, words in self._words.items():
            texts = pa.DictionaryArray.from_arrays(table.column(column).combine_chunks(), words.texts)
            table = table.set_column(table.column_names.index(column), column, texts)
        write_table(table, path)
        return table.num_rows
