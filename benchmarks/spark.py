"""The same release on a Spark cluster: against one machine on the same cores, with one worker and with two."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
from tests.run.large.cluster import Cluster

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
        with cluster(folder, workers=1) as spark:
            one = timed(small, folder / "one", engine=spark)
            yield Result(f"one worker, {ROWS:,} rows", one.seconds, unit="s")
        alone = by_itself(folder, small)
        yield Result("one machine", alone, unit="s")
        with cluster(folder, workers=2) as spark:
            two = timed(small, folder / "two", engine=spark)
            yield Result("two workers", two.seconds, unit="s")
            yield Result("two workers against one machine", two.seconds / alone, 3)
            yield Result("two workers in the time of one", two.seconds / one.seconds, 1 / 1.6)
            more = timed(large, folder / "more", engine=spark)
            yield Result(f"two workers, {ROWS * TIMES:,} rows", more.seconds, unit="s")
            yield Result("time per row, many rows against few", more.seconds / two.seconds / TIMES, 1.3)
            yield Result("peak memory of the driver, many rows against few", more.peak / two.peak, 1.1)
    finally:
        shutil.rmtree(folder)


class Took(NamedTuple):
    """How long it took, and the most memory that the Python of the driver had; its Java has half a gigabyte."""

    seconds: float
    peak: float


def by_itself(folder: Path, data: Path) -> float:
    """How long one machine takes with two cores, in a process of its own that has run once."""
    with get_context("spawn").Pool(1) as pool:
        pool.apply(timed, (make(folder, 50_000), folder / "first", "duckdb"))
        return pool.apply(timed, (data, folder / "alone", "duckdb")).seconds


def make(folder: Path, rows: int) -> Path:
    """Write a census in pieces, so that it never has to fit in memory; skip it if the file exists."""
    path = folder / f"census-{rows}"
    if path.exists():
        return path
    path.mkdir()
    for piece in range(-(-rows // PIECE)):
        count = min(PIECE, rows - piece * PIECE)
        pq.write_table(sf.datasets.census(count, seed=piece).table, path / f"{piece}.parquet")
    return path


def timed(data: Path, out: Path, engine: str | sf.Spark) -> Took:
    """What it takes from Parquet to verified Parquet."""
    hierarchies = sf.datasets.census(1000).hierarchies
    forget_peak()
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
    made = time.perf_counter() - begin
    release.write(out)
    took = time.perf_counter() - begin
    peak = peak_memory()
    steps = ", ".join(f"{name} {one:.1f}" for name, one in release.manifest["seconds"].items())
    print(f"    {out.name}: {steps}, written and checked {took - made:.1f}; GCP {release.loss.gcp:.5f}", flush=True)
    shutil.rmtree(out, ignore_errors=True)
    release.origin.close()  # the executors forget what they kept
    return Took(took, peak)


def forget_peak() -> None:
    """Let the system note the peak of memory anew, where it can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> float:
    """The peak memory of this process since then, in megabytes; not-a-number where the system does not report it."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return float("nan")


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[sf.Spark]:
    """Start a cluster whose executors and Python have run once."""
    place = folder / f"cluster-{workers}"
    place.mkdir()
    made = Cluster(place, memory="4g", lean=False, apart=True)
    try:
        for _ in range(workers):
            made.add_worker()
        made.open()
        timed(make(place, 50_000), place / "first", engine=sf.Spark(made.address))
        yield sf.Spark(made.address)
    finally:
        made.close()
