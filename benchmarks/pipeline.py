"""The whole command from Parquet to Parquet, against DuckDB sorting and writing the same table; and its memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from benchmarks.environments import ROOT, environment, keeping_bytecode
from benchmarks.measure import Result
from sfumato.io import write_table

QIS = ["age", "gender", "education", "marital_status", "race", "work_class", "country"]
LARGE = 10_000_000


def run() -> Iterator[Result]:
    folder = Path(tempfile.mkdtemp(prefix="sfumato-bench-"))
    try:
        yield from against_duckdb(folder, 1_000_000)
        yield from memory(folder, LARGE)
    finally:
        shutil.rmtree(folder)


def make(folder: Path, rows: int) -> Path:
    people = sf.datasets.census(rows, seed=1)
    path = folder / f"census-{rows}.parquet"
    write_table(people.table, path)
    for name, hierarchy in people.hierarchies.items():
        if isinstance(hierarchy, sf.Taxonomy):
            hierarchy.write(folder / f"{name}.csv")
    return path


def command(folder: Path, path: Path) -> list[str]:
    hierarchies = [f"{name}={folder / f'{name}.csv'}" for name in QIS if (folder / f"{name}.csv").exists()]
    # As a user installs it: the benchmarks' own environment has SciPy and pandas, which Numba and PyArrow import where
    # they find them.
    programs = environment("core", "--editable", str(ROOT))
    return [
        str(programs / "sfumato"),
        "anonymize",
        str(path),
        *("-o", str(folder / "release.parquet"), "-k", "10", "--method", "mondrian"),
        *(word for name in QIS for word in ("--qi", name)),
        *(word for item in hierarchies for word in ("--hierarchy", item)),
        *("--sensitive", "occupation", "--sensitive", "salary_class"),
    ]


def timed(words: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds and its peak memory in MB."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=keeping_bytecode())
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"The command failed: {' '.join(words)}")
    return time.perf_counter() - begin, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def sort_with_duckdb(path: Path, target: Path) -> float:
    begin = time.perf_counter()
    with duckdb.connect() as session:
        session.execute(f"COPY (SELECT * FROM '{path}' ORDER BY {', '.join(QIS)}) TO '{target}' (FORMAT parquet)")
    return time.perf_counter() - begin


def against_duckdb(folder: Path, rows: int) -> Iterator[Result]:
    path = make(folder, rows)
    words = command(folder, path)
    timed(words)
    runs = [
        (timed(words)[0], timed([*words, "--quiet"])[0], sort_with_duckdb(path, folder / "sorted.parquet"))
        for _ in range(3)
    ]
    told, quiet, peer = (min(run[at] for run in runs) for at in range(3))
    for name, mine in (("sfumato anonymize", told), ("the same --quiet, which looks for no bound", quiet)):
        yield Result(f"{name}, {rows:,} rows / DuckDB sort", mine / peer, 1.5, note=f"{mine:.2f} s / {peer:.2f} s")


def memory(folder: Path, rows: int) -> Iterator[Result]:
    path = make(folder, rows)
    plain = plain_size(path)
    took, peak = timed(command(folder, path))
    limit = 2.5 * plain + 500
    yield Result(
        f"peak memory, {rows:,} rows / (2.5 × plain strings + 500 MB)",
        peak / limit,
        1.0,
        note=f"{peak:,.0f} MB, table {plain:,.0f} MB, {took:.1f} s",
    )


def plain_size(path: Path) -> float:
    """The megabytes of the table as Arrow columns of plain strings, counted a piece at a time."""
    total = 0
    for batch in pq.ParquetFile(path).iter_batches(batch_size=500_000):
        total += sum(column.cast(pa.string()).nbytes for column in batch.columns)
    return total / 1024**2
