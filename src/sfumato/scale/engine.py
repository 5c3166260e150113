"""What an engine offers to the plan: rows that nobody loads, and a few things to do with them.

The plan is written once, above these two classes. Functions that it hands to an engine are plain functions or frozen
dataclasses that can be pickled: an engine may send them to other processes and other machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.io import Source
from sfumato.progress import Progress, silent

#: The column in which groups are counted.
COUNT = "rows"

#: From a batch of rows to another one; rows may become fewer.
OnBatch = Callable[[pa.RecordBatch], pa.RecordBatch]


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
    """

    schema: pa.Schema

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
    def mapped(self, function: OnBatch, schema: pa.Schema) -> Rows:
        """Return what a function makes of the rows, batch by batch; it is computed when somebody looks."""

    @abstractmethod
    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> Parted:
        """Return what a function makes of each part, which are the rows with the same number in a column.

        The rows of a part always come in the same order, whoever computes them and however many do.
        """

    @abstractmethod
    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows, always in the same order."""

    @abstractmethod
    def write(self, folder: Path, place: str, names: Sequence[str]) -> list[Path]:
        """Write the rows to as many Parquet files as there are names, by their places.

        ``place`` is a column of random 64-bit numbers, which is not written: a row's number alone says in which file
        it is and where in it, so that neither files nor order tell anything else.
        """


class Parted(Rows):
    """The rows of all parts together, and what was told about each."""

    @abstractmethod
    def told(self) -> list[Any]:
        """Return what the function told about the parts, in no particular order; the rows must be written before."""


class Engine(ABC):
    """Something that holds rows, counts them and runs functions on them.

    Attributes
    ----------
    name
        What it is called in manifests and messages.
    part_rows
        How many rows a part may have at most so that it fits where it is worked on.
    """

    name: str
    part_rows: int

    progress: Progress = staticmethod(silent)

    @abstractmethod
    def open(self, source: Source, columns: Sequence[str], as_text: Sequence[str]) -> Rows:
        """Return some columns of a source as rows; those named in ``as_text`` are text whatever they look like."""

    @abstractmethod
    def kept(self, rows: Rows) -> Rows:
        """Return rows that are computed now and once, in the temporary folder."""

    @abstractmethod
    def output(self) -> Path:
        """Return a folder for what is released, which stays as long as the engine."""

    @abstractmethod
    def close(self) -> None:
        """End what was started, and remove what was kept."""


def counted(rows: Rows, columns: Sequence[str]) -> pa.Table:
    """Return groups in order of their values, so that nothing follows from how an engine counts."""
    batches = list(rows.groups(columns))
    kinds = [*(rows.schema.field(name) for name in columns), pa.field(COUNT, pa.int64())]
    table = pa.Table.from_batches(batches) if batches else pa.schema(kinds).empty_table()
    return table.sort_by([(name, "ascending") for name in columns])


def group_counts(groups: pa.Table) -> np.ndarray:
    """Return how often each group occurs."""
    return groups.column(COUNT).cast(pa.int64()).to_numpy()
