"""The interface of released rows, wherever they are stored: in memory, in files, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.progress import Progress, stage
from sfumato.errors import VerificationError
from sfumato.io import Source, write_table
from sfumato.io.spss_stata_sas import FileLabels
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification
from sfumato.verify.written import PromisedTable, verify_written

#: What data frames call what a release has.
CALLED = {
    **dict.fromkeys(("to_csv", "to_parquet", "to_excel", "to_file", "save", "export", "write_csv"), "write"),
    **dict.fromkeys(("df", "frame", "dataframe", "rows", "released", "result"), "data"),
    **dict.fromkeys(("to_df", "to_frame", "to_dataframe"), "to_pandas"),
}


class Promises(NamedTuple):
    """What a release promises, in the verifier's words.

    Attributes
    ----------
    sensitive
        The sensitive columns.
    models
        What every class keeps.
    rows
        How many rows are released.
    people
        The person of every row, as a number, where several rows may belong to one person.
    """

    sensitive: Sequence[str]
    models: Sequence[Mapping[str, Any]]
    rows: int
    people: NDArray[np.int64] | None = None

    def kept_by(self, found: Verification) -> Verification:
        """Accept written files that keep every promise and have lost no row; refuse others."""
        if found.ok and found.rows == self.rows:
            return found
        lost = "" if found.rows == self.rows else f"\n{found.rows:,} rows were read, not {self.rows:,}."
        raise VerificationError(f"What was written is not safe and is not published.\n{found.broken_rules()}{lost}")


class Shown(Protocol):
    """A released table, and which of its columns stand for each quasi-identifier."""

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in this process; otherwise an engine keeps them."""

    @property
    def quasi_identifiers(self) -> Mapping[str, tuple[str, ...]]:
        """The columns that show each quasi-identifier: two of them where intervals are shown by their bounds."""

    @property
    def class_columns(self) -> list[str]:
        """All columns that together make a class."""

    @property
    def table(self) -> pa.Table:
        """All rows as an Arrow table; an engine loads them for it."""

    @property
    def data(self) -> Any:
        """The rows as the kind of frame of the input, or as the engine holds them."""

    def first(self, rows: int) -> pa.Table:
        """The first rows, without loading the others."""

    def as_frame(self, table: pa.Table) -> Any:
        """Convert another table to the kind of frame of the input; where an engine keeps the rows, it stays Arrow."""

    def verify(self, promised: Promises) -> Verification:
        """Check every promise from the rows alone."""

    def write(
        self,
        path: str | os.PathLike[str],
        promised: Promises,
        known: Verification,
        progress: Progress,
        form: str | None = None,
    ) -> Verification:
        """Write the rows and check what was written before it takes its place.

        Parameters
        ----------
        path, form
            Where, and in which format where the name does not say it.
        promised, known
            What the rows promise, and what was found when they were verified.
        progress
            Called with the stage and the share that is done.

        Returns
        -------
        Verification
            What holds for the file.
        """


def columns_of(quasi_identifiers: Mapping[str, tuple[str, ...]]) -> list[str]:
    """List the columns that show quasi-identifiers, all of which together make a class."""
    return [name for names in quasi_identifiers.values() for name in names]


@dataclass(frozen=True)
class ShownInMemory:
    """A released table in memory, and the source whose kind of frame it is returned as."""

    table: pa.Table
    quasi_identifiers: dict[str, tuple[str, ...]]
    source: Source | None = field(default=None, repr=False)

    in_memory: ClassVar[bool] = True

    @property
    def class_columns(self) -> list[str]:
        """All columns that together make a class."""
        return columns_of(self.quasi_identifiers)

    @cached_property
    def data(self) -> Any:
        """The rows as the kind of frame of the input."""
        return self.as_frame(self.table)

    def first(self, rows: int) -> pa.Table:
        """The first rows."""
        return self.table.slice(0, rows)

    def as_frame(self, table: pa.Table) -> Any:
        """Convert a table to the kind of frame of the input."""
        return table if self.source is None else self.source.to_native(table)

    def verify(self, promised: Promises) -> Verification:
        """Check every promise from the rows alone."""
        return verify_release(
            self.table, self.class_columns, promised.sensitive, promised.models, people=promised.people
        )

    def write(
        self,
        path: str | os.PathLike[str],
        promised: Promises,
        known: Verification,
        progress: Progress,
        form: str | None = None,
    ) -> Verification:
        """Write one file, complete or not at all; its ``notes`` say what readers of the file may misunderstand."""
        notes: list[str] = []
        asked = PromisedTable(self.table, self.class_columns, promised.sensitive, promised.models, promised.people)

        def inspect(file: Path, form: str) -> None:
            progress("reading the file back", 0.0)
            notes.extend(verify_written(file, form, asked))

        labels = None if self.source is None else FileLabels(self.source.labels, self.source.value_labels)
        write_table(self.table, path, stage(progress, "writing the file"), inspect, form, labels)
        return replace(known, notes=tuple(notes))
