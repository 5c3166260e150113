"""All cores: every step with 1, 2, 4, … threads, beside DuckDB's sorted copy of the same file, and the same bytes.

``python -m benchmarks cores`` takes 10,000,000 made-up people; ``python -m benchmarks cores 1000000 hilbert mondrian``
another number, and other methods than Hilbert's. Every run is a process of its own that is bound to as many processors
as it has threads, and makes a small release first, so that no time is spent on loading and compiling.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Result, show
from benchmarks.scale import QIS, make

ROWS, METHOD = 10_000_000, "hilbert"

#: The rows of the small release that comes first: enough for every kernel of a long table.
WARM = 150_000

#: The steps of a release, in the manifest's words, and the file that is written afterwards.
STEPS = ("read", "guardrails", "method", "release", "verify", "total", "write")

#: What sixteen cores have to reach: seconds over DuckDB's, memory over that of one thread, and how much faster it gets.
BESIDE_DUCKDB, MEMORY, FASTER, WIDE = 2.5, 1.3, 7.0, 16

#: Lets a checkout run (``PYTHONPATH=src``) where it is not installed, and narwhals, which only frames need, is missing.
BARE = """
import importlib.metadata, importlib.util, sys, types
known = importlib.metadata.version
def version(name):
    try:
        return known(name)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
importlib.metadata.version = version
if importlib.util.find_spec("narwhals") is None:
    sys.modules["narwhals"] = types.ModuleType("narwhals")
"""
RELEASE = (
    BARE
    + """
import hashlib, json, resource, time
import sfumato as sf
folder, threads, asked = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
asked |= dict(quasi_identifiers={qis}, sensitive="illness", k=10, seed=1, engine="memory", threads=threads)
sf.anonymize(folder + "/few.parquet", **asked).write(folder + "/few-released.parquet")
resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
used = time.process_time()
release = sf.anonymize(folder + "/people.parquet", **asked)
begin = time.perf_counter()
release.write(folder + "/released.parquet")
seconds = release.manifest.pop("seconds") | dict(write=time.perf_counter() - begin)
told = json.dumps(release.manifest, sort_keys=True, default=str).encode()
print(json.dumps(dict(
    seconds=seconds, processor=time.process_time() - used, gcp=release.loss.gcp,
    peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    file=hashlib.sha256(open(folder + "/released.parquet", "rb").read()).hexdigest(),
    manifest=hashlib.sha256(told).hexdigest(),
)))
"""
)
SORTED = """
import json, sys, time
import duckdb
folder, threads = sys.argv[1], int(sys.argv[2])
with duckdb.connect() as session:
    session.execute(f"SET threads = {threads}")
    used, begin = time.process_time(), time.perf_counter()
    session.execute(f"COPY (SELECT * FROM '{folder}/people.parquet' ORDER BY {order}) "
                    f"TO '{folder}/sorted.parquet' (FORMAT parquet)")
    print(json.dumps(dict(seconds=time.perf_counter() - begin, processor=time.process_time() - used)))
"""


def run() -> Iterator[Result]:
    with tables(ROWS) as folder:
        yield from compared(folder, ROWS, METHOD)


@dataclass(frozen=True)
class Run:
    """One release with a number of threads, and DuckDB's sorted copy with the same number."""

    threads: int
    seconds: dict[str, float]
    processor: float
    peak: int
    file: str
    manifest: str
    duckdb: float
    duckdb_processor: float

    @property
    def whole(self) -> float:
        """Seconds from the file to the verified release, and to the checked file."""
        return self.seconds["total"] + self.seconds["write"]


def counts() -> list[int]:
    """1, 2, 4, … threads, up to all processors that this process may use."""
    every = len(os.sched_getaffinity(0))
    return sorted({every, *(1 << power for power in range(every.bit_length()) if 1 << power <= every)})


@contextmanager
def tables(rows: int) -> Iterator[Path]:
    """Make the table, and the small one that comes first."""
    folder = Path(tempfile.mkdtemp(prefix="sfumato-bench-"))
    try:
        make(folder / "few.parquet", WARM)
        make(folder / "people.parquet", rows)
        yield folder
    finally:
        shutil.rmtree(folder)


