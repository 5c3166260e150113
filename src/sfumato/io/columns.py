"""Arrow columns, normalized to the few types that the rest of the library handles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell, silent
from sfumato.common.rows import LONG, counted
from sfumato.common.threads import in_order as following
from sfumato.common.threads import side_by_side
from sfumato.errors import DataError

#: What the 32-bit offsets of a ``string`` array can address.
TEXT_LIMIT = 2**31 - 1

#: The rows of a column that a thread takes at a time.
STRETCH = 1 << 18

#: The one dictionary type in use.
DICTIONARY = pa.dictionary(pa.int32(), pa.string())


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of Arrow's plain text types."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def tidy(name: str, column: pa.ChunkedArray, as_text: bool = False) -> pa.ChunkedArray:
    """Bring a column of any origin into the shape that :meth:`Source.read` promises."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType) and is_text(kind.storage_type):
        column = column.cast(kind.storage_type)
    elif pa.types.is_run_end_encoded(kind):
        column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind.value_type)
    elif pa.types.is_dictionary(kind) and not is_text(kind.value_type):
        column = decoded(column)
    _refuse_unusable(name, column.type)
    if pa.types.is_dictionary(column.type):
        return packed(column)
    if as_text or is_text(column.type) or pa.types.is_null(column.type):
        return _plain_text(column)
    return column.cast(pa.float32()) if pa.types.is_float16(column.type) else column


def _refuse_unusable(name: str, kind: pa.DataType) -> None:
    if pa.types.is_dictionary(kind):
        return
    nested = pa.types.is_nested(kind)
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    other = isinstance(kind, pa.BaseExtensionType) or pa.types.is_interval(kind) or kind == pa.binary_view()
    if nested or binary or other:
        raise DataError(
            f"Column '{name}' is of type {kind}, which cannot be released. "
            "Turn it into text, numbers or dates, or remove it."
        )


def _plain_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    # Not every PyArrow version can measure the used part of views.
    size = column.get_total_buffer_size() if pa.types.is_string_view(column.type) else column.nbytes
    target = pa.large_string() if size > TEXT_LIMIT else pa.string()
    return column if column.type == target else column.cast(target)


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace a dictionary column by its plain values; any other column stays."""
    if not pa.types.is_dictionary(column.type):
        return column
    return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)


def unified(chunks: Sequence[pa.DictionaryArray]) -> pa.ChunkedArray:
    """Give dictionary chunks one common dictionary; if that outgrows 32-bit offsets, make them plain text."""
    if sum(chunk.dictionary.nbytes for chunk in chunks) > TEXT_LIMIT:
        return pa.chunked_array([chunk.dictionary_decode().cast(pa.large_string()) for chunk in chunks])
    # Chunks that are ordered differently have no common order.
    in_order = len(chunks) == 1 and chunks[0].type.ordered
    kind = pa.dictionary(pa.int32(), pa.string(), ordered=True) if in_order else DICTIONARY
    return _of_one_dictionary([chunk.cast(kind) for chunk in chunks], kind)


def _of_one_dictionary(chunks: Sequence[pa.DictionaryArray], kind: pa.DataType) -> pa.ChunkedArray:
    """Give sound dictionary chunks one common dictionary: all their values, in the order in which they come."""
    if len(chunks) <= 1:
        return pa.chunked_array(chunks, kind)
    every = pa.concat_arrays([chunk.dictionary for chunk in chunks]).dictionary_encode()
    places = np.split(every.indices.to_numpy(), np.cumsum([len(chunk.dictionary) for chunk in chunks])[:-1])

    def moved(piece: tuple[int, int]) -> pa.DictionaryArray:
        at, begin = piece
        some = chunks[at].indices.slice(begin, STRETCH)
        return _moved(some, np.append(places[at], 0).astype(np.int32), every.dictionary, False)

    pieces = [(at, begin) for at, chunk in enumerate(chunks) for begin in range(0, max(1, len(chunk)), STRETCH)]
    return pa.chunked_array(side_by_side(moved, pieces), kind)


def _sound(chunk: pa.DictionaryArray) -> pa.DictionaryArray:
    """The chunk without the nulls and duplicates that a dictionary may hold."""
    return chunk if _is_sound(chunk.dictionary) else chunk.dictionary_decode().dictionary_encode()


def _is_sound(values: pa.Array) -> bool:
    return not values.null_count and pc.count_distinct(values).as_py() == len(values)


def _is_unified(column: pa.ChunkedArray) -> bool:
    """Whether all chunks share one sound dictionary, so that it need not be checked per chunk."""
    if column.num_chunks < 2 or column.type != DICTIONARY:
        return False
    places = {tuple(0 if one is None else one.address for one in c.dictionary.buffers()) for c in column.chunks}
    return len(places) == 1 and _is_sound(column.chunk(0).dictionary)


def packed(column: pa.ChunkedArray, ordered: bool = False) -> pa.ChunkedArray:
    """Drop dictionary values that do not occur; with ``ordered``, also sort them.

    The order in which values first appeared would reveal something about the rows of the original, and an unused value
    was never meant to be published.
    """
    if not _is_unified(column):
        column = unified([_sound(chunk) for chunk in column.chunks])
    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    values = column.chunk(0).dictionary
    column = _short(column)
    kept = np.flatnonzero(_occurrences(column, len(values)))
    if ordered:
        kept = kept[pc.sort_indices(values.take(pa.array(kept))).to_numpy()]
    if np.array_equal(kept, np.arange(len(values))) and not (ordered and column.type.ordered):
        return column
    place = np.zeros(len(values) + 1, dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    values = values.take(pa.array(kept))
    in_order = column.type.ordered and not ordered
    return pa.chunked_array(side_by_side(lambda c: _moved(c.indices, place, values, in_order), column.chunks))


def _short(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Cut long chunks into stretches, so that threads can share them."""
    chunks = [chunk.slice(begin, STRETCH) for chunk in column.chunks for begin in range(0, len(chunk), STRETCH)]
    return pa.chunked_array(chunks or column.chunks, column.type)


