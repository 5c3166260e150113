"""Intervals of equal width, exact at their edges: 0.6 lies in [0.6, 0.7), though 0.6 / 0.1 is less than 6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies.domain import Level, grouped_level

#: Quotients this close to a whole number, relative to their size, are worked out exactly; a 32-bit number has only
#: seven digits to begin with.
DOUBT = 1e-6


def binned_levels(
    ordered: pa.Array, numbers: NDArray[np.float64], widths: Sequence[float], has_missing: bool
) -> Iterator[Level]:
    """Yield one level per width; each counts the intervals of the one before, so that they nest."""
    bins: NDArray[np.object_] = np.empty(0, object)
    for at, width in enumerate(widths):
        bins = bins // round(width / widths[at - 1]) if at else _bins(ordered, numbers, width)
        whole = pa.types.is_integer(ordered.type) and float(width).is_integer()
        label_of = {number: _label(number, width, whole) for number in set(bins.tolist())}
        labels = pa.array([label_of[number] for number in bins], pa.string())
        yield grouped_level(f"width {width:g}", bins, labels, has_missing)


def _bins(ordered: pa.Array, numbers: NDArray[np.float64], width: float) -> NDArray[np.object_]:
    """Return the interval of every value, taking values and width as the decimal numbers that people read."""
    with np.errstate(over="ignore", invalid="ignore"):
        quotients = numbers / float(width)
        sure = np.abs(quotients - np.rint(quotients)) > DOUBT * np.maximum(1, np.abs(quotients))
    bins = np.empty(len(numbers), object)
    bins[sure] = [int(quotient) for quotient in np.floor(quotients[sure])]
    exact = _exactly(width)
    texts = ordered.filter(pa.array(~sure)).cast(pa.string()).to_pylist()
    bins[~sure] = [Fraction(text) // exact for text in texts]
    return bins


def _exactly(width: float) -> Fraction:
    return Fraction(str(width))


def _label(number: int, width: float, whole: bool) -> str:
    low = number * _exactly(width)
    high = low + _exactly(width)
    return f"[{_text(low)}, {_text(high - 1)}]" if whole else f"[{_text(low)}, {_text(high)})"


def _text(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else repr(float(number))
