"""The report of a release: time against making the release, and the size of the page."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import sfumato as sf
from benchmarks.measure import Result

ROWS = 1_000_000
#: A page that is mailed around is small.
LARGEST = 300_000


def run() -> Iterator[Result]:
    small, people = (sf.datasets.census(count, seed=1) for count in (2_000, ROWS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people.write(folder, "csv")
        for method in ("auto", "mondrian", "hilbert"):
            told(sf.anonymize(small.table, small.schema, k=10, method=method, seed=1), folder)
            yield from with_the_command(people, folder, method)
            yield from in_memory(people, folder, method)


def with_the_command(people: sf.datasets.Dataset, folder: Path, method: str) -> Iterator[Result]:
    """Compare with all that ``sfumato anonymize`` does: it reads, writes, verifies, and sums up with bound and risk."""
    begun = time.perf_counter()
    release = sf.anonymize(folder / "census.csv", people.schema, k=10, method=method, seed=1)
    release.write(folder / "release.csv")
    release.summary()
    _ = release.risk
    made = time.perf_counter() - begun
    took = told(release, folder)
    note = f"{took:.1f} s against {made:.1f} s"
    yield Result(f"--report of {ROWS:,} rows by {method}, of the command without it", took / made, 0.5, note=note)
    yield Result(f"its size ({method})", (folder / "report.html").stat().st_size / 1000, LARGEST / 1000, unit="kB")


def in_memory(people: sf.datasets.Dataset, folder: Path, method: str) -> Iterator[Result]:
    """Compare with a table that is neither read, written nor summed up, so that the report pays for bound and risk."""
    begun = time.perf_counter()
    release = sf.anonymize(people.table, people.schema, k=10, method=method, seed=1)
    made = time.perf_counter() - begun
    took = told(release, folder)
    note = f"{took:.1f} s against {made:.1f} s, of which the bound takes {release.bound.seconds:.1f} s"
    yield Result(f"report of {ROWS:,} rows by {method}, of anonymize in memory alone", took / made, note=note)


def told(release: sf.Release, folder: Path) -> float:
    """Write the report; return how long it took."""
    begun = time.perf_counter()
    release.report(folder / "report.html")
    return time.perf_counter() - begun
