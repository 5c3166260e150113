"""Closed presets: what was not understood does not come out, and what is confirmed by hand is recorded."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import CautionError, ParameterError, SchemaError
from sfumato.run.presets.preset import Preset

SAFE = "hipaa-safe-harbor"
ROWS = 40


def table(**columns: list[object]) -> pa.Table:
    return pa.table(
        {"sex": ["f", "m"] * (ROWS // 2)} | {name: (cells * ROWS)[:ROWS] for name, cells in columns.items()}
    )


#: Columns that an earlier version published, each with a few cells.
PUBLISHED = {
    "first": ["Abe", "Zoe"],
    "MIDDLE": ["Q", "R"],
    "DRIVERS": ["S99912345", "S99967890"],
    "birth_month": [3, 11],
    "death_day": [7, 30],
    "employer": ["Acme", "Umbrella"],
    "next_of_kin": ["Abe Q", "Zoe R"],
    "village": ["Little Wick", "Upper End"],
    "hospital": ["Mercy", "General"],
    "npi": [1234567893, 1245319599],
    "visit_week": ["2024-W20", "2024-W21"],
    "quarter": ["2024-Q2", "2024-Q3"],
    "contact": ["617 555 0123", "617 555 0199"],
    "address6": ["fe80::1", "::1"],
    "x": ["a", "b"],
}


def test_what_is_not_understood_is_dropped_or_stops_the_run() -> None:
    whole = table(**PUBLISHED)
    release = sf.anonymize(whole, quasi_identifiers="sex", rest="plain", preset=SAFE)
    shown = set(release.data.column_names) & set(PUBLISHED)
    assert shown <= {"visit_week", "quarter"}
    assert all(cell in {"2024", 2024} for name in shown for cell in release.data[name].to_pylist())
    with pytest.raises(CautionError, match=r"'x': something not understood.*confirm="):
        sf.anonymize(table(x=["a", "b"]), quasi_identifiers="sex", plain="x", preset=SAFE)


def test_a_confirmation_stands_in_manifest_summary_report_and_certificate(tmp_path: Path) -> None:
    whole = table(x=["a", "b"])
    release = sf.anonymize(whole, quasi_identifiers="sex", plain="x", confirm=["x"], preset=SAFE, k=2)
    assert release.manifest["preset"]["confirmed"]["x"].startswith("something not understood")
    assert release.manifest["preset"]["census"] == 2020
    assert "census of 2020" in release.summary()
    file, page = tmp_path / "release.csv", tmp_path / "report.html"
    release.write(file)
    release.report(page)
    assert "which looks like something not understood" in page.read_text(encoding="utf-8")
    assert "census of 2020" in page.read_text(encoding="utf-8")
    record = sf.certify(whole, release, file, targets=5).record
    assert "x" in record["preset"]["confirmed"]
    assert json.dumps(record)


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["05/17/24", "06/18/23"], {"2024", "2023"}),
        (["17 May 2024", "3 June 2023"], {"2024", "2023"}),
        ([20240517, 20230603], {"2024", "2023"}),
        (["2024年5月17日", "2023年6月3日"], {"2024", "2023"}),
        (["1930-01-02", "2023-06-03"], {f"{datetime.date.today().year - 90} or before", "2023"}),
    ],
)
def test_dates_become_years_however_they_are_written(cells: list[object], shown: set[str]) -> None:
    release = sf.anonymize(table(visit_date=cells), preset=SAFE, rest="plain")
    assert {str(cell) for cell in release.data["visit_date"].to_pylist()} == shown


def test_ages_over_89_are_one_group_however_they_are_written() -> None:
    ages = ["34", "91 years", "1e2", "85-94", "80-89", ">89", "unknown", "104.0"]
    release = sf.anonymize(table(age=ages), quasi_identifiers={"sex": None}, sensitive="age", preset=SAFE)
    assert set(release.data["age"].to_pylist()) == {"34", "90+", "85+", "80-89", "unknown"}
    with pytest.raises(CautionError, match="ages that cannot be read"):
        sf.anonymize(
            table(age=["34", "ninety-one"]), quasi_identifiers="sex", plain="age", preset=SAFE, confirm=["age"]
        )


def test_born_in_1920_and_an_age_that_a_transformation_makes() -> None:
    born = sf.anonymize(table(born=[1920, 1990]), preset=SAFE, rest="plain")
    last = datetime.date.today().year - 90
    assert {str(cell) for cell in born.data["born"].to_pylist()} == {f"{last} or before", "1990"}
    days = [datetime.date(1920, 1, 1), datetime.date(1990, 1, 1)]
    asked = {"identifiers": "dob", "transform": {"x": sf.Age("dob", "2024-12-31")}, "preset": SAFE}
    made = sf.anonymize(table(dob=days), quasi_identifiers=["sex", "x"], **asked)
    assert set(made.data["x"].to_pylist()) == {"90+", "34"}
    with pytest.raises(SchemaError, match="recodes 'age' itself"):
        sf.anonymize(table(age=[30, 99]), quasi_identifiers=["sex", "age"], transform={"age": sf.Round(5)}, preset=SAFE)


def test_pseudonyms_have_to_be_confirmed() -> None:
    asked = {"quasi_identifiers": "sex", "identifiers": "patient_id", "preset": SAFE}
    asked |= {"pseudonymize": {"patient_id": sf.Pseudonyms()}}
    with pytest.raises(CautionError, match="'patient_id': pseudonyms"):
        sf.anonymize(table(patient_id=["a1", "b2"]), **asked)


def test_zip_codes_by_three_censuses() -> None:
    zips = table(zip=["20212", "06312", "02139"])
    shown = {
        name: set(sf.anonymize(zips, preset=name, rest="plain").data["zip"].to_pylist())
        for name in (SAFE, f"{SAFE}:2010", f"{SAFE}:2000")
    }
    assert shown == {
        SAFE: {"000", "063", "021"},
        f"{SAFE}:2010": {"202", "063", "021"},
        f"{SAFE}:2000": {"202", "000", "021"},
    }
    sizes = {census: len(few) for census, few in Preset.named(SAFE).zips.by_census.items()}  # type: ignore[union-attr]
    assert sizes == {"2020": 18, "2010": 14, "2000": 17}
    with pytest.raises(ParameterError, match="no list of zip codes for the census '1990'"):
        Preset.named(f"{SAFE}:1990")


def test_a_closed_preset_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    lines = ["title = 'House'", "summary = 'b'", "source = 'c'", "closed = true", "[[identifiers]]", "what = 'names'"]
    file.write_text("\n".join([*lines, "kinds = ['name']"]), encoding="utf-8")
    whole = table(x=["a", "b"], lastName=["Q", "R"], race=["white", "black"])
    release = sf.anonymize(whole, quasi_identifiers="sex", rest="plain", k=2, preset=str(file))
    assert release.data.column_names == ["sex", "race"]
    assert release.manifest["preset"]["dropped"]["lastName"] == "names"
    file.write_text("\n".join([*lines, "kinds = ['nonsense']"]), encoding="utf-8")
    with pytest.raises(ParameterError, match="'nonsense'"):
        Preset.named(str(file))


def test_a_finished_file_is_looked_at_as_well(tmp_path: Path) -> None:
    file = tmp_path / "others.csv"
    file.write_text("sex,bmi,x,seen\nf,[20.1,q,17 May 2024\nm,25.2,r,2024\n".replace("[20.1", "20.1"), encoding="utf-8")
    broken = {one.column for one in sf.check(file, quasi_identifiers=["sex"], preset=SAFE).violations}
    assert broken == {"x", "seen"}


def test_a_release_passes_the_check_of_its_preset_and_its_original_does_not() -> None:
    rows = range(240)
    table = pa.table(
        {
            "sex": ["f", "m"] * 120,
            "dob": [f"{1925 + row % 80}-0{row % 9 + 1}-17" for row in rows],
            "age": [row % 100 for row in rows],
            "visit_week": [row % 50 for row in rows],
            "creatinine": [0.4 + row % 130 / 100 for row in rows],
        }
    )
    asked = {"quasi_identifiers": ["sex", "dob", "age"], "preset": "hipaa-safe-harbor", "k": 3}
    release = sf.anonymize(table, **asked, rest="plain")
    assert sf.check(release.table, **asked).ok
    broken = [line for line in sf.check(table, **asked).summary().splitlines() if "BROKEN" in line]
    named = {name for name in table.column_names if any(f"'{name}'" in line for line in broken)}
    assert named - {"sex"} == {"dob", "age", "visit_week"}


def test_a_column_that_is_confirmed_is_confirmed_for_a_check_as_well() -> None:
    table = pa.table({"sex": ["f", "m"] * 60, "xk7": ["Mon", "Sun"] * 60})
    asked = {"quasi_identifiers": "sex", "preset": "hipaa-safe-harbor"}
    assert not sf.check(table, **asked).ok
    assert sf.check(table, **asked, confirm="xk7").ok
