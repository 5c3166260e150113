"""Codes for missing values that the caller declares, such as 999: they become missing right after reading."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import invalid_parameter
from sfumato.io.columns import is_text, packed, unified
from sfumato.io.inference import inferred
from sfumato.io.readings import ANY, Expected

#: The codes for missing values: for every column, or by column, where ``"*"`` stands for all columns.
MissingCodes = Mapping[str, Iterable[object]] | Iterable[object] | str

EVERY_COLUMN = "*"


def missing_codes(owner: str, name: str, given: object) -> dict[str, tuple[str, ...]]:
    """Normalize what callers may write in several ways: the codes for missing values as texts by column.

    Examples
    --------
    >>> missing_codes("anonymize", "na", ["?", 999])
    {'*': ('?', '999')}
    >>> missing_codes("anonymize", "na", {"age": 999})
    {'age': ('999',)}
    """
    by_column = given if isinstance(given, Mapping) else {EVERY_COLUMN: given}
    found = {column: tuple(_texts(owner, name, codes)) for column, codes in by_column.items()}
    if not all(isinstance(column, str) for column in found):
        raise invalid_parameter(owner, name, "a list of values, or such lists by column", given)
    return {column: codes for column, codes in found.items() if codes}


def _texts(owner: str, name: str, codes: object) -> Iterable[str]:
    several = codes if isinstance(codes, Iterable) and not isinstance(codes, str | bytes) else (codes,)
    for code in several:
        if not isinstance(code, str | int | float) or isinstance(code, bool):
            raise invalid_parameter(owner, name, "a list of texts and numbers, or such lists by column", code)
        yield f"{code:g}" if isinstance(code, float) else str(code).strip()


def codes_for(column: str, codes: Mapping[str, Collection[str]]) -> frozenset[str]:
    """The codes for missing values of a column."""
    return frozenset((*codes.get(EVERY_COLUMN, ()), *codes.get(column, ())))


def without_codes(
    column: pa.ChunkedArray, codes: Collection[str], as_text: bool, expected: Expected = ANY
) -> pa.ChunkedArray:
    """Make codes missing; a column left with only numbers or dates is converted unless it must stay text."""
    if not codes:
        return column
    if pa.types.is_dictionary(column.type) or is_text(column.type):
        return _without_words(column, codes, None if as_text else replace(expected, numbers=True))
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        return _without_numbers(column, codes)
    return column


def _without_words(column: pa.ChunkedArray, codes: Collection[str], expected: Expected | None) -> pa.ChunkedArray:
    coded = column if pa.types.is_dictionary(column.type) else unified([_coded(c) for c in column.chunks])
    if not pa.types.is_dictionary(coded.type) or not coded.num_chunks:
        return column
    hits = pc.is_in(pc.utf8_trim_whitespace(coded.chunk(0).dictionary), pa.array(sorted(codes)))
    if not pc.any(hits).as_py():
        return column
    kept = [_nulled(chunk, hits) for chunk in coded.chunks]
    cleaned = packed(pa.chunked_array(kept))
    return cleaned if expected is None else inferred(cleaned, expected)


def _coded(chunk: pa.Array) -> pa.DictionaryArray:
    return chunk.dictionary_encode()


def _nulled(chunk: pa.DictionaryArray, hits: pa.BooleanArray) -> pa.DictionaryArray:
    """Make the hits of a chunk missing."""
    gone = hits.take(chunk.indices)
    indices = pc.if_else(pc.fill_null(gone, True), pa.scalar(None, chunk.indices.type), chunk.indices)
    return pa.DictionaryArray.from_arrays(indices, chunk.dictionary)


def _without_numbers(column: pa.ChunkedArray, codes: Collection[str]) -> pa.ChunkedArray:
    numbers = [number for code in codes if (number := _number(code, column.type)) is not None]
    if not numbers:
        return column
    hits = pc.is_in(column, pa.array(numbers, column.type))
    return pc.if_else(hits, pa.scalar(None, column.type), column)


def _number(code: str, kind: pa.DataType) -> object:
    """A code as a number of a type; None if it is not one, such as a question mark, or 1.5 among integers."""
    try:
        return pa.scalar(code).cast(kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
