"""Files that another library reads, an optional one or one of the standard library."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import MissingExtraError, ParameterError, SourceError, listed
from sfumato.io.columns import canonical
from sfumato.io.files import shown
from sfumato.io.source import FileOptions, Source


class ImportedSource(Source):
    """A file that another library reads."""

    form: str
    spool: object = None

    def __init__(self, path: Path, form: str) -> None:
        self.path = path
        self.kind = self.form = form

    def to_native(self, table: pa.Table) -> pa.Table:
        """Keep an Arrow table, whose text stays dictionary-encoded, since it may be large."""
        return canonical(table)

    def damaged(self, what: str) -> SourceError:
        """The error for a damaged file, without the library's message, which may quote the table."""
        return SourceError(
            f"{shown(self.path)} is not {what}, or was cut short or damaged. Make it again, or give it the ending of "
            "what it is."
        )


def library(module: str, what: str, extra: str) -> Any:
    """Import an optional library; if it is missing, the error names the pip line."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(what, extra) from None


def chosen(path: Path, names: Sequence[str], options: FileOptions, what: str) -> str:
    """Choose the table of a file that may hold several: the named one, or the only one."""
    if options.sheet is not None:
        if options.sheet not in names:
            raise ParameterError(f"{shown(path)} has no {what} '{options.sheet}'. It has {listed(names) or 'none'}.")
        return options.sheet
    if not names:
        raise SourceError(f"{shown(path)} has no {what} with anything in it.")
    if len(names) > 1:
        raise SourceError(
            f"{shown(path)} has {len(names)} {what}s: {listed(names)}. Choose one (sheet={names[0]!r}, on the command "
            f"line --sheet {names[0]!r})."
        )
    return names[0]
