"""Encoding batch by batch: the code books that a profile makes are enough to encode any batch of the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.hierarchies import Domain
from sfumato.io.columns import decoded, is_text, tidy
from sfumato.io.missing import codes_for, without_codes
from sfumato.table.encoding import missing_rows
from sfumato.table.microdata import Microdata, SensitiveColumn, smallest_unsigned

Codes = NDArray[np.integer]

#: Integers within a range of this size are encoded by a lookup table instead of a search.
LOOKED_UP = 1 << 22

#: Names of columns of encoded rows, besides codes and carried columns: key in the order, its bucket, the part.
KEY, BUCKET, PART = "key", "bucket", "part"


#: The role of the second copy of a column that models see differently from readers of the release.
SHOWN = "shown"


def coded_name(at: int) -> str:
    """The name of the column with the codes of a quasi-identifier."""
    return f"q{at}"


def carried_name(at: int) -> str:
    """The name of the column that holds a carried column."""
    return f"c{at}"


class Book(Protocol):
    """Encodes a column."""

    @property
    def name(self) -> str:
        """The column."""

    def encode(self, column: pa.Array) -> Codes:
        """Encode every cell."""


@dataclass(frozen=True)
class CodeBook:
    """The distinct values of a column as they are read, and the code of each; the last code is for missing values."""

    name: str
    values: pa.Array = field(repr=False)
    codes: NDArray[np.integer] = field(repr=False)
    as_text: bool = False

    def encode(self, column: pa.Array) -> Codes:
        """Encode every cell."""
        if pa.types.is_dictionary(column.type):
            missing = len(column.dictionary)
            indices = column.indices.fill_null(missing).to_numpy(zero_copy_only=False)
            own = np.full(missing + 1, self.codes[-1])
            # A dictionary may hold values that no row has, which have no code.
            used = np.flatnonzero(np.bincount(indices, minlength=missing)[:missing])
            own[used] = self.encode(column.dictionary.take(pa.array(used)))
            return own[indices]
        column = tidy(self.name, pa.chunked_array([column]), self.as_text).combine_chunks()
        column = column if column.type == self.values.type else column.cast(self.values.type)
        return self._looked_up(column) if self._numbers is not None else self._found(column)

    def _looked_up(self, column: pa.Array) -> Codes:
        """Encode numbers by lookup table or binary search."""
        present = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
        numbers = as_numbers(column.fill_null(self.values[0]) if column.null_count and len(self.values) else column)
        if numbers.dtype.kind == "f":
            lacking = np.isnan(numbers)
            present = ~lacking if present is None else present & ~lacking
        if not len(self.values):
            return np.full(len(column), self.codes[-1])
        codes = self._by_table(numbers) if self._table is not None else self._by_search(numbers, present)
        return codes if present is None else np.where(present, codes, self.codes[-1])

    def _by_table(self, numbers: NDArray[Any]) -> Codes:
        assert self._table is not None
        least, table = self._table
        places = numbers - least
        if len(places) and (places.min() < 0 or places.max() >= len(table)):
            raise changed(self.name)
        codes = table[places]
        if codes.min(initial=0) < 0:
            raise changed(self.name)
        return codes

    def _by_search(self, numbers: NDArray[np.generic], present: NDArray[np.bool_] | None) -> Codes:
        ordered, codes = self._ordered
        places = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
        known = ordered[places] == numbers
        if not (known.all() if present is None else known[present].all()):
            raise changed(self.name)
        return codes[places]

    def _found(self, column: pa.Array) -> Codes:
        """Encode values of any other type."""
        places = pc.index_in(column, self.values)
        if places.null_count != column.null_count:
            raise changed(self.name)
        return self.codes[places.fill_null(len(self.values)).to_numpy(zero_copy_only=False)]

    @cached_property
    def _numbers(self) -> NDArray[np.generic] | None:
        kind = self.values.type
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
        return as_numbers(self.values) if numeric and not pa.types.is_duration(kind) else None

    @cached_property
    def _ordered(self) -> tuple[NDArray[np.generic], Codes]:
        assert self._numbers is not None
        order = np.argsort(self._numbers, kind="stable")
        return self._numbers[order], self.codes[order]

    @cached_property
    def _table(self) -> tuple[int, Codes] | None:
        """The least integer and the codes of all from there on, -1 where there is none; None for too wide a range."""
        numbers = self._numbers
        if numbers is None or numbers.dtype.kind not in "iu" or not len(numbers):
            return None
        least, most = int(numbers.min()), int(numbers.max())
        if most - least >= LOOKED_UP or most >= 1 << 62 or least <= -(1 << 62):
            return None
        table = np.full(most - least + 1, -1, np.int32)
        table[numbers.astype(np.int64) - least] = self.codes[:-1]
        return least, table


def changed(name: str) -> DataError:
    """The error for a table that changes while it is read."""
    return DataError(
        f"Column '{name}' has a value that it did not have a moment ago: the table changes while it is read. "
        "Run again when nobody writes to it, or copy it first."
    )


def as_numbers(column: pa.Array) -> NDArray[np.generic]:
    """Convert numbers, dates and times to plain numbers of the same order."""
    kind = column.type
    if pa.types.is_temporal(kind):
        column = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    if pa.types.is_integer(column.type) and column.type != pa.uint64():
        column = column.cast(pa.int64())
    return column.to_numpy(zero_copy_only=False)


@dataclass(frozen=True)
class Carried:
    """A column that is released row by row, not recoded; stored as codes or as it is.

    Attributes
    ----------
    name, role, kind
        Its name, role and type.
    book, values, counts
        Its code book, the values of the codes and their counts; None if it is stored as it is.
    codes
        The texts that mean "no value", for a column that is stored as it is.
    """

    name: str
    role: str
    kind: pa.DataType
    book: CodeBook | None = field(default=None, repr=False)
    values: pa.Array | None = field(default=None, repr=False)
    counts: NDArray[np.int64] | None = field(default=None, repr=False)
    codes: frozenset[str] = frozenset()

    def stored(self, column: pa.Array) -> pa.Array:
        """Convert a column to the form in which it is stored."""
        if self.book is None:
            plain = tidy(self.name, decoded(pa.chunked_array([column])))
            return decoded(without_codes(plain, self.codes, as_text=True)).cast(self.kind)
        return pa.array(self.book.encode(column).astype(self.code_type))

    def shown(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Convert a stored column to the form in which it is released."""
        if self.values is None:
            return column
        indices = [pa.array(chunk.to_numpy().astype(np.int32)) for chunk in column.chunks]
        missing = len(self.values) - 1 if self.values.null_count else -1
        values = self.values.slice(0, missing) if missing >= 0 else self.values
        if not is_text(values.type):
            return pa.chunked_array([self.values.take(chunk) for chunk in indices], self.values.type)
        coded = [pc.if_else(pc.equal(chunk, missing), pa.scalar(None, pa.int32()), chunk) for chunk in indices]
        pieces = [pa.DictionaryArray.from_arrays(chunk, values) for chunk in coded]
        return pa.chunked_array(pieces, pa.dictionary(pa.int32(), values.type))

    @property
    def code_type(self) -> np.dtype[np.unsignedinteger]:
        """The smallest type for its codes."""
        assert self.values is not None
        return smallest_unsigned([len(self.values)])

    @property
    def stored_type(self) -> pa.DataType:
        """The type in which it is stored."""
        return self.kind if self.book is None else pa.from_numpy_dtype(self.code_type)


