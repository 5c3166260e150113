"""Which reader a file gets, by the ending of its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, cast

from sfumato import parameters
from sfumato.errors import SourceError
from sfumato.io.base import Source
from sfumato.io.delimited import DelimitedSource
from sfumato.io.files import FileSource, check_readable, opened, shown
from sfumato.io.jsonlines import JsonSource
from sfumato.io.parquet import ParquetSource
from sfumato.io.spooling import Spool, checked_encoding, from_stdin, in_utf8

_TEXT = (".csv", ".tsv", ".txt")
_JSON = (".jsonl", ".ndjson", ".json")
_PARQUET = (".parquet", ".pq")


def open_file(path: str | os.PathLike[str], separator: str | None = None, encoding: str | None = None) -> Source:
    """Open a file for reading, or say why that is not possible."""
    file = Path(path)
    check_readable(file)
    ending = _ending(file)
    if encoding is not None and ending not in _PARQUET and checked_encoding(encoding) not in {"utf-8", "utf-8-sig"}:
        return open_spool(in_utf8(file, cast("BinaryIO", opened(file)), encoding), ending, separator)
    if ending in (*_TEXT, *_JSON, *_PARQUET):
        return _source(file, ending, separator)
    known = ", ".join((*_TEXT, *_JSON, *_PARQUET))
    raise SourceError(f"{shown(file)} has an unknown ending. Known are {known}, the text formats also with .gz.")


def open_stdin(form: str | None = None, separator: str | None = None, encoding: str | None = None) -> Source:
    """Open what comes from stdin: CSV, or another format if it is named."""
    form = parameters.choice("open_stdin", "form", form or "csv", ("csv", "tsv", "jsonl", "json", "parquet"))
    spool = from_stdin()
    if encoding is not None and form != "parquet":
        spool.file.seek(0)
        spool = in_utf8(Path("stdin"), cast("BinaryIO", spool.file), checked_encoding(encoding))
    return open_spool(spool, f".{form}", "\t" if form == "tsv" and separator is None else separator)


def open_spool(spool: Spool, ending: str, separator: str | None) -> Source:
    """Open data that lies in a file for a moment."""
    check_readable(spool.path)
    source = _source(spool.path, ending, separator)
    source.spool = spool  # the file is there as long as somebody may read it
    return source


def _source(file: Path, ending: str, separator: str | None) -> FileSource:
    if ending in _TEXT:
        return DelimitedSource(file, separator)
    return JsonSource(file, lines=ending != ".json") if ending in _JSON else ParquetSource(file)


def _ending(path: Path) -> str:
    """Return the ending in lower case; that of a packed text file is the one before ``.gz``."""
    name = path.name.lower()
    inner = Path(name.removesuffix(".gz")).suffix
    return "" if name.endswith(".gz") and inner in _PARQUET else inner
