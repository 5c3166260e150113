"""Whose row is whose, for a release of which only the file is known: by what only its publisher can compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.reading import Reading

Pair = tuple[NDArray[np.int64], NDArray[np.int64]]


def true_classes(reading: Reading, secrets: Sequence[Pair]) -> NDArray[np.int64]:
    """Return a class for every person such that no class gets more people with the same secrets than it has rows.

    People with the fewest possible classes choose first. Where classes overlap, this is one way among several in which
    people can stand in the release; for those without any class left it is -1: they were left out of it.
    """
    rows = np.arange(reading.people)
    free = _free_places(reading, secrets)
    choices: list[NDArray[np.int64]] = []
    for some in reading.blocks(rows):
        apart = reading.distances(some)
        near = apart <= (apart.min(axis=1, keepdims=True) if reading.centres else 0.0) + 1e-12
        choices += np.split(np.nonzero(near)[1], np.cumsum(near.sum(axis=1))[:-1])
    chosen = np.full(len(rows), -1, np.int64)
    for row in np.argsort([len(one) for one in choices], kind="stable"):
        mine = tuple(int(of_person[row]) for of_person, _ in secrets)
        for number in choices[row].tolist():
            if free[number, mine] > 0:
                free[number, mine] -= 1
                chosen[row] = number
                break
    return chosen


def _free_places(reading: Reading, secrets: Sequence[Pair]) -> dict[tuple[int, tuple[int, ...]], int]:
    """Count the rows of every class by their sensitive values."""
    free: dict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
    columns = [of_row.tolist() for _, of_row in secrets]
    for at, number in enumerate(reading.classes.of_row.tolist()):
        free[number, tuple(column[at] for column in columns)] += 1
    return free
