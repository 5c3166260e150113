"""Linkage by exact, partial and noisy knowledge; singling out and linkability as WP216 defines them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.scenario import Scenario, blocks
from sfumato.hierarchies.reading import Candidates, ClassIndex, ReleaseReading, known_codes


def chance_of_row(scenario: Scenario, rows: NDArray[np.int64], candidates: Candidates) -> NDArray[np.float64]:
    """Compute the probability of picking each person's row among all that fit."""
    fitting = candidates.sums(scenario.reading.classes.sizes)
    right = candidates.holds(scenario.class_of[rows])
    return np.where(right, 1 / np.maximum(fitting, 1), 0.0)


def found_people(scenario: Scenario, most: int) -> Iterator[dict[str, Any]]:
    """Yield the original values of people whose row or sensitive value is certain."""
    names = [*scenario.knows, *scenario.sensitive]
    left = most
    for rows, candidates in scenario.candidates():
        certain = chance_of_row(scenario, rows, candidates) == 1
        for secret in scenario.secrets:
            certain |= (secret.tally(candidates) > 0).sum(axis=1) == 1
        for row in rows[certain][:left].tolist():
            yield {"row": row} | {name: scenario.original.column(name)[row].as_py() for name in names}
        left -= min(left, int(certain.sum()))


def _promise(scenario: Scenario) -> float | None:
    return 1 / scenario.promised["k"] if "k" in scenario.promised else None


class Linkage(Attack):
    """Pick one of the rows that fit."""

    name: ClassVar[str] = "linkage"
    knows: ClassVar[str] = "the quasi-identifiers of a person exactly, and that the person is in the table"
    success: ClassVar[str] = "picks the person's row"
    guesses: ClassVar[str] = "any row"
    finds: ClassVar[str] = "Whoever knows all quasi-identifiers of a person picks the right row for {rate} people"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        chances = [chance_of_row(scenario, rows, candidates) for rows, candidates in scenario.candidates()]
        yield self.outcome(np.concatenate(chances), 1 / scenario.release.num_rows, _promise(scenario))


@dataclass(frozen=True)
class PartialLinkage(Attack):
    """Pick one of the rows that fit what is known: a random share of the quasi-identifiers."""

    share: float = 0.5
    name: ClassVar[str] = "linkage, partial"
    knows: ClassVar[str] = "half of the quasi-identifiers of a person, and that the person is in the table"
    success: ClassVar[str] = "picks the person's row"
    guesses: ClassVar[str] = "any row"
    needs: ClassVar[str] = "two quasi-identifiers"
    finds: ClassVar[str] = (
        "Whoever knows half of the quasi-identifiers of a person picks the right row for {rate} people"
    )

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if len(scenario.knows) < 2:
            return
        count = max(1, round(self.share * len(scenario.knows)))
        parts = np.array_split(scenario.random.permutation(scenario.targets), min(10, len(scenario.targets)))
        chances = []
        for part in parts:
            known = scenario.random.choice(scenario.knows, count, replace=False).tolist()
            chances += [chance_of_row(scenario, rows, found) for rows, found in scenario.candidates(known, part)]
        yield self.outcome(np.concatenate(chances), 1 / scenario.release.num_rows, _promise(scenario))


@dataclass(frozen=True)
class NoisyLinkage(Attack):
    """Pick one of the rows nearest to noisy knowledge: inexact numbers, and some wrong categories."""

    noise: float = 0.05
    wrong: float = 0.1
    name: ClassVar[str] = "linkage, noisy"
    knows: ClassVar[str] = "the quasi-identifiers roughly: numbers off by 5 % of their range, 1 of 10 categories wrong"
    success: ClassVar[str] = "picks the person's row"
    guesses: ClassVar[str] = "any row"
    finds: ClassVar[str] = (
        "Whoever knows the quasi-identifiers of a person roughly picks the right row for {rate} people"
    )

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        through = scenario.patience.through(blocks(scenario.targets))
        chances = [chance_of_row(scenario, rows, self._nearest(scenario, rows)) for rows in through]
        yield self.outcome(np.concatenate(chances), 1 / scenario.release.num_rows, _promise(scenario))

    def _nearest(self, scenario: Scenario, rows: NDArray[np.int64]) -> Candidates:
        index = scenario.reading.index
        codes, shifts = known_codes(scenario.reading.columns, rows, scenario.knows), {}
        for column in scenario.reading.columns:
            if column.name not in scenario.knows:
                continue
            if column.numbers is not None and len(column.numbers):
                shifts[column.name] = scenario.random.normal(0, self.noise * float(np.ptp(column.numbers)), len(rows))
            else:
                mistaken = scenario.random.random(len(rows)) < self.wrong
                codes[column.name][mistaken] = scenario.random.choice(column.original, int(mistaken.sum()))
        return index.candidates(*index.known(codes, len(rows), shifts), nearest=True)


