"""What guardrails look at: the columns of a request as codes, and what became of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, SetDomain
from sfumato.microdata import EquivalenceClasses, Microdata, distinct, group_rows, shown_sets
from sfumato.privacy import PrivacyModel
from sfumato.schema import Declared


@dataclass(frozen=True)
class Column:
    """A column as its different values and a code per row; a missing value has the code after the last."""

    name: str
    role: str
    values: pa.Array = field(repr=False)
    codes: NDArray[np.integer] = field(repr=False)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each value, and after the last value how many have none."""
        return np.bincount(self.codes, minlength=len(self.values) + 1)

    @property
    def unique_rows(self) -> int:
        """The number of rows whose value no other row has."""
        return int(np.count_nonzero(self.counts[:-1] == 1))


def coded_columns(
    microdata: Microdata, kept: pa.Table, plain: Iterable[str], places: NDArray[np.integer] | None = None
) -> dict[str, Column]:
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
        Column(domain.name, "quasi-identifier", domain.values, microdata.codes[:, at])
        for at, domain in enumerate(microdata.domains)
    ]
    columns += [Column(one.name, "sensitive", one.values.drop_null(), one.codes) for one in microdata.sensitive]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        columns += pool.map(lambda name: _plain(name, kept.column(name), places), plain)
    return {column.name: column for column in columns}


def _plain(name: str, column: pa.ChunkedArray, places: NDArray[np.integer] | None) -> Column:
    values, codes = distinct(name, column)
    codes = codes.copy() if places is None else codes[places]
    codes[codes < 0] = len(values)
    return Column(name, "plain", values, codes)


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
    """

    declared: Mapping[str, Declared]
    microdata: Microdata
    columns: Mapping[str, Column] = field(repr=False)
    models: Sequence[PrivacyModel] = ()
    identifiers: Mapping[str, NDArray[np.integer]] = field(default_factory=dict, repr=False)
    row_numbers: Sequence[str] = ()
    remarks: Sequence[tuple[tuple[str, ...], str, str]] = ()
    pseudonyms: Mapping[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.microdata)

    @property
    def k(self) -> int:
        """The size that every class has by what is asked for."""
        return max((model.smallest_class() for model in self.models), default=1)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The quasi-identifiers."""
        return {domain.name: domain for domain in self.microdata.domains}

    def with_role(self, *roles: str) -> list[Column]:
        """Return the columns of these roles."""
        return [column for column in self.columns.values() if column.role in roles]


def _numbers(indices: pa.Array) -> NDArray[np.int64]:
    """Return indices from 1 on, 0 where missing."""
    numbers: NDArray[np.int64] = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return numbers.astype(np.int64) + 1


@dataclass(frozen=True)
class ReleaseView(RequestView):
    """A request and what a method made of it.

    Attributes
    ----------
    classes
        The equivalence classes.
    minimized
        What the method was asked to make small.
    lost
        The share of every quasi-identifier that was lost.
    """

    classes: EquivalenceClasses = field(kw_only=True)
    minimized: object = None
    lost: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def visible(self) -> NDArray[np.int32]:
        """For every row the number of the class that a reader sees it in, -1 where it is left out.

        Two classes that look alike are one to a reader.
        """
        shown = [self._shown(at).dictionary_encode() for at in range(len(self.microdata.domains))]
        codes = np.stack([_numbers(column.indices) for column in shown], axis=1)
        looks = np.append(group_rows(codes, [len(column.dictionary) + 1 for column in shown]).of_row, np.int32(-1))
        return looks[self.classes.of_row].astype(np.int32)

    def _shown(self, at: int) -> pa.StringArray:
        """Return what every class shows of a quasi-identifier."""
        domain, levels = self.microdata.domains[at], self.classes.levels
        lo, hi = self.classes.lo[:, at], self.classes.hi[:, at]
        if levels is None:
            labels = domain.span_labels(lo, hi)
            shows_sets = isinstance(domain, SetDomain) and domain.sets
            return shown_sets(self.microdata, self.classes, at, labels) if shows_sets else labels
        level = domain.levels[levels[at]]
        return level.labels.take(pa.array(level.groups[lo]))

    @cached_property
    def released(self) -> NDArray[np.bool_]:
        """Which rows are released."""
        return self.visible >= 0
