"""The six patients that explain k-anonymity in the literature."""

from __future__ import annotations

import datetime

import pyarrow as pa

from sfumato.common import parameters
from sfumato.datasets.dataset import Dataset
from sfumato.hierarchies import Categorical, Dates, Hierarchy, Numeric, Taxonomy

_AGED = {
    "age": [25, 25, 26, 27, 27, 28],
    "sex": ["Male", "Female", "Male", "Male", "Female", "Male"],
    "zipcode": [53711, 53712, 53711, 53710, 53712, 53711],
    "disease": ["Flu", "Hepatitis", "Bronchitis", "Broken Arm", "AIDS", "Hang Nail"],
}

_JANUARY, _FEBRUARY, _APRIL = (
    datetime.date(1976, 1, 21),
    datetime.date(1976, 2, 28),
    datetime.date(1986, 4, 13),
)
_BORN = {
    "birthdate": [_JANUARY, _APRIL, _FEBRUARY, _JANUARY, _APRIL, _FEBRUARY],
    "sex": ["Male", "Female", "Male", "Male", "Female", "Female"],
    "zipcode": ["53715", "53715", "53703", "53703", "53706", "53706"],
    "disease": ["Flu", "Hepatitis", "Bronchitis", "Broken Arm", "Sprained Ankle", "Hang Nail"],
}


def patients(version: str = "age") -> Dataset:
    """Make the Patients table: six rows, three quasi-identifiers and a disease.

    Parameters
    ----------
    version
        ``"age"``: as in LeFevre, DeWitt and Ramakrishnan, *Mondrian Multidimensional k-Anonymity*, ICDE
        2006, with ages, and zip codes on a scale. ``"birthdate"``: as in the same authors' *Incognito*,
        SIGMOD 2005, with dates of birth, and zip codes that lose their last digit, then everything.

    Examples
    --------
    >>> patients().table.column("age").to_pylist()
    [25, 25, 26, 27, 27, 28]
    """
    parameters.choice("patients", "version", version, ("age", "birthdate"))
    hierarchies: dict[str, Hierarchy]
    if version == "age":
        table, hierarchies = pa.table(_AGED), {"age": Numeric(), "zipcode": Numeric()}
    else:
        zipcodes = [(zipcode, f"{zipcode[:4]}*", "*") for zipcode in ("53703", "53706", "53710", "53715")]
        table = pa.table(_BORN)
        hierarchies = {"birthdate": Dates(levels=()), "zipcode": Taxonomy.from_rows(zipcodes)}
    return Dataset.of("patients", table, {**hierarchies, "sex": Categorical()}, sensitive=("disease",))
