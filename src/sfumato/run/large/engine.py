"""What an engine offers to the plan: rows that nobody loads, and a few things to do with them.

The plan is written once, above these two classes. Functions that it hands to an engine are plain functions or frozen
dataclasses that can be pickled: an engine may send them to other processes and other machines.
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

#: The columns that engines add: in which groups are counted, and a row's random place. None of a table is called so.
COUNT, PLACE = "sfumato_rows", "sfumato_place"

#: The columns of what becomes of parts that only tell something.
NOTHING = pa.schema([pa.field("nothing", pa.int8())])

#: The columns that stand for each quasi-identifier.
ShownAs = Mapping[str, tuple[str, ...]]

#: From a batch of rows to another one; rows may become fewer.
OnBatch = Callable[[pa.RecordBatch], pa.RecordBatch]


#: How many groups there are of each size in which the most frequent value has so many rows.
Spread = ClassFrequencies


class Finished(NamedTuple):
    """What became of one part: rows, and figures about it that can be pickled."""

    rows: pa.Table
    told: Any


#: From the number of a part and all of its rows to what becomes of them.
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
        """Return how many rows there are."""

    @abstractmethod
    def distinct_counts(self, columns: Sequence[str]) -> list[int]:
        """Return about how many different values each column has, in one look at the rows."""

    @abstractmethod
    def groups(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Return the different rows of some columns and, in the column ``COUNT``, how often each occurs."""

    @abstractmethod
    def spread(self, columns: Sequence[str], value: str | None = None) -> Spread:
        """Return how many groups there are of each size and with so many rows of the most frequent value of a column.

        Groups are counted where they are, however many there are; without a column, all rows have one value.
        """

    @abstractmethod
    def mapped(self, function: OnBatch, schema: pa.Schema) -> Rows:
        """Return what a function makes of the rows, batch by batch; it is computed when somebody looks.

        A function may say in ``reads`` which columns it looks at, so that an engine need not bring it the others.
        """

    @abstractmethod
    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> Parted:
        """Return what a function makes of each part, which are the rows with the same number in a column.

        The rows of a part always come in the same order, whoever computes them and however many do. A function may say
        in ``parts`` how many there are.
        """

    @abstractmethod
    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, always in the same order."""


class Parted(Rows):
    """The rows of all parts together, and what was told about each."""

    @abstractmethod
    def told(self) -> list[Any]:
        """Return what the function told about the parts, in no particular order; the rows must be written before."""


class ShownElsewhere(ABC):
    """A released table that an engine keeps, and which of its columns stand for each quasi-identifier.

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
        """Return another table as it is: no frame came in."""
        return table

    @abstractmethod
    def first(self, rows: int) -> pa.Table:
        """Return the first rows, without loading the others."""

    @abstractmethod
    def classes(self) -> Any:
        """Return one row per class, its size and what it shows, in a form that loads none of them by itself."""

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
        """Write the rows, check what was written, and only then give it its name."""


class Engine(ABC):
    """Something that holds rows, counts them and runs functions on them.

    Attributes
    ----------
    name
        What it is called in manifests and messages.
    part_rows
        How many rows a part may have at most so that it fits where it is worked on.
    expected
        How many rows there are, once that is known: for whoever tells how far the work is.
    """

    name: str
    part_rows: int
    expected: int = 0

    def rows_per_part(self, rows: int) -> int:
        """Return how many rows a part of a table of so many has at most: as fit, or fewer where that is faster."""
        return self.part_rows

    progress: Progress = staticmethod(silent)

    @abstractmethod
    def open(self, source: Source, columns: Sequence[str], as_text: Sequence[str]) -> Rows:
        """Return some columns of a source as rows; those named in ``as_text`` are text whatever they look like."""

    def require(self, needed: int) -> None:
        """Refuse to start what would not fit on the disk; an engine that has no disk here does not know."""
        return

    @abstractmethod
    def kept(self, rows: Rows) -> Rows:
        """Return rows that are computed now and once, in the temporary folder."""

    def source(self, data: object, request: Request) -> Source:
        """Return what is known of a table before anybody looks at its rows."""
        return request.open(data)

    @abstractmethod
    def released(self, rows: Rows, place: str, names: Sequence[str], shown_as: ShownAs) -> ShownElsewhere:
        """Compute the rows of a release and keep them, in an order that only their random places say.

        Parameters
        ----------
        rows
            The rows.
        place
            A column of random 64-bit numbers, which is not released: a row's number alone says in which file it is and
            where in it, so that neither files nor order tell anything else.
        names
            What files are called, where there are any.
        shown_as
            The columns that stand for each quasi-identifier.
        """

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what goes wrong inside the engine into what the user can do about it."""
        yield

    @abstractmethod
    def close(self) -> None:
        """End what was started, and remove what was kept."""


def counted(rows: Rows, columns: Sequence[str]) -> pa.Table:
    """Return groups in order of their values, so that nothing follows from how an engine counts."""
    batches = list(rows.groups(columns))
    kinds = [*(rows.schema.field(name) for name in columns), pa.field(COUNT, pa.int64())]
    if not any(batch.num_rows for batch in batches):
        return pa.schema(kinds).empty_table()  # which not every type could be sorted in
    table = pa.Table.from_batches(batches)
    return table.sort_by([(name, "ascending") for name in columns])


def group_counts(groups: pa.Table) -> np.ndarray:
    """Return how often each group occurs."""
    return groups.column(COUNT).cast(pa.int64()).to_numpy()


def spread_of(groups: pa.Table) -> Spread:
    """Return sizes, counts of the most frequent value, and how many groups have both, from three columns."""
    sizes, largest, times = (column.cast(pa.int64()).to_pylist() for column in groups.columns)
    return dict(zip(zip(sizes, largest, strict=True), times, strict=True))


def alone(rows: Rows, columns: Sequence[str]) -> int:
    """Return how many rows are the only ones with their values."""
    return sum(times for (size, _), times in rows.spread(columns).items() if size == 1)


def require_distinct_names(columns: Sequence[str], engine: str) -> None:
    """Refuse columns that only capital letters tell apart, or that an engine would take for one of its own."""
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
