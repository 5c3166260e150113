"""The scenario of an attack: the original, the release as read, the targets, and the truth to judge by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.attacks.greedy_order import GREEDY
from sfumato.common.grouping import code_column
from sfumato.common.patience import Patience
from sfumato.common.randomness import Secret
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.reading import ReleaseReading, read_release

Pair = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class AttackedColumn:
    """A sensitive column in the original and, by class, in the release, with common codes.

    Attributes
    ----------
    of_person
        The code of every row of the original.
    counts
        How often each code occurs in each class.
    of_row
        The code of every row of the release.
    """

    name: str
    of_person: NDArray[np.int64] = field(repr=False)
    of_row: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @property
    def totals(self) -> NDArray[np.int64]:
        """How often each code occurs in the whole release."""
        return self.counts.sum(axis=0)

    @property
    def mode_share(self) -> float:
        """How often guessing the most frequent value is right, knowing only the totals."""
        return float(np.bincount(self.of_person).max() / len(self.of_person))


@dataclass(frozen=True)
class Scenario:
    """A release under attack.

    Attributes
    ----------
    original, release
        The two tables.
    hierarchies
        The quasi-identifiers, each with its hierarchy.
    sensitive
        The columns that the attacker wants to know.
    knows
        The quasi-identifiers that the attacker knows.
    targets
        The people under attack: rows of the original.
    promised
        What the release promises: ``k`` and ``l``, if known.
    previous
        Other releases of the same people.
    control
        People who are not in the original, for attacks that distinguish members from others.
    row_of
        The row of the original for every row of the release, if the publisher knows it.
    path
        The file of the release, if there is one.
    order
        In which order the method makes classes, if the attacker can conclude anything from it; else empty.
    tight
        Whether the method shows no more of a class than its rows span.
    random
        The random generator of the attacks.
    patience
        How long the attacks may go on; attacks tell it how far they are.
    """

    original: pa.Table = field(repr=False)
    release: pa.Table = field(repr=False)
    hierarchies: Mapping[str, Hierarchy | None]
    sensitive: tuple[str, ...] = ()
    knows: tuple[str, ...] = ()
    targets: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    promised: Mapping[str, float] = field(default_factory=dict)
    previous: tuple[pa.Table, ...] = field(default=(), repr=False)
    control: pa.Table | None = field(default=None, repr=False)
    row_of: NDArray[np.int64] | None = field(default=None, repr=False)
    path: Path | None = None
    order: str = GREEDY
    tight: bool = False
    random: np.random.Generator = field(default_factory=lambda: Secret.of(None).generator("attacks"), repr=False)
    patience: Patience = field(default_factory=Patience, repr=False)

    @cached_property
    def reading(self) -> ReleaseReading:
        """The release as read against the original."""
        return read_release(self.original, self.release, self.hierarchies)

    @cached_property
    def strangers(self) -> ReleaseReading | None:
        """The release as read against people who are not in it."""
        if self.control is None:
            return None
        return read_release(self.control, self.release, self.hierarchies)

    @cached_property
    def secrets(self) -> tuple[AttackedColumn, ...]:
        """The sensitive columns."""
        return tuple(self._secret(name) for name in self.sensitive)

    def _secret(self, name: str) -> AttackedColumn:
        return self.secret_in(name, self.release, self.reading)

    def secret_in(self, name: str, release: pa.Table, reading: ReleaseReading) -> AttackedColumn:
        """Read a sensitive column of any release of these people."""
        both = pa.chunked_array([*_texts(self.original, name), *_texts(release, name)], pa.string())
        codes = code_column(name, both).codes.astype(np.int64)
        of_person, of_row = codes[: self.original.num_rows], codes[self.original.num_rows :]
        width = int(codes.max(initial=0)) + 1
        cells = np.bincount(reading.classes.of_row * width + of_row, minlength=len(reading.classes) * width)
        return AttackedColumn(name, of_person, of_row, cells.reshape(-1, width))

    @cached_property
    def class_of(self) -> NDArray[np.int64]:
        """The class of every person; -1 for those who are not in the release."""
        if self.row_of is None:
            return true_classes(self.reading, [(one.of_person, one.of_row) for one in self.secrets])
        found = np.full(self.reading.people, -1, np.int64)
        found[self.row_of] = self.reading.classes.of_row
        return found

    def possible(
        self, knows: Sequence[str] | None = None, rows: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield people and, for each of them and every class, whether the person may be in it given the knowledge.

        If a release shows midpoints or means, these are the nearest classes.
        """
        for some in self.patience.through(list(self.reading.blocks(self.targets if rows is None else rows))):
            yield some, possible_in(self.reading, some, self.knows if knows is None else knows)

    def by_class(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield every class with the people who are really in it."""
        order = np.argsort(self.class_of, kind="stable")
        begins = np.searchsorted(self.class_of[order], np.arange(len(self.reading.classes) + 1))
        for number in range(len(self.reading.classes)):
            yield number, order[begins[number] : begins[number + 1]]


def possible_in(reading: ReleaseReading, rows: NDArray[np.int64], knows: Sequence[str]) -> NDArray[np.bool_]:
    """Decide for every person and class whether the person may be in it; with midpoints, the nearest classes."""
    if not reading.centres:
        return reading.matches(rows, knows)
    apart = reading.distances(rows, knows)
    return apart <= apart.min(axis=1, keepdims=True) + 1e-12


def _texts(table: pa.Table, name: str) -> list[pa.Array]:
    """Convert a column to text, so that files and frames agree."""
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()).chunks


def true_classes(reading: ReleaseReading, secrets: Sequence[Pair]) -> NDArray[np.int64]:
    """Assign a class to every person so that no class gets more people with the same secrets than it has rows.

    People with the fewest possible classes choose first. If classes overlap, this is one of several possible
    assignments; people without any class left get -1: they are not in the release.
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


def _free_places(reading: ReleaseReading, secrets: Sequence[Pair]) -> dict[tuple[int, tuple[int, ...]], int]:
    """Count the rows of every class by their sensitive values."""
    free: dict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
    columns = [of_row.tolist() for _, of_row in secrets]
    for at, number in enumerate(reading.classes.of_row.tolist()):
        free[number, tuple(column[at] for column in columns)] += 1
    return free
