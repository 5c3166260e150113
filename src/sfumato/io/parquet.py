"""Files of Arrow's own: Parquet, and Arrow IPC, which is also called Feather."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from sfumato.common.progress import Tell
from sfumato.errors import SourceError
from sfumato.io import columns as arrow
from sfumato.io.files import READ_ERRORS, FileSource, shown
from sfumato.io.frames import ArrowSource
from sfumato.io.source import BATCH_ROWS, Extent, checked_names

#: In so many steps a file is read at most: enough to see them go by, few enough to cost nothing.
STEPS = 20

#: How an Arrow file begins; a stream has no such mark.
_IPC_FILE = b"ARROW1"


class _ColumnarSource(FileSource):
    """A file that Arrow reads by itself, without DuckDB.

    Attributes
    ----------
    called
        What such a file is called in messages.
    """

    called: str

    @abstractmethod
    def _load(self, columns: list[str], tell: Tell) -> pa.Table:
        """Return columns as they lie in the file."""

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        try:
            table = self._load(list(columns), tell)
            # A damaged file may have words by numbers that its dictionary does not reach.
            table.validate(full=True)
        except READ_ERRORS as error:
            raise self._explained(error) from None
        return pa.table({name: arrow.tidy(name, table[name], name in as_text) for name in columns})

    def _explained(self, error: Exception) -> SourceError:
        return SourceError(
            f"{shown(self.path)} is not {self.called} file, or was cut short or damaged. "
            "Make it again, or give it the ending of what it is."
        )


class ParquetSource(_ColumnarSource):
    """A Parquet file: text that lies in dictionaries there stays in dictionaries all the way."""

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
        self._texts = [field.name for field in schema if arrow.is_text(field.type)]

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
                    yield from arrow.plain(table).cast(kinds).to_batches()
        except READ_ERRORS as error:
            raise self._explained(error) from None
        self.check_unchanged()

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        # Words that mean nothing may leave a column of numbers; only all of the values tell.
        if na:
            return super().kinds(columns, as_text, na)
        empty = pq.read_schema(self.path).empty_table()
        return arrow.plain(ArrowSource(empty).read(columns, as_text)).schema

    def extent(self, columns: Sequence[str]) -> Extent:
        """Read the footer: its rows are exact, and text in dictionaries takes no more there than in memory."""
        try:
            facts = pq.read_metadata(self.path)
        except READ_ERRORS as error:
            raise self._explained(error) from None
        return Extent(facts.num_rows, sum(_text_sizes(facts, set(columns).intersection(self._texts))))

    def _load(self, columns: list[str], tell: Tell) -> pa.Table:
        with pq.ParquetFile(self.path, read_dictionary=self._texts) as file:
            return pa.concat_tables(_parts(file, columns, tell))


class ArrowFileSource(_ColumnarSource):
    """An Arrow file or stream, as Feather files are since their second version."""

    kind = form = "arrow"
    called = "an Arrow or Feather"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            with pa.OSFile(str(path)) as file:
                self.columns = checked_names(_ipc_reader(file).schema.names)
        except READ_ERRORS as error:
            raise self._explained(error) from None

    def _load(self, columns: list[str], tell: Tell) -> pa.Table:
        with pa.OSFile(str(self.path)) as file:
            return _ipc_reader(file).read_all().select(columns)


def _text_sizes(facts: pq.FileMetaData, columns: Collection[str]) -> Iterator[int]:
    for group in map(facts.row_group, range(facts.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema in columns:
                yield column.total_uncompressed_size


def _ipc_reader(file: pa.NativeFile) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
    is_file = file.read(len(_IPC_FILE)) == _IPC_FILE
    file.seek(0)
    return pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)


def _parts(file: pq.ParquetFile, columns: list[str], tell: Tell) -> Iterator[pa.Table]:
    """Read a file some row groups at a time, all columns of them at once."""
    groups = file.num_row_groups
    if groups <= 1:
        yield file.read(columns=columns)
        return
    step = -(-groups // STEPS)
    for start in range(0, groups, step):
        stop = min(start + step, groups)
        yield file.read_row_groups(list(range(start, stop)), columns=columns)
        tell(stop / groups)
