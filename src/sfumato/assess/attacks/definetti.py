"""The deFinetti attack: a model learnt from all classes distinguishes the members of one class (Kifer 2009)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario

#: The pseudo-count of every value, so that unseen values are unlikely but not impossible.
SMOOTHING = 0.5
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
    needs: ClassVar[str] = "a sensitive column"
    finds: ClassVar[str] = (
        "Whoever knows everybody's class and learns from all of them guesses {variant} right for {rate} people"
    )

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        present = np.flatnonzero(scenario.class_of >= 0)
        tried = np.isin(present, scenario.targets)
        for secret in scenario.secrets:
            if not tried.any():
                return
            shares = self._shares(scenario, secret, present)
            mine = secret.of_person[present]
            right = shares.argmax(axis=1) == mine
            counts = secret.counts[scenario.class_of[present]]
            best = counts == counts.max(axis=1, keepdims=True)
            by_class = best[np.arange(len(mine)), mine] / best.sum(axis=1)
            yield self.outcome(right[tried].astype(float), float(by_class[tried].mean()), variant=secret.name)

    def _shares(self, scenario: Scenario, secret: AttackedColumn, people: NDArray[np.int64]) -> NDArray[np.float64]:
        """Estimate for every person the probability of each sensitive value."""
        of_class = scenario.class_of[people]
        sizes = np.bincount(of_class, minlength=len(secret.counts))
        columns = [
            _binned(column.original[people]) for column in scenario.reading.columns if column.name in scenario.knows
        ]
        shares = secret.counts[of_class] / np.maximum(sizes, 1)[of_class][:, None]
        start = np.log(shares, where=shares > 0, out=np.full(shares.shape, -np.inf))
        for _ in range(self.rounds):
            learned = np.zeros(shares.shape)
            for codes in columns:
                learned += _log_likelihood(codes, shares)[codes]
            shares = _shared_out(start + learned, of_class, secret.counts)
        return shares


def _binned(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put codes into a few ordered bins of about equally many people."""
    distinct, places = np.unique(codes, return_inverse=True)
    if len(distinct) <= MOST_BINS:
        return places
    before = np.cumsum(np.bincount(places)) - np.bincount(places)
    return (before * MOST_BINS // len(codes))[places]


def _log_likelihood(codes: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the log likelihood of every value of a column given every sensitive value."""
    size = int(codes.max()) + 1
    seen = np.stack([np.bincount(codes, weights=part, minlength=size) for part in shares.T], axis=1) + SMOOTHING
    return np.log(seen / seen.sum(axis=0))


def _shared_out(
    scores: NDArray[np.float64], of_class: NDArray[np.int64], counts: NDArray[np.int64], steps: int = 10
) -> NDArray[np.float64]:
    """Turn scores into shares that add up to 1 per person and to the class's counts, by iterative scaling."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    for _ in range(steps):
        sums = np.stack([np.bincount(of_class, weights=part, minlength=len(counts)) for part in shares.T], axis=1)
        factor = np.divide(counts, sums, out=np.zeros(sums.shape), where=sums > 0)
        shares *= factor[of_class]
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
    return shares
