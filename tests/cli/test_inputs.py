"""Every command reads what ``anonymize`` reads: stdin, encodings, workbooks, databases; and tells what it guessed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest
from tests.cli.command import refused, run

HEADER = ["age", "city", "illness"]
ROWS = [[30 + row % 7, ["Malmö", "Genève"][row % 2], ["flu", "cold", "acne"][row % 3]] for row in range(60)]
QI = ("--qi", "age", "--qi", "city")
CSV = "\n".join(";".join(map(str, row)) for row in [HEADER, *ROWS]) + "\n"


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, list[str]]:
    """The same table in three places, as a command is told to read it."""
    (tmp_path / "old.csv").write_bytes(CSV.encode("latin-1"))
    book = openpyxl.Workbook()
    book.active.append(["nothing"])
    sheet = book.create_sheet("2024")
    for row in [HEADER, *ROWS]:
        sheet.append(row)
    book.save(tmp_path / "clinic.xlsx")
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as database, database:
        database.execute("CREATE TABLE patients (age, city, illness)")
        database.executemany("INSERT INTO patients VALUES (?, ?, ?)", ROWS)
        database.execute("CREATE TABLE staff (name)")
    return {
        "latin-1": [str(tmp_path / "old.csv"), "--encoding", "latin-1", "--sep", ";"],
        "workbook": [str(tmp_path / "clinic.xlsx"), "--sheet", "2024"],
        "sqlite": [str(tmp_path / "clinic.db"), "--table", "patients"],
    }


@pytest.mark.parametrize("kind", ["latin-1", "workbook", "sqlite"])
def test_every_command_reads_them(inputs: dict[str, list[str]], kind: str, tmp_path: Path) -> None:
    place, *how = inputs[kind]
    out = tmp_path / "out.csv"
    common = (*how, *QI, "--sensitive", "illness")
    done = run("anonymize", place, "-o", out, *common, "-k", 3, "--method", "mondrian")
    assert (done.code, done.exception) == (0, None), done.stderr
    assert "Genève" in out.read_text(encoding="utf-8")
    assert "60 rows" in run("check", place, *common).stdout
    risk = run("risk", place, *common)
    assert (risk.code, "60" in risk.stdout) == (0, True), risk.stderr
    attack = run("attack", place, out, *common, "-k", 3, "--targets", 20)
    assert attack.code == 0, attack.stderr
    assert run("utility", place, out, *common).code == 0
    assert run("hierarchy", place, "age=numeric:5,10", *how, "-o", tmp_path / "age.csv").code == 0
    assert run("explain", place, *how, *QI, "--rest", "drop", "-k", 3, "--method", "mondrian").code == 0


def test_what_was_guessed_is_told_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes(CSV.encode("latin-1"))
    done = run("risk", tmp_path / "old.csv", *QI)
    said = " ".join(done.stderr.split())
    assert "Note: The file is not in UTF-8; it is read as cp1252." in said
    assert "separated by ';'" in said
    assert "cp1252" not in done.stdout
    assert "it is read as cp1252" in " ".join(run("check", tmp_path / "old.csv", *QI, "-k", 1).stdout.split())


def test_a_sheet_that_is_not_named_is_asked_for(inputs: dict[str, list[str]]) -> None:
    place = inputs["workbook"][0]
    for command in ("risk", "check"):
        assert "Choose one (sheet='Sheet'" in refused(3, command, place, *QI)


def test_a_policy_says_how_to_read(inputs: dict[str, list[str]], tmp_path: Path) -> None:
    place, *how = inputs["workbook"]
    policy = tmp_path / "policy.toml"
    asked = (*QI, "--sensitive", "illness", "-k", 3, "--method", "mondrian", "--save-policy", policy)
    assert run("anonymize", place, "-o", tmp_path / "a.csv", *how, *asked).code == 0
    assert 'sheet = "2024"' in policy.read_text()
    assert run("risk", place, "--policy", policy).code == 0
    assert run("anonymize", place, "-o", tmp_path / "b.csv", "--policy", policy).code == 0


def test_stdin_in_any_format(inputs: dict[str, list[str]]) -> None:
    workbook = Path(inputs["workbook"][0]).read_bytes()
    command = [sys.executable, "-m", "sfumato", "risk", "-", "--from", "xlsx", "--sheet", "2024", *QI, "--json"]
    done = subprocess.run(command, input=workbook, capture_output=True, check=True)
    assert b'"people": 60' in done.stdout


def test_shells_complete_commands_and_options() -> None:
    program = "import sys; sys.argv = ['sfumato']; from sfumato.cli import main; main()"

    def completed(words: str) -> list[str]:
        asked = {"_SFUMATO_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, **asked}, capture_output=True, text=True, check=False
        )
        return done.stdout.split()

    assert completed("sfumato ano") == ["anonymize"]
    assert "--sensitive" in completed("sfumato anonymize --sen")
