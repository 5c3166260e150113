"""What the order in which a method makes classes says about the rows behind them (Chhillar and others, 2025).

A greedy method visits *nodes*, one level per column, from fine to coarse, and shows at each all rows whose cell there
holds at least k of those that still wait. A row that is shown at a coarser node waited when finer ones were visited, so
no cell of a finer node holds k rows of coarser classes. Each such cell is one linear constraint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.hidden_counts import Constraint, HiddenCounts
from sfumato.hierarchies import TreeDomain
from sfumato.hierarchies.reading import ReleaseReading, ShownColumn

Node = tuple[int, ...]

#: The orders that let an attacker conclude what lies behind coarse rows: nodes from fine to coarse, each showing all
#: rows that it can; the same with every class narrowed to what its rows span; and one node, with rows left out.
GREEDY, PEELING, FULL_DOMAIN = "greedy", "peeling", "full-domain"


@dataclass(frozen=True)
class ColumnLevels:
    """The levels of one column: the group of every code at each, and the lowest level that holds each shown cell.

    A column without declared levels has two: its values, and everything. Which intervals a method tried between them
    is not known.
    """

    column: ShownColumn

    @property
    def declared(self) -> bool:
        """Whether the levels are declared, so that an attacker knows their groups."""
        return isinstance(self.column.domain, TreeDomain)

    @cached_property
    def groups(self) -> list[NDArray[np.int64]]:
        """The group of every code at every level; the code after the last is a missing value, apart from all others."""
        size = self.column.domain.size
        if not self.declared:
            return [np.arange(size + 1), np.zeros(size + 1, np.int64)]
        levels = [level.groups.astype(np.int64) for level in self.column.domain.levels]
        below = [np.append(groups, groups.max(initial=-1) + 1) for groups in levels[:-1]]
        return [*below, np.zeros(size + 1, np.int64)]

    @cached_property
    def of_cell(self) -> NDArray[np.int64]:
        """The lowest level at which one group holds all values that a cell may stand for; -1 if it shows none."""
        found = np.full(len(self.column.first), len(self.groups) - 1, np.int64)
        codes = [self.codes(cell) for cell in range(len(found))]
        found[[not len(behind) for behind in codes]] = -1
        for level in range(len(self.groups) - 2, -1, -1):
            groups = self.groups[level]
            for cell, behind in enumerate(codes):
                if len(behind) and (groups[behind] == groups[behind[0]]).all():
                    found[cell] = level
        return found

    def codes(self, cell: int) -> NDArray[np.int64]:
        """The values that a cell may stand for; a missing value only if the original has some."""
        ranges = zip(self.column.first[cell].tolist(), self.column.last[cell].tolist(), strict=True)
        codes = np.unique(np.concatenate([np.arange(first, last + 1) for first, last in ranges]))
        return codes if self.has_missing else codes[codes < self.column.domain.size]

    def covered(self, low: NDArray[np.int64], high: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Decide whether what is shown of values from ``low`` to ``high`` also covers other values."""
        if not self.declared:
            return (codes >= low) & (codes <= high)
        found = np.zeros(len(codes), bool)
        waiting = np.ones(len(codes), bool)
        for groups in self.groups:
            meet = waiting & (groups[low] == groups[high])
            found[meet] = groups[codes[meet]] == groups[low[meet]]
            waiting &= ~meet
        return found

    @cached_property
    def has_missing(self) -> bool:
        """Whether values are missing in the original."""
        return bool((self.column.original >= self.column.domain.size).any())


