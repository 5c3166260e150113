"""The equivalence classes of a released table and the sensitive values in them, counted from what the table shows.

A class is the set of all rows that show the same in every quasi-identifier. A missing value is a value like any other,
however Arrow stores it: as a null, as a null entry of a dictionary, or as not-a-number.

A long table is divided into parts by a hash of the class, so that no class is in two of them; threads count the parts
side by side. What is found does not depend on the number of threads: the parts are always the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.threads import side_by_side
from sfumato.errors import DataError
from sfumato.verify.kernels.counts import count_each
from sfumato.verify.meanings import ranks

#: Keys of rows stay below this, well within a signed 64-bit number.
KEY_LIMIT = 2**62

#: The rows that a thread takes at a time.
STRETCH = 1 << 18

#: Tables of at least ``MANY`` rows are divided into parts, of which there are two to the power of ``BITS``.
MANY, BITS = 1 << 17, 6

#: From how many numbers on they are counted by a loop that lets other threads work.
LONG = 1 << 15

#: An odd number whose multiples spread neighbouring keys over the highest bits.
SPREAD = np.uint64(0x9E3779B97F4A7C15)

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
class ClassParts:
    """The parts of a table: its rows, those of a part together, and where the rows and classes of each part end."""

    rows: NDArray[np.int64] = field(repr=False)
    row_ends: NDArray[np.int64]
    class_ends: NDArray[np.int64]


@dataclass(frozen=True)
class Classes:
    """The class of every row, and the number of rows of every class.

    Classes are numbered in order of first appearance, part by part. ``people`` is the person of every row, where a
    person may have several rows; None if every row is a person.
    """

    of_row: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    divided: ClassParts | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def parts(self) -> range:
        """The numbers of the parts."""
        return range(1 if self.divided is None else len(self.divided.row_ends))

    def rows_of(self, part: int) -> slice | NDArray[np.int64]:
        """The rows of a part."""
        if self.divided is None:
            return slice(None)
        begin = int(self.divided.row_ends[part - 1]) if part else 0
        return self.divided.rows[begin : int(self.divided.row_ends[part])]

    def part(self, number: int) -> Classes:
        """The classes of a part, numbered from 0, of its rows alone."""
        if self.divided is None:
            return self
        rows, first = self.rows_of(number), int(self.divided.class_ends[number - 1]) if number else 0
        people = None if self.people is None else self.people[rows]
        sizes = self.sizes[first : int(self.divided.class_ends[number])]
        return Classes(self.of_row[rows] - np.int32(first), sizes, people)

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The number of people in every class."""
        if self.people is None:
            return self.sizes
        return np.concatenate(side_by_side(lambda number: self.part(number)._heads(), self.parts))

    def _heads(self) -> NDArray[np.int64]:
        assert self.people is not None
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
        chunks = side_by_side(_with_dictionary, _short_chunks(column))
        dictionaries, dictionary_of = different_dictionaries([chunk.dictionary for chunk in chunks])
        values, codes_of = _distinct(dictionaries, column.type)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise DataError(
            f"Column '{name}' has the type {column.type}, whose values cannot be compared. "
            "Convert it to text or numbers."
        ) from error
    codes = np.empty(len(column), np.int32)
    ends = np.cumsum([0, *(len(chunk) for chunk in chunks)]).tolist()

    def fill(at: int) -> None:
        codes[ends[at] : ends[at + 1]] = codes_of[dictionary_of[at]][_indices(chunks[at])]

    side_by_side(fill, range(len(chunks)))
    return Coded(values, codes)


def _short_chunks(column: pa.ChunkedArray) -> Iterator[pa.Array]:
    """Yield the rows of a column, a stretch at a time."""
    for chunk in column.chunks:
        yield from (chunk.slice(begin, STRETCH) for begin in range(0, len(chunk), STRETCH))


def group_rows(columns: Iterable[Coded]) -> Classes:
    """Group the rows that have the same codes in all columns."""
    keys: NDArray[np.int64] = np.empty(0, np.int64)
    different = 1
    for at, column in enumerate(columns):
        if at == 0:
            keys = np.zeros(len(column.codes), np.int64)
        elif different * column.size >= KEY_LIMIT:
            grouped = _grouped(keys)
            keys, different = grouped.of_row.astype(np.int64), len(grouped)
        _append(keys, column)
        different *= column.size
    return _grouped(keys)


def _append(keys: NDArray[np.int64], column: Coded) -> None:
    """Append the codes of a column to the keys of all rows."""

    def append(rows: slice) -> None:
        keys[rows] *= column.size
        keys[rows] += column.codes[rows]

    side_by_side(append, _stretches(len(keys)))


def _stretches(rows: int) -> list[slice]:
    return [slice(begin, min(begin + STRETCH, rows)) for begin in range(0, rows, STRETCH)]


def _grouped(keys: NDArray[np.int64]) -> Classes:
    """Group equal keys."""
    if len(keys) < MANY:
        numbers, _ = _numbered(keys)
        return Classes(numbers, np.bincount(numbers))
    rows, row_ends = _divided(keys)
    begins = list(pairwise([0, *row_ends.tolist()]))
    found = side_by_side(lambda ends: _numbered(keys[rows[slice(*ends)]]), begins)
    class_ends = np.cumsum([count for _, count in found])
    of_row = np.empty(len(keys), np.int32)

    def place(part: int) -> NDArray[np.int64]:
        numbers, count = found[part]
        of_row[rows[slice(*begins[part])]] = numbers + np.int32(class_ends[part] - count)
        return _counted(numbers, count)

    sizes = np.concatenate(side_by_side(place, range(len(begins))))
    return Classes(of_row, sizes, divided=ClassParts(rows, row_ends, class_ends))


