"""Who is a person: what repeats together decides, not how often; and never a place, a ticket or a first name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.assess.meaning.facts import all_facts
from sfumato.assess.meaning.persons import CountedColumn, constancy, find_person, lasting

FIRST = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gail", "Hugo", "Iris", "Jack", "Kim", "Liam"]


def visits(seed: int, people: int = 150, rows: int = 3_000, dirt: float = 0.0) -> dict[str, np.ndarray]:
    """People with their attributes and their visits, some of them to several doctors and hospitals."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, people, rows)
    birth, sex, race = rng.integers(1930, 2010, people), rng.integers(0, 2, people), rng.integers(0, 4, people)
    visit = np.cumsum(rng.random(rows) < 0.7)  # some visits have several rows, all of one patient
    who = who[np.unique(visit, return_inverse=True)[1]]
    hospital = rng.integers(0, 12, rows)
    first = np.array(FIRST)[(2 * rng.integers(0, 6, people) + sex) % 12]
    wrong = rng.random(rows) < dirt
    return {
        "number": who,
        "visit number": visit,
        "hospital": hospital,
        "city of the hospital": hospital // 3,
        "first name": first[who],
        "family": who // 3,
        "sex": np.where(wrong, 1 - sex[who], sex[who]),
        "year of birth": birth[who] + wrong * rng.integers(-2, 3, rows),
        "race": race[who // 3 % people],
        "ward": rng.integers(0, 9, rows),
    }


def found_in(table: dict[str, np.ndarray], *keys: str) -> str | None:
    columns = {one.name: CountedColumn.of(one.name, one.codes, one.values) for one in all_facts(pa.table(table))}
    attributes = lasting(column for name, column in columns.items() if name not in keys)
    found = find_person([columns[name] for name in keys], attributes)
    return None if found is None else found.name


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("people", [40, 150, 1_000])
@pytest.mark.parametrize("dirt", [0.0, 0.04])
def test_what_repeats_together_is_a_person(seed: int, people: int, dirt: float) -> None:
    table = visits(seed, people, dirt=dirt)
    others = ["visit number", "hospital", "first name", "family"]
    assert found_in(table, "number", *others) == "number"
    assert found_in({**table, "x7": table["number"]}, "x7", *others) == "x7"
    assert found_in(table, "hospital", "first name", "family") is None


@pytest.mark.parametrize("name", ["ticket", "ORGANIZATION", "first", "town", "PROVIDER", "invoice"])
def test_without_attributes_only_names_of_people_count(name: str) -> None:
    values = np.arange(300) // 3
    assert found_in({name: values}, name) is None
    assert found_in({name: values, "PATIENT": values // 2}, name, "PATIENT") == "PATIENT"


@pytest.mark.parametrize("rows", [2, 58, 400])
def test_how_many_rows_a_person_has_is_no_criterion(rows: int) -> None:
    table = {"patient": np.repeat(np.arange(60), rows), "ward": np.arange(60 * rows) % 7}
    assert found_in(table, "patient") == "patient"


def test_agreement_is_measured_above_chance() -> None:
    rng = np.random.default_rng(1)
    key = CountedColumn("k", np.repeat(np.arange(400), 5))
    alike = CountedColumn("sex", rng.integers(0, 2, 400)[key.codes])
    assert constancy(key, alike) == 1
    assert abs(constancy(key, CountedColumn("sex", rng.integers(0, 2, 2_000)))) < 0.1
    mostly = CountedColumn("sex", (rng.random(2_000) < 0.99).astype(int))  # nearly all rows agree anyway
    assert constancy(key, mostly) < 0.2
    start = rng.integers(20, 80, 400).astype(float)
    ages = start[key.codes] + np.tile(np.arange(5), 400)
    values, codes = np.unique(ages, return_inverse=True)
    assert constancy(key, CountedColumn("age", codes, values)) > 0.95


@pytest.mark.parametrize(
    ("file", "person", "people"),
    [
        ("synthea_encounters", "PATIENT", 59),
        ("synthea_conditions", "PATIENT", 59),
        ("diabetes", "patient_nbr", 3_587),
        ("nhanes", "ID", 1_705),
        ("synthea_patients", None, None),
    ],
)
def test_people_of_real_tables(tables_dir: Path, file: str, person: str | None, people: int | None) -> None:
    found = [one for one in sf.profile(tables_dir / f"{file}.csv").columns if one.role == "person"]
    assert [(one.name, one.facts.different) for one in found] == ([] if person is None else [(person, people)])


def test_anonymize_warns_of_many_rows_per_patient_and_of_nothing_else() -> None:
    rng = np.random.default_rng(3)
    who = rng.integers(0, 59, 3_400)
    table = pa.table({
        "PATIENT": [f"p{one}" for one in who],
        "ORGANIZATION": [f"o{one % 40}" for one in who],
        "ticket": [f"t{one}" for one in rng.integers(0, 900, 3_400)],
        "CODE": rng.integers(0, 40, 3_400),
        "cost": rng.integers(0, 50, 3_400),
    })  # fmt: skip
    for names in (["PATIENT", "ORGANIZATION", "ticket"], ["ORGANIZATION", "ticket"]):
        release = sf.anonymize(table.select([*names, "CODE", "cost"]), quasi_identifiers=["CODE", "cost"], k=10,
                               identifiers=names, confirm=["CODE", "cost"])  # fmt: skip
        advised = [one.advice for one in release.cautions if one.code == "several-rows-per-person"]
        assert len(advised) == ("PATIENT" in names)
        assert all("person='PATIENT'" in one for one in advised)
