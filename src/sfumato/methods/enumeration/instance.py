"""One problem to solve: a table on a grid, what classes must keep, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.boxes import Costs, Problem
from sfumato.kernels.rules import SIZE
from sfumato.methods.enumeration.costs import BlockCost
from sfumato.methods.enumeration.grid import GridTable, atom_floors, grid_of
from sfumato.microdata import SUPPRESSED, EquivalenceClasses, Recoding
from sfumato.privacy import Requirements


@dataclass(frozen=True)
class Instance:
    """A table on the grid of its cuts, what classes must keep, and what they cost.

    Attributes
    ----------
    requirements
        What every class must keep, bound to the table.
    table
        Its atoms.
    cost
        What is to be least.
    gap
        How far above its proven bound the answer may stay, as a share.
    price
        What a row costs that is left out; infinite where none may be.
    """

    requirements: Requirements
    table: GridTable
    cost: BlockCost
    gap: float = 0.0
    price: float = field(default=np.inf)

    @classmethod
    def of(
        cls, requirements: Requirements, cuts: Sequence[NDArray[np.int64]], cost: BlockCost, gap: float = 0.0
    ) -> Instance:
        """Lay a table on the grid of its cuts."""
        return cls(requirements, grid_of(requirements, cuts), cost, gap)

    @property
    def smallest(self) -> int:
        """The size below which no class is allowed."""
        return self.requirements.smallest_class

    @property
    def by_rows(self) -> bool:
        """Whether the size of a class alone decides what it costs and whether it is allowed."""
        return not self.cost.spread and all(rule.kind == SIZE for rule in self.requirements.bound)

    @cached_property
    def problem(self) -> Problem:
        """The instance as arrays, for kernels."""
        rows = self.table.rows
        costs = Costs(
            self.cost.size_costs(rows),
            self.cost.floors(rows, self.smallest, self.price),
            float(self.cost.spread),
            float(self.price),
            float(self.gap),
            self.smallest,
            self.by_rows,
            self.requirements.monotone,
        )
        spans, rules = self.requirements.microdata.spans, self.requirements.rules
        floors = atom_floors(self.table.grid, costs, spans)
        return Problem(self.table.grid._replace(floors=floors), costs, rules, spans)

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
        total = float(self.problem.costs.by_size[found.sizes].sum())
        if self.cost.spread:
            for at, domain in enumerate(microdata.domains):
                penalties = domain.span_costs(found.lo[:, at], found.hi[:, at])
                total += float(self.cost.spread * microdata.weights[at] * (found.sizes @ penalties))
        return total

    def shown(self, value: float) -> float:
        """Return a sum of costs as it is shown to people."""
        return float(self.cost.shown(value, self.table.rows, self.smallest))