def compared(folder: Path, rows: int, method: str, threads: Sequence[int] = ()) -> Iterator[Result]:
    """Make the same release with every number of threads, print the table, and yield the figures with a limit."""
    runs = []
    print(f"  {method}, {rows:,} rows, seconds\n{_line('threads', [*STEPS, 'whole', 'DuckDB', 'CPU', 'MB'])}")
    for number in threads or counts():
        runs.append(_measured(folder, number, method))
        print(_row(runs[-1]), flush=True)
    yield from _figures(f"{method}, {rows:,} rows", runs)


def _measured(folder: Path, threads: int, method: str) -> Run:
    made = _child(RELEASE.replace("{qis}", repr(QIS)), folder, threads, json.dumps({"method": method}))
    peer = _child(SORTED.replace("{order}", ", ".join(QIS)), folder, threads)
    seconds = {step: made["seconds"][step] for step in STEPS}
    return Run(
        threads,
        seconds,
        made["processor"],
        made["peak"],
        made["file"],
        made["manifest"],
        duckdb=peer["seconds"],
        duckdb_processor=peer["processor"],
    )


def _child(program: str, folder: Path, threads: int, *more: str) -> dict[str, Any]:
    """Run a program on as many processors as it has threads; more threads than processors share all of them."""
    allowed = sorted(os.sched_getaffinity(0))[:threads]
    bound = f"import os\nos.sched_setaffinity(0, {allowed})\n{program}"
    done = subprocess.run([sys.executable, "-c", bound, str(folder), str(threads), *more], stdout=-1, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _line(first: object, cells: Sequence[str]) -> str:
    return f"  {first:>7} " + " ".join(f"{cell:>10}" for cell in cells)


def _row(run: Run) -> str:
    numbers = [*run.seconds.values(), run.whole, run.duckdb, run.processor]
    return _line(run.threads, [*(f"{number:.2f}" for number in numbers), f"{run.peak / 1e6:,.0f}"])


def _figures(name: str, runs: Sequence[Run]) -> Iterator[Result]:
    first, last = runs[0], runs[-1]
    for one in runs[1:] if first.threads == 1 else ():
        yield from _faster(first, one)
    wide = last.threads >= WIDE
    yield Result(
        f"{name}: the whole over DuckDB's copy, {last.threads} threads",
        last.whole / last.duckdb,
        BESIDE_DUCKDB if wide else None,
        note=f"{last.whole:.2f} s / {last.duckdb:.2f} s; without writing {last.seconds['total'] / last.duckdb:.2f} ×",
    )
    yield Result(
        f"{name}: processor over that of DuckDB's copy, {last.threads} threads",
        last.processor / last.duckdb_processor,
        note=f"{last.processor:.2f} s / {last.duckdb_processor:.2f} s, on a busy machine the better figure",
    )
    if len(runs) == 1:
        return
    alike = len({one.file for one in runs}) == len({one.manifest for one in runs}) == 1
    yield Result(f"{name}: different bytes or manifests among thread counts", 0.0 if alike else 1.0, 0.0, unit="")
    yield Result(
        f"{name}: memory of {last.threads} threads over that of {first.threads}", last.peak / first.peak, MEMORY
    )
    gain = first.seconds["total"] / last.seconds["total"]
    note = f"{gain:.2f} × faster with {last.threads} threads than with {first.threads}; DuckDB "
    note += f"{first.duckdb / last.duckdb:.2f} ×"
    yield Result(f"{name}: {FASTER:g} × over the gain", FASTER / gain, 1.0 if wide else None, note=note)


def _faster(first: Run, other: Run) -> Iterator[Result]:
    """How much faster every step gets, and which share of it is serial by Amdahl's law."""
    gains = {step: first.seconds[step] / max(other.seconds[step], 1e-9) for step in STEPS}
    n = other.threads
    serial = {step: (n / gain - 1) / (n - 1) for step, gain in gains.items()}
    print(_line(f"× {n}", [f"{gain:.2f}" for gain in gains.values()]))
    print(_line("serial", [f"{share:.1%}" for share in serial.values()]), flush=True)
    yield Result(f"{n} threads: anonymize and write over one thread", other.whole / first.whole)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks cores", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="?", type=int, default=ROWS)
    parser.add_argument("methods", nargs="*", default=[METHOD])
    parser.add_argument("--threads", type=int, nargs="+", default=())
    given = parser.parse_args(arguments)
    with tables(given.rows) as folder:
        for method in given.methods:
            show("All cores", compared(folder, given.rows, method, given.threads))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
