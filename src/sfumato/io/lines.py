"""Tables as lines of text, the part that CSV and JSON lines share.

Every column becomes a column of finished cells, cells are joined into lines, and the bytes of the lines are the file.
Text is finished once per distinct value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import DataError

#: How Arrow writes a date that is beyond its calendar, such as the infinite ones of databases.
_NO_DATE = "<value out of range"
#: Rows that are turned into text at a time.
CHUNK_ROWS = 100_000


def slices(table: pa.Table) -> Iterator[pa.Table]:
    """Cut a table into the pieces that are turned into text at a time."""
    for start in range(0, table.num_rows, CHUNK_ROWS):
        yield table.slice(start, CHUNK_ROWS)


def text_cells(column: pa.ChunkedArray, finish: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Turn values into text; ``finish`` quotes and escapes distinct texts, which numbers and booleans do not need."""
    if _needs_no_finish(column.type):
        return _whole((_settled(column) if pa.types.is_floating(column.type) else column).cast(pa.large_string()))
    codes = _whole(column if pa.types.is_dictionary(column.type) else _as_text(column).dictionary_encode())
    return finish(codes.dictionary.cast(pa.large_string())).take(codes.indices)


def joined_lines(cells: list[pa.Array | pa.Scalar], separator: str) -> pa.Buffer:
    """Join cells into lines, which lie in memory one after the other, as the file needs them."""
    lines = pc.binary_join_element_wise(*cells, text_scalar(separator), null_handling="replace", null_replacement="")
    ended = joined(lines, "\n")
    offsets = np.frombuffer(ended.buffers()[1], dtype=np.int64)
    return ended.buffers()[2].slice(0, int(offsets[len(ended)]))


def joined(*parts: pa.Array | str) -> pa.Array:
    """Concatenate texts row by row."""
    texts = [text_scalar(part) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, text_scalar(""))


def text_scalar(value: str) -> pa.Scalar:
    """Make a text of the type in which lines are built."""
    return pa.scalar(value, pa.large_string())


def write_chunks(path: Path, chunks: Iterator[bytes | pa.Buffer], rows: int, tell: Tell) -> None:
    """Write the chunks of a file as they are made."""
    with open(path, "wb") as file:
        for number, chunk in enumerate(chunks, start=1):
            file.write(chunk)
            tell(min(number * CHUNK_ROWS / max(rows, 1), 1.0))


def _needs_no_finish(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _settled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Make not-a-number missing and the two zeros one, as the verifier sees them."""
    known = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return pc.add(known, pa.scalar(0.0, column.type))


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    written = column.cast(pa.large_string())
    if pa.types.is_temporal(column.type) and pc.any(pc.starts_with(written, _NO_DATE)).as_py():
        raise DataError(
            "A column holds infinite dates, or dates before the year 1 or after 9999, which text cannot show. Name the "
            "values that mean 'no value' (na=), or write Parquet."
        )
    # A time without a fraction of a second is written without one.
    is_time = pa.types.is_timestamp(column.type) or pa.types.is_time(column.type)
    return pc.replace_substring_regex(written, r"\.0+(Z|[+-]\d+)?$", r"\1") if is_time else written


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)
