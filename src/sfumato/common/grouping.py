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
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.rows import STRETCH
from sfumato.common.threads import side_by_side
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
        return _merged(_storage(column))
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


class _Piece(NamedTuple):
    """Some neighbouring rows: distinct values, and which of them every row has; -1 for none."""

    values: pa.Array
    places: NDArray[np.integer]


def _merged(column: pa.ChunkedArray) -> CodedColumn:
    """Code a column piece by piece on all cores, and give the values of all pieces one code each."""
    pieces = [chunk.slice(begin, STRETCH) for chunk in column.chunks for begin in range(0, len(chunk), STRETCH)]
    pieces = pieces or [pa.nulls(0, column.type)]
    coded = _of_dictionaries(pieces) if pa.types.is_dictionary(column.type) else side_by_side(_coded, pieces)
    values, codes_of = _together([piece.values for piece in coded])
    ends = np.cumsum([0, *(len(piece) for piece in pieces)]).tolist()
    codes = np.empty(ends[-1], np.int32)

    def write(at: int) -> None:
        # Where a row has no value, -1 is the last entry.
        codes_of[at].take(coded[at].places, out=codes[ends[at] : ends[at + 1]], mode="wrap")

    side_by_side(write, range(len(pieces)))
    return CodedColumn(values, codes)


def _storage(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Unwrap extension types, whose values are equal if what they store is."""
    kind = column.type
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], kind)
    return column


def _coded(cells: pa.Array) -> _Piece:
    """Find the distinct values of some rows in the order of their first appearance."""
    coded = _canonical(cells).dictionary_encode()
    return _Piece(coded.dictionary.drop_null(), _places(coded))  # Arrow gives a column of type null a null as entry


def _canonical(cells: pa.Array) -> pa.Array:
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
    one_zero = pc.add(cells, pa.scalar(0.0, cells.type))  # adding 0 turns -0.0 into 0.0
    return pc.if_else(pc.is_nan(cells), pa.scalar(None, cells.type), one_zero)


def _of_dictionaries(pieces: Sequence[pa.DictionaryArray]) -> list[_Piece]:
    """Code pieces of dictionaries: the entries of each dictionary once, then the rows that point at them."""
    entries: dict[tuple[int, ...], _Piece] = {}
    own = [_address(piece.dictionary) for piece in pieces]
    for address, piece in zip(own, pieces, strict=True):
        if address not in entries:
            coded = _merged(_storage(pa.chunked_array([piece.dictionary])))
            # The entry after a dictionary's last one stands for rows that point nowhere.
            entries[address] = _Piece(coded.values, np.append(coded.codes, np.int32(len(coded.values))))

    def point(at: int) -> _Piece:
        values, codes = entries[own[at]]
        return _Piece(values, codes.take(_places(pieces[at]), mode="wrap"))

    return side_by_side(point, range(len(pieces)))


def _address(dictionary: pa.Array) -> tuple[int, ...]:
    """Where a dictionary is stored; the chunks of a column often share one."""
    buffers = [0 if buffer is None else buffer.address for buffer in dictionary.buffers()]
    return (*buffers, dictionary.offset, len(dictionary))


def _together(parts: Sequence[pa.Array]) -> tuple[pa.Array, list[NDArray[np.int32]]]:
    """Put the values of all pieces together; return them, and the codes of each piece's values and of no value."""
    different = list({id(part): part for part in parts}.values())
    if len(different) == 1:
        codes = np.arange(len(parts[0]) + 1, dtype=np.int32)
        return parts[0], [codes] * len(parts)
    values = pa.chunked_array(different).unique()
    found = {id(part): pc.index_in(part, value_set=values).to_numpy(zero_copy_only=False) for part in different}
    return values, [np.append(found[id(part)], len(values)).astype(np.int32) for part in parts]


def _places(coded: pa.DictionaryArray) -> NDArray[np.integer]:
    """Which entry of its dictionary every row points at; -1 where it points nowhere."""
    indices = coded.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
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


# Texts that look alike

#: Characters that nobody sees: controls, joiners and marks of direction, selectors of variants.
_INVISIBLE = r"[\p{Cc}\p{Cf}\x{034F}\x{FE00}-\x{FE0F}]"
_BLANKS = r"[\s\p{Z}\x{0B}\x{1C}-\x{1F}\x{85}]+"


def folded(texts: pa.Array, case: bool = False) -> pa.Array:
    """Fold texts to what a reader sees: trimmed, blanks as one space, without invisible characters, in the form NFKC.

    Parameters
    ----------
    texts
        The texts.
    case
        Whether capital and small letters are one as well.

    Examples
    --------
    >>> folded(pa.array(["flu", " flu ", "ﬂu", "f" + chr(0x200B) + "lu", "Flu"])).to_pylist()
    ['flu', 'flu', 'flu', 'flu', 'Flu']
    """
    found = texts
    for _ in range(2):  # an invisible character may keep two others from being joined
        found = pc.utf8_normalize(found, form="NFKC")
        found = pc.replace_substring_regex(found, _BLANKS, " ")
        found = pc.replace_substring_regex(found, _INVISIBLE, "")
    found = pc.utf8_trim_whitespace(pc.replace_substring_regex(found, _BLANKS, " "))
    return pc.utf8_normalize(pc.utf8_lower(found), form="NFKC") if case else found


def look_alikes(values: pa.Array, case: bool = False) -> NDArray[np.int64]:
    """Number distinct values so that those that fold to one text have one number; what is no text stays as it is."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return np.arange(len(values), dtype=np.int64)
    coded = folded(values, case).dictionary_encode()
    numbers: NDArray[np.int64] = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers
