"""Interrupts and readers that go away: nothing half done stays, and nobody sees a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import ROLES, run

import sfumato as sf

# The release is half written when the writer waits, for as long as the test needs.
WAITING = """
import sys, time
from sfumato.io import csv

chunks = csv.csv_chunks

def waiting(*arguments):
    for chunk in chunks(*arguments):
        yield bytes(chunk)[:50]
        print("half", flush=True)
        time.sleep(120)

csv.csv_chunks = waiting
from sfumato.cli import main
sys.argv = ["sfumato", *sys.argv[1:]]
main()
"""

COMMAND = ("anonymize", "patients.csv", "-o", "release.csv", *ROLES, "-k", "5", "--manifest", "manifest.json")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_half_way_leaves_no_file_behind(number: signal.Signals, code: int, folder: Path) -> None:
    Path("release.csv").write_text("the release of last year\n", encoding="utf-8")
    command = [sys.executable, "-c", WAITING, *COMMAND, "--force", "release.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        begun = {path.name for path in folder.iterdir()} - {"patients.csv", "release.csv"}
        process.send_signal(number)
        _, talk = process.communicate(timeout=300)
    assert len(begun) == 1, "the test is about a file that is half written"
    assert process.returncode == code
    assert "Traceback" not in talk
    assert sorted(path.name for path in folder.iterdir()) == ["patients.csv", "release.csv"]
    assert Path("release.csv").read_text(encoding="utf-8") == "the release of last year\n"


def test_an_interrupt_says_what_became_of_the_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sf.Policy, "run", interrupted)
    done = run(*COMMAND)
    assert (done.code, done.stdout) == (130, "")
    assert done.stderr == "\nInterrupted. No half-written file is left behind.\n"


def test_an_interrupt_while_starting_is_quiet() -> None:
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from sfumato.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def test_a_reader_that_goes_away_does_no_harm(folder: Path) -> None:
    command = [sys.executable, "-m", "sfumato", "check", "patients.csv", "--qi", "zip", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        talk = process.stderr.read()
        assert process.wait(timeout=300) == 0
    assert talk == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_answer_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "sfumato", "methods"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr == "Error: The answer cannot be written to stdout: No space left on device.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that can close stdout is needed")
def test_closed_streams_do_no_harm(folder: Path) -> None:
    command = f"{sys.executable} -m sfumato check patients.csv --qi zip -q"
    done = subprocess.run(["sh", "-c", f"{command} >&-"], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert subprocess.run(["sh", "-c", f"{command} >&- 2>&-"], check=False).returncode == 0
