"""Hierarchies that are learned from a table: breaks by the distribution of rows, groups from other columns.

Each declares how to learn, and `learned` returns an ordinary hierarchy that can be inspected, written to a file and
used for the next table. Nothing is learned silently: a caution of the release names the columns.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import DataError, HierarchyError, invalid_parameter, listed
from sfumato.hierarchies.bands import Bands
from sfumato.hierarchies.base import Fitted, Hierarchy, numbers_between, sort_codes, texts_between
from sfumato.hierarchies.bins import exactly
from sfumato.hierarchies.clusters import cheapest_breaks, merged
from sfumato.hierarchies.numeric import numbers_only, offsets_of
from sfumato.hierarchies.taxonomy import Taxonomy

#: The most values that are compared with each other.
MOST_ALIKE = 2_000


class Learned(Hierarchy):
    """Declares how to learn a hierarchy from the rows of a table."""

    @abstractmethod
    def learned(self, column: str, table: pa.Table) -> Hierarchy:
        """Learn the hierarchy from the rows."""

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        raise HierarchyError(
            f"The hierarchy of '{column}' is learned from a table, and here are only its values. Learn it first "
            f"(sfumato hierarchy TABLE {column}={self.shorthand} -o FILE), and use the file."
        )


class _Divided(Learned):
    """Numbers divided into a given number of parts by the distribution of rows."""

    def __init__(self, parts: Sequence[int] | int) -> None:
        owner, given = type(self).__name__, [parts] if isinstance(parts, int) else parts
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise invalid_parameter(owner, "parts", "a number of parts, or one per level", parts)
        self.parts = tuple(parameters.integer(owner, "parts", count, at_least=2) for count in given)
        if not self.parts or sorted(set(self.parts), reverse=True) != list(self.parts):
            raise invalid_parameter(owner, "parts", "numbers of parts from many to few, such as 20, 10, 5", parts)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"parts": numbers_between(text)}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "parts": list(self.parts)}

    def learned(self, column: str, table: pa.Table) -> Bands:
        ordered, counts = counted_numbers(column, table.column(column), f"{type(self).__name__}()")
        if len(ordered) < 2:
            raise DataError(f"Column '{column}' has fewer than two different numbers, so there is nothing to divide.")
        levels = [_breaks(ordered, places) for places in self.places(column, ordered, counts)]
        different = [level for at, level in enumerate(levels) if at == 0 or len(level) < len(levels[at - 1])]
        return Bands(different)

    @abstractmethod
    def places(self, column: str, ordered: pa.Array, counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The places before which the parts of every level begin, finest level first."""


