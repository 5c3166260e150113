"""Sums, means and extremes of partly known values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.queries.answer import Answer

Numbers = NDArray[np.float64]


class Worth(NamedTuple):
    """What groups of rows may contribute.

    Attributes
    ----------
    expected, sure, optional
        How many rows of each group are expected to match, how many certainly do, and how many more may.
    middle, low, high
        The mean, least and largest value of each of them.
    """

    expected: Numbers
    sure: Numbers
    optional: Numbers
    middle: Numbers
    low: Numbers
    high: Numbers

    def mirrored(self) -> Worth:
        """Negate every value, so that the largest becomes the least."""
        return self._replace(middle=-self.middle, low=-self.high, high=-self.low)


def total(worth: Worth) -> Answer:
    """Sum over all matching rows."""
    lower = _weighted(worth.sure, worth.low) + _weighted(worth.optional, np.minimum(worth.low, 0.0))
    upper = _weighted(worth.sure, worth.high) + _weighted(worth.optional, np.maximum(worth.high, 0.0))
    return Answer(_known(_weighted(worth.expected, worth.middle)), -_at_most(-lower), _at_most(upper))


def mean(worth: Worth) -> Answer:
    """Average over all matching rows."""
    rows = float(worth.expected.sum())
    estimate = _known(_weighted(worth.expected, worth.middle) / rows) if rows > 0 else None
    return Answer(estimate, _negated(_largest_mean(worth.mirrored())), _largest_mean(worth))


def least(worth: Worth) -> Answer:
    """Find the least value of all matching rows.

    The estimate is the lowest end of the groups with at least half a matching row expected, or else of the groups with
    the most.
    """
    possible, sure = worth.sure + worth.optional > 0, worth.sure > 0
    if not possible.any():
        return Answer(None, None, None)
    likely = (worth.expected > 0) & (worth.expected >= min(0.5, worth.expected.max()))
    estimate = _known(float(worth.low[likely].min())) if likely.any() else None
    upper = worth.high[sure].min() if sure.any() else worth.high[possible].max()
    return Answer(estimate, float(worth.low[possible].min()), float(upper))


def largest(worth: Worth) -> Answer:
    """Find the largest value of all matching rows, as `least` does."""
    found = least(worth.mirrored())
    return Answer(_negated(found.estimate), _negated(found.upper), _negated(found.lower))


def _largest_mean(worth: Worth) -> float | None:
    """Compute the largest mean over all choices of the optional rows: take the highest values first."""
    order = np.argsort(-worth.high, kind="stable")
    optional, values = worth.optional[order], worth.high[order]
    with np.errstate(over="ignore", invalid="ignore"):
        rows, sums = np.append(0.0, np.cumsum(optional)), np.append(0.0, np.cumsum(_products(optional, values)))
        rows, sums = rows + worth.sure.sum(), sums + _weighted(worth.sure, worth.high)
        return _at_most(float((sums[rows > 0] / rows[rows > 0]).max())) if rows[-1] > 0 else None


def _at_most(bound: float) -> float:
    """An upper bound; a sum of numbers that are too large for floats in both directions is bounded by nothing."""
    return np.inf if np.isnan(bound) else bound


def _weighted(rows: Numbers, values: Numbers) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(_products(rows, values).sum())


def _products(rows: Numbers, values: Numbers) -> Numbers:
    """Multiply rows by values; 0 rows times an infinite value is 0."""
    with np.errstate(over="ignore"):
        return np.multiply(rows, values, out=np.zeros(len(rows)), where=rows > 0)


def _known(value: float) -> float | None:
    """Replace an infinite estimate, which comes from unbounded cells, by None."""
    return value if np.isfinite(value) else None


def _negated(value: Any) -> Any:
    return None if value is None else -value
