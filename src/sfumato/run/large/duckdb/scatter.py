"""Rows on their way through files of the temporary folder: to the part that each belongs to, or to its random place."""

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

#: What packs rows that lie in the temporary folder: in little time to less than a half, since codes are small.
PACKED_BY = "lz4"

#: So many files are put in order and written at a time: together they take less memory than a part that is recoded.
AT_ONCE = 2


def scatter(batches: Iterable[pa.RecordBatch], column: str, folder: Path) -> dict[int, Path]:
    """Write every row to the file of its part, in the order of the rows, and return the files."""
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
    """Yield the rows of a batch by their numbers, each group in the order of the batch."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    if not len(ordered):
        return
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])).tolist()
    together = batch.take(pa.array(order)) if len(begins) > 1 else batch
    for begin, end in zip(begins, [*begins[1:], len(ordered)], strict=True):
        yield int(ordered[begin]), together.slice(begin, end - begin)


def files_of(places: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """Return for random places which of so many files each is in: files are ranges of places."""
    return (places >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)


def _packed() -> pa.ipc.IpcWriteOptions:
    """Return how rows are written that wait for others of their part or file."""
    return pa.ipc.IpcWriteOptions(compression=PACKED_BY)


def read_and_remove(path: Path) -> pa.Table:
    """Return the rows of a file that nobody needs any longer."""
    with pa.OSFile(str(path)) as file:
        table = pa.ipc.open_stream(file).read_all()
    path.unlink()
    return table


class Vocabulary:
    """The different texts of a column so far; a row is kept as the number of its text."""

    def __init__(self, kind: pa.DataType) -> None:
        self.texts = pa.array([], kind)

    def numbers(self, column: pa.ChunkedArray) -> pa.Array:
        """Return the number of every text, null where it is missing."""
        coded = column.unify_dictionaries().combine_chunks()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        known = pc.index_in(coded.dictionary, self.texts)
        fresh = coded.dictionary.filter(known.is_null())
        if len(fresh):
            self.texts = pa.concat_arrays([self.texts, pc.unique(fresh)])
            known = pc.index_in(coded.dictionary, self.texts)
        return known.take(coded.indices)


class Spools:
    """Rows on their way to files: each goes to one that its place says, and is put in order there in the end.

    Texts are kept as numbers, since a release repeats few of them.

    Parameters
    ----------
    folder
        Where rows wait.
    schema
        Their columns.
    place
        The column of random numbers that say in which file a row is, and where in it.
    count
        How many files there are.
    tell
        Whom to tell how many rows are written.
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
        """Take rows in."""
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
        """Put the rows of every file in order, and write them."""
        self._stack.close()
        paths = [folder / f"{name}.parquet" for name in names]
        rows = 0
        for length in in_order(lambda both: self._write(*both), zip(self._files, paths, strict=True), AT_ONCE):
            rows += length
            self._tell("writing", rows)
        return paths

    def _write(self, file: Path, path: Path) -> int:
        """Put the rows of a file in order, write them, and return how many there are."""
        table = read_and_remove(file)
        table = table.take(pc.sort_indices(table, [(self._place, "ascending")])).drop_columns([self._place])
        for column, words in self._words.items():
            texts = pa.DictionaryArray.from_arrays(table.column(column).combine_chunks(), words.texts)
            table = table.set_column(table.column_names.index(column), column, texts)
        write_table(table, path)
        return table.num_rows