class ShownLevels:
    """The node of every class of a release: the lowest level of each column that holds what the class shows."""

    def __init__(self, reading: ReleaseReading) -> None:
        self.columns = [ColumnLevels(column) for column in reading.columns]
        self.cells = np.stack([reading.shown_cells(column) for column in reading.columns], axis=1)
        self.nodes = np.stack([levels.of_cell[self.cells[:, at]] for at, levels in enumerate(self.columns)], axis=1)

    @cached_property
    def one_node(self) -> NDArray[np.int64] | None:
        """The node that all classes are shown at, apart from one that shows nothing at all; None if there is none."""
        shown = self.nodes[~self.silent]
        if not len(shown) or (shown < 0).any() or not all(levels.declared for levels in self.columns):
            return None
        node = shown.max(axis=0)
        for at, levels in enumerate(self.columns):
            groups = levels.groups[int(node[at])]
            for cell in np.unique(self.cells[~self.silent, at]).tolist():
                behind = levels.codes(cell)
                known = np.flatnonzero(groups == groups[behind[0]])
                if len(known[known < levels.column.domain.size + levels.has_missing]) != len(behind):
                    return None
        return node

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Whether a class shows nothing of any column."""
        tops = np.array([len(levels.groups) - 1 for levels in self.columns])
        return (self.nodes == tops).all(axis=1)

    def cells_at(self, node: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number the cells of a node that combinations of codes lie in."""
        found = np.zeros(len(codes), np.int64)
        for at, levels in enumerate(self.columns):
            groups = levels.groups[int(node[at])]
            # Numbering anew keeps numbers small, however many columns there are.
            found = np.unique(found * (int(groups.max()) + 1) + groups[codes[:, at]], return_inverse=True)[1]
        return found

    def known_to_method(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Decide which nodes consist of values, stars and levels that some class shows.

        A method may know no other levels: suppression of cells knows none but values and stars.
        """
        ends = [(0, len(levels.groups) - 1) for levels in self.columns]
        known = [np.isin(nodes[:, at], [*ends[at], *self.nodes[:, at]]) for at in range(len(self.columns))]
        return np.asarray(np.all(known, axis=0), bool)

    def visited_before(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """List nodes that were visited before, or when, classes at these nodes were made: these, and one step below.

        Columns without declared levels are at their values: that is where every method begins.
        """
        known = np.array([levels.declared for levels in self.columns])
        found: set[Node] = set()
        for node in np.unique(nodes[(nodes >= 0).all(axis=1)], axis=0):
            found.add(tuple(np.where(known, node, 0).tolist()))
            for at in np.flatnonzero(node > 0):
                below = node.copy()
                below[at] -= 1
                found.add(tuple(np.where(known, below, 0).tolist()))
        return np.array(sorted(found), np.int64).reshape(-1, len(self.columns))


def order_constraints(
    program: HiddenCounts, levels: ShownLevels, k: int, visited: NDArray[np.int64], takes_all: bool
) -> Iterator[Constraint]:
    """Yield the limits on rows that passed nodes without being shown there.

    Parameters
    ----------
    visited
        Nodes that were visited.
    takes_all
        Whether a class is all that its cell held, so that no row of the same cell is shown at a coarser node. This does
        not hold for methods that narrow what a class shows.
    """
    tops = np.array([len(one.groups) - 1 for one in levels.columns])
    nodes = np.stack([levels.nodes[one.number] if one.number >= 0 else tops for one in program.classes])
    for node in visited:
        later = (nodes >= node).all(axis=1) & (nodes != node).any(axis=1)
        if not later.any():
            continue
        variables = np.flatnonzero(later[program.of_class])
        shown = _shown_at(levels, node) if takes_all else program.codes[:0]
        cell_of = levels.cells_at(node, np.concatenate([program.codes[variables], shown]))
        taken = set(cell_of[len(variables) :].tolist())
        order = np.argsort(cell_of[: len(variables)], kind="stable")
        cells, begins = np.unique(cell_of[order], return_index=True)
        for cell, some in zip(cells.tolist(), np.split(variables[order], begins[1:]), strict=True):
            most = 0 if cell in taken else k - 1
            if program.sizes[np.unique(program.of_class[some])].sum() > most:
                yield Constraint(some, 0.0, most)


def _shown_at(levels: ShownLevels, node: NDArray[np.int64]) -> NDArray[np.int64]:
    """List one combination of codes of every class at a node."""
    cells = levels.cells[(levels.nodes == node).all(axis=1)]
    return np.stack([one.column.first[cells[:, at], 0] for at, one in enumerate(levels.columns)], axis=1)


def tight_columns(levels: ShownLevels, class_of: NDArray[np.int64]) -> list[bool]:
    """Decide which columns show no more than the rows of each class span.

    Somebody who knows the method knows this; here it is read off the rows themselves.
    """
    rows = np.flatnonzero(class_of >= 0)
    return [_is_tight(levels, place, class_of[rows], rows) for place in range(len(levels.columns))]


def _is_tight(levels: ShownLevels, place: int, classes: NDArray[np.int64], rows: NDArray[np.int64]) -> bool:
    column = levels.columns[place]
    codes = column.column.original[rows]
    low = np.full(len(levels.nodes), np.iinfo(np.int64).max)
    high = np.full(len(levels.nodes), -1, np.int64)
    np.minimum.at(low, classes, codes)
    np.maximum.at(high, classes, codes)
    for number in np.flatnonzero((high >= 0) & (levels.nodes[:, place] > 0)).tolist():
        if column.declared:
            below = column.groups[int(levels.nodes[number, place]) - 1]
            if below[low[number]] == below[high[number]]:
                return False
        elif _ends(column.column, int(levels.cells[number, place])) not in {(), (low[number], high[number])}:
            return False
    return True


def tight_constraints(program: HiddenCounts, levels: ShownLevels, columns: Sequence[bool]) -> Iterator[Constraint]:
    """Yield what follows if classes show no more of some columns than their rows span.

    Below a label at least two branches hold rows, and each end of an interval is the value of a row.
    """
    for at, one in enumerate(program.classes):
        if one.number < 0:
            continue
        begin, end = int(program.begins[at]), int(program.begins[at + 1])
        for place, column in enumerate(levels.columns):
            codes, level = program.codes[begin:end, place], int(levels.nodes[one.number, place])
            if level <= 0 or not columns[place]:
                continue
            if column.declared:
                branches = column.groups[level - 1][codes]
                for branch in np.unique(branches):
                    yield Constraint(begin + np.flatnonzero(branches == branch), 0.0, one.size - 1)
            else:
                cell = int(levels.cells[one.number, place])
                for extreme in _ends(column.column, cell):
                    yield Constraint(begin + np.flatnonzero(codes == extreme), 1.0, one.size)


def _ends(column: ShownColumn, cell: int) -> tuple[int, ...]:
    """The codes at both ends of an interval; none if they are not what is shown."""
    first, last = int(column.first[cell, 0]), int(column.last[cell, 0])
    numbers = column.numbers
    if numbers is None or column.first.shape[1] > 1 or last >= len(numbers) or first >= last:
        return ()
    shown = column.low[cell] == numbers[first] and column.high[cell] == numbers[last]
    return (first, last) if shown else ()
