"""Install a wheel into an empty environment and compare its first run with the next ones: ``make try-dist``.

With kernels compiled ahead the first may take twice as long as the next; without them it compiles for many seconds.
Seconds are those of processors, so that other work on the machine matters little.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

#: How much longer than the next the first run may take, and how many of the next are looked at.
MOST, REPEATS = 2.0, 3

TABLE = """
import sfumato as sf
from sfumato.io import write_table
write_table(sf.datasets.census(rows=30_000, seed=1).table, "people.csv")
"""
COMMAND = [
    *("anonymize", "people.csv", "-o", "release.csv", "--qi", "age,gender,education,marital_status,race,work_class"),
    *("--qi", "country", "--rest", "drop", "--sensitive", "occupation", "-k", "10", "-q"),
]


def main() -> None:
    """Try the wheel that is named, or the one with kernels in ``dist/``."""
    wheel = Path(sys.argv[1]) if sys.argv[1:] else next(Path("dist").glob("*-cp*.whl"))
    with tempfile.TemporaryDirectory(prefix="sfumato-wheel-") as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([programs / "python", "-m", "pip", "install", "-q", wheel.resolve()], check=True)
        seconds(folder, [programs / "python", "-c", TABLE])  # also keeps the bytecode of what all runs import
        seconds(folder, [programs / "sfumato", "anonymize", "--help"])
        first = seconds(folder, [programs / "sfumato", *COMMAND])
        later = min(seconds(folder, [programs / "sfumato", *COMMAND]) for _ in range(REPEATS))
    print(f"{wheel.name}: first run {first:.2f} s, next {later:.2f} s of processor time, {first / later:.2f} x")
    sys.exit(first > MOST * later)


def seconds(folder: Path, words: list[str | Path]) -> float:
    """The processor seconds of a command that runs in isolation from this environment."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE", "NUMBA_CACHE_DIR")
    plain = {name: value for name, value in os.environ.items() if name not in hidden}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, env=plain, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
