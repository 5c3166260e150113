"""The deFinetti attack: a model learnt from all classes distinguishes the members of one class (Kifer 2009)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.kernels.definetti import share_out
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario
from sfumato.common.progress import Tell, scaled, silent

Codes = NDArray[np.int64]

#: The pseudo-count of every value, so that unseen values are unlikely but not impossible.
SMOOTHING = 0.5
#: The most sensitive values: with more, hardly any occurs often enough to teach something.
MOST_VALUES = 10_000
#: How often shares are scaled to the counts of the class, and to 1 per person.
STEPS = 10
#: The most bins of a column: values that occur a few times teach nothing.
MOST_BINS = 64


@dataclass(frozen=True)
class DeFinetti(Attack):
    """Learn from all classes how sensitive values depend on quasi-identifiers, and share out each class's values.

    The attacker starts with each class's values spread evenly over its members, learns a naive Bayes model from that,
    redistributes the values by it, and repeats. Shares add up to 1 per person and to the counts of the class.
    """

    rounds: int = 8
    name: ClassVar[str] = "deFinetti"
    knows: ClassVar[str] = "the quasi-identifiers of everybody in the table, and the class that each is in"
    success: ClassVar[str] = "says the sensitive value"
    guesses: ClassVar[str] = "the most frequent value of the person's class"
    needs: ClassVar[str] = "a sensitive column with at most 10,000 values, and people whose row is in the release"
    finds: ClassVar[str] = (
        "Whoever knows everybody's class and learns from all of them guesses {variant} right for {rate} people"
    )
    instead: ClassVar[str] = "by the class alone"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        present = np.flatnonzero(scenario.class_of >= 0)
        tried = present[np.isin(present, scenario.targets)]
        for at, secret in enumerate(scenario.secrets if len(tried) else ()):
            if secret.width > MOST_VALUES:
                continue
            classes = ValuesOfClasses.of(scenario, secret, present)
            tell = scaled(scenario.patience.tell, at / len(scenario.secrets), 1 / len(scenario.secrets))
            right = self.likeliest(scenario, classes, tell)[tried] == secret.of_person[tried]
            by_class = classes.chance_of_most_frequent(scenario.class_of[tried], secret.of_person[tried])
            yield self.outcome(right.astype(float), float(by_class.mean()), variant=secret.name)

    def likeliest(self, scenario: Scenario, classes: ValuesOfClasses, tell: Tell = silent) -> NDArray[np.int64]:
        """Find the likeliest sensitive value of every person in a class, -1 for others."""
        known = [_binned(column.original) for column in scenario.reading.columns if column.name in scenario.knows]
        sizes = [int(codes.max(initial=0)) + 1 for codes in known]
        first = np.cumsum([0, *sizes])
        codes = np.stack([each + begin for each, begin in zip(known, first, strict=False)], axis=1)
        learned = np.zeros((int(first[-1]), classes.width))
        likeliest = np.full(scenario.reading.people, -1, np.int64)
        for number in range(self.rounds + 1):
            tell(number / (self.rounds + 1))
            seen = np.zeros(learned.shape)
            # The first round starts from equal shares, which need no scaling: each class's counts, by its size.
            share_out(*classes.layout, codes, learned, STEPS if number else 0, seen, likeliest)
            seen += SMOOTHING
            for begin, end in pairwise(first.tolist()):
                learned[begin:end] = np.log(seen[begin:end] / seen[begin:end].sum(axis=0))
        return likeliest


@dataclass(frozen=True)
class ValuesOfClasses:
    """The people of every class, and how often each sensitive value occurs in it.

    Attributes
    ----------
    members, begins
        The people of all classes, and where each class begins.
    values, counts, value_begins
        The values of all classes in ascending order with their counts, and where each class begins.
    width
        The number of different values.
    """

    members: NDArray[np.int64] = field(repr=False)
    begins: NDArray[np.int64] = field(repr=False)
    values: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    value_begins: NDArray[np.int64] = field(repr=False)
    width: int

    @classmethod
    def of(cls, scenario: Scenario, secret: AttackedColumn, people: NDArray[np.int64]) -> ValuesOfClasses:
        """Collect them from a scenario."""
        numbers = np.arange(len(scenario.reading.classes) + 1)
        members = people[np.argsort(scenario.class_of[people], kind="stable")]
        keys, counts = np.unique(scenario.reading.classes.of_row * secret.width + secret.of_row, return_counts=True)
        return cls(
            members,
            np.searchsorted(scenario.class_of[members], numbers),
            keys % secret.width,
            counts,
            np.searchsorted(keys // secret.width, numbers),
            secret.width,
        )

    @property
    def layout(self) -> tuple[Codes, Codes, Codes, Codes, Codes]:
        """The arrays as `share_out` takes them."""
        return self.members, self.begins, self.values, self.counts, self.value_begins

    def chance_of_most_frequent(self, of_class: NDArray[np.int64], mine: NDArray[np.int64]) -> NDArray[np.float64]:
        """Compute how likely guessing a class's most frequent value is right, for people of classes with values."""
        begins, ends = self.value_begins[of_class], self.value_begins[of_class + 1]
        chances = np.zeros(len(mine))
        for at, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            best = self.counts[begin:end] == self.counts[begin:end].max()
            chances[at] = bool((best & (self.values[begin:end] == mine[at])).any()) / best.sum()
        return chances


def _binned(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put codes into a few ordered bins of about equally many people."""
    distinct, places = np.unique(codes, return_inverse=True)
    if len(distinct) <= MOST_BINS:
        return places
    before = np.cumsum(np.bincount(places)) - np.bincount(places)
    return (before * MOST_BINS // len(codes))[places]
