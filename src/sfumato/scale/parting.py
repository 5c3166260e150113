"""Parts: stretches of the order of a linear method, cut by exact counts, each of which can keep every model alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.methods.linear.kernels.hilbert import WORD
from sfumato.methods.linear.mapping import curve_keys, grids
from sfumato.microdata import Microdata
from sfumato.microdata.table import WeightedColumn, smallest_unsigned
from sfumato.privacy import MinimumSpan, PrivacyModel, Requirements, Rule, SensitiveModel
from sfumato.scale.encoding import BUCKET, KEY, PART, CodedTable, carried_name, coded_name
from sfumato.scale.engine import Rows, counted, group_counts

#: Keys are counted by so many of their highest bits first, and where these are not enough by up to as many more.
STEP = 16

#: So many counts of keys are looked at together at most, however many rows there are.
MOST_COUNTS = 1 << 20

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Encoding:
    """Turns a batch of a table into codes and, for linear methods, the place of every row on a Hilbert curve."""

    table: CodedTable
    bits: int | None = None

    @property
    def schema(self) -> pa.Schema:
        """The columns of what it makes."""
        own = self.table.schema
        return (
            own if self.bits is None else own.append(pa.field(BUCKET, pa.uint16())).append(pa.field(KEY, pa.uint64()))
        )

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Encode a batch."""
        coded = self.table.encode(batch)
        if self.bits is None:
            return coded
        keys = self._keys(coded)
        buckets = (keys >> np.uint64(WORD - STEP)).astype(np.uint16)
        return pa.RecordBatch.from_arrays([*coded.columns, pa.array(buckets), pa.array(keys)], schema=self.schema)

    def _keys(self, coded: pa.RecordBatch) -> Keys:
        """Return the first 64 bits of every row's place on the curve."""
        assert self.bits is not None
        domains = self.table.domains
        codes = np.empty((coded.num_rows, len(domains)), smallest_unsigned([domain.size for domain in domains]))
        for at in range(len(domains)):
            codes[:, at] = coded.column(at).to_numpy()
        words = curve_keys(codes, grids(domains, self.bits), self.bits)
        used = self.bits * len(domains) - WORD * (len(words) - 1)
        keys = words[0] << np.uint64(WORD - used)
        return keys | (words[1] >> np.uint64(used)) if len(words) > 1 and used < WORD else keys


@dataclass(frozen=True)
class Within:
    """Gives the rows of crowded buckets the number of a finer one, and leaves out all others."""

    crowded: Keys
    before: int
    bits: int

    reads = (KEY,)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the finer buckets of a batch."""
        keys = batch.column(KEY).to_numpy()
        keys = keys[np.isin(keys >> np.uint64(WORD - self.before), self.crowded)]
        return pa.RecordBatch.from_arrays([pa.array(keys >> np.uint64(WORD - self.bits))], schema=FINER)


FINER = pa.schema([pa.field(BUCKET, pa.uint64())])


@dataclass(frozen=True)
class PartOf:
    """Says which part a row belongs to: between which of the keys that parts begin with its own lies."""

    begins: Keys = field(repr=False)
    schema: pa.Schema = field(repr=False)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it looks at."""
        return *self.schema.names[:-1], KEY

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Replace the keys of a batch by parts."""
        parts = np.searchsorted(self.begins, batch.column(KEY).to_numpy(), side="right").astype(np.uint32) - 1
        columns = [batch.column(name) for name in self.schema.names[:-1]]
        return pa.RecordBatch.from_arrays([*columns, pa.array(parts.astype(np.uint32))], schema=self.schema)


def part_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns of encoded rows that know their part."""
    return pa.schema([*(one for one in schema if one.name not in {BUCKET, KEY}), pa.field(PART, pa.uint32())])


@dataclass(frozen=True)
class Counted:
    """Keys in order, given by their first one each, and how many rows have them."""

    begins: Keys
    counts: NDArray[np.int64]

    def between(self, begins: Keys) -> NDArray[np.int64]:
        """Return how many rows lie from each of some keys, all of them among these, to the next."""
        parts = np.searchsorted(begins, self.begins, side="right") - 1
        return np.bincount(parts, self.counts, len(begins)).astype(np.int64)


def count_keys(rows: Rows, most: int) -> Counted:
    """Count the rows along the curve, more finely where more than ``most`` of them lie together."""
    found, bits = _as_counted(rows, STEP), STEP
    while bits < WORD and (found.counts > most).any():
        crowded = found.counts > most
        # As many bits more as keep the counts few; where all keys are crowded, that is some at a time.
        room = MOST_COUNTS // int(np.count_nonzero(crowded))
        deeper = min(WORD, bits + min(STEP, max(1, room.bit_length() - 1)))
        finer = Within(found.begins[crowded] >> np.uint64(WORD - bits), bits, deeper)
        found = _merged(found, ~crowded, _as_counted(rows.mapped(finer, FINER), deeper))
        bits = deeper
    return found


def _merged(found: Counted, kept: NDArray[np.bool_], more: Counted) -> Counted:
    begins = np.concatenate([found.begins[kept], more.begins])
    order = np.argsort(begins)
    return Counted(begins[order], np.concatenate([found.counts[kept], more.counts])[order])


def _as_counted(rows: Rows, bits: int) -> Counted:
    groups = counted(rows, [BUCKET])
    begins = groups.column(BUCKET).to_numpy().astype(np.uint64) << np.uint64(WORD - bits)
    return Counted(begins, group_counts(groups))


