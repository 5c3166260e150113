"""Drawing a table from a release, for tools that cannot read intervals."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.queries.categories import CategoryColumn
from sfumato.assess.queries.columns import Column, ScaleColumn

MICROSECONDS_PER_DAY = 86_400_000_000


def drawn(column: Column, random: np.random.Generator) -> pa.Array:
    """Draw a value for every row, each value behind its cell as likely as any other; missing where the cell is."""
    if isinstance(column, ScaleColumn):
        return _on_scale(column, random)
    assert isinstance(column, CategoryColumn)
    return _of_categories(column, random)


def _on_scale(column: ScaleColumn, random: np.random.Generator) -> pa.Array:
    low, high = (end[column.cells] for end in column.ends)
    known = np.isfinite(low) & np.isfinite(high) & (low <= high)
    low, high = np.where(known, low, 0.0), np.where(known, high, 0.0)
    shares = random.random(len(low))
    at = low + (np.floor(shares * (high - low + 1)) if column.whole else shares * (high - low))
    if column.order is not None:
        places = at.astype(np.int64)
        names = pa.array([str(value) for value in column.order])
        return names.take(pa.array(np.clip(places, 0, len(names) - 1), mask=~known))
    if column.kind is None:
        return pa.array(at.astype(np.int64) if column.whole else at, mask=~known)
    ticks: NDArray[np.int64] = np.rint(at * MICROSECONDS_PER_DAY).astype(np.int64)
    moments = pa.array(ticks, pa.timestamp("us", getattr(column.kind, "tz", None)), mask=~known)
    return moments.cast(column.kind, safe=False)


def _of_categories(column: CategoryColumn, random: np.random.Generator) -> pa.Array:
    choices = [sorted(column.hidden(label)) if label is not None else [] for label in column.labels]
    counts = np.array([len(values) for values in choices], np.int64)
    begins = np.cumsum(np.append(0, counts))[:-1]
    picked = begins[column.cells] + np.floor(random.random(len(column.cells)) * counts[column.cells]).astype(np.int64)
    values = pa.array([value for part in choices for value in part], pa.string())
    return values.take(pa.array(picked, mask=counts[column.cells] == 0))
