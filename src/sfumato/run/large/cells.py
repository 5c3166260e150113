"""Numbers and times with too many distinct values to keep: grouped into cells (ranges) that the engine counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.hierarchies import Dates, Domain, Hierarchy, ScaledDomain
from sfumato.hierarchies.calendar import TICKS_PER_DAY
from sfumato.hierarchies.cell_domain import in_cells, in_type, moment_width, round_borders, split_borders
from sfumato.hierarchies.numeric import finite_numbers
from sfumato.io.columns import decoded, tidy
from sfumato.io.missing import without_codes
from sfumato.io.source import Remark
from sfumato.run.large.coded_table import Codes, as_numbers, changed
from sfumato.run.large.engine import Rows, counted, group_counts
from sfumato.table.encoding import fit

#: The most cells of a column.
MOST_CELLS = 1 << 17

#: A cell with more than this many times the average rows is cut into finer ones; and the most rounds of cutting.
CROWDED, ROUNDS = 10, 3

#: The least and the greatest value.
Pair = tuple[pa.Scalar, pa.Scalar]


def can_have_cells(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers or times that can be grouped into ranges."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_timestamp(kind))


@dataclass(frozen=True)
class Reading:
    """How a column of numbers is read.

    Attributes
    ----------
    name, kind
        Its name and type.
    codes
        The numbers that mean "no value".
    """

    name: str
    kind: pa.DataType
    codes: frozenset[str] = frozenset()

    @property
    def number(self) -> pa.DataType:
        """The type of its numbers; times are counted in the ticks of their type."""
        return pa.int64() if pa.types.is_timestamp(self.kind) else self.kind

    def __call__(self, column: pa.Array) -> pa.Array:
        """Convert a column to numbers; whatever is no number becomes missing."""
        plain = decoded(tidy(self.name, pa.chunked_array([column])))
        numbers = without_codes(plain, self.codes, as_text=False).cast(self.kind).combine_chunks()
        if pa.types.is_floating(self.kind):
            return pc.if_else(pc.is_nan(numbers), pa.scalar(None, self.kind), numbers)
        return numbers.view(self.number)

    def borders(self, least: pa.Scalar, greatest: pa.Scalar, most: int, width: float | None) -> list[Fraction]:
        """The borders of cells from the least to the greatest value, of the declared width if that fits."""
        if pa.types.is_timestamp(self.kind):
            per_second = TICKS_PER_DAY[self.kind.unit] // 86_400
            width = moment_width(least.as_py(), greatest.as_py(), most, per_second)
        return round_borders(least, greatest, most, width)


@dataclass(frozen=True)
class Extremes:
    """Finds the least and the greatest value of each of several columns in a batch."""

    columns: tuple[Reading, ...]

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return tuple(one.name for one in self.columns)

    @property
    def schema(self) -> pa.Schema:
        """Two columns for each."""
        return pa.schema([(f"{end}{at}", one.number) for at, one in enumerate(self.columns) for end in ("min", "max")])

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The extremes of a batch, as one row."""
        found = [pc.min_max(one(batch.column(one.name))) for one in self.columns]
        ends = [pa.array([one[end].as_py()], one[end].type) for one in found for end in ("min", "max")]
        return pa.RecordBatch.from_arrays(ends, schema=self.schema)

    def of(self, rows: Rows) -> list[Pair]:
        """Combine the extremes of all batches."""
        found = pa.Table.from_batches(list(rows.mapped(self, self.schema).batches()), self.schema)
        pairs = []
        for at, column in enumerate(self.columns):
            least, greatest = pc.min(found.column(f"min{at}")), pc.max(found.column(f"max{at}"))
            finite_numbers(column.name, pa.array([least.as_py(), greatest.as_py()], column.number))
            pairs.append((least, greatest))
        return pairs


@dataclass(frozen=True)
class Cells:
    """Finds the cell of every value of a column.

    Attributes
    ----------
    reading
        How the column is read.
    begins
        Where cells begin.
    least, greatest
        The least and the greatest value of the table.
    """

    reading: Reading
    begins: NDArray[np.generic] = field(repr=False)
    least: pa.Scalar
    greatest: pa.Scalar

    @classmethod
    def between(cls, reading: Reading, ends: Pair, borders: Sequence[Fraction]) -> Cells:
        """The cells between borders that enclose all values of the table."""
        return cls(reading, as_numbers(in_type(borders[:-1], reading.number)), *ends)

    @property
    def reads(self) -> tuple[str]:
        """The column that it reads."""
        return (self.reading.name,)

    @property
    def schema(self) -> pa.Schema:
        """The number of a cell."""
        return pa.schema([(self.reading.name, pa.int32())])

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Find the cell of every row."""
        places = self.places(batch.column(self.reading.name)).astype(np.int32)
        return pa.RecordBatch.from_arrays([pa.array(places)], schema=self.schema)

    def places(self, column: pa.Array) -> NDArray[np.intp]:
        """The cell number of each value; missing values come after the last cell."""
        numbers = self.reading(column)
        present = numbers.is_valid().to_numpy(zero_copy_only=False)
        filled = as_numbers(numbers.fill_null(self.least))
        least, greatest = self._ends
        if len(filled) and (filled.min() < least or filled.max() > greatest):
            raise changed(self.reading.name)
        return np.where(present, np.searchsorted(self.begins, filled, side="right") - 1, len(self.begins))

    @cached_property
    def _ends(self) -> tuple[np.generic, np.generic]:
        least, greatest = as_numbers(pa.array([self.least.as_py(), self.greatest.as_py()], self.reading.number))
        return least, greatest

    def count(self, rows: Rows) -> NDArray[np.int64]:
        """Count the rows in each cell; the last count is of missing values."""
        groups = counted(rows.mapped(self, self.schema), [self.reading.name])
        found = np.zeros(len(self.begins) + 1, np.int64)
        found[groups.column(self.reading.name).to_numpy()] = group_counts(groups)
        return found


@dataclass(frozen=True)
class CellBook:
    """The cells of a column and the code of each, -1 for empty cells; the last code is for missing values."""

    cells: Cells
    codes: NDArray[np.int64] = field(repr=False)

    @property
    def name(self) -> str:
        """The column."""
        return self.cells.reading.name

    def encode(self, column: pa.Array) -> Codes:
        """The code of every value's cell."""
        codes = self.codes[self.cells.places(column)]
        if codes.min(initial=0) < 0:
            raise changed(self.name)
        return codes


