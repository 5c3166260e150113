"""Verification of a written file against the table that was verified.

The file is read back by code other than its writer. As long as equal values read as equal and different values as
different, every promise about the table holds for the file. Where a program confuses two values, the promises are
verified again for what that program reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.threads import side_by_side
from sfumato.errors import VerificationError, listed
from sfumato.verify.classes import Coded, code_column, different_dictionaries
from sfumato.verify.interpretations import INTERPRETATIONS, Interpretation, seen_through, words_for_missing
from sfumato.verify.reading import look_at_row_groups, read_written
from sfumato.verify.release import verify_release
from sfumato.verify.statistics_files import STATISTICS, read_statistics

FAULT = "This is a fault of Sfumato, please report it. Nothing was written."


@dataclass(frozen=True)
class PromisedTable:
    """A verified table and its promises."""

    table: pa.Table
    quasi_identifiers: Sequence[str]
    sensitive: Sequence[str]
    requirements: Sequence[Mapping[str, Any]]
    people: NDArray[np.int64] | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that the promises concern."""
        return [*self.quasi_identifiers, *self.sensitive]


def verify_written(path: Path, form: str, promised: PromisedTable) -> list[str]:
    """Check that a file keeps the promises of its table, for every program that reads it.

    Parameters
    ----------
    path, form
        The file, and its format: ``"csv"``, ``"tsv"``, ``"jsonl"``, ``"parquet"``, ``"arrow"``, ``"sav"``, ``"dta"``,
        ``"xlsx"`` or ``"rds"``.
    promised
        The table that was written, and its promises.

    Returns
    -------
    list of str
        What the publisher should know although nothing is wrong.
    """
    table = promised.table
    if form == "parquet" and _is_copy(path, table.select(promised.columns)):
        return []
    read = read_written(path, form, table.column_names, promised.columns)
    if read.num_rows != table.num_rows:
        raise VerificationError(
            f"{table.num_rows:,} rows were written, but {read.num_rows:,} can be read back. {FAULT}"
        )
    confused = side_by_side(lambda name: _is_merged(name, table.column(name), read.column(name)), promised.columns)
    merged = [name for name, is_so in zip(promised.columns, confused, strict=True) if is_so]
    _check_merged(promised, read, merged, None)
    for reading in INTERPRETATIONS.get(form, ()):
        seen, merged = seen_through(reading, read)
        _check_merged(promised, seen, merged, reading)
    if form in STATISTICS:
        return _renamed(table.column_names, read_statistics(path, form).column_names)
    return _notes(read) if form in INTERPRETATIONS else []


def _is_copy(path: Path, table: pa.Table) -> bool:
    """Whether a Parquet file holds a table cell by cell, in the same types.

    A row group is read, compared and forgotten, so that the file is never in memory as a whole.
    """
    rows, same = [0], [True]

    def compare(start: int, group: pa.Table) -> None:
        wanted = table.slice(start, group.num_rows)
        rows.append(group.num_rows)
        pairs = zip(wanted.columns, group.columns, strict=True)
        same.append(all(is_same(_as_read(column, read), read) for column, read in pairs))

    look_at_row_groups(path, table.column_names, compare)
    return all(same) and sum(rows) == table.num_rows


