"""Columns that were taken for something else than they are."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.assess.cautions.views import cautions, released, requested

from sfumato.assess.cautions.column_kinds import kinds
from sfumato.assess.cautions.missing_codes import date_format, sentinels
from sfumato.hierarchies import Categorical, Dates, Numeric, Ordered, Prefix, Taxonomy
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.table.schema import Declared, Schema


def view_of(values: list[object], name: str = "x", how: Declared = None):
    return requested({name: values}, Schema({name: how}))


def test_the_kind_of_every_column_is_told() -> None:
    cells = {
        "age": [1, 2],
        "born": [dt.date(2000, 1, 1), None],
        "sex": ["f", "m"],
        "zip": ["02139", "10001"],
        "grade": ["low", "high"],
        "town": ["Bari", "Bergen"],
        "ill": ["flu", "acne"],
        "pay": [1.5, 2.5],
    }
    schema = Schema(
        {
            "age": None,
            "born": None,
            "sex": None,
            "zip": Prefix(),
            "grade": Ordered(["low", "high"]),
            "town": Taxonomy.from_dict({"south": ["Bari"], "north": ["Bergen"]}),
        },
        sensitive="ill",
        plain="pay",
    )
    expected = ["number", "date", "category", "prefix", "order", "taxonomy", "category", "number"]
    assert list(kinds(requested(cells, schema)).values()) == expected


@pytest.mark.parametrize("name", ["occupation", "ZIP", "dept_id", "IndustryCode", "county fips"])
def test_numbers_under_the_name_of_a_code_are_named(name) -> None:
    [found] = cautions(view_of([83, 214, 15, 7], name), "code-as-number")
    assert (found.severity, found.columns, found.count) == ("warning", (name,), 4)


@pytest.mark.parametrize("name", ["age", "education-num", "hours-per-week", "income", "height_cm", "zipper"])
def test_numbers_are_not_suspected_by_their_name(name) -> None:
    assert cautions(view_of([83, 214, 15, 7], name), "code-as-number") == []


def test_declared_numbers_are_not_suspected() -> None:
    assert cautions(view_of([83, 214], "code", Numeric()), "code-as-number") == []


def test_numbers_of_one_length_may_be_codes_but_years_are_not() -> None:
    random = np.random.default_rng(0)
    assert cautions(view_of(random.integers(10_000, 99_999, 50).tolist()), "code-as-number")[0].severity == "note"
    assert cautions(view_of(random.integers(10, 99_999, 50).tolist()), "code-as-number") == []
    assert cautions(view_of(list(range(1950, 2010))), "code-as-number") == []


def test_days_written_as_numbers_are_dates() -> None:
    [found] = cautions(view_of([20240131, 19991231]), "code-as-number")
    assert "dates:%Y%m%d" in found.advice


def test_postcodes_that_are_flat_categories_are_noted() -> None:
    codes = [f"{number:05d}" for number in range(2100, 2140)]
    assert len(cautions(view_of(codes), "code-as-category")) == 1
    assert cautions(view_of(codes, how=Prefix()), "code-as-category") == []
    assert cautions(view_of([f"word {code}" for code in codes]), "code-as-category") == []


def test_postcodes_that_lost_their_zeros_are_a_warning() -> None:
    codes = ["2139", "53715", "20003", "501"]
    [found] = cautions(view_of(codes, "zip", Prefix()), "short-codes")
    assert (found.severity, found.columns, found.count) == ("warning", ("zip",), 2)
    assert "prefix:5" in found.advice
    assert cautions(view_of(codes, how=Prefix(length=5)), "short-codes") == []
    assert cautions(view_of(list(map(int, codes)), how=Prefix()), "short-codes") == []


@pytest.mark.parametrize(
    "codes", [["1", "12", "123", "2"], ["02139", "5371"], ["A1", "A12"], ["53715"], ["1", "11", "12", "2", "21", "3"]]
)
def test_codes_of_groups_may_be_shorter(codes) -> None:
    assert cautions(view_of(codes, how=Prefix()), "short-codes") == []


def test_a_question_mark_among_numbers_is_a_warning() -> None:
    [found] = cautions(view_of([*map(str, range(50)), "?", "?", "N/A"], "bmi"), "missing-codes")
    assert (found.severity, found.count) == ("warning", 3)
    assert "which makes a column of numbers one of categories" in found.found
    assert "--na 'bmi=" in found.advice


def test_a_question_mark_among_words_is_a_note() -> None:
    [found] = cautions(view_of(["clerk", "baker", "?"], "job"), "missing-codes")
    assert (found.severity, found.count) == ("note", 1)


def test_none_is_a_word_like_any_other_among_words() -> None:
    assert cautions(view_of(["none", "asthma"]), "missing-codes") == []
    assert len(cautions(view_of(["none", *"12345678"]), "missing-codes")) == 1


def test_a_declared_column_of_categories_may_hold_numbers() -> None:
    [found] = cautions(view_of([*"123456789", "?"], how=Categorical()), "missing-codes")
    assert found.severity == "note"


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([*range(18, 91), 999, 999], {999: 2}),
        ([*range(18, 91), 999], {}),  # once may be a value like any other
        ([*range(18, 100), 99], {}),  # next to all others
        ([*range(91), -1, -1], {-1: 2}),
        ([*range(-5, 91), -9, -9], {}),  # a column with other negative numbers
        ([*range(18, 91), 999, 999, 998, 998], {998: 2, 999: 2}),
        ([1, 9, 9], {}),
        ([*range(18, 91), -99, -99], {-99: 2}),
        ([-5, -1, -1], {}),  # all are negative
    ],
)
def test_numbers_that_stand_for_none_lie_far_away(numbers, expected) -> None:
    values, counts = np.unique(np.array(numbers, float), return_counts=True)
    assert sentinels(values, counts) == expected


def test_a_number_that_stands_for_none_is_told() -> None:
    [found] = cautions(view_of([*range(18, 91), 999, 999], "age"), "missing-codes")
    assert "'age' holds the number 999 in 2 of 75" in found.found
    assert cautions(view_of([*range(18, 91), 999, 999], "age", Numeric()), "missing-codes") == []


def test_a_word_among_numbers_is_told_without_the_word() -> None:
    [found] = cautions(view_of([*map(str, range(50)), "thirty"], "age"), "numbers-as-text")
    assert found.count == 1
    assert "thirty" not in str(found)


@pytest.mark.parametrize("written", ["{},5", "{} kg", "$ {}", "{} %", "1.{:03d},5"])
def test_numbers_written_in_another_way_are_told(written) -> None:
    [found] = cautions(view_of([written.format(number) for number in range(50)], "x"), "numbers-as-text")
    assert "a comma, a unit or a currency" in found.found


def test_words_are_no_numbers() -> None:
    assert cautions(view_of(["clerk", "baker", "7 dwarfs", "1"]), "numbers-as-text") == []


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["12/31/2024", "01/02/2023"], "%m/%d/%Y"),
        (["31.12.2024", "01.02.2023"], "%d.%m.%Y"),
        (["31/12/24", "01/02/23"], "%d/%m/%y"),
        (["2024/12/31"], "%Y/%m/%d"),
        (["12/31/2024 10:30", "01/02/2023 11:00"], "%m/%d/%Y %H:%M"),
    ],
)
def test_the_form_of_dates_is_guessed(texts, form) -> None:
    assert date_format(pa.array(texts)) == (form, 1.0)
    [found] = cautions(view_of(texts, "seen"), "dates-as-text")
    assert form in found.advice
    assert cautions(view_of(texts, "seen"), "numbers-as-text") == []


def test_declared_dates_are_not_told() -> None:
    assert cautions(view_of(["2024-12-31", "2023-01-01"], how=Dates()), "dates-as-text") == []


def lost(cells: dict[str, list[object]], schema: Schema):
    return cautions(released(cells, schema, [0] * len(next(iter(cells.values())))), "lost-column")


def test_a_column_of_which_nothing_is_left_says_why() -> None:
    words = [f"word {row}" for row in range(30)]
    [flat] = lost({"job": words}, Schema("job"))
    assert "30 categories and nothing between" in flat.found
    [missing] = lost({"age": [*range(29), None]}, Schema("age"))
    assert "missing value beside others" in missing.found
    [crowded] = lost({"age": list(range(30))}, Schema("age"))
    assert "1 quasi-identifier leaves little room in classes of at least " in crowded.found


def test_a_column_that_another_rule_took_blames_that_rule() -> None:
    view = released({"age": list(range(30)), "ill": list("ab") * 15}, Schema("age", sensitive="ill"), [0] * 30)
    [found] = cautions(replace(view, models=[KAnonymity(5), LDiversity(2)]), "lost-column")
    assert "little room in classes of at least 5 that keep l-diversity." in found.found
    assert "ask for a smaller k, or for less l-diversity," in found.advice


def test_a_column_of_which_something_is_left_is_not_told() -> None:
    assert cautions(released({"age": [1, 2, 8, 9]}, Schema("age"), [0, 0, 1, 1]), "lost-column") == []
