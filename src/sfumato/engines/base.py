"""What a database has to offer: columns, queries that come back as Arrow, and small tables of ours beside its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

from sfumato.errors import SchemaError, SourceError, listed
from sfumato.io import ArrowSource, Openable, Source


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
        """Read the whole table into memory, for `sfumato.anonymize` and all else that looks at single rows."""
        return DatabaseSource(self.name, self.rows())

    def rows(self) -> pa.Table:
        """Return all rows."""
        return self.query(f"SELECT * FROM {self.source}")

    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(self.query(f"SELECT * FROM {self.source} LIMIT 0").column_names)

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


class DatabaseSource(ArrowSource):
    """The rows of a table in a database.

    They are read by one query: two may return rows in different orders, and cells of different people would meet.
    """

    def __init__(self, kind: str, rows: pa.Table) -> None:
        super().__init__(rows)
        self.kind = kind


def identifier(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def qualified(name: str) -> str:
    """Quote the name of a table, which may stand behind that of its schema and a dot."""
    return ".".join(identifier(part) for part in name.split("."))


def literal(text: str | None) -> str:
    """Quote text for SQL."""
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"
