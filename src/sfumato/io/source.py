"""The interface of every source, and checks that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import pyarrow as pa

from sfumato.common.progress import Tell, silent
from sfumato.errors import SchemaError, invalid_parameter, listed, no_column
from sfumato.io.headers import HEADLESS
from sfumato.io.inference import inferred_words
from sfumato.io.missing import EVERY_COLUMN, codes_for, without_codes
from sfumato.io.readings import Expected, TextReading
from sfumato.io.written_dates import BETWEEN_FORMS, EXCEL

#: Rows per batch: few enough that a batch of plain text is small compared with the table.
BATCH_ROWS = 250_000


@dataclass(frozen=True)
class FileOptions:
    """How to read a file, where the file itself does not say; see `open_source` for each option."""

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    layout: str | None = None
    decimal: str | None = None
    dates: Mapping[str, str] | str | None = None
    skip: int | None = None


def date_forms(owner: str, name: str, given: object) -> dict[str, str]:
    """Normalize the forms of dates: by column, where ``"*"`` stands for all columns.

    >>> date_forms("anonymize", "dates", "%d.%m.%Y"), date_forms("anonymize", "dates", {"born": "excel"})
    ({'*': '%d.%m.%Y'}, {'born': 'excel'})
    """
    forms = given if isinstance(given, Mapping) else {EVERY_COLUMN: given}
    for column, form in forms.items():
        several = form.split(BETWEEN_FORMS) if isinstance(form, str) else []
        known = form == "no" or (several and all("%" in one or one == EXCEL for one in several))
        if not isinstance(column, str) or not known:
            raise invalid_parameter(
                owner,
                name,
                "a form such as '%d.%m.%Y', '%d.%m.%Y|%Y-%m-%d', 'excel' or 'no', or such forms by column",
                form,
            )
    return dict(forms)


def decimal_sign(owner: str, name: str, given: object) -> str:
    """Check the sign between a number and its fraction."""
    if given not in {".", ","}:
        raise invalid_parameter(owner, name, "'.' or ','", given)
    return str(given)


class Remark(NamedTuple):
    """What a reader had to guess or leave out, and how grave it is; never contains a value of the table."""

    columns: tuple[str, ...]
    found: str
    advice: str
    severity: str = "note"

    def __str__(self) -> str:
        return f"{self.found} {self.advice}"


class TableSize(NamedTuple):
    """About how large a table is, estimated without reading it.

    Attributes
    ----------
    rows
        The number of rows.
    text_bytes
        The bytes of text with few repetitions, which dictionary encoding does not make smaller.
    """

    rows: int
    text_bytes: int


class Source(ABC):
    """A table that can be read column by column, and turned back into the caller's kind of frame.

    Attributes
    ----------
    columns
        The names of all columns, in table order: unique, never empty.
    kind
        Where the table comes from: ``"pandas"``, ``"polars"``, ``"pyarrow"``, ``"csv"``, ``"parquet"``, ...
    labels
        What a file says that its columns hold, in words; few formats do.
    value_labels
        What a file says that the codes in its columns mean.
    options
        How the caller says that the table is to be read.
    """

    columns: tuple[str, ...]
    kind: str
    labels: Mapping[str, str] = MappingProxyType({})
    value_labels: Mapping[str, Mapping[Any, str]] = MappingProxyType({})
    options = FileOptions()

    #: Whether text of digits becomes a number, and whether text becomes anything else at all.
    _digits_count = True
    _reads_words = False
    #: The decimal sign that most of the file shows.
    _decimal: str | None = None
    _said: tuple[Remark, ...] = ()

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What was guessed or left out."""
        return (*self._said, *_remarks_on(self._readings))

    @property
    def _readings(self) -> dict[str, TextReading]:
        """How the columns that were read are written, as far as the user should know."""
        found: dict[str, TextReading] = vars(self).setdefault("readings", {})
        return found

    def expected(self, name: str) -> Expected:
        """What is known about a column of text before it is read."""
        forms = date_forms("open_source", "dates", self.options.dates) if self.options.dates else {}

        def tell(reading: TextReading) -> None:
            if reading.said:
                self._readings[name] = reading

        return Expected(
            name,
            self._digits_count,
            self.options.decimal,
            self._decimal,
            forms.get(name, forms.get(EVERY_COLUMN)),
            name in forms,
            tell,
        )

    def stored(self) -> Self:
        """The same source, whose text stays text, as an outsider compares it."""
        same = copy(self)
        same._reads_words = False
        return same

    def read(
        self,
        columns: Sequence[str],
        as_text: Collection[str] = (),
        tell: Tell = silent,
        na: Mapping[str, Collection[str]] | None = None,
    ) -> pa.Table:
        """Read these columns, in this order, and only these; the input stays as it is.

        Parameters
        ----------
        columns
            Names out of :attr:`columns`.
        as_text
            Those to read as text even if they look like numbers, so that 02139 keeps its zero.
        tell
            Called with the share that is read, where that is known or can be estimated.
        na
            The texts that mean "no value", by column; ``"*"`` stands for all columns.

        Returns
        -------
        pyarrow.Table
            Text is ``string`` (``large_string`` beyond 2 GB) or a dictionary of it with int32 indices, one
            dictionary for all chunks, free of nulls, duplicates and unused values. All else is plain.
        """
        self._require(columns)
        self._require(as_text)
        if not columns:
            return pa.table({})
        table = self._read(columns, frozenset(as_text), tell)
        self.check_unchanged()
        names = table.column_names
        cleaned = [
            self._cleaned(name, column, codes_for(name, na) if na else (), name in as_text)
            for name, column in zip(names, table.columns, strict=True)
        ]
        return pa.table(cleaned, names, metadata=table.schema.metadata)

    def _cleaned(self, name: str, column: pa.ChunkedArray, codes: Collection[str], as_text: bool) -> pa.ChunkedArray:
        """Make codes missing, and find dates and numbers in the text of frames."""
        expected = self.expected(name)
        if codes:
            column = without_codes(column, codes, as_text, expected)
        return inferred_words(column, expected) if self._reads_words and not as_text else column

    @abstractmethod
    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        """Read columns that are known to exist."""

    @property
    def loaded(self) -> bool:
        """Whether the rows are in memory already, so that processing them in memory takes little more."""
        return False

    @property
    def parquet_files(self) -> tuple[Path, ...]:
        """The Parquet files, if the table consists of Parquet files and nothing else."""
        return ()

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        """The types of columns in `batches`; null (text in `batches`) for columns without values."""
        return _plain_schema(self.read(columns, as_text, na=na))

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Read these columns in batches, with plain text; for tables that do not fit in memory.

        A source that cannot do that reads the whole table first.
        """
        table = self.read(columns, as_text, na=na)
        yield from table.cast(_plain_schema(table)).to_batches(BATCH_ROWS)

    def check_unchanged(self) -> None:
        """Refuse a source that changed since it was opened: mixed rows give a table that never existed."""
        return

    def extent(self, columns: Sequence[str]) -> TableSize | None:
        """Estimate the size of these columns without reading them; None if that is impossible."""
        return None

    @abstractmethod
    def to_native(self, table: pa.Table) -> object:
        """Convert a table to the kind of frame of the input; a file or a relation gives a ``pyarrow.Table``."""

    def remark(self, found: str, advice: str, *columns: str, severity: str = "note") -> None:
        """Add a remark; the same remark is kept once, however often the table is read."""
        said = Remark(columns, found, advice, severity)
        if said not in self._said:
            self._said = (*self._said, said)

    def place(self, row: int) -> str:
        """Say where in the source a row, counted from 0, can be found."""
        return f"row {row + 1:,}"

    def _unknown(self, names: Collection[str]) -> list[str]:
        known = frozenset(self.columns)
        return [name for name in names if name not in known]

    def check_names(self, names: Collection[str]) -> None:
        """Refuse names that the table does not have if its header seems to be missing; its first row is not shown."""
        unknown = self._unknown(names)
        if unknown and HEADLESS in {remark.found for remark in self.remarks}:
            raise SchemaError(
                f"The table has no column {listed(unknown)}, since its header seems to be missing: the first row looks "
                "like values, not like names. Add a line with the names of the columns at the top."
            )

    def _require(self, names: Collection[str]) -> None:
        self.check_names(names)
        if unknown := self._unknown(names):
            raise SchemaError(no_column(unknown, self.columns))


def _remarks_on(readings: Mapping[str, TextReading]) -> Iterator[Remark]:
    """Say how columns are written, those that are written alike in one sentence."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for name in sorted(readings):
        one = readings[name]
        alike.setdefault((one.said, one.doubt, one.advice), []).append(name)
    for (said, doubt, advice), names in alike.items():
        held, column = ("holds", "column") if len(names) == 1 else ("hold", "columns")
        aloud = f", but {doubt}" if doubt else ""
        yield Remark(
            tuple(names),
            f"The {column} {listed(names)} {held} {said}{aloud}.",
            advice.replace("COLUMN", names[0]),
            "warning" if doubt else "note",
        )


