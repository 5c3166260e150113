"""Where parts begin: chosen by exact counts, so that each part can keep every model alone and few classes are lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.privacy import MinimumSpan, PrivacyModel, Requirements, Rule, SensitiveModel
from sfumato.run.large.coded_table import KEY, PART, CodedTable, carried_name, coded_name
from sfumato.run.large.engine import Rows, counted, group_counts
from sfumato.run.large.parts import (
    KeyCounts,
    Keys,
    PartOf,
    count_keys,
    counted_microdata,
    cut_evenly,
    empty,
    part_schema,
)

#: Into how many stretches a part is divided to check models, and the most stretches in all.
FINENESS, MOST_STRETCHES = 64, 4_096

#: The most counts of sensitive values that are held.
MOST_CELLS = 1 << 23

#: In a part of fewer classes than ``FEW`` it matters where the part ends; with fewer than ``COARSEST`` stretches per
#: part, the counts are too coarse to choose.
FEW, COARSEST = 48, 8

#: Positions among all stretches at which stretches or parts begin.
Places = NDArray[np.int64]


def lay_parts(rows: Rows, table: CodedTable, models: Sequence[PrivacyModel], most: int) -> tuple[Keys, list[int]]:
    """Choose the keys at which parts begin; return them and the number of rows of each part.

    Parts are as few as ``most`` rows in each allow, and of about the same size. Where models need classes so large that
    a part holds only a few, parts end where the cheapest cut of the whole line ends a class.
    """
    along = count_keys(rows, most)
    begins = cut_evenly(along, _rows_per_stretch(table, models, most))
    found = Feasibility.count(rows, begins, along.between(begins), table, models)
    even = np.searchsorted(begins, cut_evenly(KeyCounts(begins, found.sizes), most))
    parts = found.joined(even)
    if found.rules and 1 < len(even) <= len(begins) // COARSEST and found.shortest_runs() < FEW * len(even):
        parts = packed(cheapest_runs(found, StretchBoxes.count(rows, begins, table), most), found.ends, most)
    firsts = begins[parts[:-1]]
    firsts[0] = 0
    return firsts, np.diff(found.ends[parts]).tolist()


def _rows_per_stretch(table: CodedTable, models: Sequence[PrivacyModel], most: int) -> int:
    """The rows per stretch for checking models; where only class sizes matter, a stretch is a part."""
    rules = [rule for rule in Requirements(tuple(models), empty(table)).bound if _judges(rule)]
    if not rules:
        return most
    values = max(_size(table, rule) for rule in rules)
    parts = -(-table.rows // most)
    stretches = max(parts, min(FINENESS * parts, MOST_STRETCHES, MOST_CELLS // values))
    return max(1, -(-table.rows // stretches))


def _judges(rule: Rule) -> bool:
    """Whether a rule is about more than the size of a class."""
    return isinstance(rule.model, SensitiveModel | MinimumSpan)


@dataclass
class Feasibility:
    """Decides from counts whether neighbouring stretches together can keep every model.

    Attributes
    ----------
    table, models
        What codes mean, and what classes must keep.
    ends
        How many rows lie before each stretch, and in all.
    counts
        For each rule how many rows before each stretch, and in all, have each value that the rule counts.
    """

    table: CodedTable
    models: tuple[PrivacyModel, ...]
    ends: NDArray[np.int64]
    counts: list[NDArray[np.int64]] = field(repr=False)

    def __post_init__(self) -> None:
        self.requirements = Requirements(self.models, empty(self.table))
        self.rules = [rule for rule in self.requirements.bound if _judges(rule)]

    @classmethod
    def count(
        cls, rows: Rows, begins: Keys, sizes: NDArray[np.int64], table: CodedTable, models: Sequence[PrivacyModel]
    ) -> Feasibility:
        """Count the values that rules need, stretch by stretch; the sizes of stretches are known already."""
        found = cls(table, tuple(models), _before(sizes), [])
        columns = {_column(table, rule): _size(table, rule) for rule in found.rules}
        schema = part_schema(pa.schema([rows.schema.field(name) for name in columns]))
        stretches = rows.mapped(PartOf(begins, schema), schema)
        counts = {name: _before(_matrix(stretches, name, len(begins), size)) for name, size in columns.items()}
        found.counts = [counts[_column(table, rule)] for rule in found.rules]
        return found

    @classmethod
    def whole(cls, table: CodedTable, models: Sequence[PrivacyModel]) -> Feasibility:
        """Treat the table as one stretch, for which the profile has all counts."""
        found = cls(table, tuple(models), np.array([0, table.rows]), [])
        counts = [
            table.carried[table.sensitive[rule.column]].counts
            if isinstance(rule.model, SensitiveModel)
            else table.marginals[rule.column]
            for rule in found.rules
        ]
        found.counts = [_before(one[None]) for one in counts if one is not None]
        return found

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows each stretch has."""
        return np.diff(self.ends)

    def joined(self, begins: Places) -> Places:
        """Join neighbouring parts until each can keep every model; return where they begin, and the end."""
        groups = [
            one for one in pairwise([*begins.tolist(), len(self.ends) - 1]) if self.ends[one[0]] < self.ends[one[1]]
        ]
        at = 0
        while at < len(groups) and len(groups) > 1:
            if self.allows(*groups[at]):
                at += 1
                continue
            left = self._rows(groups[at - 1]) if at else np.inf
            right = self._rows(groups[at + 1]) if at + 1 < len(groups) else np.inf
            first = at - 1 if left <= right else at
            groups[first : first + 2] = [(groups[first][0], groups[first + 1][1])]
            at = first
        return np.array([*(first for first, _ in groups), len(self.ends) - 1])

    def _rows(self, group: tuple[int, int]) -> float:
        return float(self.ends[group[1]] - self.ends[group[0]])

    def shortest_runs(self) -> int:
        """Count the runs of stretches if each run ends as soon as it keeps every model."""
        start = runs = 0
        for stop in range(1, len(self.ends)):
            if self.allows(start, stop):
                start, runs = stop, runs + 1
        return runs

    def allows(self, start: int, stop: int) -> bool:
        """Whether the stretches from ``start`` to ``stop`` together can keep every model."""
        return bool(self.allowed(np.array([start]), stop)[0])

    def allowed(self, starts: Places, stop: int) -> NDArray[np.bool_]:
        """Decide for each start whether the stretches from there to ``stop`` together can keep every model."""
        allowed = self.ends[stop] - self.ends[starts] >= max(1, self.requirements.smallest_class)
        for rule, before in zip(self.rules, self.counts, strict=True):
            asked = np.flatnonzero(allowed)
            allowed[asked] = self._kept(rule, before[stop] - before[starts[asked]])
        return allowed

    def _kept(self, rule: Rule, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        if isinstance(rule.model, SensitiveModel):
            whole = self.table.carried[self.table.sensitive[rule.column]].counts
            return rule.model.holds_for(counts, rule, whole)
        assert rule.reach is not None
        lowest = (counts > 0).argmax(axis=1)
        highest = counts.shape[1] - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
        return rule.reach[lowest] <= highest

    def reasons(self) -> str:
        """Say why not even the whole table keeps the models."""
        everybody = counted_microdata(self.table)
        rows = self.ends[-1]
        kept = {
            id(rule): bool(self._kept(rule, before[-1:])[0])
            for rule, before in zip(self.rules, self.counts, strict=True)
        }
        broken = [
            told
            for rule, told in zip(self.requirements.bound, Requirements(self.models, everybody).bound, strict=True)
            if rows < rule.model.smallest_class() or not kept.get(id(rule), True)
        ]
        return " ".join(rule.model.nearest(rule, everybody) for rule in broken)


@dataclass(frozen=True)
class StretchBoxes:
    """The lowest and the highest code of every stretch and quasi-identifier."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def count(cls, rows: Rows, begins: Keys, table: CodedTable) -> StretchBoxes:
        """Find them in one pass over the rows; each batch yields one row per stretch in it."""
        shape = len(begins), len(table.domains)
        low, high = np.full(shape, np.iinfo(np.int64).max), np.full(shape, -1)
        find = BatchBoxes(begins, len(table.domains))
        for batch in rows.mapped(find, find.schema).batches():
            stretch, *sides = (column.to_numpy() for column in batch.columns)
            for at in range(shape[1]):
                np.minimum.at(low[:, at], stretch, sides[2 * at])
                np.maximum.at(high[:, at], stretch, sides[2 * at + 1])
        return cls(low, high)


@dataclass(frozen=True)
class BatchBoxes:
    """Finds the lowest and highest codes of each stretch within a batch of encoded rows."""

    begins: Keys = field(repr=False)
    columns: int

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return *(coded_name(at) for at in range(self.columns)), KEY

    @property
    def schema(self) -> pa.Schema:
        """A stretch, and for every column its lowest and its highest code."""
        sides = [pa.field(f"{side}{at}", pa.int64()) for at in range(self.columns) for side in ("low", "high")]
        return pa.schema([pa.field(PART, pa.int64()), *sides])

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Find the lowest and highest codes in a batch, one row for every stretch that occurs."""
        stretch = np.searchsorted(self.begins, batch.column(KEY).to_numpy(), side="right") - 1
        order = np.argsort(stretch, kind="stable")
        found, firsts = np.unique(stretch[order], return_index=True)
        sides = []
        for at in range(self.columns):
            codes = batch.column(coded_name(at)).to_numpy().astype(np.int64)[order]
            sides += [side.reduceat(codes, firsts) if len(codes) else codes for side in (np.minimum, np.maximum)]
        return pa.RecordBatch.from_arrays([pa.array(one) for one in (found, *sides)], schema=self.schema)


def cheapest_runs(found: Feasibility, boxes: StretchBoxes, most: int) -> Places:
    """Where the cheapest runs of stretches that keep the models begin, followed by the end of the last.

    Runs have at most ``most`` rows; where no such run is allowed, the shortest one that is.
    """
    units = len(found.ends) - 1
    loss, begin = np.full(units + 1, np.inf), np.zeros(units + 1, np.int64)
    loss[0] = 0.0
    for stop in range(1, units + 1):
        fitting = int(np.searchsorted(found.ends, found.ends[stop] - most))
        loss[stop], begin[stop] = _cheapest_end(found, boxes, loss, min(fitting, stop - 1), stop)
    places = [units]
    while places[-1]:
        places.append(int(begin[places[-1]]))
    return np.array(places[::-1])


def _cheapest_end(
    found: Feasibility, boxes: StretchBoxes, loss: NDArray[np.float64], first: int, stop: int
) -> tuple[float, int]:
    """The least loss of rows before ``stop``, and where the last run begins, from ``first`` on if allowed."""
    starts = np.arange(first, stop)
    starts = starts[np.isfinite(loss[starts])]
    starts = starts[found.allowed(starts, stop)]
    if len(starts):
        low = np.minimum.accumulate(boxes.low[first:stop][::-1])[::-1][starts - first]
        high = np.maximum.accumulate(boxes.high[first:stop][::-1])[::-1][starts - first]
        lost = found.requirements.microdata.penalties(low, high) * (found.ends[stop] - found.ends[starts])
        totals = loss[starts] + lost
        return float(totals.min()), int(starts[totals.argmin()])
    if not first:
        return np.inf, 0
    longer = np.flatnonzero(np.isfinite(loss[:first]))
    longer = longer[found.allowed(longer, stop)]
    return _cheapest_end(found, boxes, loss, int(longer[-1]), stop) if len(longer) else (np.inf, 0)


def packed(runs: Places, ends: NDArray[np.int64], most: int) -> Places:
    """Put as many whole runs into each part as ``most`` rows allow; return where parts begin, and the end."""
    parts = [int(runs[0])]
    for start, stop in pairwise(runs.tolist()):
        if start > parts[-1] and ends[stop] - ends[parts[-1]] > most:
            parts.append(start)
    return np.array([*parts, int(runs[-1])])


def _before(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cumulative counts: before each stretch, and in total."""
    return np.concatenate([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)])


def _column(table: CodedTable, rule: Rule) -> str:
    """The name of the encoded column that a rule is about."""
    if isinstance(rule.model, SensitiveModel):
        return carried_name(table.sensitive[rule.column])
    return coded_name(rule.column)


def _size(table: CodedTable, rule: Rule) -> int:
    """The number of codes of the column that a rule is about."""
    if not isinstance(rule.model, SensitiveModel):
        return table.domains[rule.column].size
    values = table.carried[table.sensitive[rule.column]].values
    assert values is not None
    return len(values)


def _matrix(rows: Rows, column: str, stretches: int, size: int) -> NDArray[np.int64]:
    """Count the rows by stretch (rows) and code (columns)."""
    groups = counted(rows, [PART, column])
    found = np.zeros((stretches, size), np.int64)
    stretch, code = (groups.column(name).to_numpy().astype(np.int64) for name in (PART, column))
    found[stretch, code] = group_counts(groups)
    return found
