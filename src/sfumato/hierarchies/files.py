"""Hierarchy files: one line per value, from the value to its most general form."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sfumato.errors import HierarchyError, OutputError

DELIMITERS = ";,\t|"


class Row(NamedTuple):
    """One line of a hierarchy and where it stands, for messages."""

    where: str
    cells: tuple[str, ...]


def read_rows(path: Path, delimiter: str | None = None) -> tuple[list[Row], str]:
    """Read the rows of a hierarchy file; return them with the delimiter that was given or detected."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise HierarchyError(f"The hierarchy file {path} does not exist. Check the path.") from None
    except UnicodeDecodeError:
        raise HierarchyError(f"The hierarchy file {path} is not UTF-8 text. Save it as UTF-8.") from None
    except OSError as error:
        raise HierarchyError(f"The hierarchy file {path} cannot be read: {error.strerror}.") from None
    lines = text.splitlines()
    separator = delimiter or detect_delimiter(lines)
    rows = [
        Row(f"{path}, line {number}", tuple(cell.strip() for cell in cells))
        for number, cells in enumerate(csv.reader(lines, delimiter=separator), start=1)
        if any(cell.strip() for cell in cells)
    ]
    if not rows:
        raise HierarchyError(f"The hierarchy file {path} is empty. Give one line per value: value;parent;…;*.")
    return rows, separator


def detect_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that splits every line, preferring the one that gives all lines the same length."""
    sample = [line for line in lines if line.strip()][:1000]

    def fitness(delimiter: str) -> tuple[bool, bool, int]:
        counts = [len(row) for row in csv.reader(sample, delimiter=delimiter)]
        return min(counts, default=1) > 1, len(set(counts)) == 1, min(counts, default=1)

    return max(DELIMITERS, key=fitness)


def write_rows(path: Path, rows: Iterable[Sequence[str]], delimiter: str) -> None:
    """Write a hierarchy file that `read_rows` reads back unchanged."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    except OSError as error:
        raise OutputError(f"The hierarchy file {path} cannot be written: {error.strerror}.") from None
