"""The demo, the list of methods, hierarchy files, help."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import pytest
from tests.cli.command import refused, run

import sfumato as sf
from sfumato.cli.screen import wrapped
from sfumato.common.progress import Progress
from sfumato.methods import DEFAULT, REGISTRY
from sfumato.run.frontier import Frontier


def test_version() -> None:
    assert run("--version").stdout == f"sfumato {sf.__version__}\n"


# Methods


def test_methods_are_listed_with_what_they_guarantee() -> None:
    text = run("methods").stdout
    for name, make in REGISTRY.items():
        assert f"\n{name}" in f"\n{text}"
        assert make().summary.split()[0] in text
    assert f"{DEFAULT} (default)" in text


def test_a_method_is_described_by_its_name() -> None:
    done = run("methods", "mondrian")
    assert (done.code, done.stderr) == (0, "")
    assert "relaxed=false" in done.stdout
    assert "hilbert" not in done.stdout
    assert json.loads(run("methods", "mondrian", "--json").stdout)["parameters"]["relaxed"] is False
    assert "no method called 'nope'" in refused(2, "methods", "nope")


def test_methods_for_programs() -> None:
    listed = {method["name"]: method for method in json.loads(run("methods", "--json").stdout)}
    assert set(listed) == set(REGISTRY)
    assert listed["mondrian-relaxed"]["parameters"]["relaxed"] is True
    assert listed["mondrian"]["order_free"] is True
    assert [name for name, method in listed.items() if method["default"]] == [DEFAULT]


# Hierarchy files


def test_a_hierarchy_is_spelled_out(folder: Path) -> None:
    done = run("hierarchy", "patients.csv", "zip=prefix", "-o", "zip.csv")
    assert (done.code, done.stdout) == (0, "")
    assert "4 values in 6 levels: zip.csv" in done.stderr
    assert Path("zip.csv").read_text(encoding="utf-8").splitlines()[0] == "02138;0213*;021**;02***;0****;*"
    roles = ("--qi", "zip", "--rest", "drop", "--hierarchy", "zip=zip.csv")
    assert run("anonymize", "patients.csv", "-o", "release.csv", *roles, "-k", 5).code == 0


def test_numbers_become_intervals(folder: Path) -> None:
    run("hierarchy", "patients.csv", "age=numeric:5,10", "-o", "age.csv")
    rows = sf.Taxonomy.read("age.csv").rows
    assert ("29", "[25, 29]", "[20, 29]", "*") in rows


def test_a_hierarchy_by_type(folder: Path) -> None:
    run("hierarchy", "patients.csv", "disease", "-o", "disease.csv")
    assert sf.Taxonomy.read("disease.csv").rows[0] == ("angina", "*")


def test_mistakes_with_hierarchies(folder: Path) -> None:
    table = Path("patients.csv").read_bytes()
    assert "no column 'pay'" in refused(2, "hierarchy", "patients.csv", "pay", "-o", "h.csv")
    assert "same file" in refused(2, "hierarchy", "patients.csv", "age", "-o", "patients.csv")
    assert "directory does not exist" in refused(4, "hierarchy", "patients.csv", "age", "-o", "none/h.csv")
    assert "neither a hierarchy file" in refused(2, "hierarchy", "patients.csv", "age=numbers", "-o", "h.csv")
    Path("given.csv").write_text("age,zip\n,1\n,2\n", encoding="utf-8")
    assert "has no values" in refused(3, "hierarchy", "given.csv", "age", "-o", "h.csv")
    assert Path("patients.csv").read_bytes() == table
    assert not Path("h.csv").exists()


# The demo


@pytest.fixture
def demo(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    done = run("demo", "--rows", 2000)
    assert (done.code, done.stderr) == (0, "")
    return done.stdout


def test_the_demo_shows_everything(demo: str) -> None:
    facts = ("quasi-identifiers", "sensitive", "method", "classes", "achieved", "GCP", "DM", "C_AVG", "rows")
    for fact in (*facts, "verified", "seconds", "Before", "After", "k-anonymity (k=10)", "l-diversity (l=3"):
        assert fact in demo
    assert max(map(len, demo.splitlines())) <= 80


def test_the_demo_leaves_files_to_look_at(demo: str) -> None:
    with open("demo/release.csv", encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 2000
    for name in ("census.csv", "release.csv", "manifest.json", "policy.toml"):
        assert Path("demo", name).is_file()
        assert str(Path("demo", name)) in demo
    assert sf.Policy.read("demo/policy.toml").check("demo/release.csv").ok


def test_the_demo_by_hand_is_the_same(demo: str) -> None:
    command = shlex.split(demo.splitlines()[-1])
    assert command[0] == "sfumato"
    assert run(*command[1:]).code == 0
    assert Path("demo", "again.csv").read_bytes() == Path("demo", "release.csv").read_bytes()


def test_the_demo_elsewhere(folder: Path) -> None:
    assert run("demo", "--rows", 500, "--folder", "a folder/below").code == 0
    assert Path("a folder", "below", "release.csv").is_file()
    Path("taken").write_text("", encoding="utf-8")
    assert "taken" in refused(4, "demo", "--rows", 500, "--folder", "taken")
    assert "The largest k that works is 5" in refused(1, "demo", "--rows", 5)


# The screen


def test_facts_are_wrapped_under_themselves() -> None:
    assert wrapped("name  one two-three\n\nother one  wonderful", width=18) == (
        "name  one\n      two-three\n\nother one\n           wonderful"
    )


def test_a_hierarchy_is_previewed_without_a_file(folder: Path) -> None:
    done = run("hierarchy", "patients.csv", "age=capped:10:..60")
    assert "all of them covered" in done.stdout
    assert "width 10" in done.stdout
    found = json.loads(run("hierarchy", "patients.csv", "age=capped:10:..60", "--json").stdout)
    assert found["uncovered"] == 0
    assert [level["name"] for level in found["levels"]] == ["value", "width 10", "any"]


def test_a_hierarchy_that_lacks_values_is_told(folder: Path) -> None:
    Path("zip.csv").write_text("53715;a\n")
    done = run("hierarchy", "patients.csv", "zip=zip.csv", "-o", "new.csv")
    assert (done.code, done.stdout) == (2, "")
    assert "3 of them not covered" in done.stderr
    assert "has no place for 3 of its 4 values" in done.stderr
    assert not Path("new.csv").exists()


def test_every_k_of_a_frontier_in_one_option_or_in_several(folder: Path) -> None:
    asked = ("frontier", "patients.csv", "--qi", "age", "--rest", "drop", "--no-bounds")
    shown = [run(*asked, *sizes).stdout for sizes in (("-k", "2,5"), ("-k", 2, "-k", 5))]
    assert [line.split()[0] for line in shown[0].splitlines()] == ["k", "2", "5"]
    assert shown[0] == shown[1]


def test_ctrl_c_keeps_the_points_of_a_frontier_that_are_done(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exact, done = Frontier._exact, []

    def impatient(self: Frontier, k: int, report: Progress) -> object:
        if done:
            raise KeyboardInterrupt
        done.append(k)
        return exact(self, k, report)

    monkeypatch.setattr(Frontier, "_exact", impatient)
    ended = run("frontier", "patients.csv", "--qi", "age", "--rest", "drop", "-k", "2,3", "--no-bounds")
    assert ended.code == 130
    assert len(ended.stdout.splitlines()) == 2  # the header and a point
    assert "Interrupted. Not done: k=" in ended.stderr
    assert run("frontier", "patients.csv", "--qi", "age", "--rest", "drop", "-k", "2,3").stdout == ""
