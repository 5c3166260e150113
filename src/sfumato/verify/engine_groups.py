"""The rows of a table, grouped and counted by an engine and examined some classes at a time.

The engine provides little: the distinct values of a column, and how often each sensitive value occurs in each class.
A class is identified by numbers that combine the codes of its quasi-identifiers, one number or as few as possible,
since numbers are grouped and sorted far faster than text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.verify.classes import KEY_LIMIT, Classes, Histogram, code_column, without_nan
from sfumato.verify.interpretations import Interpretation, is_text

T = TypeVar("T")


class GroupingEngine(Protocol):
    """Holds the table, and groups and counts its rows."""

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""

    def values(self, names: Sequence[str]) -> Sequence[tuple[pa.ChunkedArray, NDArray[np.int64]]]:
        """The distinct values of columns, and how often each occurs."""

    def looked_at(
        self, keys: Keys, column: Grouped | None, look: Callable[[Iterable[pa.RecordBatch]], T]
    ) -> Iterable[T]:
        """Apply a function to the classes where they are, and return its results.

        The function is called once or several times, perhaps in other processes and on other machines. Each time it
        gets entries (the numbers of a class, in ``s`` the code of a sensitive value, in ``n`` the number of rows)
        sorted by class and value, and all entries of a class together.
        """


@dataclass(frozen=True)
class Grouped:
    """A column whose distinct values are known.

    Attributes
    ----------
    name
        Its name.
    labels, counts
        Its distinct values as the engine has them, possibly with a missing one, and the number of rows of each.
    values, codes
        The distinct values without the missing one, and the code of each label: its place among them, or the one after.
    """

    name: str
    labels: pa.Array = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    values: pa.Array = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of possible codes, the missing value's included."""
        return len(self.values) + 1

    @property
    def value_counts(self) -> NDArray[np.int64]:
        """How often every value occurs in the table, the missing one last."""
        counts = np.zeros(self.size, np.int64)
        np.add.at(counts, self.codes, self.counts)
        return counts

    def seen(self, reading: Interpretation) -> Grouped | None:
        """Interpret the column; None if all of its values stay different."""
        if not is_text(self.values.type):
            return None
        texts = [None if text is None else reading.seen(text) for text in self.labels.to_pylist()]
        coded = code_column(self.name, pa.chunked_array([pa.array(texts, pa.string())]))
        told_apart = len(np.unique(coded.codes)) == len(np.unique(self.codes))
        return None if told_apart else replace(self, values=coded.values, codes=coded.codes)

    def coded(self, cells: pa.Array) -> NDArray[np.int64]:
        """The code of every cell."""
        places = pc.index_in(without_nan(cells), value_set=without_nan(self.labels))
        if places.null_count:
            raise VerificationError(
                f"Column '{self.name}' has a value that it did not have a moment ago: the table changes while it is "
                "checked. Check it again when nobody writes to it."
            )
        return self.codes[places.to_numpy()].astype(np.int64)


def grouped_columns(engine: GroupingEngine, names: Sequence[str]) -> dict[str, Grouped]:
    """Get the distinct values of columns from the engine."""
    columns = {}
    for name, (found, counts) in zip(names, engine.values(names), strict=True):
        order = _order(found)
        labels = found.take(order)
        coded = code_column(name, labels)
        columns[name] = Grouped(name, labels.combine_chunks(), counts[order.to_numpy()], coded.values, coded.codes)
    return columns


def _order(labels: pa.ChunkedArray) -> pa.Array:
    """Sort values, so that the classes that are named do not depend on the order in which threads found them."""
    plain = labels.cast(labels.type.value_type) if pa.types.is_dictionary(labels.type) else labels
    try:
        return pc.sort_indices(plain)
    except pa.ArrowNotImplementedError:
        return pc.sort_indices(plain.cast(pa.string()))


@dataclass(frozen=True)
class Keys:
    """Classes as numbers: each number combines the codes of several columns, as many as fit."""

    columns: Sequence[Grouped]

    def words(self) -> list[list[tuple[Grouped, int]]]:
        """The columns in each number, with the factors by which their codes are multiplied."""
        words: list[list[tuple[Grouped, int]]] = []
        times = 1
        for column in self.columns:
            if not words or times * column.size > KEY_LIMIT:
                words.append([])
                times = 1
            words[-1].append((column, times))
            times *= column.size
        return words

    @property
    def names(self) -> list[str]:
        """The names of the numbers."""
        return [f"k{at}" for at in range(len(self.words()))]

    def shown(self, keys: Sequence[NDArray[np.int64]]) -> pa.Table:
        """What classes show, one row per class."""
        columns = {}
        for word, numbers in zip(self.words(), keys, strict=True):
            for column, times in word:
                codes = numbers // times % column.size
                indices = pa.array(codes.astype(np.int32), mask=codes == len(column.values))
                columns[column.name] = pa.DictionaryArray.from_arrays(indices, column.values)
        return pa.table(columns)


