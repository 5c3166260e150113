"""The boxes that classes show: which people fit them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies.reading import ReleaseReading, ShownColumn


def fits_cell(column: ShownColumn, cell: int, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Decide which values a cell may stand for."""
    inside = np.zeros(len(codes), bool)
    for first, last in zip(column.first[cell].tolist(), column.last[cell].tolist(), strict=True):
        inside |= (codes >= first) & (codes <= last)
    return inside


def people_who_fit(reading: ReleaseReading, number: int, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """List the people of the original, or some of them, who fit what a class shows."""
    left = np.arange(reading.people) if rows is None else rows
    for column in reading.columns:
        left = left[fits_cell(column, int(reading.shown_cells(column)[number]), column.original[left])]
    return left
