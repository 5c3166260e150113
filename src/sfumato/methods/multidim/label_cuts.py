"""Cuts by information about a label: half of the rows propose a cut, the other half confirm it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, TreeDomain
from sfumato.loss.prediction import best_cut, information, label_of
from sfumato.methods.base import Task
from sfumato.table.kernels.classes import groups_allowed
from sfumato.table.microdata import SensitiveColumn

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class LabelCuts:
    """Cut a table where its labels differ, as long as rows that did not choose the cut gain information by it.

    Every other row proposes cuts, the remaining rows validate them; rows are in random order. A scale is cut in two, a
    taxonomy group into its children, of which those that are not allowed alone form one side. Parts without a useful
    cut stay whole.

    Attributes
    ----------
    task
        The table and its requirements.
    label
        The sensitive column to predict; None for the first.
    """

    task: Task
    label: str | None = None

    @cached_property
    def _column(self) -> SensitiveColumn:
        return label_of(self.task.microdata, self.label)

    def classes(self) -> NDArray[np.int32]:
        """Cut as long as it helps, and return the class of every row."""
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
        """Make the allowed cut by which the validating rows gain most; without one, return the rows as one side."""
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
        """Find the side of every row in the best cut of one attribute; None if the attribute cannot be cut."""
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
        """Find the group of every row just below the common one; groups that are not allowed alone are joined as -1."""
        levels = [level.groups for level in domain.levels]
        apart = [groups for groups in levels if groups[low] != groups[high]]
        groups = apart[-1][codes].astype(np.int64)
        different = np.unique(groups)
        alone = self._allowed([rows[groups == one] for one in different])
        sides = np.where(np.isin(groups, different[alone]), groups, -1)
        return sides if len(np.unique(sides)) > 1 else None

    def _gain(self, rows: Rows, side_of: Rows) -> float:
        """Measure the information that the sides give about the labels of the validating rows, in nats."""
        _, side = np.unique(side_of, return_inverse=True)
        chosen, judged = (self._counts(rows[half::2], side[half::2], int(side.max()) + 1) for half in (0, 1))
        return information(chosen, judged) * float(judged.sum())

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
