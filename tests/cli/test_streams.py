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
