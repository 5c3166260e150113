"""Locks that end with the process that holds them: how a run knows what a killed run left behind.

Temporary files (`sfumato.io.atomic`) and temporary folders (`sfumato.io.temporary`) hold personal data. Each is locked
for as long as its owner lives, on whatever machine; one that can be locked by another run was left behind by a killed
one and may be removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks; what a killed run left stays there
    fcntl = None  # type: ignore[assignment]

#: Whether this system has locks that end with the process that holds them.
can_lock = fcntl is not None

#: Only the owner may read unfinished files, and files that are kept with the original.
PRIVATE = 0o600


def create_locked(path: Path) -> int | None:
    """Create a file that only its owner may read, and lock it as long as this process lives or keeps it open.

    Returns
    -------
    int or None
        The open file; None if another run took it for a leftover in the moment before it was locked. Then the caller
        takes another name.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        _lock(handle)
    except BlockingIOError:  # another run is about to remove it
        os.close(handle)
        return None
    except OSError:  # where files cannot be locked, no run takes them for leftovers either
        return handle
    if os.fstat(handle).st_nlink or os.name == "nt":
        return handle
    os.close(handle)
    return None


@contextmanager
def taken_over(path: Path) -> Iterator[int]:
    """Open and lock a file whose owner is gone; raises OSError while the owner lives."""
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _lock(handle)
        yield handle
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