def _as_read(column: pa.ChunkedArray, read: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of text as indices into a dictionary, if that is how it was read."""
    coded = pa.types.is_dictionary(read.type) and column.type == read.type.value_type
    return column.dictionary_encode() if coded else column


def _is_merged(name: str, column: pa.ChunkedArray, written: pa.ChunkedArray) -> bool:
    """Whether two different values read as equal; an error if equal values read differently."""
    if pa.types.is_dictionary(column.type) and is_same(column, written):
        return False
    coded, read = code_column(name, column), code_column(name, written)
    read_as = np.full(coded.size, -1, np.int64)
    read_as[coded.codes] = read.codes
    if not np.array_equal(read_as[coded.codes], read.codes):
        raise VerificationError(f"Equal values of {listed([name])} were written differently. {FAULT}")
    occurring = read_as[read_as >= 0]
    return len(np.unique(occurring)) < len(occurring)


def is_same(column: pa.ChunkedArray, written: pa.ChunkedArray) -> bool:
    """Whether two columns are equal cell by cell; text is compared quickly by its indices into one dictionary."""
    if column.type != written.type or len(column) != len(written):
        return False
    if not len(column):
        return True
    if pa.types.is_floating(column.type):  # not-a-number is never equal to itself, but its bits are
        bits = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}[column.type.bit_width]
        column, written = (pa.chunked_array([c.view(bits) for c in one.chunks], bits) for one in (column, written))
    if not pa.types.is_dictionary(column.type):
        return bool(column.equals(written))
    if _is_same_text(column, written):
        return True
    chunks = [*column.chunks, *written.chunks]
    if len(different_dictionaries([chunk.dictionary for chunk in chunks])[0]) == 1:
        indices = (pa.chunked_array([chunk.indices for chunk in one.chunks]) for one in (column, written))
        return bool(next(indices).equals(next(indices)))
    common = pa.chunked_array(chunks, column.type).unify_dictionaries()
    places = [one.fill_null(-1) if one.null_count else one for one in (chunk.indices for chunk in common.chunks)]
    both = np.concatenate([np.empty(0, np.int32), *(one.to_numpy() for one in places)])
    return np.array_equal(both[: len(column)], both[len(column) :])


def _is_same_text(column: pa.ChunkedArray, written: pa.ChunkedArray) -> bool:
    """Whether every index of one column always stands beside the same index of the other, and both for one text.

    False also where that is not enough to say so: where a column has several dictionaries, or one holds a text twice.
    """
    if not all(one.num_chunks and len(_dictionaries(one)) == 1 for one in (column, written)):
        return False
    places, found = _indices(column), _indices(written)
    unseen, missing = -2, -1
    stands_for = np.full(len(written.chunk(0).dictionary) + 1, unseen, np.int64)
    stands_for[found] = places
    if stands_for[-1] not in (unseen, missing) or missing in stands_for[:-1]:
        return False
    seen = np.flatnonzero(stands_for[:-1] != unseen)
    texts = column.chunk(0).dictionary.take(pa.array(stands_for[seen]))
    return np.array_equal(stands_for[found], places) and bool(texts.equals(written.chunk(0).dictionary.take(seen)))


def _dictionaries(column: pa.ChunkedArray) -> list[pa.Array]:
    return different_dictionaries([chunk.dictionary for chunk in column.chunks])[0]


def _indices(column: pa.ChunkedArray) -> NDArray[np.integer]:
    """The indices of a column, -1 where there is none."""
    places = [chunk.indices for chunk in column.chunks]
    arrays = [(one.fill_null(-1) if one.null_count else one).to_numpy() for one in places]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _check_merged(
    promised: PromisedTable, read: pa.Table, merged: Sequence[str], reading: Interpretation | None
) -> None:
    """Verify the promises for a program to which different values of some columns are equal."""
    if not merged:
        return
    table = promised.table.select(promised.columns)
    for name in merged:
        coded = code_column(name, promised.table.column(name))
        seen = _with_values(coded, code_column(name, read.column(name)))
        table = table.set_column(table.column_names.index(name), name, seen)
    result = verify_release(
        table, promised.quasi_identifiers, promised.sensitive, promised.requirements, people=promised.people
    )
    if not result.ok:
        title = reading.title if reading is not None else "as it stands in this format"
        confuses = reading.confuses if reading is not None else "all values of these columns"
        raise VerificationError(
            f"Read {title}, the file does not tell apart {confuses} in {listed(merged)}, and then does not keep what "
            "was promised. Nothing was written. Replace such values in the table, or write Parquet.\n"
            f"{result.broken_rules()}"
        )


def _with_values(coded: Coded, read: Coded) -> pa.ChunkedArray:
    """A column with one original value for each value that is read, and missing where nothing is read."""
    value_of = np.empty(read.size, np.int64)
    value_of[read.codes] = coded.codes
    value_of[-1] = coded.size - 1
    codes = value_of[read.codes]
    return pa.chunked_array([coded.values.take(pa.array(codes, mask=codes == coded.size - 1))])


def _renamed(names: Sequence[str], written: Sequence[str]) -> list[str]:
    """A note on columns whose names the format does not allow."""
    other = [f"'{new}' instead of '{old}'" for old, new in zip(names, written, strict=True) if old != new]
    return [f"Columns have other names in the file: {', '.join(other)}."] if other else []


def _notes(read: pa.Table) -> list[str]:
    return [
        f"Column {listed([name])} holds {listed(words)}, which pandas and other programs take for a missing value. The "
        "promises hold for them too; other words would be read right by everybody."
        for name, words in words_for_missing(read).items()
    ]
