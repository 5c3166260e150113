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

from sfumato.hierarchies.levels import ROOT, Ends, Level, grouped_level

#: Quotients this close to an integer, relative to their size, are computed exactly.
DOUBT = 1e-9
#: The same for 32-bit floats, which have only seven digits.
DOUBT_IN_SHORT = 1e-6
#: Floats below lose digits, and so do quotients by them.
LEAST_EXACT = 1e-290


def binned_levels(
    ordered: pa.Array, numbers: NDArray[np.float64], widths: Sequence[float], has_missing: bool
) -> Iterator[Level]:
    """Yield one level per width; each is built from the intervals of the one before, so that they nest."""
    bins: NDArray[np.object_] = np.empty(0, object)
    counted = []
    for at, width in enumerate(widths):
        bins = bins // round(width / widths[at - 1]) if at else _bins(ordered, numbers, width)
        counted.append((width, bins))
    different = [list(dict.fromkeys(bins.tolist())) for _, bins in counted]
    bounds = [_counted(ordered, width, bins) for (width, _), bins in zip(counted, different, strict=True)]
    kind = kind_of(ordered.type, bounds)
    for (width, bins), occurring, found in zip(counted, different, bounds, strict=True):
        label_of = dict(zip(occurring, found.labels(), strict=True))
        labels = pa.array([label_of[number] for number in bins], pa.string())
        yield grouped_level(f"width {width:g}", bins, labels, has_missing, found.ends(kind))


@dataclass(frozen=True)
class Bounds:
    """The exact intervals of a level: integers end with the last one included, other numbers before the next interval.

    ``low`` or ``high`` is None for an open end, as in ``90+``; such an interval reaches to the end of the table.
    """

    low: Sequence[Fraction | None]
    high: Sequence[Fraction | None]
    first: Fraction
    last: Fraction
    closed: bool

    @classmethod
    def between(cls, ordered: pa.Array, low: Sequence[Fraction | None], after: Sequence[Fraction | None]) -> Bounds:
        """Make intervals that begin at ``low`` and end before ``after``."""
        whole = all(edge is None or edge.denominator == 1 for edge in (*low, *after))
        closed = pa.types.is_integer(ordered.type) and whole
        first, last = (exactly(ordered[at]) if len(ordered) else Fraction(0) for at in (0, -1))
        return cls(low, [None if edge is None else edge - closed for edge in after], first, last, closed)

    def labels(self) -> list[str]:
        """Label intervals: ``[low, high]`` if the upper end is included, else ``[low, high)``; ``<18`` and ``90+``.

        An interval without ends is ``*``.
        """
        return [self._label(low, high) for low, high in zip(self.low, self.high, strict=True)]

    def _label(self, low: Fraction | None, high: Fraction | None) -> str:
        if low is None:
            return ROOT if high is None else f"<{plainly(high + self.closed)}"
        return f"{plainly(low)}+" if high is None else f"[{plainly(low)}, {plainly(high)}{']' if self.closed else ')'}"

    def ends(self, kind: pa.DataType) -> Ends:
        """The ends as values of a column's type."""
        low, high = (
            pa.array([None if bound is None else _value(bound, kind) for bound in side], kind)
            for side in (self.low, self.high)
        )
        reach = [
            (self.first if one is None else one, max(self.last, one or self.first) if two is None else two)
            for one, two in zip(self.low, self.high, strict=True)
        ]
        open_ended = np.array([None in pair for pair in zip(self.low, self.high, strict=True)], bool)
        middles = np.array([_float((one + two) / 2) for one, two in reach])
        offsets = np.array([_float(one - self.first) for one, _ in reach])
        widths = np.array([_float(two - one) for one, two in reach])
        # A midpoint with the largest value of the table would disclose that value.
        return Ends(low, high, np.where(open_ended, np.nan, middles), offsets, widths)


