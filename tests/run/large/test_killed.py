"""A run of an engine that is killed or interrupted: nothing is published, and nothing personal stays for long."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.datasets import census

# The release lies in the temporary folder and is about to be written when the run waits, for as long as the test needs.
WAITING = """
import sys, time
from sfumato.run.large import release

def waiting(*arguments):
    print("now", flush=True)
    time.sleep(120)

release.write_stream = waiting
from sfumato.cli import main
sys.argv = ["sfumato", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize(
    ("number", "left"), [(signal.SIGKILL, 1), (signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0)]
)
def test_a_run_that_is_killed_publishes_nothing(number: signal.Signals, left: int, tmp_path: Path) -> None:
    pq.write_table(census(500, seed=1).table.select(["age", "gender", "occupation"]), tmp_path / "people.parquet")
    temporary, output = tmp_path / "temporary", tmp_path / "out"
    temporary.mkdir()
    output.mkdir()
    roles = ("--qi", "age", "--qi", "gender", "--sensitive", "occupation", "-k", "5")
    where = ("-o", output / "release.csv", "--engine", "duckdb", "--temporary", temporary)
    command = [sys.executable, "-c", WAITING, "anonymize", tmp_path / "people.parquet", *roles, *where]
    with subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        folders = list(temporary.iterdir())
        process.send_signal(number)
        _, talk = process.communicate(timeout=60)
    assert "Traceback" not in talk
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders if folder.exists()] == [0o700] * left
    assert [path.name for path in output.iterdir() if not path.name.startswith(".sfumato-")] == []
    done = run("clean", "--temporary", temporary)
    assert done.stdout.startswith(f"Removed {left} temporary folder")
    assert list(temporary.iterdir()) == []


def test_a_disk_that_is_too_small_is_found_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100))
    table = census(500, seed=1).table.select(["age", "gender"])
    with pytest.raises(sf.SfumatoError, match="Temporary files will take about"):
        sf.anonymize(table, quasi_identifiers=["age", "gender"], k=5, engine="duckdb", temporary=tmp_path)
    assert list(tmp_path.iterdir()) == []
