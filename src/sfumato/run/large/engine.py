"""The interface of engines: tables that stay where they are, and the few operations that the plan needs on them.

The plan is written once, for every `Engine` and its `Rows`. Functions that it hands to an engine are plain functions
or frozen dataclasses that can be pickled: an engine may send them to other processes and other machines.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.common.progress import Progress, silent
from sfumato.errors import DataError
from sfumato.io import Source
from sfumato.release.shown import Promises, columns_of
from sfumato.run.request import Request
from sfumato.verify.verification import ClassFrequencies, Verification

#: Columns that engines add: the count of a group, and the random place of a row. Tables may not use these names.
COUNT, PLACE = "sfumato_rows", "sfumato_place"

#: The columns of results that have no rows, only figures about their part.
NOTHING = pa.schema([pa.field("nothing", pa.int8())])

#: The columns that stand for each quasi-identifier.
ShownAs = Mapping[str, tuple[str, ...]]

#: From a batch of rows to another batch, which may have fewer rows.
OnBatch = Callable[[pa.RecordBatch], pa.RecordBatch]


#: The number of groups by their size and by how many rows have the most frequent value of the group.
Spread = ClassFrequencies


class Finished(NamedTuple):
    """The result for one part: its rows, and figures about it, which can be pickled."""

    rows: pa.Table
    told: Any


#: From the number of a part and all of its rows to the result for it.
OnPart = Callable[[int, pa.Table], Finished]


class Rows(ABC):
    """A table that an engine holds.

    Attributes
    ----------
    schema
        Its columns and their types.
    numbered
        Whether rows come in the order of the input, so that each has a number.
    """

    schema: pa.Schema
    numbered: ClassVar[bool] = True

    @abstractmethod
    def count(self) -> int:
        """Count the rows."""

    @abstractmethod
    def distinct_counts(self, columns: Sequence[str]) -> list[int]:
        """Estimate how many different values each column has, in one pass over the rows."""

    @abstractmethod
    def groups(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the distinct rows of some columns with their counts in the column ``COUNT``."""

    @abstractmethod
    def spread(self, columns: Sequence[str], value: str | None = None) -> Spread:
        """Count groups of equal rows by their size and by how many of their rows have their most frequent value.

        The engine counts, so the number of groups does not matter here. Without a column of values, all rows of a group
        count as having the same one.
        """

    @abstractmethod
    def mapped(self, function: OnBatch, schema: pa.Schema) -> Rows:
        """Apply a function to the rows, batch by batch; it runs when the result is read.

        A function may list the columns that it reads in ``reads``; the engine then skips the others.
        """

    @abstractmethod
    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> Parted:
        """Apply a function to each part; a part is all rows with the same number in a column.

        The rows of a part come in the same order however many workers compute them. A function may give the number of
        parts in ``parts``.
        """

    @abstractmethod
    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, always in the same order."""


class Parted(Rows):
    """The rows of all parts together, and the figures about each part."""

    @abstractmethod
    def told(self) -> list[Any]:
        """The figures of all parts, in no particular order; the rows must have been written before."""


class ShownElsewhere(ABC):
    """A released table that an engine stores, and which of its columns stand for each quasi-identifier.

    It is one of the forms of `sfumato.release.shown.Shown`.

    Attributes
    ----------
    data
        The rows, in a form that loads none of them by itself.
    rows
        The rows, for counting.
    """

    in_memory: ClassVar[bool] = False

    data: Any
    rows: Rows

    def __init__(self, shown_as: ShownAs) -> None:
        self.quasi_identifiers = dict(shown_as)

    @property
    def class_columns(self) -> list[str]:
        """All columns that together make a class."""
        return columns_of(self.quasi_identifiers)

    @property
    @abstractmethod
    def table(self) -> pa.Table:
        """All rows, loaded into memory."""

    def as_frame(self, table: pa.Table) -> pa.Table:
        """Leave another table as it is: the input was no frame."""
        return table

    @abstractmethod
    def first(self, rows: int) -> pa.Table:
        """Read the first rows without loading the others."""

    @abstractmethod
    def classes(self) -> Any:
        """One row per class, its size and what it shows, in a form that does not load them all."""

    @abstractmethod
    def verify(self, promised: Promises) -> Verification:
        """Check every promise from the rows alone."""

    @abstractmethod
    def write(
        self,
        path: str | os.PathLike[str],
        promised: Promises,
        known: Verification,
        progress: Progress,
        form: str | None = None,
    ) -> Verification:
        """Write the rows, check what was written, and only then rename it to its final name."""


class Engine(ABC):
    """Something that holds rows, counts them and runs functions on them.

    Attributes
    ----------
    name
        What it is called in manifests and messages.
    part_rows
        The most rows that a part may have to fit in memory where it is recoded.
    expected
        The number of rows, once it is known; for progress messages.
    """

    name: str
    part_rows: int
    expected: int = 0

    def rows_per_part(self, rows: int) -> int:
        """The most rows per part for a table of this size: as many as fit, or fewer where that is faster."""
        return self.part_rows

    progress: Progress = staticmethod(silent)

    @abstractmethod
    def open(self, source: Source, columns: Sequence[str], as_text: Sequence[str]) -> Rows:
        """Open some columns of a source; those in ``as_text`` are read as text, even if they look like numbers."""

    def require(self, needed: int) -> None:
        """Refuse work that needs more disk than there is; engines that use no local disk accept all."""
        return

    @abstractmethod
    def kept(self, rows: Rows) -> Rows:
        """Compute rows now and store them in the temporary folder, so that they are computed only once."""

    def source(self, data: object, request: Request) -> Source:
        """Open a table without reading its rows."""
        return request.open(data)

    @abstractmethod
    def released(self, rows: Rows, place: str, names: Sequence[str], shown_as: ShownAs) -> ShownElsewhere:
        """Compute and store the rows of a release, ordered by their random places alone.

        Parameters
        ----------
        rows
            The rows.
        place
            A column of random 64-bit numbers, which is not released. It alone decides in which file a row lies and
            where, so that files and order reveal nothing about the input.
        names
            The names of the files, where there are files.
        shown_as
            The columns that stand for each quasi-identifier.
        """

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the engine into errors that say what the user can do."""
        yield

    @abstractmethod
    def close(self) -> None:
        """Stop the engine and remove what it stored."""


