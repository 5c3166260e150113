"""Labels of SPSS and Stata files go through a release: names of variables, and values under the codes they had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import sfumato as sf

SEXES = {1.0: "male", 2.0: "female", 9.0: "refused to say"}
REGIONS = {10.0: "north", 20.0: "south", 30.0: "secret island"}
VISITS = {77.0: "do not know", 99.0: "refused"}


@pytest.fixture(params=["sav", "dta"])
def survey(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A survey whose codes are no counts from 1, with labels that no value has."""
    path = tmp_path / f"survey.{request.param}"
    rows = 60
    frame = pd.DataFrame(
        {
            "agegrp": [row % 30 + 20 for row in range(rows)],
            "sex": [float(row % 2 + 1) for row in range(rows)],
            "region": [float(10 + row % 2 * 10) for row in range(rows)],
            "visits": [77.0 if row % 7 == 0 else float(row % 3) for row in range(rows)],
        }
    )
    about: dict[str, Any] = {
        "column_labels": {"agegrp": "Age at interview", "sex": "Sex of respondent", "visits": "Visits last year"},
        "variable_value_labels": {"sex": SEXES, "region": REGIONS, "visits": VISITS},
    }
    if request.param == "sav":
        pyreadstat.write_sav(frame, str(path), **about)
    else:
        whole = {name: {int(code): label for code, label in labels.items()} for name, labels in
                 about["variable_value_labels"].items()}  # fmt: skip
        pyreadstat.write_dta(frame.astype(int), str(path), **{**about, "variable_value_labels": whole})
    return path


def test_labels_and_codes_go_through_a_release(survey: Path, tmp_path: Path) -> None:
    release = sf.anonymize(
        survey, quasi_identifiers=["agegrp", "sex"], sensitive="visits", plain="region", k=5, seed=1, method="mondrian"
    )
    path = tmp_path / f"release{survey.suffix}"
    release.write(path)
    read = pyreadstat.read_sav if survey.suffix == ".sav" else pyreadstat.read_dta
    frame, about = read(str(path))
    assert about.column_names_to_labels["agegrp"] == "Age at interview"
    assert about.column_names_to_labels["visits"] == "Visits last year"
    labels = about.variable_value_labels
    assert labels["region"] == {10: "north", 20: "south"}  # nothing about values that the release does not show
    assert set(frame["region"]) == {10, 20}
    assert labels["visits"] == {77: "do not know"}
    assert {code for code in labels["sex"] if code in SEXES} <= {1.0, 2.0}
    assert all(labels["sex"][code] == SEXES[code] for code in labels["sex"] if code in SEXES)
    assert "secret island" not in str(labels)
    assert b"secret island" not in path.read_bytes()
    assert b"refused" not in path.read_bytes()


def test_words_that_a_release_makes_get_numbers_after_the_codes(survey: Path, tmp_path: Path) -> None:
    release = sf.anonymize(
        survey, quasi_identifiers=["sex", "region"], rest="drop", k=25, seed=1, method="mondrian", suppression=0.0
    )
    path = tmp_path / "release.sav"
    release.write(path)
    _, about = pyreadstat.read_sav(str(path))
    for name, known in (("sex", SEXES), ("region", REGIONS)):
        for code, label in about.variable_value_labels[name].items():
            assert known.get(code, label) == label
            assert code in known or code > max(known)
    assert sf.check(path, quasi_identifiers=["sex", "region"], k=25).ok


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_categories_that_are_codes_keep_them(tmp_path: Path, form: str) -> None:
    people = pd.DataFrame({"region": [1, 2, 3, 9] * 15, "age": [20 + row % 3 for row in range(60)]})
    roles = {"region": sf.Categorical(), "age": None}
    release = sf.anonymize(people, quasi_identifiers=roles, k=5, seed=1, method="mondrian")
    path = tmp_path / f"release.{form}"
    release.write(path)
    read = pyreadstat.read_sav if form == "sav" else pyreadstat.read_dta
    frame, about = read(str(path))
    assert set(frame["region"]) >= {1, 2, 3, 9}
    assert {about.variable_value_labels["region"][code] for code in (1, 2, 3, 9)} == {"1", "2", "3", "9"}
    assert sf.check(path, quasi_identifiers=["region", "age"], k=5).ok
