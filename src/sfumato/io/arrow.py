"""Arrow IPC files, also called Feather, read and written; and what reading them shares with Parquet."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc

from sfumato.common.progress import Tell
from sfumato.common.threads import side_by_side
from sfumato.errors import SourceError
from sfumato.io.columns import canonical, tidy
from sfumato.io.files import READ_ERRORS, FileSource, shown
from sfumato.io.source import checked_names

#: How an Arrow file begins; a stream has no such mark.
_IPC_FILE = b"ARROW1"


class ColumnarSource(FileSource):
    """A file that Arrow reads by itself, without DuckDB.

    Attributes
    ----------
    called
        What such a file is called in messages.
    """

    called: str

    @abstractmethod
    def _load(self, columns: list[str], tell: Tell) -> pa.Table:
        """Load columns as the file stores them, and check that what they hold is sound."""

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        try:
            table = self._load(list(columns), tell)
        except READ_ERRORS as error:
            raise self._explained(error) from None
        tidied = side_by_side(lambda name: tidy(name, table[name], name in as_text), columns)
        return pa.table(dict(zip(columns, tidied, strict=True)))

    def _explained(self, error: Exception) -> SourceError:
        return SourceError(
            f"{shown(self.path)} is not {self.called} file, or was cut short or damaged. "
            "Make it again, or give it the ending of what it is."
        )


class ArrowFileSource(ColumnarSource):
    """An Arrow file or stream; Feather files are Arrow files since version 2."""

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
            table = _ipc_reader(file).read_all().select(columns)
        # A damaged file may hold indices beyond the end of its dictionary.
        table.validate(full=True)
        return table


def _ipc_reader(file: pa.NativeFile) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
    is_file = file.read(len(_IPC_FILE)) == _IPC_FILE
    file.seek(0)
    return pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)


# Writing


def write_arrow(table: pa.Table, path: Path, tell: Tell) -> None:
    """Write a table as an Arrow file."""
    table = canonical(table).unify_dictionaries().combine_chunks()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)
    tell(1.0)
