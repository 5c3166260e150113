"""What guardrails look at: the columns of a request as codes, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.microdata import EquivalenceClasses, Microdata, distinct, group_rows
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


@dataclass(frozen=True)
class Requested:
    """A request and its table, before any method has run.

    Attributes
    ----------
    roles
        The role of every column of the table.
    declared
        How each quasi-identifier was declared to generalize, None where its type decides.
    microdata
        The encoded quasi-identifiers and sensitive columns.
    kept
        The columns that are released as they are, row by row as in ``microdata``.
    models
        The privacy that is asked for.
    identifiers
        The dropped columns that may name people: for every row a number that stands for the value, -1 where missing.
    row_numbers
        The unnamed columns that only number the rows, and so were dropped without being asked for.
    """

    roles: Mapping[str, str]
    declared: Mapping[str, Declared]
    microdata: Microdata
    kept: pa.Table = field(repr=False)
    models: Sequence[PrivacyModel] = ()
    identifiers: Mapping[str, NDArray[np.integer]] = field(default_factory=dict, repr=False)
    row_numbers: Sequence[str] = ()

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

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Every column that is released in some form, quasi-identifiers as they came."""
        found = [Column(d.name, "quasi-identifier", d.values, self.codes_of(d.name)) for d in self.microdata.domains]
        for sensitive in self.microdata.sensitive:
            values = sensitive.values.drop_null()
            found.append(Column(sensitive.name, "sensitive", values, sensitive.codes))
        plain = [name for name, role in self.roles.items() if role == "plain"]
        return {column.name: column for column in [*found, *(self._plain(name) for name in plain)]}

    def _plain(self, name: str) -> Column:
        values, places = distinct(name, self.kept.column(name))
        return Column(name, "plain", values, np.where(places < 0, len(values), places))

    def codes_of(self, quasi_identifier: str) -> NDArray[np.integer]:
        """Return the codes of a quasi-identifier."""
        codes: NDArray[np.integer] = self.microdata.codes[:, self.microdata.names.index(quasi_identifier)]
        return codes

    def with_role(self, *roles: str) -> list[Column]:
        """Return the columns of these roles."""
        return [column for column in self.columns.values() if column.role in roles]


@dataclass(frozen=True)
class Released(Requested):
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
        shown = np.hstack([self.classes.lo, self.classes.hi])
        sizes = [domain.size for domain in self.microdata.domains] * 2
        looks = np.append(group_rows(shown, sizes).of_row, np.int32(-1))
        return looks[self.classes.of_row].astype(np.int32)

    @cached_property
    def released(self) -> NDArray[np.bool_]:
        """Which rows are released."""
        return self.visible >= 0