@dataclass(frozen=True)
class CodedTable:
    """What the codes of a table mean: enough to turn any of its encoded rows into microdata.

    Attributes
    ----------
    roles
        The role of every column of the input, in its order.
    books, domains
        The code books and domains of the quasi-identifiers.
    carried
        The columns that are released row by row.
    weights
        How much each quasi-identifier counts in the loss.
    marginals
        How many rows of the table have each code.
    rows
        How many rows there are.
    """

    roles: dict[str, str]
    books: tuple[Book, ...] = field(repr=False)
    domains: tuple[Domain, ...]
    carried: tuple[Carried, ...]
    weights: NDArray[np.float64]
    marginals: tuple[NDArray[np.int64], ...] = field(repr=False)
    rows: int

    @property
    def sensitive(self) -> list[int]:
        """The positions of the sensitive columns among the carried ones."""
        return [at for at, column in enumerate(self.carried) if column.role == "sensitive"]

    def microdata(self, rows: pa.Table) -> Microdata:
        """Convert encoded rows to microdata that know the marginals of the whole table."""
        codes = np.empty((rows.num_rows, len(self.domains)), smallest_unsigned([one.size for one in self.domains]))
        for at in range(len(self.domains)):
            codes[:, at] = rows.column(coded_name(at)).to_numpy()
        sensitive = tuple(self._sensitive(at, rows) for at in self.sensitive)
        return Microdata(codes, self.domains, sensitive, self.weights, self.marginals)

    def _sensitive(self, at: int, rows: pa.Table) -> SensitiveColumn:
        column, codes = self.carried[at], rows.column(carried_name(at)).to_numpy().astype(np.int32)
        assert column.values is not None
        return SensitiveColumn(column.name, column.values, codes, whole=column.counts)

    def released(self, rows: pa.Table) -> pa.Table:
        """The columns that are released row by row."""
        return pa.table(
            {column.name: column.shown(rows.column(carried_name(at))) for at, column in enumerate(self.carried)}
        )

    @property
    def schema(self) -> pa.Schema:
        """The columns of encoded rows."""
        sizes = [(coded_name(at), smallest_unsigned([domain.size])) for at, domain in enumerate(self.domains)]
        coded = [pa.field(name, pa.from_numpy_dtype(kind)) for name, kind in sizes]
        carried = [pa.field(carried_name(at), column.stored_type) for at, column in enumerate(self.carried)]
        return pa.schema([*coded, *carried])

    def encode(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Encode a batch of the table."""
        schema = self.schema
        columns = [
            pa.array(book.encode(batch.column(book.name)).astype(schema.field(at).type.to_pandas_dtype()))
            for at, book in enumerate(self.books)
        ]
        columns += [column.stored(batch.column(column.name)) for column in self.carried]
        return pa.RecordBatch.from_arrays([_whole(column) for column in columns], schema=schema)


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


@dataclass(frozen=True)
class WithoutMissing:
    """Drops rows that lack a quasi-identifier."""

    names: Sequence[str]
    na: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Drop them from a batch."""
        table = pa.Table.from_batches([batch]).select(list(self.names))
        cleaned = [without_codes(table.column(name), codes_for(name, self.na), as_text=True) for name in self.names]
        lacking = missing_rows(pa.table(cleaned, names=list(self.names)), self.names)
        return _without_rows(batch, lacking) if lacking.any() else batch


def _without_rows(batch: pa.RecordBatch, gone: NDArray[np.bool_]) -> pa.RecordBatch:
    """Drop rows, and from dictionaries the values that only these rows have."""
    kept = batch.filter(pa.array(~gone))
    columns = [
        column.dictionary_decode().dictionary_encode().cast(column.type)
        if pa.types.is_dictionary(column.type)
        else column
        for column in kept.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=kept.schema)
