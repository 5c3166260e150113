"""Profiles: what columns are meant to be, which roles they get, and that nothing of a table is told."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.profiles.tables import HELD_OUT, TUNED, Made, iban

import sfumato as sf
from sfumato.assess.meaning.facts import ColumnCounts, facts_of
from sfumato.assess.meaning.meaning import meaning_of
from sfumato.assess.meaning.orders import order_of
from sfumato.assess.meaning.patterns import DIRECT, Pattern, found_in
from sfumato.assess.meaning.vocabulary import topic_of
from sfumato.profiles.combinations import looks_of, sampled, search

MADE = [make() for make in (*TUNED, *HELD_OUT)]


def read(made: Made) -> pa.Table:
    return pa.table({name: pa.array([cell or None for cell in cells]) for name, cells in made.columns.items()})


def kind_of(name: str, values: list[object]) -> tuple[str, str | None]:
    meaning = meaning_of(facts_of(name, pa.chunked_array([values])), topic_of(name))
    return meaning.kind, meaning.detail


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("x", ["31.12.1999", "01.02.2003", "15.07.2010"], ("date", "%d.%m.%Y")),
        ("x", ["12/31/1999", "02/01/2003"], ("date", "%m/%d/%Y")),
        ("x", ["31.12.1999", "2003-02-01", "15.07.2010"], ("date", "several forms")),
        ("x", [20240131, 20231201, 19991231], ("date", "%Y%m%d")),
        ("x", ["07:30", "23:59", "00:00"], ("time", "time of day")),
        ("PLZ", ["20095", "01067", "80331"], ("postcode", None)),
        ("zip", [2139, 53715, 90210], ("postcode", None)),
        ("x", ["J45.0", "E11.9", "I10", "C50.1"], ("code", "ICD-10")),
        ("isco08", [2211, 5120, 9112, 7231, 2310], ("code", "occupations, such as ISCO")),
        ("x", ["18-24", "65+", "25-64"], ("ordered category", None)),
        ("x", ["low", "high", "medium"], ("ordered category", None)),
        ("x", ["red", "blue", "green", "red"], ("category", None)),
        ("salary", [1000 + 7 * number for number in range(60)], ("amount", None)),
        ("x", [f"{number},50 €" for number in range(100, 160)], ("amount", "written with signs")),
        ("x", ["asked for a second opinion about the knee " + str(at) for at in range(30)], ("free text", None)),
        ("lat", [51.48251, 51.50001], ("number", "coordinates")),
        ("x", ["51.48251, -3.18", "51.50001, -3.20"], ("identifier", "coordinates")),
        ("x", [None, None], ("empty", None)),
    ],
)
def test_a_column_is_taken_for_what_it_is_meant_to_be(name: str, values: list[object], kind: tuple[str, str]) -> None:
    assert kind_of(name, values) == kind


# Numbers published as examples by those who issue them, or made by their rule here.
CHECKED = {
    "IBANs": ["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606"],
    "payment card numbers": ["4111 1111 1111 1111", "5555555555554444", "378282246310005"],
    "NHS numbers": ["943 476 5919", "401 023 2137"],
    "Spanish identity numbers": ["12345678Z", "X1234567L"],
    "Swiss insurance numbers": ["756.9217.0769.85"],
    "French social security numbers": ["2 55 08 14 168 025 38"],
    "Brazilian tax numbers": ["111.444.777-35"],
    "Polish person numbers": ["44051401359"],
    "Dutch service numbers": ["111222333"],
    "German tax numbers": ["86095742719"],
}


@pytest.mark.parametrize("name", CHECKED)
def test_numbers_with_check_digits_are_found_and_others_are_not(name: str) -> None:
    [pattern] = [one for one in DIRECT if one.name == name]
    assert all(pattern.fits(number) for number in CHECKED[name])
    assert not any(pattern.fits(changed(number)) for number in CHECKED[name])


def changed(number: str) -> str:
    """Return a number with its last digit another one."""
    at = max(place for place, letter in enumerate(number) if letter.isdigit())
    return f"{number[:at]}{(int(number[at]) + 1) % 10}{number[at + 1 :]}"


def test_random_digits_are_taken_for_no_national_number() -> None:
    rng = random.Random(1)
    for digits in (9, 10, 11, 16):
        texts = [str(rng.randrange(10 ** (digits - 1), 10**digits)) for _ in range(200)]
        assert found_in(texts, DIRECT) is None


def test_a_pattern_needs_nearly_all_values() -> None:
    accounts = [iban(number) for number in range(50)]
    assert found_in(accounts, DIRECT) == "IBANs"
    assert found_in(accounts[:40] + ["cash"] * 10, DIRECT) is None
    assert all(isinstance(one, Pattern) for one in DIRECT)


def test_values_that_mean_none_are_found_and_counted_as_missing() -> None:
    table = pa.table(
        {
            "age": ["31", "?", "54", "n/a", "22"] * 20,
            "income": [1200, 999999, 2200, 1800, 1500] * 20,
            "answer": ["yes", "no", "none", "-9", "yes"] * 20,
        }
    )
    found = sf.profile(table)
    assert found.na == {"age": ("?", "n/a"), "income": ("999999",), "answer": ("-9",)}
    assert [one.facts.missing for one in found.columns] == [40, 20, 20]
    assert found["age"].kind == "number"
    assert sf.profile(table, na={"answer": ["none"]}).na["answer"] == ("none",)


def test_free_text_is_never_plain_and_an_identifier_neither() -> None:
    texts = ["the patient said that the knee hurts " + str(number) for number in range(80)]
    numbers = [f"K{number * 7919 % 100_000:05d}" for number in range(80)]
    for name in ("wave", "status", "remarks", "x", "consent"):
        for values in (texts, numbers):
            assert sf.profile(pa.table({name: values, "age": [30] * 80}))[name].role != "plain"


def test_names_of_columns_are_read_in_several_languages() -> None:
    topics = {
        "date of birth": ["Geburtsdatum", "date de naissance", "fecha_nacimiento", "dataDiNascita", "DOB"],
        "person's name": ["Nachname", "prénom", "apellidos", "cognome", "achternaam", "lastName"],
        "sex": ["Geschlecht", "sexe", "sexo", "sesso", "geslacht", "GENDER"],
        "postcode": ["PLZ", "code postal", "codigo_postal", "CAP", "zip code"],
        "income": ["Gehalt", "salaire", "salario", "reddito", "hh_income"],
        "telephone number": ["Telefonnummer", "téléfono", "mobile no", "Phone"],
    }
    assert {name: {topic_of(one).name for one in names if topic_of(one)} for name, names in topics.items()} == {
        name: {name} for name in topics
    }


def test_combinations_are_those_that_counting_all_subsets_finds() -> None:
    rng = np.random.default_rng(3)
    columns = [facts(f"c{at}", rng.integers(0, size, 400)) for at, size in enumerate([3, 4, 6, 9, 12, 20])]
    found = search(columns)
    assert (found.rows, found.counted < 41) == (400, True)
    best = max(unique_rows(some) for some in itertools.combinations(columns, 3))
    assert found.found[0].unique == best
    for one in found.found:
        assert one.unique == unique_rows([column for column in columns if column.name in one.columns])
    assert found.with_others["c5"] * 400 == best


def facts(name: str, codes: np.ndarray) -> ColumnCounts:
    values, places = np.unique(codes, return_inverse=True)
    return ColumnCounts(name, len(codes), pa.array(values), places)


def unique_rows(columns: list[ColumnCounts] | tuple[ColumnCounts, ...]) -> int:
    rows = list(zip(*(column.codes.tolist() for column in columns), strict=True))
    return sum(rows.count(row) == 1 for row in rows)


def test_large_tables_are_searched_in_a_sample_and_that_is_said() -> None:
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "age": rng.integers(0, 90, 30_000),
            "zip": rng.integers(10000, 10900, 30_000),
            "sex": rng.integers(1, 3, 30_000),
        }
    )
    found = sf.profile(table)
    assert found.searched.rows == 20_000 == len(sampled(30_000, 0))
    assert "searched in 20,000 rows drawn at random, counted in all" in found.summary()
    together = next(one for one in found.searched.found if set(one.columns) >= {"age", "zip"})
    rows = zip(*(table.column(name).to_pylist() for name in together.columns), strict=True)
    counted = list(rows)
    seen: dict[object, int] = {}
    for row in counted:
        seen[row] = seen.get(row, 0) + 1
    assert together.unique == sum(count == 1 for count in seen.values())


def test_nothing_of_the_table_is_told_unless_it_is_asked_for() -> None:
    made = MADE[0]
    found = sf.profile(read(made))
    told = found.summary() + json.dumps(found.to_dict()) + repr(found)
    # Words of our own, such as 'Surgery' and 'none', may stand in the text; what only the table holds may not.
    cells = {
        cell
        for name in ("Patient-ID", "Name", "DOB", "Notes", "ICD-10", "Insurance no.")
        for cell in made.columns[name]
    }
    assert not [cell for cell in cells if len(cell) > 2 and cell in told]
    shown = found.to_dict(show=2)["columns"][0]["shown"]
    assert len(shown) == 2
    assert set(shown) <= set(made.columns["Patient-ID"])


def test_tables_of_all_sizes_and_types_are_profiled() -> None:
    with pytest.raises(sf.errors.DataError, match="a header and no rows"):
        sf.profile(pa.table({"a": pa.array([], pa.string())}))
    odd = pa.table(
        {
            "blob": pa.array([b"a", b"b"]),
            "list": pa.array([[1], [2]]),
            "flag": [True, False],
            "when": pa.array([0, 1], pa.time32("s")),
            "nan": [float("nan"), float("inf")],
        }
    )
    found = sf.profile(odd)
    assert [one.role for one in found.columns][:2] == ["identifier", "identifier"]
    assert found.names == tuple(odd.column_names)
    with pytest.raises(sf.errors.SchemaError, match="no column 'b'"):
        found["b"]


def test_the_suggested_schema_makes_a_release() -> None:
    made = next(one for one in MADE if one.name == "payroll")
    found = sf.profile(read(made))
    release = sf.anonymize(read(made), found.schema(), k=5, na=found.na, method="mondrian")
    assert release.verification.ok
    kept = {name for name, role in made.roles.items() if role not in {"identifier", "person"}}
    assert set(release.to_arrow().column_names) == kept


def test_orders_keep_their_steps() -> None:
    assert order_of([">1000", "<100", "500-1000", "100-500"]) == ("<100", "100-500", "500-1000", ">1000")
    assert order_of(["IV", "I", "III", "II"]) == ("I", "II", "III", "IV")
    assert order_of(["A", "b"]) == ()


def test_looks_count_missing_values_as_values() -> None:
    column = ColumnCounts("a", 3, pa.array([7]), np.array([0, -1, -1]))
    assert sorted(looks_of([column], np.arange(3)).people.tolist()) == [1, 2]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("AgeStartedSmoking", [14, 15, 16, 18, 21], "sensitive"),
        ("DrinksPerDay", [0, 1, 2, 3, 5], "sensitive"),
        ("ScreenHrsDay", [0, 1, 2, 3, 4], "sensitive"),
        ("AgeFirstSex", [15, 16, 17, 19, 20], "sensitive"),
        ("SexNumPartners", [0, 1, 2, 3, 12], "sensitive"),
        ("DaysMentalHealthBad", [0, 1, 2, 10, 30], "sensitive"),
        ("reading", [34, 47, 52, 57, 63], "sensitive"),
        ("money", [10, 250, 300, 470, 900], "sensitive"),
        ("WTEXAM4YR", [5120.5, 6110.25, 7000.5, 8123.75, 9001.5], "weight"),
        ("weight", [40, 60, 80, 120, 400], "weight"),  # five weights of a hundred and more rows each are none of bodies
        ("sex_first_child", [1, 2, 1, 2, 2], "quasi-identifier"),
        ("smoking_comments", ["quit", "no", "a pack", "rarely", "once"], "identifier"),
    ],
)
def test_kinds_of_survey_questions(name: str, values: list[object], role: str) -> None:
    assert sf.profile(pa.table({name: values * 120}))[name].role == role


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("num_patient", [10_000_019 + 733_331 * step for step in range(60)]),
        ("num_assured", [f"B{100_019 + 7_331 * step}" for step in range(60)]),
        ("where", [f"{step + 3} Maple Dr" for step in range(60)]),
        ("wo", [f"Lindenstraße {step + 3}" for step in range(60)]),
    ],
)
def test_what_points_to_a_person_with_several_rows_is_left_out(name: str, values: list[object]) -> None:
    assert sf.profile(pa.table({name: values * 3}))[name].role in {"identifier", "person"}


def test_the_label_of_a_variable_says_what_its_name_does_not(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"v1": [1.0, 2.0, 3.0, 4.0] * 30, "v2": [float(step % 60) for step in range(120)]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", column_labels=["Marital status", "Name of the patient"])
    found = sf.profile(tmp_path / "a.sav")
    assert found.roles == {"v1": "quasi-identifier", "v2": "identifier"}
    assert "marital status" in found["v1"].suggestion.reason


def test_a_number_of_a_record_is_called_so_and_a_letter_with_a_number_says_little() -> None:
    table = pa.table({"mrn": [f"M{row:05d}" for row in range(100)], "x17": [row % 5 + 1 for row in range(100)]})
    found = sf.profile(table)
    assert found["mrn"].suggestion.reason == "number of a medical record, by its name"
    assert (found["x17"].role, found["x17"].suggestion.certainty) == ("sensitive", "unsure")


def test_numbers_that_are_codes_get_no_intervals_and_bands_in_brackets_become_wider_bands() -> None:
    table = {
        "relat": [1 + row % 9 for row in range(360)],
        "visits": [1 + row % 9 for row in range(360)],
        "age": [f"[{row % 10 * 10}-{row % 10 * 10 + 10})" for row in range(360)],
    }
    found = sf.profile(pa.table(table)).hierarchies(["relat", "visits", "age"])
    assert [type(one).__name__ for one in found.values()] == ["Categorical", "Numeric", "Taxonomy"]


def test_a_profile_prints_the_rank_of_columns_beyond_the_core_set() -> None:
    made = random.Random(3)
    names = ["sex", "age", "occupation", *(f"detail{number}" for number in range(8))]
    table = {name: [f"{name} {made.randrange(4)}" for _ in range(400)] for name in names}
    found = sf.profile(pa.table(table))
    core = [one.name for one in found.ranking if one.core]
    said = found.summary()
    assert {"sex", "age", "occupation"} <= set(core)
    assert len(core) < len(found.ranking)
    assert f"Of {len(found.ranking)} suggested quasi-identifiers, begin with these {len(core)}:" in said
    assert all(f"  {one.name}: {one.reason}" in said for one in found.ranking)


def test_sex_and_place_belong_to_the_core_set_where_a_birthday_says_nearly_everything() -> None:
    made = random.Random(5)
    people = [
        {
            "date_of_birth": f"{1930 + made.randrange(80)}-{1 + made.randrange(12):02d}-{1 + made.randrange(28):02d}",
            "sex": made.choice(["female", "male"]),
            "municipality": made.choice(["Ashford", "Brigg", "Corby", "Derby", "Epsom"]),
        }
        for _ in range(300)
    ]
    # Every person comes twice, so that even who knows everything is right in one row of two.
    rows = [one | {"age": 2024 - int(one["date_of_birth"][:4])} for one in people for _ in range(2)]
    core = {one.name for one in sf.profile(pa.Table.from_pylist(rows)).ranking if one.core}
    assert {"age", "sex", "municipality"} == core


def test_values_that_look_wrong_are_said_at_once() -> None:
    cells = {"age": [30 + row % 40 for row in range(398)] + [-19, 221], "sex": ["F", "f", "Female ", "m"] * 100}
    found = {one.code: one.columns for one in sf.profile(pa.table(cells)).cautions}
    assert (found["odd-ages"], found["same-words"]) == (("age",), ("sex",))
