"""A released table, made by Sfumato or another tool, that answers queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.queries.aggregates import Worth, largest, least, mean, total
from sfumato.assess.queries.answer import Answer, answer_in_time
from sfumato.assess.queries.columns import Match, ReleasedColumn, ScaleColumn
from sfumato.assess.queries.conditions import Where
from sfumato.assess.queries.kernels.count_matches import count_matches
from sfumato.assess.queries.open_column import open_plain, open_shown
from sfumato.common import parameters
from sfumato.common.grouping import CodedColumn, RowGroups, group_rows
from sfumato.common.randomness import Secret
from sfumato.errors import ParameterError, invalid_parameter
from sfumato.hierarchies import Hierarchy
from sfumato.io import open_source
from sfumato.table.schema import Declared, Schema

INTERVALS = ("text", "bounds", "midpoint", "mean")


@dataclass(frozen=True)
class Released:
    """The rows of a release, ready to answer queries.

    Attributes
    ----------
    table
        The released rows.
    quasi_identifiers
        The columns that define classes, each with its hierarchy, if known.
    statistic
        ``"midpoint"`` or ``"mean"`` if classes show such numbers instead of ranges.
    suppressed
        How many rows of the original are not in the table, suppressed or not drawn; the bounds allow for them.
    share
        The share of the original that was drawn, if the release is made of a sample; estimates are scaled by it.
    """

    table: pa.Table = field(repr=False)
    quasi_identifiers: Mapping[str, Hierarchy | None]
    statistic: str | None = None
    suppressed: int = 0
    share: float = 1.0
    _opened: dict[str, ReleasedColumn] = field(default_factory=dict, repr=False, compare=False)
    _grouped: dict[tuple[str, ...], RowGroups] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def open(
        cls,
        data: object,
        quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str,
        *,
        intervals: str = "text",
        suppressed: int = 0,
        share: float = 1.0,
        separator: str | None = None,
    ) -> Released:
        """Open a released table, made by Sfumato or another tool.

        Parameters
        ----------
        data
            As in `sfumato.anonymize`. A quasi-identifier is shown in its own column, or in two columns with ``_min``
            and ``_max`` behind its name.
        quasi_identifiers
            The columns that define classes. Give a hierarchy if one is needed to read them: `Taxonomy`, `Ordered`,
            `Prefix`; all others are read as intervals, sets and values.
        intervals
            ``"midpoint"`` or ``"mean"`` if classes show such numbers, so that their values may differ from them.
        suppressed
            How many rows of the original are not in the table, if known: suppressed, or not drawn into a sample.
        share
            The share of the original that was drawn, if the release is made of a sample.

        Examples
        --------
        >>> import pyarrow as pa, sfumato as sf
        >>> table = pa.table({"age": ["[20, 29]", "[20, 29]", "[30, 49]"], "pay": [10, 20, 30]})
        >>> released = sf.Released.open(table, "age")
        >>> print(released.count({"age": (25, 40)}))
        1.55 (between 0 and 3)
        >>> print(released.sum("pay", {"age": (20, 29)}))
        30 (between 30 and 30)
        """
        parameters.choice("Released", "intervals", intervals, INTERVALS)
        parameters.integer("Released", "suppressed", suppressed, at_least=0)
        if parameters.share("Released", "share", share) == 0:
            raise invalid_parameter("Released", "share", "above 0", share)
        schema = Schema(quasi_identifiers)
        source = open_source(data, separator=separator)
        as_text = [
            name
            for name, hierarchy in schema.quasi_identifiers.items()
            if hierarchy is not None and hierarchy.reads_text
        ]
        present = [name for name in as_text if name in source.columns]
        table = source.read(list(source.columns), present)
        statistic = intervals if intervals in {"midpoint", "mean"} else None
        return cls(table, schema.quasi_identifiers, statistic, suppressed, share)

    def count(self, where: Where | None = None) -> Answer:
        """Count the people who fit a description.

        Parameters
        ----------
        where
            For each column a range ``(30, 40)`` with both ends, a value, a set of values, or a group of its taxonomy;
            all conditions hold together. None asks for all people.
        """
        self.refuse_typos(where or {})
        return self.matching(where or {})

    def matching(self, where: Where) -> Answer:
        """Count the people who fit a description, for values that exist, though no released row may show them."""
        matches = self._matches(where)
        groups = self.groups(tuple(matches))
        sizes = [self.column(name).size for name in matches]
        parts = [np.concatenate([np.empty(0), *(match[part] for match in matches.values())]) for part in range(3)]
        expected, fewest, most = count_matches(
            self._cells(tuple(matches), groups),
            np.cumsum([0, *sizes], dtype=np.int64),
            parts[0],
            parts[1].astype(np.bool_),
            parts[2].astype(np.bool_),
            groups.sizes.astype(np.int64),
        )
        return Answer(float(expected) / self.share, int(fewest), int(most) + self.suppressed)

    def sum(self, column: str, where: Where | None = None) -> Answer:
        """Sum a column of numbers over the people who fit a description; missing values add nothing."""
        if self._scale(column).kind is not None:
            raise ParameterError(f"Dates such as '{column}' cannot be added up. Ask for their mean, min or max.")
        return self._aggregate(total, column, where)

    def mean(self, column: str, where: Where | None = None) -> Answer:
        """Average a column over the people who fit a description and whose value is not missing."""
        return self._aggregate(mean, column, where)

    def min(self, column: str, where: Where | None = None) -> Answer:
        """Find the least value of a column over the people who fit a description."""
        return self._aggregate(least, column, where)

    def max(self, column: str, where: Where | None = None) -> Answer:
        """Find the largest value of a column over the people who fit a description."""
        return self._aggregate(largest, column, where)

    def sample(self, seed: int | None = None) -> pa.Table:
        """Draw a table with a value in every cell: each value that the cell may stand for is equally likely.

        It is for tools that cannot read intervals, and reveals nothing beyond the release. ``seed`` seeds the random
        choices; without it every call draws another table.
        """
        random = Secret.of(seed).generator("sample")
        sides = {f"{name}_{side}": name for name in self.quasi_identifiers for side in ("min", "max")}
        bounds = {side: name for side, name in sides.items() if name not in self.table.column_names}
        columns: dict[str, pa.Array] = {}
        for name in self.table.column_names:
            origin = bounds.get(name, name)
            if origin not in self.quasi_identifiers:
                columns[name] = self.table.column(name)
            elif origin not in columns:
                columns[origin] = self.column(origin).drawn(random)
        return pa.table(columns)

    def _aggregate(self, aggregate: Callable[[Worth], Answer], column: str, where: Where | None) -> Answer:
        self.refuse_typos(where or {})
        answer = aggregate(self._worth(column, where or {}, adds_up=aggregate in {total, mean}))
        if self.suppressed:
            # What the rows would add that were suppressed or not drawn is unknown.
            scaled = aggregate is total and answer.estimate is not None
            answer = Answer(answer.estimate / self.share if scaled else answer.estimate, -np.inf, np.inf)
        kind = self._scale(column).kind
        return answer if kind is None else answer_in_time(answer, kind)

    def _worth(self, column: str, where: Where, adds_up: bool) -> Worth:
        """Compute what groups of rows may contribute; a value that may be missing may contribute nothing."""
        scale = self._scale(column)
        matches = self._matches(where)
        target = matches.setdefault(column, scale.everything())
        groups = self.groups(tuple(matches))
        sizes = groups.sizes.astype(np.float64)
        cells = dict(zip(matches, self._cells(tuple(matches), groups), strict=True))
        share, surely, possibly = np.ones(len(sizes)), np.ones(len(sizes), bool), np.ones(len(sizes), bool)
        for name, match in matches.items():
            share *= match.share[cells[name]]
            surely &= match.surely[cells[name]]
            possibly &= match.possibly[cells[name]]
        low, high = target.low[cells[column]], target.high[cells[column]]
        ends = [end[cells[column]] for end in scale.ends]
        with np.errstate(invalid="ignore"):
            middle = np.clip(low, *ends) / 2 + np.clip(high, *ends) / 2
        if scale.statistic is not None:
            # The mean of a whole class gives its sum; the sum of a part of it is unknown.
            middle = ends[0]
            whole = all(name in self.quasi_identifiers for name in matches)
            known = surely & (adds_up and scale.statistic == "mean" and whole)
            low, high = np.where(known, low, -np.inf), np.where(known, high, np.inf)
        return Worth(
            np.where(possibly, share * sizes, 0.0),
            np.where(surely, sizes, 0.0),
            np.where(possibly & ~surely, sizes, 0.0),
            np.where(possibly, middle, 0.0),
            np.where(possibly, low, 0.0),
            np.where(possibly, high, 0.0),
        )

    def may_fit(self, where: Where) -> NDArray[np.bool_]:
        """Find the rows that a description may fit; what they hide may be a value that none of them shows."""
        fits = np.ones(self.table.num_rows, bool)
        for name, match in self._matches(where).items():
            fits &= match.possibly[self.column(name).cells]
        return fits

    def refuse_typos(self, where: Where) -> None:
        """Refuse values that no row shows but that are nearly one that some row does."""
        for name, condition in _checked(where).items():
            self.column(name).refuse_typos(condition)

    def _matches(self, where: Where) -> dict[str, Match]:
        return {name: self.column(name).match(condition) for name, condition in _checked(where).items()}

    def shows(self, name: str) -> bool:
        """Whether the release shows a column of the original."""
        return name in self.quasi_identifiers or name in self.table.column_names

    def column(self, name: str) -> ReleasedColumn:
        """Open a column as it is shown, by its name in the original."""
        if name not in self._opened:
            if name in self.quasi_identifiers:
                self._opened[name] = open_shown(self.table, name, self.quasi_identifiers[name], self.statistic)
            else:
                self._opened[name] = open_plain(self.table, name, self.quasi_identifiers)
        return self._opened[name]

    def _scale(self, name: str) -> ScaleColumn:
        column = self.column(name)
        if not isinstance(column, ScaleColumn) or column.order is not None:
            raise ParameterError(f"'{name}' holds no numbers or dates, so it has no sum, mean, min or max.")
        return column

    def groups(self, names: tuple[str, ...]) -> RowGroups:
        """Group the rows that look alike in some columns."""
        if names not in self._grouped:
            columns = [self.column(name) for name in names]
            coded = [CodedColumn(pa.nulls(column.size - 1), column.cells) for column in columns]
            nothing = [CodedColumn(pa.nulls(0), np.zeros(self.table.num_rows, np.int32))]
            self._grouped[names] = group_rows(coded or nothing)
        return self._grouped[names]

    def _cells(self, names: tuple[str, ...], groups: RowGroups) -> NDArray[np.int32]:
        """Look up the cell of every column (rows) that every group (columns) shows."""
        cells = [self.column(name).cells[groups.first_rows] for name in names]
        return np.array(cells, np.int32).reshape(len(names), len(groups))


def _checked(where: Where) -> Where:
    if not isinstance(where, Mapping):
        expected = "a condition for each column, such as {'age': (30, 40)}"
        raise invalid_parameter("the question", "where", expected, where)
    return where
