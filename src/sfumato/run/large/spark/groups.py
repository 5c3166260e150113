"""Spark frames for the verifier: the executors count and judge the classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.run.large.engine import NOTHING, Finished, counted, group_counts
from sfumato.run.large.spark.rows import OnCluster
from sfumato.verify.engine_check import verify_grouped
from sfumato.verify.engine_groups import CountClasses, Grouped, Keys
from sfumato.verify.verification import Verification

#: About how many rows the classes of one piece have; an executor judges a piece at a time.
PIECE_ROWS = 1 << 19

#: The column with the piece of a class.
PIECE = "piece"

#: A multiplier whose products are spread evenly in their high bits.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

T = TypeVar("T")


def verified_by_spark(
    rows: OnCluster,
    columns: Sequence[str],
    sensitive: Sequence[str],
    promises: Sequence[Mapping[str, Any]],
) -> Verification:
    """Check rows against promises."""
    return verify_grouped(GroupsInSpark(rows), columns, sensitive, promises)


class GroupsInSpark:
    """Rows on a cluster, as the verifier needs them."""

    def __init__(self, rows: OnCluster) -> None:
        self.schema = rows.schema
        self._rows = rows

    def values(self, names: Sequence[str]) -> list[tuple[pa.ChunkedArray, NDArray[np.int64]]]:
        """Count the values of columns by GROUP BY."""
        self._rows.count_values(names)
        found = [counted(self._rows, [name]) for name in names]
        return [(groups.column(0), group_counts(groups)) for groups in found]

    def looked_at(
        self, keys: Keys, column: Grouped | None, look: Callable[[Iterable[pa.RecordBatch]], T]
    ) -> Iterator[T]:
        """Count classes on each executor, merge their counts, and judge the classes on the executors.

        Only the verdicts come to the driver. Each executor counts its own rows first, so that a class of very many
        rows is sent as a few counts.
        """
        pieces = max(1, -(-int(keys.columns[0].counts.sum()) // PIECE_ROWS))
        count = CountInPieces(CountClasses(keys, column), pieces)
        yield from self._rows.mapped(count, count.schema).by_part(PIECE, LookAt(look, pieces), NOTHING).told()


@dataclass(frozen=True)
class CountInPieces:
    """Counts the classes of a batch, and assigns each class to the piece in which its counts are merged."""

    count: CountClasses
    pieces: int

    @property
    def reads(self) -> list[str]:
        """The columns that it reads."""
        return self.count.reads

    @property
    def schema(self) -> pa.Schema:
        """The schema of the entries."""
        return self.count.schema.append(pa.field(PIECE, pa.uint32()))

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Make the entries of a batch."""
        entries = self.count(batch)
        numbers = (entries.column(name).to_numpy().astype(np.uint64) for name in self.count.keys.names)
        mixed = reduce(lambda mix, number: (mix ^ number) * _GOLDEN, numbers, np.uint64(0))
        pieces = ((mixed >> np.uint64(32)) % np.uint64(self.pieces)).astype(np.uint32)
        return pa.RecordBatch.from_arrays([*entries.columns, pa.array(pieces)], schema=self.schema)


@dataclass(frozen=True)
class LookAt:
    """Passes all classes of a piece to a function of the verifier."""

    look: Callable[[Iterable[pa.RecordBatch]], object]
    parts: int

    def __call__(self, piece: int, entries: pa.Table) -> Finished:
        """Judge sorted entries."""
        return Finished(NOTHING.empty_table(), self.look(entries.drop_columns([PIECE]).to_batches()))
