"""``sfumato utility`` and ``sfumato compare``: the same as in Python, as text, for programs, and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import refused, run

import sfumato as sf

ROLES = ("--qi", "age", "--qi", "zip", "--sensitive", "disease")
NAMED = (*ROLES, "--identifiers", "name", "--seed", 1)
COMPARED = ("compare", "patients.csv", *NAMED, "--method", "mondrian,hilbert")
POLICY = """
sensitive = ["disease"]
identifiers = ["name"]
[quasi_identifiers]
age = {}
zip = {}
[[privacy]]
model = "k-anonymity"
k = 50
[[privacy]]
model = "l-diversity"
l = 2
"""


@pytest.fixture
def released(folder: Path) -> Path:
    done = run("anonymize", "patients.csv", "-o", "out.csv", *NAMED, "-k", 5, "--method", "mondrian")
    assert done.code == 0, done.stderr
    return folder / "out.csv"


def test_utility_says_what_python_says(released: Path) -> None:
    roles = {"quasi_identifiers": ["age", "zip"], "label": "disease"}
    found = sf.utility(Path("patients.csv"), released, **roles, seed=1)
    done = run("utility", "patients.csv", released, *ROLES, "--seed", 1, "--json")
    assert done.code == 0, done.stderr
    answered = json.loads(done.stdout)
    assert answered.pop("notes") == list(found.notes)
    assert answered == json.loads(json.dumps(found.to_dict()))
    done = run("utility", "patients.csv", released, *ROLES, "--seed", 1)
    assert [line.split()[0] for line in done.stdout.splitlines() if line[:1].strip()] == list(found)


def test_utility_refuses_what_it_cannot_measure(released: Path) -> None:
    assert "--qi" in refused(2, "utility", "patients.csv", released)
    assert "The label 'name'" in refused(2, "utility", "patients.csv", released, *ROLES, "--label", "name")
    assert "nowhere.csv" in refused(3, "utility", "nowhere.csv", released, *ROLES)


def test_compare_says_what_python_says(folder: Path) -> None:
    schema = sf.Schema(["age", "zip"], "disease", "name")
    found = sf.compare(Path("patients.csv"), schema, methods=["mondrian", "hilbert"], k=[2, 5], seed=1)
    done = run(*COMPARED, "-k", "2,5", "--json")
    assert done.code == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert [(cell["method"], cell["k"]) for cell in cells] == [(cell.method, cell.k) for cell in found.cells]
    assert [cell["gcp"] for cell in cells] == [cell.gcp for cell in found.cells]
    done = run(*COMPARED, "-k", "2,9999")
    assert done.code == 0
    assert "k=9,999 is not possible" in done.stdout
    assert done.stdout.splitlines()[0].split()[:2] == ["method", "k"]


def test_compare_keeps_the_other_models_of_a_policy_and_tries_its_own_k(folder: Path) -> None:
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    asked = ("--policy", "policy.toml", "--method", "mondrian", "-k", 2, "--utility", "--json")
    [cell] = json.loads(run("compare", "patients.csv", *asked).stdout)["cells"]
    assert 2 <= cell["achieved"] < 50
    assert cell["l"] >= 2
    assert "query_error" in cell["utility"]


def test_compare_fails_where_nothing_is_possible(folder: Path) -> None:
    done = run(*COMPARED, "-k", 9999)
    assert done.code == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-k", "2,x"), "whole numbers"),
        (("-k", "0"), "'k' parameter"),
        (("--plot", "out.gif"), ".svg, .png or .html"),
        (("--method", "mondrain"), "mondrain"),
        (("--time-limit", "0"), "time_limit"),
    ],
)
def test_compare_refuses_before_the_work(folder: Path, options: tuple[str, ...], said: str) -> None:
    assert said in refused(2, *COMPARED, *options)


def test_compare_draws(folder: Path) -> None:
    pytest.importorskip("altair", reason="drawing needs sfumato[report]")
    for name in ("loss.svg", "loss.png", "loss.html"):
        assert run(*COMPARED, "-k", "2,5", "--plot", name).code == 0
    assert Path("loss.svg").read_text(encoding="utf-8").startswith("<svg")
    assert Path("loss.png").read_bytes().startswith(b"\x89PNG")
    page = Path("loss.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/", "")


def test_after_the_time_limit_what_is_left_out_is_named(folder: Path) -> None:
    people = sf.datasets.census(rows=300, seed=1)
    release = sf.anonymize(people.table, people.schema, k=5, seed=1)
    found = sf.utility(people.table, release, seed=1, time_limit=1e-9)
    assert not len(found)
    assert found.notes[-1].startswith("Not measured, because the time limit ended the work: query_error, divergence")
    whole = sf.utility(people.table, release, seed=1, time_limit=600)
    assert {"query_error", "association"} <= set(whole)