def without_nulls(kinds: pa.Schema) -> pa.Schema:
    """Replace null types by text."""
    return pa.schema([(one.name, pa.string() if pa.types.is_null(one.type) else one.type) for one in kinds])


def _plain_schema(table: pa.Table) -> pa.Schema:
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in table.schema.types]
    return pa.schema(list(zip(table.column_names, kinds, strict=True)))


class Openable(ABC):
    """An object that can be opened as a source, such as a table in a database."""

    @abstractmethod
    def open(self) -> Source:
        """Open it for reading."""


def gathered(columns: Sequence[str], read: Callable[[str], pa.ChunkedArray], tell: Tell) -> pa.Table:
    """Read a table column by column."""
    table = {}
    for done, name in enumerate(columns, start=1):
        table[name] = read(name)
        tell(done / len(columns))
    return pa.table(table)


def checked_names(names: Iterable[object]) -> tuple[str, ...]:
    """Check that column names are texts, unique and not empty."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            kind = type(name).__name__
            raise SchemaError(f"Column {position} has a name of type {kind}. Rename it: names must be text.")
        if not name:
            raise SchemaError(f"Column {position} has no name. Give every column a name, or remove the column.")
        if name in seen:
            raise SchemaError(
                f"Columns {seen[name]} and {position} are both named '{name}'. Rename or remove one of them."
            )
        seen[name] = position
    if not seen:
        raise SchemaError("The table has no columns.")
    return tuple(seen)
