"""Attacks that combine a release with other knowledge: another release of the same people, and membership."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.inference import fitting_values
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario
from sfumato.common.grouping import CodedColumn, group_rows
from sfumato.hierarchies.reading import ReleaseReading, read_release


class Intersection(Attack):
    """Keep only the sensitive values that fit in every release of the same people."""

    name: ClassVar[str] = "intersection"
    knows: ClassVar[str] = "the quasi-identifiers of a person, and another release with the same person in it"
    success: ClassVar[str] = "says the sensitive value"
    guesses: ClassVar[str] = "the value that most of the fitting rows of this release alone have"
    needs: ClassVar[str] = "another release of the same people, with a sensitive column"
    finds: ClassVar[str] = (
        "Whoever also has the other release of the same people guesses {variant} right for {rate} people"
    )
    instead: ClassVar[str] = "by this release alone"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        others = [(table, read_release(scenario.original, table, scenario.hierarchies)) for table in scenario.previous]
        for secret in scenario.secrets if others else ():
            beside = [scenario.secret_in(secret.name, table, reading) for table, reading in others]
            alone, together = [], []
            for rows, counts in fitting_values(scenario, secret):
                mine = secret.of_person[rows]
                alone.append(_right(counts, counts, mine))
                joint = np.log(np.maximum(counts, 1e-9))
                for (_, reading), other in zip(others, beside, strict=True):
                    joint += _agreement(scenario, reading, other, rows, counts.shape[1])
                together.append(_right(joint, counts, mine))
            baseline = float(np.concatenate(alone).mean())
            yield self.outcome(np.concatenate(together), baseline, variant=secret.name)


def _agreement(
    scenario: Scenario, reading: ReleaseReading, other: AttackedColumn, rows: NDArray[np.int64], width: int
) -> NDArray[np.float64]:
    """Compute the log ratio of each value's frequency in another release to its total there."""
    counts = other.tally(reading.candidates_of(rows, scenario.knows))
    rates = np.log(np.maximum(counts, 1e-9)) - np.log(np.maximum(other.totals, 1e-9))
    fitted = np.full((len(rows), width), np.log(1e-9))
    shared = min(width, rates.shape[1])
    fitted[:, :shared] = rates[:, :shared]
    return fitted


def _right(scores: NDArray[np.number], counts: NDArray[np.number], mine: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute the probability that the best-scored fitting value is the person's."""
    allowed = np.where(counts > 0, scores, -np.inf)
    best = allowed >= allowed.max(axis=1, keepdims=True) - 1e-9
    return np.where(best[np.arange(len(mine)), mine], 1 / best.sum(axis=1), 0.0)


class Membership(Attack):
    """Assume that people are in the table if some class fits them."""

    name: ClassVar[str] = "membership"
    knows: ClassVar[str] = "the quasi-identifiers of people, half of whom are in the table"
    success: ClassVar[str] = "says whether they are"
    guesses: ClassVar[str] = "tosses a coin"
    finds: ClassVar[str] = (
        "Whoever knows the quasi-identifiers of a person is right about whether they are in the table for {rate} people"
    )
    instead: ClassVar[str] = "by a coin"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if scenario.reading.centres:
            return
        inside = np.concatenate([candidates.many > 0 for _, candidates in scenario.candidates()])
        outside = self._strangers_fit(scenario, len(inside))
        if len(outside):
            half = min(len(inside), len(outside))
            yield self.outcome(np.concatenate([inside[:half], ~outside[:half]]).astype(float), 0.5)

    def _strangers_fit(self, scenario: Scenario, wanted: int) -> NDArray[np.bool_]:
        """Decide which people who are not in the table fit some class."""
        if scenario.strangers is not None:
            rows = np.arange(min(wanted, scenario.strangers.people))
            return scenario.strangers.candidates_of(rows, scenario.knows, exactly=True).many > 0
        return self._made_up_fit(scenario, wanted)

    def _made_up_fit(self, scenario: Scenario, wanted: int) -> NDArray[np.bool_]:
        """Make up people from values of different people, without those who are in the table."""
        columns = [column for column in scenario.reading.columns if column.name in scenario.knows]
        codes = {column.name: scenario.random.choice(column.original, wanted) for column in columns}
        together = [np.concatenate([column.original, codes[column.name]]).astype(np.int32) for column in columns]
        looks = group_rows(
            [CodedColumn(pa.nulls(column.domain.size), each) for column, each in zip(columns, together, strict=True)]
        ).of_row
        people = scenario.reading.people
        new = ~np.isin(looks[people:], looks[:people])
        known = scenario.reading.index.known({name: each[new] for name, each in codes.items()}, int(new.sum()))
        return scenario.reading.index.candidates(*known).many > 0
