"""From a raw file to a release: a policy to begin with, the questions, and what would go wrong later."""

from __future__ import annotations

import json
import os
import random
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from tests.cli.command import Done, refused, run
from tests.profiles.tables import HELD_OUT, TUNED, Made
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app

MADE = [make() for make in (*TUNED, *HELD_OUT)]


def answering(answers: str, *arguments: object) -> Done:
    """Run a command, and answer its questions."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=answers)
    return Done(result.exit_code, result.stdout, result.stderr, result.exception)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    cities = {"Siena": "Tuscany", "Pisa": "Tuscany", "Bari": "Apulia", "Lecce": "Apulia"}
    lines = ["name,age,city,region,illness"]
    for number in range(400):
        city = rng.choice(list(cities))
        lines.append(f"Person {number},{rng.randint(20, 80)},{city},{cities[city]},{rng.choice('abcd')}")
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_suggestions_agree_with_a_key_and_make_a_verified_release(made: Made, tmp_path: Path) -> None:
    table, policy, out = made.write(tmp_path), tmp_path / "policy.toml", tmp_path / "out.csv"
    done = run("init", table, "-o", policy, "--yes")
    assert done.code == 0, done.stderr
    written = sf.Policy.read(policy)
    roles = written.schema.roles(list(made.columns))
    suggested = sf.profile(table).roles
    differing = {name: role for name, role in suggested.items() if role != made.roles[name]}
    assert len(differing) <= 0.1 * len(suggested), differing
    assert all(role in {suggested[name], "drop"} for name, role in roles.items())
    named = {name for name, role in made.roles.items() if role in {"identifier", "person"}}
    assert all(roles[name] != "plain" for name in named)
    done = run("anonymize", table, "-o", out, "--policy", policy, "--json")
    assert done.code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["released"]["ok"]
    # That names of passengers repeat is a question about the data, not about what was chosen.
    asked = {one["code"] for one in told["cautions"] if one["severity"] != "note"}
    assert asked <= ({"several-rows-per-person"} if made.name == "flights" else set())
    kept = {name for name, role in roles.items() if role in {"quasi-identifier", "sensitive", "plain", "weight"}}
    assert set(sf.open_source(out).columns) == kept
    assert any(role == "quasi-identifier" for role in roles.values())
    if written.schema.person is None:
        assert written.check(out).ok


def test_a_policy_is_for_its_owner_and_lists_values_in_no_order_of_the_rows(people: Path) -> None:
    assert run("init", "people.csv", "--yes").code == 0
    written = sorted(path.name for path in people.iterdir() if path.name.startswith("policy"))
    assert written == ["policy.city.csv", "policy.toml"]
    assert all(stat.S_IMODE(os.stat(people / name).st_mode) == 0o600 for name in written)
    rows = (people / "policy.city.csv").read_text().splitlines()
    assert rows == ["Bari;Apulia;*", "Lecce;Apulia;*", "Pisa;Tuscany;*", "Siena;Tuscany;*"]
    text = (people / "policy.toml").read_text()
    assert not [word for word in ("Siena", "Person 1", "Tuscany") if word in text]
    assert '"name",  # person\'s name' in text
    assert "[[privacy]]" in text


def test_nothing_is_written_over_unless_that_is_said(people: Path) -> None:
    (people / "policy.toml").write_text("mine", encoding="utf-8")
    assert "exists already" in refused(4, "init", "people.csv", "--yes")
    assert (people / "policy.toml").read_text() == "mine"
    (people / "other.city.csv").write_text("mine", encoding="utf-8")
    assert "'other.city.csv' exists already" in refused(4, "init", "people.csv", "--yes", "-o", "other.toml")
    assert not (people / "other.toml").exists()
    assert run("init", "people.csv", "--yes", "--force", "policy.toml").code == 0
    assert "same file" in refused(2, "init", "people.csv", "--yes", "-o", "people.csv", "--force", "people.csv")


def test_questions_take_suggestions_first_letters_and_other_answers(people: Path) -> None:
    done = answering("\n?\nsens\n\n\nplain\n7\n", "init", "people.csv")
    assert done.code == 0, done.stderr
    policy = sf.Policy.read(people / "policy.toml")
    assert policy.schema.roles(["name", "age", "city", "region", "illness"]) == {
        "name": "identifier",
        "age": "sensitive",
        "city": "quasi-identifier",
        "region": "quasi-identifier",
        "illness": "plain",
    }
    assert [model.k for model in policy.privacy if isinstance(model, sf.KAnonymity)] == [7]
    assert "made coarser until enough people look alike" in done.stderr
    assert "# chosen by you: sensitive" in (people / "policy.toml").read_text()


def test_answers_that_mean_nothing_are_asked_again_and_an_end_writes_nothing(people: Path) -> None:
    done = answering("p\nnonsense\n", "init", "people.csv")
    assert done.code == 2
    assert done.stderr.count("Say one of identifier") == 2
    assert "There is no answer to read" in done.stderr
    assert not (people / "policy.toml").exists()


def test_a_table_without_rows_or_quasi_identifiers_is_refused(people: Path) -> None:
    (people / "empty.csv").write_text("a,b\n", encoding="utf-8")
    assert "no rows" in refused(3, "init", "empty.csv", "--yes")
    (people / "names.csv").write_text("name,e-mail\nAnna K,a@b.org\nPaul M,c@d.org\n", encoding="utf-8")
    assert "No column is a quasi-identifier" in refused(2, "init", "names.csv", "--yes")


def test_odd_names_of_columns_do_not_end_a_comment(tmp_path: Path) -> None:
    odd = 'a"b\\c # [x]'
    lines = [f'"{odd.replace(chr(34), 2 * chr(34))}","age\nyears",ü']
    lines += [f"{number % 7},{20 + number % 50},{'xyzuvwst'[number % 8]}" for number in range(400)]
    (tmp_path / "odd.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run("init", tmp_path / "odd.csv", "--yes", "-o", tmp_path / "p.toml").code == 0
    schema = sf.Policy.read(tmp_path / "p.toml").schema
    assert set(schema.quasi_identifiers) == {odd, "age\nyears", "ü"}


def cautions(table: dict[str, list[object]], **roles: str) -> set[str]:
    found = sf.profile(pa.table(table))
    return {caution.code for caution in found.cautions_for(found.roles | roles)}


def test_what_would_go_wrong_later_is_said_and_what_would_not_is_not() -> None:
    rng = random.Random(2)
    rows = 2_000
    fine = {"age": [rng.randint(20, 60) for _ in range(rows)], "illness": [rng.choice("abcd") for _ in range(rows)]}
    words = [f"word {rng.randint(0, 1400)}" for _ in range(rows)]
    assert cautions(fine) == set()
    assert cautions({name: values[:200] for name, values in fine.items()}) == {"few-rows"}
    assert cautions(fine | {"code": words}, code="plain") == {"plain-identifies"}
    assert cautions(fine | {"shop visited": words}, **{"shop visited": "quasi-identifier"}) == {"many-categories"}
    assert cautions(fine | {"salary": [rng.randint(0, 9999) for _ in range(rows)]}) == {"amount-without-bands"}
    patients = fine | {"patient_id": [f"P{rng.randint(0, 500)}" for _ in range(rows)]}
    assert cautions(patients) == set()
    assert cautions(patients, patient_id="identifier") == {"several-rows-per-person"}
    assert cautions(fine, age="sensitive", illness="sensitive") == {"no-quasi-identifier"}
    assert "many-quasi-identifiers" in cautions(
        {f"c{at}": [rng.randint(1, 3) for _ in range(rows)] for at in range(14)}
    )


def test_a_column_with_a_very_long_name_gets_a_file(people: Path) -> None:
    lines = [f"{'abcdefgh'[number % 8]},{number % 30}" for number in range(100)]
    (people / "long.csv").write_text("\n".join([f"{'c' * 300},age", *lines]) + "\n", encoding="utf-8")
    done = run("init", "long.csv", "-o", "long.toml", "--yes")
    assert done.code == 0, done.stderr
    assert sf.Policy.read(people / "long.toml").schema.quasi_identifiers
