"""A core set of quasi-identifiers, models that a table can keep, and levels that mean something."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
from tests.cli.command import run

import sfumato as sf
from sfumato.cli.init import trials
from sfumato.hierarchies import Countries, Taxonomy
from sfumato.profiles.proposal import propose


def survey(rows: int = 1_500) -> pa.Table:
    rng = random.Random(7)
    age = [rng.randint(18, 90) for _ in range(rows)]
    return pa.table(
        {
            "age": age,
            "age_group": [f"{one // 10 * 10}-{one // 10 * 10 + 9}" for one in age],
            "sex": [rng.choice("fm") for _ in range(rows)],
            "region": [rng.choice("NESW") for _ in range(rows)],
            "spouse_age": [rng.randint(18, 90) for _ in range(rows)],
            **{f"thing {at}": [rng.choice("abc") for _ in range(rows)] for at in range(20)},
            "income": [round(rng.lognormvariate(10, 0.6), 2) for _ in range(rows)],
            "diagnosis": [rng.choice(["flu", "asthma", "ulcer", "gout", "angina"]) for _ in range(rows)],
        }
    )


def test_the_core_is_what_outsiders_know_and_not_what_follows_from_it() -> None:
    ranking = sf.profile(survey()).ranking
    core = [one.name for one in ranking if one.core]
    assert {"age", "sex", "region"} <= set(core)
    assert "age_group" not in core
    assert not [name for name in core if name.startswith("thing")]
    assert core.index("age") < core.index("spouse_age") if "spouse_age" in core else True
    assert [one.known for one in ranking if not one.core] == sorted(one.known for one in ranking if not one.core)
    risks = [one.risk for one in ranking if one.core]
    assert risks == sorted(risks)


def test_quasi_identifiers_are_taken_as_people_are_described_while_they_keep_detail() -> None:
    rng = random.Random(11)
    rows, regions = 2_000, ["north", "east", "south", "west", "centre"]
    born = [date(1940, 1, 1) + timedelta(days=rng.randrange(22_000)) for _ in range(rows)]
    city = [rng.randrange(40) for _ in range(rows)]
    table = pa.table(
        {
            "city": [f"{regions[one % 5]} {one}" for one in city],
            "date_of_birth": born,
            "region": [regions[one % 5] for one in city],
            "marital_status": [rng.choice(["single", "married", "widowed", "divorced"]) for _ in range(rows)],
            "sex": [rng.choice("fm") for _ in range(rows)],
            "age": [(date(2024, 1, 1) - one).days // 365 for one in born],
        }
    )
    woman = pa.array(["woman" if one == "f" else "man" for one in table["sex"].to_pylist()])
    table = table.append_column("gender", woman)
    profile = sf.profile(table)
    names = [one.name for one in profile.ranking]
    assert names[:2] == ["sex", "age"]
    assert names.index("region") < names.index("city")
    found = propose(profile, profile.roles, 10, {}, trials(lambda: table, rows))
    assert {"sex", "age", "region", "marital_status"} <= set(found.quasi_identifiers)
    assert found.left["date_of_birth"] == "another column says how old they are"
    assert found.left["gender"] == "it follows from sex"


def test_sensitive_columns_come_with_a_model_and_its_price(tmp_path: Path) -> None:
    table, policy = tmp_path / "people.csv", tmp_path / "policy.toml"
    csv.write_csv(survey(), table)
    done = run("init", table, "-o", policy, "--yes")
    assert done.code == 0, done.stderr
    written = sf.Policy.read(policy)
    guarded = {getattr(model, "column", None) for model in written.privacy}
    assert set(written.schema.sensitive) == {"income", "diagnosis"} <= guarded
    assert set(written.transform) == {"income"}
    assert len(written.schema.quasi_identifiers) <= 8
    text = policy.read_text(encoding="utf-8")
    assert 'rest = "drop"' in text
    assert text.count("with it the loss would be") >= 5
    assert "raises the estimated loss from" in done.stderr
    done = run("anonymize", table, "-o", tmp_path / "out.csv", "--policy", policy, "--json")
    assert not [one for one in json.loads(done.stdout)["cautions"] if one["severity"] != "note"]


def test_a_column_is_a_coarser_level_only_if_it_means_that() -> None:
    rows = 600
    rng = random.Random(3)
    race = [rng.choice(["black", "white", "asian", "other"]) for _ in range(rows)]
    cities = {"Siena": "Tuscany", "Pisa": "Tuscany", "Bari": "Apulia", "Lecce": "Apulia"}
    city = [rng.choice(list(cities)) for _ in range(rows)]
    found = sf.profile(
        pa.table(
            {
                "race": race,
                "asked_again": ["Yes" if one in {"black", "other"} else "No" for one in race],
                "city": city,
                "region": [cities[one] for one in city],
                "country": [rng.choice(["IT", "FR", "DE", "JP", "US"]) for _ in range(rows)],
                "birthplace": [
                    rng.choice(
                        ["Salem, Essex, US", "Lynn, Essex, US", "Bath, Avon, UK", "Ely, Cambs, UK", "Deal, Kent, UK"]
                    )
                    for _ in range(rows)
                ],
            }
        )
    ).hierarchies(["race", "city", "country", "birthplace"])
    assert not isinstance(found["race"], Taxonomy)
    assert isinstance(found["city"], Taxonomy)
    assert ["Siena", "Tuscany", "*"] in [list(row) for row in found["city"].rows]
    assert isinstance(found["country"], Countries)
    assert isinstance(found["birthplace"], Taxonomy)
    assert ["Salem, Essex, US", "Essex, US", "US", "*"] in [list(row) for row in found["birthplace"].rows]


def test_of_several_ages_the_one_in_years_is_taken_and_neither_months_nor_bands_beside_it() -> None:
    rng = random.Random(3)
    rows = 1_200
    months = [rng.randint(18 * 12, 90 * 12) for _ in range(rows)]
    table = pa.table(
        {
            "age_band": [f" {one // 120 * 10}-{one // 120 * 10 + 9}" for one in months],
            "age_months": months,
            "age": [one // 12 for one in months],
            "sex": [rng.choice("fm") for _ in range(rows)],
            "region": [rng.choice("NESW") for _ in range(rows)],
        }
    )
    profile = sf.profile(table)
    found = propose(profile, profile.roles, 5, {}, trials(lambda: table, rows))
    assert set(found.quasi_identifiers) == {"age", "sex", "region"}
    assert found.left["age_band"] == "it follows from age"
    assert found.left["age_months"] == "it says nearly the same as age"
    without = table.drop_columns(["age"])
    only_months = sf.profile(without)
    found = propose(only_months, only_months.roles, 5, {}, trials(lambda: without, rows))
    assert set(found.quasi_identifiers) == {"age_months", "sex", "region"}
    assert found.left["age_band"] == "it follows from age_months"


def test_what_looks_wrong_is_mended_by_the_first_policy_and_said(tmp_path: Path) -> None:
    rng = random.Random(9)
    rows = 900
    table = pa.table(
        {
            "sex": [rng.choice("fm") for _ in range(rows)],
            "age": [rng.randint(18, 90) if row % 200 else (-19, 221)[row % 400 // 200] for row in range(rows)],
            "city": [rng.choice(["Rome", "rome", "Rome ", "Oslo", "OSLO", "Lyon"]) for _ in range(rows)],
            "marital_status": [rng.choice(["Married", "married ", "Single", "single", "Widowed"]) for _ in range(rows)],
            "diagnosis": [rng.choice(["flu", "asthma", "ulcer", "gout"]) for _ in range(rows)],
        }
    )
    csv.write_csv(table, tmp_path / "people.csv")
    policy, release = tmp_path / "policy.toml", tmp_path / "release.csv"
    made = run("init", tmp_path / "people.csv", "-o", policy, "--yes")
    assert made.code == 0, made
    assert sf.profile(table)["age"].suggestion.reason == "age: others may know or see it"
    said = " ".join(made.stderr.split())
    assert "'city', 'marital_status': values that differ in capitals or blanks only are made one" in said
    assert "Warning" not in said, said
    written = policy.read_text(encoding="utf-8")
    assert 'na = { age = ["-19", "221"] }' in written
    done = run("anonymize", tmp_path / "people.csv", "-o", release, "--policy", policy, "--strict")
    assert done.code == 0, done
    shown = release.read_text(encoding="utf-8")
    assert "Rome" not in shown
    assert "married or with a partner" in shown or ",married," in shown
    assert "221" not in shown
