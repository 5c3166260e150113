"""Dividing rows into parts by their keys along an order: counting keys, and finding the part of each row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import VerificationError
from sfumato.methods.linear.kernels.hilbert import WORD
from sfumato.methods.on_engine import Keys as KeysOfRows
from sfumato.run.large.coded_table import BUCKET, KEY, PART, CodedTable
from sfumato.run.large.engine import Rows, counted, group_counts
from sfumato.table.microdata import Microdata, WeightedColumn, smallest_unsigned

#: Keys are counted by this many of their highest bits first; crowded buckets by up to as many more at each step.
STEP = 16

#: The most counts of keys that are held at once, however many rows there are.
MOST_COUNTS = 1 << 20

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Encoding:
    """Turns a batch of a table into codes and, where rows are divided along an order, the key of each row in it."""

    table: CodedTable
    keys: KeysOfRows | None = None

    @property
    def schema(self) -> pa.Schema:
        """The columns of what it makes."""
        own = self.table.schema
        return (
            own if self.keys is None else own.append(pa.field(BUCKET, pa.uint16())).append(pa.field(KEY, pa.uint64()))
        )

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Encode a batch."""
        coded = self.table.encode(batch)
        if self.keys is None:
            return coded
        keys = self._keys(coded, self.keys)
        buckets = (keys >> np.uint64(WORD - STEP)).astype(np.uint16)
        return pa.RecordBatch.from_arrays([*coded.columns, pa.array(buckets), pa.array(keys)], schema=self.schema)

    def _keys(self, coded: pa.RecordBatch, keys: KeysOfRows) -> Keys:
        domains = self.table.domains
        codes = np.empty((coded.num_rows, len(domains)), smallest_unsigned([domain.size for domain in domains]))
        for at in range(len(domains)):
            codes[:, at] = coded.column(at).to_numpy()
        found = keys(codes, domains)
        if found.dtype != np.uint64 or found.shape != (len(codes),):
            raise VerificationError(
                f"Keys of shape {found.shape} and type {found.dtype} were made for {len(codes):,} rows, which need one "
                "64-bit unsigned integer each. This is a fault of the method, please report it."
            )
        return found


@dataclass(frozen=True)
class FinerBuckets:
    """Numbers the rows of crowded buckets by finer buckets, and drops all other rows."""

    crowded: Keys
    before: int
    bits: int

    reads = (KEY,)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Find the finer buckets of the keys in a batch."""
        keys = batch.column(KEY).to_numpy()
        keys = keys[np.isin(keys >> np.uint64(WORD - self.before), self.crowded)]
        return pa.RecordBatch.from_arrays([pa.array(keys >> np.uint64(WORD - self.bits))], schema=FINER)


FINER = pa.schema([pa.field(BUCKET, pa.uint64())])


@dataclass(frozen=True)
class PartOf:
    """Finds the part of each row, by comparing its key with the keys at which parts begin."""

    begins: Keys = field(repr=False)
    schema: pa.Schema = field(repr=False)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return *self.schema.names[:-1], KEY

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Replace the keys of a batch by parts."""
        parts = np.searchsorted(self.begins, batch.column(KEY).to_numpy(), side="right").astype(np.uint32) - 1
        columns = [batch.column(name) for name in self.schema.names[:-1]]
        return pa.RecordBatch.from_arrays([*columns, pa.array(parts.astype(np.uint32))], schema=self.schema)


def part_schema(schema: pa.Schema) -> pa.Schema:
    """The schema of encoded rows with the number of their part."""
    return pa.schema([*(one for one in schema if one.name not in {BUCKET, KEY}), pa.field(PART, pa.uint32())])


@dataclass(frozen=True)
class KeyCounts:
    """Ranges of keys in order, each given by its first key, with the number of rows in each."""

    begins: Keys
    counts: NDArray[np.int64]

    def between(self, begins: Keys) -> NDArray[np.int64]:
        """Count the rows from each of some keys, all of them beginnings of ranges, to the next."""
        parts = np.searchsorted(begins, self.begins, side="right") - 1
        return np.bincount(parts, self.counts, len(begins)).astype(np.int64)


def count_keys(rows: Rows, most: int) -> KeyCounts:
    """Count the rows along the order, more finely where a bucket has more than ``most`` of them."""
    found, bits = _as_counted(rows, STEP), STEP
    while bits < WORD and (found.counts > most).any():
        crowded = found.counts > most
        # Few enough further bits at a time that the counts fit in memory, even where all buckets are crowded.
        room = MOST_COUNTS // int(np.count_nonzero(crowded))
        deeper = min(WORD, bits + min(STEP, max(1, room.bit_length() - 1)))
        finer = FinerBuckets(found.begins[crowded] >> np.uint64(WORD - bits), bits, deeper)
        found = _merged(found, ~crowded, _as_counted(rows.mapped(finer, FINER), deeper))
        bits = deeper
    return found


def _merged(found: KeyCounts, kept: NDArray[np.bool_], more: KeyCounts) -> KeyCounts:
    begins = np.concatenate([found.begins[kept], more.begins])
    order = np.argsort(begins)
    return KeyCounts(begins[order], np.concatenate([found.counts[kept], more.counts])[order])


def _as_counted(rows: Rows, bits: int) -> KeyCounts:
    groups = counted(rows, [BUCKET])
    begins = groups.column(BUCKET).to_numpy().astype(np.uint64) << np.uint64(WORD - bits)
    return KeyCounts(begins, group_counts(groups))


def cut_evenly(found: KeyCounts, most: int) -> Keys:
    """The keys at which parts begin: as few parts as possible, of about the same size."""
    total = int(found.counts.sum())
    parts = max(1, -(-total // most))
    ends = np.cumsum(found.counts)
    # A bucket belongs to the part in which its middle lies, so that parts stay near their size.
    part = np.minimum((ends - found.counts / 2) * parts // max(1, total), parts - 1).astype(np.int64)
    firsts = np.flatnonzero(np.append(True, part[1:] != part[:-1]))
    begins = found.begins[firsts].copy()
    begins[0] = 0
    return begins


def empty(table: CodedTable) -> Microdata:
    """Microdata without rows, for computations that need only domains and counts."""
    return table.microdata(table.schema.empty_table())


def counted_microdata(table: CodedTable) -> Microdata:
    """Microdata that know the number of rows and the counts of sensitive values, but no codes."""
    columns = [table.carried[at] for at in table.sensitive]
    weighted = [WeightedColumn.counted(one.name, one.values, one.counts) for one in columns if one.counts is not None]
    codes = np.broadcast_to(np.uint8(0), (table.rows, len(table.domains)))
    return replace(empty(table), codes=codes, sensitive=tuple(weighted))
