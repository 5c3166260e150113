"""CSV and its relatives, read and written: text separated by commas, semicolons, tabs or bars.

Reading finds the header and the separator, and reads every column as text; its type is inferred from all of its values
afterwards: one pass, and no guess from a sample that later lines could prove wrong. Written files are safe to open in a
spreadsheet.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from sfumato.common.progress import Tell
from sfumato.common.threads import in_order, side_by_side, threads
from sfumato.errors import DataError, SourceError, invalid_parameter, listed, shortened
from sfumato.io.columns import packed
from sfumato.io.files import PACKING_ERRORS, QueriedSource, opened, shown
from sfumato.io.headers import looks_headless, made_distinct, said_headless, said_twice, titles_above
from sfumato.io.lines import joined, joined_lines, slices, text_cells, text_scalar, write_chunks
from sfumato.io.source import FileOptions, checked_names
from sfumato.io.spool import SHOWN
from sfumato.io.sql import literal, literal_path
from sfumato.io.written_numbers import decimal_shown

#: The separators to look for, most likely first.
SEPARATORS = (",", ";", "\t", "|")

_HEAD_BYTES = 1 << 20
_COUNT_BYTES = 1 << 26
_SAMPLE_RECORDS = 50
_SHOWN_LINES = 1_000
#: The share of lines with as many cells as the first from which on there is no title above.
_MOSTLY = 0.9
#: How files begin that are called text and are none.
_NO_TEXT = {
    b"PAR1": "it looks like Parquet (.parquet)",
    b"PK\x03\x04": "it looks like a workbook (.xlsx) or a ZIP archive",
    b"\xd0\xcf\x11\xe0": "it looks like an old workbook (.xls)",
    b"\x1f\x8b": "it looks packed (.csv.gz)",
    b"$FL2": "it looks like a file of SPSS (.sav)",
    b"%PDF": "it looks like a PDF",
}
_FRACTION = re.compile(r"\d[.,]\d")
_LINE = re.compile(r"[\w ]+: CSV Error on Line: (\d+)")
_TOO_LONG = re.compile(r"^Maximum line size of (\d+) bytes exceeded", re.MULTILINE)
_RAGGED = re.compile(r"^Expected Number of Columns: (\d+) Found: (\d+)", re.MULTILINE)

#: Characters that some program reads as the end of a line or as a byte order mark: text with them is quoted.
_LINE_ENDS = r"\r\n\x{0b}\x{0c}\x{1c}-\x{1e}\x{85}\x{2028}\x{2029}\x{feff}"


class DelimitedSource(QueriedSource):
    """A CSV file or one of its relatives. Its first line is the header; an empty cell is a missing value."""

    kind = form = "csv"

    def __init__(
        self, path: Path, separator: str | None = None, options: FileOptions | None = None, above: int = 0
    ) -> None:
        super().__init__(path)
        self.options, self._above = options or FileOptions(), above
        lines, self._goes_on = first_lines(path)
        self.separator = self._detected(lines) if separator is None else checked_separator(separator)
        self.columns = self._distinct(named(self._header(lines)))
        self._look_at(self._first_columns(lines))

    def _distinct(self, names: list[str]) -> tuple[str, ...]:
        """Number the names that occur twice, with a remark."""
        if len(set(names)) < len(names):
            names, changed = made_distinct(names)
            self.remark(*said_twice(changed), *changed, severity="warning")
        return checked_names(names)

    def _first_columns(self, lines: list[str]) -> list[list[str]]:
        """The columns of the first rows."""
        with suppress(csv.Error):
            records = csv.reader(lines[:_SHOWN_LINES], delimiter=self.separator)
            rows = [record for record in records if len(record) == len(self.columns)]
            return [list(cells) for cells in zip(*rows[1:], strict=True)]
        return []

    def _look_at(self, columns: list[list[str]]) -> None:
        """Find the decimal sign that the first rows show in some column, and whether the header seems to be missing."""
        fractions = [cells for cells in columns if any(_FRACTION.search(cell) for cell in cells)]
        self._decimal = decimal_shown(fractions) if fractions else None
        is_usual = all(
            name.isidentifier() and name not in cells for name, cells in zip(self.columns, columns, strict=False)
        )
        suspects = [] if is_usual else looks_headless(self.columns, columns)
        if suspects:
            self.remark(*said_headless(), *suspects, severity="error")

    def _detected(self, lines: list[str]) -> str:
        """Find the separator that gives the header the most cells, and later lines as many; remark on it."""
        if ".tsv" in SHOWN.get(self.path, str(self.path)).lower() and "\t" in lines[0]:
            return "\t"
        fitness = {separator: _fitness(lines, separator) for separator in SEPARATORS}
        best = max(SEPARATORS, key=lambda separator: fitness[separator])
        rivals = [one for one in SEPARATORS if one != best and fitness[one][:2] == fitness[best][:2] == (True, 1.0)]
        if rivals or (best != SEPARATORS[0] and fitness[best][0]):
            also = f", though {' and '.join(map(repr, rivals))} would fit as well" if rivals else ""
            self.remark(
                f"The cells of the file are taken to be separated by {best!r}{also}.",
                "If that is wrong, name the separator (separator=, on the command line --sep).",
            )
        return best

    def _header(self, lines: list[str]) -> list[str]:
        """The cells of the first record; an error if it is longer than what was read."""
        records = csv.reader(lines, delimiter=self.separator)
        with suppress(csv.Error):  # a cell longer than Python's reader accepts
            names = next(records, [])
            if records.line_num < len(lines) or not self._goes_on:
                return names
        raise SourceError(
            f"The header of {shown(self.path)} is longer than {_HEAD_BYTES:,} bytes. Is it a header at all? Leave out "
            "columns that nobody needs."
        )

    def place(self, row: int) -> str:
        """Say in which line a row is; only its number if line breaks within cells make lines uncertain."""
        try:
            with opened(self.path) as file:
                head = b"".join(line for line, _ in zip(file, range(row + 2), strict=False))
        except PACKING_ERRORS:
            return super().place(row)
        in_order = head.count(b'"') == 0 and head.count(b"\r") in (0, head.count(b"\r\n"))
        return f"line {row + 2 + self._above:,}" if in_order else super().place(row)

    def _query(self, columns: Sequence[str], as_text: frozenset[str]) -> str:
        # Columns are numbered, since DuckDB would rename those that differ only in case.
        numbers = {name: f"c{number}" for number, name in enumerate(self.columns)}
        everything = ", ".join(f"{number}: 'VARCHAR'" for number in numbers.values())
        packing = "gzip" if self.path.name.lower().endswith(".gz") else "none"
        return (
            f"SELECT {', '.join(numbers[name] for name in columns)} FROM read_csv({literal_path(self.path)}, "
            f"columns={{{everything}}}, delim={literal(self.separator)}, header=false, auto_detect=false, "
            f"""quote='"', escape='"', strict_mode=true, compression='{packing}', hive_partitioning=false)"""
        )

    def _run(self, query: str, tell_rows: Tell) -> list[pa.ChunkedArray]:
        # The header is read as a record and dropped: with header=true, DuckDB takes a header of two lines for the whole
        # file.
        with threads() as beside:
            counted = beside.submit(self._counted)
            columns = [column.slice(1) for column in super()._run(query, tell_rows)]
            self._account_for(len(columns[0]), counted.result())
        return side_by_side(lambda one: packed(one) if pa.types.is_dictionary(one.type) else one, columns)

    def _stream(self, query: str) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in super()._stream(query):
            kept = batch.slice(0 if rows else 1)
            rows += batch.num_rows
            yield kept
        self._account_for(max(0, rows - 1), self._counted())

    def _account_for(self, rows: int, found: int | None) -> None:
        """Compare the number of rows with what another reader counts."""
        if found is not None and found != rows:
            raise SourceError(
                f"{shown(self.path)} has {found:,} rows by one reader and {rows:,} by another. Save it again as CSV "
                "with quotation marks around text, or as Parquet."
            )

    def _counted(self) -> int | None:
        names = [str(place) for place in range(len(self.columns))]
        try:
            with opened(self.path) as file:
                reader = pyarrow.csv.open_csv(
                    file,
                    pyarrow.csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=_COUNT_BYTES),
                    pyarrow.csv.ParseOptions(
                        delimiter=self.separator, newlines_in_values=True, ignore_empty_lines=len(names) > 1
                    ),
                    pyarrow.csv.ConvertOptions(include_columns=names[:1], column_types={names[0]: pa.binary()}),
                )
                return sum(batch.num_rows for batch in reader)
        except pa.ArrowInvalid:
            return self._counted_one_by_one()

    def _counted_one_by_one(self) -> int | None:
        """Count the records of a file that Arrow refuses: DuckDB, which reads it in parts, may have lost the reason."""
        try:
            with opened(self.path) as file:
                text = io.TextIOWrapper(cast("BinaryIO", file), encoding="latin-1", newline="")
                return sum(bool(record) or len(self.columns) == 1 for record in self._checked_records(text)) - 1
        except (*PACKING_ERRORS, csv.Error):
            return None

    def _checked_records(self, text: io.TextIOWrapper) -> Iterator[list[str]]:
        """Read record by record; one that has other cells than the header is an error that names its line."""
        records = csv.reader(text, delimiter=self.separator)
        for record in records:
            if record and len(record) != len(self.columns):
                raise SourceError(
                    f"Line {records.line_num + self._above} of {shown(self.path)} has {_cells(len(record))}, and the "
                    f"header has {len(self.columns)}. Correct it, or name the separator, if not {self.separator!r}."
                )
            yield record

    def _first_undecodable(self) -> str:
        """Name the column of the first cell that is not UTF-8, parsing the file byte by byte."""
        with suppress(*PACKING_ERRORS, csv.Error, IndexError), opened(self.path) as file:
            text = io.TextIOWrapper(cast("BinaryIO", file), encoding="latin-1", newline="")
            for record in csv.reader(text, delimiter=self.separator):
                for place, cell in enumerate(record):
                    if not _in_utf8(cell):
                        return f", in column {listed([self.columns[place]])}"
        return ""

    def _explained(self, error: Exception) -> SourceError:
        message = str(error)
        line, ragged = _LINE.match(message), _RAGGED.search(message)
        where = f"Line {int(line[1]) + self._above} of {shown(self.path)}" if line else shown(self.path)
        if ragged:
            expected, found = ragged.groups()
            return SourceError(
                f"{where} has {_cells(int(found))}, and the header has {expected}. Correct the line, "
                f"or name the separator if it is not {self.separator!r}."
            )
        if "Invalid unicode" in message:
            hint = "Save the file as UTF-8, or name its encoding (encoding='latin-1', on the command line --encoding)."
            return SourceError(f"{where} is not in UTF-8{self._first_undecodable()}. {hint}")
        if too_long := _TOO_LONG.search(message):
            return SourceError(
                f"{where} is longer than {int(too_long[1]):,} bytes. Shorten its cells, or save the table as Parquet."
            )
        if "unterminated quote" in message:
            return SourceError(f"{where} has a quotation mark that is not closed. Close it, or double it.")
        hint = "Check that its line ends are all alike and its quotation marks closed."
        return SourceError(f"{where} cannot be read as text separated by {self.separator!r}. {hint}")


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"


def first_lines(path: Path) -> tuple[list[str], bool]:
    """Read the start of a file as lines, or say what else it is; also returns whether the file goes on."""
    try:
        with opened(path) as file:
            head = file.read(_HEAD_BYTES)
            goes_on = bool(file.read(1))
    except PACKING_ERRORS:
        raise SourceError(f"{shown(path)} is not a gzip file, or was cut short.") from None
    found = next((what for magic, what in _NO_TEXT.items() if head.startswith(magic)), None)
    if found is not None or b"\0" in head:
        what = (
            found
            or "it holds bytes that are 0; if it is text, name its encoding (encoding=, on the command line --encoding)"
        )
        raise SourceError(f"{shown(path)} is not a text file: {what}. Give it the ending of what it is.")
    text = head.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise SourceError(f"{shown(path)} is empty. It needs a header and rows.")
    # Not splitlines, which also splits at form feeds and other characters that do not end a line in a file.
    return list(io.StringIO(text, newline="")), goes_on


def lines_above(path: Path, separator: str | None = None) -> int:
    """Count the lines at the start of a file that evidently are titles above the header.

    What is a title depends on the separator: commas of numbers part all rows but the header, which is no title.
    """
    lines = first_lines(path)[0][:_SHOWN_LINES]
    found: list[tuple[int, int, list[list[str]]]] = []
    for one in SEPARATORS if separator is None else (separator,):
        if not any(one in line for line in lines):
            continue
        with suppress(csv.Error):
            reader = csv.reader(lines, delimiter=one)
            ends, records = [], []
            for record, _ in zip(reader, range(_SAMPLE_RECORDS), strict=False):
                records.append(record)
                ends.append(reader.line_num)
            titles = 0 if _is_table(records) and _has_names(lines[0], one) else titles_above(records)
            if titles or _is_table(records):
                found.append((titles, ends[titles - 1] if titles else 0, records[titles:]))
    return (found[0] if len(found) == 1 else max(found, key=_reads_as_table))[1] if found else 0


def _reads_as_table(found: tuple[int, int, list[list[str]]]) -> tuple[bool, bool, int, int, int]:
    """How well records read as a table below their titles: with a header, without titles, with many columns."""
    titles, above, (header, *rows) = found
    columns = list(zip(*(row for row in rows if len(row) == len(header)), strict=True))
    return not looks_headless(header, columns), not titles, len(header), -titles, above


def _is_table(records: Sequence[Sequence[str]]) -> bool:
    """Whether nearly all records, less empty ones, have as many cells as the first, and more than one."""
    widths = [len(record) for record in records if record]
    return bool(records and records[0]) and widths[0] > 1 and widths.count(widths[0]) >= _MOSTLY * len(widths)


def _has_names(line: str, separator: str) -> bool:
    """Whether a line has more than one cell with something in it."""
    return sum(bool(cell.strip(' "\r\n')) for cell in line.split(separator)) > 1


def named(names: Sequence[str]) -> list[str]:
    """The names of a header; columns without a name get the one that pandas gives them.

    >>> named(["", " age", ""])
    ['Unnamed: 0', 'age', 'Unnamed: 2']
    """
    return [name.strip() or f"Unnamed: {place}" for place, name in enumerate(names)]


def _in_utf8(cell: str) -> bool:
    """Whether a cell that was read as Latin-1 is UTF-8."""
    try:
        cell.encode("latin-1").decode()
    except UnicodeDecodeError:
        return False
    return True


def checked_separator(separator: object) -> str:
    """Check that a separator is one character that can part cells."""
    if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n\0':
        raise invalid_parameter("open_source", "separator", "one character such as ',' or ';'", separator)
    return separator


def _fitness(lines: list[str], separator: str) -> tuple[bool, float, int]:
    try:
        widths = [len(record) for record, _ in zip(_records(lines, separator), range(_SAMPLE_RECORDS), strict=False)]
    except csv.Error:  # a cell longer than Python's reader accepts; the header alone decides
        with suppress(csv.Error):
            width = len(next(_records(lines[:1], separator), []))
            return (width > 1, 1.0, width)
        return (False, 0.0, 0)
    if not widths:
        return (False, 0.0, 0)
    agreement = widths.count(widths[0]) / len(widths)
    return (widths[0] > 1, agreement, widths[0])


def _records(lines: list[str], separator: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=separator)


# Writing


def write_delimited(separator: str) -> Callable[[pa.Table, Path, Tell], None]:
    """Make a writer of delimited text."""

    def write(table: pa.Table, path: Path, tell: Tell) -> None:
        write_chunks(path, csv_chunks(table, separator), table.num_rows, tell)

    return write


def csv_chunks(table: pa.Table, separator: str) -> Iterator[bytes | pa.Buffer]:
    """Render a table as delimited text with a header.

    A missing value is an empty cell, an empty text is ``""``. Text that a spreadsheet would run as a formula gets an
    apostrophe; cells are quoted only where they must be. In a table of one column a missing value is ``""`` too, since
    most readers skip empty lines.
    """
    alone = table.num_columns == 1
    names = [_finished(pa.array([name], pa.large_string()), name, separator, alone) for name in table.column_names]
    yield (separator.join(name[0].as_py() for name in names) + "\n").encode()

    def rendered(chunk: pa.Table) -> pa.Buffer:
        cells = [
            text_cells(column, partial(_finished, column=name, separator=separator, alone=alone))
            for name, column in zip(chunk.column_names, chunk.columns, strict=True)
        ]
        return joined_lines([pc.fill_null(cells[0], text_scalar('""'))] if alone else cells, separator)

    yield from in_order(rendered, slices(table))


def _finished(values: pa.Array, column: str, separator: str, alone: bool) -> pa.Array:
    """Quote the cells of a column; a blank cell that is ``alone`` in its line must not look like an empty line."""
    if pc.any(pc.match_substring(values, "\0")).as_py():
        raise DataError(
            f"Column {shortened(column)} holds the character NUL, at which some programs cut a text off. Remove it, or "
            "write Parquet or JSON lines."
        )
    values = without_formulas(values, separator)
    blank = r"^\s*$" if alone else "^$"
    special = pc.match_substring_regex(values, rf'["{_LINE_ENDS}{re.escape(separator)}]|{blank}')
    quoted = joined('"', pc.replace_substring(values, '"', '""'), '"')
    return pc.if_else(special, quoted, values)


# Protection against formula injection: text that a spreadsheet would run gets an apostrophe in front. A formula begins
# with one of a few signs: at the start of a cell, wherever a program that expects another separator would start a cell,
# or after a byte order mark. A text that already begins with an apostrophe and a formula gets another one, so that `=x`
# and `'=x` stay different.

#: What a formula begins with, also as full-width characters, which some spreadsheets treat alike.
_SIGNS = "=@+\\-＝＠＋－"
_SEPARATORS = ",;\t|"
#: What may stand between the start of a cell and its formula, in Arrow's regular expression syntax.
_BEFORE = r"""'"\s\pZ\x{feff}\x{85}\x{0b}\x{1c}-\x{1f}"""

