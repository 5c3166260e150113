"""Top-down methods such as strict Mondrian on an engine: their first cuts are chosen from counts.

Where such a method cuts a part depends only on how many of its rows have each code, and with it each sensitive value.
So the engine counts, the method chooses, and it finishes in memory the parts that fit there. Mondrian's classes are
exactly those of a run in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.methods.on_engine import CodeCounts, MedianCut, PartsByFirstCuts
from sfumato.privacy import Requirements
from sfumato.run.large.coded_table import CodedTable, carried_name, coded_name
from sfumato.run.large.engine import Rows

#: The counts of one batch: how often each cell occurs in it.
TALLY = pa.schema([pa.field("cell", pa.int64()), pa.field("count", pa.int64())])


@dataclass(frozen=True)
class PartCut:
    """Rows with smaller codes of an attribute go to one part, all others to another."""

    attribute: int
    code: int
    below: int
    above: int


@dataclass(frozen=True)
class PartCuts:
    """Cuts by the number of the part that they divide; parts that no cut divides are final."""

    cuts: dict[int, PartCut] = field(default_factory=dict)

    def parts(self, batch: pa.RecordBatch) -> NDArray[np.int64]:
        """The part of every row."""
        found = np.zeros(batch.num_rows, np.int64)
        waiting = [(0, np.arange(batch.num_rows))] if 0 in self.cuts else []
        while waiting:
            part, rows = waiting.pop()
            cut = self.cuts[part]
            below = batch.column(coded_name(cut.attribute)).to_numpy()[rows] < cut.code
            for side, own in ((cut.below, rows[below]), (cut.above, rows[~below])):
                if side in self.cuts:
                    waiting.append((side, own))
                else:
                    found[own] = side
        return found

    def numbered(self) -> dict[int, int]:
        """Number the final parts from 0."""
        ends = {side for cut in self.cuts.values() for side in (cut.below, cut.above)} - set(self.cuts) or {0}
        return {part: number for number, part in enumerate(sorted(ends))}


@dataclass(frozen=True)
class PartByCuts:
    """Finds the part of each row."""

    tree: PartCuts
    schema: pa.Schema = field(repr=False)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Add the parts to a batch."""
        numbers = self.tree.numbered()
        place = np.zeros(max(numbers) + 1, np.uint32)
        place[list(numbers)] = list(numbers.values())
        columns = [batch.column(name) for name in self.schema.names[:-1]]
        parts = pa.array(place[self.tree.parts(batch)])
        return pa.RecordBatch.from_arrays([*columns, parts], schema=self.schema)


@dataclass(frozen=True)
class Tally:
    """Counts a batch: for each part that may be cut, how often each code occurs with each sensitive value."""

    table: CodedTable
    tree: PartCuts
    open: tuple[int, ...]
    counts_values: bool

    @property
    def sizes(self) -> list[int]:
        """The number of values of each sensitive column; ``[1]`` where no model looks at any."""
        columns = [self.table.carried[at].values for at in self.table.sensitive] if self.counts_values else []
        return [len(values) for values in columns if values is not None] or [1]

    @property
    def begins(self) -> NDArray[np.int64]:
        """Where the cells of each attribute begin, and where those of the last one end."""
        return np.cumsum([0, *(domain.size * sum(self.sizes) for domain in self.table.domains)])

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Count the cells that occur in a batch."""
        parts = self.tree.parts(batch)
        place = np.full(max([*self.open, int(parts.max(initial=0))]) + 1, -1)
        place[list(self.open)] = np.arange(len(self.open))
        number = place[parts]
        rows = np.flatnonzero(number >= 0)
        cells = np.concatenate([np.empty(0, np.int64), *self._cells(batch, rows, number[rows])])
        found, counts = np.unique(cells, return_counts=True)
        return pa.RecordBatch.from_arrays([pa.array(found), pa.array(counts)], schema=TALLY)

    def _cells(
        self, batch: pa.RecordBatch, rows: NDArray[np.intp], number: NDArray[np.int64]
    ) -> Iterator[NDArray[np.int64]]:
        begins, values = self.begins, np.cumsum([0, *self.sizes])
        for at in range(len(self.table.domains)):
            codes = batch.column(coded_name(at)).to_numpy()[rows].astype(np.int64)
            base = number * begins[-1] + begins[at] + codes * values[-1]
            if not self.counts_values:
                yield base
                continue
            for column, carried in enumerate(self.table.sensitive):
                own = batch.column(carried_name(carried)).to_numpy()[rows].astype(np.int64)
                yield base + values[column] + own


def tallied(rows: Rows, tally: Tally) -> NDArray[np.int64]:
    """Count all cells of all open parts; one row per part."""
    width = int(tally.begins[-1])
    total = np.zeros(len(tally.open) * width, np.int64)
    for batch in rows.mapped(tally, TALLY).batches():
        total[batch.column(0).to_numpy()] += batch.column(1).to_numpy()
    return total.reshape(len(tally.open), width)


def first_cuts(
    rows: Rows, table: CodedTable, support: PartsByFirstCuts, requirements: Requirements, most: int
) -> tuple[PartCuts, list[int]]:
    """Cut the table until each part has at most ``most`` rows or cannot be cut; return the cuts and all sizes."""
    tree = PartCuts()
    waiting: tuple[int, ...] = (0,) if table.rows > most else ()
    sizes = {0: table.rows}
    while waiting:
        tally = Tally(table, tree, waiting, requirements.sensitive_codes.shape[1] > 0)
        cuts = dict(tree.cuts)
        for part, cells in zip(waiting, tallied(rows, tally), strict=True):
            counts = CodeCounts(cells, tally.begins, tally.sizes)
            cut = support.cut(counts, requirements)
            if cut is not None:
                _check_cut(cut, counts)
                side = 2 * len(cuts) + 1
                cuts[part] = PartCut(cut.attribute, cut.code, side, side + 1)
                sizes |= {side: cut.below, side + 1: sizes[part] - cut.below}
        fresh = [side for part in waiting if part in cuts for side in (cuts[part].below, cuts[part].above)]
        tree, waiting = PartCuts(cuts), tuple(side for side in fresh if sizes[side] > most)
    return tree, [sizes[part] for part in tree.numbered()]


def _check_cut(cut: MedianCut, counts: CodeCounts) -> None:
    """Refuse a cut that leaves one side empty, so that cutting would never end, or whose count is wrong."""
    below = int(counts.of(cut.attribute)[: cut.code].sum()) // len(counts.values)
    if not 0 < below < counts.rows or below != cut.below:
        raise VerificationError(
            f"A first cut leaves {below:,} of {counts.rows:,} rows below code {cut.code}, and the method said "
            f"{cut.below:,}. Both sides need rows. This is a fault of the method, please report it."
        )
