"""Past memory: the same method by DuckDB within a memory limit, against memory; time, peak memory and loss.

``python -m benchmarks scale`` takes a million rows. Larger sizes are for a run by hand, each with the memory that it
may take: ``python -m benchmarks.scale 10000000 1GB``, ``100000000 4GB``, ``1000000000 8GB engine``, where ``engine``
leaves out the run in memory, which would not fit.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Result, show
from sfumato.common.parameters import size

ROWS, MEMORY = 1_000_000, "1GB"
QIS = ["age", "sex", "work", "race", "education", "hours", "country"]

#: What a run may take beyond its limit, in time of memory's, and lose beyond memory's loss.
BEYOND, TIME, LOSS = 1.1, 1.3, 1.01

#: Rows that are drawn and written at a time, so that making a table takes little memory.
STRETCH = 1 << 20

RUN = """
import json, resource, sys, time
import sfumato as sf
path, engine, memory, asked = sys.argv[1:]
roles = dict(quasi_identifiers={qis}, sensitive="illness", method="hilbert", seed=1)
sf.anonymize(path.replace("people", "few"), engine=engine, memory=memory, **roles, **json.loads(asked))
begin, used = time.perf_counter(), time.process_time()
release = sf.anonymize(path, engine=engine, memory=memory, **roles, **json.loads(asked))
release.write(path.replace("people", "release-" + engine))
print(json.dumps(dict(
    seconds=time.perf_counter() - begin, cpu=time.process_time() - used, gcp=release.loss.gcp,
    peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, steps=release.manifest["seconds"],
    parts=release.manifest.get("parts", 1),
)))
"""


def run() -> Iterator[Result]:
    yield from compared(ROWS, MEMORY)


def compared(rows: int, memory: str, in_memory: bool = True, **asked: float) -> Iterator[Result]:
    """Anonymize one table in both ways, each in a process of its own, and compare."""
    folder = Path(tempfile.mkdtemp(prefix="sfumato-bench-"))
    try:
        make(folder / "few.parquet", 10_000)
        make(folder / "people.parquet", rows)
        large = _measured(folder, "duckdb", memory, {"k": 10, **asked})
        name = f"{rows:,} rows by DuckDB at {memory}"
        steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in large["steps"].items())
        note = f"{large['seconds']:.1f} s, {large['cpu']:.1f} of the processor; {large['parts']} parts; {steps}"
        yield Result(f"{name}: peak over limit", large["peak"] / size("scale", "memory", memory), BEYOND, note=note)
        if in_memory:
            small = _measured(folder, "memory", "64GB", {"k": 10, **asked})
            yield Result(f"{name}: time over memory's", large["seconds"] / small["seconds"], TIME)
            yield Result(f"{name}: processor over memory's", large["cpu"] / small["cpu"])
            yield Result(f"{name}: loss over memory's", large["gcp"] / small["gcp"], LOSS)
            yield Result(f"{name}: peak over memory's", large["peak"] / small["peak"], note=f"{small['peak']:,} bytes")
    finally:
        shutil.rmtree(folder)


def _measured(folder: Path, engine: str, memory: str, asked: dict[str, float]) -> dict[str, float]:
    command = [sys.executable, "-c", RUN.replace("{qis}", repr(QIS)), str(folder / "people.parquet"), engine, memory]
    environment = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run([*command, json.dumps(asked)], capture_output=True, text=True, check=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def make(path: Path, rows: int) -> None:
    """Write a made-up table of people, a stretch at a time."""
    random = np.random.default_rng(1)
    with pq.ParquetWriter(path, _people(random, 1).schema) as writer:
        for begin in range(0, rows, STRETCH):
            writer.write_table(_people(random, min(STRETCH, rows - begin)))


def _people(random: np.random.Generator, rows: int) -> pa.Table:
    def words(name: str, chance: float, count: int) -> pa.Array:
        known = pa.array([f"{name} {number:02d}" for number in range(count)])
        return known.take(pa.array(np.minimum(random.geometric(chance, rows), count) - 1))

    return pa.table(
        {
            "age": np.clip(random.normal(45, 18, rows), 17, 90).astype(np.int32),
            "sex": words("sex", 0.5, 2),
            "work": words("work", 0.3, 9),
            "race": words("race", 0.6, 5),
            "education": random.integers(1, 17, rows).astype(np.int16),
            "hours": np.clip(random.normal(40, 12, rows), 1, 99).astype(np.int16),
            "country": words("country", 0.4, 41),
            "illness": words("illness", 0.15, 20),
        }
    )


if __name__ == "__main__":
    rows, memory, *more = sys.argv[1:] or [str(ROWS), MEMORY]
    show("Past memory", compared(int(rows), memory, "engine" not in more, **({"l": 3} if "l" in more else {})))
