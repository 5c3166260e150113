"""Refinement from the command line and in policy files; an interrupt keeps what was found."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import ROLES, refused, run

import sfumato as sf
from sfumato.run.policy import method_from_policy, method_record

COMMAND = ("anonymize", "patients.csv", "-o", "release.csv", *ROLES, "-k", "5", "--manifest", "manifest.json")

# Says when the second batch of rounds begins, so that there is something to keep.
TELLING = """
import sys
from sfumato.methods.refinement import refined, search

refined.warm_up = lambda *arguments: None  # what is done before the clock starts refines too

improve, calls = search._Search.improve, []

def telling(*arguments):
    calls.append(1)
    if len(calls) == 2:
        print("refining", flush=True)
    return improve(*arguments)

search._Search.improve = telling
from sfumato.cli import main
sys.argv = ["sfumato", *sys.argv[1:]]
main()
"""


def method_of(manifest: str = "manifest.json") -> dict:
    return json.loads(Path(manifest).read_text(encoding="utf-8"))["method"]


def test_an_interrupt_keeps_the_best_so_far(folder: Path) -> None:
    command = [sys.executable, "-c", TELLING, *COMMAND, "--method", "mondrian", "--refine", "120"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "refining\n"
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=300)
    assert process.returncode == 0, talk
    assert "Traceback" not in talk
    tried = method_of()["tried"]
    assert tried["refined"] < tried["mondrian"]
    assert run("check", "release.csv", "--qi", "age", "--qi", "zip", "--sensitive", "disease", "-k", "5").code == 0


def test_a_refined_method_is_saved_and_run_again(folder: Path) -> None:
    first = run(
        *COMMAND, "--method", "mondrian", "--set", "relaxed=true", "--refine", "true", "--save-policy", "p.toml"
    )
    assert first.code == 0, first.stderr
    assert "mondrian (relaxed=True, categories='ordered'), refined (refine=True)" in " ".join(first.stderr.split())
    policy = Path("p.toml").read_text(encoding="utf-8")
    assert 'name = "mondrian"\nrelaxed = true\n' in policy
    assert "\nrefine = true\n" in policy
    again = run("anonymize", "patients.csv", "-o", "again.csv", "--policy", "p.toml", "--quiet")
    assert again.code == 0, again.stderr
    assert Path("again.csv").read_bytes() == Path("release.csv").read_bytes()


def test_options_beside_a_policy_change_the_method_that_is_refined(folder: Path) -> None:
    assert run(*COMMAND, "--method", "mondrian", "--refine", "true", "--save-policy", "p.toml", "-q").code == 0
    options = ("--policy", "p.toml", "--set", "relaxed=true", "--refine", "exhaustive", "--minimize", "dm")
    changed = run("anonymize", "patients.csv", "-o", "again.csv", *options, "--manifest", "again.json", "-q")
    assert changed.code == 0, changed.stderr
    parameters = method_of("again.json")["parameters"]
    assert parameters["method"]["parameters"]["relaxed"] is True
    assert (parameters["refine"], parameters["minimize"]) == ("exhaustive", "dm")


def test_a_workload_comes_from_a_file_and_stays_in_the_policy(folder: Path) -> None:
    queries = [{"age": [30, 39]}, {"zip": ["02138", "02139"], "age": [18, 25]}]
    Path("queries.json").write_text(json.dumps(queries), encoding="utf-8")
    done = run(*COMMAND, "--minimize", "queries.json", "--save-policy", "p.toml", "-q")
    assert done.code == 0, done.stderr
    assert method_of()["parameters"]["minimize"] == "2 queries"
    assert sf.Policy.read("p.toml").method.parameters()["minimize"] == queries


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--refine", "often"), "a number of seconds or 'exhaustive'"),
        (("--refine", "0"), "refine"),
        (("--minimize", "none.json"), "'none.json' does not exist"),
        (("--minimize", "patients.csv"), "a list of queries"),
        (("--method", "hilbert", "--minimize", "dm"), "Hilbert cannot minimize 'dm'"),
        (("--method", "mondrian", "--minimize", "gcp"), "'mondrian' has no choice of what it minimizes"),
    ],
)
def test_mistakes_are_explained(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(2, *COMMAND, *arguments)


def test_a_workload_that_is_no_json_is_refused(folder: Path) -> None:
    Path("queries.json").write_text("age between 20 and 30", encoding="utf-8")
    assert "is not JSON" in refused(2, *COMMAND, "--minimize", "queries.json")


@pytest.mark.parametrize(
    "method",
    [
        sf.Refined("hilbert"),
        sf.Refined(sf.Mondrian(relaxed=True), 2.5, "dm"),
        sf.Refined(sf.Lattice(minimize="entropy"), "exhaustive", "cm"),
        sf.Refined(sf.Refined("hilbert", 1), 2),
        sf.Refined("hilbert", False),
        sf.Refined(sf.Best(minimize=[{"age": [1, 2]}])),
    ],
    ids=str,
)
def test_every_refined_method_survives_a_policy(method: sf.Refined) -> None:
    assert method_from_policy(method_record(method)) == method
