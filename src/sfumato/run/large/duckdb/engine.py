"""The embedded engine: DuckDB counts, and rows are stored in a temporary folder that only the user may read."""

from __future__ import annotations

import errno
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.common.threads import how_many, in_order
from sfumato.errors import EngineError, OutputError, SfumatoError, SourceError
from sfumato.io import Source
from sfumato.io.atomic import shown_path
from sfumato.io.columns import is_text
from sfumato.io.files import record_batches
from sfumato.io.memory import in_words, resident_memory
from sfumato.io.sql import identifier, literal, literal_path
from sfumato.io.temporary import TemporaryFolder
from sfumato.run.large.duckdb.scatter import PACKED_BY, Spools, read_and_remove, scatter
from sfumato.run.large.engine import COUNT, Engine, Finished, OnBatch, OnPart, Parted, Rows, ShownAs, Spread, spread_of
from sfumato.run.large.release import ShownInFiles
from sfumato.table.recoding import get_ready

#: Rows per batch: enough that the overhead of calls does not matter, few enough that several fit in little memory.
BATCH_ROWS = 1 << 18

#: The shares of memory for DuckDB and for the rows of a part.
FOR_COUNTING, FOR_PARTS = 0.3, 0.4

#: DuckDB needs at least this much to count anything.
LEAST_COUNTING = 32 << 20

#: Bytes that the program takes by itself, and bytes per row at the peak: while one part is recoded and the part before
#: it is scattered to its files.
PROGRAM, ROW_BYTES = 400 << 20, 250

#: The share of memory for verification; nothing else runs then.
FOR_VERIFYING = 0.5

#: Seconds between progress messages.
PACE = 0.3

#: The most bytes that a cell takes on disk: as a code in its part, and as a label.
CELL_ON_DISK = 6

#: The most and the least rows of a part.
MOST_PART_ROWS, LEAST_PART_ROWS = 8_000_000, 50_000

#: Longer parts than ``GOOD_PART_ROWS`` take more time per row, as they no longer fit in the processor's cache, and lose
#: no less. They are longer only where there would be more than ``MANY_PARTS`` parts, each a file.
GOOD_PART_ROWS, MANY_PARTS = 1_000_000, 250

#: The system's error numbers for a full disk.
FULL = (errno.ENOSPC, errno.EDQUOT)


