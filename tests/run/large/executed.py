"""Functions that tests send to the executors of Spark, whose Python has to import little to find them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.run.large.engine import Finished

CODED = pa.schema([("code", pa.uint8()), ("key", pa.uint64()), ("label", pa.dictionary(pa.int32(), pa.string()))])


def as_codes(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return numbers in types that Spark does not have, some beyond those that it has."""
    ids = batch.column("id").to_numpy()
    labels = pa.DictionaryArray.from_arrays(pa.array((ids % 3).astype(np.int32)), ["a", "b", "c"])
    keys = np.uint64(2**64 - 1) - ids.astype(np.uint64)
    return pa.RecordBatch.from_arrays([pa.array((ids % 200).astype(np.uint8)), pa.array(keys), labels], schema=CODED)


def largest(part: int, rows: pa.Table) -> Finished:
    """Keep the largest keys of a part, none of part 7, and tell how many rows there were and in which order."""
    assert rows.schema == CODED
    digest = hash(tuple(rows.column("key").to_pylist()))
    return Finished(rows.slice(0, 0) if part == 7 else rows.slice(rows.num_rows - 2), (part, rows.num_rows, digest))


def complaining(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Say what the user has to know."""
    raise DataError("Column 'id' has a value that it did not have a moment ago: the table changes while it is read.")


def as_it_is(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Change nothing."""
    return batch
