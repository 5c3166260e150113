"""How good an answer is, with proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: Costs that differ by less than this share are the same: sums of fractions depend on their order.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Found:
    """What an engine found: a partition, what it costs, and what no partition can cost less than.

    Attributes
    ----------
    blocks
        The block of every atom, -1 where its rows are left out.
    value, bound
        The sum of the costs of all blocks, and a bound that it cannot be below.
    greedy
        The sum of costs of Mondrian's partition on the same cuts.
    nodes
        How many boxes or partitions were looked at.
    interrupted
        Whether somebody asked to stop.
    """

    blocks: NDArray[np.int32] = field(repr=False)
    value: float
    bound: float
    greedy: float
    nodes: int
    interrupted: bool = False


@dataclass(frozen=True)
class Optimality:
    """How good a release is among all that the same cuts allow.

    Attributes
    ----------
    measure
        What was to be least: ``"dm"``, ``"c_avg"``, ``"gcp"`` or the name of a cost of your own.
    cost
        What the release costs.
    bound
        What no partition with these cuts can be below, proven.
    greedy
        What Mondrian's partition with these cuts costs.
    nodes
        How many boxes (or partitions, with ``engine="pet"``) were looked at.
    """

    measure: str
    cost: float
    bound: float
    greedy: float
    nodes: int

    @property
    def gap(self) -> float:
        """How far the cost may be above the optimum, as a share of the bound; 0 is optimal."""
        if self.proven:
            return 0.0
        return self.cost / self.bound - 1 if self.bound > 0 else math.inf

    @property
    def proven(self) -> bool:
        """Whether nothing better exists."""
        return self.bound >= self.cost * (1 - ROUNDING)

    def __str__(self) -> str:
        if self.proven:
            return f"{self.measure} {self.cost:,.6g} is the least possible with these cuts, proven"
        within = f"at most {self.gap:.2%} above" if math.isfinite(self.gap) else "an unknown distance from"
        return f"{self.measure} {self.cost:,.6g} is {within} the least possible with these cuts"
