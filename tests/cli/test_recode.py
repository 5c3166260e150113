"""Next month's table under the bands of last month's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import refused, run

import sfumato as sf
from sfumato.io import write_table

ROLES = ("--qi", "age", "--qi", "gender", "--sensitive", "occupation", "--rest", "drop")
BANDS = ("--hierarchy", "age=numeric:5,10,20")


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables of the same kind, and a release of the first."""
    folder = tmp_path_factory.mktemp("months")
    for name, seed in (("may", 1), ("june", 2)):
        write_table(sf.datasets.census(rows=400, seed=seed).table, folder / f"{name}.csv")
    made = ("--manifest", folder / "may.json", "--save-policy", folder / "policy.toml", "--method", "lattice")
    done = run("anonymize", folder / "may.csv", "-o", folder / "may_out.csv", *ROLES, *BANDS, "-k", 8, *made)
    assert done.code == 0, done.stderr
    return folder


def labels(path: Path) -> set[str]:
    return set(sf.open_source(path).read(["age"], as_text=["age"])["age"].to_pylist())


def test_next_month_looks_like_last_month(months: Path, tmp_path: Path) -> None:
    levels = json.loads((months / "may.json").read_text())["method"]["levels"]
    assert set(levels) == {"age", "gender"}
    out = tmp_path / "june.csv"
    told = ("--policy", months / "policy.toml", "--like", months / "may.json", "--suppression", 0.1)
    done = run("recode", months / "june.csv", "-o", out, *told, "--json")
    assert done.code == 0, done.stderr
    assert json.loads(done.stdout)["manifest"]["method"]["levels"] == levels
    widths = {label.count(",") for label in labels(months / "may_out.csv")}
    assert {label.count(",") for label in labels(out)} == widths
    assert run("check", out, "--policy", months / "policy.toml").code == 0


def test_levels_by_name_and_number(months: Path, tmp_path: Path) -> None:
    out = tmp_path / "june.csv"
    for level in ("width 20", 3):
        named = ("--level", f"age={level}", "--level", "gender=1", "--seed", 1)
        assert run("recode", months / "june.csv", "-o", out, *ROLES, *BANDS, "-k", 2, *named, "--force", out).code == 0
        assert all(label.startswith("[") for label in labels(out))


def test_levels_that_no_longer_hold_end_with_1(months: Path, tmp_path: Path) -> None:
    said = refused(
        1, "recode", months / "june.csv", "-o", tmp_path / "x.csv", *ROLES, *BANDS, "-k", 50, "--level", "age=0",
        "--level", "gender=0",
    )  # fmt: skip
    assert "rows lie in classes that break it" in said
    assert not (tmp_path / "x.csv").exists()


def test_mistakes_are_named(months: Path, tmp_path: Path) -> None:
    base = ("recode", months / "june.csv", "-o", tmp_path / "x.csv", *ROLES, *BANDS, "-k", 2)
    assert "Say which levels: --like MANIFEST" in refused(2, *base)
    assert "COLUMN=LEVEL" in refused(2, *base, "--level", "age")
    assert "given twice for 'age'" in refused(2, *base, "--level", "age=1", "--level", "age=2")
    assert "no level called 'decade'" in refused(2, *base, "--level", "age=decade", "--level", "gender=0")
    assert "Give one level for each" in refused(2, *base, "--level", "age=1")
    assert "does not exist" in refused(2, *base, "--like", tmp_path / "none.json")
    (tmp_path / "list.json").write_text("[1]")
    assert "is not a manifest" in refused(2, *base, "--like", tmp_path / "list.json")
    local = ("--manifest", tmp_path / "local.json", "--method", "mondrian")
    assert run("anonymize", months / "may.csv", "-o", tmp_path / "y.csv", *ROLES, "-k", 8, *local).code == 0
    assert "has no levels: its method, mondrian" in refused(2, *base, "--like", tmp_path / "local.json")
