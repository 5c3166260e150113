"""``sfumato anonymize --bound`` and ``sfumato check --bound``, as people run them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app

HOW = ["--qi", "age,gender", "--rest", "drop", "-k", "4", "--seed", "1", "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bound")
    table = sf.datasets.census(rows=120, seed=1).table.select(["age", "gender"])
    pyarrow.csv.write_csv(table, place / "people.csv")
    arguments = ["anonymize", str(place / "people.csv"), "-o", str(place / "release.csv"), *HOW]
    made = CliRunner().invoke(app, [*arguments, "--bound", str(place / "bound.json")])
    assert made.exit_code == 0, made.output
    return place


def test_a_bound_is_confirmed(folder: Path) -> None:
    found = CliRunner().invoke(app, ["check", str(folder / "people.csv"), "--bound", str(folder / "bound.json")])
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("confirmed")


def test_a_changed_table_is_refused_with_exit_code_1(folder: Path) -> None:
    lines = (folder / "people.csv").read_text().splitlines(keepends=True)
    (folder / "other.csv").write_text("".join([lines[0], *reversed(lines[1:])]))
    arguments = ["check", str(folder / "other.csv"), "--bound", str(folder / "bound.json"), "--json"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 1
    assert "other values" in json.loads(found.stdout)["problem"]


def test_another_file_is_refused_with_exit_code_3(folder: Path) -> None:
    (folder / "none.json").write_text("{}")
    found = CliRunner().invoke(app, ["check", str(folder / "people.csv"), "--bound", str(folder / "none.json")])
    assert found.exit_code == 3


def test_a_bound_file_names_its_columns_itself(folder: Path) -> None:
    arguments = ["check", str(folder / "people.csv"), "--bound", str(folder / "bound.json"), "-k", "4"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 2
