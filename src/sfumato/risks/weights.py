"""Risk by the weights of a survey: how many people of the population stand behind the rows of a class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Where the integral below is evaluated; its integrand is smooth, so that few points are exact.
NODES = 64


def benedetti_franconi(people: NDArray[np.integer], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected risk 1/F of every class, F being its size in the population (Benedetti, Franconi 1998).

    Parameters
    ----------
    people
        How many people of the sample each class has.
    weight
        The sum of their weights: how many people of the population they stand for.

    Given f in the sample, F is taken to follow a negative binomial distribution with f and the share of the population
    that was drawn, p = f/weight. The mean of 1/F is then p ∫ v^(f-1) / (p + (1-p) v) dv from 0 to 1.
    """
    seen = people.astype(np.float64)
    drawn = np.minimum(1.0, seen / np.maximum(weight, seen))
    risks = drawn * _integral(seen, drawn)
    alone = (seen == 1) & (drawn < 1)
    # The integrand of unique people has a steep end; their integral is known.
    risks[alone] = -np.log(drawn[alone]) * drawn[alone] / (1 - drawn[alone])
    return np.minimum(risks, 1.0)


def _integral(seen: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    points, shares = np.polynomial.legendre.leggauss(NODES)
    points, shares = (points + 1) / 2, shares / 2
    total = np.zeros(len(seen))
    for point, share in zip(points, shares, strict=True):
        total += share * point ** (seen - 1) / (drawn + (1 - drawn) * point)
    return total