@dataclass(frozen=True)
class Some:
    """Some complete classes: what they show, and the counts of a sensitive column's values in them."""

    shown: pa.Table
    classes: Classes
    classes_of: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    def frequencies(self) -> dict[tuple[int, int], int]:
        """The number of classes for every pair of class size and count of the most frequent value."""
        largest = np.zeros(len(self.classes), np.int64)
        np.maximum.at(largest, self.classes_of, self.counts)
        beyond = int(largest.max(initial=0)) + 1
        pairs, times = np.unique(self.classes.sizes * beyond + largest, return_counts=True)
        return {divmod(pair, beyond): count for pair, count in zip(pairs.tolist(), times.tolist(), strict=True)}

    def histogram(self, shares: NDArray[np.float64]) -> Histogram:
        """The histogram of the sensitive values, given their shares in the whole table."""
        sizes = self.classes.sizes
        return Histogram(
            self.classes_of.astype(np.int32), self.values.astype(np.int32), self.counts, sizes, shares, sizes
        )


@dataclass(frozen=True)
class CountClasses:
    """Counts the rows of a batch by class and sensitive value, for engines that hand over rows."""

    keys: Keys
    column: Grouped | None

    @property
    def reads(self) -> list[str]:
        """The columns that it reads."""
        return [column.name for column in (*self.keys.columns, *([self.column] if self.column else []))]

    @property
    def schema(self) -> pa.Schema:
        """The schema of its entries."""
        return pa.schema([(name, pa.int64()) for name in (*self.keys.names, *(["s"] if self.column else []), "n")])

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Count the entries of a batch."""
        numbers = {
            name: sum(column.coded(batch.column(column.name)) * times for column, times in word)
            for name, word in zip(self.keys.names, self.keys.words(), strict=True)
        }
        if self.column is not None:
            numbers["s"] = self.column.coded(batch.column(self.column.name))
        counted = pa.table(numbers).group_by(list(numbers), use_threads=False).aggregate([([], "count_all")])
        columns = [column.combine_chunks().cast(pa.int64()) for column in counted.columns]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


def some_classes(keys: Keys, batches: Iterable[pa.RecordBatch]) -> Iterator[Some]:
    """Yield classes from sorted entries, some at a time; without entries, yield one empty piece."""
    names, found = keys.names, False
    for entries in _whole_classes(batches, names):
        found = True
        yield _some(keys, names, entries)
    if not found:
        nothing = np.empty(0, np.int64)
        yield _some(keys, names, dict.fromkeys([*names, "s", "n"], nothing))


Entries = dict[str, NDArray[np.int64]]


def _some(keys: Keys, names: Sequence[str], entries: Entries) -> Some:
    entries = _each_once(entries)
    begins = np.flatnonzero(_is_new([entries[name] for name in names]))
    counts = entries["n"]
    sizes = np.add.reduceat(counts, begins) if len(begins) else np.empty(0, np.int64)
    classes = Classes(np.arange(len(begins), dtype=np.int32), sizes)
    lengths = np.diff(np.append(begins, len(counts)))
    shown = keys.shown([entries[name][begins] for name in names])
    values = entries.get("s", np.empty(0, np.int64))
    return Some(shown, classes, np.repeat(np.arange(len(begins)), lengths), values, counts)


def _whole_classes(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[Entries]:
    """Cut a stream of sorted entries between classes, so that no class is split."""
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


def _each_once(entries: Entries) -> Entries:
    """Join entries of the same class and value that were counted separately."""
    new = _is_new([numbers for name, numbers in entries.items() if name != "n"])
    if new.all():
        return entries
    begins = np.flatnonzero(new)
    return {
        name: np.add.reduceat(numbers, begins) if name == "n" else numbers[begins] for name, numbers in entries.items()
    }


def _is_new(keys: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Where a new class begins."""
    new = np.zeros(len(keys[0]), bool)
    new[:1] = True
    for numbers in keys:
        new[1:] |= numbers[1:] != numbers[:-1]
    return new


def _numbers(batch: pa.RecordBatch, name: str) -> NDArray[np.int64]:
    return np.asarray(batch.column(name).cast(pa.int64()))


def account_for_rows(columns: Iterable[Grouped], rows: int) -> None:
    """Compare the number of rows in all classes with the number of rows of each column."""
    for there in {int(column.counts.sum()) for column in columns} - {rows}:
        raise VerificationError(
            f"{there:,} rows are there, but {rows:,} were counted in classes. This is a fault of Sfumato, please "
            "report it."
        )
