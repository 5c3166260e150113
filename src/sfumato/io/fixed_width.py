"""Text with columns of fixed width: `Smith     34F`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import SourceError, invalid_parameter
from sfumato.io.columns import unified
from sfumato.io.files import shown
from sfumato.io.inference import inferred
from sfumato.io.library import ImportedSource
from sfumato.io.source import FileOptions, checked_names, gathered

#: Lines that are cut into cells at a time.
BATCH_LINES = 100_000

_FIELD = re.compile(r"\s*(.*\S)\s+(\d+)(?:-(\d+))?\s*")


class Field(NamedTuple):
    """A column and its characters: from ``start`` up to ``stop``, counted from 0."""

    name: str
    start: int
    stop: int


class FixedWidthSource(ImportedSource):
    """A fixed-width file in UTF-8. With a layout every line is a row; without one, the first line has the names."""

    def __init__(self, path: Path, form: str, options: FileOptions) -> None:
        super().__init__(path, form)
        self._has_header = options.layout is None
        fields = self._detected() if options.layout is None else parsed_layout(options.layout)
        self.columns = checked_names(field.name for field in fields)
        self._fields = {field.name: field for field in fields}

    def place(self, row: int) -> str:
        """Say in which line a row is, not counting empty lines."""
        return f"line {row + 1 + self._has_header:,}"

    def _lines(self) -> Iterator[str]:
        try:
            with open(self.path, encoding="utf-8-sig", newline=None) as file:
                yield from (line.rstrip("\n") for line in file if line.strip())
        except UnicodeDecodeError:
            raise SourceError(
                f"{shown(self.path)} is not in UTF-8. Name its encoding (encoding='latin-1', on the command line "
                "--encoding)."
            ) from None

    def _detected(self) -> list[Field]:
        """Find columns by the blanks that all lines have in common, and remark on it."""
        used: set[int] = set()
        header = ""
        for number, line in enumerate(self._lines()):
            header = line if number == 0 else header
            used.update(place for place, character in enumerate(line) if character not in " \t")
        if any("\t" in line for line in self._lines()):
            raise SourceError(f"{shown(self.path)} has tabs in it, so its columns have no fixed place. Is it a .tsv?")
        runs = groupby(enumerate(sorted(used)), lambda pair: pair[1] - pair[0])
        places = [[place for _, place in run] for _, run in runs]
        fields = [Field(header[run[0] : run[-1] + 1].strip(), run[0], run[-1] + 1) for run in places]
        self.remark(
            f"The file is taken to have {len(fields)} columns, parted by the blanks that all lines share.",
            "If that is wrong, say where they are (layout='name 1-10, age 11-13', on the command line --layout).",
        )
        return fields

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        parts: dict[str, list[pa.DictionaryArray]] = {name: [] for name in columns}
        for lines in self._batches():
            for name in columns:
                parts[name].append(_cells(lines, self._fields[name]).dictionary_encode())

        def column(name: str) -> pa.ChunkedArray:
            words = unified(parts[name])
            return (
                words
                if name in as_text or not pa.types.is_dictionary(words.type)
                else inferred(words, self.expected(name))
            )

        return gathered(columns, column, tell)

    def _batches(self) -> Iterator[pa.Array]:
        lines = self._lines()
        if self._has_header:
            next(lines, None)
        while True:
            batch = list(islice(lines, BATCH_LINES))
            yield pa.array(batch, pa.string())
            if len(batch) < BATCH_LINES:
                return


def _cells(lines: pa.Array, field: Field) -> pa.Array:
    cells = pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(lines, field.start, field.stop))
    return pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells)


def parsed_layout(layout: str) -> list[Field]:
    """Parse a layout, in which characters are counted from 1 and both ends are included.

    Examples
    --------
    >>> parsed_layout("name 1-10, sex 11")
    [Field(name='name', start=0, stop=10), Field(name='sex', start=10, stop=11)]
    """
    fields = []
    for part in layout.split(","):
        found = _FIELD.fullmatch(part)
        start, stop = (int(found[2]), int(found[3] or found[2])) if found else (0, 0)
        if found is None or not 1 <= start <= stop:
            expected = "columns with their places, such as 'name 1-10, age 11-13, sex 14'"
            raise invalid_parameter("open_source", "layout", expected, layout)
        fields.append(Field(found[1], start - 1, stop))
    return fields
