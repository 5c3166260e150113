"""Counts of 1 to 10 people are in nothing that may be published, nor is anything from which they follow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.command import run

import sfumato as sf
from sfumato.release.manifest import Reportable

PEOPLE, GONE = 407, 5


def people(gone: int = GONE) -> pa.Table:
    """A table of people, some of whom have no age."""
    ages = [None if row < gone else 20 + (row * 7) % 60 for row in range(PEOPLE)]
    return pa.table({"age": pa.array(ages), "illness": [("flu", "ulcer", "asthma")[row % 3] for row in range(PEOPLE)]})


def made(gone: int = GONE, **asked: Any) -> sf.Release:
    asked = {"preset": "cms-11", "missing": "suppress", "seed": 1, "method": "mondrian"} | asked
    return sf.anonymize(people(gone), quasi_identifiers="age", sensitive="illness", **asked)


def told(release: sf.Release, folder: Path) -> dict[str, str]:
    """Everything that may be published about a release."""
    release.write(folder / "release.csv")
    release.report(folder / "report.html", file=folder / "release.csv")
    sf.certify(people(), release, folder / "release.csv", folder / "certificate.json", targets=100, seed=1)
    return {
        "summary": release.summary(),
        "notebook": release._repr_html_(),
        "report": (folder / "report.html").read_text(encoding="utf-8"),
        "certificate": (folder / "certificate.json").read_text(encoding="utf-8"),
        "checklist": sf.checklist(people(), release, "quebec-2024", targets=100, seed=1).summary(),
    }


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return told(made(), tmp_path_factory.mktemp("published"))


@pytest.mark.parametrize("output", ["summary", "notebook", "report", "certificate", "checklist"])
def test_nothing_published_tells_how_few_were_left_out(output: str, outputs: dict[str, str]) -> None:
    text = re.sub(r"<svg.*?</svg>|<style.*?</style>", "", outputs[output], flags=re.DOTALL)
    text = re.sub(r"[0-9a-f]{64}", "", text)
    assert not re.search(rf"\b{PEOPLE}\b", text)  # with the released rows, it tells how many are gone
    assert not re.search(rf"\b{GONE} (of|rows|suppressed|are)\b", text)
    release = made()
    losses = [f"{release.loss.gcp:.4f}", f"{release.loss.dm:,.0f}", f"{release.loss.c_avg:.3f}"]
    assert not [one for one in losses if one in text]


def test_what_is_withheld_is_said(outputs: dict[str, str]) -> None:
    assert f"{PEOPLE - GONE:,} released, fewer than 11 suppressed" in outputs["summary"]
    assert "Fewer than 11 rows are not published." in outputs["report"]
    assert json.loads(outputs["certificate"])["risk"]["before"] is None
    assert "a count of fewer than 11 people could follow" in outputs["checklist"]


def test_the_manifest_stays_with_the_owner_and_counts_exactly() -> None:
    release = made()
    assert release.manifest["suppressed"]["total"] == release.suppressed == GONE
    assert release.manifest["input"]["rows"] == PEOPLE


@pytest.mark.parametrize("gone", [0, 11, 40])
def test_other_counts_are_told(gone: int) -> None:
    release = made(gone)
    assert f"{PEOPLE - gone:,} released of {PEOPLE:,}, {gone:,} suppressed" in release.summary()
    assert "GCP" in release.summary()


def test_without_the_preset_everything_is_told() -> None:
    assert f"{GONE} suppressed" in made(preset=None, k=11).summary()


def test_the_command_line_and_the_report_of_a_file_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pa.csv.write_csv(people(), "people.csv")
    asked = ["--qi=age", "--sensitive=illness", "--missing=suppress", "--preset=cms-11", "--method=mondrian"]
    done = run("anonymize", "people.csv", "-o", "out.csv", *asked, "--save-policy=policy.toml", "--json")
    assert done.code == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["loss"] is None
    assert record["manifest"]["suppressed"] == "fewer than 11"
    assert "rows" not in record["manifest"]["input"]
    for text in (done.stdout, done.stderr):
        assert not re.search(rf"\b{PEOPLE}\b", text)
    assert run("report", "policy.toml", "people.csv", "out.csv").code == 0
    page = re.sub(r"<svg.*?</svg>|<style.*?</style>", "", Path("report.html").read_text("utf-8"), flags=re.DOTALL)
    assert "Fewer than 11 rows are not published." in page
    assert not re.search(rf"\b{PEOPLE}\b", page)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 20))
def test_a_share_is_told_only_if_no_small_count_follows(some: int, others: int, least: int) -> None:
    whole = some + others
    may = Reportable(least)
    if whole:
        assert may.allows_share(some / whole, whole) == all(one == 0 or one >= least for one in (some, others))
