"""Files come out whole or not at all, and bring nothing along but the rows."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import OutputError, ParameterError, invalid_parameter, shortened
from sfumato.io import arrow
from sfumato.io.rendering import CHUNK_ROWS, csv_chunks, jsonl_chunks
from sfumato.progress import Tell, untold

#: Rows per row group: large enough to compress well, small enough to be read in parallel.
ROW_GROUP_ROWS = 250_000

#: Smaller than snappy at the same speed, and read by everyone.
COMPRESSION = "zstd"


def write_table(table: pa.Table, path: str | os.PathLike[str], tell: Tell = untold) -> None:
    """Write a table to a file of the format that its name says.

    The file appears complete or not at all; one that was there before stays until then. It holds the values of
    the table and nothing else: no metadata, no unused dictionary values. The same table gives the same bytes.

    Parameters
    ----------
    table
        What to write.
    path
        Where to, ending in ``.csv``, ``.tsv``, ``.parquet``, ``.pq``, ``.jsonl`` or ``.ndjson``. In CSV, text that a
        spreadsheet would run as a formula gets a leading apostrophe, a missing value is an empty cell and an
        empty text is ``""``.
    tell
        Called with the share that is written.
    """
    write = _writer(path)
    with atomic_path(path) as temporary:
        write(table, temporary, tell)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def check_writable(path: str | os.PathLike[str], table: bool = True) -> None:
    """Find out before the work, not after it, that a file could not be written there.

    Parameters
    ----------
    path
        Where something will be written.
    table
        Whether that will be a table, so that the ending must name a format.
    """
    if table:
        _writer(path)
    with _explained(path):
        target = _target(path)
        temporary = _temporary(target)
        try:
            temporary.touch(exist_ok=False)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a temporary path beside ``path``; what is written there takes its place when all went well.

    Whatever happens before, an interrupt included, leaves no trace and an existing file as it was.
    """
    with _explained(path):
        target = _target(path)
        temporary = _temporary(target)
        try:
            yield temporary
            with suppress(FileNotFoundError):
                shutil.copymode(target, temporary)
            _flush(temporary, os.O_RDWR)
            os.replace(temporary, target)
            with suppress(OSError):  # not every system lets a directory be flushed
                _flush(target.parent, os.O_RDONLY)
        finally:
            temporary.unlink(missing_ok=True)


def _target(path: str | os.PathLike[str]) -> Path:
    # A link stays a link: what it points to is replaced.
    try:
        target = Path(os.path.realpath(path))
    except ValueError:
        raise OSError(errno.EINVAL, "the path is not valid") from None
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a directory")
    return target


def _temporary(target: Path) -> Path:
    return target.with_name(f".{secrets.token_hex(8)}.tmp")


def _flush(path: Path, mode: int) -> None:
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the operating system says into what the user can do about it."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        hint = _HINTS.get(error.errno or 0) or f"{error.strerror or type(error).__name__}. Choose another place."
        raise OutputError(f"{shortened(os.fspath(path), 300)} cannot be written: {hint}") from error


_HINTS = {
    errno.ENOENT: "its directory does not exist. Create it first.",
    errno.ENOTDIR: "its directory does not exist. Create it first.",
    errno.EISDIR: "it is a directory. Name a file in it.",
    errno.EACCES: "permission denied. Choose a place where you may write.",
    errno.EPERM: "permission denied. Choose a place where you may write.",
    errno.EROFS: "the file system is read-only. Choose another place.",
    errno.ENOSPC: "the disk is full. Free some space or choose another place.",
    errno.EDQUOT: "the disk quota is used up. Free some space or choose another place.",
}


def _write_parquet(table: pa.Table, path: Path, tell: Tell) -> None:
    # Dictionaries go to the file as they are, once they hold nothing but what occurs. No stored schema: it would tell
    # about the frame that the table came from. No statistics of text: it takes half of the time to find the first and
    # the last label, and nobody looks for labels between two others.
    table = arrow.canonical(table)
    plain = [field.name for field in table.schema if not pa.types.is_dictionary(field.type)]
    with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False, write_statistics=plain) as writer:
        for start in range(0, max(table.num_rows, 1), ROW_GROUP_ROWS):
            writer.write_table(table.slice(start, ROW_GROUP_ROWS))
            tell(min((start + ROW_GROUP_ROWS) / max(table.num_rows, 1), 1.0))


def _write_csv(table: pa.Table, path: Path, tell: Tell) -> None:
    _write_chunks(path, csv_chunks(table, ","), table.num_rows, tell)


def _write_tsv(table: pa.Table, path: Path, tell: Tell) -> None:
    _write_chunks(path, csv_chunks(table, "\t"), table.num_rows, tell)


def _write_jsonl(table: pa.Table, path: Path, tell: Tell) -> None:
    _write_chunks(path, jsonl_chunks(table), table.num_rows, tell)


def _write_chunks(path: Path, chunks: Iterator[bytes | pa.Buffer], rows: int, tell: Tell) -> None:
    with open(path, "wb") as file:
        for number, chunk in enumerate(chunks, start=1):
            file.write(chunk)
            tell(min(number * CHUNK_ROWS / max(rows, 1), 1.0))


_WRITERS: dict[str, Callable[[pa.Table, Path, Tell], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": _write_parquet,
    ".pq": _write_parquet,
    ".jsonl": _write_jsonl,
    ".ndjson": _write_jsonl,
}


def _writer(path: str | os.PathLike[str]) -> Callable[[pa.Table, Path, Tell], None]:
    if not isinstance(path, str | os.PathLike):
        raise invalid_parameter("write", "path", "the name of a file", path)
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        if os.path.isdir(path):
            raise OutputError(f"{shortened(os.fspath(path), 300)} cannot be written: {_HINTS[errno.EISDIR]}")
        raise ParameterError(
            f"{shortened(os.fspath(path), 300)} does not say in which format to write. Take a name that ends in one of "
            f"{', '.join(_WRITERS)}."
        )
    return _WRITERS[ending]
