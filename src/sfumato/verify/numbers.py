"""t-closeness of numbers: how far the distribution in a class is from that in the whole table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.verify.classes import Histogram

#: Counts laid out at a time.
CELLS = 1 << 22


def number_distances(name: str, values: pa.Array, histogram: Histogram) -> NDArray[np.float64]:
    """The distance of every class's numbers from the table's: the area between their cumulative distributions.

    The area is divided by the range of the numbers. A missing value lies one range beyond the largest. ``values`` are
    sorted.
    """
    occurs = np.flatnonzero(histogram.shares > 0)
    places = _places(name, values)[occurs]
    reach = _range(places)
    gaps = np.diff(places) / reach
    table = np.cumsum(histogram.shares[occurs])[:-1]
    rank = np.zeros(len(histogram.shares), np.int64)
    rank[occurs] = np.arange(len(occurs))
    distances = np.zeros(len(histogram.sizes))
    step = max(1, CELLS // max(1, len(occurs)))
    for begin in range(0, len(distances), step):
        end = min(begin + step, len(distances))
        shares = _laid_out(histogram, begin, end, rank, len(occurs))
        distances[begin:end] = np.abs(np.cumsum(shares, axis=1)[:, :-1] - table) @ gaps
    return distances


def _laid_out(histogram: Histogram, begin: int, end: int, rank: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    inside = (histogram.classes >= begin) & (histogram.classes < end)
    shares = np.zeros((end - begin, width))
    shares[histogram.classes[inside] - begin, rank[histogram.values[inside]]] = histogram.class_shares[inside]
    return shares


def _places(name: str, values: pa.Array) -> NDArray[np.float64]:
    """The values as numbers, and NaN for the missing one at the end."""
    try:
        kind = values.type
        values = values.cast(pa.timestamp("us")).cast(pa.int64()) if pa.types.is_temporal(kind) else values
        numbers = values.cast(pa.float64(), safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"Column '{name}' holds values that are no numbers, so they have no distance. "
            "Use distance='ordered' or distance='equal'."
        ) from None
    return np.append(np.asarray(numbers, float), np.nan)


def _range(places: NDArray[np.float64]) -> float:
    """The range of the numbers; also puts the missing value one range beyond the largest."""
    known = places[~np.isnan(places)]
    reach = float(known[-1] - known[0]) if len(known) > 1 else 1.0
    places[np.isnan(places)] = (known[-1] if len(known) else 0.0) + reach
    return reach
