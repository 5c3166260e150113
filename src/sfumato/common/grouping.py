"""Coding the values of a column and grouping the rows of a table, for everything but the verifier.

The definition: two cells are equal if their values are; a missing value equals every other missing value, whether it is
stored as a null, as a null entry of a dictionary or as not-a-number; -0.0 equals 0.0. Two rows belong together if they
are equal in every column.

``sfumato.verify`` has a grouping of its own and shares no code with this one: a mistake here must not confirm itself
there. Values are looked up here in the set of those that occur, and rows are grouped by counting or sorting, where the
verifier hashes; a property test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError

#: Keys that combine several columns stay below this, well within 64 bits.
KEY_LIMIT = 2**62

#: Keys are numbered through a table of all possible ones while it has at most this many entries per row.
DENSE = 4


@dataclass(frozen=True)
class CodedColumn:
    """A column as one code per row, equal for equal values.

    ``values`` are the distinct values in the order of their codes, some of which may not occur in any row. A missing
    value has the code after the last of them.
    """

    values: pa.Array = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of possible codes, the missing value's included."""
        return len(self.values) + 1


@dataclass(frozen=True)
class RowGroups:
    """Groups of equal rows, numbered in the order in which they first appear.

    Attributes
    ----------
    of_row
        The group of every row.
    sizes
        The number of rows of every group.
    first_rows
        The first row of every group.
    """

    of_row: NDArray[np.int32] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    first_rows: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sizes)


def code_column(name: str, column: pa.ChunkedArray) -> CodedColumn:
    """Code a column of any type whose values can be compared, however it is cut into chunks and dictionaries.

    Parameters
    ----------
    name
        The column's name, for the message if its values cannot be compared.
    column
        The column.
    """
    try:
        stored = _storage(column)
        if pa.types.is_dictionary(stored.type):
            return _code_dictionaries(stored)
        cells = _canonical(stored)
        values = _distinct([cells])
        return CodedColumn(values, _codes(cells, values))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(
            f"Column '{name}' has the type {column.type}, whose values cannot be compared. "
            "Convert it to text or numbers."
        ) from error


def group_rows(columns: Iterable[CodedColumn]) -> RowGroups:
    """Group the rows that have equal codes in all columns."""
    keys = np.empty(0, np.int64)
    possible = 1
    for place, column in enumerate(columns):
        if place == 0:
            keys = np.zeros(len(column.codes), np.int64)
        elif possible * column.size > KEY_LIMIT or possible <= DENSE * len(keys) < possible * column.size:
            # There are never more groups than rows, so their numbers leave room for another column; and as long as
            # a table of all keys numbers them, that may spare sorting.
            keys, first_rows = _number(keys, possible)
            possible = len(first_rows)
        keys = keys * column.size + column.codes
        possible *= column.size
    of_row, first_rows = _number(keys, possible)
    return RowGroups(of_row.astype(np.int32), np.bincount(of_row, minlength=len(first_rows)), first_rows)


def highest_counts(groups: RowGroups, column: CodedColumn) -> NDArray[np.int64]:
    """Count how often the most frequent value of every group occurs in it."""
    pairs = groups.of_row.astype(np.int64) * column.size + column.codes
    of_row, first_rows = _number(pairs, len(groups) * column.size)
    highest = np.zeros(len(groups), np.int64)
    np.maximum.at(highest, groups.of_row[first_rows], np.bincount(of_row, minlength=len(first_rows)))
    return highest


# Values


