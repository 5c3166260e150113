"""Estimators of how many people in a population are unique, from a sample of it.

All estimators use only the number of classes of each size in the sample. Each makes an assumption about the population
and is only as good as that; none says who is unique. The page on risk shows their errors where the truth was known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The sampling fraction up to which Dankar and others prefer Pitman's model.
SMALL_SAMPLE = 0.1
#: Steps of a search by golden sections; each leaves 62 % of the interval.
GOLDEN_STEPS = 60
GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class SampleSizes:
    """How many classes of each size a sample has, and how large the population is.

    Attributes
    ----------
    sizes, classes
        The sizes that occur, in ascending order, and how many classes have each.
    population
        The number of people in the population.
    """

    sizes: NDArray[np.int64]
    classes: NDArray[np.int64]
    population: float

    @classmethod
    def of(cls, class_sizes: NDArray[np.integer], population: float) -> SampleSizes:
        """Count the sizes of classes."""
        sizes, classes = np.unique(class_sizes, return_counts=True)
        return cls(sizes.astype(np.int64), classes.astype(np.int64), float(population))

    @property
    def rows(self) -> int:
        """The number of people in the sample."""
        return int(self.sizes @ self.classes)

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.rows / self.population

    def count(self, size: int) -> int:
        """Count the classes of a size."""
        return int(self.classes[self.sizes == size].sum())


def zayatz(sample: SampleSizes) -> float:
    """Estimate the number of unique people in the population after Zayatz (1991).

    It takes the class sizes of the sample for those of the population: of the classes that show exactly one member in a
    sample of this size, some share has only this member.
    """
    seen = sample.classes * np.exp(_log_one_drawn(sample))
    alone = seen[sample.sizes == 1].sum()
    return float(sample.count(1) * alone / seen.sum() / sample.fraction) if alone else 0.0


def _log_one_drawn(sample: SampleSizes) -> NDArray[np.float64]:
    """Compute the log probability that a class of each size shows exactly one member in the sample."""
    total, drawn = sample.population, sample.rows
    return np.array(
        [
            math.log(size) + _log_choose(total - size, drawn - 1) - _log_choose(total, drawn)
            if total - size >= drawn - 1
            else -math.inf
            for size in sample.sizes.tolist()
        ]
    )


def _log_choose(n: float, k: float) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def pitman(sample: SampleSizes) -> float:
    """Estimate the number of unique people in the population under Pitman's model (Hoshino 2001).

    Its two parameters maximize the likelihood of the class sizes in the sample.
    """
    if not sample.count(1) or sample.rows == 1:
        return 0.0
    alpha = _golden(lambda share: _best_theta(sample, share)[1], 1e-6, 1 - 1e-6)
    theta = _best_theta(sample, alpha)[0]
    # The expected number of n people, drawn one after the other, whose class has no other member.
    n = sample.population
    logarithm = math.lgamma(theta + alpha + n - 1) - math.lgamma(theta + alpha)
    logarithm -= math.lgamma(theta + n) - math.lgamma(theta + 1)
    return n * math.exp(logarithm)


def _best_theta(sample: SampleSizes, alpha: float) -> tuple[float, float]:
    """Find the likeliest theta for an alpha, and the log likelihood of the two."""
    lowest, highest = math.log(1e-6), math.log(1e3 * sample.rows)
    best = _golden(lambda power: _pitman_likelihood(sample, alpha, math.exp(power) - alpha), lowest, highest)
    theta = math.exp(best) - alpha
    return theta, _pitman_likelihood(sample, alpha, theta)


def _pitman_likelihood(sample: SampleSizes, alpha: float, theta: float) -> float:
    """Compute the log likelihood of the class sizes, up to a constant."""
    kinds = int(sample.classes.sum())
    grown = (kinds - 1) * math.log(alpha)
    grown += math.lgamma(theta / alpha + kinds) - math.lgamma(theta / alpha + 1)
    drawn = math.lgamma(theta + sample.rows) - math.lgamma(theta + 1)
    first = math.lgamma(1 - alpha)
    pairs = zip(sample.sizes.tolist(), sample.classes.tolist(), strict=True)
    return grown - drawn + sum(count * (math.lgamma(size - alpha) - first) for size, count in pairs)


def slide_negative_binomial(sample: SampleSizes) -> float:
    """Estimate the number of unique people under the slide negative binomial model (Chen, Keller-McNulty 1998).

    Every class has one member plus a number of others that follows a negative binomial distribution. Its parameters are
    fitted to the numbers of classes and of unique people in the sample; NaN if none fit.
    """
    if not sample.count(1):
        return 0.0
    shape = _bisect(lambda power: _excess_unique(sample, math.exp(power)), math.log(1e-4), math.log(1e4))
    if shape is None:
        return math.nan
    chance = _fitting_chance(sample, math.exp(shape))
    if chance is None:
        return math.nan
    return _slide_classes(sample, math.exp(shape), chance) * chance ** math.exp(shape)


def _slide_classes(sample: SampleSizes, shape: float, chance: float) -> float:
    """Compute the number of classes in the population from their mean size."""
    return sample.population / (1 + shape * (1 - chance) / chance)


def _unseen(sample: SampleSizes, shape: float, chance: float) -> tuple[float, float]:
    """Compute the probabilities that a class has no member in the sample, and that it has one."""
    missed = 1 - sample.fraction
    rest = 1 - (1 - chance) * missed
    nobody = missed * (chance / rest) ** shape
    one = sample.fraction * (chance / rest) ** shape * (1 + shape * (1 - chance) * missed / rest)
    return nobody, one


def _fitting_chance(sample: SampleSizes, shape: float) -> float | None:
    """Fit the second parameter to the number of classes in the sample."""
    kinds = float(sample.classes.sum())

    def excess(logit: float) -> float:
        chance = 1 / (1 + math.exp(-logit))
        return _slide_classes(sample, shape, chance) * (1 - _unseen(sample, shape, chance)[0]) - kinds

    found = _bisect(excess, -25.0, 25.0)
    return None if found is None else 1 / (1 + math.exp(-found))


def _excess_unique(sample: SampleSizes, shape: float) -> float:
    """Compute how many more unique people the model expects in the sample than there are."""
    chance = _fitting_chance(sample, shape)
    if chance is None:
        return math.nan
    return _slide_classes(sample, shape, chance) * _unseen(sample, shape, chance)[1] - sample.count(1)


@dataclass(frozen=True)
class PopulationEstimate:
    """The number of unique people in the population, by every estimator.

    Attributes
    ----------
    population, fraction
        The number of people in the population, and the share of them that the table holds.
    uniques
        By estimator; NaN if its model does not fit.
    chosen
        The estimator that the rule of Dankar and others (2012) chooses.
    """

    population: float
    fraction: float
    uniques: Mapping[str, float]
    chosen: str

    @property
    def expected(self) -> float:
        """The expected number of people who are unique in the population."""
        return self.uniques[self.chosen]

    @property
    def share(self) -> float:
        """The expected share of the population that is unique."""
        return self.expected / self.population


def estimate(class_sizes: NDArray[np.integer], population: float) -> PopulationEstimate:
    """Estimate how many people are unique in the population that a table is a sample of."""
    sample = SampleSizes.of(class_sizes, population)
    if sample.fraction >= 1:
        return PopulationEstimate(sample.population, 1.0, {"sample": float(sample.count(1))}, "sample")
    uniques = {name: min(one(sample), sample.population) for name, one in ESTIMATORS.items()}
    return PopulationEstimate(sample.population, sample.fraction, uniques, _dankar(sample, uniques))


def _dankar(sample: SampleSizes, uniques: Mapping[str, float]) -> str:
    """Choose an estimator as Dankar and others (2012) do: Pitman for small samples, else the smaller of the others."""
    if sample.fraction <= SMALL_SAMPLE:
        return "pitman"
    slide = uniques["slide negative binomial"]
    return "slide negative binomial" if slide <= uniques["zayatz"] else "zayatz"


ESTIMATORS: dict[str, Callable[[SampleSizes], float]] = {
    "zayatz": zayatz,
    "pitman": pitman,
    "slide negative binomial": slide_negative_binomial,
}


def _golden(height: Callable[[float], float], low: float, high: float) -> float:
    """Find the maximum of a unimodal function by golden section search."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = height(left), height(right)
    for _ in range(GOLDEN_STEPS):
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = height(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = height(right)
    return (low + high) / 2


def _bisect(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Find where a function changes its sign; None if it has the same sign at both ends."""
    at_low, at_high = function(low), function(high)
    if not (at_low * at_high <= 0):
        return None
    for _ in range(100):
        middle = (low + high) / 2
        at_middle = function(middle)
        if (at_middle > 0) == (at_low > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2
