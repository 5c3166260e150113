"""Hierarchies that `init` draws: what a label says is true of all values below it."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.hierarchies import Categorical, Numeric, Taxonomy
from sfumato.hierarchies.countries import places_of_countries
from sfumato.profiles.drawn import _countries, _plain


def drawn(name: str, values: list[object]) -> object:
    table = pa.table({name: values * 30, "age": list(range(20, 50)) * len(values)})
    return sf.profile(table).hierarchies([name])[name]


def groups(name: str, values: list[object]) -> dict[str, tuple[str, ...]]:
    found = drawn(name, values)
    assert isinstance(found, Taxonomy), found
    return {row[0]: tuple(row[1:-1]) for row in found.rows}


def test_marital_states_schools_and_work_are_grouped_by_what_they_mean() -> None:
    married = groups("marital_status", ["Married", "NeverMarried", "Divorced", "Widowed", "LivePartner"])
    assert married["Divorced"] == married["Widowed"] != married["Married"] == married["LivePartner"]
    school = groups("educat", ["less than high school", "some high school", "finished high school", "some college"])
    assert school["some high school"] == school["less than high school"] == ("did not finish school",)
    assert school["finished high school"] == ("finished school",)
    work = groups("employment", ["full time", "part time", "retired", "unemployed", "in school"])
    assert work["retired"] == work["unemployed"] == ("not working",)


@pytest.mark.parametrize(
    "values", [["School teacher", "Student adviser", "Retail clerk", "Working dogs"], ["red", "blue", "green", "grey"]]
)
def test_values_that_only_begin_like_one_are_not_grouped(values: list[object]) -> None:
    assert isinstance(drawn("employment", values), Categorical)


def test_codes_of_icd_9_stand_in_their_chapters() -> None:
    found = groups("diag_1_icd9", ["250.02", "250.01", "428", "V58", "E885", "8.45"])
    assert found["250.02"] == ("250", "240-279")
    assert (found["428"][-1], found["V58"][-1], found["E885"][-1]) == ("390-459", "V00-V99", "E000-E999")
    assert found["8.45"] == ("008", "001-139")


def test_countries_stand_in_their_regions_by_any_name() -> None:
    found = groups("birth_country", ["Germany", "España", "United States", "the Philippines", "cote d'ivoire", "JPN"])
    assert found["España"] == ("Southern Europe", "Europe")
    assert found["United States"] == ("Northern America", "Americas")
    assert found["the Philippines"][-1] == found["JPN"][-1] == "Asia"
    assert groups("nationality", ["German", "French", "Polish", "Spanish"])["German"] == ("Western Europe",)
    assert groups("country", ["Germany", "France", "Poland", "Spain", "Elsewhere"])["Elsewhere"] == ("other",)


def test_every_country_has_a_name_and_no_name_has_two() -> None:
    listed = tomllib.loads((files("sfumato.profiles") / "country_names.toml").read_text(encoding="utf-8"))
    assert set(listed) == {code for code in places_of_countries() if len(code) == 2}
    codes = {(_plain(name), code) for code, names in listed.items() for name in names.split("|")}
    assert len(codes) == len({name for name, _ in codes})


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it", "nl", "pl", "pt"])
def test_names_of_countries_are_those_of_another_list(language: str) -> None:
    babel = pytest.importorskip("babel")
    codes = {code for code in places_of_countries() if len(code) == 2}
    names = {code: name for code, name in babel.Locale(language).territories.items() if code in codes}
    known = {code: _countries().get(_plain(name)) for code, name in names.items()}
    assert {code: found for code, found in known.items() if found not in {None, code}} == {}
    if language == "en":
        assert len([code for code, found in known.items() if found == code]) > 240


def test_a_doctorate_is_a_degree() -> None:
    found = groups("education", ["PhD", "bachelor", "high school", "primary school"])
    assert found["PhD"] == found["bachelor"] == ("university",)


def test_bands_become_wider_bands_and_open_ends_stand_alone() -> None:
    found = groups("age_group", [*(f"[{low}-{low + 10})" for low in range(0, 90, 10)), "90+"])
    assert found["[60-70)"] == ("[60-80)", "[40-80)")
    assert found["90+"] == ("90 or more", "90 or more")


def test_numbers_that_are_codes_get_no_intervals() -> None:
    table = pa.table(
        {"kindpers": [1, 2, 3, 4, 7, 9] * 50, "numyoung": [0, 0, 0, 1, 1, 2] * 50, "occucode": [*range(100, 160)] * 5}
    )
    found = sf.profile(table).hierarchies(["kindpers", "numyoung", "occucode"])
    assert not isinstance(found["kindpers"], Numeric)
    assert not isinstance(found["occucode"], Numeric)
    assert isinstance(found["numyoung"], Numeric)


def test_a_stop_of_dates_is_a_date() -> None:
    table = pa.table({"STOP": [f"2020-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 28)]})
    assert sf.profile(table).columns[0].suggestion.reason.startswith("date")
