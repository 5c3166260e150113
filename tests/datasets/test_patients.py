from __future__ import annotations

import datetime

import pytest
from tests.datasets.helpers import heights

from sfumato.datasets import patients
from sfumato.errors import ParameterError


def test_the_version_with_ages_averages_as_the_paper_says():
    """Figure 8 of the Mondrian paper gives the mean age and the zip codes of each of three classes."""
    rows = patients().table.to_pylist()
    classes = {
        ("Flu", "Bronchitis"): (25.5, "Male", {53711}),
        ("Hepatitis", "AIDS"): (26, "Female", {53712}),
        ("Broken Arm", "Hang Nail"): (27.5, "Male", {53710, 53711}),
    }
    for diseases, (mean, sex, zipcodes) in classes.items():
        members = [row for row in rows if row["disease"] in diseases]
        assert sum(row["age"] for row in members) / 2 == mean
        assert {row["sex"] for row in members} == {sex}
        assert {row["zipcode"] for row in members} == zipcodes


def test_the_version_with_birthdates_is_two_anonymous_where_the_paper_says():
    """Example 3.1 of Incognito: by sex and the fully generalized zip code, but not by sex and zip code."""
    rows = patients("birthdate").table.to_pylist()

    def smallest(*columns: str) -> int:
        groups = [tuple(row[column] for column in columns) for row in rows]
        return min(map(groups.count, groups))

    assert smallest("sex") >= 2
    assert smallest("sex", "zipcode") == 1
    assert smallest("birthdate") == smallest("zipcode") == 2
    assert rows[0] == {
        "birthdate": datetime.date(1976, 1, 21),
        "sex": "Male",
        "zipcode": "53715",
        "disease": "Flu",
    }


def test_heights_are_those_of_the_lattices_in_the_paper():
    assert heights(patients("birthdate")) == {"birthdate": 1, "zipcode": 2, "sex": 1}
    assert heights(patients("age")) == {"age": 1, "zipcode": 1, "sex": 1}


@pytest.mark.parametrize(("version", "first"), [("age", "age"), ("birthdate", "birthdate")])
def test_roles(version, first):
    dataset = patients(version)
    assert dataset.quasi_identifiers == (first, "sex", "zipcode")
    assert dataset.sensitive == ("disease",)


def test_another_version_is_refused():
    with pytest.raises(ParameterError, match="'version' parameter of patients must be one of 'age', 'birthdate'"):
        patients("height")
