"""What every source offers, and the checks that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from sfumato.common.progress import Tell, silent
from sfumato.errors import SchemaError, listed
from sfumato.io.missing import codes_for, without_codes

#: Rows per batch: few enough that a batch as plain text is small beside the table.
BATCH_ROWS = 250_000


@dataclass(frozen=True)
class FileOptions:
    """How a file is to be read, where it does not say so itself; what each means is said at `open_source`."""

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    layout: str | None = None


class Remark(NamedTuple):
    """What a reader had to guess or to leave out: never silently, and without a value of the table."""

    columns: tuple[str, ...]
    found: str
    advice: str

    def __str__(self) -> str:
        return f"{self.found} {self.advice}"


class TableSize(NamedTuple):
    """How large a table is, as far as that can be told without reading it.

    Attributes
    ----------
    rows
        About how many rows there are.
    text_bytes
        About how much text there is that hardly repeats itself, so that no dictionary makes it small.
    """

    rows: int
    text_bytes: int


class Source(ABC):
    """A table that can be read column by column, and the way back to the caller's kind of frame.

    Attributes
    ----------
    columns
        The names of all columns, in table order: unique, never empty.
    kind
        Where the table comes from: ``"pandas"``, ``"polars"``, ``"pyarrow"``, ``"csv"``, ``"parquet"``, ...
    remarks
        What was guessed or left out while opening and, later, while reading.
    """

    columns: tuple[str, ...]
    kind: str
    remarks: tuple[Remark, ...] = ()

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
            Those to read as text whatever they look like, so that 02139 keeps its zero.
        tell
            Called with the share that is read, where that is known or can be guessed.
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
        """Whether the rows are in memory already, so that working there takes little more."""
        return False

    @property
    def parquet_files(self) -> tuple[Path, ...]:
        """The Parquet files whose rows are those of the table, where it is nothing but that."""
        return ()

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        """Return the types that columns have in `batches`; null, which is text there, where no value tells."""
        return _plain_schema(self.read(columns, as_text, na=na))

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read these columns piece by piece, text plain; for tables that do not fit in memory.

        Where a source has no such way, the table is read as a whole first.
        """
        table = self.read(columns, as_text, na=na)
        yield from table.cast(_plain_schema(table)).to_batches(BATCH_ROWS)

    def check_unchanged(self) -> None:
        """Make sure that what was opened is still what is there: rows of two states make a table that never was."""
        return

    def extent(self, columns: Sequence[str]) -> TableSize | None:
        """Tell about how large these columns are, from what a file says of itself; None where nobody knows."""
        return None

    @abstractmethod
    def to_native(self, table: pa.Table) -> object:
        """Turn a table into the kind of frame that came in; a file or a relation gives a ``pyarrow.Table``."""

    def remark(self, found: str, advice: str, *columns: str) -> None:
        """Note what has to be told; the same thing is told once, however often the table is read."""
        said = Remark(columns, found, advice)
        if said not in self.remarks:
            self.remarks = (*self.remarks, said)

    def place(self, row: int) -> str:
        """Say where a row, counted from 0, is found by whoever looks at the table."""
        return f"row {row + 1:,}"

    def _require(self, names: Collection[str]) -> None:
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            raise SchemaError(f"The table has no column {listed(unknown)}. Its columns are {listed(self.columns)}.")


def without_nulls(kinds: pa.Schema) -> pa.Schema:
    """Return types with text where nothing tells the type."""
    return pa.schema([(one.name, pa.string() if pa.types.is_null(one.type) else one.type) for one in kinds])


def _plain_schema(table: pa.Table) -> pa.Schema:
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in table.schema.types]
    return pa.schema(list(zip(table.column_names, kinds, strict=True)))


class Openable(ABC):
    """What is no source itself but knows how to become one, such as a table in a database."""

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
    """Return the column names if they can be told apart and written down, else say which cannot."""
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
