"""Cautions about values that look wrong before anything runs."""

from __future__ import annotations

import pytest
from tests.assess.cautions.views import cautions, released, requested

from sfumato.hierarchies import Categorical, Ordered
from sfumato.table.schema import Schema

SEXES = ["F", "f", "Female ", "M", "m"]


@pytest.mark.parametrize("name", ["age", "Alter", "patient_age", "AgeAtVisit", "edad"])
def test_ages_that_nobody_has(name: str) -> None:
    [found] = cautions(requested({name: [34, -19, 221, 40, 51]}, Schema(name)), "odd-ages")
    assert (found.severity, found.count, found.columns) == ("warning", 2, (name,))
    assert "-19" not in str(found)
    assert "221" not in str(found)


@pytest.mark.parametrize(
    ("name", "values"),
    [("age", [0, 120, 45]), ("age_months", [221, 30, 7]), ("wage", [2000, 10, 20]), ("age", [400, 500, 3])],
)
def test_what_is_no_odd_age(name: str, values: list[int]) -> None:
    assert not cautions(requested({name: values}, Schema(name)), "odd-ages")


def test_several_words_for_one_thing() -> None:
    [found] = cautions(requested({"sex": SEXES}, Schema("sex")), "same-words")
    assert "sf.Fold(case=True)" in found.advice
    assert not cautions(requested({"sex": ["F", "M", "x"]}, Schema("sex")), "same-words")
    assert not cautions(requested({"a": ["yes", "no", "maybe"]}, Schema("a")), "same-words")


def test_codes_that_a_program_keeps_as_fractions_are_codes() -> None:
    relat = [float(number) for number in range(1, 10)]
    [found] = cautions(requested({"relat": relat}, Schema("relat")), "few-numbers")
    assert found.columns == ("relat",)
    assert not cautions(requested({"relat": [*relat[1:], 1.5]}, Schema("relat")), "few-numbers")


def test_few_small_numbers_may_be_codes() -> None:
    cells = {"relat": list(range(1, 10)), "children": [0, 1, 2] * 3, "big": list(range(100, 109))}
    schema = Schema(["relat", "children", "big"])
    [found] = cautions(requested(cells, schema), "few-numbers")
    assert found.columns == ("relat",)
    declared = Schema({"relat": Categorical(), "children": None, "big": None})
    assert not cautions(requested(cells, declared), "few-numbers")


def test_codes_with_fractions_are_codes() -> None:
    [found] = cautions(requested({"icd_code": [250.01, 401.9, 250.0]}, Schema("icd_code")), "code-as-number")
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "bands",
    [
        ["[70-80)", "[80-90)", "[0-10)"],
        ["<18", "18-64", "65+"],
        ["0 to 4", "5 to 9", ">10"],
        ["18–24", "25–30", "≥ 31"],
    ],
)
def test_bands_have_an_order(bands: list[str]) -> None:
    [found] = cautions(requested({"age": bands}, Schema("age")), "bands")
    assert "sf.Ordered" in found.advice
    assert not cautions(requested({"age": bands}, Schema({"age": Ordered(bands)})), "bands")
    assert not cautions(requested({"age": [*bands, "unknown"]}, Schema("age")), "bands")


def test_numbers_and_dates_that_became_stars_stop_a_release() -> None:
    dates = [f"{day:02d}/{month:02d}/2020" for day in range(1, 29) for month in (3, 30 - day)]
    for name, texts in {"seen": dates, "pay": [f"{number} kg" for number in range(40)]}.items():
        view = released({name: texts}, Schema(name), [0] * len(texts))
        [found] = cautions(view, "lost-column")
        assert (found.severity, found.columns) == ("error", (name,))
    words = released({"job": [f"word {row}" for row in range(40)]}, Schema("job"), [0] * 40)
    assert [one.severity for one in cautions(words, "lost-column")] == ["warning"]


def test_numbers_that_are_stored_as_text_are_told() -> None:
    ages = [str(number) for number in range(18, 60)]
    [found] = cautions(requested({"age": ages}, Schema("age")), "numbers-as-text")
    assert "--hierarchy age=numeric" in found.advice
    assert cautions(requested({"steps": [str(100 * n) for n in range(30)]}, Schema("steps")), "numbers-as-text")
    for name, texts in {"zip": [str(53700 + n) for n in range(30)], "job_code": ages, "sex": ["1", "2"] * 20}.items():
        assert cautions(requested({name: texts}, Schema(name)), "numbers-as-text") == []


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            ["31.12.2020", "30.11.2019", "29.01.2018", "28.02.2017", "27.03.2016", "99.88.7777"],
            "Most are written '%d.%m.%Y'",
        ),
        (["31/12/2020", "12/31/2020", "30/11/2019", "11/30/2019"], "Some may have the day first"),
        (["31.12.2020", "30.11.2019"], "Dates(format='%d.%m.%Y')"),
    ],
)
def test_what_to_do_about_dates_that_are_words(texts: list[str], said: str) -> None:
    [found] = cautions(requested({"seen": texts}, Schema("seen")), "dates-as-text")
    assert said in found.advice
