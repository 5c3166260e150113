"""The problem to solve: a table on a grid, the requirements of classes, and their costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.loss import Blocks, LossTotal, Objective, RecodedTable
from sfumato.methods.enumeration.cut_grid import GridTable, atom_floors, grid_of
from sfumato.methods.enumeration.kernels.boxes import BoxCosts, Problem
from sfumato.privacy import Requirements
from sfumato.table.kernels.rules import SIZE
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding


class _Counting(Requirements):
    """Requirements under which sensitive values are counted even if no model depends on them."""

    @property
    def _counts_values(self) -> bool:
        return True


@dataclass(frozen=True)
class PartitionProblem:
    """A table on the grid of its cuts, the requirements of classes, and their costs.

    Attributes
    ----------
    requirements
        The requirements of every class, bound to the table.
    table
        The atoms of the table.
    objective
        What is minimized.
    gap
        The permitted gap between the answer and its proven bound, as a share of the bound.
    price
        The cost of a row that is left out; infinite if none may be.
    """

    requirements: Requirements
    table: GridTable
    objective: Objective
    gap: float = 0.0
    price: float = field(default=np.inf)

    @classmethod
    def of(
        cls, requirements: Requirements, cuts: Sequence[NDArray[np.int64]], objective: Objective, gap: float = 0.0
    ) -> PartitionProblem:
        """Place a table on the grid of its cuts."""
        if objective.by_block is not None:
            requirements = _Counting(requirements.models, requirements.microdata)
        return cls(requirements, grid_of(requirements, cuts), objective, gap)

    @property
    def smallest(self) -> int:
        """The size below which no class is allowed."""
        return self.requirements.smallest_class

    @property
    def by_rows(self) -> bool:
        """Whether both the cost of a class and whether it is allowed depend on its size alone."""
        simple = not self.objective.spread and self.objective.by_block is None
        return simple and all(rule.kind == SIZE for rule in self.requirements.bound)

    @cached_property
    def problem(self) -> Problem:
        """The problem as arrays, for kernels."""
        rows = self.table.rows
        costs = BoxCosts(
            self.objective.size_costs(rows),
            self.objective.floors(rows, self.smallest, self.price),
            float(self.objective.spread),
            float(self.price),
            float(self.gap),
            self.smallest,
            self.by_rows,
            self.objective.by_block is not None,
            self.requirements.monotone,
        )
        floors = atom_floors(self.requirements, self.table.grid, costs, self.priced)
        return Problem(self.table.grid._replace(floors=floors), costs, self.requirements.rules, self.priced.spans)

    @cached_property
    def priced(self) -> Microdata:
        """The table with the span costs of the objective."""
        return self.objective.priced(self.requirements.microdata)

    @property
    def floor(self) -> float:
        """A lower bound of the cost of the whole table."""
        problem = self.problem
        return max(float(problem.costs.floor[-1]), float(problem.grid.floors.sum()))

    def value(self, blocks: NDArray[np.int32]) -> float:
        """The cost of a partition, given the block of every atom, -1 if it is left out."""
        left_out = int(self.table.grid.rows[blocks == SUPPRESSED].sum())
        return self.class_costs(blocks) + (left_out * self.price if left_out else 0.0)

    def class_costs(self, blocks: NDArray[np.int32]) -> float:
        """The cost of the classes of a partition, without the rows that are left out."""
        microdata = self.requirements.microdata
        found = EquivalenceClasses.of(microdata, Recoding(classes=blocks[self.table.of_row]))
        return self.objective.class_costs(RecodedTable(microdata, found))

    def block_costs(
        self, sizes: NDArray[np.int64], lo: NDArray[Any], hi: NDArray[Any], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The costs of blocks by the objective's function, given sizes, smallest and largest codes, and values."""
        microdata = self.requirements.microdata
        at = self.requirements.rules.counts_at
        named = {
            column.name: counts[:, begin:end]
            for column, begin, end in zip(microdata.sensitive, at[:-1], at[1:], strict=True)
        }
        return self.objective.block_costs(Blocks(sizes, microdata.span_costs(lo, hi), named))

    def atoms_cost(self, atoms: NDArray[np.int32]) -> float:
        """The cost of the block of these atoms, by the objective's function of blocks."""
        grid = self.table.grid
        codes, size = grid.codes[atoms], int(self.requirements.rules.counts_at[-1])
        counts = np.zeros((1, size), np.int64)
        if size:
            lengths = grid.values_at[atoms + 1] - grid.values_at[atoms]
            places = np.repeat(grid.values_at[atoms + 1] - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
            np.add.at(counts[0], grid.values[places, 0], grid.values[places, 1])
        rows = grid.rows[atoms].sum(keepdims=True)
        return float(self.block_costs(rows, codes[:, :1].min(axis=0), codes[:, 1:].max(axis=0), counts)[0])

    def shown(self, value: float) -> float:
        """Convert a sum of costs to the reported loss."""
        microdata, rows = self.requirements.microdata, self.table.rows
        return float(self.objective.shown(LossTotal(value, rows, rows, self.smallest, microdata, microdata.marginals)))
