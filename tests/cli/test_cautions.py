"""Guardrails on the command line: what is said, what stops a release, and lists of columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import refused, run

import sfumato as sf

ASK = ("anonymize", "visits.csv", "-o", "release.csv", "-k", 5)
ROLES = ("--qi", "age,occupation,seen", "--sensitive", "illness", "--identifiers", "patient", "--rest", "drop")


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [",patient,age,occupation,seen,illness,receipt"]
    for row in range(120):
        age = "?" if row % 40 == 0 else 20 + row % 30
        seen = f"{row % 12 + 1}/{row % 28 + 1}/2024"
        lines.append(f"{row},p{row // 3},{age},{100 + row % 7},{seen},{'flu' if row % 5 else 'acne'},r{row}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def codes(stderr: str) -> set[str]:
    return {line.split()[1].rstrip(":") for line in stderr.splitlines() if line.startswith(("warning ", "note "))}


def test_cautions_are_told_on_stderr_and_in_json(visits: Path) -> None:
    done = run(*ASK, *ROLES, "--json")
    assert done.code == 0
    assert codes(done.stderr) >= {"code-as-number", "missing-codes", "reading", "row-numbers"}
    told = json.loads(done.stdout)
    assert told["cautions"] == told["manifest"]["cautions"]
    assert {caution["code"] for caution in told["cautions"]} == codes(done.stderr)


def test_what_cautions_advise_helps(visits: Path) -> None:
    declared = ("--hierarchy", "occupation=categorical", "--hierarchy", "seen=dates:%m/%d/%Y", "--na", "?,-")
    done = run(*ASK, *ROLES, *declared)
    assert done.code == 0
    assert not codes(done.stderr) & {"code-as-number", "missing-codes", "dates-as-text"}
    assert "age (number), occupation (category), seen (date)" in done.stderr


def test_levels_and_a_form_of_dates_go_together(visits: Path) -> None:
    done = run(*ASK, *ROLES, "--hierarchy", "seen=dates:month,year:%m/%d/%Y", "--save-policy", "saved.toml")
    assert done.code == 0, done.stderr
    assert sf.Policy.read("saved.toml").schema.quasi_identifiers["seen"] == sf.Dates(("month", "year"), "%m/%d/%Y")


def test_strict_writes_nothing_and_says_what_to_confirm(visits: Path) -> None:
    message = refused(5, *ASK, *ROLES, "--strict")
    assert "code-as-number" in message
    assert "--confirm occupation" in message
    assert not Path("release.csv").exists()


def test_what_is_confirmed_is_written_and_saved(visits: Path) -> None:
    names = [part for name in ("age", "occupation", "seen", "illness", "patient") for part in ("--confirm", name)]
    done = run(*ASK, *ROLES, "--strict", *names, "--save-policy", "saved.toml")
    assert done.code == 0, done.stderr
    policy = sf.Policy.read("saved.toml")
    assert (policy.strict, policy.confirm) == (True, ("age", "occupation", "seen", "illness", "patient"))
    assert run("anonymize", "visits.csv", "-o", "again.csv", "--policy", "saved.toml").code == 0


def test_a_plain_column_that_is_as_good_as_a_name_is_refused(visits: Path) -> None:
    message = refused(5, *ASK, *ROLES, "--plain", "receipt")
    assert "near-unique" in message
    assert run(*ASK, *ROLES, "--plain", "receipt", "--confirm", "receipt").code == 0


def test_codes_of_one_column_leave_others_alone(visits: Path) -> None:
    done = run(*ASK, *ROLES, "--na", "age=?", "--na", "occupation=106,105", "--save-policy", "saved.toml")
    assert done.code == 0, done.stderr
    assert sf.Policy.read("saved.toml").na == {"age": ("?",), "occupation": ("106", "105")}
    assert "'na' names 'aje'" in refused(2, *ASK, *ROLES, "--na", "aje=?", "--force", "release.csv")


@pytest.mark.parametrize("listed", [("--qi", "a,b", "--qi", "c,d"), ("--qi", "a,b,c,d")])
def test_a_name_with_a_comma_is_found_before_it_is_split(tmp_path: Path, monkeypatch, listed) -> None:
    monkeypatch.chdir(tmp_path)
    header = '"a,b",c,d' if len(listed) == 4 else "a,b,c,d"
    row = "1,2,3" if len(listed) == 4 else "1,2,3,4"
    Path("table.csv").write_text("\n".join([header, *[row] * 4]) + "\n", encoding="utf-8")
    done = run("anonymize", "table.csv", "-o", "release.csv", *listed, "-k", 2, "--method", "mondrian")
    assert done.code == 0, done.stderr
    assert Path("release.csv").read_text(encoding="utf-8").startswith(header)
    assert run("check", "release.csv", *listed, "-k", 2).code == 0
