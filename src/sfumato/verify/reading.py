"""Reading files as an outsider does: text stays text, and every row is accounted for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from sfumato.common.threads import side_by_side
from sfumato.errors import SourceError, listed, shortened
from sfumato.verify.delimited import read_delimited, read_header
from sfumato.verify.json_text import read_json
from sfumato.verify.statistics_files import FOREIGN, STATISTICS, read_foreign, read_statistics

SEPARATORS = {"csv": ",", "tsv": "\t"}

#: Formats whose values have types; in all others values are text.
TYPED = {"parquet", "arrow"}


def read_file(path: Path, form: str, columns: Sequence[str], separator: str = ",") -> pa.Table:
    """Read columns of a file as they are written.

    Parameters
    ----------
    path
        The file; a text format may be compressed (``.gz``).
    form
        ``"csv"``, ``"jsonl"`` (an object per line), ``"json"``, ``"parquet"`` or ``"arrow"``.
    columns
        Their names.
    separator
        What separates the cells of delimited text.
    """
    if form == "csv":
        width, places = places_in_header(path, columns, separator)
        return read_delimited(path, width, places, separator).rename_columns(list(columns))
    if form == "arrow":
        return read_arrow(path, columns)
    return read_parquet(path, columns) if form == "parquet" else read_json(path, columns, lines=form == "jsonl")


def places_in_header(path: Path, columns: Sequence[str], separator: str) -> tuple[int, list[int]]:
    """The number of columns of a delimited file, and the places of these columns."""
    names = read_header(path, separator)
    unclear = [column for column in columns if names.count(column) != 1]
    if unclear:
        raise SourceError(f"{shortened(str(path), 300)} does not have {listed(unclear)} exactly once in its header.")
    return len(names), [names.index(column) for column in columns]


def read_written(path: Path, form: str, names: Sequence[str], columns: Sequence[str]) -> pa.Table:
    """Read columns of a file that was just written, even if its format changed their names."""
    places = [names.index(column) for column in columns]
    if form in STATISTICS:
        return read_statistics(path, form, places).rename_columns(list(columns))
    if form in FOREIGN:
        return read_foreign(path, form, names, places)
    if form not in SEPARATORS:
        return read_file(path, form, columns)
    return read_delimited(path, len(names), places, SEPARATORS[form]).rename_columns(list(columns))


def read_parquet(path: Path, columns: Sequence[str]) -> pa.Table:
    """Read columns of a Parquet file, keeping dictionary-encoded text."""
    read: dict[int, pa.Table] = {}

    def keep(start: int, rows: pa.Table) -> None:
        if rows.num_rows:
            read[start] = rows

    empty = look_at_row_groups(path, columns, keep)
    return pa.concat_tables([read[start] for start in sorted(read)]) if read else empty


def look_at_row_groups(path: Path, columns: Sequence[str], look: Callable[[int, pa.Table], None]) -> pa.Table:
    """Read columns of a Parquet file, row group by row group on several threads; return a table without rows.

    ``look`` gets the number of rows before a row group, and its rows, which are kept no longer than it keeps them.
    """
    with _said_of(path):
        texts = [field.name for field in pq.read_schema(path) if pa.types.is_string(field.type)]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            facts, empty = file.metadata, file.schema_arrow.empty_table().select(list(columns))
        sizes = [facts.row_group(group).num_rows for group in range(facts.num_row_groups)]
    starts = np.cumsum([0, *sizes]).tolist()

    def read(group: int) -> int:
        with _said_of(path):
            rows = _read_row_group(path, facts, texts, columns, group)
        look(starts[group], rows)
        return rows.num_rows

    found = sum(side_by_side(read, range(len(sizes))))
    if found != facts.num_rows:
        raise SourceError(f"{shortened(str(path), 300)} says that it has {facts.num_rows:,} rows, but has {found:,}.")
    return empty


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    """Say of which file it is that it cannot be read."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError):
        raise SourceError(f"{shortened(str(path), 300)} is not a Parquet file, or a damaged one.") from None


def _read_row_group(
    path: Path, facts: pq.FileMetaData, texts: list[str], columns: Sequence[str], group: int
) -> pa.Table:
    """Read and check columns of a row group; threads read several at once."""
    with pq.ParquetFile(path, metadata=facts, read_dictionary=texts) as file:
        read = file.read_row_group(group, columns=list(columns), use_threads=False).select(list(columns))
    read.validate(full=True)
    return read


def read_arrow(path: Path, columns: Sequence[str]) -> pa.Table:
    """Read columns of an Arrow file or stream."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        reader = pa.ipc.open_file(content) if content.startswith(b"ARROW1") else pa.ipc.open_stream(content)
        table = reader.read_all()
        table.validate(full=True)
        return pa.table({name: table.column(name) for name in columns})
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SourceError(f"{shortened(str(path), 300)} is not an Arrow file, or a damaged one.") from None