@dataclass(frozen=True)
class CellCounts:
    """The cells of a column that have rows.

    Attributes
    ----------
    cells, occupied
        All cells, and the numbers of those that have rows.
    low, after
        Where each of these begins, and where it ends.
    counts
        How many rows each has; the last count is of missing values.
    """

    cells: Cells
    occupied: NDArray[np.intp] = field(repr=False)
    low: list[Fraction] = field(repr=False)
    after: list[Fraction] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, rows: Rows, reading: Reading, ends: Pair, borders: Sequence[Fraction], most: int) -> CellCounts:
        """Count the rows of cells, and divide crowded cells as long as there is room."""
        cells = Cells.between(reading, ends, borders)
        counts = cells.count(rows)
        for _ in range(ROUNDS):
            finer = _cut(borders, counts[:-1], most, reading.number)
            if finer is None:
                break
            borders, cells = finer, Cells.between(reading, ends, finer)
            counts = cells.count(rows)
        occupied = np.flatnonzero(counts[:-1])
        low, after = ([borders[at + side] for at in occupied.tolist()] for side in (0, 1))
        return cls(cells, occupied, low, after, np.append(counts[occupied], counts[-1]))

    @property
    def known(self) -> pa.Array:
        """One value of every cell."""
        return in_type(self.low, self.cells.reading.number).cast(self.cells.reading.kind)

    @property
    def missing(self) -> int:
        """How many rows lack a value, or have a code for "no value"."""
        return int(self.counts[-1])

    def fitted(self, name: str, hierarchy: Hierarchy | None) -> tuple[Domain, NDArray[np.unsignedinteger]]:
        """Fit a domain of cells, with the code of each occupied cell; the last code is for missing values.

        Cells of times are shown as they are: a day would have to hold whole cells.
        """
        if hierarchy is None and pa.types.is_timestamp(self.known.type):
            hierarchy = Dates()
        domain, code_of = fit(name, hierarchy, self.known, self.missing > 0)
        return in_cells(domain, self.low, self.after), code_of

    def book(self, name: str, code_of: Codes, as_text: bool = False) -> CellBook:
        """The code book of the column, which is never text."""
        codes = np.full(len(self.cells.begins) + 1, -1)
        codes[self.occupied], codes[-1] = code_of[:-1], code_of[-1]
        return CellBook(self.cells, codes)

    def code_counts(self, code_of: Codes, size: int) -> NDArray[np.int64]:
        """Count the rows with each code."""
        return np.bincount(code_of, self.counts, minlength=size).astype(np.int64)[:size]


def _cut(
    borders: Sequence[Fraction], counts: NDArray[np.int64], most: int, kind: pa.DataType
) -> Sequence[Fraction] | None:
    """Cut crowded cells into finer ones and return all borders; None where no cell can be cut."""
    occupied = np.flatnonzero(counts)
    # Neighbouring empty cells are merged, which makes room.
    places = np.union1d(occupied, occupied + 1)
    room = most - len(places)
    crowded = np.flatnonzero(counts > CROWDED * counts.sum() / most)
    crowded = crowded[np.argsort(-counts[crowded], kind="stable")][: max(0, room // 10)]
    kept = [borders[at] for at in places.tolist()]
    finer = split_borders(kept, np.searchsorted(places, crowded).tolist(), room, kind)
    return finer if len(finer) > len(kept) else None


def count_cells(
    rows: Rows, hierarchies: Mapping[str, Hierarchy | None], codes: Mapping[str, frozenset[str]], most: int
) -> dict[str, CellCounts]:
    """Group the values of some columns into cells with round borders, finer where rows are dense.

    Parameters
    ----------
    rows
        The table.
    hierarchies
        The hierarchy declared for each of these columns.
    codes
        The texts that mean "no value" in each.
    most
        How many cells a column may have.
    """
    if not hierarchies:
        return {}
    most = min(most, MOST_CELLS)
    readings = [Reading(name, _read_as(rows.schema.field(name)), codes[name]) for name in hierarchies]
    found = {}
    for reading, ends in zip(readings, Extremes(tuple(readings)).of(rows), strict=True):
        width = next(iter(getattr(hierarchies[reading.name], "widths", ())), None)
        found[reading.name] = CellCounts.of(rows, reading, ends, reading.borders(*ends, most, width), most)
    return found


def _read_as(column: pa.Field) -> pa.DataType:
    return decoded(tidy(column.name, pa.chunked_array([], column.type))).type


def remarks_on(domains: Sequence[Domain]) -> list[Remark]:
    """Remarks on columns of which only cells are known."""
    return [
        Remark(
            (domain.name,),
            f"Column '{domain.name}' has too many different values to keep them all; {len(domain.values):,} cells with "
            "round borders stand for them, and nothing finer is shown.",
            "Nothing needs to be done; more memory (memory=) tells more values apart.",
        )
        for domain in domains
        if isinstance(domain, ScaledDomain) and domain.levels[0].ends is not None
    ]
