"""Tables as lines of text: CSV that is safe to open in a spreadsheet, and JSON lines.

Both are built the same way: every column becomes a column of finished cells, cells are joined into lines, and
the bytes of the lines are the file. Work on text is done once per distinct value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: Rows that are turned into text at a time.
CHUNK_ROWS = 100_000

_FORMULA = r"^[=@+\-\t\r\n]"
_NUMBER = r"^[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def csv_chunks(table: pa.Table, separator: str) -> Iterator[bytes | pa.Buffer]:
    """Render a table as delimited text with a header.

    A missing value is an empty cell, an empty text is ``""``. Text that a spreadsheet would run as a formula gets
    a leading apostrophe; cells are quoted only where they must be.
    """
    names = _csv_text(pa.array(table.column_names, pa.large_string()), separator)
    yield (separator.join(names.to_pylist()) + "\n").encode()
    for chunk in _slices(table):
        cells = [_cells(column, lambda text: _csv_text(text, separator)) for column in chunk.columns]
        yield _lines(cells, separator)


def jsonl_chunks(table: pa.Table) -> Iterator[pa.Buffer]:
    """Render a table as one JSON object per line: numbers and truth values as such, all else as text.

    A missing value is ``null``, and so is a number that JSON has no word for.
    """
    keys = [
        ("," if place else "{") + json.dumps(name, ensure_ascii=False) + ":"
        for place, name in enumerate(table.column_names)
    ]
    for chunk in _slices(table):
        parts = []
        for key, column in zip(keys, chunk.columns, strict=True):
            parts += [_text(key), pc.fill_null(_cells(column, _json_text), _text("null"))]
        yield _lines([*parts, _text("}")], "")


def _slices(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, table.num_rows, CHUNK_ROWS):
        yield table.slice(start, CHUNK_ROWS)


def _cells(column: pa.ChunkedArray, written: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Turn values into text; ``written`` finishes distinct texts, numbers and truth values need no finish."""
    if _speaks_for_itself(column.type):
        finite = pc.if_else(pc.is_finite(column), column, None) if pa.types.is_floating(column.type) else column
        return _whole(finite.cast(pa.large_string()))
    codes = _whole(column if pa.types.is_dictionary(column.type) else _as_text(column).dictionary_encode())
    return written(codes.dictionary.cast(pa.large_string())).take(codes.indices)


def _speaks_for_itself(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    text = column.cast(pa.large_string())
    # A time without a fraction of a second is written without one.
    is_time = pa.types.is_timestamp(column.type) or pa.types.is_time(column.type)
    return pc.replace_substring_regex(text, r"\.0+(Z|[+-]\d+)?$", r"\1") if is_time else text


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)


def _csv_text(values: pa.Array, separator: str) -> pa.Array:
    values = _without_formulas(values)
    special = pc.match_substring_regex(values, rf'["\r\n{re.escape(separator)}]')
    quoted = _joined('"', pc.replace_substring(values, '"', '""'), '"')
    return pc.if_else(pc.or_(special, pc.equal(values, _text(""))), quoted, values)


def _without_formulas(values: pa.Array) -> pa.Array:
    is_formula = pc.match_substring_regex(values, _FORMULA)
    is_number = pc.match_substring_regex(values, _NUMBER)
    return pc.if_else(pc.and_not(is_formula, is_number), _joined("'", values), values)


def _json_text(values: pa.Array) -> pa.Array:
    return pa.array([json.dumps(value, ensure_ascii=False) for value in values.to_pylist()], pa.large_string())


def _lines(cells: list[pa.Array | pa.Scalar], separator: str) -> pa.Buffer:
    """Join cells into lines; these lie in memory one after the other, just as the file needs them."""
    lines = pc.binary_join_element_wise(*cells, _text(separator), null_handling="replace", null_replacement="")
    ended = _joined(lines, "\n")
    offsets = np.frombuffer(ended.buffers()[1], dtype=np.int64)
    return ended.buffers()[2].slice(0, int(offsets[len(ended)]))


def _joined(*parts: pa.Array | str) -> pa.Array:
    texts = [_text(part) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, _text(""))


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())
