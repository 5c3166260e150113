"""Which reader a file gets, by the ending of its name: one table of all formats."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sfumato.common import parameters
from sfumato.errors import ParameterError, SourceError
from sfumato.io.arrow import ArrowFileSource
from sfumato.io.csv import DelimitedSource
from sfumato.io.encodings import detected_encoding, in_utf8, is_utf8, unpacked
from sfumato.io.files import PACKINGS, check_readable, shown
from sfumato.io.json import JsonSource
from sfumato.io.parquet import ParquetSource
from sfumato.io.source import FileOptions, Source
from sfumato.io.spool import Spool, from_stdin

Opener = Callable[[Path, str, FileOptions], Source]


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    endings
        The endings of names, without the dot; the first is what the format is called (``--from``).
    open
        What makes a source of a path.
    is_text
        Whether such a file is text: in some encoding, and perhaps packed.
    guesses
        Whether its encoding is guessed where nobody names it; JSON is in UTF-8 by its own rules.
    """

    endings: tuple[str, ...]
    open: Opener
    is_text: bool = False
    guesses: bool = False


def _of(module: str, name: str) -> Opener:
    """Return what opens a file by a part of ``io`` that is imported only then."""

    def open_it(path: Path, form: str, options: FileOptions) -> Source:
        found: Any = getattr(import_module(f"sfumato.io.{module}"), name)
        source: Source = found(path, form, options)
        return source

    return open_it


def _delimited(path: Path, form: str, options: FileOptions) -> Source:
    separator = "\t" if form == "tsv" and options.separator is None and path.suffix != ".tsv" else options.separator
    return DelimitedSource(path, separator)


def _json(path: Path, form: str, options: FileOptions) -> Source:
    return JsonSource(path, lines=form != "json")


FORMATS = (
    Format(("csv", "txt"), _delimited, is_text=True, guesses=True),
    Format(("tsv",), _delimited, is_text=True, guesses=True),
    Format(("fwf",), _of("fixed_width", "FixedWidthSource"), is_text=True, guesses=True),
    Format(("jsonl", "ndjson"), _json, is_text=True),
    Format(("json",), _json, is_text=True),
    Format(("parquet", "pq"), lambda path, form, options: ParquetSource(path)),
    Format(("arrow", "feather", "ipc"), lambda path, form, options: ArrowFileSource(path)),
    Format(("xlsx", "xlsm", "xls", "xlsb", "ods"), _of("excel", "WorkbookSource")),
    Format(("sav", "zsav"), _of("spss_stata_sas", "StatisticsSource")),
    Format(("dta",), _of("spss_stata_sas", "StatisticsSource")),
    Format(("sas7bdat",), _of("spss_stata_sas", "StatisticsSource")),
    Format(("xpt",), _of("spss_stata_sas", "StatisticsSource")),
    Format(("rds",), _of("r", "open_r")),
    Format(("sqlite", "sqlite3", "db"), _of("sqlite", "SqliteSource")),
)
BY_ENDING = {ending: form for form in FORMATS for ending in form.endings}
FIXED_WIDTH = BY_ENDING["fwf"]


def is_several(path: str | os.PathLike[str]) -> bool:
    """Whether a path means several files: a folder, or a pattern that is no file itself."""
    text = os.fspath(path)
    return os.path.isdir(text) or (glob.has_magic(text) and not os.path.exists(text))


def open_file(path: str | os.PathLike[str], options: FileOptions | None = None) -> Source:
    """Open a file for reading, or say why that is not possible."""
    file, options = Path(path), options or FileOptions()
    check_readable(file)
    packing = file.suffix.lower() if file.suffix.lower() in PACKINGS else ""
    ending = Path(file.name.lower().removesuffix(packing)).suffix.removeprefix(".")
    form = BY_ENDING.get(ending)
    if form is None or (packing and not form.is_text):
        texts = ", ".join(f".{one}" for known in FORMATS if known.is_text for one in known.endings)
        others = ", ".join(f".{one}" for known in FORMATS if not known.is_text for one in known.endings)
        raise SourceError(
            f"{shown(file)} has an unknown ending. Known are {texts}, these also with {', '.join(PACKINGS)} after "
            f"them, and {others}."
        )
    return _opened(file, ending, form, options)


def open_stdin(form: str | None = None, options: FileOptions | None = None) -> Source:
    """Open what comes from stdin: CSV, or another format if it is named."""
    form = parameters.choice("open_stdin", "form", form or "csv", tuple(BY_ENDING))
    spool = from_stdin()
    check_readable(spool.path)
    return _with_spool(_opened(spool.path, form, BY_ENDING[form], options or FileOptions()), spool)


def _opened(file: Path, ending: str, form: Format, options: FileOptions) -> Source:
    """Open a file of a known format; text is brought to UTF-8 first, and what had to be guessed is told."""
    if options.layout is not None:
        if not form.is_text:
            raise ParameterError(f"A layout is for text with columns of fixed width, but {shown(file)} is none.")
        form, ending = FIXED_WIDTH, "fwf"
    if not form.is_text:
        return form.open(file, ending, options)
    named = options.encoding
    guess = detected_encoding(file) if named is None and form.guesses else None
    spool = _plain_utf8(file, named, guess, form)
    source = form.open(file if spool is None else spool.path, ending, options)
    if guess is not None:
        source.remark(
            f"The file is not in UTF-8; it is read as {guess}.",
            "If letters look wrong, name its encoding (encoding='cp1250', on the command line --encoding).",
        )
    return source if spool is None else _with_spool(source, spool)


def _plain_utf8(file: Path, named: str | None, guess: str | None, form: Format) -> Spool | None:
    """Return the text of a file as its reader takes it, None where it can take the file itself."""
    if named is not None and not is_utf8(named):
        return in_utf8(file, named)
    if guess is not None:
        return in_utf8(file, guess)
    packing = file.suffix.lower()
    # The engine that reads text unpacks gzip by itself.
    return unpacked(file) if packing in PACKINGS and (packing != ".gz" or form is FIXED_WIDTH) else None


def _with_spool(source: Source, spool: Spool) -> Source:
    """Keep the file of a spool as long as somebody may read the source."""
    source.spool = spool  # type: ignore[attr-defined]
    return source
