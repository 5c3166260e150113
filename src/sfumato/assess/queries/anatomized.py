"""A release in two tables that answers queries: exact quasi-identifiers, and sensitive values by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.queries.answer import Answer
from sfumato.assess.queries.columns import Match, ReleasedColumn, ScaleColumn
from sfumato.assess.queries.conditions import Condition, Where
from sfumato.assess.queries.open_column import open_plain
from sfumato.assess.queries.released import Released
from sfumato.common.grouping import code_column
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, ParameterError
from sfumato.io import open_source
from sfumato.table.schema import Declared, Schema
from sfumato.verify.anatomy import TwoTables, verify_anatomy
from sfumato.verify.verification import Verification


@dataclass(frozen=True)
class GroupedColumn(ReleasedColumn):
    """Values known by group only: the cell of a row is its group.

    Attributes
    ----------
    values
        The values of all groups, one entry per group and value.
    begins
        Where the entries of every group begin.
    counts
        How many rows of the group have each entry's value.
    places
        The row of each entry in the table of values.
    """

    values: ReleasedColumn = field(repr=False)
    begins: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    places: NDArray[np.int64] = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.begins)

    @property
    def on_scale(self) -> bool:
        return self.values.on_scale

    @property
    def order(self) -> Sequence[object] | None:
        return self.values.order

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows every group has."""
        return np.add.reduceat(self.counts, self.begins)

    def match(self, condition: Condition) -> Match:
        found = self.values.match(condition)
        cells = self.values.cells
        return Match(
            self._mean(found.share),
            np.logical_and.reduceat(found.surely[cells], self.begins),
            np.logical_or.reduceat(found.possibly[cells], self.begins),
            np.minimum.reduceat(found.low[cells], self.begins),
            np.maximum.reduceat(found.high[cells], self.begins),
        )

    def refuse_typos(self, condition: Condition) -> None:
        self.values.refuse_typos(condition)

    def share_below(self, place: float) -> NDArray[np.float64]:
        return self._mean(self.values.share_below(place))

    def held(self, condition: Condition) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count the rows of every group that certainly, and that possibly, meet a condition."""
        found, cells = self.values.match(condition), self.values.cells
        surely, possibly = (np.add.reduceat(self.counts * part[cells], self.begins) for part in found[1:3])
        return surely, possibly

    def _mean(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.add.reduceat(self.counts * shares[self.values.cells], self.begins) / self.sizes


@dataclass(frozen=True)
class Anatomized(Released):
    """A release in two tables, ready to answer queries.

    Attributes
    ----------
    table
        One row per person: exact quasi-identifiers and a group.
    values
        One row per group and sensitive value, with how many people of the group have it.
    sensitive, group, count_column
        The names of the other columns.
    """

    values: pa.Table = field(repr=False, kw_only=True)
    sensitive: str = field(kw_only=True)
    group: str = field(default="group", kw_only=True)
    count_column: str = field(default="count", kw_only=True)

    @classmethod
    def open_tables(
        cls,
        people: object,
        values: object,
        quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str,
        sensitive: str,
        *,
        group: str = "group",
        count: str = "count",
        separator: str | None = None,
    ) -> Anatomized:
        """Open two published tables, made by Sfumato or another tool.

        Parameters
        ----------
        people, values
            The two tables, as in `sfumato.anonymize`.
        quasi_identifiers
            The columns of ``people`` that are not groups, with hierarchies if queries name groups of a taxonomy.
        sensitive, group, count
            The names of the other columns.
        separator
            What separates the cells of CSV files; detected if left out.

        Examples
        --------
        >>> import pyarrow as pa, sfumato as sf
        >>> people = pa.table({"age": [23, 31, 45], "group": [1, 1, 1]})
        >>> values = pa.table({"group": [1, 1], "illness": ["flu", "ulcer"], "count": [2, 1]})
        >>> released = sf.Anatomized.open_tables(people, values, "age", "illness")
        >>> print(released.count({"age": (20, 40), "illness": "flu"}))
        1.33333 (between 1 and 2)
        >>> released.verify(1.5).ok, released.verify(2).ok
        (True, False)
        """
        schema = Schema(quasi_identifiers, sensitive)
        declared = schema.quasi_identifiers
        sources = [open_source(data, separator=separator) for data in (people, values)]
        as_text = [name for name, how in declared.items() if how is not None and how.reads_text]
        read = [source.read(list(source.columns), [n for n in as_text if n in source.columns]) for source in sources]
        return cls(read[0], declared, values=read[1], sensitive=schema.sensitive[0], group=group, count_column=count)

    def __post_init__(self) -> None:
        # Every query needs the two tables to have the same groups.
        if self.table.num_rows and not verify_anatomy(self.tables, 1).ok:
            raise DataError(
                "The two tables do not belong together: some group has other people than values. "
                "Take both files of one release."
            )

    @property
    def tables(self) -> TwoTables:
        """Both tables, as the verifier reads them."""
        names = list(self.quasi_identifiers)
        return TwoTables(self.table, self.values, names, self.sensitive, self.group, self.count_column)

    def verify(self, l: float) -> Verification:  # noqa: E741
        """Check from both tables alone that no value makes up more than 1/l of a group."""
        return verify_anatomy(self.tables, l)

    def shows(self, name: str) -> bool:
        """Whether the release shows a column of the original."""
        return name == self.sensitive or (name != self.group and super().shows(name))

    def column(self, name: str) -> ReleasedColumn:
        """Open a column as it is shown; for the sensitive one a row shows its group."""
        return self.by_group if name == self.sensitive else super().column(name)

    @cached_property
    def by_group(self) -> GroupedColumn:
        """The sensitive column: the group of every person, and the values of every group."""
        parts = [part.column(self.group).cast(pa.string()).chunks for part in (self.table, self.values)]
        coded = code_column(self.group, pa.chunked_array([chunk for part in parts for chunk in part], pa.string()))
        of_person, of_value = np.split(coded.codes, [self.table.num_rows])
        order = np.argsort(of_value, kind="stable")
        values = self.values.take(pa.array(order))
        counts = values.column(self.count_column).cast(pa.int64()).to_numpy()
        begins = np.flatnonzero(np.diff(of_value[order], prepend=-1))
        return GroupedColumn(self.sensitive, of_person, open_plain(values, self.sensitive), begins, counts, order)

    def matching(self, where: Where) -> Answer:
        """Count the people who fit a description, as in `Released`.

        Within a group the matching people and the matching values may coincide as little or as much as possible.
        """
        asked = dict(where)
        if self.sensitive not in asked:
            return super().matching(asked)
        column, condition = self.by_group, asked.pop(self.sensitive)
        fewest, most = column.held(condition)
        rows = self.table.num_rows
        share, surely, possibly = np.ones(rows), np.ones(rows), np.ones(rows)
        for name, match in self._matches(asked).items():
            cells = self.column(name).cells
            share *= match.share[cells]
            surely *= match.surely[cells]
            possibly *= match.possibly[cells]
        people = [np.bincount(column.cells, part, column.size) for part in (share, surely, possibly)]
        estimate = float(people[0] @ column.match(condition).share)
        lower = np.maximum(0, people[1] + fewest - column.sizes).sum()
        return Answer(estimate / self.share, int(lower), int(np.minimum(people[2], most).sum()) + self.suppressed)

    def sample(self, seed: int | None = None) -> pa.Table:
        """Draw a table: the values of every group, dealt to its people at random."""
        random = Secret.of(seed).generator("sample")
        column = self.by_group
        people = np.lexsort((random.random(self.table.num_rows), column.cells))
        entries = np.repeat(np.arange(len(column.counts)), column.counts)
        dealt = np.empty(len(people), np.int64)
        dealt[people] = column.places[entries]
        values = self.values.column(self.sensitive).take(pa.array(dealt))
        return self.table.drop_columns([self.group]).append_column(self.sensitive, values)

    def _scale(self, name: str) -> ScaleColumn:
        if name == self.sensitive:
            raise ParameterError(
                f"'{name}' is known by group only. Ask how many people have which of its values, or draw a table with "
                "sample() and work with that."
            )
        return super()._scale(name)
