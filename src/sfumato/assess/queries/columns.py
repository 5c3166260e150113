"""The columns of a released table as queries need them: which values every shown cell may stand for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.queries.conditions import Condition, Span, spans_of
from sfumato.hierarchies.reading.extents import Extents

MICROSECONDS_PER_DAY = 86_400_000_000


class Match(NamedTuple):
    """For every cell: the expected share that meets a condition, and whether it certainly or possibly does.

    ``low`` and ``high`` are the ends of the values that meet it; for categories they are NaN.
    """

    share: NDArray[np.float64]
    surely: NDArray[np.bool_]
    possibly: NDArray[np.bool_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class ReleasedColumn(ABC):
    """A column of a release: the number of every row's cell.

    Attributes
    ----------
    name
        The name of the column in the original.
    cells
        The number of every row's cell; equal cells have the same number.
    """

    name: str
    cells: NDArray[np.int32] = field(repr=False)

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of distinct cells."""

    @property
    def on_scale(self) -> bool:
        """Whether its values have an order, so that some lie below a place."""
        return False

    @property
    def order(self) -> Sequence[object] | None:
        """All values from first to last, if the scale is an order of names."""
        return None

    @abstractmethod
    def match(self, condition: Condition) -> Match:
        """Match every cell with a condition."""

    def refuse_typos(self, condition: Condition) -> None:  # noqa: B027 - only names are mistyped
        """Refuse a value that no row shows but that is nearly one that some row does: an answer of 0 would mislead."""

    def share_below(self, place: float) -> NDArray[np.float64]:
        """Compute the share of every cell at or below a place of the scale."""
        raise TypeError(f"{type(self).__name__} has no scale")

    def drawn(self, random: np.random.Generator) -> pa.Array:
        """Draw a value for every row, each value of its cell equally likely; missing if the cell is."""
        raise TypeError(f"{type(self).__name__} shows no cells to draw from")


@dataclass(frozen=True)
class ScaleColumn(ReleasedColumn):
    """Numbers, dates or an order: every cell is a range of a scale.

    Attributes
    ----------
    extents
        The ends of each cell.
    order
        All values from first to last, if the scale is an order of names.
    kind
        The type of answers: dates are answered as dates.
    statistic
        ``"midpoint"`` or ``"mean"`` if a class shows that instead of a range, so that its values may differ from it.
    """

    extents: Extents = field(repr=False)
    order: Sequence[object] | None = field(default=None, repr=False)
    kind: pa.DataType | None = None
    statistic: str | None = None

    @property
    def size(self) -> int:
        return len(self.extents)

    @property
    def on_scale(self) -> bool:
        return True

    @cached_property
    def whole(self) -> bool:
        """Whether all ends are whole numbers, so that values are expected to be whole too."""
        ends = np.concatenate([self.extents.low, self.extents.high])
        finite = ends[np.isfinite(ends)]
        return bool(len(finite)) and bool((finite == np.rint(finite)).all())

    @cached_property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The ends of cells for estimates: unbounded cells reach as far as any other."""
        low, high = self.extents.low.copy(), self.extents.high.copy()
        if self.whole:
            low, high = low + self.extents.open_start, high - self.extents.open_end
        shown = np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)]])
        if len(shown):
            low[low == -np.inf], high[high == np.inf] = shown.min(), shown.max()
        return low, high

    def everything(self) -> Match:
        """Match every value that is not missing."""
        return self._within([Span(-np.inf, np.inf)])

    def share_below(self, place: float) -> NDArray[np.float64]:
        return self._share(Span(-np.inf, place))

    def match(self, condition: Condition) -> Match:
        return self._within(spans_of(self.name, condition, self.order, self.kind is not None))

    def drawn(self, random: np.random.Generator) -> pa.Array:
        low, high = (end[self.cells] for end in self.ends)
        known = np.isfinite(low) & np.isfinite(high) & (low <= high)
        low, high = np.where(known, low, 0.0), np.where(known, high, 0.0)
        shares = random.random(len(low))
        at = low + (np.floor(shares * (high - low + 1)) if self.whole else shares * (high - low))
        if self.order is not None:
            places = at.astype(np.int64)
            names = pa.array([str(value) for value in self.order])
            return names.take(pa.array(np.clip(places, 0, len(names) - 1), mask=~known))
        if self.kind is None:
            return pa.array(at.astype(np.int64) if self.whole else at, mask=~known)
        ticks: NDArray[np.int64] = np.rint(at * MICROSECONDS_PER_DAY).astype(np.int64)
        moments = pa.array(ticks, pa.timestamp("us", getattr(self.kind, "tz", None)), mask=~known)
        return moments.cast(self.kind, safe=False)

    def _within(self, spans: list[Span]) -> Match:
        low, high = self.extents.low, self.extents.high
        share = np.zeros(self.size)
        surely, possibly = np.zeros(self.size, bool), np.zeros(self.size, bool)
        lowest, highest = np.full(self.size, np.inf), np.full(self.size, -np.inf)
        for span in spans:
            share += self._share(span)
            surely |= (low >= span.low) & (high <= span.high)
            begins = np.where(self.extents.open_end, high > span.low, high >= span.low)
            ends = np.where(self.extents.open_start, low < span.high, low <= span.high)
            inside = begins & ends & (low <= high)
            possibly |= inside
            lowest = np.where(inside, np.minimum(lowest, np.maximum(low, span.low)), lowest)
            highest = np.where(inside, np.maximum(highest, np.minimum(high, span.high)), highest)
        if self.statistic is not None:
            # A mean may stand for any value, unless the condition includes all values.
            endless = all(span.low == -np.inf and span.high == np.inf for span in spans)
            unknown = np.isfinite(low) & np.isfinite(high)
            return Match(np.clip(share, 0, 1), surely & endless, possibly | unknown, lowest, highest)
        return Match(np.clip(share, 0, 1), surely & possibly & ~self.extents.missing, possibly, lowest, highest)

    def _share(self, span: Span) -> NDArray[np.float64]:
        low, high = self.ends
        one = 1.0 if self.whole else 0.0
        first, last = np.maximum(low, span.low), np.minimum(high, span.high)
        if self.whole:
            first, last = np.ceil(first), np.floor(last)
        with np.errstate(invalid="ignore", over="ignore"):
            width, overlap = high - low + one, last - first + one
        # A cell without width or without an end is either inside or not.
        share = np.where(last >= first, 1.0, 0.0)
        measured = np.isfinite(width) & (width > 0)
        return np.divide(np.clip(overlap, 0.0, None), width, out=share, where=measured)
