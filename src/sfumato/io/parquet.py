"""Parquet files, read and written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.common.progress import Tell, silent
from sfumato.common.threads import in_order
from sfumato.io.arrow import ColumnarSource
from sfumato.io.columns import canonical, is_text, plain
from sfumato.io.files import READ_ERRORS
from sfumato.io.frames import ArrowSource
from sfumato.io.parquet_footer import MAGIC, ParquetParts
from sfumato.io.source import BATCH_ROWS, TableSize, checked_names

#: The most steps in which a file is read: enough to show progress, few enough to cost nothing.
STEPS = 20

#: Rows per row group: large enough to compress well, small enough to be written and read in parallel.
ROW_GROUP_ROWS = 125_000

#: Smaller than snappy at the same speed, and widely supported.
COMPRESSION = "zstd"


class ParquetSource(ColumnarSource):
    """A Parquet file, whose dictionary-encoded text stays dictionary-encoded."""

    kind = form = "parquet"
    called = "a Parquet"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            schema = pq.read_schema(path)
        except READ_ERRORS as error:
            raise self._explained(error) from None
        self.columns = checked_names(schema.names)
        self.types = {field.name: str(field.type) for field in schema}
        self._texts = [field.name for field in schema if is_text(field.type)]

    @property
    def parquet_files(self) -> tuple[Path, ...]:
        """The file itself."""
        return (self.path,)

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        kinds = self.kinds(columns, as_text, na)
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
                    table = ArrowSource(pa.Table.from_batches([batch])).read(columns, as_text, na=na)
                    yield from plain(table).cast(kinds).to_batches()
        except READ_ERRORS as error:
            raise self._explained(error) from None
        self.check_unchanged()

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        # Without the missing codes a column may be one of numbers, which only all of its values show.
        if na:
            return super().kinds(columns, as_text, na)
        empty = pq.read_schema(self.path).empty_table()
        return plain(ArrowSource(empty).read(columns, as_text)).schema

    def extent(self, columns: Sequence[str]) -> TableSize:
        """Read the footer: its row count is exact, and dictionary-encoded text is no larger there than in memory."""
        try:
            facts = pq.read_metadata(self.path)
        except READ_ERRORS as error:
            raise self._explained(error) from None
        return TableSize(facts.num_rows, sum(_text_sizes(facts, set(columns).intersection(self._texts))))

    def _load(self, columns: list[str], tell: Tell) -> pa.Table:
        with pq.ParquetFile(self.path, read_dictionary=self._texts) as file:
            return pa.table(_read_in_parts(self.path, file, columns, self._texts, tell))


def _text_sizes(facts: pq.FileMetaData, columns: Collection[str]) -> Iterator[int]:
    for group in map(facts.row_group, range(facts.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema in columns:
                yield column.total_uncompressed_size


def _read_in_parts(
    path: Path, file: pq.ParquetFile, columns: list[str], texts: list[str], tell: Tell
) -> dict[str, pa.ChunkedArray]:
    """Read and check the columns of some row groups at a time, which threads share."""
    step = max(1, -(-file.num_row_groups // STEPS))
    groups = [[*range(start, min(start + step, file.num_row_groups))] for start in range(0, file.num_row_groups, step)]
    found: dict[str, list[pa.Array]] = {name: [] for name in columns}

    def read(part: tuple[list[int], str]) -> pa.ChunkedArray:
        with pq.ParquetFile(path, metadata=file.metadata, read_dictionary=texts) as own:
            some = own.read_row_groups(part[0], columns=[part[1]], use_threads=False)
        # A damaged file may hold indices beyond the end of its dictionary.
        some.validate(full=True)
        return some.column(part[1])

    parts = list(product(groups, columns))
    for (some, name), column in zip(parts, in_order(read, parts), strict=True):
        found[name] += column.chunks
        if name == columns[-1]:
            tell((some[-1] + 1) / file.num_row_groups)
    kinds = {name: None if found[name] else file.schema_arrow.field(name).type for name in columns}
    return {name: pa.chunked_array(chunks, kinds[name]) for name, chunks in found.items()}


# Writing


def write_parquet(table: pa.Table, path: Path | pa.NativeFile, tell: Tell) -> None:
    """Write a table as a Parquet file, whose row groups are made side by side."""
    table = canonical(table)
    with ExitStack() as stack:
        file = stack.enter_context(open(path, "wb")) if isinstance(path, Path) else path
        rows, parts = max(table.num_rows, 1), ParquetParts()
        file.write(MAGIC)
        starts = range(0, rows, ROW_GROUP_ROWS)
        groups = in_order(lambda start: _row_group(table.slice(start, ROW_GROUP_ROWS)), starts)
        for start, group in zip(starts, groups, strict=True):
            file.write(parts.pages(memoryview(group)))
            tell(min((start + ROW_GROUP_ROWS) / rows, 1.0))
        file.write(parts.footer())


def _row_group(table: pa.Table) -> pa.Buffer:
    """Make a Parquet file of one row group, in memory."""
    sink = pa.BufferOutputStream()
    with _writer(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def stream_parquet(tables: Iterable[pa.Table], path: Path) -> None:
    """Write tables one after the other, holding only one in memory at a time."""
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for table in map(canonical, tables):
            writer = writer or stack.enter_context(_writer(path, table.schema))
            writer.write_table(table)


def as_parquet(table: pa.Table) -> bytes:
    """The bytes of a Parquet file of a table, for storage elsewhere."""
    sink = pa.BufferOutputStream()
    write_parquet(table, sink, silent)
    return sink.getvalue().to_pybytes()


def _writer(path: Path | pa.NativeFile, schema: pa.Schema) -> pq.ParquetWriter:
    # Dictionaries go to the file as they are, once they hold nothing but what occurs. No stored schema: it would
    # describe the frame that the table came from. No statistics of text: finding the first and the last label takes
    # half of the time, and labels are never searched by range.
    plain = [field.name for field in schema if not pa.types.is_dictionary(field.type)]
    return pq.ParquetWriter(path, schema, compression=COMPRESSION, store_schema=False, write_statistics=plain)