def _divided(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order the rows by the part of their key, in each part by their place; return them, and where each part ends."""
    part_of = np.empty(len(keys), np.uint8)
    stretches = _stretches(len(keys))

    def count(stretch: slice) -> NDArray[np.int64]:
        part_of[stretch] = (keys[stretch].view(np.uint64) * SPREAD) >> np.uint64(64 - BITS)
        return _counted(part_of[stretch], 1 << BITS)

    counts = np.stack(side_by_side(count, stretches))
    # First all rows of the first part, stretch by stretch, then those of the second.
    ends = np.cumsum(counts.T).reshape(counts.T.shape).T
    rows = np.empty(len(keys), np.int64)

    def place(at: int) -> None:
        order = np.argsort(part_of[stretches[at]], kind="stable") + stretches[at].start
        for some, end in zip(np.split(order, np.cumsum(counts[at])[:-1]), ends[at].tolist(), strict=True):
            rows[end - len(some) : end] = some

    side_by_side(place, range(len(stretches)))
    return rows, ends[-1]


def _counted(numbers: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Count how often each number below ``size`` occurs; many without keeping other threads from working."""
    if len(numbers) < LONG:
        return np.bincount(numbers, minlength=size)
    counts = np.zeros(size, np.int64)
    count_each(numbers.astype(np.int64, copy=False), counts)
    return counts


def _numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], int]:
    """Number keys in order of first appearance; return the numbers and how many there are."""
    encoded = pa.array(keys).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int32, copy=False), len(encoded.dictionary)


def count_values(classes: Classes, column: Coded) -> list[Histogram]:
    """Count the values of a sensitive column in every class, part by part; parts without classes are left out."""

    def count(number: int) -> Histogram:
        return _count_in_part(classes.part(number), Coded(column.values, column.codes[classes.rows_of(number)]))

    found = side_by_side(count, classes.parts)
    totals = np.sum([one.shares for one in found], axis=0)
    shares = totals / max(1, int(totals.sum()))
    kept = [one for one in found if len(one.sizes)] or found[:1]
    return [replace(one, shares=shares) for one in kept]


def _count_in_part(classes: Classes, column: Coded) -> Histogram:
    """Count the values in the classes of a part; ``shares`` are the counts of all values, for the time being."""
    if classes.people is not None:
        return _count_people(classes, column)
    keys = classes.of_row.astype(np.int64)
    keys *= column.size
    keys += column.codes
    if len(classes.sizes) * column.size <= DENSE * len(keys):
        counts = _counted(keys, len(classes.sizes) * column.size)
        cells = np.flatnonzero(counts)
        counts = counts[cells]
    else:
        cells, counts = np.unique(keys, return_counts=True)
    totals = _counted(column.codes, column.size)
    return _histogram(cells, counts, classes.sizes, totals.astype(np.float64), classes.heads)


def _count_people(classes: Classes, column: Coded) -> Histogram:
    """Count the people who have each value in each class, every person once."""
    assert classes.people is not None
    cells = classes.of_row.astype(np.int64) * column.size + column.codes
    once = _each_once(cells, len(classes) * column.size, classes.people)
    of_class, values = np.divmod(once, column.size)
    begins = np.flatnonzero(_is_new(once))
    counts = np.diff(np.append(begins, len(once)))
    sizes = np.bincount(of_class, minlength=len(classes))
    totals = np.bincount(values, minlength=column.size)
    return _histogram(once[begins], counts, sizes, totals.astype(np.float64), classes.heads)


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


def _with_dictionary(chunk: pa.Array) -> pa.DictionaryArray:
    if isinstance(chunk.type, pa.BaseExtensionType):
        return _with_dictionary(chunk.storage)
    return chunk if pa.types.is_dictionary(chunk.type) else _comparable(chunk).dictionary_encode()


def _comparable(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Convert types whose distinct values Arrow cannot find."""
    if pa.types.is_float16(values.type):
        return values.cast(pa.float32())
    if values.type == pa.string_view():
        return values.cast(pa.large_string())
    return values.cast(pa.large_binary()) if values.type == pa.binary_view() else values


def different_dictionaries(dictionaries: list[pa.Array]) -> tuple[list[pa.Array], list[int]]:
    """Keep dictionaries that consecutive chunks share once, and say which one each chunk has."""
    kept: list[pa.Array] = []
    which = []
    for dictionary in dictionaries:
        if not kept or not (_is_one(dictionary, kept[-1]) or dictionary.equals(kept[-1])):
            kept.append(dictionary)
        which.append(len(kept) - 1)
    return kept, which


def _is_one(one: pa.Array, other: pa.Array) -> bool:
    """Whether two arrays are the same place in memory, so that their values need no comparison."""
    places = [(len(a), a.offset, [b and b.address for b in a.buffers()]) for a in (one, other)]
    return places[0] == places[1]


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
