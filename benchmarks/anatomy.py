"""Releases in two tables: whether the time per row stays the same from a hundred thousand rows to a million."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import sfumato as sf
from benchmarks.measure import Result
from sfumato.methods.comparators.anatomy import anatomy_groups
from sfumato.table.encoding import encode_sensitive

SIZES = (100_000, 1_000_000)
L = 5


def run() -> Iterator[Result]:
    grouping, whole = {}, {}
    for rows in SIZES:
        people = sf.datasets.census(rows, seed=1)
        column = encode_sensitive("occupation", people.table["occupation"])
        schema = sf.Schema(people.schema.quasi_identifiers, "occupation", rest="drop")
        grouping[rows] = _cpu(lambda column=column: anatomy_groups(column, L, np.random.default_rng(1))) / rows
        whole[rows] = _cpu(lambda table=people.table, schema=schema: sf.anatomize(table, schema, l=L, seed=1)) / rows
    few, many = SIZES
    for what, each in (("grouping", grouping), ("reading, grouping and verifying", whole)):
        note = f"{each[few] * 1e6:.2f} and {each[many] * 1e6:.2f} µs a row of CPU"
        yield Result(f"{what}: time per row, {many:,} / {few:,} rows", each[many] / each[few], 2.0, note=note)


def _cpu(work: object) -> float:
    """The least CPU time of three runs, after one that compiles; a busy machine disturbs it little."""
    assert callable(work)
    work()
    found = []
    for _ in range(3):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)
