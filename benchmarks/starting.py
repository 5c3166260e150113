"""How fast a command starts: the first run against the next, and the next against the imports it cannot do without.

All figures are processor seconds of a command in a process of its own, on a made-up census of 30,000 rows, so that
other work on the machine matters little. First runs begin with an empty folder for kernels (``NUMBA_CACHE_DIR``).
``SFUMATO_AHEAD=0`` leaves out kernels compiled ahead, as wheels bring them along: compiling them takes two minutes.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.environments import keeping_bytecode
from benchmarks.measure import Result
from sfumato import datasets
from sfumato.common.numba import shipped
from sfumato.io import write_table

ROWS, REPEATS = 30_000, 3
AHEAD = os.environ.get("SFUMATO_AHEAD", "1") != "0"
QIS = ["age", "gender", "education", "marital_status", "race", "work_class", "country"]
REQUESTS = {
    "k": ["-k", "10"],
    "k and l": ["-k", "10", "-l", "3"],
    "best, 2 s": ["-k", "10", "--method", "best", "--set", "time_limit=2"],
}
SHIP = Path(__file__).parents[1] / "tools" / "ship_kernels.py"


def run() -> Iterator[Result]:
    if shipped.FOLDER.is_dir():
        raise SystemExit(f"Remove {shipped.FOLDER} first: what is compiled ahead is measured by itself.")
    with tempfile.TemporaryDirectory(prefix="sfumato-bench-") as name:
        folder = Path(name)
        write_table(datasets.census(rows=ROWS, seed=1).table, folder / "people.csv")
        imports = min(seconds(folder, ["-c", "import pyarrow, numba"]) for _ in range(REPEATS))
        yield from compared(folder, imports, "compiled when first used", None)
        if AHEAD:
            subprocess.run([sys.executable, SHIP], check=True, capture_output=True)
            try:
                yield from compared(folder, imports, "compiled ahead", 2.0)
            finally:
                shutil.rmtree(shipped.FOLDER, ignore_errors=True)


def compared(folder: Path, imports: float, how: str, limit: float | None) -> Iterator[Result]:
    """Compare the first run of every request with the next."""
    for name, words in REQUESTS.items():
        shutil.rmtree(folder / "kernels", ignore_errors=True)
        (folder / "kernels").mkdir()
        first = seconds(folder, command(folder, words))
        warm = min(seconds(folder, command(folder, words)) for _ in range(REPEATS))
        note = f"{first:.2f} s and {warm:.2f} s; imports alone {imports:.2f} s"
        yield Result(f"{name}, {how}: first run / next", first / warm, limit, note=note)
        yield Result(f"{name}, {how}: next / import pyarrow, numba", warm / imports)


def command(folder: Path, words: list[str]) -> list[str]:
    columns = [word for name in QIS for word in ("--qi", name)]
    output = ["-o", str(folder / "release.csv"), "--rest", "drop", "--sensitive", "occupation", "--seed", "1", "-q"]
    return ["-m", "sfumato", "anonymize", str(folder / "people.csv"), *columns, *output, *words]


def seconds(folder: Path, words: list[str]) -> float:
    """The processor seconds of a Python that stores compiled sources and kernels."""
    kept = {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "NUMBA_CACHE_DIR": str(folder / "kernels")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], env=keeping_bytecode() | kept, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
