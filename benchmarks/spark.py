"""The same release on a Spark cluster: against one machine on the same cores, with one worker and with two."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
from tests.scale.cluster import Cluster

import sfumato as sf
from benchmarks.measure import Result
from benchmarks.pipeline import QIS

#: Rows of the smaller and the larger table; a busy machine measures fewer and says so.
ROWS = int(os.environ.get("SFUMATO_SPARK_ROWS", "10_000_000"))
TIMES = int(os.environ.get("SFUMATO_SPARK_TIMES", "5"))

#: Rows of one file of the input.
PIECE = 1_000_000


def run() -> Iterator[Result]:
    folder = Path(tempfile.mkdtemp(prefix="sfumato-bench-"))
    try:
        small, large = make(folder, ROWS), make(folder, ROWS * TIMES)
        alone = timed(small, folder / "alone", engine="duckdb")
        yield Result(f"one machine, {ROWS:,} rows", alone, unit="s")
        with cluster(folder, workers=1) as spark:
            one = timed(small, folder / "one", engine=spark)
            yield Result("one worker", one, unit="s")
        with cluster(folder, workers=2) as spark:
            two = timed(small, folder / "two", engine=spark)
            yield Result("two workers", two, unit="s")
            yield Result("two workers against one machine", two / alone, 3)
            yield Result("two workers in the time of one", two / one, 1 / 1.6)
            more = timed(large, folder / "more", engine=spark)
            yield Result(f"two workers, {ROWS * TIMES:,} rows", more, unit="s")
            yield Result("time per row, many rows against few", more / two / TIMES, 1.3)
    finally:
        shutil.rmtree(folder)


def make(folder: Path, rows: int) -> Path:
    """Write a census in pieces, so that nobody has to hold it."""
    path = folder / f"census-{rows}"
    path.mkdir()
    for piece in range(-(-rows // PIECE)):
        count = min(PIECE, rows - piece * PIECE)
        pq.write_table(sf.datasets.census(count, seed=piece).table, path / f"{piece}.parquet")
    return path


def timed(data: Path, out: Path, engine: str | sf.Spark) -> float:
    """Return how long it takes from Parquet to verified Parquet."""
    hierarchies = sf.datasets.census(1000).hierarchies
    begin = time.perf_counter()
    release = sf.anonymize(
        str(data),
        quasi_identifiers={name: hierarchies[name] for name in QIS},
        sensitive="occupation",
        rest="drop",
        k=10,
        method="hilbert",
        seed=1,
        engine=engine,
        memory="6GB",
    )
    release.write(out)
    took = time.perf_counter() - begin
    print(out.name, release.manifest["seconds"], f"GCP {release.loss.gcp:.5f}", flush=True)
    shutil.rmtree(out, ignore_errors=True)
    return took


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[sf.Spark]:
    """Start a cluster whose executors and Python have run once."""
    place = folder / f"cluster-{workers}"
    place.mkdir()
    made = Cluster(place, memory="2g", lean=False)
    try:
        for _ in range(workers):
            made.add_worker()
        made.open()
        timed(make(place, 50_000), place / "first", engine=sf.Spark(made.address))
        yield sf.Spark(made.address)
    finally:
        made.close()
