"""The scenario of an attack: the original, the release as read, the targets, and the truth to judge by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.attacks.greedy_order import GREEDY
from sfumato.assess.attacks.kernels.secret_values import tally_values
from sfumato.common.grouping import CodedColumn, RowGroups, code_column, group_rows
from sfumato.common.patience import Patience
from sfumato.common.progress import Tell, silent
from sfumato.common.randomness import Secret
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.reading import Candidates, FreePlaces, ReleaseReading, known_codes, read_release

Pair = tuple[NDArray[np.int64], NDArray[np.int64]]

#: People whose candidates are looked up at a time.
BLOCK = 256


@dataclass(frozen=True)
class AttackedColumn:
    """A sensitive column in the original and in the release, with common codes.

    Attributes
    ----------
    of_person
        The code of every row of the original.
    of_row
        The code of every row of the release.
    of_class
        The codes of the release's rows, class by class; those of a class begin at ``begins``.
    width
        The number of codes.
    """

    name: str
    of_person: NDArray[np.int64] = field(repr=False)
    of_row: NDArray[np.int64] = field(repr=False)
    of_class: NDArray[np.int64] = field(repr=False)
    begins: NDArray[np.int64] = field(repr=False)
    width: int

    @classmethod
    def of(
        cls, name: str, of_person: NDArray[np.int64], of_row: NDArray[np.int64], classes: RowGroups
    ) -> AttackedColumn:
        """Lay the codes of the release out class by class."""
        order = np.argsort(classes.of_row, kind="stable")
        begins = np.concatenate([[0], np.cumsum(classes.sizes)])
        width = 1 + max(int(of_person.max(initial=0)), int(of_row.max(initial=0)))
        return cls(name, of_person, of_row, of_row[order], begins, width)

    @property
    def totals(self) -> NDArray[np.int64]:
        """How often each code occurs in the whole release."""
        return np.bincount(self.of_row, minlength=self.width)

    @property
    def mode_share(self) -> float:
        """How often guessing the most frequent value is right, knowing only the totals."""
        return float(np.bincount(self.of_person).max() / len(self.of_person))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each code (column) occurs in each class (row); large where many values occur."""
        rows = np.repeat(np.arange(len(self.begins) - 1), np.diff(self.begins))
        cells = np.bincount(rows * self.width + self.of_class, minlength=(len(self.begins) - 1) * self.width)
        return cells.reshape(-1, self.width)

    def values_in(self, number: int) -> NDArray[np.int64]:
        """The codes of the rows of one class."""
        return self.of_class[self.begins[number] : self.begins[number + 1]]

    def tally(self, candidates: Candidates) -> NDArray[np.int64]:
        """How often each code (column) occurs in all classes that may be a person's (row)."""
        counts = np.zeros((len(candidates), self.width), np.int64)
        tally_values(candidates.begins, candidates.classes, self.begins, self.of_class, counts)
        return counts


def promise_of(kind: str, column: str | None) -> str:
    """Name a promise about one sensitive column, or about all of them.

    >>> promise_of("l", None), promise_of("l", "illness")
    ('l', 'l of illness')
    """
    return kind if column is None else f"{kind} of {column}"


