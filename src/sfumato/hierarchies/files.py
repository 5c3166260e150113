"""Hierarchy files: one line per value, from the value to its most general form."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.common.textfiles import LISTED, parsed_json, read_text
from sfumato.errors import HierarchyError, invalid_parameter, shortened

DELIMITERS = ";,\t|"


class Row(NamedTuple):
    """One line of a hierarchy and its place, for messages."""

    where: str
    cells: tuple[str, ...]
    in_file: bool = False

    def quoted(self, cell: str) -> str:
        """Quote a cell for a message, with a leading blank; not a cell of a file, which may be something else."""
        return "" if self.in_file else f" {shortened(cell)}"


def read_rows(path: Path, delimiter: str | None = None) -> tuple[list[Row], str]:
    """Read the rows of a hierarchy file; return them with the delimiter that was given or detected."""
    text = read_text(path, "The hierarchy file", HierarchyError, limit=LISTED)
    try:
        separator = detect_delimiter(text) if delimiter is None else checked_delimiter(delimiter)
        rows = list(_parsed(path, text, separator))
    except csv.Error as error:
        raise HierarchyError(f"The hierarchy file {path} cannot be read: {error}.") from None
    if not rows:
        raise HierarchyError(f"The hierarchy file {path} is empty. Give one line per value: value;parent;…;*.")
    return rows, separator


def read_json(path: Path) -> Any:
    """Read a taxonomy as JSON: nested objects with lists of values at the bottom, or a list of rows."""
    text = read_text(path, "The hierarchy file", HierarchyError, limit=LISTED)
    tree = parsed_json(text, lambda reason: HierarchyError(f"The hierarchy file {path} is not JSON: {reason}."))
    if not isinstance(tree, dict | list) or not tree:
        raise HierarchyError(
            f'The hierarchy file {path} holds neither groups, as in {{"Europe": ["Italy"]}}, nor rows, as in '
            '[["Italy", "Europe"]].'
        )
    return tree


def _parsed(path: Path, text: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows that are not empty, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begin = 1
    for cells in reader:
        if _filled(cells):
            yield Row(f"{path}, line {begin}", tuple(cell.strip() for cell in cells), in_file=True)
        begin = reader.line_num + 1


def _filled(cells: Sequence[str]) -> bool:
    return any(cell.strip() for cell in cells)


def detect_delimiter(text: str) -> str:
    """Find the delimiter that splits every line, preferring lines of equal length that end in one root."""

    def fitness(delimiter: str) -> tuple[bool, bool, bool, int]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = list(itertools.islice((row for row in reader if _filled(row)), 1000))
        counts = {len(row) for row in rows}
        fewest = min(counts, default=1)
        return fewest > 1, len(counts) == 1, len({row[-1].strip() for row in rows}) == 1, fewest

    return max(DELIMITERS, key=fitness)


def write_rows(path: Path, rows: Iterable[Sequence[str]], delimiter: str, private: bool = False) -> None:
    """Write a hierarchy file that `read_rows` can read, atomically; blanks around cells do not count.

    With ``private``, only the owner may read it.
    """
    # Imported here, since it imports DuckDB and only writing needs it.
    from sfumato.io import write_text  # noqa: PLC0415

    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=checked_delimiter(delimiter), lineterminator="\n")
    careful = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        # Readers end a line at a lone carriage return, but the csv writer does not quote it.
        (careful if any("\r" in cell for cell in row) else writer).writerow(row)
    write_text(path, file.getvalue(), private)


def checked_delimiter(delimiter: object) -> str:
    """Check that a delimiter can separate cells."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise invalid_parameter("Taxonomy", "delimiter", "one character such as ';' or ','", delimiter)
    return delimiter
