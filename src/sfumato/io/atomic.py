"""Atomic writing: a file appears complete or not at all, and others cannot read it before it is complete.

Output goes to a temporary file beside the target, which replaces the target when everything succeeded. The temporary
file is readable by its owner alone, locked for as long as its writer lives, and named so that the next writer can
recognize and remove what a killed run left behind.

A command overwrites no file that exists, unless the user names it: `kept_files` protects them all. Programs, which know
what they write, overwrite as other libraries do.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.errors import OutputError, shortened
from sfumato.io.locks import PRIVATE, can_lock, create_locked, taken_over

#: What may be overwritten while existing files are protected; None while they are not.
_named: tuple[Path, ...] | None = None

_LEFTOVER = re.compile(r"\.sfumato-[0-9a-f]{16}\.tmp")


@contextmanager
def kept_files(force: Sequence[str | os.PathLike[str]] = ()) -> Iterator[None]:
    """Protect every existing file from being overwritten, except those named and those in folders named.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file, kept_files([file.name]):
    ...     refuse_existing_file(file.name)
    """
    global _named  # noqa: PLW0603
    before, _named = _named, tuple(Path(os.path.realpath(one)) for one in force)
    try:
        yield
    finally:
        _named = before


def refuse_existing_file(path: str | os.PathLike[str], instead: str = "") -> None:
    """Refuse to overwrite a file while existing files are protected; links and other names of a file are that file.

    ``instead`` says what to do, where naming this one file is not enough.
    """
    if _named is None or not os.path.exists(path):
        return
    target = Path(os.path.realpath(path))
    if not any(_includes(one, target) for one in _named):
        instead = instead or f"Name another file, or add --force {shlex.quote(os.fspath(path))} to overwrite it."
        raise OutputError(f"{shown_path(path)} exists already. {instead}")


def _includes(named: Path, target: Path) -> bool:
    """Whether what the user named is a file, or a folder that it is in."""
    return named in target.parents or (named.exists() and named.samefile(target))


@contextmanager
def atomic_path(path: str | os.PathLike[str], private: bool = False, update: bool = False) -> Iterator[Path]:
    """Lend a temporary path beside ``path``; the file written there replaces ``path`` when the block succeeds.

    On any failure before that, an interrupt included, no trace is left and an existing file stays as it was.

    Parameters
    ----------
    path
        Where the file will be. A link stays a link: the file it points to is replaced.
    private
        Whether only the owner may read it. Otherwise it is as readable as the file that it replaces, or as new files
        usually are.
    update
        Whether the file is one that the run keeps up to date, such as a table of pseudonyms, and so may replace.
    """
    with explained(path):
        target = _target(path)
        if not update:
            refuse_existing_file(path)
        remove_leftovers(target.parent)
        with _temporary(target.parent) as (handle, temporary):
            yield temporary
            mode = PRIVATE if private else _final_mode(handle, target)
            os.fsync(handle)
            if not update:
                refuse_existing_file(path)  # again, since somebody may have made it meanwhile
            os.replace(temporary, target)
            # Not earlier: a run that is killed before this point must leave nothing that others may read.
            if hasattr(os, "fchmod"):  # not on Windows
                os.fchmod(handle, mode)
            with suppress(OSError):  # not every system can flush a directory
                _flush(target.parent)


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise the error that writing a file there would raise, without leaving a file."""
    with explained(path):
        target = _target(path)
        refuse_existing_file(path)
        remove_leftovers(target.parent)
        with _temporary(target.parent):
            pass


def remove_leftovers(folder: Path) -> None:
    """Remove what killed runs left in a folder: files with our naming pattern, of this user, whose writer is gone."""
    if not can_lock:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _LEFTOVER.fullmatch(entry.name):
                _remove_if_left(Path(entry.path))


def _remove_if_left(path: Path) -> None:
    with suppress(OSError), taken_over(path) as handle:
        facts = os.fstat(handle)
        if stat.S_ISREG(facts.st_mode) and facts.st_uid == os.getuid():
            path.unlink()


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[int, Path]]:
    """Create an empty file that only its owner may read, and remove it afterwards unless it was moved away."""
    handle = None
    while handle is None:
        path = folder / f".sfumato-{secrets.token_hex(8)}.tmp"
        handle = create_locked(path)
    try:
        yield handle, path
    finally:
        os.close(handle)
        path.unlink(missing_ok=True)


def _final_mode(handle: int, target: Path) -> int:
    """The permissions that a file will have: those of the file that it replaces, or the usual ones."""
    try:
        return _mode_of_replaced(handle, os.stat(target))
    except FileNotFoundError:
        return _usual_mode()


def _mode_of_replaced(handle: int, replaced: os.stat_result) -> int:
    mode = stat.S_IMODE(replaced.st_mode)
    if os.fstat(handle).st_gid == replaced.st_gid:
        return mode
    try:
        os.fchown(handle, -1, replaced.st_gid)
    except OSError:
        # Otherwise a group that could not read the old file could read the new one.
        return mode & ~stat.S_IRWXG
    return mode


def _usual_mode() -> int:
    """The permissions of new files; the umask can only be read by changing it for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _target(path: str | os.PathLike[str]) -> Path:
    try:
        target = Path(os.path.realpath(path))
        mode = os.stat(path).st_mode
    except ValueError:
        raise OSError(errno.EINVAL, "the path is not valid") from None
    except FileNotFoundError:
        return target
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory")
    if not stat.S_ISREG(mode):
        raise OutputError(
            f"{shown_path(path)} is not a regular file, and a device or a pipe must not be replaced by one. Name a "
            "file, or - for stdout."
        )
    return target


def _flush(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def shown_path(path: str | os.PathLike[str]) -> str:
    """Quote a path for a message."""
    return shortened(os.fspath(path), 300)


@contextmanager
def explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the operating system says into what the user can do about it."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        hint = HINTS.get(error.errno or 0) or f"{error.strerror or type(error).__name__}. Choose another place."
        raise OutputError(f"{shown_path(path)} cannot be written: {hint}") from error


HINTS = {
    errno.ENOENT: "its directory does not exist. Create it first.",
    errno.ENOTDIR: "its directory does not exist. Create it first.",
    errno.EISDIR: "it is a directory. Name a file in it.",
    errno.EACCES: "permission denied. Choose a place where you may write.",
    errno.EPERM: "permission denied. Choose a place where you may write.",
    errno.EROFS: "the file system is read-only. Choose another place.",
    errno.ENOSPC: "the disk is full. Free some space or choose another place.",
    errno.EDQUOT: "the disk quota is used up. Free some space or choose another place.",
}