def cut_evenly(found: Counted, most: int) -> Keys:
    """Return the keys that parts begin with: as few parts as possible, of about the same size."""
    total = int(found.counts.sum())
    parts = max(1, -(-total // most))
    ends = np.cumsum(found.counts)
    # A bucket belongs to the part in which its middle lies, so that parts stay near their size.
    part = np.minimum((ends - found.counts / 2) * parts // max(1, total), parts - 1).astype(np.int64)
    firsts = np.flatnonzero(np.append(True, part[1:] != part[:-1]))
    begins = found.begins[firsts].copy()
    begins[0] = 0
    return begins


@dataclass
class Feasibility:
    """Whether parts can keep every model, from what is counted of them."""

    table: CodedTable
    models: tuple[PrivacyModel, ...]
    sizes: NDArray[np.int64]
    histograms: dict[int, NDArray[np.int64]]
    spans: dict[int, NDArray[np.int64]]

    @classmethod
    def count(
        cls,
        rows: Rows,
        begins: Keys,
        sizes: NDArray[np.int64],
        table: CodedTable,
        models: Sequence[PrivacyModel],
    ) -> Feasibility:
        """Count what the models look at, part by part; how many rows each has is known already."""
        rules = Requirements(tuple(models), empty(table)).bound
        sensitive = {rule.column for rule in rules if isinstance(rule.model, SensitiveModel)}
        spanned = {rule.column for rule in rules if isinstance(rule.model, MinimumSpan)}
        names = [*(carried_name(table.sensitive[at]) for at in sensitive), *(coded_name(at) for at in spanned)]
        schema = part_schema(pa.schema([rows.schema.field(name) for name in names]))
        parts = rows.mapped(PartOf(begins, schema), schema)
        counts = {
            at: _matrix(parts, carried_name(table.sensitive[at]), len(begins), _size(table, at)) for at in sensitive
        }
        spans = {at: _matrix(parts, coded_name(at), len(begins), table.domains[at].size) for at in spanned}
        return cls(table, tuple(models), sizes, counts, spans)

    @classmethod
    def whole(cls, table: CodedTable, models: Sequence[PrivacyModel]) -> Feasibility:
        """Take the table as one part, of which the profile has counted everything."""
        counts = [table.carried[at].counts for at in table.sensitive]
        histograms = {at: one[None] for at, one in enumerate(counts) if one is not None}
        spans = {at: one[None] for at, one in enumerate(table.marginals)}
        return cls(table, tuple(models), np.array([table.rows]), histograms, spans)

    def joined(self) -> list[list[int]]:
        """Return neighbouring parts joined until every group of them can keep every model, or one group is left."""
        groups = [[part] for part in range(len(self.sizes)) if self.sizes[part]]
        at = 0
        while at < len(groups) and len(groups) > 1:
            if self.allows(groups[at]):
                at += 1
                continue
            left = self.sizes[groups[at - 1]].sum() if at else np.inf
            right = self.sizes[groups[at + 1]].sum() if at + 1 < len(groups) else np.inf
            first = at - 1 if left <= right else at
            groups[first : first + 2] = [groups[first] + groups[first + 1]]
            at = first
        return groups

    def allows(self, parts: list[int]) -> bool:
        """Return whether parts together can keep every model."""
        requirements = Requirements(self.models, empty(self.table))
        if self.sizes[parts].sum() < requirements.smallest_class:
            return False
        return all(self._keeps(rule, parts) for rule in requirements.bound)

    def reasons(self) -> str:
        """Say why not even the whole table keeps the models."""
        everybody = counted_microdata(self.table)
        broken = [
            rule
            for rule in Requirements(self.models, everybody).bound
            if self.sizes.sum() < rule.model.smallest_class() or not self._keeps(rule, slice(None))
        ]
        return " ".join(rule.model.nearest(rule, everybody) for rule in broken)

    def _keeps(self, rule: Rule, parts: list[int] | slice) -> bool:
        if isinstance(rule.model, SensitiveModel):
            counts = self.histograms[rule.column][parts].sum(axis=0)
            whole = self.table.carried[self.table.sensitive[rule.column]].counts
            return bool(rule.model.holds_for(counts[None], rule, whole)[0])
        if rule.reach is not None:
            codes = np.flatnonzero(self.spans[rule.column][parts].sum(axis=0))
            return bool(rule.reach[codes[0]] <= codes[-1])
        return True


def _size(table: CodedTable, at: int) -> int:
    values = table.carried[table.sensitive[at]].values
    assert values is not None
    return len(values)


def _matrix(rows: Rows, column: str, parts: int, size: int) -> NDArray[np.int64]:
    """Return how many rows of every part (rows) have every code (columns)."""
    groups = counted(rows, [PART, column])
    found = np.zeros((parts, size), np.int64)
    part, code = (groups.column(name).to_numpy().astype(np.int64) for name in (PART, column))
    found[part, code] = group_counts(groups)
    return found


def empty(table: CodedTable) -> Microdata:
    """Return microdata without a row, for what depends on domains and counts alone."""
    return table.microdata(table.schema.empty_table())


def counted_microdata(table: CodedTable) -> Microdata:
    """Return microdata that know how many rows there are, and how often each sensitive value occurs, but no codes."""
    columns = [table.carried[at] for at in table.sensitive]
    weighted = [WeightedColumn.counted(one.name, one.values, one.counts) for one in columns if one.counts is not None]
    codes = np.broadcast_to(np.uint8(0), (table.rows, len(table.domains)))
    return replace(empty(table), codes=codes, sensitive=tuple(weighted))
