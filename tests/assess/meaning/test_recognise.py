"""One recogniser: what names say in eleven languages, what values show, and what is harmless by both."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.assess.meaning.names import read_name
from sfumato.assess.meaning.recognise import could_point_to_a_person, recognise
from sfumato.assess.meaning.vocabulary import topic_of

KINDS = {
    "name": "nameLast FIRST MIDDLE first fname lname Nachname prénom apellidos cognome achternaam imię 姓名 氏名 الاسم",
    "record": "MRN Krankenaktennummer medical_record_no numéro_de_dossier カルテ番号 病历号 رقم_السجل",
    "telephone": "Notfalltelefon telefoonnummer numer_telefonu 电话号码 電話番号 رقم_الهاتف HomePhone",
    "birth": "dob Geburtsdatum DateOfBirth fecha_de_nacimiento geboortedatum 生年月日 تاريخ_الميلاد birth_month",
    "social": "SSN PESEL codice_fiscale 身份证号 マイナンバー Sozialversicherungsnummer burgerservicenummer",
    "place": "village birthplace district Wohnort Straße adresse_du_patient ciudad 住所 العنوان geburtsort",
    "licence": "npi DRIVERS Führerscheinnummer passport_no",
    "person": "employer next_of_kin spouse mother doctor Arbeitgeber médecin 主治医 nok",
    "institution": "hospital clinic Krankenhaus ospedale 病院",
    "identifier": "patient_id PatientID Patientennummer 患者番号",
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in KINDS.items() for name in names.split()])
def test_names_are_understood_in_many_languages_and_spellings(kind: str, name: str) -> None:
    assert read_name(name).kind == kind


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sex", ["f", "m"]),
        ("doctor_sex", ["f", "m"]),
        ("Geschlecht", ["w", "m"]),
        ("HbA1c", [5.4, 7.1]),
        ("has_sarcoidosis", ["yes", "no"]),
        ("state", ["MA", "NY"]),
        ("cpt_code", ["99213", "99214"]),
        ("CODE", ["44054006", "59621000"]),
        ("drug_name", ["metformin", "aspirin"]),
        ("admission_year", [2019, 2020]),
        ("blood_pressure", ["120/80", "130/85"]),
        ("Hauptdiagnose", ["J45.9", "E11.9"]),
        ("steps_per_day", [4021, 9070]),
        ("kras_status", ["wild type", "mutated"]),
    ],
)
def test_what_is_understood_by_name_and_values_is_harmless(name: str, values: list[object]) -> None:
    assert recognise(name, pa.chunked_array([values * 20])).harmless


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("x17", ["a", "b"], None),
        ("referred_by", ["Abe", "Bek"], "name"),
        ("transferred_from", ["Mercy", "General"], "place"),
        ("sex", ["Anna", "Maria"], "name"),
        ("status", ["617 555 0123", "-"], "telephone"),
        ("lab", ["fe80::1", "2001:db8::2"], "internet"),
        ("result", ["20240517", "20230102"], "date"),
        ("diagnosis", ["17 May 2024", "flu"], "date"),
        ("visit", ["2024-W20", "2024-W21"], "date"),
        ("glucose", [123456789, 987654321], None),
        ("race", ["Boston", "Lowell"], "place"),
        ("vaccine", ["IMG_1.JPG", "IMG_2.JPG"], "photo"),
    ],
)
def test_values_that_belie_a_harmless_name_are_seen(name: str, values: list[object], kind: str | None) -> None:
    found = recognise(name, pa.chunked_array([values * 20]))
    assert (found.kind, found.harmless) == (kind, None)


def test_profile_presets_and_guardrails_agree() -> None:
    assert topic_of("nameLast") == ("person's name", "names")
    assert topic_of("Krankenaktennummer").group == "names"  # type: ignore[union-attr]
    assert read_name("nameLast").kind == "name"


def test_a_record_number_that_looks_like_a_diagnosis_is_not_published() -> None:
    rng = random.Random(1)
    numbers = rng.sample(
        [f"{letter}{one:02d}.{part}" for letter in "ABCDEF" for one in range(100) for part in "0123"], 200
    )
    for name, role in (("Krankenaktennummer", "identifier"), ("Befundkürzel", "identifier")):
        table = pa.table({name: numbers, "age": [rng.randint(20, 80) for _ in numbers], "sex": ["f", "m"] * 100})
        assert sf.profile(table)[name].role == role
        with pytest.raises(sf.errors.CautionError, match="near-unique"):
            sf.anonymize(table, quasi_identifiers=["age", "sex"], sensitive=name, k=5)
        told = sf.anonymize(
            table, quasi_identifiers=["age", "sex"], sensitive=name, k=5, confirm=name, method="mondrian"
        )
        assert name in told.data.column_names


def test_measurements_are_nearly_unique_without_pointing_to_anybody() -> None:
    assert not could_point_to_a_person("creatinine", pa.array([0.91 + step / 1000 for step in range(60)]))
    assert not could_point_to_a_person("salary", pa.array([20_000 + 7 * step for step in range(60)]))
    assert could_point_to_a_person("x", pa.array([20_000 + 7 * step for step in range(60)]))
    assert could_point_to_a_person("finding", pa.array([f"K{step}" for step in range(60)]))


def test_dates_and_what_is_not_looked_at_could_point_to_a_person() -> None:
    days = pa.array(range(60), pa.int32()).cast(pa.date32())
    assert could_point_to_a_person("born", days)
    assert could_point_to_a_person("x", pa.array([], pa.string()))
    assert could_point_to_a_person("x", pa.array([], pa.int64()))
    assert not could_point_to_a_person("salary", pa.array([], pa.int64()))
    assert not could_point_to_a_person("x", pa.array([], pa.float64()))


@pytest.mark.parametrize("name", ["pt", "service_level_no", "lab_test"])
def test_numbers_of_people_with_several_rows_are_no_measurements(name: str) -> None:
    numbers = random.Random(3).sample(range(10_000, 99_999), 60)
    assert recognise(name, pa.chunked_array([numbers * 3])).harmless is None


def test_amounts_are_no_times_of_a_day() -> None:
    amounts = pa.chunked_array([["1.25", "0.9", "1.81", "1.59", "2"] * 8])
    assert recognise("creatinine", amounts).harmless
    assert recognise("rested", pa.chunked_array([["1.25", "0.59", "1.41", "11.59"] * 8])).kind == "date"
