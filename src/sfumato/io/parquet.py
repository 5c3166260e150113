"""Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import SourceError
from sfumato.io import arrow
from sfumato.io.base import checked_names
from sfumato.io.files import READ_ERRORS, FileSource, shown


class ParquetSource(FileSource):
    """A Parquet file, read without DuckDB: text that lies in dictionaries there stays in dictionaries all the way."""

    kind = "parquet"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            schema = pq.read_schema(path)
        except READ_ERRORS as error:
            raise self._explained(error) from None
        self.columns = checked_names(schema.names)
        self._texts = [field.name for field in schema if arrow.is_text(field.type)]

    def _read(self, columns: Sequence[str], as_text: frozenset[str]) -> pa.Table:
        try:
            with pq.ParquetFile(self.path, read_dictionary=self._texts) as file:
                table = file.read(columns=list(columns))
        except READ_ERRORS as error:
            raise self._explained(error) from None
        return pa.table({name: arrow.tidy(name, table[name], name in as_text) for name in columns})

    def _explained(self, error: Exception) -> SourceError:
        return SourceError(
            f"{shown(self.path)} is not a Parquet file, or was cut short or damaged. "
            "Make it again, or give it the ending of what it is."
        )
