"""Runs that are killed at random moments: no half file under a final name, nothing wider than it should be."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from tests.fuzz.duration import rounds

import sfumato as sf

ENDINGS = ("csv", "parquet", "jsonl")


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A program that makes a release and writes it again and again, as fast as it can."""
    folder = tmp_path_factory.mktemp("program")
    program = folder / "writer.py"
    program.write_text(
        "import os, sys\n"
        "import pyarrow as pa, sfumato as sf\n"
        "os.umask(0)\n"
        "table = pa.table({'age': [30 + i % 50 for i in range(20_000)], 's': ['abcd'[i % 4] for i in range(20_000)]})\n"
        "release = sf.anonymize(table, quasi_identifiers='age', sensitive='s', k=5, method='mondrian', seed=1)\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for ending in ('csv', 'parquet', 'jsonl'):\n"
        "        release.write(f'release.{ending}', manifest='manifest.json')\n",
        encoding="utf-8",
    )
    return str(program)


def test_killed_runs_leave_nothing_half_done(tmp_path: Path, writer: str) -> None:
    kills = 0
    for rng in rounds(1.5):
        with subprocess.Popen([sys.executable, writer], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.random() * 0.4)
            process.send_signal(signal.SIGKILL)
        kills += 1
        look_at(tmp_path)
    assert kills
    people = pa.table({"age": [30, 31, 40, 41]})
    sf.anonymize(people, quasi_identifiers="age", k=2, method="mondrian").write(tmp_path / "next.csv")
    names = {path.name for path in tmp_path.iterdir()}
    assert names <= {"next.csv", "manifest.json", *(f"release.{ending}" for ending in ENDINGS)}


def look_at(folder: Path) -> None:
    for path in folder.iterdir():
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if path.name.startswith(".") or path.name == "manifest.json":
            assert mode == 0o600, path
        else:
            assert sf.check(path, quasi_identifiers="age", sensitive="s", k=5).rows == 20_000
