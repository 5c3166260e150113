"""Who may be in which class, by comparing everybody with every class: slow and obvious."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from sfumato.hierarchies.reading import ReleaseReading, ShownColumn


def distances(column: ShownColumn, codes: np.ndarray, shifts: np.ndarray | None = None) -> np.ndarray:
    """The distance of every value (row) from every cell (column): 0 inside, 1 across the whole scale."""
    apart = np.where(column.covers(codes), 0.0, 1.0)
    numbers = column.numbers
    if numbers is None or not len(numbers):
        return apart
    known = codes < len(numbers)
    at = numbers[codes[known]] + (0.0 if shifts is None else shifts[known])
    gaps = np.maximum(np.maximum(column.low - at[:, None], at[:, None] - column.high), 0.0)
    reach = float(np.ptp(numbers)) or 1.0
    apart[known] = np.minimum(np.where(column.low > column.high, 1.0, gaps / reach), 1.0)
    return apart


def apart(reading: ReleaseReading, rows: np.ndarray, knows=None, shifts=None) -> np.ndarray:
    """The distance of every person (row) from every class (column)."""
    total = np.zeros((len(rows), len(reading.classes)))
    for column in reading.columns:
        if knows is None or column.name in knows:
            moved = None if shifts is None else shifts.get(column.name)
            total += distances(column, column.original[rows], moved)[:, reading.shown_cells(column)]
    return total


def matches(reading: ReleaseReading, rows: np.ndarray, knows=None) -> np.ndarray:
    """Whether every person (row) may be in every class (column)."""
    possible = np.ones((len(rows), len(reading.classes)), bool)
    for column in reading.columns:
        if knows is None or column.name in knows:
            possible &= column.covers(column.original[rows])[:, reading.shown_cells(column)]
    return possible


def nearest(reading: ReleaseReading, rows: np.ndarray, knows=None, shifts=None) -> np.ndarray:
    """Whether every class (column) is among the nearest to every person (row)."""
    far = apart(reading, rows, knows, shifts)
    return far <= far.min(axis=1, keepdims=True) + 1e-12


def true_classes(reading: ReleaseReading, secrets) -> list[int]:
    """Assign people to classes one by one, those with the fewest possible classes first."""
    rows = np.arange(reading.people)
    possible = (nearest if reading.centres else matches)(reading, rows)
    free: dict[tuple, int] = defaultdict(int)
    for at, number in enumerate(reading.classes.of_row.tolist()):
        free[number, tuple(int(of_row[at]) for _, of_row in secrets)] += 1
    chosen = [-1] * len(rows)
    for row in np.argsort(possible.sum(axis=1), kind="stable").tolist():
        mine = tuple(int(of_person[row]) for of_person, _ in secrets)
        for number in np.flatnonzero(possible[row]).tolist():
            if free[number, mine] > 0:
                free[number, mine] -= 1
                chosen[row] = number
                break
    return chosen
