"""``sfumato anonymize --max-gcp``: as much privacy as a tolerable loss allows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import ROLES, run

import sfumato as sf

ASK = ("anonymize", "patients.csv", "-o", "release.csv", *ROLES)


def test_the_largest_k_within_the_loss_is_released(folder: Path) -> None:
    done = run(*ASK, "--max-gcp", 0.3, "--maximize", "k", "--json", "--save-policy", "saved.toml")
    assert done.code == 0, done.stderr
    told = json.loads(done.stdout)
    searched = told["manifest"]["searched"]
    (model,) = [one for one in told["manifest"]["privacy"] if one["model"] == "k-anonymity"]
    assert told["loss"]["gcp"] <= 0.3
    assert [model["k"], told["loss"]["gcp"]] in searched["curve"]
    assert all(loss > 0.3 for k, loss in searched["curve"] if k > model["k"])
    assert sf.KAnonymity(model["k"]) in sf.Policy.read("saved.toml").privacy


def test_k_is_what_is_maximized_unless_said_otherwise(folder: Path) -> None:
    by_default = run(*ASK, "--max-gcp", 0.3, "--json", "-q")
    with_l = run(*ASK, "--max-gcp", 0.3, "--maximize", "l", "--json", "-q", "--force", "release.csv")
    assert json.loads(by_default.stdout)["manifest"]["searched"]["maximize"] == "k"
    assert json.loads(with_l.stdout)["manifest"]["searched"]["maximize"] == "l"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--maximize", "k"), "--max-gcp"),
        (("--max-gcp", "10"), "0.1"),
        (("--max-gcp", "0.1", "--maximize", "t"), "'k', 'l'"),
        (("--max-gcp", "0"), "Even k=2 has a GCP of"),
    ],
)
def test_what_makes_no_sense_is_refused(folder: Path, options: tuple[str, ...], said: str) -> None:
    done = run(*ASK, *options)
    assert done.code != 0
    assert said in " ".join(done.stderr.split())
    assert not Path("release.csv").exists()
