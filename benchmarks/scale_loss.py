"""Past memory: what Hilbert's loss is in parts, against the whole table in memory.

``SFUMATO_ROWS`` says how many rows (200,000), and ``SFUMATO_PARTS`` how many parts they are cut into (8, many more than
there would be, so that what borders cost shows). Tables like the census and Lands End, and numbers alone; k-anonymity,
l-diversity, t-closeness, suppression.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from benchmarks.measure import Result
from sfumato.run.large.duckdb import engine as in_duckdb

ROWS = int(os.environ.get("SFUMATO_ROWS", "200000"))
PARTS = int(os.environ.get("SFUMATO_PARTS", "8"))

#: What may be lost beyond memory's loss.
LIMIT = 1.01

REQUESTS: dict[str, dict[str, Any]] = {
    "k=5": {"k": 5},
    "k=50": {"k": 50},
    "k=5, l=3": {"k": 5, "l": 3},
    "k=5, t=0.4": {"k": 5, "t": 0.4},
    "k=5, 2 % left out": {"k": 5, "suppression": 0.02},
    "k=5, l=3, 2 % left out": {"k": 5, "l": 3, "suppression": 0.02},
}


def run() -> Iterator[Result]:
    most, in_duckdb.MOST_PART_ROWS = in_duckdb.MOST_PART_ROWS, -(-ROWS // PARTS)
    folder = Path(tempfile.mkdtemp(prefix="sfumato-bench-"))
    try:
        for name, (table, roles) in tables(ROWS).items():
            pq.write_table(table, folder / "people.parquet")
            for title, asked in REQUESTS.items():
                yield _compared(f"{name}, {title}", folder / "people.parquet", roles | asked)
    finally:
        in_duckdb.MOST_PART_ROWS = most
        shutil.rmtree(folder)


def _compared(name: str, path: Path, asked: dict[str, Any]) -> Result:
    whole, parts = (
        sf.anonymize(path, engine=engine, method="hilbert", seed=1, **asked) for engine in ("memory", "duckdb")
    )
    note = f"{whole.loss.gcp:.5f} in memory, {parts.loss.gcp:.5f} in {parts.manifest['parts']} parts"
    if asked.get("suppression"):
        note += f"; {whole.suppressed:,} and {parts.suppressed:,} rows left out"
    return Result(name, parts.loss.gcp / whole.loss.gcp, LIMIT, note=note)


def tables(rows: int) -> dict[str, tuple[pa.Table, dict[str, Any]]]:
    """Every table with the roles of its columns; each has one sensitive column."""
    census = sf.datasets.census(rows, seed=1).without_levels()
    orders = sf.datasets.lands_end(rows, seed=1).without_levels()
    quasi = dict(orders.schema.quasi_identifiers)
    style = {"quasi_identifiers": {name: quasi[name] for name in quasi if name != "style"}, "sensitive": "style"}
    return {
        "census": (census.table, {"schema": census.schema}),
        "Lands End": (orders.table, style | {"rest": "drop"}),
        "numbers": (_numbers(rows), {"quasi_identifiers": ["a", "b", "c", "d"], "sensitive": "s"}),
    }


def _numbers(rows: int) -> pa.Table:
    random = np.random.default_rng(1)
    cells = {name: np.round(random.normal(0, 1_000, rows)) for name in "ab"}
    skewed = {name: np.round(random.lognormal(6, 1, rows), 1) for name in "cd"}
    return pa.table(cells | skewed | {"s": random.integers(0, 12, rows)})
