"""A lower bound on the loss of a table past memory: a sample of rows is compared with all rows by the engine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.loss import Bound, Mixed, gcp_bound
from sfumato.loss.bound.bound import CONFIDENCE, LEAST_SAMPLE, PAIRS, DistinctRows, lower_confidence, mean_costs
from sfumato.loss.bound.kernels.least_losses import nearest_losses
from sfumato.privacy import Requirements
from sfumato.run.build import BuildOutcome
from sfumato.run.large.coded_table import CodedTable
from sfumato.run.large.drawn_rows import DrawnRows
from sfumato.run.large.engine import Rows
from sfumato.run.large.parts import empty
from sfumato.table.frequency import group_rows
from sfumato.table.kernels.spans import Spans
from sfumato.table.microdata import Microdata, SensitiveColumn

#: How far beyond a limit rows still count: sums of costs have rounding errors.
SLACK = 1e-9

#: The result of a batch: for each row of the sample, losses with other rows and how often they occur.
FOUND = pa.schema([("asks", pa.int32()), ("loss", pa.float64()), ("rows", pa.int64())])


def bound_of(kept: Rows, table: CodedTable, drawn: DrawnRows, outcome: BuildOutcome) -> Bound:
    """Compute a bound from all rows of a table where all were drawn, else from a sample compared with all rows."""
    begin = time.perf_counter()
    request, left_out = outcome.request, outcome.left_out
    k = Requirements(tuple(request.privacy), outcome.microdata).k
    everybody = _microdata(table, drawn)
    if len(everybody) == table.rows:
        mixed = Mixed.by(Requirements(tuple(request.privacy), everybody))
        suppresses = request.may_leave_out(table.rows) > 0
        bound = gcp_bound(everybody, k, left_out, outcome.secret.number("bound"), suppresses, mixed)
        bound.prices = None  # their order is random
        return bound
    asking = everybody.take(np.arange(min(len(everybody), max(LEAST_SAMPLE, PAIRS // table.rows))))
    losses = least_losses_among(kept, table, asking, everybody, k)
    mean = lower_confidence(losses, 1 - CONFIDENCE)
    rows = table.rows + left_out
    return Bound((mean * table.rows + left_out) / rows, CONFIDENCE, len(losses), seconds=time.perf_counter() - begin)


def _microdata(table: CodedTable, drawn: DrawnRows) -> Microdata:
    columns = [table.carried[at] for at in table.sensitive]
    sensitive = tuple(
        SensitiveColumn(one.name, one.values, drawn.columns[one.name].astype(np.int32), whole=one.counts)
        for one in columns
        if one.values is not None
    )
    return Microdata(drawn.codes, table.domains, sensitive, table.weights, table.marginals)


def least_losses_among(
    kept: Rows, table: CodedTable, asking: Microdata, some: Microdata, k: int
) -> NDArray[np.float64]:
    """The least loss of each row: it shares its class with at least k - 1 others, at best the nearest ones.

    Parameters
    ----------
    kept
        All rows, encoded.
    table
        What the codes mean.
    asking
        The sampled rows that are compared with all rows, themselves included.
    some
        Rows of the table that limit how far away the nearest ones can be.
    k
        The least size of a class.
    """
    order = np.argsort(-mean_costs(some), kind="stable")
    spans = in_order(some.spans, order)
    most = _most(asking, some, order, spans, k)
    # A row exactly at the limit must be counted, so the limit is a little wider.
    limits = most * (1 + SLACK) + SLACK
    nearest = kept.mapped(Nearest(table, asking.codes[:, order], order, limits, k), FOUND)
    found = pa.Table.from_batches(nearest.batches(), FOUND).sort_by([("asks", "ascending"), ("loss", "ascending")])
    asks, losses, rows = (column.to_numpy() for column in found.columns)
    ends = np.searchsorted(asks, np.arange(len(most)), side="right")
    reached = np.append(0, np.cumsum(rows))
    # The position at which k rows are reached, within the rows of each sampled row.
    begins = np.append(0, ends[:-1])
    places = np.searchsorted(reached, reached[begins] + k) - 1
    inside = places < ends
    return np.where(inside, np.minimum(np.append(losses, 0.0)[np.where(inside, places, -1)], most), most)


def in_order(spans: Spans, order: NDArray[np.integer]) -> Spans:
    """Reorder the attributes of span costs."""
    return spans._replace(index=spans.index[order], weight=spans.weight[order])


def _most(asking: Microdata, some: Microdata, order: NDArray[np.integer], spans: Spans, k: int) -> NDArray[np.float64]:
    """Upper limits of the least losses of rows, from the nearest of some rows, each distinct one counted once."""
    codes = np.concatenate([asking.codes, some.codes])[:, order]
    found = group_rows(codes, [some.domains[at].size for at in order])
    if len(found.counts) < k:
        return np.full(len(asking), np.inf)
    once = DistinctRows(np.ascontiguousarray(found.codes), np.ones(len(found.counts), np.int64), spans)
    return once.least_losses(found.of_row[: len(asking)].astype(np.int64), k)


@dataclass(frozen=True)
class Nearest:
    """Finds the rows of a batch that are nearest to sampled rows.

    Attributes
    ----------
    table
        What the codes mean.
    asking, order
        The codes of the sampled rows, and the order of attributes: those in which rows differ most come first.
    limits
        The losses from which on other rows do not matter.
    k
        How many nearest rows matter, the sampled row included.
    """

    table: CodedTable
    asking: NDArray[np.integer] = field(repr=False)
    order: NDArray[np.integer]
    limits: NDArray[np.float64] = field(repr=False)
    k: int

    @cached_property
    def spans(self) -> Spans:
        """The span costs of the attributes in this order."""
        return in_order(empty(self.table).spans, self.order)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Find the rows of a batch that are nearest to each sampled row."""
        codes = self.table.microdata(pa.Table.from_batches([batch])).codes[:, self.order]
        people = group_rows(codes, [self.table.domains[at].size for at in self.order])
        asking, first = len(self.asking), people.codes[:, 0]
        changes = np.flatnonzero(first[1:] != first[:-1]) + 1
        begins = np.concatenate([[0], changes, [len(first)]]) + asking
        losses, weights = np.zeros((asking, self.k + 1)), np.zeros((asking, self.k + 1), np.int64)
        together = np.ascontiguousarray(np.concatenate([self.asking.astype(codes.dtype), people.codes]))
        counts = people.counts.astype(np.int64)
        nearest_losses(together, counts, begins, self.k, self.spans, self.limits, losses, weights)
        asks, places = np.nonzero(weights)
        columns = [asks.astype(np.int32), losses[asks, places], weights[asks, places]]
        return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=FOUND)
