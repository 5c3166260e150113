"""Preview of a hierarchy on a column, before anything is released: its levels, their groups, and uncovered values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError, HierarchyError
from sfumato.hierarchies.base import Fitted, Hierarchy
from sfumato.hierarchies.defaults import default_hierarchy
from sfumato.hierarchies.domain import Domain
from sfumato.hierarchies.taxonomy import Taxonomy

#: The least rows of a label that a preview shows, and the most labels that it shows.
FEWEST_TO_SHOW = 20
MOST_LABELS = 3


class LevelPreview(NamedTuple):
    """One level: the number of groups, the rows of the smallest and the largest, and the labels of large groups."""

    name: str
    groups: int
    smallest: int
    largest: int
    labels: tuple[str, ...]

    def __str__(self) -> str:
        shown = f": {', '.join(self.labels)}, …" if self.labels and self.groups > 1 else ""
        return f"{self.name}, {self.groups:,} groups of {self.smallest:,} to {self.largest:,} rows{shown}"


@dataclass(frozen=True)
class Preview:
    """How a hierarchy generalizes a column.

    Attributes
    ----------
    column, rows, values, missing
        The column, and its numbers of rows, of distinct values and of missing values.
    hierarchy
        The hierarchy; if it is learned, the one learned from the table.
    levels
        The levels from the value to ``*``, with their groups counted in rows.
    uncovered, uncovered_rows
        The number of values that the hierarchy does not cover, and of their rows.
    """

    column: str
    rows: int
    values: int
    missing: int
    hierarchy: Hierarchy
    levels: tuple[LevelPreview, ...]
    uncovered: int
    uncovered_rows: int
    domain: Domain = field(repr=False)

    def __str__(self) -> str:
        covered = "all of them covered" if not self.uncovered else f"{self.uncovered:,} of them not covered"
        missing = f", {self.missing:,} rows without one" if self.missing else ""
        head = f"{self.column}: {self.rows:,} rows, {self.values:,} values, {covered}{missing}"
        return "\n".join([head, *(f"  {level}" for level in self.levels)])

    def taxonomy(self) -> Taxonomy:
        """The hierarchy as a taxonomy of all values, to be written to a file and edited."""
        columns = [level.labels.take(pa.array(level.groups)).to_pylist() for level in self.domain.levels]
        return Taxonomy.from_rows(list(zip(*columns, strict=True)))

    def refuse_gaps(self) -> None:
        """Raise an error if the hierarchy does not cover all values of the column."""
        if self.uncovered:
            raise HierarchyError(
                f"The hierarchy of '{self.column}' has no place for {self.uncovered:,} of its {self.values:,} values, "
                f"in {self.uncovered_rows:,} rows. Add what is lacking, or clean the column."
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        counted = ("column", "rows", "values", "missing", "uncovered", "uncovered_rows")
        levels = [level._asdict() | {"labels": list(level.labels)} for level in self.levels]
        return {name: getattr(self, name) for name in counted} | {"type": self.hierarchy.name, "levels": levels}


def preview(column: str, table: pa.Table, declared: Hierarchy | None = None) -> Preview:
    """Preview a hierarchy on a column of a table; by default the one that the column's type implies."""
    cells = table.column(column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    known = cells.drop_null()
    if not len(known):
        raise DataError(f"Column '{column}' has no values, so there is nothing to generalize.")
    counted = pc.value_counts(known)
    values, counts = counted.field("values"), counted.field("counts").to_numpy()
    how = (declared or default_hierarchy(values.type)).learned(column, table)
    fitted, gaps = _fitted(how, column, values)
    rows = np.bincount(fitted.codes, counts[~gaps], fitted.domain.size).astype(np.int64)
    return Preview(
        column=column,
        rows=len(cells),
        values=len(values),
        missing=len(cells) - len(known),
        hierarchy=how,
        levels=tuple(_level(fitted.domain, at, rows) for at in range(len(fitted.domain.levels))),
        uncovered=int(gaps.sum()),
        uncovered_rows=int(counts[gaps].sum()),
        domain=fitted.domain,
    )


def _fitted(how: Hierarchy, column: str, values: pa.Array) -> tuple[Fitted, NDArray[np.bool_]]:
    """Fit a hierarchy to the values that it covers, and say which it does not."""
    gaps = np.zeros(len(values), bool)
    try:
        return how.fit(column, values, has_missing=False), gaps
    except (DataError, HierarchyError) as error:
        if not len(error.misfits) or len(error.misfits) == len(values):
            raise
        gaps[list(error.misfits)] = True
        return how.fit(column, values.filter(pa.array(~gaps)), has_missing=False), gaps


def _level(domain: Domain, at: int, rows: NDArray[np.int64]) -> LevelPreview:
    level = domain.levels[at]
    counts = np.bincount(level.groups, rows, len(level)).astype(np.int64)
    # Labels of few people are not printed.
    shown = (
        [] if at == 0 else [group for group in np.argsort(-counts, kind="stable") if counts[group] >= FEWEST_TO_SHOW]
    )
    labels = tuple(str(level.labels[int(group)]) for group in shown[:MOST_LABELS])
    return LevelPreview(level.name, len(level), int(counts.min()), int(counts.max()), labels)
