from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.datasets import Dataset


def plain(column: pa.ChunkedArray) -> pa.Array:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return column.cast(kind).combine_chunks()


def distinct(dataset: Dataset, column: str) -> pa.Array:
    return pc.unique(plain(dataset.table.column(column)))


def cardinalities(dataset: Dataset) -> dict[str, int]:
    return {column: len(distinct(dataset, column)) for column in dataset.table.column_names}


def heights(dataset: Dataset) -> dict[str, int]:
    """The steps from the value to ``*`` of every column's hierarchy, fitted to the table."""
    return {
        column: len(hierarchy.fit(column, distinct(dataset, column), has_missing=False).domain.levels) - 1
        for column, hierarchy in dataset.hierarchies.items()
    }
