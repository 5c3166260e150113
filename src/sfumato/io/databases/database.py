"""What a database has to offer: columns, queries that come back as Arrow, and small tables of ours beside its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

import pyarrow as pa

from sfumato.common.progress import Tell
from sfumato.errors import SchemaError, SourceError, listed
from sfumato.io import ArrowSource, Openable, Source
from sfumato.io.columns import plain
from sfumato.io.frames import StreamSource
from sfumato.io.source import TableSize, checked_names
from sfumato.io.sql import qualified


class Database(Openable):
    """A table in a database.

    Attributes
    ----------
    source
        What stands after FROM.
    name
        What the database is called, for manifests and messages.
    lasting
        Whether what is made in it is still there afterwards; not so where a mere file is read.
    """

    source: str
    name: str
    lasting: bool = True

    @abstractmethod
    def query(self, sql: str) -> pa.Table:
        """Run a query and return its rows."""

    @abstractmethod
    def execute(self, sql: str) -> None:
        """Run a statement that returns nothing."""

    @abstractmethod
    def load(self, name: str, table: pa.Table) -> None:
        """Put a small table of ours beside the data, for this session only."""

    @abstractmethod
    def close(self) -> None:
        """End the session."""

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_as_text(self, names: Sequence[str]) -> None:
        """Read columns as text whatever they look like, where the source leaves that open: 02139 keeps its zero."""

    def open(self) -> Source:
        """Open the table for `sfumato.anonymize` and all else that looks at single rows; the session must stay open."""
        return DatabaseSource(self)

    @abstractmethod
    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Return all rows by one query, some at a time; nothing more than these is held."""

    def count(self) -> int:
        """Let the database count the rows."""
        return int(self.query(f"SELECT count(*) FROM {self.source} t").column(0)[0].as_py())

    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(self.query(f"SELECT * FROM {self.source} t LIMIT 0").column_names)

    def has(self, name: str) -> bool:
        """Return whether there is a table or view of this name."""
        try:
            self.query(f"SELECT * FROM {qualified(name)} LIMIT 0")
        except SourceError:
            return False
        return True

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is done inside, or nothing of it if anything fails."""
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def require(self, names: Sequence[str]) -> None:
        """Make sure that columns exist, or say which do not."""
        known = self.columns()
        unknown = [name for name in names if name not in known]
        if unknown:
            raise SchemaError(f"The table has no column {listed(unknown)}. Its columns are {listed(known)}.")


class DatabaseSource(Source):
    """The rows of a table in a database: all in memory, or as a stream for an engine.

    They are read by one query: two may return rows in different orders, and cells of different people would meet.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.columns = checked_names(database.columns())
        self.kind = database.name

    @cached_property
    def _rows(self) -> ArrowSource:
        return ArrowSource(self._database.stream(self.columns).read_all())

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        return self._rows.read(columns, as_text, tell)

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        if na or "_rows" in vars(self):
            yield from super().batches(columns, as_text, na)
        else:
            yield from StreamSource(self._database.stream(columns)).batches(columns, as_text)

    @cached_property
    def _count(self) -> int:
        return self._database.count()

    def extent(self, columns: Sequence[str]) -> TableSize:
        return TableSize(self._count, 0)

    def to_native(self, table: pa.Table) -> pa.Table:
        """Return the table itself."""
        return plain(table)


def table_or_query(table: str | None, query: str | None) -> str | None:
    """Return what stands after FROM for a table or a query, of which there is one at most; None for neither.

    >>> table_or_query("clinic.people", None), table_or_query(None, "SELECT 1;")
    ('"clinic"."people"', '(SELECT 1)')
    """
    if table is not None and query is not None:
        raise SourceError("Both a table and a query are named. Name one of them.")
    if query is not None:
        return f"({query.strip().removesuffix(';')})"
    return None if table is None else qualified(table)
