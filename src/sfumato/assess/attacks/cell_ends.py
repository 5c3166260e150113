"""Attacks on single columns: values that the ends of cells give away, and reconstruction from class means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.scenario import Scenario
from sfumato.hierarchies import TreeDomain
from sfumato.hierarchies.reading import ShownColumn

#: The most classes to examine; more would only narrow the confidence interval.
MOST_CLASSES = 5_000


class CellEnds(Attack):
    """Assume that the ends of an interval, or both branches below a label, are values of members.

    If cells are as narrow as possible, each gives away a value in one column; `Downcoding` claims whole records.
    """

    name: ClassVar[str] = "cell ends"
    knows: ClassVar[str] = "the release alone, and that its cells are as narrow as they can be"
    success: ClassVar[str] = (
        "a value that the attacker reads off a wider cell (an interval's end, a label's branch) is a member's"
    )
    guesses: ClassVar[str] = "a value within the same cell, by the totals"
    needs: ClassVar[str] = "a class whose cells are intervals, or groups of two branches"
    finds: ClassVar[str] = (
        "Whoever takes the end of an interval for the value of somebody in it is right for {rate} ends"
    )
    instead: ClassVar[str] = "a value drawn from the cell"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        hits, chances = [], []
        classes = list(scenario.by_class())
        some = scenario.random.choice(len(classes), min(MOST_CLASSES, len(classes)), replace=False)
        for column in scenario.reading.columns:
            claims = _claims(column)
            shown = scenario.reading.shown_cells(column)
            totals = np.bincount(column.original, minlength=column.domain.size + 1)
            for at in some.tolist():
                number, members = classes[at]
                have = column.original[members]
                for first, last in claims[int(shown[number])] if len(members) else ():
                    hits.append(bool(((have >= first) & (have <= last)).any()))
                    chances.append(_by_chance(column, int(shown[number]), totals, last - first, len(members)))
        if hits:
            yield self.outcome(np.array(hits, float), float(np.mean(chances)))


def _claims(column: ShownColumn) -> list[list[tuple[int, int]]]:
    """List for every cell the ranges of codes that the attacker claims a member to be in."""
    claims: list[list[tuple[int, int]]] = []
    for first, last in zip(column.first[:, 0].tolist(), column.last[:, 0].tolist(), strict=True):
        if last - first < 1 or last >= column.domain.size:
            claims.append([])  # a single value is shown anyway, and "*" gives nothing to claim
        elif isinstance(column.domain, TreeDomain):
            claims.append(_branches(column.domain, first, last))
        else:
            claims.append([(first, first), (last, last)])
    return claims


def _branches(domain: TreeDomain, first: int, last: int) -> list[tuple[int, int]]:
    """List the branches below the lowest common node of two codes, if there are two: both must occur."""
    tree = domain.tree
    node = int(tree.common_ancestors(np.array([first]), np.array([last]))[0])
    below = np.flatnonzero((tree.parent == node) & (np.arange(len(tree.parent)) != node))
    spans = {(int(tree.first[one]), int(tree.last[one])) for one in below}
    return sorted(spans) if len(spans) == 2 and (first, last) not in spans else []


def _by_chance(column: ShownColumn, cell: int, totals: NDArray[np.int64], width: int, members: int) -> float:
    """Estimate from the totals how likely a range of this width anywhere in the cell holds a member."""
    first, last = int(column.first[cell, 0]), int(column.last[cell, 0])
    inside = totals[first : last + 1].astype(float)
    inside /= max(1.0, inside.sum())
    sums = np.convolve(inside, np.ones(width + 1), "valid")
    return float((1 - (1 - np.minimum(sums, 1)) ** members).mean())


class MeanReconstruction(Attack):
    """Subtract all other members from the mean that a class shows."""

    name: ClassVar[str] = "reconstruction"
    knows: ClassVar[str] = "the values of all members of a class but one, and the number that the class shows"
    success: ClassVar[str] = "computes the last member's value"
    guesses: ClassVar[str] = "the most frequent value of all"
    needs: ClassVar[str] = "a column of numbers that is shown as means or midpoints"
    finds: ClassVar[str] = (
        "Whoever knows {variant} of all members of a class but one computes the value of the last for {rate} people"
    )
    instead: ClassVar[str] = "by the most frequent value"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        present = scenario.targets[scenario.class_of[scenario.targets] >= 0]
        everybody = np.flatnonzero(scenario.class_of >= 0)
        for column in scenario.reading.columns:
            numbers = column.numbers
            if not column.centres or numbers is None or not len(present):
                continue
            values = np.append(numbers, np.nan)[column.original]
            classes = scenario.class_of
            count = len(scenario.reading.classes)
            sums = np.bincount(classes[everybody], weights=values[everybody], minlength=count)
            sizes = np.bincount(classes[everybody], minlength=count)
            shown = column.low[scenario.reading.shown_cells(column)]
            own = classes[present]
            computed = shown[own] * sizes[own] - (sums[own] - values[present])
            slack = 1e-6 * max(1.0, float(np.abs(numbers).max(initial=0)))
            right = np.abs(computed - values[present]) <= slack
            alone = (column.original[present] >= 0) & ~np.isnan(values[present])
            baseline = float(np.bincount(column.original).max() / len(column.original))
            yield self.outcome(right[alone].astype(float), baseline, variant=column.name)
