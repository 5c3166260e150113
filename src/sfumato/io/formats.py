"""Which reader a file gets, by the ending of its name."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import SourceError
from sfumato.io.base import Source
from sfumato.io.delimited import DelimitedSource
from sfumato.io.files import check_readable, shown
from sfumato.io.jsonlines import JsonSource
from sfumato.io.parquet import ParquetSource

_TEXT = (".csv", ".tsv", ".txt")
_JSON = (".jsonl", ".ndjson", ".json")
_PARQUET = (".parquet", ".pq")


def open_file(path: str | os.PathLike[str], separator: str | None = None) -> Source:
    """Open a file for reading, or say why that is not possible."""
    file = Path(path)
    check_readable(file)
    ending = _ending(file)
    if ending in _TEXT:
        return DelimitedSource(file, separator)
    if ending in _JSON:
        return JsonSource(file, lines=ending != ".json")
    if ending in _PARQUET:
        return ParquetSource(file)
    known = ", ".join((*_TEXT, *_JSON, *_PARQUET))
    raise SourceError(f"{shown(file)} has an unknown ending. Known are {known}, the text formats also with .gz.")


def _ending(path: Path) -> str:
    """Return the ending in lower case; that of a packed text file is the one before ``.gz``."""
    name = path.name.lower()
    inner = Path(name.removesuffix(".gz")).suffix
    return "" if name.endswith(".gz") and inner in _PARQUET else inner
