"""No command overwrites a file that exists unless --force names it, whatever the option and whatever its name."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.command import ROLES, refused, run, write_patients

import sfumato as sf
from sfumato.cli.app import app

MINE = "mine since 1998\n"
ASK = ("anonymize", "patients.csv", *ROLES, "-k", "5", "--method", "mondrian")
MADE = ("-o", "new.csv")

#: Every option that names a file to write, with a command around it.
WRITING: dict[tuple[str, str], tuple[str, ...]] = {
    ("anonymize", "--output"): ASK,
    ("anonymize", "--manifest"): (*ASK, *MADE),
    ("anonymize", "--save-policy"): (*ASK, *MADE),
    ("anonymize", "--certificate"): (*ASK, *MADE),
    ("anonymize", "--report"): (*ASK, *MADE),
    ("anonymize", "--bound"): (*ASK, *MADE),
    ("anonymize", "--alternatives"): (*ASK[:-1], "lattice", *MADE),
    ("recode", "--output"): ("recode", "patients.csv", *ROLES, "-k", "2", "--level", "age=0", "--level", "zip=0"),
    ("recode", "--manifest"): (
        *("recode", "patients.csv", *ROLES, "-k", "2", "--level", "age=0", "--level", "zip=0"),
        *MADE,
    ),
    ("anatomize", "--output"): ("anatomize", "patients.csv", *ROLES, "-l", "2", "--values", "values.csv"),
    ("anatomize", "--values"): ("anatomize", "patients.csv", *ROLES, "-l", "2", *MADE),
    ("anatomize", "--manifest"): ("anatomize", "patients.csv", *ROLES, "-l", "2", "--values", "values.csv", *MADE),
    ("init", "--output"): ("init", "patients.csv", "--yes"),
    ("hierarchy", "--output"): ("hierarchy", "patients.csv", "age=numeric:5,10"),
    ("compare", "--plot"): ("compare", "patients.csv", *ROLES, "-k", "2", "--method", "mondrian"),
    ("report", "--output"): ("report", "policy.toml", "patients.csv", "patients.csv"),
    ("sign", "--output"): ("sign", "certificate.json", "--key", "owner.key"),
}
#: Options of the same form that name files to read, folders, or a name in a database.
READING = {
    *("--policy", "--like", "--certificate of check", "--bound of check", "--public-key", "--key", "--sign"),
    *("--control", "--previous", "--temporary", "--force", "--held-out"),
}
ENDINGS = {"--plot": ".svg", "--report": ".html"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_patients(tmp_path / "patients.csv")
    roles = sf.Schema(quasi_identifiers=["age", "zip"], sensitive="disease", identifiers="name")
    sf.Policy(roles, [sf.KAnonymity(1)]).write("policy.toml")
    return tmp_path


def options_of(command: str) -> dict[str, Any]:
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {one.opts[0]: one for one in commands[command].params if one.opts[0].startswith("--")}


def test_every_option_that_names_a_file_is_known_here() -> None:
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for command in commands:
        for name, option in options_of(command).items():
            if option.metavar in {"FILE", "OUT", "MANIFEST", "KEY"}:
                reads = name in READING or f"{name} of {command}" in READING
                assert reads or (command, name) in WRITING, (command, name)
        writes = any(known == command for known, _ in WRITING) or command == "demo"
        assert ("--force" in options_of(command)) == writes, command


@pytest.mark.parametrize(("command", "option"), WRITING, ids=str)
def test_an_existing_file_stays(command: str, option: str, folder: Path) -> None:
    mine = folder / f"mine{ENDINGS.get(option, '.csv')}"
    mine.write_text(MINE, encoding="utf-8")
    (folder / "linked.svg").symlink_to(mine)
    os.link(mine, folder / f"other{mine.suffix}")
    before = {path.name for path in folder.iterdir()}
    for name in (mine.name, "linked.svg" if mine.suffix == ".svg" else mine.name, f"other{mine.suffix}"):
        said = refused(4, *WRITING[command, option], option, name)
        assert f"exists already. Name another file, or add --force {name}" in said
        assert mine.read_text(encoding="utf-8") == MINE
    assert {path.name for path in folder.iterdir()} == before, "nothing else was written either"


@pytest.mark.parametrize(("command", "option"), WRITING, ids=str)
def test_what_is_read_is_never_overwritten_by_a_table(command: str, option: str, folder: Path) -> None:
    if command == "sign" or option == "--plot":
        return  # they read no table, or write none
    os.link("patients.csv", "linked.csv")
    before = Path("patients.csv").read_text(encoding="utf-8")
    for name in ("patients.csv", "linked.csv"):
        assert "same file" in refused(2, *WRITING[command, option], option, name, "--force", name)
        assert Path("patients.csv").read_text(encoding="utf-8") == before


def test_force_names_a_file_or_its_folder(folder: Path) -> None:
    for number, forced in enumerate(("mine.csv", ".", folder)):
        Path("mine.csv").write_text(MINE, encoding="utf-8")
        Path("kept.json").write_text(MINE, encoding="utf-8")
        done = run(*ASK, "-o", "mine.csv", "--force", forced, "--manifest", f"manifest{number}.json")
        assert done.code == 0, done.stderr
        assert Path("mine.csv").read_text(encoding="utf-8") != MINE
    assert "kept.json" in refused(4, *ASK, "-o", "mine.csv", "--force", "mine.csv", "--manifest", "kept.json")


def test_files_that_a_policy_names_stay(folder: Path) -> None:
    table, key = Path("table.csv"), Path("secret.key")
    pseudonyms = ("--pseudonymize", "name=random:table.csv", "--confirm", "name")
    assert run(*ASK, "-o", "one.csv", *pseudonyms).code == 0
    before = table.read_text(encoding="utf-8")
    assert "same file" in refused(2, *ASK, "-o", "table.csv", *pseudonyms, "--force", "table.csv")
    assert "exists already" in refused(4, *ASK, "-o", "two.csv", "--manifest", "table.csv")
    assert table.read_text(encoding="utf-8") == before
    keyed = ("--pseudonymize", f"name=keyed:{key}", "--confirm", "name")
    assert "same file" in refused(2, *ASK, "-o", "two.csv", "--manifest", key, *keyed)
    assert not key.exists()
    assert run(*ASK, "-o", "three.csv", *pseudonyms).code == 0, "the table itself is kept up to date"


def test_a_demo_overwrites_no_file_of_its_user(folder: Path) -> None:
    Path("policy.toml").write_text(MINE, encoding="utf-8")
    before = sorted(folder.iterdir())
    assert "policy.toml' exists already" in refused(4, "demo", "--folder", ".", "--rows", 500)
    assert sorted(folder.iterdir()) == before
    assert run("demo", "--folder", "demo", "--rows", 500).code == 0
    assert "add --force demo to overwrite" in refused(4, "demo", "--folder", "demo", "--rows", 500)
    assert run("demo", "--folder", "demo", "--rows", 500, "--force", "demo").code == 0


def test_a_file_that_appears_meanwhile_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = sf.Policy.run

    def run_and_write(*arguments: Any, **named: Any) -> Any:
        Path("new.csv").write_text(MINE, encoding="utf-8")
        return work(*arguments, **named)

    monkeypatch.setattr(sf.Policy, "run", run_and_write)
    assert "exists already" in refused(4, *ASK, *MADE)
    assert Path("new.csv").read_text(encoding="utf-8") == MINE


def test_a_saved_policy_does_not_hold_the_seed(folder: Path) -> None:
    secret = "8675309867"
    done = run(*ASK, *MADE, "--seed", secret, "--save-policy", "p.toml", "--manifest", "m.json", "--report", "r.html")
    assert done.code == 0, done.stderr
    for path in folder.iterdir():
        private = stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        assert private or secret not in path.read_text(encoding="utf-8"), path
    assert secret not in done.stderr + done.stdout
    sf.Policy.read("p.toml")
    written = sf.Policy(sf.Schema(quasi_identifiers=["age"]), [sf.KAnonymity(2)], seed=int(secret))
    written.write("s.toml", secret=True)
    assert stat.S_IMODE(os.stat("s.toml").st_mode) == 0o600
    assert sf.Policy.read("s.toml").seed == int(secret)