class Quantiles(_Divided):
    """Numbers in parts that hold about equally many rows.

    Parameters
    ----------
    parts
        How many; for several levels from many to few, each dividing the one before, such as ``(20, 10, 5)``.

    Examples
    --------
    >>> Quantiles(2).learned("age", pa.table({"age": [21, 22, 23, 67, 88, 89]}))
    Bands(breaks=[50])
    """

    name: ClassVar[str] = "quantiles"
    shorthand: ClassVar[str] = "quantiles:20,10,5"

    def __init__(self, parts: Sequence[int] | int) -> None:
        super().__init__(parts)
        if any(many % few for many, few in zip(self.parts, self.parts[1:], strict=False)):
            raise invalid_parameter("Quantiles", "parts", "numbers that each divide the one before", parts)

    def places(self, column: str, ordered: pa.Array, counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        below = np.cumsum(counts)
        found = []
        for parts in self.parts:
            wanted = below[-1] * np.arange(1, parts) / parts
            # The cut nearest to the wanted number of rows.
            after = np.searchsorted(below, wanted)
            before = np.maximum(after - 1, 0)
            nearer = np.abs(below[before] - wanted) <= np.abs(below[after] - wanted)
            places = np.unique(np.where(nearer, before, after) + 1)
            found.append(places[places < len(ordered)])
        return found


class Clusters(_Divided):
    """Numbers in parts that are as narrow as possible around their means: optimal clusters of one dimension.

    The sum of squared distances of all rows from the mean of their part is minimal; for coarser levels, minimal among
    the breaks of the finer level.

    Parameters
    ----------
    parts
        How many; for several levels from many to few, such as ``(12, 4)``.

    Examples
    --------
    >>> Clusters(2).learned("pay", pa.table({"pay": [10, 11, 12, 95, 99]}))
    Bands(breaks=[50])
    """

    name: ClassVar[str] = "clusters"
    shorthand: ClassVar[str] = "clusters:12,4"

    def places(self, column: str, ordered: pa.Array, counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        numbers = offsets_of(ordered, ordered.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
        found: list[NDArray[np.int64]] = []
        allowed = np.arange(len(ordered) + 1)
        for parts in self.parts:
            breaks = cheapest_breaks(numbers, counts, allowed, parts)
            found.append(breaks)
            allowed = np.concatenate([[0], breaks, [len(ordered)]])
        return found


def counted_numbers(column: str, cells: pa.ChunkedArray, what: str) -> tuple[pa.Array, NDArray[np.int64]]:
    """The distinct numbers of a column in order, and the number of rows of each."""
    counted = pc.value_counts(cells.drop_null())
    values, counts = counted.field("values"), counted.field("counts").to_numpy()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    ordered, codes = sort_codes(numbers_only(column, values, what))
    return ordered, np.bincount(codes, counts, len(ordered)).astype(np.int64)


def _breaks(ordered: pa.Array, places: NDArray[np.int64]) -> list[int | float]:
    """The breaks: the roundest numbers above the last value before each part, which need not occur in the table."""
    return [_roundest(exactly(ordered[at - 1]), exactly(ordered[at])) for at in places.tolist()]


def _roundest(low: Fraction, high: Fraction) -> int | float:
    """The number with the fewest digits above ``low`` and at most ``high``.

    >>> _roundest(Fraction(47), Fraction(53)), _roundest(Fraction("1.21"), Fraction("1.34"))
    (50, 1.3)
    """
    power = len(str(int(max(abs(low), abs(high)))))
    while True:
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** power
            found = step * (high // step)
            if found == high and found - step > low:
                found -= step  # the number itself occurs in the table
            if found > low:
                return int(found) if found.denominator == 1 else float(found)
        power -= 1


class Within(Learned):
    """Values that other columns of the table group: a city within its county within its state.

    Parameters
    ----------
    columns
        The columns that hold the groups, from fine to coarse. Every value must belong to one group, and every group to
        one group above it.

    Examples
    --------
    >>> rows = pa.table({"city": ["Pisa", "Siena", "Pisa"], "region": ["Tuscany", "Tuscany", "Tuscany"]})
    >>> Within(["region"]).learned("city", rows).rows
    (('Pisa', 'Tuscany', '*'), ('Siena', 'Tuscany', '*'))
    """

    name: ClassVar[str] = "within"
    shorthand: ClassVar[str] = "within:county,state"
    reads_text = True

    def __init__(self, columns: Sequence[str]) -> None:
        self.looks_at = parameters.names("Within", "columns", columns)
        if not self.looks_at or len(set(self.looks_at)) < len(self.looks_at):
            raise invalid_parameter("Within", "columns", "at least one column, each once", columns)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"columns": texts_between(text)}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "columns": list(self.looks_at)}

    def learned(self, column: str, table: pa.Table) -> Taxonomy:
        names = [column, *self.looks_at]
        texts = {f"{at}": _texts(table.column(name)) for at, name in enumerate(names)}
        known = pa.table(texts).filter(pc.is_valid(texts["0"]))
        rows = known.group_by(list(texts)).aggregate([]).sort_by([(name, "ascending") for name in reversed(texts)])
        for at in range(len(names) - 1):
            _refuse_several(names[at], names[at + 1], rows.select([f"{at}", f"{at + 1}"]))
        lacking = [name for at, name in enumerate(names) if rows.column(f"{at}").null_count]
        if lacking:
            raise HierarchyError(
                f"Some values of '{column}' stand in rows without {listed(lacking)}, so their group is not known. "
                "Fill the gaps, or write the groups to a file."
            )
        return Taxonomy.from_rows(list(zip(*rows.to_pydict().values(), strict=True)))


def _refuse_several(below: str, above: str, pairs: pa.Table) -> None:
    first, second = pairs.column_names
    groups = pairs.group_by([first, second]).aggregate([]).group_by(first).aggregate([(second, "count")])
    several = int(pc.sum(pc.greater(groups.column(f"{second}_count"), 1)).as_py() or 0)
    if several:
        raise HierarchyError(
            f"{several:,} values of '{below}' stand with several of '{above}', so '{above}' is no group of them. "
            "Correct the rows, name another column, or write the groups to a file."
        )


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type if pa.types.is_dictionary(column.type) else column.type).cast(pa.string())


class Similar(Learned):
    """Values grouped by what the rows of each look like in another column, such as the sensitive one.

    Groups are merged pairwise, always those whose merging changes the distribution of the other column least (Ward's
    method). Mind that such groups work against diversity: their rows are similar in exactly what should stay hidden.

    Parameters
    ----------
    to
        The other column; its values are taken as categories.
    groups
        How many groups the levels have, from many to few.

    Examples
    --------
    >>> rows = pa.table({"job": ["cook", "maid", "dean"] * 20, "pay": ["low", "low", "high"] * 20})
    >>> Similar("pay", [2]).learned("job", rows).rows
    (('cook', 'cook and 1 like it', '*'), ('maid', 'cook and 1 like it', '*'), ('dean', 'dean', '*'))
    """

    name: ClassVar[str] = "similar"
    shorthand: ClassVar[str] = "similar:disease:20,5"
    reads_text = True

    def __init__(self, to: str, groups: Sequence[int]) -> None:
        self.to = parameters.text("Similar", "to", to)
        given = groups if isinstance(groups, Iterable) and not isinstance(groups, str) else [groups]
        self.groups = tuple(parameters.integer("Similar", "groups", count, at_least=2) for count in given)
        if not self.groups or sorted(set(self.groups), reverse=True) != list(self.groups):
            raise invalid_parameter("Similar", "groups", "numbers of groups from many to few, such as 20, 5", groups)
        self.looks_at = (self.to,)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        to, _, groups = text.rpartition(":")
        return {"to": to.strip(), "groups": numbers_between(groups)}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "to": self.to, "groups": list(self.groups)}

    def learned(self, column: str, table: pa.Table) -> Taxonomy:
        cells = pa.table({"value": _texts(table.column(column)), "other": _texts(table.column(self.to))})
        cells = cells.filter(pc.is_valid(cells["value"]))
        values, others = (
            cells.column(name).combine_chunks().dictionary_encode("encode") for name in cells.column_names
        )
        if len(values.dictionary) > MOST_ALIKE:
            raise HierarchyError(
                f"Column '{column}' has {len(values.dictionary):,} values, and at most {MOST_ALIKE:,} can be compared "
                "with each other. Group it by a table of your own."
            )
        shape = (len(values.dictionary), len(others.dictionary))
        places = values.indices.to_numpy().astype(np.int64) * shape[1] + others.indices.to_numpy()
        table_of = np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)
        return self._taxonomy(values.dictionary.to_pylist(), table_of)

    def _taxonomy(self, names: list[str], counts: NDArray[np.int64]) -> Taxonomy:
        """Make one row per value with its group on every level, and similar values next to each other."""
        rows = counts.sum(axis=1)
        steps = [members for wanted in self.groups if wanted < len(names) for members in [merged(counts, wanted)]]
        labels = [[_called(names, rows, members, own) for own in members] for members in steps]
        order = sorted(range(len(names)), key=lambda at: (*(members[at] for members in reversed(steps)), names[at]))
        return Taxonomy.from_rows([(names[at], *(level[at] for level in labels)) for at in order])


def _called(names: Sequence[str], rows: NDArray[np.int64], members: NDArray[np.int64], group: int) -> str:
    """The name of a group: its most frequent value, and the number of others."""
    inside = np.flatnonzero(members == group).tolist()
    first = names[min(inside, key=lambda at: (-rows[at], names[at]))]
    return first if len(inside) == 1 else f"{first} and {len(inside) - 1:,} like it"
