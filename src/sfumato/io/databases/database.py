"""The interface of databases: columns, queries that return Arrow, and small temporary tables beside the data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

import pyarrow as pa

from sfumato.common.progress import Tell
from sfumato.errors import SchemaError, SourceError, no_column
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
        The SQL after FROM.
    name
        What the database is called, for manifests and messages.
    lasting
        Whether tables made in it persist; not if DuckDB merely reads a file.
    """

    source: str
    name: str
    lasting: bool = True

    @abstractmethod
    def query(self, sql: str) -> pa.Table:
        """Run a query and return its rows."""

    @abstractmethod
    def kinds(self) -> pa.Schema:
        """The columns of the table, with the types that the driver gives them."""

    @abstractmethod
    def execute(self, sql: str) -> None:
        """Run a statement that returns nothing."""

    @abstractmethod
    def load(self, name: str, table: pa.Table) -> None:
        """Load a small temporary table into the database, for this session only."""

    @abstractmethod
    def close(self) -> None:
        """End the session."""

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_as_text(self, names: Sequence[str]) -> None:
        """Read columns as text even if they look like numbers, where types are inferred: 02139 keeps its zero."""

    def open(self) -> Source:
        """Open the table for functions that need its rows, such as `sfumato.anonymize`; keep the session open."""
        return DatabaseSource(self)

    @abstractmethod
    def stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Stream all rows from one query, holding one batch at a time."""

    def count(self) -> int:
        """Let the database count the rows."""
        return self.count_of(self.source)

    def count_of(self, source: str) -> int:
        """Let the database count the rows of any FROM clause."""
        return int(self.query(f"SELECT count(*) FROM {source} t").column(0)[0].as_py())

    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self.kinds().names)

    def has(self, name: str) -> bool:
        """Whether there is a table or view of this name."""
        try:
            self.query(f"SELECT * FROM {qualified(name)} LIMIT 0")
        except SourceError:
            return False
        return True

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in a transaction: all of it takes effect, or nothing."""
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def require(self, names: Sequence[str]) -> None:
        """Check that columns exist."""
        known = self.columns()
        unknown = [name for name in names if name not in known]
        if unknown:
            raise SchemaError(no_column(unknown, known))


class DatabaseSource(Source):
    """The rows of a table in a database: all in memory, or as a stream for an engine.

    They are read by one query: two might return rows in different orders and mix the cells of different people.
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
        """The table itself."""
        return plain(table)


def table_or_query(table: str | None, query: str | None) -> str | None:
    """The SQL after FROM for a table or a query, at most one of which is given; None for neither.

    >>> table_or_query("clinic.people", None), table_or_query(None, "SELECT 1;")
    ('"clinic"."people"', '(SELECT 1)')
    """
    if table is not None and query is not None:
        raise SourceError("Both a table and a query are named. Name one of them.")
    if query is not None:
        return f"({query.strip().removesuffix(';')})"
    return None if table is None else qualified(table)
