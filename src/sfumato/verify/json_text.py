"""A parser of JSON in which a number keeps its digits instead of becoming a float."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError, SourceError, listed, shortened
from sfumato.verify.delimited import opened

#: Lines that are parsed at a time.
CHUNK = 20_000


class Number(NamedTuple):
    """A number as it is written; never equal to a text."""

    text: str


_BLANKS = re.compile(r"\s*")

Pairs = tuple[tuple[str, Any], ...]

_DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_float=Number, parse_int=Number, parse_constant=Number, strict=True
)


def read_json(path: Path, columns: Sequence[str], lines: bool) -> pa.Table:
    """Read keys of JSON objects as text; null and absent keys are missing.

    In a column that mixes text and numbers, text keeps its quotation marks: ``"1"`` is not ``1``.
    """
    gathered = [_Column(name) for name in columns]
    for rows in _rows(path, lines):
        for column in gathered:
            column.add(row.get(column.name) for row in rows)
    return pa.table({column.name: column.finished() for column in gathered})


def _rows(path: Path, lines: bool) -> Iterator[list[dict[str, Any]]]:
    """Yield the objects of a file as dicts, some thousand at a time."""
    try:
        for objects in _lines(path) if lines else _document(path):
            yield [_distinct_keys(pairs) for pairs in objects]
    except DataError:
        raise
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        raise SourceError(
            f"{shortened(str(path), 300)} must hold {'one JSON object per line' if lines else 'JSON objects'}, in "
            "UTF-8, each key once. It cannot be checked."
        ) from None


def stream_json(path: Path, columns: Sequence[str], lines: bool) -> Iterator[pa.RecordBatch]:
    """Yield what `read_json` reads in batches; a first pass finds the columns that need quotation marks."""
    kinds: dict[str, set[bool]] = {name: set() for name in columns}
    for rows in _rows(path, lines):
        for name, met in kinds.items():
            met.update(isinstance(row.get(name), str) for row in rows if row.get(name) is not None)
    for rows in _rows(path, lines):
        yield pa.RecordBatch.from_pydict(
            {name: [_cell(name, row.get(name), len(met) > 1) for row in rows] for name, met in kinds.items()},
            pa.schema([(name, pa.string()) for name in columns]),
        )


def _cell(name: str, value: Any, mixed: bool) -> str | None:
    if value is not None and not isinstance(value, str | bool | Number):
        raise _nested(name)
    return None if value is None else _written(value, mixed)


def _lines(path: Path) -> Iterator[list[Pairs]]:
    """Yield the objects of a file with one object per line, some thousand at a time."""
    with opened(path) as file:
        filled = (line for line in file if line.strip())
        while chunk := list(islice(filled, CHUNK)):
            texts = [line.decode("utf-8-sig").strip() for line in chunk]
            # With line breaks between them, so that no object can continue in the next line.
            objects = _DECODER.decode("[" + ",\n".join(texts) + "]")
            if len(objects) != len(texts) or any(text[0] != "{" or text[-1] != "}" for text in texts):
                raise ValueError("more or fewer objects than lines")
            yield objects


def _document(path: Path) -> Iterator[list[Pairs]]:
    """Yield the objects of a file that holds an array of objects, or one object after the other."""
    with opened(path) as file:
        text = file.read().decode("utf-8-sig").strip()
    if text.startswith("["):
        objects = _DECODER.decode(text)
        if any(not isinstance(pairs, tuple) or isinstance(pairs, Number) for pairs in objects):
            raise ValueError("something else than an object")
        yield objects
        return
    place = 0
    while place < len(text):
        if text[place] != "{":
            raise ValueError("something else than an object")
        pairs, end = _DECODER.raw_decode(text, place)
        place = _BLANKS.match(text, end).end()  # type: ignore[union-attr]  # also matches the empty text
        yield [pairs]


def _distinct_keys(pairs: Pairs) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a key that is there twice")
    return row


class _Column:
    """The values of one key, dictionary-encoded."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: dict[Any, int] = {None: 0}
        self._codes: list[np.ndarray] = []

    def add(self, values: Iterable[Any]) -> None:
        places = self._places
        try:
            codes = [places.setdefault(value, len(places)) for value in values]
        except TypeError:  # lists are not hashable
            raise _nested(self.name) from None
        self._codes.append(np.array(codes, np.int32))

    def finished(self) -> pa.ChunkedArray:
        """The column as text."""
        values = list(self._places)[1:]
        if not all(isinstance(value, str | bool | Number) for value in values):
            raise _nested(self.name)
        mixed = len({isinstance(value, str) for value in values}) > 1
        texts = pa.array([_written(value, mixed) for value in values], pa.string())
        chunks = [pa.array(codes - 1, mask=codes == 0) for codes in self._codes]
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(chunk, texts) for chunk in chunks], pa.dictionary(pa.int32(), pa.string())
        )


def _nested(name: str) -> DataError:
    return DataError(f"Column {listed([name])} holds lists or objects, which cannot be compared. Flatten it.")


def _written(value: str | bool | Number, mixed: bool) -> str:
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if mixed else value
