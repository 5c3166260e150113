"""Count queries on a release against DuckDB on the originals, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np

import sfumato as sf
from benchmarks.measure import Result, ratio

ROWS, QUERIES, K = 1_000_000, 10_000, 10

#: Queries that are timed at once, against as many of the peer's.
BATCH = 500


def run() -> Iterator[Result]:
    people = sf.datasets.census(ROWS, seed=1).without_levels()
    release = sf.anonymize(people.table, people.schema, k=K, method="hilbert-fast", seed=1)
    originals = duckdb.connect()
    originals.register("source", people.table)
    originals.execute("create table people as select * from source")
    random = np.random.default_rng(1)
    ages = random.integers(17, 80, (QUERIES, 2))
    ages.sort(axis=1)
    sexes = random.choice(sorted(set(people.table["gender"].to_pylist())), QUERIES)
    asked = list(zip(ages.tolist(), sexes.tolist(), strict=True))

    def ours() -> list[float]:
        return [release.count({"age": tuple(span), "gender": sex}).estimate for span, sex in asked[:BATCH]]

    def theirs() -> list[Any]:
        text = "select count(*) from people where age between ? and ? and gender = ?"
        return [originals.execute(text, [*span, sex]).fetchone() for span, sex in asked[:BATCH]]

    value, mine, peer = ratio(ours, theirs)
    each = f"{mine / BATCH * 1e3:.2f} ms / {peer / BATCH * 1e3:.2f} ms a query"
    yield Result(f"{QUERIES:,} count queries on {ROWS:,} rows / DuckDB on the originals", value, 0.2, note=each)
    errors = [abs(one - two[0]) / max(two[0], 1) for one, two in zip(ours(), theirs(), strict=True)]
    yield Result("median relative error of their estimates", float(np.median(errors)), unit="")
