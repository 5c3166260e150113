"""Intervals of equal width, exact at their edges: 0.6 lies in [0.6, 0.7), though 0.6 / 0.1 is less than 6."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.hierarchies.levels import Ends, Level, grouped_level

#: Quotients this close to a whole number, relative to their size, are worked out exactly.
DOUBT = 1e-9
#: 32-bit numbers have only seven digits to begin with.
DOUBT_IN_SHORT = 1e-6


def binned_levels(
    ordered: pa.Array, numbers: NDArray[np.float64], widths: Sequence[float], has_missing: bool
) -> Iterator[Level]:
    """Yield one level per width; each counts the intervals of the one before, so that they nest."""
    bins: NDArray[np.object_] = np.empty(0, object)
    counted = []
    for at, width in enumerate(widths):
        bins = bins // round(width / widths[at - 1]) if at else _bins(ordered, numbers, width)
        counted.append((width, bins))
    bounds = [_Bounds.of(ordered, width, bins) for width, bins in counted]
    kind = _kind_of(ordered.type, bounds)
    for (width, bins), found in zip(counted, bounds, strict=True):
        label_of = dict(zip(found.bins, found.labels(), strict=True))
        labels = pa.array([label_of[number] for number in bins], pa.string())
        yield grouped_level(f"width {width:g}", bins, labels, has_missing, found.ends(kind))


@dataclass(frozen=True)
class _Bounds:
    """The intervals of a level, exactly: whole numbers up to the last that belongs to each, others up to the next."""

    bins: list[int]
    low: list[Fraction]
    high: list[Fraction]
    first: Fraction
    closed: bool

    @classmethod
    def of(cls, ordered: pa.Array, width: float, bins: NDArray[np.object_]) -> _Bounds:
        exact = Fraction(str(width))
        closed = pa.types.is_integer(ordered.type) and exact.denominator == 1
        different = list(dict.fromkeys(bins.tolist()))
        low = [number * exact for number in different]
        first = Fraction(str(ordered[0].cast(pa.string()))) if len(ordered) else Fraction(0)
        return cls(different, low, [bound + exact - closed for bound in low], first, closed)

    def labels(self) -> list[str]:
        """Return ``[low, high]`` if the upper bound belongs to the interval, else ``[low, high)``."""
        close = "]" if self.closed else ")"
        return [f"[{_text(low)}, {_text(high)}{close}" for low, high in zip(self.low, self.high, strict=True)]

    def ends(self, kind: pa.DataType) -> Ends:
        """Return the bounds as values of a column's type."""
        low, high = (pa.array([_value(bound, kind) for bound in side], kind) for side in (self.low, self.high))
        middles = np.array([_float((one + two) / 2) for one, two in zip(self.low, self.high, strict=True)])
        offsets = np.array([_float(bound - self.first) for bound in self.low])
        widths = np.array([_float(two - one) for one, two in zip(self.low, self.high, strict=True)])
        return Ends(low, high, middles, offsets, widths)


def _kind_of(kind: pa.DataType, levels: Sequence[_Bounds]) -> pa.DataType:
    """Return a type for the bounds: the column's own, or one that is wide enough."""
    if not pa.types.is_integer(kind):
        return kind if pa.types.is_floating(kind) else pa.float64()
    if not all(level.closed for level in levels):
        return pa.float64()
    bounds = [bound for level in levels for bound in (*level.low, *level.high)]
    for wide in (kind, pa.int64(), pa.decimal128(38)):
        try:
            pa.array([_value(bound, wide) for bound in bounds], wide)
        except (pa.ArrowInvalid, OverflowError):
            continue
        return wide
    return pa.float64()


def _value(bound: Fraction, kind: pa.DataType) -> int | float | Decimal:
    if pa.types.is_decimal(kind):
        return Decimal(int(bound))
    return int(bound) if pa.types.is_integer(kind) else _float(bound)


def _float(bound: Fraction) -> float:
    """Return the nearest float; of what is beyond all of them, the last."""
    try:
        return float(bound)
    except OverflowError:
        return sys.float_info.max if bound > 0 else -sys.float_info.max


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


def _text(bound: Fraction) -> str:
    return str(bound.numerator) if bound.denominator == 1 else repr(float(bound))
