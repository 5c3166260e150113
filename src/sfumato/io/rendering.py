"""Tables as lines of text: CSV that is safe to open in a spreadsheet, and JSON lines.

Both are built the same way: every column becomes a column of finished cells, cells are joined into lines, and
the bytes of the lines are the file. Work on text is done once per distinct value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError, shortened
from sfumato.io.formulas import without_formulas

#: Rows that are turned into text at a time.
CHUNK_ROWS = 100_000

#: Whatever some program takes for the end of a line or of a file's first mark: it stands between quotation marks.
_LINE_ENDS = r"\r\n\x{0b}\x{0c}\x{1c}-\x{1e}\x{85}\x{2028}\x{2029}\x{feff}"
_JSON_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def csv_chunks(table: pa.Table, separator: str) -> Iterator[bytes | pa.Buffer]:
    """Render a table as delimited text with a header.

    A missing value is an empty cell, an empty text is ``""``. Text that a spreadsheet would run as a formula gets
    an apostrophe; cells are quoted only where they must be. In a table of one column also a missing value is ``""``,
    since an empty line is none to most readers.
    """
    alone = table.num_columns == 1
    names = [_csv_text(pa.array([name], pa.large_string()), name, separator, alone) for name in table.column_names]
    yield (separator.join(name[0].as_py() for name in names) + "\n").encode()
    for chunk in _slices(table):
        cells = [
            _cells(column, partial(_csv_text, column=name, separator=separator, alone=alone))
            for name, column in zip(chunk.column_names, chunk.columns, strict=True)
        ]
        yield _lines([pc.fill_null(cells[0], _text('""'))] if alone else cells, separator)


def jsonl_chunks(table: pa.Table) -> Iterator[pa.Buffer]:
    """Render a table as one JSON object per line: numbers and truth values as such, all else as text.

    A missing value is ``null``. JSON has no word for an endless number, so it is a text, ``"inf"`` or ``"-inf"``.
    """
    keys = [("," if place else "{") + _json_string(name) + ":" for place, name in enumerate(table.column_names)]
    for chunk in _slices(table):
        parts = []
        for key, column in zip(keys, chunk.columns, strict=True):
            parts += [_text(key), pc.fill_null(_quoted_endless(_cells(column, _json_text), column.type), _text("null"))]
        yield _lines([*parts, _text("}")], "")


def _slices(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, table.num_rows, CHUNK_ROWS):
        yield table.slice(start, CHUNK_ROWS)


def _cells(column: pa.ChunkedArray, written: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Turn values into text; ``written`` finishes distinct texts, numbers and truth values need no finish."""
    if _speaks_for_itself(column.type):
        return _whole((_settled(column) if pa.types.is_floating(column.type) else column).cast(pa.large_string()))
    codes = _whole(column if pa.types.is_dictionary(column.type) else _as_text(column).dictionary_encode())
    return written(codes.dictionary.cast(pa.large_string())).take(codes.indices)


def _settled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers as the verifier sees them: what is not a number is missing, and the two zeros are one."""
    known = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return pc.add(known, pa.scalar(0.0, column.type))


def _quoted_endless(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    if not pa.types.is_floating(kind):
        return cells
    return pc.if_else(pc.match_substring(cells, "inf"), _joined('"', cells, '"'), cells)


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


def _csv_text(values: pa.Array, column: str, separator: str, alone: bool) -> pa.Array:
    """Finish the cells of a column; a blank cell that is ``alone`` in its line must not look like an empty line."""
    if pc.any(pc.match_substring(values, "\0")).as_py():
        raise DataError(
            f"Column {shortened(column)} holds the character NUL, at which some programs cut a text off. Remove it, or "
            "write Parquet or JSON lines."
        )
    values = without_formulas(values, separator)
    blank = r"^\s*$" if alone else "^$"
    special = pc.match_substring_regex(values, rf'["{_LINE_ENDS}{re.escape(separator)}]|{blank}')
    quoted = _joined('"', pc.replace_substring(values, '"', '""'), '"')
    return pc.if_else(special, quoted, values)


def _json_text(values: pa.Array) -> pa.Array:
    return pa.array([_json_string(value) for value in values.to_pylist()], pa.large_string())


def _json_string(text: str) -> str:
    """Return a text as JSON, without any character that some program takes for the end of a line."""
    quoted = json.dumps(text, ensure_ascii=False)
    for end, escape in _JSON_LINE_ENDS.items():
        quoted = quoted.replace(end, escape)
    return quoted


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
