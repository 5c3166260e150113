"""Cuts by information about a label: what some rows find, and other rows confirm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, TreeDomain
from sfumato.loss.prediction import best_cut, label_of, told
from sfumato.methods.base import Task
from sfumato.table.kernels.classes import groups_allowed
from sfumato.table.microdata import SensitiveColumn

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class LabelCuts:
    """A table that is cut where its labels differ, as long as rows that did not choose a cut gain by it.

    Every other row chooses, the others judge; rows are in random order. A scale is cut in two, a group of a tree into
    the groups below it, those that are not allowed by themselves taken together. Parts that no cut serves stay whole.

    Attributes
    ----------
    task
        The table, and what classes have to keep.
    label
        The sensitive column that is to be predicted; None for the first.
    """

    task: Task
    label: str | None = None

    @cached_property
    def _column(self) -> SensitiveColumn:
        return label_of(self.task.microdata, self.label)

    def classes(self) -> NDArray[np.int32]:
        """Return a class for every row."""
        found = np.zeros(len(self.task.microdata), np.int32)
        waiting, parts = [np.arange(len(found))], 0
        while waiting:
            rows = waiting.pop()
            sides = self._divided(rows)
            if len(sides) > 1:
                waiting += sides
            else:
                found[rows] = parts
                parts += 1
        return found

    def _divided(self, rows: Rows) -> list[Rows]:
        """Return the sides of the allowed cut that the judging rows gain most by, the rows themselves without one."""
        if len(rows) < 2 * self.task.requirements.smallest_class:
            return [rows]
        best, gained = [rows], 0.0
        for at, domain in enumerate(self.task.microdata.domains):
            side_of = self._sides(rows, at, domain)
            if side_of is None:
                continue
            gain = self._gain(rows, side_of)
            if gain > gained:
                sides = [rows[side_of == side] for side in np.unique(side_of)]
                if self._allowed(sides).all():
                    best, gained = sides, gain
        return best

    def _sides(self, rows: Rows, at: int, domain: Domain) -> Rows | None:
        """Return the side of every row in the best cut of one attribute, None if it cannot be cut."""
        codes = self.task.microdata.codes[rows, at].astype(np.int64)
        low, high = int(codes.min()), int(codes.max())
        if low == high:
            return None
        if isinstance(domain, TreeDomain):
            return self._groups_below(rows, codes, domain, low, high)
        if high >= len(domain.values):
            return (codes < len(domain.values)).astype(np.int64)
        place = best_cut(self._counts(rows[::2], codes[::2] - low, high - low + 1))
        return (codes - low >= place).astype(np.int64) if place else None

    def _groups_below(self, rows: Rows, codes: Rows, domain: TreeDomain, low: int, high: int) -> Rows | None:
        """Return the group of every row just below the common one; those that are not allowed alone together, as -1."""
        levels = [level.groups for level in domain.levels]
        apart = [groups for groups in levels if groups[low] != groups[high]]
        groups = apart[-1][codes].astype(np.int64)
        different = np.unique(groups)
        alone = self._allowed([rows[groups == one] for one in different])
        sides = np.where(np.isin(groups, different[alone]), groups, -1)
        return sides if len(np.unique(sides)) > 1 else None

    def _gain(self, rows: Rows, side_of: Rows) -> float:
        """Return what the judging rows learn about their labels from the sides, in nats altogether."""
        _, side = np.unique(side_of, return_inverse=True)
        chosen, judged = (self._counts(rows[half::2], side[half::2], int(side.max()) + 1) for half in (0, 1))
        return told(chosen, judged) * float(judged.sum())

    def _counts(self, rows: Rows, places: Rows, size: int) -> NDArray[np.float64]:
        column = self._column
        keys = places * column.size + column.codes[rows]
        return np.bincount(keys, minlength=size * column.size).reshape(size, column.size).astype(np.float64)

    def _allowed(self, sides: list[Rows]) -> NDArray[np.bool_]:
        requirements = self.task.requirements
        offsets = np.cumsum([0, *(len(side) for side in sides)])
        return groups_allowed(
            self.task.microdata.codes, requirements.sensitive_codes, np.concatenate(sides), offsets, requirements.rules
        )
