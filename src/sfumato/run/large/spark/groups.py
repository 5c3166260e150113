"""What is in a frame of Spark, as the verifier asks for it: counted and judged by the executors."""

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

#: About how many rows the classes have that an executor looks at together.
PIECE_ROWS = 1 << 19

#: The column that says with which others a class is looked at.
PIECE = "piece"

#: What spreads numbers evenly, by its high bits.
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
    """Rows on a cluster as the verifier asks for them."""

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
        """Count on every executor what it has, bring classes together, and let executors look at them.

        What comes to the driver is what they have seen. A class that very many rows share is counted where these rows
        are before it is sent anywhere.
        """
        pieces = max(1, -(-int(keys.columns[0].counts.sum()) // PIECE_ROWS))
        count = CountInPieces(CountClasses(keys, column), pieces)
        yield from self._rows.mapped(count, count.schema).by_part(PIECE, LookAt(look, pieces), NOTHING).told()


@dataclass(frozen=True)
class CountInPieces:
    """Counts the classes of a batch, and says of each in which piece all of its counts come together."""

    count: CountClasses
    pieces: int

    @property
    def reads(self) -> list[str]:
        """The columns that it looks at."""
        return self.count.reads

    @property
    def schema(self) -> pa.Schema:
        """The columns of the entries that it makes."""
        return self.count.schema.append(pa.field(PIECE, pa.uint32()))

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the entries of a batch."""
        entries = self.count(batch)
        numbers = (entries.column(name).to_numpy().astype(np.uint64) for name in self.count.keys.names)
        mixed = reduce(lambda mix, number: (mix ^ number) * _GOLDEN, numbers, np.uint64(0))
        pieces = ((mixed >> np.uint64(32)) % np.uint64(self.pieces)).astype(np.uint32)
        return pa.RecordBatch.from_arrays([*entries.columns, pa.array(pieces)], schema=self.schema)


@dataclass(frozen=True)
class LookAt:
    """Shows all classes of a piece to a function of the verifier."""

    look: Callable[[Iterable[pa.RecordBatch]], object]
    parts: int

    def __call__(self, piece: int, entries: pa.Table) -> Finished:
        """Tell what the function has seen in entries, which come in order."""
        return Finished(NOTHING.empty_table(), self.look(entries.drop_columns([PIECE]).to_batches()))
