"""The original and its release, as the measures of utility compare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.queries import Released
from sfumato.assess.queries.columns import ReleasedColumn
from sfumato.common.grouping import CodedColumn, code_column
from sfumato.common.randomness import Secret
from sfumato.hierarchies.reading.extents import positions

Numbers = NDArray[np.float64]

#: Up to this many distinct numbers or dates get a bin each; so do the most frequent categories.
VALUES = 128

#: The number of bins of other numbers and dates, with about equally many rows of the original in each.
BINS = 32


@dataclass(frozen=True)
class ColumnBins:
    """The bins of a column: the bin of every original row, and how each shown cell is spread over them.

    Attributes
    ----------
    of_row
        The bin of every row of the original; -1 if the value is missing.
    shares
        The share of every cell (rows) in every bin (columns).
    places
        Where the bins end on the column's scale; None for categories.
    values
        The values of an order; for categories, the values of every bin.
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
        """Write the condition on the column that selects a range of bins."""
        if self.places is None:
            return {value for part in (self.values or ())[first : last + 1] for value in part}
        low = None if first == 0 else float(np.nextafter(self.places[first - 1], np.inf))
        high = float(self.places[last])
        if self.values is None:
            return low, high
        return None if low is None else self.values[int(np.ceil(low))], self.values[int(high)]


@dataclass(frozen=True, eq=False)
class UtilityComparison:
    """An original, its release, and the seed of random choices.

    Attributes
    ----------
    original
        The original rows.
    released
        The released rows, ready to answer queries.
    names
        The columns to compare: quasi-identifiers first, then those released unchanged.
    label
        The column that a classifier should predict, if any.
    held_out
        Further originals, not in the release, to test a classifier on.
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

    @lru_cache  # noqa: B019 - a comparison lives as long as one report
    def bins(self, name: str) -> ColumnBins:
        """Compute the bins of a column."""
        column = self.released.column(name)
        if column.on_scale:
            return _scale_bins(column, self.original.column(name))
        return _category_bins(column, code_column(name, self.original.column(name)))

    def expected(self, names: tuple[str, ...]) -> Numbers:
        """Compute the expected number of released rows in every combination of bins of one or two columns."""
        groups = self.released.groups(names)
        shares = [self.bins(name).shares[self.released.column(name).cells[groups.first_rows]] for name in names]
        if len(names) == 1:
            return groups.sizes @ shares[0]
        return (shares[0] * groups.sizes[:, None]).T @ shares[1]

    def observed(self, names: tuple[str, ...]) -> Numbers:
        """Count the original rows in every combination of bins of one or two columns."""
        bins = [self.bins(name) for name in names]
        known = np.all([part.of_row >= 0 for part in bins], axis=0)
        table = np.zeros([part.size for part in bins])
        np.add.at(table, tuple(part.of_row[known] for part in bins), 1.0)
        return table


def _category_bins(column: ReleasedColumn, coded: CodedColumn) -> ColumnBins:
    """Make a bin for each of the most frequent values, and one for all others."""
    texts = coded.values.cast(pa.string()).to_pylist()
    often = np.argsort(-np.bincount(coded.codes, minlength=coded.size)[:-1], kind="stable")
    alone, others = often[: VALUES - 1], often[VALUES - 1 :]
    values = [(texts[at],) for at in alone] + [tuple(texts[at] for at in others)] * bool(len(others))
    bin_of = np.full(coded.size, -1, np.int64)
    bin_of[alone], bin_of[others] = np.arange(len(alone)), len(alone)
    shares = [column.match(set(part)).share for part in values]
    return ColumnBins(
        bin_of[coded.codes], np.stack(shares, axis=1) if shares else np.zeros((column.size, 0)), values=values
    )


def _scale_bins(column: ReleasedColumn, values: pa.ChunkedArray) -> ColumnBins:
    plain = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    at = positions(plain, column.order)
    known = np.sort(at[~np.isnan(at)])
    if not len(known):
        return ColumnBins(np.full(len(at), -1), np.zeros((column.size, 0)), np.empty(0))
    ends = np.unique(known)
    if len(ends) > VALUES:
        ends = np.unique(known[np.linspace(0, len(known) - 1, BINS + 1).astype(np.int64)[1:]])
    of_row = np.where(np.isnan(at), -1, np.searchsorted(ends, at)).astype(np.int64)
    below = np.stack([column.share_below(end) for end in ends[:-1]] + [column.share_below(np.inf)], axis=1)
    shares = np.diff(below, axis=1, prepend=0.0)
    return ColumnBins(of_row, np.clip(shares, 0.0, 1.0), ends, column.order)
