"""Cells: where there are too many distinct numbers or times to keep, each is known only by a round interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.hierarchies.base import whole_offsets
from sfumato.hierarchies.bins import Bounds, exactly, kind_of
from sfumato.hierarchies.calendar import TICKS_PER_DAY
from sfumato.hierarchies.domain import Codes, Domain
from sfumato.hierarchies.levels import ROOT, Ends, Level, grouped_level, value_texts
from sfumato.hierarchies.scale_domain import MISSING_POSITION, IntervalDomain, LevelledDomain, ScaledDomain

#: The lengths in seconds of cells of times, each dividing the next: up to a day, and then several days.
SECONDS = (1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 21_600, 43_200, 86_400)

#: The beginnings of cells, and at the end the end of the last one.
Borders = Sequence[Fraction]


@dataclass(frozen=True)
class CellDomain(IntervalDomain):
    """Cells on a scale: a class shows the interval from the beginning of its first cell to the end of its last.

    Methods place a cell at its beginning. The reported loss counts the full width of cells, also for a class within a
    single cell.
    """

    @cached_property
    def reaches(self) -> NDArray[np.float64]:
        """The end of every cell on the scale from 0 to 1; the missing code far beyond."""
        ends = self.shares((self.value_ends.offsets + self.value_ends.widths)[: len(self.values)])
        return np.append(ends, MISSING_POSITION) if self.has_missing else ends

    def span_costs(self, lo: Codes, hi: Codes) -> NDArray[np.float64]:
        return np.minimum(self.reaches[hi] - self.positions[lo], 1.0)

    def span_labels(self, lo: Codes, hi: Codes) -> pa.StringArray:
        ends = self.value_ends
        # All borders are written first: whether times need a time of day must not depend on the class.
        low, high = value_texts(ends.low).take(pa.array(lo)), value_texts(ends.high).take(pa.array(hi))
        texts = interval_texts(low, high, self.values.type)
        # A class of missing values only is shown as missing.
        labels = pc.if_else(pa.array(lo >= len(self.values)), pa.scalar(None, pa.string()), texts)
        return pc.if_else(pa.array((hi >= len(self.values)) & (lo != hi)), ROOT, labels)

    def span_ends(self, lo: Codes, hi: Codes) -> Ends:
        reaches_missing = hi >= len(self.values)
        low, high = self.value_ends.take(lo), self.value_ends.take(np.where(reaches_missing, lo, hi))
        widths = high.offsets + high.widths - low.offsets
        middles = low.middles + (widths - low.widths) / 2
        return Ends(low.low, high.high, middles, low.offsets, widths).hidden(reaches_missing)


def interval_texts(low: pa.StringArray, high: pa.StringArray, kind: pa.DataType) -> pa.StringArray:
    """Write intervals of a type."""
    return pc.binary_join_element_wise("[", low, ", ", high, closing(kind), "")


def closing(kind: pa.DataType) -> str:
    """The closing bracket of intervals of a type: integers include their upper end, other types do not."""
    return "]" if pa.types.is_integer(kind) else ")"


def round_borders(least: pa.Scalar, greatest: pa.Scalar, most: int, width: float | None = None) -> list[Fraction]:
    """Make borders at multiples of a round width, for cells from the least value to the greatest.

    Parameters
    ----------
    least, greatest
        The least and the greatest value of the table.
    most
        The most cells. The width is 1 or 5 times a power of ten, and an integer for integers.
    width
        A requested width, which is used if it makes no more cells than that.

    Examples
    --------
    >>> [str(border) for border in round_borders(pa.scalar(3), pa.scalar(17), 4)]
    ['0', '5', '10', '15', '20']
    """
    low, high = exactly(least), exactly(greatest)
    step = None if width is None else Fraction(str(width))
    if step is None or high // step - low // step >= most:
        step = _round_width(low, high, most, pa.types.is_integer(least.type))
    first, last = _limits(least.type)
    begin, end = low // step, high // step + 1
    between = [Fraction(at * step.numerator, step.denominator) for at in range(begin + 1, end)]
    borders = [max(begin * step, first), *between, min(end * step, last)]
    return borders if pa.types.is_integer(least.type) else _beyond(apart(borders, least.type), greatest)


def moment_width(least: int, greatest: int, most: int, per_second: int) -> int | None:
    """A width of cells that is natural for times, such as 30 minutes; None if fractions of a second are needed.

    >>> moment_width(0, 86_400_000, 100, per_second=1_000) // 60_000
    30
    """
    days = (SECONDS[-1] * digit * 10**power for power in count() for digit in (1, 5))
    fitting = (
        step for seconds in chain(SECONDS, days) if greatest // (step := seconds * per_second) - least // step < most
    )
    found = next(fitting)
    return None if found == per_second else found


def _limits(kind: pa.DataType) -> tuple[Fraction, Fraction]:
    """The least and the greatest border that a type can hold."""
    if pa.types.is_integer(kind):
        whole = np.iinfo(kind.to_pandas_dtype())
        return Fraction(int(whole.min)), Fraction(int(whole.max) + 1)
    greatest = exactly(pa.scalar(np.finfo(kind.to_pandas_dtype()).max, kind))
    return -greatest, greatest


def in_type(borders: Borders, kind: pa.DataType) -> pa.Array:
    """Borders as values of a column's type."""
    if pa.types.is_integer(kind):
        return pa.array([int(border) for border in borders], kind)
    return pa.array([float(border) for border in borders], pa.float64()).cast(kind, safe=False)


