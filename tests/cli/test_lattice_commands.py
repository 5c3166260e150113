"""Full-domain methods from the command line: alternatives, explanations, SQL."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pytest
from tests.cli.command import RUNNER

from sfumato.cli.app import app

ROLES = ["--qi", "age", "--qi", "zip", "--rest", "drop", "--hierarchy", "age=numeric:5,10", "--hierarchy", "zip=prefix"]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [(20 + at % 17, f"537{at % 3}{at % 2}") for at in range(60)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("age", "zip"), *rows])
    return path


def run(*arguments: str, code: int = 0):
    result = RUNNER.invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result


def test_alternatives_are_written_beside_the_release(people: Path, tmp_path: Path) -> None:
    output, answers = tmp_path / "safe.csv", tmp_path / "all.csv"
    run(
        *("anonymize", str(people), "-o", str(output), *ROLES, "-k", "4"),
        *("--method", "incognito", "--minimize", "dm", "--alternatives", str(answers), "--quiet"),
    )
    with answers.open() as file:
        rows = list(csv.DictReader(file))
    released = [row for row in rows if row["released"] == "true"]
    assert len(released) == 1
    assert float(released[0]["dm"]) == min(float(row["dm"]) for row in rows)
    assert output.exists()


def test_alternatives_need_a_method_that_has_them(people: Path, tmp_path: Path) -> None:
    result = run(
        *("anonymize", str(people), "-o", str(tmp_path / "safe.csv"), *ROLES, "-k", "4"),
        *("--method", "mondrian", "--alternatives", str(tmp_path / "all.csv")),
        code=2,
    )
    assert "does not choose levels" in result.stderr
    assert not (tmp_path / "safe.csv").exists()


def test_explain_says_what_binds_and_what_a_step_costs(people: Path) -> None:
    text = run("explain", str(people), *ROLES, "-k", "4").stdout
    assert text.startswith("Released: age ")
    assert "What binds most is" in text
    assert "one level finer" in text
    record = json.loads(run("explain", str(people), *ROLES, "-k", "4", "--json").stdout)
    assert set(record["levels"]) == {"age", "zip"}
    assert "\n".join(record["explanation"]) == text.rstrip("\n")


def test_sql_prints_a_script_that_makes_the_release(people: Path) -> None:
    result = run("sql", str(people), *ROLES, "-k", "4", "--release", "safe", "--as", "table")
    with duckdb.connect() as connection:
        connection.execute(result.stdout)
        smallest = connection.sql("SELECT MIN(n) FROM (SELECT COUNT(*) AS n FROM safe GROUP BY age, zip)").fetchall()[0]
        rows = connection.sql("SELECT COUNT(*) FROM safe").fetchall()[0]
    assert smallest[0] >= 4
    assert rows == (60,)


def test_sql_makes_the_release_in_a_database(people: Path, tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{people}', types={{'zip': 'VARCHAR'}})")
    run("sql", str(path), "--table", "people", *ROLES, "-k", "4", "--release", "safe", "--create")
    with duckdb.connect(str(path)) as connection:
        assert connection.sql("SELECT COUNT(*) FROM safe").fetchall()[0] == (60,)


def test_sql_makes_nothing_where_nothing_would_stay(people: Path) -> None:
    result = run("sql", str(people), *ROLES, "-k", "4", "--create", code=2)
    assert "needs a database" in result.stderr
    assert not result.stdout


def test_sql_refuses_what_only_a_table_in_memory_gets(people: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    run(
        *("anonymize", str(people), "-o", str(tmp_path / "safe.csv"), *ROLES, "-k", "4", "--method", "lattice"),
        *("--missing", "suppress", "--save-policy", str(policy), "--quiet"),
    )
    assert "'missing' is 'suppress'" in run("sql", str(people), "--policy", str(policy), code=2).stderr


def test_sql_of_a_server_needs_a_table() -> None:
    assert "--table" in run("sql", "postgresql://nobody@nowhere/nothing", *ROLES, "-k", "4", code=2).stderr
