"""The recipes around ``sfumato check``: several files at once, the hook for pre-commit, the test for dbt."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from tests.cli.command import run

from sfumato.cli import hook

SAFE = "age,city\n" + "30-39,Bonn\n" * 3 + "40-49,\n" * 3
UNSAFE = SAFE + "50-59,Bonn\n"
OPTIONS = ("--qi", "age,city", "-k", "3")


def test_the_worst_verdict_counts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name, text in (("safe.csv", SAFE), ("unsafe.csv", UNSAFE)):
        (tmp_path / name).write_text(text)
    safe, unsafe = str(tmp_path / "safe.csv"), str(tmp_path / "unsafe.csv")
    assert hook.main([*OPTIONS, "--", safe, safe]) == 0
    assert capfd.readouterr() == ("", "")
    assert hook.main([*OPTIONS, "--", safe, unsafe]) == 1
    said = capfd.readouterr().err
    assert said.startswith(unsafe)
    assert "k-anonymity k=3" in said
    assert hook.main([*OPTIONS, "--"]) == 0
    assert hook.main([*OPTIONS, safe]) == 2
    assert "then --, then the files" in capfd.readouterr().err


def test_the_hook_for_pre_commit_runs_as_it_is_declared(repository: Path, tmp_path: Path) -> None:
    text = (repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    declared = dict(re.findall(r"^[- ] (\w+): (.+)$", text, re.MULTILINE))
    assert (declared["id"], declared["language"]) == ("sfumato-check", "python")
    (tmp_path / "policy.toml").write_text(
        'quasi_identifiers = ["age", "city"]\n\n[[privacy]]\nmodel = "k-anonymity"\nk = 3\n'
    )
    program, *rest = shlex.split(declared["entry"])
    arguments = [word.strip() for word in declared["args"].strip("[]").split(",")]
    assert program == "python"
    for content, code in ((SAFE, 0), (UNSAFE, 1)):
        (tmp_path / "release.csv").write_text(content)
        assert re.search(declared["files"], "release.csv")
        command = [sys.executable, *rest, *arguments, "release.csv"]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == code


def test_the_test_for_dbt_finds_the_classes_that_check_finds(repository: Path, tmp_path: Path) -> None:
    macro = (repository / "docs/how-to/dbt_k_anonymous.sql").read_text(encoding="utf-8")
    body = re.sub(r"\{%.*?%\}", "", macro)
    for name, value in (("columns | join(', ')", "age, city"), ("model", "release"), ("k", "3")):
        body = body.replace("{{ " + name + " }}", value)
    for content, broken in ((SAFE, 0), (UNSAFE, 1)):
        (tmp_path / "release.csv").write_text(content)
        lines = [line.rsplit(",", 1) for line in content.splitlines()[1:]]
        release = pa.table({"age": [line[0] for line in lines], "city": [line[1] or None for line in lines]})
        assert release.num_rows == len(lines)
        assert len(duckdb.sql(body).fetchall()) == broken
        assert run("check", tmp_path / "release.csv", *OPTIONS).code == broken
