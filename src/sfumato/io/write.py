"""Writing tables and texts to files, atomically and without any metadata besides the rows."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa

from sfumato.common import parameters
from sfumato.common.progress import Tell, silent
from sfumato.errors import OutputError, ParameterError, invalid_parameter
from sfumato.io.arrow import write_arrow
from sfumato.io.atomic import HINTS, atomic_path, check_place, shown_path
from sfumato.io.csv import csv_chunks, write_delimited
from sfumato.io.excel_write import require_excel, write_excel
from sfumato.io.json import write_jsonl
from sfumato.io.parquet import stream_parquet, write_parquet
from sfumato.io.r import require_r, write_rds
from sfumato.io.spool import STANDARD, for_stdout
from sfumato.io.spss_stata_sas import STATISTICS, FileLabels, require, write_statistics

#: The formats that can be written table by table, and their separators.
STREAMED = {"parquet": "", "csv": ",", "tsv": "\t"}

#: Inspects a finished file, given its path and format, and raises an error to prevent its publication.
Inspect = Callable[[Path, str], None]


def write_table(
    table: pa.Table,
    path: str | os.PathLike[str],
    tell: Tell = silent,
    inspect: Inspect | None = None,
    form: str | None = None,
    labels: FileLabels | None = None,
) -> None:
    """Write a table to a file of the format that its name says.

    The file appears complete or not at all; one that was there before stays until then. It holds the values of
    the table and nothing else: no metadata, no unused dictionary values. The same table gives the same bytes.

    Parameters
    ----------
    table
        What to write.
    path
        Where to, ending in ``.csv``, ``.tsv``, ``.parquet``, ``.pq``, ``.jsonl``, ``.ndjson``, ``.arrow``, ``.feather``
        ``.xlsx``, ``.rds`` or, with value labels, ``.sav``, ``.zsav`` and ``.dta``. In CSV, text that a spreadsheet
        would run as a formula gets an apostrophe, a missing value is an empty cell and an empty text is ``""``.
    tell
        Called with the share that is written.
    inspect
        Called before the file takes its place; if it raises, nothing is written.
    form
        The format, if the name does not say it: ``"csv"``, ``"sav"``, … The name ``-`` is stdout.
    labels
        What the columns and their codes are called, for the formats that can say it.
    """
    form = format_of(path, form)
    with for_stdout() if os.fspath(path) == STANDARD else atomic_path(path) as temporary:
        _write(form, table, temporary, tell, labels)
        if inspect is not None:
            inspect(temporary, form)


def write_stream(tables: Iterable[pa.Table], path: Path, form: str) -> None:
    """Write tables one after the other to a file that is not yet published, holding only one in memory at a time.

    Parameters
    ----------
    tables
        What to write, all with the same columns; at least one.
    path
        Where to.
    form
        One of ``STREAMED``.
    """
    if form == "parquet":
        stream_parquet(tables, path)
        return
    with open(path, "wb") as file:
        for number, table in enumerate(tables):
            chunks = csv_chunks(table, STREAMED[form])
            header = next(chunks)
            file.writelines(chunks if number else [header, *chunks])


def write_tables(
    tables: Sequence[tuple[pa.Table, str | os.PathLike[str]]], inspect: Callable[[list[tuple[Path, str]]], None]
) -> None:
    """Write tables that belong together: all are written and inspected before the first is published.

    ``inspect`` gets the path and the format of every file; if it raises, nothing is written.
    """
    forms = [format_of(path) for _, path in tables]
    with ExitStack() as finished:
        written = []
        for (table, path), form in zip(tables, forms, strict=True):
            if os.fspath(path) == STANDARD:
                raise ParameterError("Several tables cannot go to stdout together. Name a file for each.")
            temporary = finished.enter_context(atomic_path(path))
            _write(form, table, temporary, silent)
            written.append((temporary, form))
        inspect(written)


def write_text(path: str | os.PathLike[str], text: str, private: bool = False, update: bool = False) -> None:
    """Write text as UTF-8, atomically; ``private`` and ``update`` are those of `atomic_path`."""
    with atomic_path(path, private, update) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def check_writable(path: str | os.PathLike[str], table: bool = True, form: str | None = None) -> None:
    """Fail before the work, not after it, if a file cannot be written there.

    Parameters
    ----------
    path
        Where something will be written.
    table
        Whether it will be a table, so that the ending must name a format.
    form
        The format, if the name does not say it.
    """
    if table and (needed := _REQUIRED.get(format_of(path, form))) is not None:
        needed()
    if os.fspath(path) != STANDARD or not table:
        check_place(path)


def names_folder(path: str | os.PathLike[str], form: str | None = None) -> bool:
    """Whether a path has neither an ending nor a format, so that it may be a folder."""
    return form is None and os.fspath(path) != STANDARD and not Path(path).suffix


def refuse_other_than_parquet(path: str | os.PathLike[str], form: str | None = None) -> None:
    """Refuse any format but a folder of Parquet files, which is what a cluster writes."""
    said = form or _ENDINGS.get(Path(path).suffix.lower(), "parquet")
    if said != "parquet" or os.fspath(path) == STANDARD:
        raise ParameterError(
            f"A cluster writes a folder of Parquet files, not {shown_path(path)}. Name a folder, such as 'released' or "
            "'released.parquet'."
        )


def refuse_existing(folder: str | os.PathLike[str]) -> None:
    """Refuse to overwrite something with a folder."""
    if os.path.lexists(folder):
        raise OutputError(f"{shown_path(folder)} exists already. Name a folder that does not, or remove it first.")


_WRITERS: dict[str, Callable[[pa.Table, Path, Tell], None]] = {
    "csv": write_delimited(","),
    "tsv": write_delimited("\t"),
    "parquet": write_parquet,
    "jsonl": write_jsonl,
    "arrow": write_arrow,
    "xlsx": write_excel,
    "rds": write_rds,
}
_LABELLED = {form: write_statistics(form) for form in STATISTICS}
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".feather": "arrow",
    **{f".{form}": form for form in STATISTICS},
    ".xlsx": "xlsx",
    ".rds": "rds",
}

#: What imports the library that writes a format, where it is an optional one.
_REQUIRED = {**dict.fromkeys(STATISTICS, require), "xlsx": require_excel, "rds": require_r}


def _write(form: str, table: pa.Table, path: Path, tell: Tell, labels: FileLabels | None = None) -> None:
    """Write a file in a format, with labels where it has them."""
    if form in _LABELLED:
        _LABELLED[form](table, path, tell, labels or FileLabels())
    else:
        _WRITERS[form](table, path, tell)


def format_of(path: str | os.PathLike[str], form: str | None = None) -> str:
    """The format by its name or by the ending of the path; the error lists known endings."""
    if form is not None:
        return parameters.choice("write", "form", form, (*_WRITERS, *_LABELLED))
    if isinstance(path, str | os.PathLike) and os.fspath(path) == STANDARD:
        return "csv"
    if not isinstance(path, str | os.PathLike):
        raise invalid_parameter("write", "path", "the name of a file", path)
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        if os.path.isdir(path):
            raise OutputError(f"{shown_path(path)} cannot be written: {HINTS[errno.EISDIR]}")
        raise ParameterError(
            f"{shown_path(path)} does not say in which format to write. Take a name that ends in one of "
            f"{', '.join(_ENDINGS)}."
        )
    return _ENDINGS[ending]