def apart(borders: Borders, kind: pa.DataType) -> list[Fraction]:
    """The borders that are distinct values of a column's type."""
    if pa.types.is_integer(kind):
        return list(borders)
    numbers = in_type(borders, kind).to_numpy()
    return [borders[at] for at in np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])).tolist()]


def _beyond(borders: list[Fraction], greatest: pa.Scalar) -> list[Fraction]:
    """Make sure that the last border lies beyond the greatest value, even after rounding to floats."""
    if in_type(borders[-1:], greatest.type)[0].as_py() > greatest.as_py():
        return borders
    kind = greatest.type.to_pandas_dtype()
    after = np.nextafter(kind(greatest.as_py()), kind(np.inf))
    return [*borders, exactly(pa.scalar(after, greatest.type))] if np.isfinite(after) else borders


def _round_width(low: Fraction, high: Fraction, most: int, whole: bool) -> Fraction:
    """The least width, 1 or 5 times a power of ten, with which at most ``most`` cells cover the range."""
    power = Fraction(1)
    if not whole and low < high:
        while high // power - low // power < most:
            power /= 10
    while True:
        for step in (power, 5 * power):
            if high // step - low // step < most:
                return step
        power *= 10


def split_borders(borders: Borders, crowded: Sequence[int], room: int, kind: pa.DataType) -> list[Fraction]:
    """Split crowded cells into tenths, hundredths and so on, as fine as there is room for.

    Cells of integers are split as long as they hold several: a width of 50 becomes 5, and then 1.
    """
    whole = pa.types.is_integer(kind)
    parts = 10 ** (len(str(max(1, room // max(1, len(crowded))))) - 1)
    cut = set(crowded)
    fine: list[Fraction] = []
    for at, low in enumerate(borders):
        fine.append(low)
        if at in cut:
            width = borders[at + 1] - low
            own = _parts(width, parts, whole)
            step = width / own
            fine += [low + part * step for part in range(1, own)]
    return apart(fine, kind)


def _parts(width: Fraction, most: int, whole: bool) -> int:
    """The number of parts into which a cell is split."""
    parts = most
    while whole and parts > 1 and (width / parts).denominator > 1:
        parts //= 10
    return int(width) if whole and parts == 1 and width <= most else parts


def in_cells(domain: Domain, low: Borders, after: Borders) -> ScaledDomain:
    """Make a domain whose values stand for cells.

    Parameters
    ----------
    domain
        A domain with one value of every cell.
    low, after
        The beginning and the end of every cell.
    """
    if not isinstance(domain, ScaledDomain) or not domain.averageable:
        raise _no_cells(domain.name, "what is declared for it is no scale")
    temporal = pa.types.is_timestamp(domain.values.type)
    ends = _moment_ends(low, after, domain.values.type) if temporal else _number_ends(low, after, domain.values.type)
    labels = interval_texts(value_texts(ends.low), value_texts(ends.high), domain.values.type)
    finest = grouped_level("cell", np.arange(len(low)), labels, domain.has_missing, ends)
    kept = [level for level in domain.levels[1:-1] if _holds(level, ends)]
    levels = (finest, *kept, domain.levels[-1])
    if isinstance(domain, LevelledDomain):
        if len(levels) < len(domain.levels):
            raise _no_cells(
                domain.name, "the borders that are declared for it lie too close together, or are not round"
            )
        return replace(domain, levels=levels, numbers=ends.middles, offsets=ends.offsets)
    assert isinstance(domain, IntervalDomain)
    return CellDomain(**domain.as_interval() | {"levels": levels, "numbers": ends.middles, "offsets": ends.offsets})


def _number_ends(low: Borders, after: Borders, kind: pa.DataType) -> Ends:
    closed = pa.types.is_integer(kind)
    bounds = Bounds(low, [edge - closed for edge in after], low[0], after[-1] - closed, closed)
    return bounds.ends(kind_of(kind, [bounds]))


def _moment_ends(low: Borders, after: Borders, kind: pa.DataType) -> Ends:
    """The ends of cells of times, whose borders are in ticks since 1970."""
    begins, ends = (np.array([int(edge) for edge in side], np.int64) for side in (low, after))
    per_day = TICKS_PER_DAY[kind.unit]
    widths = (ends - begins) / per_day
    offsets = whole_offsets(begins) / per_day
    first, last = (pa.array(side).cast(kind) for side in (begins, ends))
    return Ends(first, last, begins / per_day + widths / 2, offsets, widths)


def _holds(level: Level, ends: Ends) -> bool:
    """Whether every cell lies within the interval that its group of a level shows."""
    if level.ends is None:
        return False
    shown = level.ends.take(level.groups[: len(ends.low)])
    kind = pa.int64() if pa.types.is_temporal(ends.low.type) else pa.float64()
    (low, first), (last, high) = (
        [side.cast(kind, safe=False) for side in pair] for pair in ((shown.low, ends.low), (ends.high, shown.high))
    )
    inside = pc.and_(pc.less_equal(low, first).fill_null(True), pc.less_equal(last, high).fill_null(True))
    return bool(pc.all(inside).as_py())


def _no_cells(name: str, why: str) -> DataError:
    return DataError(
        f"Column '{name}' has too many different values to be kept within this memory, and no cells can stand for "
        f"them: {why}. Declare Numeric() or wider intervals with round borders, round its values first, or allow more "
        "(memory=)."
    )
