"""Temporary folders for data that does not fit in memory: private, locked by their owner, removed with it.

They hold personal data. So only the user may read them; they are removed at the end, also after errors and interrupts;
and the next run removes what a killed run left, recognized by a lock that is no longer held.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.io.atomic import explained, shown_path
from sfumato.io.locks import can_lock, create_locked, taken_over
from sfumato.io.memory import in_words

#: Only the user may enter, list and read.
PRIVATE_FOLDER = 0o700

#: The file in a folder that its owner keeps locked.
OWNER = "owner"

_NAME = re.compile(r"sfumato-[0-9a-f]{16}")

Place = str | os.PathLike[str]


class TemporaryFolder:
    """A folder of one run, removed when it is closed, garbage-collected, or when the program ends.

    Making one also removes what killed runs left in the same place.

    Parameters
    ----------
    parent
        Where to make it; by default where the system keeps temporary files.

    Attributes
    ----------
    path
        The folder.

    Examples
    --------
    >>> with TemporaryFolder() as folder:
    ...     _ = (folder.path / "rows").write_text("personal")
    >>> folder.path.exists()
    False
    """

    def __init__(self, parent: Place | None = None) -> None:
        place = _place(parent)
        remove_left_folders(place)
        with explained(place):
            self.path, handle = _made(place)
        self.close = weakref.finalize(self, _remove, self.path, handle, os.getpid())
        _OPEN.add(self)

    def __enter__(self) -> TemporaryFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new(self, name: str) -> Path:
        """Make a private folder in it."""
        path = self.path / name
        path.mkdir(PRIVATE_FOLDER)
        return path

    def used(self) -> int:
        """The bytes in it."""
        return sum(_sizes(self.path))

    def require(self, needed: int) -> None:
        """Refuse work that would fill the disk.

        Parameters
        ----------
        needed
            An estimate of the most bytes that will be here.
        """
        free = shutil.disk_usage(self.path).free
        if needed > free:
            raise OutputError(
                f"Temporary files will take about {in_words(needed)}, but {shown_path(self.path.parent)} has "
                f"{in_words(free)} free. Free some space, or name another folder (temporary=, on the command line "
                "--temporary)."
            )


#: The folders of this process, for programs that exit without running finalizers.
_OPEN: weakref.WeakSet[TemporaryFolder] = weakref.WeakSet()


def close_all() -> None:
    """Remove the folders of this process."""
    for folder in list(_OPEN):
        folder.close()


def remove_left_folders(parent: Place | None = None) -> list[Path]:
    """Remove and return the folders that killed runs left; those of running processes stay.

    Parameters
    ----------
    parent
        As for `TemporaryFolder`.
    """
    place = _place(parent)
    if not can_lock:
        return []
    with suppress(OSError), os.scandir(place) as entries:
        candidates = [Path(entry.path) for entry in entries if _NAME.fullmatch(entry.name) and _is_ours(entry)]
        return [path for path in candidates if _removed_if_left(path)]
    return []


def _place(parent: Place | None) -> Path:
    place = Path(tempfile.gettempdir() if parent is None else parent)
    if not place.is_dir():
        raise OutputError(
            f"{shown_path(place)} is no folder, so no temporary files can be there. Create it first, or name another "
            "(temporary=, on the command line --temporary)."
        )
    return place


def _made(parent: Path) -> tuple[Path, int]:
    """Make and lock a folder; try another name if another run removed it before it was locked."""
    while True:
        path = parent / f"sfumato-{secrets.token_hex(8)}"
        path.mkdir(PRIVATE_FOLDER)
        with suppress(FileNotFoundError):  # another run took the empty folder for a leftover
            handle = create_locked(path / OWNER)
            if handle is not None:
                return path, handle


def _removed_if_left(path: Path) -> bool:
    with suppress(OSError):
        try:
            with taken_over(path / OWNER):
                _empty(path)
        except FileNotFoundError:
            path.rmdir()  # killed before it was locked: empty, and if it is not, no run of ours made it
        return True
    return False


def _remove(path: Path, handle: int, owner: int) -> None:
    try:
        if os.getpid() == owner:  # not in a forked child
            _empty(path)
    finally:
        os.close(handle)


def _empty(path: Path) -> None:
    """Remove a folder, the owner's file last: until then other runs see that it is in use."""
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != OWNER:
                with suppress(OSError):
                    os.unlink(entry.path)
    shutil.rmtree(path, ignore_errors=True)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    facts = entry.stat(follow_symlinks=False)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid()


def _sizes(path: Path) -> Iterator[int]:
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                yield os.lstat(os.path.join(folder, name)).st_size
