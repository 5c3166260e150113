"""Risk by survey weights: how many people of the population the rows of a class stand for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError

#: The nodes of the quadrature below; the integrand is smooth, so few are enough.
NODES = 64


def survey_weights(table: pa.Table, column: str) -> NDArray[np.float64]:
    """Read the weights of all rows, each a number above 0; raise an error otherwise."""
    values = table.column(column)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type)):
        raise DataError(f"Column '{column}' holds {values.type}, but weights are numbers.")
    each = np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), float)
    if not (np.isfinite(each) & (each > 0)).all():
        raise DataError(f"Column '{column}': every weight must be a number above 0. Clean the column.")
    return each


def benedetti_franconi(people: NDArray[np.integer], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Estimate the risk 1/F of every class, F being its size in the population (Benedetti, Franconi 1998).

    Parameters
    ----------
    people
        How many people of the sample each class has.
    weight
        The sum of their weights: how many people of the population they stand for.

    Given f in the sample, F is assumed to follow a negative binomial distribution with parameters f and p = f/weight,
    the share of the population that was drawn. The mean of 1/F is then p ∫ v^(f-1) / (p + (1-p) v) dv from 0 to 1.
    """
    seen = people.astype(np.float64)
    drawn = np.minimum(1.0, seen / np.maximum(weight, seen))
    risks = drawn * _integral(seen, drawn)
    alone = (seen == 1) & (drawn < 1)
    # For unique people the integrand is steep at one end, but the integral is known.
    risks[alone] = -np.log(drawn[alone]) * drawn[alone] / (1 - drawn[alone])
    return np.minimum(risks, 1.0)


def _integral(seen: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    points, shares = np.polynomial.legendre.leggauss(NODES)
    points, shares = (points + 1) / 2, shares / 2
    total = np.zeros(len(seen))
    for point, share in zip(points, shares, strict=True):
        total += share * point ** (seen - 1) / (drawn + (1 - drawn) * point)
    return total
