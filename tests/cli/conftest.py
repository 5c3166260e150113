"""A folder with a table of patients, which is also the current one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import write_patients


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_patients(tmp_path / "patients.csv")
    return tmp_path
