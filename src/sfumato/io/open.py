"""Opening data: any frame, file or database table becomes a :class:`Source`.

``FORMATS`` is the table of all file formats: which reader opens a file, by the ending of its name.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sfumato.common import parameters
from sfumato.errors import ParameterError, SourceError
from sfumato.io.arrow import ArrowFileSource
from sfumato.io.csv import DelimitedSource, checked_separator, lines_above
from sfumato.io.encodings import detected_encoding, has_mixed_ends, in_utf8, is_utf8, unpacked, with_one_end
from sfumato.io.files import PACKINGS, check_readable, shown
from sfumato.io.frames import open_frame
from sfumato.io.headers import said_titles
from sfumato.io.json import JsonSource
from sfumato.io.parquet import ParquetSource
from sfumato.io.source import FileOptions, Openable, Source, date_forms, decimal_sign
from sfumato.io.spool import Spool, from_stdin

__all__ = ["Source", "open_source"]


def open_source(
    data: object,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    layout: str | None = None,
    decimal: str | None = None,
    dates: Mapping[str, str] | str | None = None,
    skip: int | None = None,
) -> Source:
    """Open a frame or a file for reading, with options if the path is not enough.

    Parameters
    ----------
    data
        A frame that narwhals knows (pandas, Polars, PyArrow, ...), an Arrow table, record batch or stream, a
        DuckDB relation, or the path of a file; the ending of its name says the format. Several files are one table: a
        list of paths, a pattern such as ``"2024/*.csv.gz"``, or a folder of Parquet files, whose names may hold columns
        (``year=2024``). Or a table in a database (``sfumato.engines``), or a source that is open already.
    separator
        What stands between the cells of a delimited text file. Without it, the comma, semicolon, tab or bar
        that the file itself uses. Frames and other files have none and ignore it.
    encoding
        The encoding of a text file. Without it UTF-8, or what is detected from the bytes if the file is not UTF-8.
    sheet
        The sheet of a workbook, or the table of an SQLite database, where there are several.
    layout
        Where the columns of a file of fixed width are, such as ``"name 1-10, age 11-13"``.
    decimal
        The sign between a number and its fraction in text, ``"."`` or ``","``. Without it, the one that every column
        uses; where both would fit, the one that the rest of the file uses.
    dates
        How dates are written in text, as for `datetime.datetime.strptime`: one form for all columns, or forms by
        column, such as ``{"born": "%m/%d/%Y"}``. ``"excel"`` stands for Excel's serial numbers, ``"no"`` for columns
        without dates. Without it, the forms are found.
    skip
        How many lines of a text file, or rows of a sheet, stand above the header. Without it, titles are found where
        they are evident.

    Returns
    -------
    Source
        Its columns are known; rows are read by :meth:`Source.read`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = open_source(pa.table({"age": [34, 51], "zip": ["02139", "10001"]}))
    >>> source.columns
    ('age', 'zip')
    >>> source.read(["zip"]).num_rows
    2
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, Openable):
        return data.open()
    options = FileOptions(separator, encoding, sheet, layout, *_checked(decimal, dates, skip))
    if isinstance(data, str | os.PathLike) and not is_several(data):
        return open_file(data, options)
    paths = [data] if isinstance(data, str | os.PathLike) else data
    if isinstance(paths, list | tuple) and all(isinstance(one, str | os.PathLike) for one in paths):
        from sfumato.io.several_files import open_files  # noqa: PLC0415

        return open_files(paths, options)
    source = open_frame(data)
    source.options = options
    return source


def _checked(
    decimal: str | None, dates: Mapping[str, str] | str | None, skip: int | None
) -> tuple[str | None, Mapping[str, str] | None, int | None]:
    """Check the options about what is in the cells."""
    return (
        None if decimal is None else decimal_sign("open_source", "decimal", decimal),
        None if not dates else date_forms("open_source", "dates", dates),
        None if skip is None else parameters.integer("open_source", "skip", skip, at_least=0),
    )