class SinglingOut(Attack):
    """Describe a person by what a row shows, so that the description fits only one person of the original."""

    name: ClassVar[str] = "singling out"
    knows: ClassVar[str] = "the release alone"
    success: ClassVar[str] = "what a released row shows of the quasi-identifiers fits exactly one person"
    guesses: ClassVar[str] = "puts the cells of different rows together"
    finds: ClassVar[str] = (
        "Whoever has the release alone can describe exactly one person by what a row shows, in {rate} rows"
    )
    instead: ClassVar[str] = "by cells of different rows put together"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        reading = scenario.reading
        alone = reading.candidates() == 1
        rows = scenario.random.choice(
            scenario.release.num_rows, min(len(scenario.targets), scenario.release.num_rows), replace=False
        )
        yield self.outcome(
            alone[reading.classes.of_row[rows]].astype(float),
            self._by_chance(scenario),
            0.0 if self._safe(scenario) else None,
        )

    def _safe(self, scenario: Scenario) -> bool:
        return scenario.promised.get("k", 1) >= 2

    def _by_chance(self, scenario: Scenario) -> float:
        """Estimate how often a description made of parts of different rows singles a person out."""
        reading = scenario.reading
        tries = min(500, scenario.release.num_rows)
        cells = [scenario.random.choice(column.cell_of_row, tries) for column in reading.columns]
        made_up = ClassIndex.of(reading.columns, np.stack(cells, axis=1).astype(np.int64))
        return float((reading.people_in(made_up) == 1).mean())


@dataclass(frozen=True)
class Linkability(Attack):
    """Join two sources about the same people, with different columns, through the release."""

    decoys: int = 9
    name: ClassVar[str] = "linkability"
    knows: ClassVar[str] = (
        "half of the quasi-identifiers of a person, and the other half of ten people, one of them the same"
    )
    success: ClassVar[str] = "says which of the ten belongs to the person"
    guesses: ClassVar[str] = "any of the ten; with people who are not in the table, the same attack on them"
    needs: ClassVar[str] = "two quasi-identifiers"
    finds: ClassVar[str] = (
        "Whoever has two other files, each with half of the quasi-identifiers, joins the right halves for {rate} people"
    )
    instead: ClassVar[str] = "by chance"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if len(scenario.knows) < 2:
            return
        half = len(scenario.knows) // 2
        first, second = scenario.knows[:half], scenario.knows[half:]
        halves = (first, second)
        chances = self._chances(scenario, scenario.reading, scenario.targets, halves)
        baseline = 1 / (self.decoys + 1)
        if scenario.strangers is not None:
            everybody = np.arange(scenario.strangers.people)
            baseline = float(self._chances(scenario, scenario.strangers, everybody, halves).mean())
        yield self.outcome(chances, baseline)

    def _chances(
        self,
        scenario: Scenario,
        reading: ReleaseReading,
        people: NDArray[np.int64],
        halves: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> NDArray[np.float64]:
        """Compute the probability of choosing the right person: whose two halves meet in the most released rows."""
        parts = scenario.patience.through(blocks(people))
        return np.concatenate([self._some(scenario, reading, rows, *halves) for rows in parts])

    def _some(
        self,
        scenario: Scenario,
        reading: ReleaseReading,
        rows: NDArray[np.int64],
        first: tuple[str, ...],
        second: tuple[str, ...],
    ) -> NDArray[np.float64]:
        sizes = reading.classes.sizes
        decoys = [scenario.random.integers(0, reading.people, len(rows)) for _ in range(self.decoys)]
        table = np.stack(
            [self._joined(reading, rows, each, first, second).sums(sizes) for each in [rows, *decoys]], axis=1
        )
        best = table == table.max(axis=1, keepdims=True)
        return np.where(best[:, 0], 1 / best.sum(axis=1), 0.0)

    def _joined(
        self,
        reading: ReleaseReading,
        rows: NDArray[np.int64],
        others: NDArray[np.int64],
        first: tuple[str, ...],
        second: tuple[str, ...],
    ) -> Candidates:
        """Find the classes that fit one half of a person and the other half of another one."""
        if reading.centres:
            return reading.candidates_of(rows, first).both(reading.candidates_of(others, second))
        codes = known_codes(reading.columns, rows, first) | known_codes(reading.columns, others, second)
        return reading.index.candidates(*reading.index.known(codes, len(rows)))
