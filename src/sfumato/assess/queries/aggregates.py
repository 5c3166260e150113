"""Sums, means and extremes of values that are only partly known."""

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
        How many rows of each group are expected to be meant, how many surely are, and how many more may be.
    middle, low, high
        What each of them is worth on average, at least and at most.
    """

    expected: Numbers
    sure: Numbers
    optional: Numbers
    middle: Numbers
    low: Numbers
    high: Numbers

    def mirrored(self) -> Worth:
        """Return the same with the sign of every value turned, so that the largest becomes the least."""
        return self._replace(middle=-self.middle, low=-self.high, high=-self.low)


def total(worth: Worth) -> Answer:
    """Return the sum over all rows that are meant."""
    lower = _weighted(worth.sure, worth.low) + _weighted(worth.optional, np.minimum(worth.low, 0.0))
    upper = _weighted(worth.sure, worth.high) + _weighted(worth.optional, np.maximum(worth.high, 0.0))
    return Answer(_known(_weighted(worth.expected, worth.middle)), lower, upper)


def mean(worth: Worth) -> Answer:
    """Return the mean over all rows that are meant."""
    rows = float(worth.expected.sum())
    estimate = _known(_weighted(worth.expected, worth.middle) / rows) if rows > 0 else None
    return Answer(estimate, _negated(_largest_mean(worth.mirrored())), _largest_mean(worth))


def least(worth: Worth) -> Answer:
    """Return the least of all rows that are meant.

    As an estimate serves the lower end of the groups of which at least half a row is expected to be meant; where no
    group has that, of those of which most is.
    """
    possible, sure = worth.sure + worth.optional > 0, worth.sure > 0
    if not possible.any():
        return Answer(None, None, None)
    likely = (worth.expected > 0) & (worth.expected >= min(0.5, worth.expected.max()))
    estimate = _known(float(worth.low[likely].min())) if likely.any() else None
    upper = worth.high[sure].min() if sure.any() else worth.high[possible].max()
    return Answer(estimate, float(worth.low[possible].min()), float(upper))


def largest(worth: Worth) -> Answer:
    """Return the largest of all rows that are meant; as `least`."""
    found = least(worth.mirrored())
    return Answer(_negated(found.estimate), _negated(found.upper), _negated(found.lower))


def _largest_mean(worth: Worth) -> float | None:
    """Return the largest mean that any choice of the optional rows gives: the most valuable come first."""
    order = np.argsort(-worth.high, kind="stable")
    optional, values = worth.optional[order], worth.high[order]
    rows, sums = np.append(0.0, np.cumsum(optional)), np.append(0.0, np.cumsum(_products(optional, values)))
    rows, sums = rows + worth.sure.sum(), sums + _weighted(worth.sure, worth.high)
    return float((sums[rows > 0] / rows[rows > 0]).max()) if rows[-1] > 0 else None


def _weighted(rows: Numbers, values: Numbers) -> float:
    return float(_products(rows, values).sum())


def _products(rows: Numbers, values: Numbers) -> Numbers:
    """Multiply; of no rows nothing is worth anything, not even an endless amount."""
    return np.multiply(rows, values, out=np.zeros(len(rows)), where=rows > 0)


def _known(value: float) -> float | None:
    """Return an estimate, None where cells without any end leave nothing to estimate from."""
    return value if np.isfinite(value) else None


def _negated(value: Any) -> Any:
    return None if value is None else -value
