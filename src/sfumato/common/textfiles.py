"""Small text files that people write by hand: hierarchies, policies, workloads.

Such a path may come from somebody else's policy. So it has to lead to a regular file of a sane size: a device would be
read without end, and a pipe waited for.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sfumato.errors import SfumatoError, shortened

#: Nobody writes more than that by hand; a hierarchy that a program wrote may list some millions of values.
HANDWRITTEN = 16 * 1024**2
LISTED = 256 * 1024**2


def read_text(path: Path, what: str, error: type[SfumatoError], limit: int = HANDWRITTEN) -> str:
    """Return the text of a file, or say why there is none.

    Parameters
    ----------
    path
        The file.
    what
        What it is to the reader, such as ``"The policy file"``.
    error
        What is raised.
    limit
        How many bytes it may have.
    """
    name = f"{what} {shortened(str(path), 300)}"
    try:
        content = _bytes(path, limit)
    except FileNotFoundError:
        raise error(f"{name} does not exist. Check the path.") from None
    except (OSError, ValueError) as reason:
        said = getattr(reason, "strerror", None) or "the path is not valid"
        raise error(f"{name} cannot be read: {said}.") from None
    if content is None:
        raise error(f"{name} is not a regular file. Save its text to a file first.")
    if len(content) > limit:
        raise error(f"{name} is larger than {limit // 1024**2} MB, so it is something else.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"{name} is not UTF-8 text. Save it as UTF-8.") from None


def _bytes(path: Path, limit: int) -> bytes | None:
    """Return the bytes of a regular file, one more than the limit at most; None if it is something else."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        return file.read(limit + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
