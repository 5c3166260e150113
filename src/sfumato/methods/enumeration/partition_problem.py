"""One problem to solve: a table on a grid, what classes must keep, and what they cost."""

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
    """Requirements under which sensitive values are counted, whether or not a model asks for that."""

    @property
    def _counts_values(self) -> bool:
        return True


@dataclass(frozen=True)
class PartitionProblem:
    """A table on the grid of its cuts, what classes must keep, and what they cost.

    Attributes
    ----------
    requirements
        What every class must keep, bound to the table.
    table
        Its atoms.
    objective
        What is to be least.
    gap
        How far above its proven bound the answer may stay, as a share.
    price
        What a row costs that is left out; infinite where none may be.
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
        """Lay a table on the grid of its cuts."""
        if objective.by_block is not None:
            requirements = _Counting(requirements.models, requirements.microdata)
        return cls(requirements, grid_of(requirements, cuts), objective, gap)

    @property
    def smallest(self) -> int:
        """The size below which no class is allowed."""
        return self.requirements.smallest_class

    @property
    def by_rows(self) -> bool:
        """Whether the size of a class alone decides what it costs and whether it is allowed."""
        simple = not self.objective.spread and self.objective.by_block is None
        return simple and all(rule.kind == SIZE for rule in self.requirements.bound)

    @cached_property
    def problem(self) -> Problem:
        """The instance as arrays, for kernels."""
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
        """The table whose span costs are meant."""
        return self.objective.priced(self.requirements.microdata)

    @property
    def floor(self) -> float:
        """What the whole table costs at least."""
        problem = self.problem
        return max(float(problem.costs.floor[-1]), float(problem.grid.floors.sum()))

    def value(self, blocks: NDArray[np.int32]) -> float:
        """Return what a partition costs, given the block of every atom, -1 where it is left out."""
        left_out = int(self.table.grid.rows[blocks == SUPPRESSED].sum())
        return self.class_costs(blocks) + (left_out * self.price if left_out else 0.0)

    def class_costs(self, blocks: NDArray[np.int32]) -> float:
        """Return what the classes of a partition cost, without the rows that are left out."""
        microdata = self.requirements.microdata
        found = EquivalenceClasses.of(microdata, Recoding(classes=blocks[self.table.of_row]))
        return self.objective.class_costs(RecodedTable(microdata, found))

    def block_costs(
        self, sizes: NDArray[np.int64], lo: NDArray[Any], hi: NDArray[Any], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return what the cost's function of blocks says about some, given their smallest and largest codes."""
        microdata = self.requirements.microdata
        at = self.requirements.rules.counts_at
        named = {
            column.name: counts[:, begin:end]
            for column, begin, end in zip(microdata.sensitive, at[:-1], at[1:], strict=True)
        }
        return self.objective.block_costs(Blocks(sizes, microdata.span_costs(lo, hi), named))

    def atoms_cost(self, atoms: NDArray[np.int32]) -> float:
        """Return what the cost's function of blocks says about the block that holds these atoms."""
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
        """Return a sum of costs as it is shown to people."""
        microdata, rows = self.requirements.microdata, self.table.rows
        return float(self.objective.shown(LossTotal(value, rows, rows, self.smallest, microdata, microdata.marginals)))
