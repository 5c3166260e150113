"""The expected number of population uniques, as the verifier computes it from a sample.

Written from the definitions: equations are solved by bisection, where `sfumato.privacy` maximizes the likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

#: How far two ways of solving the same equations may differ.
ESTIMATED = 1e-3
#: Pitman's model is used for samples of at most this share of the population (Dankar et al. 2012).
SMALL = 0.1
HALVINGS = 60


def expected_uniques(sizes: NDArray[np.integer], population: float) -> float:
    """The expected number of uniques in a population of this size, given the class sizes of the sample."""
    alone, drawn = int(np.count_nonzero(sizes == 1)), int(sizes.sum())
    if not alone or drawn >= population:
        return float(alone)
    if drawn <= SMALL * population:
        return min(_pitman(sizes, population), population)
    by_size = min(_zayatz(sizes, population), population)
    slide = min(_slide(sizes, population), population)
    return slide if slide <= by_size else by_size


def _zayatz(sizes: NDArray[np.integer], population: float) -> float:
    """Of the classes that show one member in the sample, estimate the share that have one (Zayatz 1991)."""
    drawn = float(sizes.sum())
    different, classes = np.unique(sizes, return_counts=True)
    # The probability that all other members of a class are missed, one after the other.
    others = np.arange(float(different.max()) - 1)
    each = np.maximum(0.0, (population - drawn - others) / (population - 1 - others))
    missed = np.concatenate([[1.0], np.cumprod(each)])
    shown = classes * different * (drawn / population) * missed[different - 1]
    return float(classes[0] * shown[0] / shown.sum() * population / drawn)


def _pitman(sizes: NDArray[np.integer], population: float) -> float:
    """Solve the two likelihood equations (Hoshino 2001), and compute the expected uniques of the population."""
    people, kinds = int(sizes.sum()), len(sizes)
    if people == 1:
        return 0.0
    before = np.arange(1.0, kinds)
    seated = np.arange(1.0, people)
    different, classes = np.unique(sizes, return_counts=True)
    # The number of classes with more than 1, 2, 3, ... members.
    steps = np.arange(1.0, float(different.max()))
    beyond = np.array([classes[different > step].sum() for step in steps], float)

    def theta(alpha: float) -> float:
        def slope(power: float) -> float:
            found = math.exp(power) - alpha
            return float(np.sum(1 / (found + alpha * before)) - np.sum(1 / (found + seated)))

        return math.exp(_root(slope, math.log(1e-6), math.log(1e3 * people))) - alpha

    def slope(alpha: float) -> float:
        return float(np.sum(before / (theta(alpha) + alpha * before)) - np.sum(beyond / (steps - alpha)))

    alpha = _root(slope, 1e-6, 1 - 1e-6)
    found = theta(alpha)
    logarithm = math.lgamma(found + alpha + population - 1) - math.lgamma(found + alpha)
    return population * math.exp(logarithm - math.lgamma(found + population) + math.lgamma(found + 1))


def _slide(sizes: NDArray[np.integer], population: float) -> float:
    """Fit a negative binomial distribution of class sizes to the numbers of classes and uniques in the sample."""
    drawn = float(sizes.sum())
    fraction, kinds, alone = drawn / population, len(sizes), int(np.count_nonzero(sizes == 1))

    def chance(shape: float) -> float:
        def excess(logit: float) -> float:
            one = 1 / (1 + math.exp(-logit))
            return _classes(population, shape, one) * (1 - _shown(fraction, shape, one)[0]) - kinds

        return 1 / (1 + math.exp(-_root(excess, -25.0, 25.0, nowhere=math.nan)))

    def excess(power: float) -> float:
        shape = math.exp(power)
        return _classes(population, shape, chance(shape)) * _shown(fraction, shape, chance(shape))[1] - alone

    power = _root(excess, math.log(1e-4), math.log(1e4), nowhere=math.nan)
    if math.isnan(power):
        return math.inf
    shape = math.exp(power)
    return _classes(population, shape, chance(shape)) * chance(shape) ** shape


def _classes(population: float, shape: float, chance: float) -> float:
    return population / (1 + shape * (1 - chance) / chance)


def _shown(fraction: float, shape: float, chance: float) -> tuple[float, float]:
    """The probabilities that a class has no member and one member in the sample."""
    # A thinned negative binomial distribution is again negative binomial, with another probability.
    thinned = chance / (chance + (1 - chance) * fraction)
    none, one = thinned**shape, shape * (1 - thinned) * thinned**shape
    return (1 - fraction) * none, fraction * none + (1 - fraction) * one


def _root(function: Callable[[float], float], low: float, high: float, nowhere: float | None = None) -> float:
    """Find a root by bisection; without one, ``nowhere`` or the end at which the function is nearer to zero."""
    at_low, at_high = function(low), function(high)
    if math.isnan(at_low) or math.isnan(at_high):
        return math.nan
    if (at_low > 0) == (at_high > 0):
        if nowhere is not None:
            return nowhere
        return low if abs(at_low) < abs(at_high) else high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if (function(middle) > 0) == (at_low > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2
