"""The original and its release side by side, as every measure sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.queries import Released
from sfumato.queries.columns import Column
from sfumato.randomness import Secret
from sfumato.reading.extents import positions
from sfumato.verify.classes import code_column

Numbers = NDArray[np.float64]

#: Numbers and dates are compared in so many bins, as many rows of the original in each as can be.
BINS = 32


@dataclass(frozen=True)
class Bins:
    """The bins of a column: where every row of the original lies, and how each shown cell is spread over them.

    Attributes
    ----------
    of_row
        The bin of every row of the original; -1 where the value is missing.
    shares
        For every cell (rows) the share of it in every bin (columns).
    places
        Where the bins end on the column's scale; None for categories.
    values
        The values of a category's bins, or of an order.
    """

    of_row: NDArray[np.int64] = field(repr=False)
    shares: Numbers = field(repr=False)
    places: Numbers | None = None
    values: Sequence[Any] | None = None

    @property
    def size(self) -> int:
        """The number of bins."""
        return int(self.shares.shape[1])

    def condition(self, first: int, last: int) -> Any:
        """Return what to ask of the column to mean the bins from one to another."""
        if self.places is None:
            return set((self.values or ())[first : last + 1])
        low = None if first == 0 else float(np.nextafter(self.places[first - 1], np.inf))
        high = float(self.places[last])
        if self.values is None:
            return low, high
        return None if low is None else self.values[int(np.ceil(low))], self.values[int(high)]


@dataclass(frozen=True, eq=False)
class Scene:
    """An original, its release, and where random choices start.

    Attributes
    ----------
    original
        The rows that came in.
    released
        The rows that went out, ready to answer questions.
    names
        The columns that are compared: quasi-identifiers first, then what was released as it was.
    label
        The column that a classifier is to learn, if there is one.
    held_out
        More originals, which are not in the release, to test a classifier on.
    """

    original: pa.Table = field(repr=False)
    released: Released = field(repr=False)
    names: tuple[str, ...]
    label: str | None
    held_out: pa.Table | None = field(repr=False)
    secret: Secret

    @cached_property
    def sample(self) -> pa.Table:
        """A table drawn from the release, for measures that need values."""
        return self.released.sample(self.secret.number("drawn table"))

    @lru_cache  # noqa: B019 - a scene lives as long as one report
    def bins(self, name: str) -> Bins:
        """Return the bins of a column."""
        column = self.released.column(name)
        if column.on_scale:
            return _scale_bins(column, self.original.column(name))
        coded = code_column(name, self.original.column(name))
        values = coded.values.cast(pa.string()).to_pylist()
        shares = [column.match(value).share for value in values]
        of_row = np.where(coded.codes < len(values), coded.codes, -1).astype(np.int64)
        return Bins(of_row, np.stack(shares, axis=1) if shares else np.zeros((column.size, 0)), values=values)

    def expected(self, names: tuple[str, ...]) -> Numbers:
        """Return how many rows of the release are expected in every combination of bins of one or two columns."""
        groups = self.released.groups(names)
        shares = [self.bins(name).shares[self.released.column(name).cells[groups.first_rows]] for name in names]
        if len(names) == 1:
            return groups.sizes @ shares[0]
        return (shares[0] * groups.sizes[:, None]).T @ shares[1]

    def observed(self, names: tuple[str, ...]) -> Numbers:
        """Return how many rows of the original are in every combination of bins of one or two columns."""
        bins = [self.bins(name) for name in names]
        known = np.all([part.of_row >= 0 for part in bins], axis=0)
        table = np.zeros([part.size for part in bins])
        np.add.at(table, tuple(part.of_row[known] for part in bins), 1.0)
        return table


def _scale_bins(column: Column, values: pa.ChunkedArray) -> Bins:
    plain = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    at = positions(plain, column.order)
    known = np.sort(at[~np.isnan(at)])
    if not len(known):
        return Bins(np.full(len(at), -1), np.zeros((column.size, 0)), np.empty(0))
    ends = np.unique(known[np.linspace(0, len(known) - 1, BINS + 1).astype(np.int64)[1:]])
    of_row = np.where(np.isnan(at), -1, np.searchsorted(ends, at)).astype(np.int64)
    below = np.stack([column.share_below(end) for end in ends[:-1]] + [column.share_below(np.inf)], axis=1)
    shares = np.diff(below, axis=1, prepend=0.0)
    return Bins(of_row, np.clip(shares, 0.0, 1.0), ends, column.order)