@dataclass(frozen=True)
class Scenario:
    """A release under attack.

    Attributes
    ----------
    original, release
        The two tables; the original is changed as the release's columns are.
    unchanged
        The original as it was read, if it is another table.
    hierarchies
        The quasi-identifiers, each with its hierarchy.
    sensitive
        The columns that the attacker wants to know.
    knows
        The quasi-identifiers that the attacker knows.
    targets
        The people under attack: rows of the original.
    promised
        What the release promises, if known: ``k``, and the ``l`` and the number of ``distinct`` values, of all
        sensitive columns or of one (`promise_of`).
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
    unchanged: pa.Table | None = field(default=None, repr=False)
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

    def limit_of(self, kind: str, column: str) -> float | None:
        """The ``l``, or the number of ``distinct`` values, that is promised of a sensitive column; None if none is."""
        found = [self.promised[name] for name in (kind, promise_of(kind, column)) if name in self.promised]
        return max(found, default=None)

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
        return AttackedColumn.of(name, of_person, of_row, reading.classes)

    @cached_property
    def class_of(self) -> NDArray[np.int64]:
        """The class of every person; -1 for those who are not in the release."""
        if self.row_of is None:
            pairs = [(one.of_person, one.of_row) for one in self.secrets]
            return true_classes(self.reading, pairs, self.patience.tell)
        found = np.full(self.reading.people, -1, np.int64)
        found[self.row_of] = self.reading.classes.of_row
        return found

    @property
    def unfound(self) -> int:
        """How many targets no row of the release fits, as far as attacks have looked; 0 if the publisher knows."""
        return int(np.count_nonzero(~self._fitting))

    @property
    def unplaced(self) -> int:
        """How many targets fit rows of the release, all of which `true_classes` gave to others."""
        return int(np.count_nonzero(self._fitting))

    @cached_property
    def _fitting(self) -> NDArray[np.bool_]:
        """Whether some row fits, for every target without a class."""
        looked = self.row_of is None and "class_of" in vars(self)
        lost = self.targets[self.class_of[self.targets] < 0] if looked else self.targets[:0]
        if not len(lost):
            return np.zeros(0, np.bool_)
        of_person, of_row, number = _joint(self.reading, [(one.of_person, one.of_row) for one in self.secrets])
        found = self.reading.candidates_of(lost)
        places = found.classes * np.int64(number) + of_person[lost][found.of_person]
        fits = np.isin(places, self.reading.classes.of_row * np.int64(number) + of_row)
        return np.bincount(found.of_person[fits], minlength=len(lost)) > 0

    def candidates(
        self, knows: Sequence[str] | None = None, rows: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[NDArray[np.int64], Candidates]]:
        """Yield people, by default the targets, and the classes that each may be in given the knowledge.

        If a release shows midpoints or means, these are the nearest classes.
        """
        if knows is None and rows is None:
            yield from self._of_targets
            return
        for some in self.patience.through(blocks(self.targets if rows is None else rows)):
            yield some, self.reading.candidates_of(some, self.knows if knows is None else knows)

    @cached_property
    def _of_targets(self) -> list[tuple[NDArray[np.int64], Candidates]]:
        """The candidates of the targets, which most attacks need."""
        return list(self.candidates(self.knows, self.targets))

    def possible(
        self, knows: Sequence[str] | None = None, rows: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield people and the same as `candidates`, as a truth value for every class."""
        for some, candidates in self.candidates(knows, rows):
            yield some, candidates.dense(len(self.reading.classes))

    def by_class(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield every class with the people who are really in it."""
        order = np.argsort(self.class_of, kind="stable")
        begins = np.searchsorted(self.class_of[order], np.arange(len(self.reading.classes) + 1))
        for number in range(len(self.reading.classes)):
            yield number, order[begins[number] : begins[number + 1]]


def blocks(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut people into blocks, so that progress can be shown, and pairs with all classes fit in memory."""
    return [rows[begin : begin + BLOCK] for begin in range(0, len(rows), BLOCK)]


def _texts(table: pa.Table, name: str) -> list[pa.Array]:
    """Convert a column to text, so that files and frames agree."""
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()).chunks


def true_classes(reading: ReleaseReading, secrets: Sequence[Pair], tell: Tell = silent) -> NDArray[np.int64]:
    """Assign a class to every person so that no class gets more people with the same secrets than it has rows.

    People with the fewest possible classes choose first. If classes overlap, this is one of several possible
    assignments; people without any class left get -1: they are not in the release.
    """
    rows = np.arange(reading.people)
    of_person, of_row, number = _joint(reading, secrets)
    places = FreePlaces.of(reading.classes.of_row, of_row, number)
    known = reading.index.known(known_codes(reading.columns, rows), len(rows))
    chosen = np.full(len(rows), -1, np.int64)
    done = 0
    for some, classes in reading.index.assigned(*known, reading.centres, of_person, places):
        chosen[some] = classes
        done += len(some)
        tell(0.9 * done / len(rows))
    return chosen


def _joint(reading: ReleaseReading, secrets: Sequence[Pair]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Number the combinations of several secrets: of every person, of every row, and how many there are."""
    if not secrets:
        return np.zeros(reading.people, np.int64), np.zeros(len(reading.classes.of_row), np.int64), 1
    together = [np.concatenate(pair) for pair in secrets]
    groups = group_rows(
        [CodedColumn(pa.nulls(int(codes.max(initial=0))), codes.astype(np.int32)) for codes in together]
    )
    numbered = groups.of_row.astype(np.int64)
    return numbered[: reading.people], numbered[reading.people :], len(groups)
