"""Intervals with round ends, on a grid that does not depend on any single value.

The ends of an interval from the least to the greatest value of a class are values of people, often of one person alone.
On a grid both ends are moved outward to the next round value, which need not occur in the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.hierarchies.bins import binned_levels
from sfumato.hierarchies.calendar import calendar_level
from sfumato.hierarchies.domain import Codes
from sfumato.hierarchies.levels import ROOT, Ends, Level, only_dates, value_texts
from sfumato.hierarchies.scale_domain import MISSING_POSITION, IntervalDomain

#: The ends of intervals: the least and the greatest value of a class, or grid lines around them.
ENDS = ("data", "grid")

#: The least and the most parts into which the finest step divides the range of a column.
LEAST_PARTS, MOST_PARTS = 10, 1000
#: The least range with a grid, and a quarter of the largest: beyond, steps and ends are no floats any more.
LEAST_RANGE, MOST_RANGE = 1e-290, 2e307
#: An interval of at least this many steps has its ends on that step.
STEPS_PER_INTERVAL = 5

#: The steps of dates, each dividing the next, with their approximate length in days.
CALENDAR_STEPS = {"day": 1.0, "month": 30.0, "quarter": 91.0, "year": 365.0, "decade": 3652.0}


@dataclass(frozen=True)
class GridDomain(IntervalDomain):
    """Values on a scale, shown as intervals between round values.

    ``grid`` holds the steps from fine to coarse, as levels of equal parts; each coarser step joins parts of the finer,
    so that a wider class never shows a narrower interval. The wider a class, the coarser its step: ``least_shares``
    is the share of the range from which each step is used. ``closed`` says that intervals include their upper end.
    """

    grid: tuple[Level, ...] = field(default=(), repr=False)
    least_shares: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1), repr=False)
    closed: bool = True

    @cached_property
    def downs(self) -> NDArray[np.float64]:
        """For every step and code, the beginning of its part on the scale from 0 to 1."""
        return np.stack([self._places(level, ends.offsets) for level, ends in self._parts])

    @cached_property
    def ups(self) -> NDArray[np.float64]:
        """For every step and code, the end of its part."""
        return np.stack(
            [self._places(level, level.ends.offsets + level.ends.widths) for level in self.grid if level.ends]
        )

    @property
    def _parts(self) -> list[tuple[Level, Ends]]:
        return [(level, level.ends) for level in self.grid if level.ends]

    def _places(self, level: Level, offsets: NDArray[np.float64]) -> NDArray[np.float64]:
        places = self.shares(offsets)[level.groups]
        if self.has_missing:
            places[-1] = MISSING_POSITION + 1.0
        return places

    @cached_property
    def _ends(self) -> Ends:
        """The ends of all values, followed by those of the parts of all steps."""
        return Ends.joined([self.value_ends, *(ends for _, ends in self._parts)])

    @cached_property
    def _part_of(self) -> NDArray[np.int64]:
        """For every step and code, the place of its part in ``_ends``."""
        begins = self.size + np.cumsum([0, *(len(level) for level in self.grid)])
        return np.stack([begin + level.groups for begin, level in zip(begins, self.grid, strict=False)])

    def steps(self, lo: Codes, hi: Codes) -> NDArray[np.intp]:
        """The step of every span."""
        return np.searchsorted(self.least_shares[1:], self.positions[hi] - self.positions[lo], side="right")

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        step = self.steps(lo, hi)
        return np.where(lo == hi, 0.0, np.minimum(self.ups[step, hi] - self.downs[step, lo], 1.0))

    def span_labels(self, lo: Codes, hi: Codes) -> pa.StringArray:
        ends = self.span_ends(lo, hi)
        close = "]" if self.closed else ")"
        intervals = pc.binary_join_element_wise("[", value_texts(ends.low), ", ", value_texts(ends.high), close, "")
        labels = pc.if_else(pa.array(lo == hi), self.texts.take(pa.array(lo)), intervals)
        return pc.if_else(pa.array((hi >= len(self.values)) & (lo != hi)), ROOT, labels)

    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        reaches_missing = hi >= len(self.values)
        alone, step = lo == hi, self.steps(lo, hi)
        low = self._ends.take(np.where(alone, lo, self._part_of[step, lo]))
        high = self._ends.take(np.where(alone, hi, self._part_of[step, hi]))
        middles = low.middles + (high.offsets - low.offsets + high.widths - low.widths) / 2
        widths = high.offsets + high.widths - low.offsets
        return Ends(low.low, high.high, middles, low.offsets, widths).hidden(reaches_missing)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """For every step and code, the first code of its part."""
        return np.stack([level.starts[level.groups] for level in self.grid]).astype(np.int64)

    @cached_property
    def lasts(self) -> NDArray[np.int64]:
        """For every step and code, the last code of its part."""
        return np.stack([level.lasts[level.groups] for level in self.grid])

    def covered(self, lo: Codes, hi: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        first, last = super().covered(lo, hi)
        step, alone = self.steps(lo, hi), (lo == hi) | (hi >= len(self.values))
        return np.where(alone, first, self.firsts[step, lo]), np.where(alone, last, self.lasts[step, hi])


@dataclass(frozen=True)
class CountedGridDomain(GridDomain):
    """Values on a grid, whose spans cost the logarithm of the number of rows within the shown interval.

    ``reached`` is the number of rows below every code, followed by the number of all rows.
    """

    reached: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)

    @classmethod
    def of(cls, domain: GridDomain, reached: NDArray[np.int64]) -> CountedGridDomain:
        """Add counts to a domain."""
        return cls(**{item.name: getattr(domain, item.name) for item in fields(GridDomain)}, reached=reached)

    @cached_property
    def downs(self) -> NDArray[np.float64]:
        return self.reached[self.firsts].astype(np.float64)

    @cached_property
    def ups(self) -> NDArray[np.float64]:
        return self.reached[self.lasts + 1].astype(np.float64)

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        first, last = self.covered(lo, hi)
        return np.log(np.maximum(1, self.reached[last + 1] - self.reached[first]))


def gridded(domain: IntervalDomain) -> IntervalDomain:
    """Put a domain of numbers or dates on a grid, if it has more than one value.

    Raises
    ------
    DataError
        If its range is so small or so large that there are no round numbers within it.
    """
    if not domain.averageable or domain.extent == 0:
        return domain
    quarter = float(domain.numbers[-1]) / 4 - float(domain.numbers[0]) / 4
    if domain.extent < LEAST_RANGE or quarter > MOST_RANGE:
        raise DataError(
            f"The numbers of '{domain.name}' span too little or too much for intervals with round ends. Take "
            "ends='data', or give the column in another unit."
        )
    dates = pa.types.is_temporal(domain.values.type)
    steps, levels = _calendar(domain) if dates else _numbers(domain)
    closed = only_dates(domain.values) if dates else pa.types.is_integer(domain.values.type)
    # A little less, so that rounding cannot exclude an interval of exactly this many steps.
    least = STEPS_PER_INTERVAL * (np.array(steps, np.float64) / domain.extent) * (1 - 1e-9)
    return GridDomain(**domain.as_interval(), grid=tuple(levels), least_shares=least, closed=closed)


def _numbers(domain: IntervalDomain) -> tuple[list[float], list[Level]]:
    whole = pa.types.is_integer(domain.values.type)
    steps = round_steps(domain.extent, whole)
    return steps, list(binned_levels(domain.values, domain.numbers, steps, domain.has_missing))


def round_steps(extent: float, whole: bool) -> list[float]:
    """Choose steps of 1 and 5 times powers of ten, from a fine one up to the range; integers for integers.

    For small ranges of integers the finest step is 2 or 1, since 5 would be most of the range.

    Examples
    --------
    >>> round_steps(73, whole=True), round_steps(30, whole=True), round_steps(12, whole=True)
    ([5, 10, 50], [2, 10], [1, 5, 10])
    """
    finest = extent / MOST_PARTS
    power = math.floor(math.log10(finest))
    if whole:
        power = max(power, 0)
    steps = [
        digit * 10**exponent if exponent >= 0 else float(f"{digit}e{exponent}")
        for exponent in range(power, power + 6)
        for digit in (1, 5)
    ]
    chosen = [step for step in steps if finest <= step <= extent]
    least = next((step for step in (5, 2) if extent >= LEAST_PARTS * step), 1)
    if not whole or least < finest:
        return chosen
    return [least, *(step for step in chosen if step > least and step % least == 0)]


def _calendar(domain: IntervalDomain) -> tuple[list[float], list[Level]]:
    finest = "month" if only_dates(domain.values) and domain.extent >= LEAST_PARTS * CALENDAR_STEPS["month"] else "day"
    names = [name for name, days in CALENDAR_STEPS.items() if days >= CALENDAR_STEPS[finest]]
    levels = [calendar_level(name, domain.values, domain.has_missing) for name in names]
    return [CALENDAR_STEPS[name] for name in names], levels
