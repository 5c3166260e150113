"""The minimality attack: if a class was not cut, the attacker can infer why (Wong 2007)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario

#: The most classes to examine; more would only narrow the confidence interval.
MOST_CLASSES = 2_000


class Guess(NamedTuple):
    """A guess that some people have a value: its certainty, the people, the value, and its share in the class."""

    certainty: float
    people: NDArray[np.int64]
    value: int
    share: float


class Minimality(Attack):
    """Look for a cut that k allows but that was not made: one side must break l-diversity.

    Of all ways to assign a class's sensitive values to its members, only those remain in which one side has the most
    frequent value too often. The attacker chooses the side that is likelier to.
    """

    name: ClassVar[str] = "minimality"
    knows: ClassVar[str] = (
        "the quasi-identifiers of everybody, the method, k and l: it cuts at medians where that is allowed"
    )
    success: ClassVar[str] = "says the sensitive value of somebody on the side that must have kept the class whole"
    guesses: ClassVar[str] = "the most frequent value of the class"
    needs: ClassVar[str] = "a class that only l-diversity kept whole"
    finds: ClassVar[str] = (
        "Whoever knows how the method cuts guesses {variant} right for {rate} people of classes left whole"
    )
    instead: ClassVar[str] = "by the share in the class"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        limit, smallest = scenario.promised.get("l", 1.0), scenario.promised.get("k", 1.0)
        if limit <= 1:
            return
        for secret in scenario.secrets:
            large = [(number, members) for number, members in scenario.by_class() if len(members) >= 2 * smallest]
            some = scenario.random.permutation(len(large))[:MOST_CLASSES]
            found = [_best_guess(scenario, secret, *large[at]) for at in scenario.patience.through(some.tolist())]
            guesses = [guess for guess in found if guess is not None]
            if guesses:
                right = np.concatenate([secret.of_person[one.people] == one.value for one in guesses])
                weights = [len(one.people) for one in guesses]
                baseline = float(np.average([one.share for one in guesses], weights=weights))
                yield self.outcome(right.astype(float), baseline, 1 / limit, secret.name)


def _best_guess(scenario: Scenario, secret: AttackedColumn, number: int, members: NDArray[np.int64]) -> Guess | None:
    """Find the guess that the attacker is most certain of, over all columns; None if no cut was possible."""
    counts = np.bincount(secret.values_in(number))
    value = int(counts.argmax())
    count, size = int(counts[value]), len(members)
    best: Guess | None = None
    for left in _median_cuts(scenario, members):
        sides = [members[left], members[~left]]
        if min(map(len, sides)) < max(1.0, scenario.promised.get("k", 1.0)):
            continue
        shares = shares_given_broken(len(sides[0]), len(sides[1]), count, scenario.promised["l"])
        side = int(shares[1] > shares[0])
        if best is None or shares[side] > best.certainty:
            best = Guess(shares[side], sides[side], value, count / size)
    return best


def _median_cuts(scenario: Scenario, members: NDArray[np.int64]) -> Iterator[NDArray[np.bool_]]:
    """Yield the members on the left side of each cut: below the median of a column, or up to it."""
    for column in scenario.reading.columns:
        codes = column.original[members]
        median = np.sort(codes)[(len(members) - 1) // 2]
        yield codes < median
        yield codes <= median


def shares_given_broken(left: int, right: int, count: int, limit: float) -> tuple[float, float]:
    """Compute a value's expected share on both sides of a cut, given that it exceeds 1/limit on one of them.

    ``count`` of all people have the value. Without the condition, each side's share would be that of the class.

    >>> [round(share, 2) for share in shares_given_broken(2, 4, 2, 2)]
    [1.0, 0.0]
    """
    lowest, highest = max(0, count - right), min(count, left)
    on_left = np.arange(lowest, highest + 1)
    logs = np.array([_log_choose(left, at) + _log_choose(right, count - at) for at in on_left.tolist()])
    chances = np.exp(logs - logs.max())
    broken = (on_left * limit > left * (1 + 1e-9)) | ((count - on_left) * limit > right * (1 + 1e-9))
    if not (chances * broken).sum():
        return count / (left + right), count / (left + right)
    chances = chances * broken / (chances * broken).sum()
    expected = float(chances @ on_left)
    return expected / left, (count - expected) / right


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
