"""How good an answer is, with proof."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Costs that differ by less than this share are the same: sums of fractions depend on their order.
ROUNDING = 1e-9

#: Why a search ended.
OPTIMUM, GAP, TIME, WORK = "optimum", "gap", "time", "work"
MEMORY, INTERRUPT, SUPPRESSION = "memory", "interrupt", "suppression"

#: The same, for people; an optimum says so itself.
IN_WORDS = {
    GAP: "as near as was asked for",
    TIME: "stopped by the time limit",
    WORK: "stopped by the limit on work",
    MEMORY: "stopped short by the memory limit",
    INTERRUPT: "interrupted",
    SUPPRESSION: "the bound is loose where rows may be left out",
}


def figure(value: float) -> str:
    """Return a cost as people read it.

    Examples
    --------
    >>> figure(1302492.0), figure(0.0471502)
    ('1,302,492', '0.04715')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


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
    ended
        Why the search ended.
    """

    blocks: NDArray[np.int32] = field(repr=False)
    value: float
    bound: float
    greedy: float
    nodes: int
    ended: str = OPTIMUM


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
    ended
        Why the search ended: ``"optimum"``, ``"gap"`` (near enough), ``"time"``, ``"work"``, ``"memory"``,
        ``"interrupt"`` or ``"suppression"`` (all prices of rows left out that are worth a try were tried).
    """

    measure: str
    cost: float
    bound: float
    greedy: float
    nodes: int
    ended: str = OPTIMUM

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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for manifests; a gap that is not known is None."""
        gap = self.gap if math.isfinite(self.gap) else None
        return {**asdict(self), "gap": gap, "proven": self.proven}

    def __str__(self) -> str:
        cost = f"{self.measure} {figure(self.cost)}"
        greedy = f"greedy {figure(self.greedy)}"
        if self.proven:
            return f"{cost} is the least possible with these cuts, proven ({greedy})"
        within = f"at most {self.gap:.2%} above" if math.isfinite(self.gap) else "an unknown distance from"
        facts = ", ".join([f"bound {figure(self.bound)}", greedy, *filter(None, [IN_WORDS.get(self.ended)])])
        return f"{cost} is {within} the least possible with these cuts ({facts})"
