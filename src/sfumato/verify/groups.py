"""The rows of a table grouped and counted by an engine, class after class, so that only some are looked at at a time.

The engine is asked for little: the different values of a column, and how often each sensitive value occurs in each
class. The SQL is such that DuckDB and Spark run it alike: values become numbers by joins with small tables, and the
codes of all quasi-identifiers one number, or as few as hold them, which are grouped and sorted far faster than text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.verify.classes import KEY_LIMIT, Classes, Histogram, code_column
from sfumato.verify.readings import Reading

#: What queries call the table.
TABLE = "sfumato_release"


class Engine(Protocol):
    """Who holds the table, under the name `TABLE`."""

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""

    def query(self, sql: str) -> Iterable[pa.RecordBatch]:
        """Run a query, and return what comes out piece by piece, in order."""

    def load(self, name: str, table: pa.Table) -> None:
        """Put a small table beside the large one, instead of any of this name."""


@dataclass(frozen=True)
class Grouped:
    """A column whose different values are known.

    Attributes
    ----------
    name, at
        Its name, and the number of its small table with values and codes.
    expression
        What stands for it in SQL: missing where it is not a number.
    labels
        Its different values as the engine has them, perhaps with a missing one.
    values, codes
        The different values without the missing one, and the code of each label: its place in them, or the one after.
    """

    name: str
    at: int
    expression: str
    labels: pa.Array = field(repr=False)
    values: pa.Array = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)

    @property
    def size(self) -> int:
        """How many codes there can be."""
        return len(self.values) + 1

    @classmethod
    def of(cls, engine: Engine, name: str, at: int) -> Grouped:
        """Ask for the different values of a column."""
        expression = _expression(name, engine.schema.field(name).type)
        batches = list(engine.query(f"SELECT DISTINCT {expression} AS v FROM {TABLE} r"))
        column = pa.chunked_array([batch.column(0) for batch in batches] or [pa.array([], pa.string())])
        coded = code_column(name, column)
        return cls(name, at, expression, column.combine_chunks(), coded.values, coded.codes)

    def seen(self, reading: Reading) -> Grouped | None:
        """Return the column as somebody reads it; None if every value is still told from every other."""
        texts = [None if text is None else reading.seen(text) for text in self.labels.to_pylist()]
        coded = code_column(self.name, pa.chunked_array([pa.array(texts, pa.string())]))
        told_apart = len(np.unique(coded.codes)) == len(np.unique(self.codes))
        return None if told_apart else replace(self, values=coded.values, codes=coded.codes)

    def load(self, engine: Engine) -> None:
        """Give the engine the code of every value."""
        engine.load(f"sfumato_codes_{self.at}", pa.table({"v": self.labels, "c": self.codes.astype(np.int64)}))

    @property
    def join(self) -> str:
        """The SQL that finds the code of a row."""
        return f"JOIN sfumato_codes_{self.at} d{self.at} ON {self.expression} IS NOT DISTINCT FROM d{self.at}.v"


def _expression(name: str, kind: pa.DataType) -> str:
    quoted = 'r."' + name.replace('"', '""') + '"'
    if not pa.types.is_floating(kind):
        return quoted
    zero = f"CAST(0 AS {'DOUBLE' if pa.types.is_float64(kind) else 'FLOAT'})"
    return f"CASE WHEN isnan({quoted}) THEN NULL ELSE {quoted} + {zero} END"


def grouped_columns(engine: Engine, names: Sequence[str]) -> dict[str, Grouped]:
    """Ask for the different values of columns."""
    return {name: Grouped.of(engine, name, at) for at, name in enumerate(names)}


@dataclass(frozen=True)
class Keys:
    """Classes as numbers: the codes of several columns in one number, and another number where they are too many."""

    columns: Sequence[Grouped]

    def words(self) -> list[list[tuple[Grouped, int]]]:
        """Return by number the columns that it holds, each with what its code is multiplied by."""
        words: list[list[tuple[Grouped, int]]] = []
        times = 1
        for column in self.columns:
            if not words or times * column.size > KEY_LIMIT:
                words.append([])
                times = 1
            words[-1].append((column, times))
            times *= column.size
        return words

    def sql(self) -> list[str]:
        """Return the numbers in SQL."""
        return [" + ".join(f"d{column.at}.c * {times}" for column, times in word) for word in self.words()]

    def shown(self, keys: Sequence[NDArray[np.int64]]) -> pa.Table:
        """Return what classes show, one row for each."""
        columns = {}
        for word, numbers in zip(self.words(), keys, strict=True):
            for column, times in word:
                codes = numbers // times % column.size
                indices = pa.array(codes.astype(np.int32), mask=codes == len(column.values))
                columns[column.name] = pa.DictionaryArray.from_arrays(indices, column.values)
        return pa.table(columns)


@dataclass(frozen=True)
class Some:
    """Some classes, each with all of its rows: what they show, and the values of a sensitive column in them."""

    shown: pa.Table
    classes: Classes
    classes_of: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    def frequencies(self) -> dict[tuple[int, int], int]:
        """Return how many classes there are of each size in which the most frequent value has so many rows."""
        largest = np.zeros(len(self.classes), np.int64)
        np.maximum.at(largest, self.classes_of, self.counts)
        beyond = int(largest.max(initial=0)) + 1
        pairs, times = np.unique(self.classes.sizes * beyond + largest, return_counts=True)
        return {divmod(pair, beyond): count for pair, count in zip(pairs.tolist(), times.tolist(), strict=True)}

    def histogram(self, shares: NDArray[np.float64]) -> Histogram:
        """Return the counts of the sensitive values, of which these are the shares in the whole table."""
        sizes = self.classes.sizes
        return Histogram(
            self.classes_of.astype(np.int32), self.values.astype(np.int32), self.counts, sizes, shares, sizes
        )


def value_counts(engine: Engine, column: Grouped) -> NDArray[np.int64]:
    """Return how often every value of a column occurs in the table, the missing one last."""
    counts = np.zeros(column.size, np.int64)
    for batch in engine.query(
        f"SELECT d{column.at}.c AS c, COUNT(*) AS n FROM {TABLE} r {column.join} GROUP BY d{column.at}.c"
    ):
        np.add.at(counts, _numbers(batch, "c"), _numbers(batch, "n"))
    return counts


def some_classes(engine: Engine, keys: Keys, column: Grouped | None) -> Iterator[Some]:
    """Yield the classes of a table, some at a time and each once, with the counts of a sensitive column."""
    names = [f"k{at}" for at in range(len(keys.words()))]
    chosen = [f"{sql} AS {name}" for sql, name in zip(keys.sql(), names, strict=True)]
    if column is not None:
        chosen.append(f"d{column.at}.c AS s")
    joins = " ".join(one.join for one in [*keys.columns, *([column] if column is not None else [])])
    by = ", ".join([*names, *(["s"] if column is not None else [])])
    rows = f"SELECT {', '.join(chosen)} FROM {TABLE} r {joins}"
    batches = engine.query(f"SELECT {by}, COUNT(*) AS n FROM ({rows}) g GROUP BY {by} ORDER BY {by}")
    found = False
    for entries in _whole_classes(batches, names):
        found = True
        yield _some(keys, names, entries)
    if not found:
        nothing = np.empty(0, np.int64)
        yield _some(keys, names, dict.fromkeys([*names, "s", "n"], nothing))


Entries = dict[str, NDArray[np.int64]]


def _some(keys: Keys, names: Sequence[str], entries: Entries) -> Some:
    begins = np.flatnonzero(_is_new([entries[name] for name in names]))
    counts = entries["n"]
    sizes = np.add.reduceat(counts, begins) if len(begins) else np.empty(0, np.int64)
    classes = Classes(np.arange(len(begins), dtype=np.int32), sizes)
    lengths = np.diff(np.append(begins, len(counts)))
    shown = keys.shown([entries[name][begins] for name in names])
    values = entries.get("s", np.empty(0, np.int64))
    return Some(shown, classes, np.repeat(np.arange(len(begins)), lengths), values, counts)


def _whole_classes(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[Entries]:
    """Cut a stream of sorted entries where classes begin, so that none is in two pieces."""
    rest: Entries = {}
    for batch in batches:
        entries = {name: _numbers(batch, name) for name in batch.schema.names}
        entries = {name: np.concatenate([rest[name], new]) if rest else new for name, new in entries.items()}
        begins = np.flatnonzero(_is_new([entries[name] for name in names]))
        if len(begins) > 1:
            yield {name: numbers[: begins[-1]] for name, numbers in entries.items()}
        rest = {name: numbers[begins[-1] :] for name, numbers in entries.items()} if len(begins) else rest
    if rest:
        yield rest


def _is_new(keys: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Return where another class begins."""
    new = np.zeros(len(keys[0]), bool)
    new[:1] = True
    for numbers in keys:
        new[1:] |= numbers[1:] != numbers[:-1]
    return new


def _numbers(batch: pa.RecordBatch, name: str) -> NDArray[np.int64]:
    return np.asarray(batch.column(name).cast(pa.int64()))


def account_for_rows(engine: Engine, rows: int) -> None:
    """Hold the rows of all classes against those of the table."""
    (batch,) = (batch for batch in engine.query(f"SELECT COUNT(*) AS n FROM {TABLE} r") if batch.num_rows)
    there = int(_numbers(batch, "n")[0])
    if there != rows:
        raise VerificationError(
            f"{there:,} rows are there, but {rows:,} were counted in classes. This is a fault of Sfumato, please "
            "report it."
        )
