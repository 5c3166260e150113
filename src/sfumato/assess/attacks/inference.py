"""Attacks on sensitive values: inference as WP216 defines it, homogeneity, and background knowledge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario

#: Counts of values that are kept at a time.
CELLS = 1 << 22


def fitting_values(scenario: Scenario, secret: AttackedColumn) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield people, and the counts of sensitive values among the rows that may be theirs."""
    step = max(1, CELLS // secret.width)
    for rows, candidates in scenario.candidates():
        for begin in range(0, len(rows), step):
            yield rows[begin : begin + step], secret.tally(candidates.part(begin, begin + step))


class Inference(Attack):
    """Guess the most frequent value of the fitting rows."""

    name: ClassVar[str] = "inference"
    knows: ClassVar[str] = "the quasi-identifiers of a person"
    success: ClassVar[str] = "says the sensitive value"
    guesses: ClassVar[str] = "the most frequent value of all"
    needs: ClassVar[str] = "a sensitive column"
    finds: ClassVar[str] = "Whoever knows the quasi-identifiers of a person guesses {variant} right for {rate} people"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        for secret in scenario.secrets:
            chances = []
            for rows, counts in fitting_values(scenario, secret):
                best = (counts == counts.max(axis=1, keepdims=True)) & (counts > 0)
                right = best[np.arange(len(rows)), secret.of_person[rows]]
                chances.append(np.where(right, 1 / np.maximum(best.sum(axis=1), 1), 0.0))
            l = scenario.limit_of("l", secret.name)  # noqa: E741
            limit = 1 / l if l is not None and not scenario.reading.centres else None
            yield self.outcome(np.concatenate(chances), secret.mode_share, limit, secret.name)


class Homogeneity(Attack):
    """Find people whose fitting rows all have the same value."""

    name: ClassVar[str] = "homogeneity"
    knows: ClassVar[str] = "the quasi-identifiers of a person, and that the person is in the table"
    success: ClassVar[str] = "all rows that fit have one sensitive value, the person's"
    guesses: ClassVar[str] = "nothing is certain from totals unless everybody has one value"
    needs: ClassVar[str] = "a sensitive column"
    finds: ClassVar[str] = "Whoever knows the quasi-identifiers of a person is certain of {variant} for {rate} people"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        for secret in scenario.secrets:
            chances = []
            for rows, counts in fitting_values(scenario, secret):
                mine = counts[np.arange(len(rows)), secret.of_person[rows]]
                chances.append(((counts > 0).sum(axis=1) == 1) & (mine > 0))
            sure = float((secret.totals > 0).sum() == 1)
            distinct = scenario.limit_of("distinct", secret.name) or 1
            limit = 0.0 if distinct > 1 and not scenario.reading.centres else None
            yield self.outcome(np.concatenate(chances).astype(float), sure, limit, secret.name)


@dataclass(frozen=True)
class BackgroundKnowledge(Attack):
    """Rule out the most frequent wrong values, and guess the most frequent of the rest."""

    ruled_out: tuple[int, ...] = (1, 2, 3)
    name: ClassVar[str] = "background knowledge"
    knows: ClassVar[str] = "the quasi-identifiers of a person, and some sensitive values that the person does not have"
    success: ClassVar[str] = "says the sensitive value"
    guesses: ClassVar[str] = "the most frequent value of all that is not ruled out"
    needs: ClassVar[str] = "a sensitive column of three or more values"
    finds: ClassVar[str] = (
        "Whoever knows a person and values that the person does not have guesses right ({variant}) for {rate} people"
    )

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        for secret in scenario.secrets:
            # Whoever has ruled out all values but one needs no release.
            allowed = [number for number in self.ruled_out if number < len(np.unique(secret.of_person)) - 1]
            chances: dict[int, list[NDArray[np.float64]]] = {number: [] for number in allowed}
            guessed: dict[int, list[NDArray[np.float64]]] = {number: [] for number in allowed}
            totals = np.bincount(secret.of_person, minlength=secret.width)
            for rows, counts in fitting_values(scenario, secret):
                everybody = np.broadcast_to(totals, counts.shape)
                for number in allowed:
                    chances[number].append(_right_without(counts, secret.of_person[rows], number))
                    guessed[number].append(_right_without(everybody, secret.of_person[rows], number))
            for number in allowed:
                baseline = float(np.concatenate(guessed[number]).mean())
                variant = f"{secret.name}, {number} ruled out"
                yield self.outcome(np.concatenate(chances[number]), baseline, variant=variant)


def _right_without(counts: NDArray[np.number], mine: NDArray[np.int64], number: int) -> NDArray[np.float64]:
    """Compute the probability of being right once the ``number`` most frequent wrong values are ruled out."""
    left = counts.astype(np.float64)
    each = np.arange(len(left))
    own = left[each, mine].copy()
    left[each, mine] = -1
    worst = np.argpartition(-left, number - 1, axis=1)[:, :number]
    np.put_along_axis(left, worst, -1, axis=1)
    rival = left.max(axis=1)
    ties = (left == rival[:, None]).sum(axis=1)
    return np.where(own > rival, 1.0, np.where((own == rival) & (own > 0), 1 / (1 + ties), 0.0))
