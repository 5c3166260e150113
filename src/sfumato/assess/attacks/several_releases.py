"""Composition: what several releases say together about people who are in more than one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.boxes import people_who_fit
from sfumato.assess.attacks.inference import fitting_values
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario, true_classes
from sfumato.hierarchies.reading import ReleaseReading, read_release

#: The most people to look for among those who fit several classes.
MOST_PEOPLE = 300


class Composition(Attack):
    """Intersect what any number of releases say about a person who may be in all of them.

    Whoever fits the person's class in every release is a candidate, and a sensitive value stays possible only if every
    release with the person in it has a row that fits with it. If nothing is left, the person cannot be in all of them,
    and the attacker goes by this release alone.
    """

    name: ClassVar[str] = "composition"
    knows: ClassVar[str] = "other releases with some of the same people, and the quasi-identifiers of everybody"
    success: ClassVar[str] = "says who it is among all who fit every release; or is certain of the sensitive value"
    guesses: ClassVar[str] = "does the same with this release alone"
    needs: ClassVar[str] = "another release of some of the same people"
    finds: ClassVar[str] = "Whoever also has the other releases finds out ({variant}) about {rate} people"
    instead: ClassVar[str] = "by this release alone"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if not scenario.previous or scenario.reading.centres:
            return
        others = [OtherRelease.of(scenario, table) for table in scenario.previous]
        alone, together = self._candidates(scenario, others)
        if len(alone):
            yield self.outcome(1 / together, float((1 / alone).mean()), variant="who it is")
        for at, secret in enumerate(scenario.secrets):
            before, after = _certain(scenario, secret, [(one.reading, one.secrets[at]) for one in others])
            yield self.outcome(after, float(before.mean()), variant=f"{secret.name}, for certain")

    def _candidates(
        self, scenario: Scenario, others: list[OtherRelease]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the people who fit a person's class here, and those who fit all of the person's classes."""
        targets = scenario.targets[scenario.class_of[scenario.targets] >= 0]
        alone, together = [], []
        for person in scenario.patience.through(scenario.random.permutation(targets)[:MOST_PEOPLE].tolist()):
            fitting = people_who_fit(scenario.reading, int(scenario.class_of[person]))
            alone.append(len(fitting))
            for other in others:
                if other.class_of[person] >= 0:
                    fitting = people_who_fit(other.reading, int(other.class_of[person]), fitting)
            together.append(max(1, len(fitting)))
        return np.maximum(np.array(alone, np.int64), 1), np.array(together, np.int64)


@dataclass(frozen=True)
class OtherRelease:
    """Another release of some of the same people, and the class of each of them in it."""

    reading: ReleaseReading
    secrets: list[AttackedColumn]
    class_of: NDArray[np.int64]

    @classmethod
    def of(cls, scenario: Scenario, table: pa.Table) -> OtherRelease:
        """Read a release; people whom it cannot hold get no class."""
        reading = read_release(scenario.original, table, scenario.hierarchies)
        secrets = [scenario.secret_in(name, table, reading) for name in scenario.sensitive]
        return cls(reading, secrets, true_classes(reading, [(one.of_person, one.of_row) for one in secrets]))


def _certain(
    scenario: Scenario, secret: AttackedColumn, others: list[tuple[ReleaseReading, AttackedColumn]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Decide for people whether their value is certain by this release, and by all together."""
    before, after = [], []
    for rows, counts in fitting_values(scenario, secret):
        here = counts > 0
        left = here.copy()
        for reading, other in others:
            there = other.tally(reading.candidates_of(rows, scenario.knows)) > 0
            left &= _in_common_codes(there, secret, other)
        # Nothing is left of people who are not in all of them.
        left = np.where(left.any(axis=1, keepdims=True), left, here)
        mine = secret.of_person[rows]
        before.append(_only(here, mine))
        after.append(_only(left, mine))
    return np.concatenate(before).astype(float), np.concatenate(after).astype(float)


def _in_common_codes(there: NDArray[np.bool_], secret: AttackedColumn, other: AttackedColumn) -> NDArray[np.bool_]:
    """Rearrange what another release holds by the codes of this one; both know the values of the original."""
    codes, first = np.unique(secret.of_person, return_index=True)
    found = np.zeros((len(there), secret.width), bool)
    found[:, codes] = there[:, other.of_person[first]]
    return found


def _only(values: NDArray[np.bool_], mine: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray((values.sum(axis=1) == 1) & values[np.arange(len(mine)), mine], bool)
