"""A Spark cluster for the tests that need one; and made-up people, to an engine too many to be held at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.run.large.cluster import Cluster, require_spark

from sfumato.run.large.duckdb import engine as in_duckdb
from sfumato.table.kernels.classes import class_bounds


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster, one for all tests of a process: to start it takes longer than most tests on it."""
    require_spark()
    # A thread that still loads kernels would change the filters of warnings while PySpark does.
    class_bounds(np.empty((0, 1), np.uint16), np.empty(0, np.int32), 0)
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.add_worker()
        cluster.add_worker()
        cluster.open()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make engines work in parts of two thousand rows and batches of some hundred."""
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 2_000)
    monkeypatch.setattr(in_duckdb, "BATCH_ROWS", 700)


def people(rows: int = 6_000, seed: int = 7) -> pa.Table:
    random = np.random.default_rng(seed)
    words = {name: pa.array([f"{name} {number:02d}" for number in range(40)]) for name in ("work", "illness")}

    def drawn(name: str, chance: float, most: int) -> pa.Array:
        return words[name].take(pa.array(np.minimum(random.geometric(chance, rows), most) - 1))

    age = pa.array(np.clip(random.normal(45, 18, rows), 17, 90).astype(np.int32), mask=random.random(rows) < 0.02)
    pay = np.round(random.lognormal(8, 0.5, rows), -2)
    pay[random.random(rows) < 0.01] = np.nan
    return pa.table(
        {
            "age": age,
            "work": drawn("work", 0.2, 12),
            "pay": pay,
            "illness": drawn("illness", 0.15, 15),
            "ward": pa.array([f"ward {number}" for number in range(9)]).take(pa.array(random.integers(0, 9, rows))),
            "name": pa.array([f"person {number}" for number in range(rows)]),
        }
    )


@pytest.fixture(scope="session")
def table() -> pa.Table:
    return people()


@pytest.fixture(scope="session")
def file(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scale") / "people.parquet"
    pq.write_table(table, path, row_group_size=2_000)
    return path
