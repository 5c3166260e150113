"""What is in a frame of Spark, as the verifier asks for it: counted and judged by the executors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.scale.executors import PACKED, OnBatches, OnPiece
from sfumato.scale.sessions import without_pandas_warning
from sfumato.scale.spark_frames import arrow_schema, chosen, computed, quoted, spark_types
from sfumato.verify.grouping import verify_grouped
from sfumato.verify.groups import CountClasses, Grouped, Keys
from sfumato.verify.verification import Verification

T = TypeVar("T")


def verified_by_spark(
    frame: Any,
    columns: Sequence[str],
    sensitive: Sequence[str],
    promises: Sequence[Mapping[str, Any]],
) -> Verification:
    """Check a frame against promises."""
    return verify_grouped(GroupsInSpark(frame), columns, sensitive, promises)


class GroupsInSpark:
    """A frame of Spark as the verifier asks for it."""

    def __init__(self, frame: Any) -> None:
        self.schema = arrow_schema(frame)
        self._frame = frame

    def values(self, names: Sequence[str]) -> list[tuple[pa.ChunkedArray, NDArray[np.int64]]]:
        """Count the values of columns by GROUP BY, one at a time: Spark then reads no column but this one."""
        found = [computed(self._frame.groupBy(quoted(name)).count().toArrow) for name in names]
        return [(counted.column(0), counted.column(1).to_numpy()) for counted in found]

    def looked_at(
        self, keys: Keys, column: Grouped | None, look: Callable[[Iterable[pa.RecordBatch]], T]
    ) -> Iterator[T]:
        """Count on every executor what it has, bring classes together, and let executors look at them.

        What comes to the driver is what they have seen. A class that very many rows share is counted where these rows
        are before it is sent anywhere.
        """
        count = CountClasses(keys, column)
        work = OnBatches(count, pa.schema([self.schema.field(name) for name in count.reads]), count.schema)
        with without_pandas_warning():
            entries = chosen(self._frame, count.reads).mapInArrow(work, spark_types(count.schema))
            together = entries.repartition(*keys.names).sortWithinPartitions(*count.schema.names[:-1])
            seen = together.mapInArrow(OnPiece(look), f"{PACKED} binary")
        yield from (pickle.loads(one) for one in computed(seen.toArrow).column(PACKED).to_pylist())
