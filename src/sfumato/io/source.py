"""The interface of every source, and checks that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from sfumato.common.progress import Tell, silent
from sfumato.errors import SchemaError, listed
from sfumato.io.missing import codes_for, without_codes

#: Rows per batch: few enough that a batch of plain text is small compared with the table.
BATCH_ROWS = 250_000


@dataclass(frozen=True)
class FileOptions:
    """How to read a file, where the file itself does not say; see `open_source` for each option."""

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    layout: str | None = None


class Remark(NamedTuple):
    """What a reader had to guess or leave out, and how grave it is; never contains a value of the table."""

    columns: tuple[str, ...]
    found: str
    advice: str
    severity: str = "note"

    def __str__(self) -> str:
        return f"{self.found} {self.advice}"


class TableSize(NamedTuple):
    """About how large a table is, estimated without reading it.

    Attributes
    ----------
    rows
        The number of rows.
    text_bytes
        The bytes of text with few repetitions, which dictionary encoding does not make smaller.
    """

    rows: int
    text_bytes: int


class Source(ABC):
    """A table that can be read column by column, and turned back into the caller's kind of frame.

    Attributes
    ----------
    columns
        The names of all columns, in table order: unique, never empty.
    kind
        Where the table comes from: ``"pandas"``, ``"polars"``, ``"pyarrow"``, ``"csv"``, ``"parquet"``, ...
    remarks
        What was guessed or left out while opening and, later, while reading.
    labels
        What a file says that its columns hold, in words; few formats do.
    """

    columns: tuple[str, ...]
    kind: str
    remarks: tuple[Remark, ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})

    def read(
        self,
        columns: Sequence[str],
        as_text: Collection[str] = (),
        tell: Tell = silent,
        na: Mapping[str, Collection[str]] | None = None,
    ) -> pa.Table:
        """Read these columns, in this order, and only these; the input stays as it is.

        Parameters
        ----------
        columns
            Names out of :attr:`columns`.
        as_text
            Those to read as text even if they look like numbers, so that 02139 keeps its zero.
        tell
            Called with the share that is read, where that is known or can be estimated.
        na
            The texts that mean "no value", by column; ``"*"`` stands for all columns.

        Returns
        -------
        pyarrow.Table
            Text is ``string`` (``large_string`` beyond 2 GB) or a dictionary of it with int32 indices, one
            dictionary for all chunks, free of nulls, duplicates and unused values. All else is plain.
        """
        self._require(columns)
        self._require(as_text)
        if not columns:
            return pa.table({})
        table = self._read(columns, frozenset(as_text), tell)
        self.check_unchanged()
        for at, name in enumerate(columns if na else ()):
            cleaned = without_codes(table.column(at), codes_for(name, na or {}), name in as_text)
            table = table.set_column(at, name, cleaned)
        return table

    @abstractmethod
    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        """Read columns that are known to exist."""

    @property
    def loaded(self) -> bool:
        """Whether the rows are in memory already, so that processing them in memory takes little more."""
        return False

    @property
    def parquet_files(self) -> tuple[Path, ...]:
        """The Parquet files, if the table consists of Parquet files and nothing else."""
        return ()

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        """The types of columns in `batches`; null (text in `batches`) for columns without values."""
        return _plain_schema(self.read(columns, as_text, na=na))

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read these columns in batches, with plain text; for tables that do not fit in memory.

        A source that cannot do that reads the whole table first.
        """
        table = self.read(columns, as_text, na=na)
        yield from table.cast(_plain_schema(table)).to_batches(BATCH_ROWS)

    def check_unchanged(self) -> None:
        """Refuse a source that changed since it was opened: mixed rows give a table that never existed."""
        return

    def extent(self, columns: Sequence[str]) -> TableSize | None:
        """Estimate the size of these columns without reading them; None if that is impossible."""
        return None

    @abstractmethod
    def to_native(self, table: pa.Table) -> object:
        """Convert a table to the kind of frame of the input; a file or a relation gives a ``pyarrow.Table``."""

    def remark(self, found: str, advice: str, *columns: str, severity: str = "note") -> None:
        """Add a remark; the same remark is kept once, however often the table is read."""
        said = Remark(columns, found, advice, severity)
        if said not in self.remarks:
            self.remarks = (*self.remarks, said)

    def place(self, row: int) -> str:
        """Say where in the source a row, counted from 0, can be found."""
        return f"row {row + 1:,}"

    def _require(self, names: Collection[str]) -> None:
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            raise SchemaError(f"The table has no column {listed(unknown)}. Its columns are {listed(self.columns)}.")


def without_nulls(kinds: pa.Schema) -> pa.Schema:
    """Replace null types by text."""
    return pa.schema([(one.name, pa.string() if pa.types.is_null(one.type) else one.type) for one in kinds])


def _plain_schema(table: pa.Table) -> pa.Schema:
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in table.schema.types]
    return pa.schema(list(zip(table.column_names, kinds, strict=True)))


class Openable(ABC):
    """An object that can be opened as a source, such as a table in a database."""

    @abstractmethod
    def open(self) -> Source:
        """Open it for reading."""


def gathered(columns: Sequence[str], read: Callable[[str], pa.ChunkedArray], tell: Tell) -> pa.Table:
    """Read a table column by column."""
    table = {}
    for done, name in enumerate(columns, start=1):
        table[name] = read(name)
        tell(done / len(columns))
    return pa.table(table)


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Check that column names are texts, unique and not empty."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            kind = type(name).__name__
            raise SchemaError(f"Column {position} has a name of type {kind}. Rename it: names must be text.")
        if not name:
            raise SchemaError(f"Column {position} has no name. Give every column a name, or remove the column.")
        if name in seen:
            raise SchemaError(
                f"Columns {seen[name]} and {position} are both named '{name}'. Rename or remove one of them."
            )
        seen[name] = position
    if not seen:
        raise SchemaError("The table has no columns.")
    return tuple(seen)
