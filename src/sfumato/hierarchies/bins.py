"""Intervals of equal width, exact at their edges: 0.6 lies in [0.6, 0.7), though 0.6 / 0.1 is less than 6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies.domain import Level, grouped_level

#: Quotients this close to a whole number, relative to their size, are worked out exactly.
DOUBT = 1e-9
#: 32-bit numbers have only seven digits to begin with.
DOUBT_IN_SHORT = 1e-6


def binned_levels(
    ordered: pa.Array, numbers: NDArray[np.float64], widths: Sequence[float], has_missing: bool
) -> Iterator[Level]:
    """Yield one level per width; each counts the intervals of the one before, so that they nest."""
    bins: NDArray[np.object_] = np.empty(0, object)
    for at, width in enumerate(widths):
        bins = bins // round(width / widths[at - 1]) if at else _bins(ordered, numbers, width)
        exact = Fraction(str(width))
        closed = pa.types.is_integer(ordered.type) and exact.denominator == 1
        label_of = {number: _label(number, exact, closed) for number in set(bins.tolist())}
        labels = pa.array([label_of[number] for number in bins], pa.string())
        yield grouped_level(f"width {width:g}", bins, labels, has_missing)


def _bins(ordered: pa.Array, numbers: NDArray[np.float64], width: float) -> NDArray[np.object_]:
    """Return the interval of every value, taking values and width as the decimal numbers that people read."""
    exact = Fraction(str(width))
    bins = np.empty(len(ordered), object)
    if pa.types.is_integer(ordered.type) and exact.denominator == 1:
        bins[:] = [value // exact.numerator for value in ordered.to_pylist()]
        return bins
    doubt = DOUBT_IN_SHORT if pa.types.is_float32(ordered.type) else DOUBT
    with np.errstate(over="ignore", invalid="ignore"):
        quotients = numbers / float(width)
        sure = np.abs(quotients - np.rint(quotients)) > doubt * np.maximum(1, np.abs(quotients))
    bins[sure] = [int(quotient) for quotient in np.floor(quotients[sure])]
    texts = ordered.filter(pa.array(~sure)).cast(pa.string()).to_pylist()
    bins[~sure] = [Fraction(text) // exact for text in texts]
    return bins


def _label(number: int, width: Fraction, closed: bool) -> str:
    """Return ``[low, high]`` if the upper bound belongs to the interval, else ``[low, high)``."""
    if closed:
        return f"[{number * width.numerator}, {(number + 1) * width.numerator - 1}]"
    low, high = (_quotient(bound * width.numerator, width.denominator) for bound in (number, number + 1))
    return f"[{low}, {high})"


def _quotient(numerator: int, denominator: int) -> str:
    whole, rest = divmod(numerator, denominator)
    return repr(numerator / denominator) if rest else str(whole)
