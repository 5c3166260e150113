"""The equivalence classes of a released table and the sensitive values in them, counted from what the table shows.

A class is the set of all rows that show the same in every quasi-identifier. A missing value is a value like any other,
however Arrow stores it: as a null, as a null entry of a dictionary, or as not-a-number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.verify.meanings import ranks

#: Keys of rows stay below this, well within a signed 64-bit number.
KEY_LIMIT = 2**62

#: Pairs of class and value are counted in a dense table as long as it has at most this many entries per row.
DENSE = 4


@dataclass(frozen=True)
class Coded:
    """A column as one number per row, equal for equal values.

    ``values`` are the different values without the missing one, whose code comes after them; not all need to occur.
    """

    values: pa.Array = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of possible codes, the missing value's included."""
        return len(self.values) + 1


@dataclass(frozen=True)
class Classes:
    """The class of every row, numbered in order of first appearance, and the number of rows of every class.

    ``people`` is the person of every row, where a person may have several rows; None if every row is a person.
    """

    of_row: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The number of people in every class."""
        if self.people is None:
            return self.sizes
        return np.bincount(_each_once(self.of_row.astype(np.int64), len(self), self.people), minlength=len(self))

    @cached_property
    def first_rows(self) -> NDArray[np.int64]:
        """The first row of every class."""
        rows = np.empty(len(self), np.int64)
        rows[self.of_row[::-1]] = np.arange(len(self.of_row))[::-1]
        return rows


@dataclass(frozen=True)
class Histogram:
    """How often each value occurs in each class: a sparse table of counts, sorted by class and then by value.

    ``shares`` is the frequency of every value in the whole table. Where people have several rows, a count is the number
    of people who have the value in the class, ``sizes`` is the sum of these counts per class, and ``heads`` the number
    of people in the class.
    """

    classes: NDArray[np.int32] = field(repr=False)
    values: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.integer] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    heads: NDArray[np.int64] = field(repr=False)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first entry of every class."""
        return np.searchsorted(self.classes, np.arange(len(self.sizes)))

    def total(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum one number per entry to one per class."""
        return np.add.reduceat(parts, self.starts)

    @cached_property
    def largest(self) -> NDArray[np.integer]:
        """The count of every class's most frequent value."""
        return np.maximum.reduceat(self.counts, self.starts)

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """The number of distinct values of every class."""
        return np.diff(self.starts, append=len(self.counts))

    @cached_property
    def class_shares(self) -> NDArray[np.float64]:
        """The share of every entry in its class."""
        return self.counts / self.sizes[self.classes]

    def renamed(self, names: NDArray[np.int64]) -> Histogram:
        """Rename values: value ``v`` counts as ``names[v]``."""
        size = int(names.max()) + 1
        keys = self.classes.astype(np.int64) * size + names[self.values]
        cells, where = np.unique(keys, return_inverse=True)
        shares: NDArray[np.float64] = np.bincount(names, weights=self.shares, minlength=size).astype(np.float64)
        return _histogram(cells, np.bincount(where, weights=self.counts), self.sizes, shares, self.heads)


def code_column(name: str, column: pa.ChunkedArray) -> Coded:
    """Give equal values of a column equal codes, whatever its chunks and dictionaries."""
    try:
        chunks = _with_dictionaries(column).chunks
        dictionaries, dictionary_of = _different([chunk.dictionary for chunk in chunks])
        values, codes_of = _distinct(dictionaries, column.type)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise DataError(
            f"Column '{name}' has the type {column.type}, whose values cannot be compared. "
            "Convert it to text or numbers."
        ) from error
    parts = [codes_of[which][_indices(chunk)] for which, chunk in zip(dictionary_of, chunks, strict=True)]
    return Coded(values, np.concatenate([np.empty(0, np.int32), *parts]))


def group_rows(columns: Iterable[Coded]) -> Classes:
    """Group the rows that have the same codes in all columns."""
    keys: NDArray[np.int64] | None = None
    different = 1
    for column in columns:
        if keys is None:
            keys = np.zeros(len(column.codes), np.int64)
        elif different * column.size >= KEY_LIMIT:
            keys, different = _renumbered(keys)
        keys *= column.size
        keys += column.codes
        different *= column.size
    of_row, _ = _renumbered(np.empty(0, np.int64) if keys is None else keys)
    return Classes(of_row.astype(np.int32), np.bincount(of_row))


def count_values(classes: Classes, column: Coded) -> Histogram:
    """Count the values of a sensitive column in every class."""
    if classes.people is not None:
        return _count_people(classes, column)
    keys = classes.of_row.astype(np.int64)
    keys *= column.size
    keys += column.codes
    if len(classes.sizes) * column.size <= DENSE * len(keys):
        counts = np.bincount(keys)
        cells = np.flatnonzero(counts)
        counts = counts[cells]
    else:
        cells, counts = np.unique(keys, return_counts=True)
    shares = np.bincount(column.codes, minlength=column.size) / max(1, len(keys))
    return _histogram(cells, counts, classes.sizes, shares, classes.heads)


def _count_people(classes: Classes, column: Coded) -> Histogram:
    """Count the people who have each value in each class, every person once."""
    assert classes.people is not None
    cells = classes.of_row.astype(np.int64) * column.size + column.codes
    once = _each_once(cells, len(classes) * column.size, classes.people)
    of_class, values = np.divmod(once, column.size)
    begins = np.flatnonzero(_is_new(once))
    counts = np.diff(np.append(begins, len(once)))
    sizes = np.bincount(of_class, minlength=len(classes))
    shares = np.bincount(values, minlength=column.size) / max(1, len(values))
    return _histogram(once[begins], counts, sizes, shares, classes.heads)


def _each_once(cells: NDArray[np.int64], size: int, people: NDArray[np.int64]) -> NDArray[np.int64]:
    """The cells of all distinct pairs of cell and person, in order."""
    width = int(people.max(initial=-1)) + 1
    if size * width < KEY_LIMIT:  # one key per pair sorts several times faster than two
        keys = np.sort(cells * width + people)
        return keys[_is_new(keys)] // max(1, width)
    order = np.lexsort((people, cells))
    new = _is_new(cells[order]) | _is_new(people[order])
    return cells[order][new]


def _is_new(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where a new key begins."""
    return np.append(True, keys[1:] != keys[:-1])[: len(keys)]


def _histogram(
    cells: NDArray[np.int64],
    counts: NDArray[np.integer],
    sizes: NDArray[np.int64],
    shares: NDArray[np.float64],
    heads: NDArray[np.int64],
) -> Histogram:
    """Unpack cells, each of which is class * number of values + value."""
    of_class, value = np.divmod(cells, len(shares))
    # In 32 bits, since there may be as many entries as rows, and no count exceeds the number of rows.
    return Histogram(of_class.astype(np.int32), value.astype(np.int32), counts.astype(np.int32), sizes, shares, heads)


def in_order(name: str, column: Coded) -> Coded:
    """Renumber the codes of a column in the order of its values, the missing one last.

    Text that holds numbers or dates is ordered as such, and equal ones are one value, however they are written.
    """
    if pa.types.is_string(column.values.type) or pa.types.is_large_string(column.values.type):
        places = np.array(ranks(column.values.to_pylist()), np.int64)
    else:
        places = _sorted_places(name, column.values)
    last = int(places.max()) if len(places) else -1
    value_at = np.zeros(last + 1, np.int64)
    value_at[places] = np.arange(len(places))
    return Coded(column.values.take(pa.array(value_at)), np.append(places, last + 1).astype(np.int32)[column.codes])


def _sorted_places(name: str, values: pa.Array) -> NDArray[np.int64]:
    try:
        order = pc.sort_indices(values).to_numpy()
    except pa.ArrowNotImplementedError as error:
        raise DataError(
            f"Column '{name}' has the type {values.type}, whose values have no order. "
            "Convert it to text or numbers, or use distance='equal'."
        ) from error
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(order))
    return places


def _with_dictionaries(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
        return _with_dictionaries(column)
    return column if pa.types.is_dictionary(kind) else _comparable(column).dictionary_encode()


def _comparable(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Convert types whose distinct values Arrow cannot find."""
    if pa.types.is_float16(values.type):
        return values.cast(pa.float32())
    if values.type == pa.string_view():
        return values.cast(pa.large_string())
    return values.cast(pa.large_binary()) if values.type == pa.binary_view() else values


def _different(dictionaries: list[pa.Array]) -> tuple[list[pa.Array], list[int]]:
    """Keep dictionaries that consecutive chunks share once, and say which one each chunk has."""
    kept: list[pa.Array] = []
    which = []
    for dictionary in dictionaries:
        if not kept or not dictionary.equals(kept[-1]):
            kept.append(dictionary)
        which.append(len(kept) - 1)
    return kept, which


def _distinct(dictionaries: list[pa.Array], kind: pa.DataType) -> tuple[pa.Array, list[NDArray[np.int32]]]:
    """The distinct values of all dictionaries, and the codes of every dictionary's entries, missing last."""
    if not dictionaries:
        return pa.array([], kind.value_type if pa.types.is_dictionary(kind) else kind), []
    plain = [without_nan(_comparable(dictionary)) for dictionary in dictionaries]
    # Arrow drops chunks without entries, so the codes are concatenated and split again.
    chunks = pa.chunked_array(plain).dictionary_encode().chunks
    values = chunks[0].dictionary if chunks else plain[0]
    # Arrow counts null as a value of its null type.
    values = values.slice(0, 0) if pa.types.is_null(values.type) else values
    missing = len(values)
    codes = [chunk.indices.fill_null(missing).to_numpy(zero_copy_only=False) for chunk in chunks]
    ends = np.cumsum([len(entries) for entries in plain])
    parts = np.split(np.concatenate([np.empty(0, np.int32), *codes]), ends[:-1])
    return values, [np.append(part, missing).astype(np.int32) for part in parts]


def without_nan(values: pa.Array) -> pa.Array:
    """Make not-a-number missing, and -0.0 the same as 0.0."""
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), pc.add(values, pa.scalar(0.0, values.type)))


def _indices(chunk: pa.DictionaryArray) -> NDArray[np.integer]:
    """The index of every row into its dictionary; the one after the last for missing values."""
    indices = chunk.indices
    if indices.null_count:
        # Small index types may have no room for one more index.
        indices = indices.cast(pa.int64()).fill_null(len(chunk.dictionary))
    places: NDArray[np.integer] = indices.to_numpy(zero_copy_only=False)
    return places


def _renumbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Number keys in order of first appearance; return the numbers and how many there are."""
    encoded = pa.array(keys).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)
