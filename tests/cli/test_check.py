"""``sfumato check``: the exit code is the verdict, the text says why."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.cli.command import refused, run

import sfumato as sf

TABLE = """age,sex,disease
"[20, 29]",F,flu
"[20, 29]",F,ulcer
"[20, 29]",F,flu
"[30, 39]",M,flu
"[30, 39]",M,flu
*,*,ulcer
"""
ROLES = ("--qi", "age", "--qi", "sex", "--sensitive", "disease")


@pytest.fixture
def table(folder: Path) -> str:
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    return "table.csv"


def test_every_rule_holds(table: str) -> None:
    done = run("check", table, *ROLES, "-k", 1)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Verified: 6 rows in 3 classes\nk-anonymity k=1: holds")


def test_broken_rules_name_their_classes(table: str) -> None:
    done = run("check", table, *ROLES, "-k", 2, "-l", 1.5, "-t", 0.5)
    assert (done.code, done.stderr) == (1, "")
    assert "NOT verified" in done.stdout
    assert (
        "k-anonymity k=2: BROKEN by 1 class, smallest class 1\n  age=*, sex=*: 1 row, found 1 (asked 2)" in done.stdout
    )
    assert "age=[30, 39], sex=M: 2 rows, found 1 (asked 1.5)" in done.stdout
    assert "t-closeness t=0.5 (equal) of 'disease': BROKEN" in done.stdout


def test_without_a_rule_it_says_what_the_table_achieves(table: str) -> None:
    done = run("check", table, *ROLES)
    assert done.code == 0
    assert done.stdout == (
        "6 rows in 3 classes\n\nachieved  k=1\n          disease: l=1 (distinct 1, entropy 1), t=0.6667 (equal)\n"
        "but       Somebody looks like nobody else (k=1): whoever knows their quasi-identifiers finds their row.\n"
        "assumed   others may know age and sex; nobody knows anyone's disease beforehand; "
        "every row is a different person\n"
    )


def test_a_table_without_rows(folder: Path) -> None:
    Path("empty.csv").write_text("age\n", encoding="utf-8")
    done = run("check", "empty.csv", "--qi", "age", "-k", 3)
    assert done.code == 1
    assert "The table has no rows" in done.stdout


def test_json(table: str) -> None:
    done = run("check", table, *ROLES, "-k", 2, "--json")
    assert (done.code, done.stderr) == (1, "")
    told = json.loads(done.stdout)
    assert (told["ok"], told["k"], told["rules"][0]["breaking"]) == (False, 1, 1)


def test_quiet_leaves_the_exit_code(table: str) -> None:
    done = run("check", table, *ROLES, "-k", 2, "--quiet")
    assert (done.code, done.stdout, done.stderr) == (1, "", "")


def test_a_policy_says_what_to_check(table: str) -> None:
    sf.Policy(sf.Schema(["age", "sex"], sensitive="disease", rest="drop"), [sf.KAnonymity(2)]).write("policy.toml")
    assert run("check", table, "--policy", "policy.toml").code == 1
    assert run("check", table, "--policy", "policy.toml", "-k", 1).code == 0


def test_any_model_can_be_checked(table: str) -> None:
    assert run("check", table, *ROLES, "--privacy", "minimum-span:column=age,width=9").code == 0
    assert run("check", table, *ROLES, "--privacy", "minimum-span:column=age,width=10").code == 1


def test_mistakes(table: str) -> None:
    assert "Name the quasi-identifiers with --qi COLUMN or --policy FILE" in refused(2, "check", table, "-k", 2)
    assert "has no column 'pay'" in refused(2, "check", table, "--qi", "pay", "-k", 2)
    assert "There is no file 'no.csv'" in refused(3, "check", "no.csv", "--qi", "age")
    assert "--sensitive disease" in refused(2, "check", table, "--qi", "age", "-l", 2)


@pytest.fixture
def visits(folder: Path) -> tuple[Path, Path, Path]:
    """Visits of people, their release, and its policy."""
    rng = random.Random(5)
    lines = ["who,age,illness"]
    for person in range(80):
        age = rng.randint(20, 60)
        lines += [f"p{person},{age},{rng.choice('abc')}" for _ in range(rng.randint(1, 4))]
    original, release, policy = folder / "visits.csv", folder / "shown.csv", folder / "policy.toml"
    original.write_text("\n".join(lines) + "\n", encoding="utf-8")
    roles = ("--qi", "age", "--sensitive", "illness", "--person", "who")
    done = run("anonymize", original, "-o", release, *roles, "-k", 4, "-l", 1.2, "--save-policy", policy)
    assert done.code == 0, done.stderr
    return original, release, policy


def test_a_release_of_people_with_several_rows_is_checked_as_far_as_its_file_goes(
    visits: tuple[Path, Path, Path],
) -> None:
    original, release, policy = visits
    done = run("check", release, "--policy", policy)
    assert done.code == 6, done
    assert done.stdout.startswith("Partly verified")
    assert "k-anonymity k=4, which people need in rows: holds" in done.stdout
    assert "Not checkable from this file: k-anonymity" in done.stdout
    assert done.stdout.count("it has no column 'who'") == 1  # all promises in one sentence
    assert "--pseudonymize" in done.stdout  # what to do
    broken = run("check", release, "--policy", policy, "-k", 100_000)
    assert broken.code == 1
    assert "BROKEN" in broken.stdout
    whole = run("check", original, "--policy", policy, "-k", 1)  # the original says whose row is whose
    assert "Not checkable" not in whole.stdout
    bare = run("check", release, "--qi", "age", "--person", "who")
    assert bare.code == 6
    assert "Not checkable from this file: what it achieves" in bare.stdout


def test_the_report_of_people_with_several_rows_does_not_claim_proof(visits: tuple[Path, Path, Path]) -> None:
    original, release, policy = visits
    page = release.with_suffix(".html")
    done = run("report", policy, original, release, "-o", page)
    assert done.code == 6, done
    text = page.read_text(encoding="utf-8")
    assert "no promise is broken, but this file alone does not prove all of them" in text
    assert "Do not publish" not in text
    assert "the column of persons" not in text
