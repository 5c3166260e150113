"""An index of the classes of a release: which of them a person may be in, without a look at the others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies.reading.column import ShownColumn
from sfumato.hierarchies.reading.kernels.class_tree import (
    UNKNOWN,
    ClassTree,
    count_candidates,
    count_people,
    list_candidates,
    take_places,
)

Scalar = TypeVar("Scalar", bound=np.generic)

#: The most classes in a leaf of the tree.
LEAF = 8
#: People who are looked up at a time, so that progress can be shown.
BLOCK = 1 << 15


@dataclass(frozen=True)
class Candidates:
    """For some people the classes that each may be in.

    Attributes
    ----------
    begins
        Where the classes of every person begin, and where the last one's end.
    classes
        The classes of all people, one person after the other.
    """

    begins: NDArray[np.int64] = field(repr=False)
    classes: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.begins) - 1

    @property
    def many(self) -> NDArray[np.int64]:
        """How many classes each person may be in."""
        return np.diff(self.begins)

    @property
    def of_person(self) -> NDArray[np.int64]:
        """For every listed class, whose it is."""
        return np.repeat(np.arange(len(self)), self.many)

    def sums(self, values: NDArray[np.integer]) -> NDArray[np.float64]:
        """Add up a value of the classes for every person; exact below 2^53."""
        weights = values[self.classes].astype(np.float64)
        return np.asarray(np.bincount(self.of_person, weights, len(self)), np.float64)

    def holds(self, one: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether a class, one for every person, is among the person's candidates."""
        hit = self.classes == one[self.of_person]
        return np.bincount(self.of_person[hit], minlength=len(self)) > 0

    def both(self, others: Candidates) -> Candidates:
        """The classes that are candidates here and there, person by person."""
        size = 1 + max(int(self.classes.max(initial=0)), int(others.classes.max(initial=0)))
        mine = self.of_person * size + self.classes
        shared = np.sort(mine[np.isin(mine, others.of_person * size + others.classes)])
        begins = np.searchsorted(shared, np.arange(len(self) + 1) * size)
        return Candidates(begins, (shared % size).astype(np.int32))

    def part(self, begin: int, end: int) -> Candidates:
        """The candidates of some people, one behind the other."""
        begins = self.begins[begin : end + 1]
        return Candidates(begins - begins[0], self.classes[begins[0] : begins[-1]])

    def dense(self, classes: int) -> NDArray[np.bool_]:
        """A row per person with a truth value for every class."""
        table = np.zeros((len(self), classes), bool)
        table[self.of_person, self.classes] = True
        return table


class FreePlaces(NamedTuple):
    """How many rows of every class and secret nobody has taken yet, as `take_places` needs it."""

    number: int
    keys: NDArray[np.int64]
    free: NDArray[np.int64]

    @classmethod
    def of(cls, of_row: NDArray[np.integer], secrets: NDArray[np.int64], number: int) -> FreePlaces:
        """Count the rows by their class and secret."""
        return cls(number, *np.unique(of_row * np.int64(number) + secrets, return_counts=True))


