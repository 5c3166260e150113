"""Views of a table on an engine for guardrails and risk: counts, and a sample of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions.view import ClassCertainty, Drawn, ReleaseView, RequestView, ViewedColumn
from sfumato.assess.risk import BeforeAfter, assess_classes
from sfumato.io import Source
from sfumato.release.values import ValueCounts
from sfumato.run.large.cells import remarks_on
from sfumato.run.large.coded_table import SHOWN, Carried, CodedTable, carried_name, coded_name
from sfumato.run.large.drawn_rows import DRAWN, DrawnRows
from sfumato.run.large.engine import Rows, ShownElsewhere, Spread, alone
from sfumato.run.large.parts import empty
from sfumato.run.request import Request


def view_of(table: CodedTable, rows: Rows, source: Source, request: Request, row_numbers: Sequence[str]) -> RequestView:
    """What guardrails see before a method runs: the values of each column and their counts."""
    coded = [
        ViewedColumn(domain.name, "quasi-identifier", domain.values, counted=_padded(counts, len(domain.values)))
        for domain, counts in zip(table.domains, table.marginals, strict=True)
    ]
    columns = [*coded, *(_carried(column, rows) for column in table.carried if column.role != SHOWN)]
    return RequestView(
        declared=request.schema.quasi_identifiers,
        microdata=empty(table),
        columns={column.name: column for column in columns},
        models=request.privacy,
        row_numbers=row_numbers,
        remarks=(*source.remarks, *remarks_on(table.domains)),
        total=table.rows,
    )


def _carried(column: Carried, rows: Rows) -> ViewedColumn:
    if column.values is None or column.counts is None:
        # Its values are too many to inspect one by one; it may still identify rows, so unique ones are counted.
        return ViewedColumn(column.name, column.role, pa.array([], column.kind), alone=alone(rows, [column.name]))
    values = column.values.drop_null()
    return ViewedColumn(column.name, column.role, values, counted=_padded(column.counts, len(values)))


def _padded(counts: NDArray[np.int64], values: int) -> NDArray[np.int64]:
    """Counts of values, with a last count of missing ones, zero if there are none."""
    return np.append(counts, np.zeros(max(0, values + 1 - len(counts)), np.int64))


@dataclass(frozen=True)
class CountedView(ReleaseView):
    """A release on an engine: counts, and a sample of its rows.

    Attributes
    ----------
    shown
        The released rows on the engine.
    frequencies
        The classes by size and by the count of their most frequent value, for each sensitive column.
    sample
        A sample of rows.
    stars
        For each quasi-identifier, how many released rows share their class with a row that lacks a value.
    """

    shown: ShownElsewhere = field(kw_only=True)
    frequencies: Mapping[str | None, Spread] = field(kw_only=True)
    sample: DrawnRows = field(kw_only=True, repr=False)
    stars: NDArray[np.int64] = field(kw_only=True)

    @property
    def released_rows(self) -> int:
        """How many rows are released."""
        return sum(size * times for (size, _), times in next(iter(self.frequencies.values())).items())

    def alone(self, names: Sequence[str], with_classes: bool = False) -> int:
        """Count the released rows whose values in some columns, and optionally their class, occur only once."""
        if len(names) == 1 and not with_classes and self.released_rows == self.rows:
            column = self.columns[names[0]]  # counted already; a reader sees a missing value as a value, too
            return column.unique_rows + int(column.counts[-1] == 1)
        return alone(self.shown.rows, [*names, *(self.shown.class_columns if with_classes else ())])

    def certainty(self, name: str) -> ClassCertainty:
        """How frequent the most frequent value of each class is, as a reader sees the classes."""
        return ClassCertainty.of(*arrays(self.frequencies[name]))

    def starred(self, at: int) -> int:
        """Count the released rows that share their class with a row that lacks a value."""
        return int(self.stars[at])

    def drawn(self, most: int) -> Drawn:
        """The released rows of the sample."""
        kept = np.flatnonzero(self.sample.released)[:most]
        lo, hi = self.sample.lo[kept], self.sample.hi[kept]
        columns = {name: column[kept] for name, column in self.sample.columns.items()}
        codes = np.ascontiguousarray(self.sample.codes[kept])
        some = self.rows > DRAWN
        return Drawn(codes, lo, hi, columns, f" (seen in {DRAWN:,} rows drawn at random)" if some else "", again=some)

    @classmethod
    def after(cls, asked: RequestView, **found: object) -> CountedView:
        """What guardrails see once the classes are found."""
        return cls(**{one.name: getattr(asked, one.name) for one in fields(asked)} | found)


def arrays(spread: Spread) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Three arrays: class sizes, counts of the most frequent value, and the number of classes with both."""
    pairs = np.array(list(spread), np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1], np.array(list(spread.values()), np.int64)


def risk_of(
    kept: Rows, table: CodedTable, shown: ShownElsewhere, frequencies: Mapping[str | None, Spread]
) -> BeforeAfter:
    """Assess the risk before and after, from class sizes that the engine counts."""
    coded = [coded_name(at) for at in range(len(table.domains))]
    secrets: list[tuple[str | None, str | None]] = [
        (table.carried[at].name, carried_name(at)) for at in table.sensitive
    ] or [(None, None)]
    before = {name: arrays(kept.spread(coded, column)) for name, column in secrets}
    after = {name: arrays(spread) for name, spread in frequencies.items()}
    names = [domain.name for domain in table.domains]
    return BeforeAfter(assess_classes(names, before), assess_classes(shown.class_columns, after))


def originals_of(table: CodedTable, gone: Sequence[NDArray[np.integer]]) -> dict[str, ValueCounts]:
    """Count the values of each quasi-identifier, in all rows and in suppressed ones."""
    left_out = np.concatenate([np.empty((0, len(table.domains)), np.int64), *gone])
    found = {}
    for at, (domain, counts) in enumerate(zip(table.domains, table.marginals, strict=True)):
        lost = np.bincount(left_out[:, at].astype(np.int64), minlength=len(domain.values) + 1)
        found[domain.name] = ValueCounts(domain.values, _padded(counts, len(domain.values)), lost)
    return found
