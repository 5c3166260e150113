"""``--report`` and ``sfumato report``: a page beside a release, and one about a file that anybody made."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import csv
from tests.cli.command import RUNNER
from tests.release.report.conftest import people

from sfumato.cli.app import app


def run(*arguments: str):
    return RUNNER.invoke(app, list(arguments))


@pytest.fixture(name="folder")
def folder_with_people(tmp_path: Path) -> Path:
    csv.write_csv(people(200), tmp_path / "people.csv")
    return tmp_path


def test_a_page_beside_the_release_and_one_about_the_file(folder: Path) -> None:
    files = {name: str(folder / name) for name in ("people.csv", "release.csv", "policy.toml", "report.html")}
    made = run(
        "anonymize", files["people.csv"], "-o", files["release.csv"], "--qi", "age,town", "--sensitive", "illness",
        "--rest", "drop", "-k", "5", "--method", "mondrian", "--save-policy", files["policy.toml"],
        "--report", files["report.html"],
    )  # fmt: skip
    assert made.exit_code == 0
    assert f"wrote {files['report.html']}" in made.stderr
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Release of people.csv → release.csv" in page
    assert "the promise holds" in page

    again = folder / "again.html"
    told = run("report", files["policy.toml"], files["people.csv"], files["release.csv"], "-o", str(again))
    assert told.exit_code == 0
    assert "k-anonymity k=5: holds" in told.stderr
    assert "the promise holds" in again.read_text(encoding="utf-8")
    assert "Release of people.csv → release.csv" in again.read_text(encoding="utf-8")

    over = ("-o", str(again), "--force", str(again))
    broken = run("report", files["policy.toml"], files["people.csv"], files["people.csv"], *over, "--quiet")
    assert broken.exit_code == 1
    assert broken.stderr == ""
    assert "Do not publish: 1 promise is broken." in again.read_text(encoding="utf-8")


def test_a_report_takes_no_file_s_place(folder: Path) -> None:
    (folder / "policy.toml").write_text('quasi_identifiers = ["age"]\nrest = "drop"\n', encoding="utf-8")
    table = str(folder / "people.csv")
    refused = run("report", str(folder / "policy.toml"), table, table, "-o", table)
    assert refused.exit_code == 2
    assert "The report and the original are the same file" in refused.stderr