@dataclass(frozen=True)
class ClassIndex:
    """Finds the classes that people may be in.

    Attributes
    ----------
    columns
        The quasi-identifiers.
    tree
        The classes in a tree of boxes.
    """

    columns: Sequence[ShownColumn] = field(repr=False)
    tree: ClassTree = field(repr=False)

    @classmethod
    def of(cls, columns: Sequence[ShownColumn], cells: NDArray[np.int64]) -> ClassIndex:
        """Index classes by the cell that each (row) shows in each column."""
        return cls(columns, _grown(columns, cells))

    def known(
        self,
        codes: Mapping[str, NDArray[np.int64]],
        people: int,
        shifts: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Lay out what is known of people: their codes by column, and their places on the scales.

        Columns that ``codes`` does not have are unknown. ``shifts`` moves people on the scale of a column.
        """
        table = np.full((people, len(self.columns)), UNKNOWN, np.int64)
        numbers = np.full(table.shape, np.nan)
        for place, column in enumerate(self.columns):
            if column.name not in codes:
                continue
            table[:, place] = codes[column.name]
            if column.numbers is not None and len(column.numbers):
                numbers[:, place] = np.append(column.numbers, np.nan)[table[:, place]]
                if shifts is not None and column.name in shifts:
                    numbers[:, place] += shifts[column.name]
        return table, numbers

    def candidates(self, codes: NDArray[np.int64], numbers: NDArray[np.float64], nearest: bool = False) -> Candidates:
        """Find the classes that may hold each person, or those nearest to each."""
        return Candidates(*list_candidates(self.tree, codes, numbers, nearest))

    def people(self, codes: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count for every class the people who may be in it."""
        totals = np.zeros(len(self.tree.order), np.int64)
        for some in blocks(len(codes)):
            count_people(self.tree, codes[some], weights[some], totals)
        return totals

    def assigned(
        self,
        codes: NDArray[np.int64],
        numbers: NDArray[np.float64],
        nearest: bool,
        secrets: NDArray[np.int64],
        places: FreePlaces,
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield some people and a class for each, -1 for none, until everybody is assigned.

        People with the fewest candidates choose first, and take the first class with a free place for their secret;
        """
        many = np.empty(len(codes), np.int64)
        for some in blocks(len(codes)):
            many[some] = count_candidates(self.tree, codes[some], numbers[some], nearest)
            yield np.empty(0, np.int64), np.empty(0, np.int64)
        order = np.argsort(many, kind="stable")
        for block in blocks(len(codes)):
            people = order[block]
            chosen = np.empty(len(people), np.int64)
            take_places(self.tree, codes[people], numbers[people], nearest, secrets[people], *places, chosen)
            yield people, chosen


def blocks(people: int) -> Iterator[slice]:
    """Cut people into blocks."""
    return (slice(begin, min(begin + BLOCK, people)) for begin in range(0, people, BLOCK))


def known_codes(
    columns: Sequence[ShownColumn], rows: NDArray[np.int64], knows: Collection[str] | None = None
) -> dict[str, NDArray[np.int64]]:
    """The codes of rows of the original in the known columns, by default all."""
    return {column.name: column.original[rows] for column in columns if knows is None or column.name in knows}


def _grown(columns: Sequence[ShownColumn], cells: NDArray[np.int64]) -> ClassTree:
    """Grow the tree: halve the classes again and again, each time along the column in which they are spread most."""
    count = len(cells)
    leaves = 1
    while leaves * LEAF < count:
        leaves *= 2
    low, high, near, far = (np.empty(cells.shape, kind) for kind in (np.int64, np.int64, float, float))
    for place, column in enumerate(columns):
        least, most = _reach_of_cells(column)
        low[:, place], high[:, place] = least[cells[:, place]], most[cells[:, place]]
        near[:, place], far[:, place] = column.low[cells[:, place]], column.high[cells[:, place]]
    sizes = np.array([max(1, column.domain.size) for column in columns])
    order = _halved((low + high) / (2 * sizes), leaves)
    begins = np.cumsum([0, *(column.first.size for column in columns)])[:-1]
    cell_begins = np.cumsum([0, *(len(column.low) for column in columns)])[:-1]
    return ClassTree(
        order=order,
        leaves=leaves,
        low=_boxed(low[order], leaves, np.minimum),
        high=_boxed(high[order], leaves, np.maximum),
        near=_boxed(near[order], leaves, np.minimum),
        far=_boxed(far[order], leaves, np.maximum),
        cells=np.ascontiguousarray(cells, np.int64),
        begins=begins.astype(np.int64),
        widths=np.array([column.first.shape[1] for column in columns], np.int64),
        first=np.concatenate([column.first.ravel() for column in columns]).astype(np.int64),
        last=np.concatenate([column.last.ravel() for column in columns]).astype(np.int64),
        cell_begins=cell_begins.astype(np.int64),
        cell_low=np.concatenate([column.low for column in columns]).astype(float),
        cell_high=np.concatenate([column.high for column in columns]).astype(float),
        reach=np.array([_scale(column) for column in columns], float),
    )


def _reach_of_cells(column: ShownColumn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The smallest and largest code that every cell may stand for; an empty cell has the largest first."""
    empty = column.first > column.last
    beyond = column.domain.size + 1
    least = np.where(empty, beyond, column.first).min(axis=1)
    return least, np.where(empty, -1, column.last).max(axis=1)


def _scale(column: ShownColumn) -> float:
    numbers = column.numbers
    return (float(np.ptp(numbers)) or 1.0) if numbers is not None and len(numbers) else 1.0


def _halved(centres: NDArray[np.float64], leaves: int) -> NDArray[np.int64]:
    """Order classes so that every part of a power of two parts holds classes near each other."""
    count = len(centres)
    order = np.arange(count)
    parts = 1
    while parts < leaves:
        begins = np.arange(parts) * count // parts
        here = centres[order]
        spread = np.maximum.reduceat(here, begins) - np.minimum.reduceat(here, begins)
        part = np.repeat(np.arange(parts), np.diff([*begins, count]))
        keys = here[np.arange(count), spread.argmax(axis=1)[part]]
        order = order[np.lexsort((keys, part))]
        parts *= 2
    return order


def _boxed(values: NDArray[Scalar], leaves: int, end: np.ufunc) -> NDArray[Scalar]:
    """The ends of all nodes from those of the classes in order: of leaves first, then of what holds them."""
    nodes = np.empty((2 * leaves, values.shape[1]), values.dtype)
    nodes[leaves:] = end.reduceat(values, np.arange(leaves) * len(values) // leaves)
    size = leaves
    while size > 1:
        nodes[size // 2 : size] = end(nodes[size : 2 * size : 2], nodes[size + 1 : 2 * size : 2])
        size //= 2
    nodes[0] = nodes[1]
    return nodes
