"""Files that stay as they are: a command overwrites none that exists, unless the user names it.

Every file is written by `sfumato.io.atomic`, which asks here first. Commands protect all that exists; programs, which
know what they write, overwrite as other libraries do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import OutputError, shortened

Place = str | os.PathLike[str]

#: What may be overwritten while existing files are protected; None while they are not.
_named: tuple[Path, ...] | None = None


@contextmanager
def kept_files(force: Sequence[Place] = ()) -> Iterator[None]:
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


def refuse_existing_file(path: Place) -> None:
    """Refuse to overwrite a file while existing files are protected; links and other names of a file are that file."""
    if _named is None or not os.path.exists(path):
        return
    target = Path(os.path.realpath(path))
    if not any(_includes(one, target) for one in _named):
        raise OutputError(
            f"{shortened(os.fspath(path), 300)} exists already. Name another file, or add --force "
            f"{os.fspath(path)} to overwrite it."
        )


def _includes(named: Path, target: Path) -> bool:
    """Whether what the user named is a file, or a folder that it is in."""
    return named in target.parents or (named.exists() and named.samefile(target))
