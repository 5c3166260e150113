"""Compiled kernels on disk: one file per kernel and signature, named by the digests of what it was compiled from.

Numba's own files number the results of a kernel in an index. Two processes that save at the same time can store two
results under one number, and the next run would execute the wrong one. Here a file's name holds everything that the
result depends on, and the file is complete or absent, so any number of processes, checkouts and versions can share a
folder.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import uuid
from collections.abc import Collection
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any

import numba

from sfumato.common.numba.private_names import found

config = found("numba.core.config")

#: Names a folder in which kernels are kept for all checkouts and environments of a user, such as while testing.
VARIABLE = "SFUMATO_KERNELS"

ENDING = ".nbk"

#: What goes wrong with files that are damaged, or that name what no longer exists, such as a renamed class.
UNREADABLE = (OSError, EOFError, ValueError, AttributeError, ImportError, IndexError, TypeError, pickle.UnpicklingError)

Stamp = Collection[tuple[str, str]]


def compiled_as_usual() -> bool:
    """Whether kernels are compiled without options, such as bounds checks, that no file name holds."""
    return not any((config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.CPU_NAME, config.CPU_FEATURES))


def shared_folder() -> Path | None:
    """The folder that the user names for kernels of all checkouts; a folder named to Numba itself comes first."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named and not config.CACHE_DIR and compiled_as_usual() else None


class KernelFiles:
    """The compiled results of one kernel, as Numba's cache asks for them.

    Parameters
    ----------
    folder
        Where the files lie; it is created when the first result is saved.
    kernel
        The kernel's dotted name.
    stamp
        Names and digests of all sources that are compiled into the kernel.
    alone
        Whether only one version of the sources uses the folder, so that results of another version are removed.
    """

    def __init__(self, folder: Path, kernel: str, stamp: Stamp, *, alone: bool) -> None:
        self.folder, self.alone = folder, alone
        self.prefix = f"{kernel}.{sys.implementation.cache_tag}-"
        self.sources = _digest((numba.__version__, sorted(stamp)))

    def load(self, key: Any) -> Any:
        """Read the result for a key, None if there is none or it cannot be read."""
        try:
            kept_key, data = pickle.loads(self._path(key).read_bytes())
        except UNREADABLE:
            return None
        return data if kept_key == key else None

    def save(self, key: Any, data: Any) -> None:
        """Write the result for a key; readers see the whole file or none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(key)
        partial = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
        try:
            partial.write_bytes(found("numba.core.serialize.dumps")((key, data)))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        if self.alone:
            self._remove_other_versions()

    def elsewhere(self, folder: Path) -> KernelFiles:
        """The files of the same kernel in another folder."""
        other = copy(self)
        other.folder, other.alone = folder, False
        return other

    def flush(self) -> None:
        """Keep everything: what is not readable is compiled and written again."""

    def _path(self, key: Any) -> Path:
        return self.folder / f"{self.prefix}{self.sources}-{_digest(key)}{ENDING}"

    def _remove_other_versions(self) -> None:
        for path in self.folder.glob(f"{self.prefix}*{ENDING}"):
            if not path.name.startswith(f"{self.prefix}{self.sources}-"):
                with suppress(OSError):
                    path.unlink()


def _digest(thing: object) -> str:
    return hashlib.blake2b(repr(thing).encode(), digest_size=8).hexdigest()