class InDuckDB(Engine):
    """DuckDB in this process.

    Parameters
    ----------
    memory
        The memory that this process may use, in bytes.
    temporary
        Where the temporary folder is made.
    """

    name = "duckdb"

    def __init__(self, memory: int, temporary: str | os.PathLike[str] | None = None) -> None:
        get_ready()  # parts are recoded in this process; on a cluster, executors load kernels themselves
        self.folder = TemporaryFolder(temporary)
        self.threads = how_many()
        free = max(memory - PROGRAM, memory // 4)
        self.part_rows = int(min(MOST_PART_ROWS, max(LEAST_PART_ROWS, FOR_PARTS * free / ROW_BYTES)))
        self.memory = memory
        self._connection = duckdb.connect()
        self._set("memory_limit", f"'{max(LEAST_COUNTING, int(FOR_COUNTING * free))}B'")
        self._set("temp_directory", literal(str(self.folder.new("counting"))))
        for name, value in (("threads", self.threads), ("preserve_insertion_order", "true"), ("TimeZone", "'UTC'")):
            self._set(name, value)
        self._made = 0
        self._source: Source | None = None
        self._told_at, self._began = 0.0, dict[str, float]()

    def _set(self, name: str, value: object) -> None:
        self._connection.execute(f"SET {name} = {value}")

    def open(self, source: Source, columns: Sequence[str], as_text: Sequence[str]) -> Rows:
        self._source = source
        extent = source.extent(columns)
        if extent is not None:  # before anything fills the disk
            self.folder.require(extent.rows * len(columns) * CELL_ON_DISK + extent.text_bytes)
        if source.parquet_files:
            return Stored(self, source.parquet_files, columns)
        batches = source.batches(columns, as_text)
        first = next(batches, None)
        if first is None:
            return self._stored(Streamed(self, source.kinds(columns, as_text), ()), "reading")
        self.expected = 0 if extent is None else extent.rows
        return self._stored(Streamed(self, first.schema, chain([first], batches)), "reading")

    def rows_per_part(self, rows: int) -> int:
        return min(self.part_rows, max(GOOD_PART_ROWS, -(-rows // MANY_PARTS)))

    def require(self, needed: int) -> None:
        self.folder.require(needed)

    def kept(self, rows: Rows) -> Rows:
        return self._stored(rows, "encoding")

    def _stored(self, rows: Rows, stage: str) -> Rows:
        folder = self.new_folder()
        files = []
        with ExitStack() as stack:
            writer = stack.enter_context(_writer(folder / "rows.parquet", rows.schema))
            files.append(folder / "rows.parquet")
            done = 0
            for batch in rows.batches():
                writer.write_batch(batch)
                done += batch.num_rows
                self.tell(stage, done)
        return Stored(self, files, rows.schema.names)

    def tell(self, stage: str, done: int) -> None:
        """Report progress, memory and disk, a few times a second."""
        now = time.monotonic()
        if now - self._told_at < PACE and stage in self._began:
            return
        self._told_at = now
        share = min(1.0, done / self.expected) if self.expected else 0.0
        takes = f"{in_words(resident_memory())} memory, {in_words(self.folder.used())} disk"
        began = self._began.setdefault(stage, now)
        left = f", {(now - began) * (1 - share) / share:.0f} s left" if share and now > began else ""
        self.progress(f"{stage} {done:,} rows, {takes}{left}", share)

    def new_folder(self) -> Path:
        """Create a folder for rows."""
        self._made += 1
        return self.folder.new(f"rows-{self._made}")

    def released(self, rows: Rows, place: str, names: Sequence[str], shown_as: ShownAs) -> ShownInFiles:
        """Write the rows to files of the temporary folder."""
        assert isinstance(rows, DuckRows)
        files = rows.write(self.folder.new("release"), place, names)
        stored = Stored(self, files, [name for name in rows.schema.names if name != place])
        # Parquet stores the instant, not the time zone.
        zones = {one.name: one.type for one in rows.schema if pa.types.is_timestamp(one.type)}
        return ShownInFiles(stored, files, shown_as, self.folder, int(FOR_VERIFYING * self.memory), zones)

    def query(self, sql: str, **tables: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """Run a query on files, or on a stream that the query names."""
        connection = self._connection.cursor()
        for name, table in tables.items():
            connection.register(name, table)
        return record_batches(connection.sql(sql))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors into messages: the disk is full, memory is too small, a file changed or is truncated."""
        try:
            yield
        except SfumatoError:
            raise
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            if self._source is not None:  # the likeliest reason, if it applies
                self._source.check_unchanged()
            raise self._explanation(error) or error from None

    def _explanation(self, error: Exception) -> SfumatoError | None:
        if getattr(error, "errno", None) in FULL or "No space left" in str(error) or "temp_directory" in str(error):
            return OutputError(
                f"The disk is full: temporary files no longer fit in {shown_path(self.folder.path.parent)}. Free some "
                "space, or name another folder (temporary=, on the command line --temporary)."
            )
        if isinstance(error, duckdb.OutOfMemoryException):
            return EngineError("DuckDB has too little memory to count the rows. Allow more (memory=).")
        if isinstance(error, duckdb.Error | pa.ArrowInvalid):
            return SourceError(
                f"The table cannot be read to its end ({type(error).__name__}). Is a file damaged? Make it again."
            )
        return None

    def close(self) -> None:
        self._connection.close()
        self.folder.close()


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a file for rows that are read once again: dictionaries only for text, no statistics."""
    texts = [field.name for field in schema if is_text(field.type)]
    return pq.ParquetWriter(path, schema, compression=PACKED_BY, use_dictionary=texts, write_statistics=False)


def _as_said(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Cast a batch to its declared types; text may stay dictionary-encoded."""
    if batch.schema.equals(schema):
        return batch
    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) and column.type != kind.type else column
        for column, kind in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(
        [one.cast(kind.type) for one, kind in zip(columns, schema, strict=True)], schema=schema
    )


class DuckRows(Rows):
    """Rows of this engine."""

    def __init__(self, engine: InDuckDB, schema: pa.Schema) -> None:
        self.engine = engine
        self.schema = schema

    def _query(self, selected: str, after: str = "", within: str = "{}") -> pa.RecordBatchReader:
        """Query the rows, optionally inside another query."""
        stream = pa.RecordBatchReader.from_batches(self.schema, (_as_said(one, self.schema) for one in self.batches()))
        return self.engine.query(within.format(f"SELECT {selected} FROM streamed {after}"), streamed=stream)

    def count(self) -> int:
        [[found]] = self._query("count(*)").read_all().to_pydict().values()
        return int(found)

    def distinct_counts(self, columns: Sequence[str]) -> list[int]:
        asked = ", ".join(f"approx_count_distinct({identifier(name)}) AS {identifier(name)}" for name in columns)
        return [int(found) for [found] in self._query(asked).read_all().to_pydict().values()]

    def groups(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        names = ", ".join(identifier(name) for name in columns)
        yield from self._query(f"{names}, count(*) AS {COUNT}", f"GROUP BY {names}")

    def spread(self, columns: Sequence[str], value: str | None = None) -> Spread:
        names = [identifier(name) for name in columns]
        both = ", ".join([*names, *([] if value is None else [identifier(value)])])
        chosen = ", ".join([*(f"{name} AS g{at}" for at, name in enumerate(names)), "count(*) AS n"])
        groups = ", ".join(f"g{at}" for at in range(len(names)))
        sized = "{}" if value is None else f"SELECT sum(n)::BIGINT AS n, max(n) AS m FROM ({{}}) GROUP BY {groups}"
        largest = "n" if value is None else "m"
        within = f"SELECT n, {largest} AS m, count(*) FROM ({sized}) GROUP BY ALL"
        return spread_of(self._query(chosen, f"GROUP BY {both}", within).read_all())

    def mapped(self, function: OnBatch, schema: pa.Schema) -> Rows:
        return Mapped(self, function, schema)

    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> Parted:
        return PartedRows(self, column, function, schema)

    def write(self, folder: Path, place: str, names: Sequence[str]) -> list[Path]:
        spools = Spools(self.engine.new_folder(), self.schema, place, len(names), self.engine.tell)
        for batch in self.batches():
            spools.add(pa.Table.from_batches([batch]))
        return spools.write(folder, names)


class Stored(DuckRows):
    """Rows in Parquet files."""

    def __init__(self, engine: InDuckDB, files: Sequence[Path], columns: Sequence[str]) -> None:
        own = pq.read_schema(files[0])
        super().__init__(engine, pa.schema([own.field(name) for name in columns]))
        self.files = list(files)

    def _query(self, selected: str, after: str = "", within: str = "{}") -> pa.RecordBatchReader:
        files = ", ".join(literal_path(file) for file in self.files)
        source = f"read_parquet([{files}], hive_partitioning = false)"
        return self.engine.query(within.format(f"SELECT {selected} FROM {source} {after}"))

    def mapped(self, function: OnBatch, schema: pa.Schema) -> Rows:
        reads = getattr(function, "reads", None)
        return Mapped(self if reads is None else Stored(self.engine, self.files, reads), function, schema)

    def count(self) -> int:
        return sum(pq.ParquetFile(file).metadata.num_rows for file in self.files)

    def batches(self) -> Iterator[pa.RecordBatch]:
        texts = [field.name for field in self.schema if is_text(field.type)]
        for path in self.files:
            with pq.ParquetFile(path, read_dictionary=texts, pre_buffer=False) as file:
                yield from file.iter_batches(BATCH_ROWS, columns=self.schema.names)


class Streamed(DuckRows):
    """Rows that can be read once, batch by batch."""

    def __init__(self, engine: InDuckDB, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        super().__init__(engine, schema)
        self._batches = batches

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from self._batches


class Mapped(DuckRows):
    """Rows that a function computes from other rows, several batches at a time, in their order."""

    def __init__(self, rows: DuckRows, function: OnBatch, schema: pa.Schema) -> None:
        super().__init__(rows.engine, schema)
        self._rows, self._function = rows, function

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from in_order(self._function, self._rows.batches())


class PartedRows(DuckRows, Parted):
    """Rows that a function computes from parts, each read from its own file."""

    def __init__(self, rows: DuckRows, column: str, function: OnPart, schema: pa.Schema) -> None:
        super().__init__(rows.engine, schema)
        self._rows, self._column, self._function = rows, column, function
        self._told: list[Any] = []
        self._done = False
        self._passed = 0

    def told(self) -> list[Any]:
        if not self._done:
            deque(self.finished(), maxlen=0)
        return self._told

    def finished(self) -> Iterator[pa.Table]:
        """Yield the finished parts, in the order of their numbers."""
        folder = self.engine.new_folder()
        files = scatter(self._told_of("dividing"), self._column, folder)

        def finish(part: int) -> tuple[int, Finished]:
            table = read_and_remove(files[part])
            return table.num_rows, self._function(part, table)

        rows = 0
        # While one part is scattered, the next are recoded: as many as fit in memory, and at least one.
        for length, done in in_order(finish, sorted(files), self._at_once(list(files.values()))):
            rows += length
            self._told.append(done.told)
            self.engine.tell("recoding", rows)
            yield done.rows
        self._done = True

    def _at_once(self, files: Sequence[Path]) -> int:
        """How many parts may be recoded at once: together they have no more rows than the largest part may have."""
        sizes = [file.stat().st_size for file in files]
        largest = self._passed * max(sizes, default=0) / max(1, sum(sizes))
        return max(1, min(how_many(), int(self.engine.part_rows / max(1.0, largest))))

    def _told_of(self, stage: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows, and report how many have passed."""
        done = self._passed = 0
        for batch in self._rows.batches():
            done = self._passed = done + batch.num_rows
            self.engine.tell(stage, done)
            yield batch

    def batches(self) -> Iterator[pa.RecordBatch]:
        for table in self.finished():
            yield from table.to_batches()

    def write(self, folder: Path, place: str, names: Sequence[str]) -> list[Path]:
        spools = Spools(self.engine.new_folder(), self.schema, place, len(names), self.engine.tell)
        for table in self.finished():
            spools.add(table)
        return spools.write(folder, names)
