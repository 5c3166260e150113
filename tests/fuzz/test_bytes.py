"""Damaged files of every format: a result or an error of ours, never a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_damaged_files_bring_nothing_down(tmp_path: Path, repository: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(repository), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.flipping", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=repository,
    )
    last = (tmp_path / "last.name").read_text() if (tmp_path / "last.name").exists() else "nothing"
    assert done.returncode == 0, f"{last}: {(tmp_path / 'last').read_bytes()!r}\n{done.stderr[-3000:]}"
    tried, refused = map(int, done.stdout.split())
    assert tried > refused > 0
