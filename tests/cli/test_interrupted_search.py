"""Ctrl-C while EnumMulti searches: the best so far is verified and written; whoever presses it again means it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato as sf

# The third look at the clock is when somebody presses Ctrl-C, so many times.
PRESSING = """
import os, signal, sys
from sfumato.methods.enumeration.search_limits import SearchLimits

tell, looks, times = SearchLimits.tell, [], int(sys.argv.pop(1))

def pressed(self, *arguments):
    tell(self, *arguments)
    looks.append(arguments)
    if len(looks) == 3:
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)

SearchLimits.tell = pressed
signal.signal(signal.SIGINT, signal.default_int_handler)
from sfumato.cli import main
sys.argv = ["sfumato", *sys.argv[1:]]
main()
"""

QI = ("age", "education", "marital_status", "work_class", "country", "salary_class")


def press(times: int) -> subprocess.CompletedProcess[str]:
    sf.datasets.census(500, seed=1).write(".", "csv")
    asked = ["-k", "20", "--method", "enum-multi", "--set", "splits=8", "--set", "time_limit=600"]
    roles = [part for name in QI for part in ("--qi", name)]
    command = ["anonymize", "census.csv", "-o", "release.csv", *roles, "--rest", "drop", *asked, "--manifest", "m.json"]
    return subprocess.run(
        [sys.executable, "-c", PRESSING, str(times), *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_once_writes_the_best_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = press(1)
    assert done.returncode == 0, done.stderr
    assert "interrupted)" in " ".join(done.stderr.split())
    told = json.loads(Path("m.json").read_text(encoding="utf-8"))["method"]["optimality"]
    assert told["ended"] == "interrupt"
    assert told["bound"] < told["cost"] <= told["greedy"]
    found = sf.check("release.csv", quasi_identifiers=QI, k=20)
    assert (found.ok, found.rows) == (True, 500)


def test_twice_ends_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = press(2)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("release.csv").exists()
    assert not Path("m.json").exists()
