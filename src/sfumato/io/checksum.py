"""What identifies the bytes of a file: its size and its SHA-256 checksum."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import SourceError


@dataclass(frozen=True)
class HashedFile:
    """A file by its name and what identifies its bytes."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: str | os.PathLike[str], called: str = "file") -> HashedFile:
        """Read a file once.

        Parameters
        ----------
        path
            The file.
        called
            What a message calls it if it cannot be read.
        """
        file = Path(path)
        try:
            if not stat.S_ISREG(file.stat().st_mode):  # to open a pipe would wait for somebody to write
                raise SourceError(f"The {called} {path} is not a regular file. Save the data to a file first.")
            with file.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                return cls(file.name, file.stat().st_size, digest)
        except OSError as error:
            raise SourceError(f"The {called} {path} cannot be read: {error.strerror}.") from None
