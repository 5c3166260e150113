"""Small text files that people write by hand: hierarchies, policies, workloads.

The path may come from another person's policy, so it must lead to a regular file of limited size: reading a device
would never end, and reading a pipe would block.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sfumato.errors import ParameterError, SfumatoError, shortened

#: Limits in bytes: of a file written by hand, and of a hierarchy that a program wrote, with millions of values.
HANDWRITTEN = 16 * 1024**2
LISTED = 256 * 1024**2


def read_text(path: Path, what: str, error: type[SfumatoError], limit: int = HANDWRITTEN) -> str:
    """Read a text file, or say why it cannot be read.

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


def refuse_readable_by_others(path: Path, what: str) -> None:
    """Refuse a secret that others can read, such as a key file."""
    if os.name == "posix" and path.is_file() and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(f"The {what} {path} can be read by others. Take that away (chmod 600), or make a new one.")


def _bytes(path: Path, limit: int) -> bytes | None:
    """Read a regular file, up to one byte past the limit; None if it is not a regular file."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        return file.read(limit + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
