"""The classes that a dive opens: their boxes, their rows, and how many more rows of a sensitive value fit in."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class OpenedClasses:
    """The classes that were opened: their boxes, what a row loses in them, and which rows joined.

    Attributes
    ----------
    values, share
        The sensitive value of every distinct row, and the largest share of a class that one value may have; 1 if
        values need not be mixed.
    lo, hi, penalties
        The box of every class, and what a row loses in it.
    joined
        Which distinct rows joined which class, and how many of each.
    tallies
        How many rows of every value each class holds.
    """

    values: NDArray[np.int64]
    share: float = 1.0
    lo: list[NDArray[np.int64]] = field(default_factory=list)
    hi: list[NDArray[np.int64]] = field(default_factory=list)
    penalties: list[float] = field(default_factory=list)
    joined: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=list)
    tallies: list[NDArray[np.int64]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.penalties)

    @property
    def mixed(self) -> bool:
        """Whether values must be mixed."""
        return self.share < 1

    def open(self, lo: NDArray[np.int64], hi: NDArray[np.int64], penalty: float) -> int:
        """Open a class and return its number."""
        self.lo.append(lo)
        self.hi.append(hi)
        self.penalties.append(penalty)
        self.tallies.append(np.zeros(self.values.max(initial=0) + 1, np.int64))
        return len(self) - 1

    def join(self, number: int, rows: NDArray[np.int64], times: NDArray[np.int64]) -> None:
        """Let distinct rows join a class, ``times`` of each."""
        self.joined.append((number, rows, times))
        np.add.at(self.tallies[number], self.values[rows], times)

    def sizes(self) -> NDArray[np.int64]:
        """Count the rows of every class."""
        return np.array([tally.sum() for tally in self.tallies], np.int64)

    def room(self, row: int, number: int | slice = slice(None)) -> NDArray[np.int64]:
        """Count how many rows with the sensitive value of a distinct row may join each class, or one of them."""
        tallies = np.atleast_2d(np.array(self.tallies[number]))
        if not self.mixed:
            return np.full(len(tallies), _MANY)
        spare = tallies.sum(axis=1) * self.share - tallies[:, self.values[row]]
        return np.maximum(0, spare / (1 - self.share)).astype(np.int64)

    def first_that_fit(self, rows: NDArray[np.int64], available: NDArray[np.int64], k: int) -> NDArray[np.int64] | None:
        """Count how many of each row to take, in order, to open a class of k rows, or of a few more to mix values."""
        if not self.mixed:
            times = first_of(available, k)
            return times if times.sum() == k else None
        values = self.values[rows]
        grouped = np.argsort(values, kind="stable")
        ordered = values[grouped]
        total = np.cumsum(available[grouped])
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        before = np.empty(len(rows), np.int64)
        earlier = np.append(0, total)[begins].repeat(np.diff(np.append(begins, len(rows))))
        before[grouped] = total - available[grouped] - earlier
        for size in range(k, 2 * k):
            times = first_of(np.clip(int(size * self.share) - before, 0, available), size)
            if times.sum() == size:
                return times
        return None


#: More rows than any table has.
_MANY = np.iinfo(np.int64).max


def first_of(available: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
    """Count how many of each to take, in order, until enough are taken."""
    before = np.cumsum(available) - available
    return np.clip(wanted - before, 0, available)
