"""Data that has to lie in a file for a moment: what comes from stdin, goes to stdout, or is in another encoding.

The file has no name wherever the system allows that, so nothing of it stays when the program is killed.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from sfumato.errors import SourceError, invalid_parameter, shortened
from sfumato.io.atomic import explained

#: The name that means stdin or stdout.
STANDARD = "-"

_CHUNK = 1 << 20


#: What messages call the files of spools.
SHOWN: dict[Path, str] = {}


class Spool:
    """A private file that is there as long as this object is; messages call it as where its data comes from."""

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
    """Lend a path; what is written there goes to stdout when all went well."""
    spool = Spool()
    with explained("stdout"):
        yield spool.path
        with open(spool.path, "rb") as file:
            while chunk := file.read(_CHUNK):
                sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()


def checked_encoding(encoding: object) -> str:
    """Return the name of an encoding that Python knows, or refuse it."""
    try:
        return codecs.lookup(cast("str", encoding)).name
    except (LookupError, TypeError):
        raise invalid_parameter(
            "open_source", "encoding", "the name of an encoding such as 'latin-1' or 'utf-16'", encoding
        ) from None


def in_utf8(path: Path, opened: BinaryIO, encoding: str) -> Spool:
    """Return the text of a file in UTF-8."""
    spool = Spool(str(path))
    line = 1
    try:
        with io.TextIOWrapper(opened, encoding, newline="") as text:
            while chunk := text.read(_CHUNK):
                spool.file.write(chunk.encode())
                line += chunk.count("\n")
    except (UnicodeError, OSError, EOFError):
        raise SourceError(
            f"{shortened(os.fspath(path), 300)} cannot be read in the encoding {encoding}, from about line {line:,} "
            "on. Name the encoding that it is in."
        ) from None
    spool.file.flush()
    return spool
