"""``sfumato attack``: a table of attacks; the exit code says whether the promises hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import refused, run

ORIGINAL = "age,sex,ill\n" + "".join(
    f"{20 + at},{'FM'[at % 2]},{['flu', 'ulcer', 'gout'][at % 3]}\n" for at in range(30)
)
RELEASE = "age,sex,ill\n" + "".join(
    f'"[{20 + at // 5 * 5}, {24 + at // 5 * 5}]",*,{["flu", "ulcer", "gout"][at % 3]}\n' for at in range(30)
)
KNOWN = ("--qi", "age", "--qi", "sex", "--sensitive", "ill", "--seed", 1)


@pytest.fixture
def files(folder: Path) -> tuple[str, str]:
    Path("original.csv").write_text(ORIGINAL, encoding="utf-8")
    Path("release.csv").write_text(RELEASE, encoding="utf-8")
    return "original.csv", "release.csv"


def test_a_release_that_keeps_its_promise_ends_well(files: tuple[str, str]) -> None:
    done = run("attack", *files, *KNOWN, "-k", 5, "--attack", "linkage", "--attack", "row order")
    assert (done.code, done.stderr) == (0, "")
    assert "30 of 30 rows attacked, each as a person of its own" in done.stdout
    assert "WITHIN THE PROMISE: " in done.stdout
    assert "guessing 3.3%, promised at most 20.0%" in done.stdout
    assert "flu" not in done.stdout


def test_a_broken_promise_is_the_exit_code(files: tuple[str, str]) -> None:
    done = run("attack", "original.csv", "original.csv", *KNOWN, "-k", 5, "--attack", "linkage", "--show", 2, "--json")
    found = json.loads(done.stdout)
    assert (done.code, found["ok"], found["attacks"][0]["rate"]) == (1, False, 1.0)
    assert len(found["found"]) == 2


def test_an_unknown_attack_is_refused(files: tuple[str, str]) -> None:
    assert "linkage" in refused(2, "attack", *files, *KNOWN, "--attack", "magic")
    assert "--qi COLUMN" in refused(2, "attack", *files)
