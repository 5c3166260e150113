"""The profile of a table: the distinct values of each column, counted by the engine, and the domains fitted to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent
from sfumato.errors import DataError
from sfumato.hierarchies import Domain, Hierarchy, with_levels
from sfumato.io.columns import decoded, tidy
from sfumato.io.missing import codes_for, without_codes
from sfumato.run.large.cells import CellCounts, can_have_cells, count_cells
from sfumato.run.large.coded_table import SHOWN, Book, Carried, CodeBook, CodedTable
from sfumato.run.large.engine import Rows, counted, group_counts
from sfumato.run.prepare import ALL_LACKING
from sfumato.run.private import as_fractions
from sfumato.run.request import Request
from sfumato.table.encoding import distinct, fit, fit_sensitive, with_ends
from sfumato.table.schema import Schema

#: A column is not counted only if its estimate exceeds the limit by this factor: estimates err.
MARGIN = 1.3

#: What becomes of quasi-identifiers with too many values.
WITH_RANGES = "Only quasi-identifiers that are numbers or times are known by range instead."
WITHOUT_RANGES = "Differential privacy does not allow to know numbers by their range, which other rows would shape."


class Values(NamedTuple):
    """The distinct values of a column.

    Attributes
    ----------
    read
        The values as read, without the missing one.
    known, places
        The distinct meanings of the values, and for each value read the position of its meaning, -1 for "no value".
    counts
        How many rows have each value read; the last count is of missing values.
    """

    read: pa.Array
    known: pa.Array
    places: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def has_not_a_number(self) -> bool:
        """Whether a row holds not-a-number, which is not the same as a missing value to readers."""
        return bool(pa.types.is_floating(self.read.type) and pc.any(pc.is_nan(self.read)).as_py())

    @property
    def missing(self) -> int:
        """How many rows lack a value, or have a code for "no value"."""
        return int(self.counts[-1] + self.counts[:-1][self.places < 0].sum())

    def fitted(self, name: str, hierarchy: Hierarchy | None) -> tuple[Domain, NDArray[np.unsignedinteger]]:
        """Fit a domain to the values, with the code of each; the last code is for missing values."""
        return fit(name, hierarchy, self.known, self.missing > 0)

    def book(self, name: str, code_of: NDArray[np.integer], as_text: bool = False) -> CodeBook:
        """The code book of the column."""
        return CodeBook(name, self.read, np.append(code_of[self.places], code_of[-1]), as_text)

    def code_counts(self, code_of: NDArray[np.integer], size: int) -> NDArray[np.int64]:
        """Count the rows with each code."""
        codes = np.append(code_of[self.places], code_of[-1])
        return np.bincount(codes, self.counts, minlength=size).astype(np.int64)[:size]


def profile(
    rows: Rows, roles: Mapping[str, str], request: Request, most: int, tell: Tell = silent
) -> tuple[CodedTable, Schema]:
    """Count every column once, and fit the domains to the values that occur.

    Parameters
    ----------
    rows
        The table, with the columns that are released in some form.
    roles
        The role of every column of the input.
    request
        The request.
    most
        The most distinct values of a column that may be kept.
    """
    _refuse_unreadable(rows.schema)
    names = list(rows.schema.names)
    few = {name: about <= MARGIN * most for name, about in zip(names, rows.distinct_counts(names), strict=True)}
    as_text = set(request.read_as_text())
    declared = request.schema.quasi_identifiers
    # The range that others shape would void differential privacy.
    may = [] if request.is_private else [name for name in declared if name not in as_text and _is_number(rows, name)]
    by_range = [name for name in may if not few[name]]
    instead = WITHOUT_RANGES if request.is_private else WITH_RANGES
    found: dict[str, Values] = {}
    for done, name in enumerate(names):
        tell(done / len(names))
        if few[name]:
            found[name] = _values(rows, name, name in as_text, request)
            if not found[name].counts.sum():
                raise DataError(ALL_LACKING)
        elif roles[name] != "plain" and name not in by_range:
            raise DataError(
                f"Column '{name}' has more than {most:,} different values, too many to order them within this memory. "
                f"Round or group its values first, declare it as an identifier, or allow more (memory=). {instead}"
            )
    codes = {name: codes_for(name, request.na) for name in by_range}
    cells = count_cells(rows, {name: declared[name] for name in by_range}, codes, most)
    schema = _with_levels(request, {**found, **cells})
    return _coded(rows, roles, replace(request, schema=schema), found, cells), schema


def _is_number(rows: Rows, name: str) -> bool:
    return can_have_cells(rows.schema.field(name).type)


def _refuse_unreadable(schema: pa.Schema) -> None:
    """Refuse columns that cannot be released or that an engine cannot count exactly."""
    for field in schema:
        tidy(field.name, pa.chunked_array([], field.type))
        if pa.types.is_decimal256(field.type):
            raise DataError(
                f"Column '{field.name}' is of type {field.type}, and engines count numbers of at most 38 digits. Make "
                "it shorter, or work in memory: engine='memory' (on the command line --engine memory)."
            )


def _values(rows: Rows, name: str, as_text: bool, request: Request) -> Values:
    """Count the values of a column."""
    groups = counted(rows, [name])
    counts = group_counts(groups)
    kind, found = rows.schema.field(name).type, groups.column(name)
    # Engines count times in units and zones of their own.
    found = found.cast(kind) if pa.types.is_timestamp(kind) else found
    column = tidy(name, decoded(found), as_text)
    column = decoded(column)
    present = column.is_valid().to_numpy()
    read = column.filter(pa.array(present)).combine_chunks()
    known, places = distinct(name, without_codes(pa.chunked_array([read]), codes_for(name, request.na), as_text))
    known = known.dictionary_decode() if pa.types.is_dictionary(known.type) else known
    known = as_fractions(name, request.schema.quasi_identifiers.get(name), known) if request.is_private else known
    return Values(read, known, places, np.append(counts[present], counts[~present].sum()))


def _with_levels(request: Request, found: Mapping[str, Values | CellCounts]) -> Schema:
    """Add levels to numbers that have none, where the method chooses among levels."""
    schema = request.schema
    if not request.method.needs_levels:
        return schema
    levels = {name: with_levels(how, found[name].known) for name, how in schema.quasi_identifiers.items()}
    return replace(schema, quasi_identifiers=levels)


def _coded(
    rows: Rows,
    roles: Mapping[str, str],
    request: Request,
    found: Mapping[str, Values],
    cells: Mapping[str, CellCounts],
) -> CodedTable:
    schema, ends = request.schema, request.ends
    as_text = set(schema.read_as_text())
    books: list[Book] = []
    domains, marginals = [], []
    for name, hierarchy in schema.quasi_identifiers.items():
        values = cells.get(name) or found[name]
        domain, code_of = values.fitted(name, hierarchy)
        domains.append(with_ends(domain, ends))
        books.append(values.book(name, code_of, name in as_text))
        marginals.append(values.code_counts(code_of, domain.size))
    carried = [
        column
        for name in rows.schema.names
        if roles[name] in {"sensitive", "plain"}
        for column in _carried(rows.schema.field(name), roles[name], found.get(name), codes_for(name, request.na))
    ]
    order = {name: at for at, name in enumerate(schema.sensitive)}
    given = np.array([schema.weights.get(domain.name, 1.0) for domain in domains])
    total = int(marginals[0].sum())
    return CodedTable(
        dict(roles),
        tuple(books),
        tuple(domains),
        tuple(sorted(carried, key=lambda one: order.get(one.name, len(order)))),
        given / given.sum(),
        tuple(marginals),
        total,
    )


def _carried(column: pa.Field, role: str, values: Values | None, codes: frozenset[str]) -> Iterator[Carried]:
    """Yield how a column is carried: as codes, as it is, or both, as codes for models and as it is for readers."""
    name = column.name
    if values is not None:
        ordered, code_of = fit_sensitive(name, values.known, values.missing > 0)
        counts = values.code_counts(code_of, len(ordered))
        yield Carried(name, role, ordered.type, values.book(name, code_of), ordered, counts)
    if values is None or values.has_not_a_number:
        # To models not-a-number is a missing value; the release shows what was there.
        empty = tidy(name, pa.chunked_array([], column.type))
        yield Carried(name, role if values is None else SHOWN, decoded(empty).type, codes=codes)
