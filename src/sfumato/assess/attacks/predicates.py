"""Predicate singling out (Cohen and Nissim, *Towards formalizing the GDPR's notion of singling out*, PNAS 2020).

A predicate singles out if exactly one person of the table fits it. Anybody can find one with chance 1/e, without the
release: any description that one of n people fits on average. It counts only if a description that hardly anybody fits
succeeds more often than its weight explains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.boxes import people_who_fit
from sfumato.assess.attacks.greedy_order import ShownLevels
from sfumato.assess.attacks.scenario import Scenario

#: The most classes to derive predicates from: more would only narrow the confidence interval.
MOST_CLASSES = 300


class Predicate(NamedTuple):
    """A predicate: the chance that exactly one person fits it, and the share of a population that does."""

    success: float
    weight: float


class PredicateSinglingOut(Attack):
    """Describe somebody by what a class shows and a little more, so that exactly one person fits.

    The floor needs nothing but the class: of its n rows, a random part of 1/n. Where the release shows more, the
    attacker takes that instead: a sensitive value that one row of the class has, or the end of an interval.
    """

    name: ClassVar[str] = "predicate singling out"
    knows: ClassVar[str] = "the release alone, and how frequent values are in the population"
    success: ClassVar[str] = "exactly one person of the original fits a description that is made from a class"
    guesses: ClassVar[str] = "a description that as many people fit, made without the release: at most 1/e succeed"
    needs: ClassVar[str] = "a release that shows no midpoints or means"
    finds: ClassVar[str] = (
        "Whoever has the release describes somebody so that nobody else fits ({variant}) in {rate} tries"
    )
    instead: ClassVar[str] = "with descriptions as rare but without the release"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if scenario.reading.centres:
            return
        classes = len(scenario.reading.classes)
        some = scenario.random.choice(classes, min(MOST_CLASSES, classes), replace=False)
        known = Descriptions(scenario)
        found = [known.of_class(number) for number in scenario.patience.through(some.tolist())]
        people = scenario.reading.people
        for name, at in (("a random part of a class", 0), ("the best found", 1)):
            tried = [each[at] for each in found]
            weights = np.array([one.weight for one in tried])
            baseline = float(by_chance(weights, people).mean())
            typical = f"{name}, mean weight {weights.mean():.2g}"
            yield self.outcome(np.array([one.success for one in tried]), baseline, variant=typical)


def by_chance(weights: NDArray[np.float64], people: int) -> NDArray[np.float64]:
    """Compute how likely exactly one of some people fits predicates of given weights; at most about 1/e.

    >>> [round(float(chance), 3) for chance in by_chance(np.array([1e-9, 1e-3, 0.5]), 1_000)]
    [0.0, 0.368, 0.0]
    """
    return people * weights * (1 - np.minimum(weights, 1)) ** (people - 1)


@dataclass(frozen=True)
class Descriptions:
    """Descriptions that can be made from the classes of a release."""

    scenario: Scenario

    @cached_property
    def levels(self) -> ShownLevels:
        """The levels that classes are shown at."""
        return ShownLevels(self.scenario.reading)

    @cached_property
    def _whole(self) -> NDArray[np.int64]:
        """The number of each person's whole record; equal records have one number."""
        columns = [column.original for column in self.scenario.reading.columns]
        columns += [secret.of_person for secret in self.scenario.secrets]
        numbers = np.zeros(self.scenario.reading.people, np.int64)
        for codes in columns:
            numbers = np.unique(numbers * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
        return numbers

    def of_class(self, number: int) -> tuple[Predicate, Predicate]:
        """Describe somebody of a class: by a random part of it, and by the best that the release offers."""
        fitting = people_who_fit(self.scenario.reading, number)
        weight = self._weight(number, fitting)
        size = int(self.scenario.reading.classes.sizes[number])
        floor = Predicate(self._by_random_part(fitting, size), weight / size)
        return floor, self._by_secret(number, fitting, weight) or self._by_end(number, fitting, weight) or floor

    def _weight(self, number: int, fitting: NDArray[np.int64]) -> float:
        """Estimate the share of a population that fits a class.

        People outside the table say it. Without them, everybody of the table counts who would fit if the class had
        been made without them: whoever gives an interval its end would not.
        """
        if self.scenario.strangers is not None:
            return len(people_who_fit(self.scenario.strangers, number)) / self.scenario.strangers.people
        members = np.flatnonzero(self.scenario.class_of == number)
        needed = int((~self._fit_without_themselves(number, members)).sum()) if self.scenario.tight else 0
        return max(0, len(fitting) - needed) / self.scenario.reading.people

    def _fit_without_themselves(self, number: int, members: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Decide which members would fit what the others of their class span."""
        fit = np.full(len(members), len(members) > 1)
        for at, levels in enumerate(self.levels.columns):
            if len(members) < 2 or not self.levels.nodes[number, at] > 0:
                continue
            codes = levels.column.original[members]
            ordered = np.sort(codes)
            low = np.where(codes == ordered[0], ordered[1], ordered[0])
            high = np.where(codes == ordered[-1], ordered[-2], ordered[-1])
            fit &= levels.covered(low, high, codes)
        return fit

    def _by_random_part(self, fitting: NDArray[np.int64], size: int) -> float:
        """Compute how likely exactly one person is in a random part of all records, of the share 1/size."""
        _, counts = np.unique(self._whole[fitting], return_counts=True)
        share = 1 / size
        return (
            float((counts == 1).sum() * share * (1 - share) ** (len(counts) - 1))
            if size > 1
            else float(len(fitting) == 1)
        )

    def _by_secret(self, number: int, fitting: NDArray[np.int64], weight: float) -> Predicate | None:
        """Add a sensitive value that exactly one row of the class has."""
        for secret in self.scenario.secrets:
            codes, counts = np.unique(secret.values_in(number), return_counts=True)
            alone = codes[counts == 1]
            if len(alone):
                shares = np.bincount(secret.of_person, minlength=int(alone.max()) + 1)[alone] / len(secret.of_person)
                value = int(alone[np.argmin(shares)])
                hits = int((secret.of_person[fitting] == value).sum())
                return Predicate(float(hits == 1), weight * float(shares.min()))
        return None

    def _by_end(self, number: int, fitting: NDArray[np.int64], weight: float) -> Predicate | None:
        """Add that a value is the end of the interval that holds most values: somebody has it."""
        best: tuple[int, Predicate] | None = None
        for column in self.scenario.reading.columns:
            cell = int(self.scenario.reading.shown_cells(column)[number])
            first, last = int(column.first[cell, 0]), int(column.last[cell, 0])
            if column.numbers is None or last >= len(column.numbers) or last <= first:
                continue
            counts = np.bincount(column.original, minlength=last + 1)
            share = counts[last] / max(1, counts[first : last + 1].sum())
            hits = int((column.original[fitting] == last).sum())
            if self.scenario.tight and (best is None or last - first > best[0]):
                best = last - first, Predicate(float(hits == 1), weight * float(share))
        return None if best is None else best[1]
