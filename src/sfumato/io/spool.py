"""Temporary files for data from stdin, for stdout, and for decompressed or re-encoded text.

Where the system allows it the file has no name, so nothing is left if the program is killed.
"""

from __future__ import annotations

import sys
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from sfumato.io.atomic import explained

#: The name that means stdin or stdout.
STANDARD = "-"

_CHUNK = 1 << 20


#: What messages call spooled files.
SHOWN: dict[Path, str] = {}


class Spool:
    """A private file that exists as long as this object; messages name the origin of its data instead."""

    def __init__(self, shown: str = "stdin") -> None:
        nameless = sys.platform == "linux"
        self.file = tempfile.TemporaryFile() if nameless else tempfile.NamedTemporaryFile()  # noqa: SIM115
        self.path = Path(f"/proc/self/fd/{self.file.fileno()}" if nameless else str(self.file.name))
        SHOWN[self.path] = shown
        weakref.finalize(self, self.file.close)

    def fill(self, stream: BinaryIO) -> Spool:
        """Copy a stream into it."""
        while chunk := stream.read(_CHUNK):
            self.file.write(chunk)
        self.file.flush()
        return self


def from_stdin() -> Spool:
    """Read stdin to its end."""
    return Spool().fill(cast("BinaryIO", sys.stdin.buffer))


@contextmanager
def for_stdout() -> Iterator[Path]:
    """Lend a path; the file written there goes to stdout when the block succeeds."""
    spool = Spool()
    with explained("stdout"):
        yield spool.path
        with open(spool.path, "rb") as file:
            while chunk := file.read(_CHUNK):
                sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