def _counted(ordered: pa.Array, width: float, bins: Sequence[int]) -> Bounds:
    exact = Fraction(str(width))
    return Bounds.between(ordered, [at * exact for at in bins], [(at + 1) * exact for at in bins])


def exactly(value: pa.Scalar) -> Fraction:
    """The exact decimal number that people read."""
    return Fraction(str(value.cast(pa.string())))


def kind_of(kind: pa.DataType, levels: Sequence[Bounds]) -> pa.DataType:
    """The type of bounds: that of the column, or one that is wide enough."""
    if pa.types.is_floating(kind):
        return kind
    bounds = [bound for level in levels for bound in (*level.low, *level.high) if bound is not None]
    if not pa.types.is_integer(kind) or not all(level.closed for level in levels):
        return _fractional(bounds)
    for wide in (kind, pa.int64(), pa.decimal128(38)):
        try:
            pa.array([_value(bound, wide) for bound in bounds], wide)
        except (pa.ArrowInvalid, OverflowError):
            continue
        return wide
    return pa.float64()


def _fractional(bounds: Sequence[Fraction]) -> pa.DataType:
    """The type of bounds with fractions: floats, or exact decimals where floats would make different bounds equal."""
    if all(_shortly(bound) is not None for bound in bounds):
        return pa.float64()
    scale = max(len(_digits(bound).partition(".")[2]) for bound in bounds)
    for make, digits in ((pa.decimal128, 38), (pa.decimal256, 76)):
        try:
            exact = make(digits, min(scale, digits))
            pa.array([_value(bound, exact) for bound in bounds], exact)
        except pa.ArrowInvalid:
            continue
        return exact
    return pa.float64()


def _value(bound: Fraction, kind: pa.DataType) -> int | float | Decimal:
    if pa.types.is_decimal(kind):
        return Decimal(_digits(bound))
    return int(bound) if pa.types.is_integer(kind) else _float(bound)


def _float(bound: Fraction) -> float:
    """The nearest float; the largest one for numbers beyond all floats."""
    try:
        return float(bound)
    except OverflowError:
        return sys.float_info.max if bound > 0 else -sys.float_info.max


def _bins(ordered: pa.Array, numbers: NDArray[np.float64], width: float) -> NDArray[np.object_]:
    """The interval of every value, computed with the decimal numbers that people read."""
    exact = Fraction(str(width))
    bins = np.empty(len(ordered), object)
    if pa.types.is_integer(ordered.type) and exact.denominator == 1:
        bins[:] = [value // exact.numerator for value in ordered.to_pylist()]
        return bins
    doubt = DOUBT_IN_SHORT if pa.types.is_float32(ordered.type) else DOUBT
    with np.errstate(over="ignore", invalid="ignore"):
        quotients = numbers / float(width)
        sure = np.abs(quotients - np.rint(quotients)) > doubt * np.maximum(1, np.abs(quotients))
    # Floats this small have few digits left.
    sure &= float(width) > LEAST_EXACT
    bins[sure] = [int(quotient) for quotient in np.floor(quotients[sure])]
    texts = ordered.filter(pa.array(~sure)).cast(pa.string()).to_pylist()
    bins[~sure] = [Fraction(text) // exact for text in texts]
    return bins


def plainly(bound: Fraction) -> str:
    """Write a number as people do: as short as it can be without meaning another one."""
    return str(bound.numerator) if bound.denominator == 1 else _shortly(bound) or _digits(bound)


def _shortly(bound: Fraction) -> str | None:
    """The text of the nearest float, if it is the number itself."""
    text = repr(_float(bound))
    return text if Fraction(text) == bound else None


def _digits(bound: Fraction) -> str:
    """All digits of a number whose decimals end, as those of declared widths do; else those of the nearest float."""
    twos = fives = 0
    rest = bound.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return repr(_float(bound))
    places = max(twos, fives)
    digits = str(abs(bound.numerator) * 10**places // bound.denominator).rjust(places + 1, "0")
    whole, decimals = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    return ("-" if bound < 0 else "") + whole + decimals
