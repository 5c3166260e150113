"""What guardrails see: the columns of a request as codes, and the release made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.rows import count_codes, gather
from sfumato.common.threads import side_by_side
from sfumato.hierarchies import Domain, Learned, Taxonomy
from sfumato.privacy import PrivacyModel
from sfumato.table.encoding import distinct
from sfumato.table.microdata import Microdata
from sfumato.table.schema import Declared

#: From this share of a class on, a value counts as nearly certain.
NEARLY = 0.9


@dataclass(frozen=True)
class ViewedColumn:
    """A column as its distinct values with a code per row, or at least with the number of rows of each value.

    Attributes
    ----------
    codes
        The value of every row as its index in ``values``; a missing value has the code after the last. None if the rows
        are not available.
    counted
        How many rows have each value, and last how many have none, if the rows are not available.
    alone
        How many rows are the only ones with their value, if not even the values are available.
    """

    name: str
    role: str
    values: pa.Array = field(repr=False)
    codes: NDArray[np.integer] | None = field(default=None, repr=False)
    counted: NDArray[np.int64] | None = field(default=None, repr=False)
    alone: int | None = None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each value, and last how many have none."""
        if self.codes is None:
            return np.zeros(1, np.int64) if self.counted is None else self.counted
        return count_codes(self.codes, len(self.values) + 1)

    @property
    def unique_rows(self) -> int:
        """The number of rows whose value no other row has."""
        return int(np.count_nonzero(self.counts[:-1] == 1)) if self.alone is None else self.alone


def coded_columns(
    microdata: Microdata, kept: pa.Table, plain: Iterable[str], places: NDArray[np.integer] | None = None
) -> dict[str, ViewedColumn]:
    """Code every column that is released in some form; quasi-identifiers with their original values.

    Parameters
    ----------
    microdata
        The quasi-identifiers and the sensitive columns.
    kept, plain
        The table with the plain columns, and their names.
    places
        Where each row of ``microdata`` is in ``kept``, if the order differs.
    """
    columns = [
        ViewedColumn(domain.name, "quasi-identifier", domain.values, microdata.codes[:, at])
        for at, domain in enumerate(microdata.domains)
    ]
    columns += [ViewedColumn(one.name, "sensitive", one.values.drop_null(), one.codes) for one in microdata.sensitive]
    if names := list(plain):
        columns += side_by_side(lambda name: _plain(name, kept.column(name), places), names)
    side_by_side(lambda column: column.counts, columns)  # all guardrails need them
    return {column.name: column for column in columns}


def _plain(name: str, column: pa.ChunkedArray, places: NDArray[np.integer] | None) -> ViewedColumn:
    values, codes = distinct(name, column)
    codes = codes.copy() if places is None else gather(codes, places)
    codes[codes < 0] = len(values)
    return ViewedColumn(name, "plain", values, codes)


@dataclass(frozen=True)
class RequestView:
    """A request and its table, before any method has run.

    Attributes
    ----------
    declared
        The declared hierarchy of each quasi-identifier, None if its type decides.
    microdata
        The encoded quasi-identifiers and sensitive columns.
    columns
        Every column that is released in some form, row by row as in ``microdata``.
    models
        The requested privacy models.
    identifiers
        The dropped columns that may name people: for every row the number of its value, -1 if missing.
    row_numbers
        The unnamed columns that only number the rows and were therefore dropped unasked.
    remarks
        What had to be guessed or left out when the table was read: columns, what was found, what to do, severity.
    pseudonyms
        The identifiers released as pseudonyms, and the largest number of rows with the same one.
    counts_people
        Whether a column says whose row it is, so that a person who is there twice counts once.
    total
        The number of rows, if they are not in ``microdata``.
    """

    declared: Mapping[str, Declared]
    microdata: Microdata
    columns: Mapping[str, ViewedColumn] = field(repr=False)
    models: Sequence[PrivacyModel] = ()
    identifiers: Mapping[str, NDArray[np.integer]] = field(default_factory=dict, repr=False)
    row_numbers: Sequence[str] = ()
    remarks: Sequence[tuple[tuple[str, ...], str, str, str]] = ()
    pseudonyms: Mapping[str, int] = field(default_factory=dict)
    counts_people: bool = False
    total: int | None = None

    @property
    def learned(self) -> list[str]:
        """The quasi-identifiers whose hierarchies were learned from the table."""
        return [name for name, how in self.declared.items() if isinstance(how, Learned)]

    @property
    def taxonomies(self) -> list[str]:
        """The quasi-identifiers with a declared taxonomy."""
        return [name for name, how in self.declared.items() if isinstance(how, Taxonomy)]

    @property
    def has_rows(self) -> bool:
        """Whether single rows are available, not only counts."""
        return self.total is None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.microdata) if self.total is None else self.total

    @property
    def k(self) -> int:
        """The class size that the models guarantee."""
        return max((model.smallest_class() for model in self.models), default=1)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The quasi-identifiers."""
        return {domain.name: domain for domain in self.microdata.domains}

    def with_role(self, *roles: str) -> list[ViewedColumn]:
        """Select the columns of these roles."""
        return [column for column in self.columns.values() if column.role in roles]


class ClassCertainty(NamedTuple):
    """How far classes reveal a sensitive column: all classes, those with one value, their rows, those nearly so."""

    classes: int
    certain: int
    rows: int
    nearly: int

    @classmethod
    def of(cls, sizes: NDArray[np.int64], largest: NDArray[np.int64], times: NDArray[np.int64]) -> ClassCertainty:
        """Count classes, given their sizes, the counts of their most frequent value, and how many classes have both."""
        certain = largest == sizes
        nearly = ~certain & (largest >= NEARLY * sizes)
        return cls(
            int(times.sum()), int(times[certain].sum()), int((times * sizes)[certain].sum()), int(times[nearly].sum())
        )


class Drawn(NamedTuple):
    """Some of the released rows.

    Attributes
    ----------
    codes
        Their quasi-identifiers.
    lo, hi
        The first and last code of the class of each row.
    columns
        The codes of the other columns, by name.
    said
        How they were drawn, in words; empty if they are all rows.
    again
        Whether the same row may be drawn more than once.
    """

    codes: NDArray[np.unsignedinteger]
    lo: NDArray[np.integer]
    hi: NDArray[np.integer]
    columns: Mapping[str, NDArray[np.integer]]
    said: str
    again: bool = False


@dataclass(frozen=True)
class ReleaseView(RequestView, ABC):
    """A request and its release, as far as the engine that holds the rows can tell.

    Attributes
    ----------
    minimized
        What the method minimized.
    lost
        The mean loss of every quasi-identifier, from 0 to 1.
    levels
        The level of every quasi-identifier, if it is the same in all classes.
    """

    minimized: object = None
    lost: Mapping[str, float] = field(default_factory=dict)
    levels: Sequence[int] | None = None

    @property
    @abstractmethod
    def released_rows(self) -> int:
        """How many rows are released."""

    @abstractmethod
    def alone(self, names: Sequence[str], with_classes: bool = False) -> int:
        """Count the released rows that are the only ones with their values in some columns, and optionally class."""

    @abstractmethod
    def certainty(self, name: str) -> ClassCertainty:
        """Measure how certain a column is in the classes that a reader can distinguish."""

    @abstractmethod
    def starred(self, at: int) -> int:
        """Count the released rows whose class holds a missing value of a quasi-identifier."""

    @abstractmethod
    def drawn(self, most: int) -> Drawn:
        """Draw some of the released rows, not many more than ``most``; all of them if they are few."""
