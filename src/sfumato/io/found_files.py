"""The files that a list, a pattern or a folder means: each once, and none left out silently.

A file that is read twice makes two people of everyone in it, and a folder that is left out hides its people.
"""

from __future__ import annotations

import glob
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from sfumato.errors import SourceError
from sfumato.io.checksum import HashedFile
from sfumato.io.files import shown
from sfumato.io.open import is_several

PARQUET = (".parquet", ".pq")

#: How Spark and others write a missing value in the name of a folder.
MISSING_FOLDER = "__HIVE_DEFAULT_PARTITION__"

#: Files of equal size are compared by their bytes up to this size, which takes a fraction of a second.
COMPARED = 256 << 20


class FoundFile(NamedTuple):
    """A file, with the columns that the names of its folders hold: ``year=2024/part-0.parquet``."""

    path: Path
    folders: dict[str, str | None]


def found_files(paths: Sequence[str | os.PathLike[str]]) -> list[FoundFile]:
    """Find the files that paths, patterns and folders mean; refuse those that are there twice.

    Raises
    ------
    SourceError
        If there is no file, if two paths lead to one file, or if a link leads nowhere or back.
    """
    found = [one for path in paths for one in _found(path)]
    if not found:
        raise SourceError("There are no files to read: the list is empty.")
    _refuse_same([one.path for one in found])
    return found


def copies(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Pair the files with the same bytes as an earlier one, as far as they are not too large to compare."""
    by_size: dict[int, list[Path]] = defaultdict(list)
    for path in paths:
        with suppress(OSError):
            by_size[path.stat().st_size].append(path)
    for size, alike in by_size.items():
        if len(alike) > 1 and size <= COMPARED:
            first: dict[str, Path] = {}
            for path in alike:
                earlier = first.setdefault(HashedFile.of(path).sha256, path)
                if earlier is not path:
                    yield earlier, path


def _refuse_same(paths: Sequence[Path]) -> None:
    """Refuse two paths to one file: the same path, or one of them a link, symbolic or hard, to the other."""
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        inode = _inode(path)
        if inode in seen:
            same = "is named twice" if seen[inode] == path else f"and {shown(seen[inode])} are the same file"
            raise SourceError(f"{shown(path)} {same}: everyone in it would be counted twice. Name each file once.")
        if inode is not None:
            seen[inode] = path


def _inode(path: Path) -> tuple[int, int] | None:
    """What identifies a file under all its names; None if there is none, which opening it explains."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_dev, state.st_ino


def _found(path: str | os.PathLike[str]) -> list[FoundFile]:
    text = os.fspath(path)
    if os.path.isdir(text):
        return _in_folder(Path(text))
    if not is_several(path):
        return [FoundFile(Path(text), {})]
    matching = [Path(one) for one in sorted(glob.glob(text, recursive=True))]
    files = [one for path in matching for one in _matched(path)]
    if not files:
        raise SourceError(f"No file matches {shown(Path(text))}. Check the pattern.")
    return files


def _matched(path: Path) -> list[FoundFile]:
    """What a pattern matched: a file, or a folder with the name of a file, in which other programs write a table."""
    if not path.is_dir():
        return [FoundFile(path, {})]
    return _in_folder(path) if path.suffix.lower() in PARQUET else []


def _in_folder(folder: Path) -> list[FoundFile]:
    own = [FoundFile(path, _folders(path.relative_to(folder))) for path in sorted(_parquet_below(folder))]
    if not own:
        raise SourceError(f"{shown(folder)} is a directory without Parquet files. Name a file in it, or a pattern.")
    return own


def _parquet_below(folder: Path) -> Iterator[Path]:
    """Find the Parquet files below a folder, following links; refuse a link to a folder that is read anyway."""
    seen: dict[str, str] = {}
    for place, inner, files in os.walk(folder, followlinks=True, onerror=_unreadable):
        earlier = seen.setdefault(os.path.realpath(place), place)
        if earlier != place:
            raise SourceError(
                f"{shown(Path(place))} and {shown(Path(earlier))} are the same folder: everyone in it would be counted "
                "twice. Remove the link."
            )
        # Such names belong to the program that wrote the folder, not to the table.
        inner[:] = [name for name in inner if name[0] not in "._"]
        yield from (Path(place, name) for name in files if name[0] not in "._" and name.lower().endswith(PARQUET))


def _unreadable(error: OSError) -> None:
    raise SourceError(f"The folder {shown(Path(error.filename))} cannot be read: {error.strerror}.")


def _folders(path: Path) -> dict[str, str | None]:
    """The columns in the names of folders: ``year=2024``."""
    pairs = (part.split("=", 1) for part in path.parts[:-1] if "=" in part)
    return {name: None if value == MISSING_FOLDER else unquote(value) for name, value in pairs}