def _storage(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Unwrap extension types, whose values are equal if what they store is."""
    kind = column.type
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], kind)
    return column


def _canonical(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give equal values one form: one zero, null instead of not-a-number, and a type that Arrow can look up."""
    kind = cells.type
    if pa.types.is_float16(kind):
        cells = cells.cast(pa.float32())
    elif kind == pa.string_view():
        cells = cells.cast(pa.large_string())
    elif kind == pa.binary_view():
        cells = cells.cast(pa.large_binary())
    if not pa.types.is_floating(cells.type):
        return cells
    one_zero = pc.if_else(pc.equal(cells, 0.0), pa.scalar(0.0, cells.type), cells)
    return pc.if_else(pc.is_nan(cells), pa.scalar(None, cells.type), one_zero)


def _distinct(parts: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Find the distinct values of all parts in the order of their first appearance, without the missing one."""
    cells = pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type)
    return cells.unique().drop_null()


def _codes(cells: pa.ChunkedArray, values: pa.Array) -> NDArray[np.int32]:
    """Look up the place of every cell among the distinct values; missing ones come after the last."""
    if not len(values):
        return np.zeros(len(cells), np.int32)
    codes: NDArray[np.int32] = pc.index_in(cells, value_set=values).fill_null(len(values)).to_numpy()
    return codes.astype(np.int32, copy=False)


def _code_dictionaries(column: pa.ChunkedArray) -> CodedColumn:
    """Code a column of dictionaries: first the entries of every dictionary, then the rows that point at them."""
    entries, dictionary_of = _dictionaries(column)
    values = _distinct(entries or [_canonical(pa.chunked_array([], column.type.value_type))])
    # The entry after a dictionary's last one stands for rows that point nowhere.
    codes_of = [np.append(_codes(part, values), np.int32(len(values))) for part in entries]
    codes = np.empty(len(column), np.int32)
    begin = 0
    for chunk, which in zip(column.chunks, dictionary_of, strict=True):
        codes[begin : begin + len(chunk)] = codes_of[which][_places(chunk)]
        begin += len(chunk)
    return CodedColumn(values, codes)


def _dictionaries(column: pa.ChunkedArray) -> tuple[list[pa.ChunkedArray], list[int]]:
    """List the dictionaries of a column, and which of them every chunk has; neighbouring chunks often share one."""
    distinct: list[pa.Array] = []
    which = []
    for chunk in column.chunks:
        if not distinct or not distinct[-1].equals(chunk.dictionary):
            distinct.append(chunk.dictionary)
        which.append(len(distinct) - 1)
    return [_canonical(_storage(pa.chunked_array([dictionary]))) for dictionary in distinct], which


def _places(chunk: pa.DictionaryArray) -> NDArray[np.integer]:
    """Which entry of its dictionary every row points at; the one after the last where it points nowhere."""
    indices = chunk.indices
    if indices.null_count:  # a small type of index may have no room for one more
        indices = indices.cast(pa.int64()).fill_null(len(chunk.dictionary))
    places: NDArray[np.integer] = indices.to_numpy()
    return places


# Rows


def _number(keys: NDArray[np.int64], possible: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Replace keys by numbers, counted as they first appear; return them, and the first row of every number."""
    first = _first_by_table(keys, possible) if possible <= DENSE * len(keys) else _first_by_sorting(keys, possible)
    is_first = first == np.arange(len(keys))
    return (np.cumsum(is_first) - 1)[first], np.flatnonzero(is_first)


def _first_by_table(keys: NDArray[np.int64], possible: int) -> NDArray[np.int64]:
    """The first row with the key of every row, from a table of all possible keys."""
    first_row = np.empty(possible, np.int64)
    first_row[keys[::-1]] = np.arange(len(keys))[::-1]  # of several rows with one key the last assigned stays
    return first_row[keys]


def _first_by_sorting(keys: NDArray[np.int64], possible: int) -> NDArray[np.int64]:
    """The first row with the key of every row, from the rows in the order of their keys, and then of their places."""
    rows = len(keys)
    if possible * rows <= KEY_LIMIT:  # key and place as one number sort several times faster than a stable order
        ordered, order = np.divmod(np.sort(keys * rows + np.arange(rows)), max(1, rows))
    else:
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
    begins = np.append(True, ordered[1:] != ordered[:-1])[:rows]
    first = np.empty(rows, np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return first
