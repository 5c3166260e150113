"""``sfumato risk``: the risk of a table in words and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import refused, run

PEOPLE = """patient,age,sex,weight,disease
1,34,F,10,flu
1,34,F,10,flu
2,34,F,12,flu
3,51,M,8,ulcer
4,52,M,8,flu
"""
KNOWN = ("--qi", "age", "--qi", "sex")


@pytest.fixture
def table(folder: Path) -> str:
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    return "people.csv"


def test_it_says_in_words_what_the_figures_mean(table: str) -> None:
    done = run("risk", table, *KNOWN, "--sensitive", "disease", "--drivers", "--uniques", 2, "--threshold", 0.6)
    assert (done.code, done.stderr) == (0, "")
    assert "5 people in 3 classes by 'age', 'sex'" in done.stdout
    assert "2 people (40.0%) look like nobody else" in done.stdout
    assert "above 0.6" in done.stdout
    assert "coarsen 'age' first" in done.stdout
    assert "2 people are unique by at most 2 columns" in done.stdout


def test_people_are_counted_where_they_have_several_rows(table: str) -> None:
    done = run("risk", table, *KNOWN, "--person", "patient", "--json")
    found = json.loads(done.stdout)
    assert (found["people"], found["rows"], found["prosecutor"]["unique"]) == (4, 5, 2)
    assert found["prosecutor"]["mean"] == 0.75


def test_a_population_is_a_number_a_share_or_a_file(table: str) -> None:
    for population in ("100", "0.05"):
        done = run("risk", table, *KNOWN, "--population", population, "--json")
        assert json.loads(done.stdout)["population"]["size"] == 100
    done = run("risk", table, *KNOWN, "--population", table, "--weights", "weight", "--json")
    assert json.loads(done.stdout)["journalist_by"] == "the table of the population"


def test_programs_get_drivers_and_uniques_on_request(table: str) -> None:
    found = json.loads(run("risk", table, *KNOWN, "--drivers", "--uniques", 1, "--json").stdout)
    assert found["drivers"]["without"][0]["column"] == "age"
    assert found["special_uniques"]["by_size"] == {"1": 2}


def test_without_columns_it_says_how_to_name_them(table: str) -> None:
    assert "--qi COLUMN" in refused(2, "risk", table)


def test_risk_of_a_release_counts_rows_where_its_policy_counts_people(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("age,sex\n" + '"[30, 39]",F\n' * 4, encoding="utf-8")
    policy = 'person = "patient"\nquasi_identifiers = ["age"]\n'
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    found = run("risk", str(tmp_path / "release.csv"), "--policy", str(tmp_path / "policy.toml"))
    assert found.code == 0, found.stderr
    assert "counts people by 'patient', which this file does not show" in " ".join(found.stderr.split())