#: A signed number is not a formula, and neither is the end of an interval.
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[\])]?")


def without_formulas(values: pa.Array, separator: str) -> pa.Array:
    """Make texts harmless for spreadsheets, in a file with this separator."""
    starts = _starts(separator)
    suspects = pc.match_substring_regex(values, rf"(^|[{starts}])[{_BEFORE}]*[{_SIGNS}]|^'*[\t\r\n]")
    if not pc.any(suspects).as_py():
        return values
    guarded = [_guarded(text, separator) for text in values.filter(suspects).to_pylist()]
    return pc.replace_with_mask(values, suspects, pa.array(guarded, values.type))


def _starts(separator: str) -> str:
    """The characters after which a program that expects another separator may begin a cell."""
    return re.escape(_SEPARATORS.replace(separator, "")) + r"\r\n"


@cache
def _formula(separator: str) -> re.Pattern[str]:
    starts = _starts(separator)
    blanks = r"[^\S\r\n]" if separator == "\t" else r"[^\S\r\n\t]"
    return re.compile(rf"(?:\A|(?<=[{starts}]))(?P<before>(?:{blanks}|\ufeff|\")*)(?P<text>'*[{_SIGNS}][^{starts}]*)")


def _guarded(text: str, separator: str) -> str:
    """Put an apostrophe before everything that would be run, and before text that begins with a tab or a line break."""
    guarded = _formula(separator).sub(_with_apostrophe, text)
    begins_apart = re.match(r"'*[\t\r\n]", guarded) is not None
    return f"'{guarded}" if begins_apart else guarded


def _with_apostrophe(found: re.Match[str]) -> str:
    goes_on = found.string[found.end() : found.end() + 1] in {"\r", "\n"}
    if _NUMBER.fullmatch(found["text"]) and not goes_on:
        return found[0]
    return f"{found['before']}'{found['text']}"
