"""One level of a hierarchy: its groups of values, their labels, and the intervals that they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

ROOT = "*"


@dataclass(frozen=True)
class Ends:
    """The intervals that labels cover on a column's scale; null for missing values and for ``*``.

    Attributes
    ----------
    low, high
        The ends in the column's own type.
    middles
        The midpoints, as numbers on the scale.
    offsets, widths
        The distance of the lower end from the first value of the table, and the width; both computed before rounding.
    """

    low: pa.Array
    high: pa.Array
    middles: NDArray[np.float64]
    offsets: NDArray[np.float64]
    widths: NDArray[np.float64]

    def take(self, places: NDArray[np.integer]) -> Ends:
        """Select some ends."""
        low, high = (end.take(pa.array(places)) for end in (self.low, self.high))
        return Ends(low, high, self.middles[places], self.offsets[places], self.widths[places])

    def hidden(self, nothing: NDArray[np.bool_]) -> Ends:
        """Replace the ends that must not be shown by nulls."""
        low, high = (end.take(pa.array(np.arange(len(nothing)), mask=nothing)) for end in (self.low, self.high))
        return replace(self, low=low, high=high, middles=np.where(nothing, np.nan, self.middles))

    @classmethod
    def nothing(cls, count: int, kind: pa.DataType) -> Ends:
        """Make ``count`` null ends."""
        none, nowhere = pa.nulls(count, kind), np.zeros(count)
        return cls(none, none, np.full(count, np.nan), nowhere, nowhere)

    @classmethod
    def joined(cls, parts: Sequence[Ends]) -> Ends:
        """Concatenate ends, in a type that holds all of them."""
        kind = next((part.low.type for part in parts if part.low.type != parts[0].low.type), parts[0].low.type)
        low, high = (
            pa.concat_arrays([end.cast(kind, safe=False) for end in side])
            for side in ([part.low for part in parts], [part.high for part in parts])
        )
        numbers = [(part.middles, part.offsets, part.widths) for part in parts]
        return cls(low, high, *(np.concatenate(column) for column in zip(*numbers, strict=True)))

    def with_missing(self) -> Ends:
        """Append null ends for missing values."""
        return Ends.joined([self, Ends.nothing(1, self.low.type)])


@dataclass(frozen=True)
class Level:
    """One level of a hierarchy: the group of every code, numbered in code order, and the groups' labels.

    ``ends`` are the intervals that groups cover, if the values lie on a scale: ``[30, 34]`` covers 30 to 34, whichever
    of these values occur.
    """

    name: str
    groups: NDArray[np.int32]
    labels: pa.StringArray = field(repr=False)
    ends: Ends | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def starts(self) -> NDArray[np.int32]:
        """The first code of every group."""
        begins = np.ones(len(self.groups), bool)
        np.not_equal(self.groups[1:], self.groups[:-1], out=begins[1:])
        return np.flatnonzero(begins).astype(np.int32)

    @property
    def lasts(self) -> NDArray[np.int64]:
        """The last code of every group."""
        return np.append(self.starts[1:], len(self.groups)) - 1


def identity_level(values: pa.Array, has_missing: bool, name: str = "value") -> Level:
    """Make level 0, where every value stands for itself and missing is null."""
    texts = value_texts(values)
    if has_missing:
        texts = pa.concat_arrays([texts, pa.nulls(1, pa.string())])
    return Level(name, np.arange(len(texts), dtype=np.int32), texts)


def value_texts(values: pa.Array) -> pa.StringArray:
    """Write values for people: dates without a time if no value has one, times without zero fractions."""
    if not pa.types.is_timestamp(values.type):
        return values.cast(pa.string())
    if only_dates(values):
        return values.cast(pa.date32()).cast(pa.string())
    return pc.replace_substring_regex(values.cast(pa.string()), r"\.0+(Z|[+-]\d+)?$", r"\1")


def only_dates(moments: pa.Array) -> bool:
    """Whether timestamps are dates without a time of day, for which pandas has no other type.

    In a time zone days differ in length, so there every timestamp keeps its time.
    """
    if pa.types.is_date(moments.type):
        return True
    if getattr(moments.type, "tz", None) not in {None, "UTC"}:
        return False
    return bool(pc.all(pc.equal(pc.floor_temporal(moments, unit="day"), moments)).as_py())


def root_level(size: int) -> Level:
    """Make the top level, ``*``."""
    return Level("any", np.zeros(size, np.int32), pa.array([ROOT]))


def grouped_level(
    name: str, keys: NDArray[np.generic], labels: pa.StringArray, has_missing: bool, ends: Ends | None = None
) -> Level:
    """Make a level from one key and one label per value in code order; a new key begins a new group.

    ``ends`` are those of the groups, if the values lie on a scale.
    """
    begins = np.ones(len(keys), bool)
    begins[1:] = keys[1:] != keys[:-1]
    groups = (np.cumsum(begins) - 1).astype(np.int32)
    shown = labels.filter(pa.array(begins)).cast(pa.string())
    if has_missing:
        groups = np.append(groups, np.int32(len(shown)))
        shown = pa.concat_arrays([shown, pa.nulls(1, pa.string())])
        ends = ends and ends.with_missing()
    return Level(name, groups, shown, ends)
