"""What guardrails look at: the columns of a request as codes, and what became of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.threads import side_by_side
from sfumato.hierarchies import Domain, Learned, Taxonomy
from sfumato.privacy import PrivacyModel
from sfumato.table.encoding import distinct
from sfumato.table.microdata import Microdata
from sfumato.table.schema import Declared

#: From this share of a class on, one value is as good as known.
NEARLY = 0.9


@dataclass(frozen=True)
class ViewedColumn:
    """A column as its different values, and a code per row or at least how many rows have each value.

    Attributes
    ----------
    codes
        The value of every row, as its place in ``values``; a missing one has the code after the last. None where
        nobody holds the rows.
    counted
        How many rows have each value, and after the last value how many have none, where the rows are not here.
    alone
        How many rows are the only ones with their value, where not even the values are here.
    """

    name: str
    role: str
    values: pa.Array = field(repr=False)
    codes: NDArray[np.integer] | None = field(default=None, repr=False)
    counted: NDArray[np.int64] | None = field(default=None, repr=False)
    alone: int | None = None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each value, and after the last value how many have none."""
        if self.codes is None:
            return np.zeros(1, np.int64) if self.counted is None else self.counted
        return np.bincount(self.codes, minlength=len(self.values) + 1)

    @property
    def unique_rows(self) -> int:
        """The number of rows whose value no other row has."""
        return int(np.count_nonzero(self.counts[:-1] == 1)) if self.alone is None else self.alone


def coded_columns(
    microdata: Microdata, kept: pa.Table, plain: Iterable[str], places: NDArray[np.integer] | None = None
) -> dict[str, ViewedColumn]:
    """Return every column that is released in some form, quasi-identifiers as they came.

    Parameters
    ----------
    microdata
        The quasi-identifiers and the sensitive columns.
    kept, plain
        The table with the plain columns, and their names.
    places
        Where each row of ``microdata`` stands in ``kept``, if the order is another one.
    """
    columns = [
        ViewedColumn(domain.name, "quasi-identifier", domain.values, microdata.codes[:, at])
        for at, domain in enumerate(microdata.domains)
    ]
    columns += [ViewedColumn(one.name, "sensitive", one.values.drop_null(), one.codes) for one in microdata.sensitive]
    if names := list(plain):
        columns += side_by_side(lambda name: _plain(name, kept.column(name), places), names)
    return {column.name: column for column in columns}


def _plain(name: str, column: pa.ChunkedArray, places: NDArray[np.integer] | None) -> ViewedColumn:
    values, codes = distinct(name, column)
    codes = codes.copy() if places is None else codes[places]
    codes[codes < 0] = len(values)
    return ViewedColumn(name, "plain", values, codes)


@dataclass(frozen=True)
class RequestView:
    """A request and its table, before any method has run.

    Attributes
    ----------
    declared
        How each quasi-identifier was declared to generalize, None where its type decides.
    microdata
        The encoded quasi-identifiers and sensitive columns.
    columns
        Every column that is released in some form, row by row as in ``microdata``.
    models
        The privacy that is asked for.
    identifiers
        The dropped columns that may name people: for every row a number that stands for the value, -1 where missing.
    row_numbers
        The unnamed columns that only number the rows, and so were dropped without being asked for.
    remarks
        What had to be guessed or left out when the table was read: columns, what was found, what to do.
    pseudonyms
        The identifiers that are released as pseudonyms, and how many rows the most frequent of each has.
    total
        How many rows there are, where they are not in ``microdata``.
    """

    declared: Mapping[str, Declared]
    microdata: Microdata
    columns: Mapping[str, ViewedColumn] = field(repr=False)
    models: Sequence[PrivacyModel] = ()
    identifiers: Mapping[str, NDArray[np.integer]] = field(default_factory=dict, repr=False)
    row_numbers: Sequence[str] = ()
    remarks: Sequence[tuple[tuple[str, ...], str, str]] = ()
    pseudonyms: Mapping[str, int] = field(default_factory=dict)
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
        """Whether single rows can be looked at, not only how many there are of which kind."""
        return self.total is None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.microdata) if self.total is None else self.total

    @property
    def k(self) -> int:
        """The size that every class has by what is asked for."""
        return max((model.smallest_class() for model in self.models), default=1)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The quasi-identifiers."""
        return {domain.name: domain for domain in self.microdata.domains}

    def with_role(self, *roles: str) -> list[ViewedColumn]:
        """Return the columns of these roles."""
        return [column for column in self.columns.values() if column.role in roles]


class ClassCertainty(NamedTuple):
    """How far classes give a sensitive column away: classes, those certain, their rows, those nearly certain."""

    classes: int
    certain: int
    rows: int
    nearly: int

    @classmethod
    def of(cls, sizes: NDArray[np.int64], largest: NDArray[np.int64], times: NDArray[np.int64]) -> ClassCertainty:
        """Sum up classes by how many rows each has, and how many of them their most frequent value."""
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
        From where to where the class of each reaches.
    columns
        The codes of the other columns, by name.
    said
        How they were drawn, in words; nothing where they are all.
    """

    codes: NDArray[np.unsignedinteger]
    lo: NDArray[np.integer]
    hi: NDArray[np.integer]
    columns: Mapping[str, NDArray[np.integer]]
    said: str


@dataclass(frozen=True)
class ReleaseView(RequestView, ABC):
    """A request and what a method made of it, as far as those know who hold the rows.

    Attributes
    ----------
    minimized
        What the method was asked to make small.
    lost
        The share of every quasi-identifier that was lost.
    levels
        The level that every quasi-identifier is shown at, if it is the same in all classes.
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
        """Return how many released rows are the only ones with their values in some columns, and in their class."""

    @abstractmethod
    def certainty(self, name: str) -> ClassCertainty:
        """Look at how frequent the most frequent value of every class is, as a reader sees the classes."""

    @abstractmethod
    def starred(self, at: int) -> int:
        """Return how many released rows share their class with somebody who lacks a value."""

    @abstractmethod
    def drawn(self, most: int) -> Drawn:
        """Return some of the released rows, not many more than asked for; all of them where they are so few."""