def _occurrences(column: pa.ChunkedArray, size: int) -> np.ndarray:
    count = counted if len(column) >= LONG else lambda codes, size: np.bincount(codes, minlength=size)
    counts = np.zeros(size, dtype=np.int64)
    for chunk in following(lambda c: count(c.indices.drop_null().to_numpy(), size), column.chunks):
        counts += chunk
    return counts


def _moved(indices: pa.Array, place: np.ndarray, values: pa.Array, in_order: bool) -> pa.DictionaryArray:
    # A null has index -1, which is the spare last place, and stays null through the mask.
    if not indices.null_count:
        return pa.DictionaryArray.from_arrays(pa.array(place[indices.to_numpy()]), values, ordered=in_order)
    moved = place[indices.fill_null(-1).to_numpy()]
    mask = indices.is_null().to_numpy(zero_copy_only=False)
    return pa.DictionaryArray.from_arrays(pa.array(moved, mask=mask), values, ordered=in_order)


def encoded(reader: pa.RecordBatchReader, tell_rows: Tell = silent) -> list[pa.ChunkedArray]:
    """Collect the columns of a stream, with text dictionary-encoded from the first batch on.

    A table of millions of rows repeats few words, so it is never held in memory as plain text. ``tell_rows`` is called
    with the number of rows after every batch.
    """
    texts = [is_text(kind) for kind in reader.schema.types]
    gathered: list[list[pa.Array]] = [[] for _ in texts]
    rows = 0
    for columns in following(lambda batch: list(map(_encoded, batch.columns)), reader):
        for chunks, column in zip(gathered, columns, strict=True):
            chunks.append(column)
        rows += len(columns[0])
        tell_rows(rows)

    def joined(at: int) -> pa.ChunkedArray:
        return unified(gathered[at]) if texts[at] else pa.chunked_array(gathered[at], reader.schema.types[at])

    return side_by_side(joined, range(len(texts)))


def _encoded(column: pa.Array) -> pa.Array:
    return column.dictionary_encode() if is_text(column.type) else column


def plain(table: pa.Table) -> pa.Table:
    """Decode every dictionary and drop all metadata."""
    return bare(pa.Table.from_arrays([decoded(column) for column in table.columns], names=table.column_names))


def canonical(table: pa.Table) -> pa.Table:
    """Sort every dictionary, drop the values that do not occur, and drop all metadata."""
    columns = side_by_side(lambda c: packed(c, ordered=True) if pa.types.is_dictionary(c.type) else c, table.columns)
    return bare(pa.Table.from_arrays(columns, names=table.column_names))


def bare(table: pa.Table) -> pa.Table:
    """Drop all metadata of the schema and its fields: it may describe the original."""
    fields = [pa.field(field.name, field.type) for field in table.schema]
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields))
