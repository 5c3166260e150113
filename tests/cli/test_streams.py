"""Streams that whoever started the command has closed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import ROLES


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_reason_to_fail(folder: Path, closed: str) -> None:
    roles = " ".join(ROLES)
    command = (
        f"'{sys.executable}' -m sfumato anonymize patients.csv -o release.csv {roles} -k 5 --method mondrian {closed}"
    )
    assert subprocess.run(["sh", "-c", command], check=False, timeout=300).returncode == 0
    lines = Path("release.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "age,zip,disease"
    assert len(lines) == 201


def piped(content: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "sfumato", *arguments], input=content, capture_output=True, check=False, timeout=300
    )


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_from_stdin_to_stdout(folder: Path, form: str) -> None:
    content = Path("patients.csv").read_bytes()
    done = piped(content, "anonymize", "-", "-o", "-", "--to", form, *ROLES, "-k", "5", "--method", "mondrian")
    assert done.returncode == 0, done.stderr
    assert b"verified" in done.stderr
    again = piped(done.stdout, "check", "-", "--from", form, "--qi", "age,zip", "-k", "5")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith(b"Verified: 200 rows")
    assert [path.name for path in folder.iterdir()] == ["patients.csv"]


def test_nothing_goes_to_stdout_if_something_is_wrong(folder: Path) -> None:
    done = piped(b"age,age\n1,2\n", "anonymize", "-", "-o", "-", "--qi", "age", "-k", "2")
    assert (done.returncode, done.stdout) == (2, b"")
    done = piped(b"", "check", "-", "--qi", "age", "-k", "2")
    assert done.returncode == 3
    assert b"'stdin' is empty" in done.stderr
    done = piped(b"age\n1\n1\n", "anonymize", "-", "-o", "-", "--qi", "age", "-k", "2", "--json")
    assert (done.returncode, done.stdout) == (2, b"")