Opener = Callable[[Path, str, FileOptions], Source]


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    endings
        The endings of names, without the dot; the first is the name of the format (``--from``).
    open
        Opens a path as a source.
    is_text
        Whether such a file is text, in some encoding and perhaps compressed.
    guesses
        Whether its encoding is guessed if the caller names none; JSON is UTF-8 by definition.
    has_parts
        Whether such a file can hold several tables, of which ``sheet`` names one.
    """

    endings: tuple[str, ...]
    open: Opener
    is_text: bool = False
    guesses: bool = False
    has_parts: bool = False


def _of(module: str, name: str) -> Opener:
    """Make an opener that imports its module of ``io`` on first use."""

    def open_it(path: Path, form: str, options: FileOptions) -> Source:
        found: Any = getattr(import_module(f"sfumato.io.{module}"), name)
        source: Source = found(path, form, options)
        return source

    return open_it


def _delimited(path: Path, form: str, options: FileOptions) -> Source:
    separator = "\t" if form == "tsv" and options.separator is None and path.suffix != ".tsv" else options.separator
    separator = None if separator is None else checked_separator(separator)
    skip = lines_above(path, separator) if options.skip is None else options.skip
    if not skip and not has_mixed_ends(path):
        return DelimitedSource(path, separator, options)
    spool, mixed = with_one_end(path, skip)
    if options.skip and not os.path.getsize(spool.path):
        raise SourceError(f"{shown(path)} is empty below the {skip:,} lines that are to be skipped. Skip fewer.")
    check_readable(spool.path)
    source = DelimitedSource(spool.path, separator, options, above=skip)
    if skip and options.skip is None:
        source.remark(*said_titles(skip, "line", "the file"))
    if mixed:
        source.remark("Lines of the file end in different ways.", "All of them are read as ends of lines.")
    return _with_spool(source, spool)


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
    Format(("xlsx", "xlsm", "xls", "xlsb", "ods"), _of("excel", "WorkbookSource"), has_parts=True),
    Format(("sav", "zsav"), _of("spss_stata_sas", "StatisticsSource")),
    Format(("dta",), _of("spss_stata_sas", "StatisticsSource")),
    Format(("sas7bdat",), _of("spss_stata_sas", "StatisticsSource")),
    Format(("xpt",), _of("spss_stata_sas", "StatisticsSource")),
    Format(("rds",), _of("r", "open_r"), has_parts=True),
    Format(("rda", "rdata"), _of("r", "open_r"), has_parts=True),
    Format(("sqlite", "sqlite3", "db"), _of("sqlite", "SqliteSource"), has_parts=True),
)
BY_ENDING = {ending: form for form in FORMATS for ending in form.endings}
FIXED_WIDTH = BY_ENDING["fwf"]


def is_several(path: str | os.PathLike[str]) -> bool:
    """Whether a path means several files: a folder, or a pattern that is no file itself."""
    text = os.fspath(path)
    return os.path.isdir(text) or (glob.has_magic(text) and not os.path.exists(text))


def open_file(path: str | os.PathLike[str], options: FileOptions | None = None) -> Source:
    """Open a file for reading."""
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
    """Open stdin: as CSV, unless another format is named."""
    form = parameters.choice("open_stdin", "form", form or "csv", tuple(BY_ENDING))
    spool = from_stdin()
    check_readable(spool.path)
    return _with_spool(_opened(spool.path, form, BY_ENDING[form], options or FileOptions()), spool)


def _opened(file: Path, ending: str, form: Format, options: FileOptions) -> Source:
    """Open a file of a known format; text is converted to UTF-8 first, with a remark if the encoding is a guess."""
    if options.layout is not None:
        if not form.is_text:
            raise ParameterError(f"A layout is for text with columns of fixed width, but {shown(file)} is none.")
        form, ending = FIXED_WIDTH, "fwf"
    if options.sheet is not None and not form.has_parts:
        raise ParameterError(f"A sheet is named, '{options.sheet}', but {shown(file)} has none. Leave it out.")
    if not form.is_text:
        return _with_options(form.open(file, ending, options), options)
    named = options.encoding
    guess = detected_encoding(file) if named is None and form.guesses else None
    spool = _plain_utf8(file, named, guess, form)
    source = _with_options(form.open(file if spool is None else spool.path, ending, options), options)
    if guess is not None:
        source.remark(
            f"The file is not in UTF-8; it is read as {guess}.",
            "If letters look wrong, name its encoding (encoding='cp1250', on the command line --encoding).",
        )
    return source if spool is None else _with_spool(source, spool)


def _with_options(source: Source, options: FileOptions) -> Source:
    """Let a source know how the caller says that it is to be read."""
    source.options = options
    return source


def _plain_utf8(file: Path, named: str | None, guess: str | None, form: Format) -> Spool | None:
    """Convert a file to plain UTF-8; None if its reader can take the file as it is."""
    if named is not None and not is_utf8(named):
        return in_utf8(file, named)
    if guess is not None:
        return in_utf8(file, guess)
    packing = file.suffix.lower()
    # DuckDB decompresses gzip itself.
    return unpacked(file) if packing in PACKINGS and (packing != ".gz" or form is FIXED_WIDTH) else None


def _with_spool(source: Source, spool: Spool) -> Source:
    """Keep the spooled file as long as the source."""
    source.spool = (getattr(source, "spool", None), spool)  # type: ignore[attr-defined]
    return source
