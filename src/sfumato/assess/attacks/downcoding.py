"""Downcoding (Cohen, *Attacks on deidentification's defenses*, USENIX Security 2022): finer whole records.

A minimal hierarchical recoding shows no cell coarser than it must. So whatever a class hides, some of its rows must
need it: if most are alike, a single one that differs from them in every coarse column explains the whole class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.greedy_order import ShownLevels
from sfumato.assess.attacks.scenario import Scenario

#: The most classes to examine; more would only narrow the confidence interval.
MOST_CLASSES = 400


class Downcoding(Attack):
    """Claim a finer record for every row of a class, in all of its coarse columns together.

    All rows but one are claimed to be in the branch of each column where most similar people are, and one to be in
    another branch of every coarse column: the fewest people that a minimal recoding needs to look like this.
    """

    name: ClassVar[str] = "downcoding"
    knows: ClassVar[str] = "the release alone, the levels, and that nothing is coarser than it has to be"
    success: ClassVar[str] = "the finer whole record that is claimed for a row of a class is that of a member"
    guesses: ClassVar[str] = "claims the most frequent branches for all rows: what the cells say without minimality"
    needs: ClassVar[str] = "a class of several people that shows more than one value, and no midpoints or means"
    finds: ClassVar[str] = (
        "Whoever trusts that nothing is coarser than it must be claims a finer record rightly for {rate} rows"
    )
    instead: ClassVar[str] = "by the most frequent values of each cell"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if scenario.reading.centres:
            return
        levels = Branches(ShownLevels(scenario.reading), scenario.reading.classes.sizes)
        members_of = {number: rows for number, rows in scenario.by_class() if len(rows) > 1}
        coarse = [number for number in members_of if (levels.shown.nodes[number] > 0).any()]
        some = scenario.random.permutation(np.array(coarse, np.int64))[:MOST_CLASSES]
        claimed, plain = [], []
        for number in scenario.patience.through(some.tolist()):
            right, without = levels.judge(number, members_of[number])
            claimed.append(right)
            plain.append(without)
        if claimed:
            yield self.outcome(np.array(claimed), float(np.mean(plain)))


@dataclass(frozen=True)
class Branches:
    """The branches of coarse cells, and how many similar people the release shows in each."""

    shown: ShownLevels
    sizes: NDArray[np.int64]

    @cached_property
    def _ranges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last value of every class (row) in every column."""
        cells = self.shown.cells
        first = [one.column.first[cells[:, at], 0] for at, one in enumerate(self.shown.columns)]
        last = [one.column.last[cells[:, at]].max(axis=1) for at, one in enumerate(self.shown.columns)]
        return np.stack(first, axis=1), np.stack(last, axis=1)

    def judge(self, number: int, members: NDArray[np.int64]) -> tuple[float, float]:
        """Compute the share of a class whose finer records are claimed rightly, with minimality and without."""
        columns = np.flatnonzero(self.shown.nodes[number] > 0).tolist()
        usual = np.ones(len(members), bool)
        other = np.ones(len(members), bool)
        for at in columns:
            of_code = self._branches(number, at)
            weights = self._similar(number, at, of_code)
            ranked = np.argsort(-weights, kind="stable")
            true = of_code[self.shown.columns[at].column.original[members]]
            usual &= true == ranked[0]
            other &= true == ranked[1]
        alike = int(usual.sum())
        return (min(alike, len(members) - 1) + bool(other.any())) / len(members), alike / len(members)

    def _branches(self, number: int, at: int) -> NDArray[np.int64]:
        """Number the branch of every code below what a class shows: of a label, or the halves of an interval."""
        levels = self.shown.columns[at]
        cell = int(self.shown.cells[number, at])
        inside = levels.codes(cell)
        found = np.full(levels.column.domain.size + 1, -1, np.int64)
        if levels.declared:
            groups = levels.groups[int(self.shown.nodes[number, at]) - 1]
            found[inside] = np.unique(groups[inside], return_inverse=True)[1]
        else:
            found[inside] = np.arange(len(inside)) * 2 // len(inside)
        return found

    def _similar(self, number: int, at: int, of_code: NDArray[np.int64]) -> NDArray[np.float64]:
        """Count the rows that other classes show in each branch, if these can be alike in all other columns."""
        first, last = self._ranges
        meets = (first <= last[number]) & (last >= first[number])
        meets[:, at] = True
        near = meets.all(axis=1)
        near[number] = False
        begin, end = (
            of_code[np.minimum(first[near, at], len(of_code) - 1)],
            of_code[np.minimum(last[near, at], len(of_code) - 1)],
        )
        within = (begin == end) & (begin >= 0)
        original = of_code[self.shown.columns[at].column.original]
        totals = np.bincount(original[original >= 0], minlength=int(of_code.max()) + 1)
        weights = np.bincount(begin[within], self.sizes[near][within], minlength=len(totals))
        # Where no class says anything, what is frequent everywhere decides.
        return np.asarray(weights + totals / max(1, totals.sum()), np.float64)