def counted(rows: Rows, columns: Sequence[str]) -> pa.Table:
    """Count groups, sorted by their values, so that the result does not depend on how an engine counts."""
    batches = list(rows.groups(columns))
    kinds = [*(rows.schema.field(name) for name in columns), pa.field(COUNT, pa.int64())]
    if not any(batch.num_rows for batch in batches):
        return pa.schema(kinds).empty_table()  # not every type can be sorted
    table = pa.Table.from_batches(batches)
    return table.sort_by([(name, "ascending") for name in columns])


def group_counts(groups: pa.Table) -> np.ndarray:
    """The number of rows in each group, as the engine counted them."""
    return groups.column(COUNT).cast(pa.int64()).to_numpy()


def spread_of(groups: pa.Table) -> Spread:
    """Build a `Spread` from three columns: sizes, counts of the most frequent value, numbers of groups."""
    sizes, largest, times = (column.cast(pa.int64()).to_pylist() for column in groups.columns)
    return dict(zip(zip(sizes, largest, strict=True), times, strict=True))


def alone(rows: Rows, columns: Sequence[str]) -> int:
    """Count the rows whose values occur only once."""
    return sum(times for (size, _), times in rows.spread(columns).items() if size == 1)


def require_distinct_names(columns: Sequence[str], engine: str) -> None:
    """Refuse columns whose names differ only in case or are those of columns that engines add."""
    met: dict[str, str] = {}
    for name in columns:
        if name.lower() in (COUNT, PLACE):
            raise DataError(f"Engines have a column {name!r} of their own. Rename it, or ask for engine='memory'.")
        other = met.setdefault(name.lower(), name)
        if other != name:
            raise DataError(
                f"Columns {other!r} and {name!r} differ only in capital letters, which {engine} does not tell apart. "
                "Rename one of them, or ask for engine='memory'."
            )
