"""What neighbours, labels and codebooks say of columns whose own names and values say nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.assess.meaning.codebooks import codebooks
from sfumato.assess.meaning.vocabulary import labelled_topic


def of_people(rows: int = 900, **columns: list[object]) -> pa.Table:
    draw = random.Random(3)
    return pa.table({"age": [draw.randint(18, 80) for _ in range(rows)], **columns})


def test_flags_that_exclude_a_known_one_are_known_too_and_others_are_answers() -> None:
    draw = random.Random(5)
    group = [draw.choice(["black", "qq1", "qq2"]) for _ in range(900)]
    flags = {name: [int(one == name) for one in group] for name in ("black", "qq1")}
    found = sf.profile(of_people(**flags, qq3=[draw.randint(0, 1) for _ in group]))
    assert found.roles == {
        "age": "quasi-identifier",
        "black": "quasi-identifier",
        "qq1": "quasi-identifier",
        "qq3": "sensitive",
    }
    assert found["qq1"].suggestion.reason == "ethnic group, since it and 'black' are never true together"


def test_columns_that_share_a_word_and_their_steps_are_questions() -> None:
    draw = random.Random(6)
    asked = {f"mvq_{word}": [draw.randint(1, 7) for _ in range(900)] for word in ("pxa", "pxb", "pxc")}
    found = sf.profile(of_people(**asked, warm=[*range(101), *(draw.randint(0, 100) for _ in range(799))]))
    assert [found[name].role for name in (*asked, "warm")] == ["sensitive"] * 4
    assert "named and answered in the same way" in found["mvq_pxa"].suggestion.reason


def test_a_number_stands_for_people_whose_sex_and_birth_never_change_whatever_it_is_called() -> None:
    draw = random.Random(8)
    people = [(draw.choice("fm"), draw.randint(1940, 2000)) for _ in range(150)]
    who = [draw.randrange(150) for _ in range(900)]
    table = of_people(
        zz=[one + 5 for one in who], sex=[people[one][0] for one in who], born=[people[one][1] for one in who]
    )
    found = sf.profile(table)
    assert found["zz"].role == "person"
    assert "stay the same within its values" in found["zz"].suggestion.reason


def test_a_few_values_of_many_rows_stand_for_nobody() -> None:
    draw = random.Random(9)
    table = of_people(member=[draw.randint(1, 4) for _ in range(900)], sex=[draw.choice("fm") for _ in range(900)])
    assert "several-rows-per-person" not in {one.code for one in sf.profile(table).cautions}


@pytest.mark.parametrize(
    ("name", "label", "topic"),
    [
        ("cp", "Type of chest pain", "disease"),
        ("st", "Year of birth of the respondent", "year of birth"),
        ("sex", "Sex of the respondent", "sex"),
        ("income", "How much is your income?", "income"),
        ("a17", "Factor de expansion", "survey weight"),
        ("WEIGHT2", "Reported weight in pounds", "body"),
        ("wt9", "Weight change in kilograms", "body"),
        ("qs", "Quit smoking between 1st visit and 1982", "habits"),
        ("c1", "Length of time since last routine checkup", "disease"),
        ("LCPWT", "Final weight: land-line and cell-phone data", "survey weight"),
    ],
)
def test_labels_count_before_short_names(name: str, label: str, topic: str) -> None:
    found = labelled_topic(name, label)
    assert found is not None
    assert found.name == topic


def test_numbers_that_cannot_be_what_a_short_name_says_are_not() -> None:
    found = sf.profile(of_people(cp=[at % 4 for at in range(900)]))
    assert "postcode" not in found["cp"].suggestion.reason


def test_weights_of_a_sample_have_decimals_and_those_of_bodies_do_not() -> None:
    draw = random.Random(4)
    exact = [draw.lognormvariate(0, 0.4) for _ in range(900)]
    found = sf.profile(of_people(commonweight=exact, weight_kg=[round(60 + 20 * one, 1) for one in exact]))
    assert (found["commonweight"].role, found["weight_kg"].role) == ("weight", "quasi-identifier")


def test_every_codebook_says_who_is_known_and_never_lets_numbers_of_people_out() -> None:
    groups = {"names", "weight", "design", "technical", "known", "secret"}
    for book in codebooks():
        topics = {topic for topic, _ in book.topics}
        assert {topic.group for topic in topics} <= groups
        assert {"age", "sex"} <= {topic.name for topic in topics} | ({"sex"} if book.topic_of("v012") else set())


def test_a_codebook_counts_only_where_enough_of_its_names_stand(tmp_path: Path) -> None:
    rows = {"v012": list(range(15, 50)) * 20}
    assert "age" not in sf.profile(pa.table(rows))["v012"].suggestion.reason
    others: dict[str, list[object]] = {name: [at % 3 for at in range(700)] for name in ("v001", "v005", "v024", "v025")}
    assert sf.profile(pa.table({**rows, **others}))["v012"].suggestion.reason == "age: others may know or see it"


def made(name: str, values: list[object]) -> tuple[str, str]:
    suggestion = sf.profile(of_people(len(values), **{name: values}))[name].suggestion
    return suggestion.role, suggestion.reason


def test_a_status_is_never_released_as_it_is_because_of_its_name() -> None:
    assert made("status", [at % 3 for at in range(900)])[0] == "sensitive"
    assert made("interview_status", [at % 3 for at in range(900)])[0] == "plain"


def test_marks_before_and_after_a_lesson_are_no_postcodes_and_no_languages() -> None:
    draw = random.Random(1)
    for name in ("arithPOST", "langPRET", "degree_perc"):
        assert made(name, [draw.randint(5, 40) for _ in range(900)]) == (
            "sensitive",
            "performance: nobody should learn whose it is",
        )


def test_numbers_from_one_on_with_a_few_rows_each_may_number_households() -> None:
    draw = random.Random(2)
    role, reason = made("HNX", [draw.randrange(1, 300) for _ in range(900)])
    assert role == "identifier"
    assert "do they number people or households?" in reason
    assert made("XNH", [int(80 * draw.random() ** 3) for _ in range(900)])[0] != "identifier"


def test_years_with_fractions_are_moments() -> None:
    draw = random.Random(2)
    assert made("tmx", [1996 + 15 * draw.random() for _ in range(900)])[0] == "quasi-identifier"


def test_what_is_said_about_an_account_in_a_few_words_is_private() -> None:
    role, reason = made("status_of_checking_account", [f"A1{at % 4}" for at in range(900)])
    assert (role, reason) == ("sensitive", "about an account or a contract, which few others know")


def test_steps_side_by_side_are_answers_unless_one_of_them_is_known() -> None:
    draw = random.Random(7)
    steps = {name: [draw.randint(1, 5) for _ in range(900)] for name in ("ralc", "walc", "zfree")}
    assert [sf.profile(of_people(**steps)).roles[name] for name in steps] == ["sensitive"] * 3


def test_an_index_without_a_name_is_no_age_in_other_words() -> None:
    draw = random.Random(7)
    rows = list(range(900))
    exact = [20 + one / 16 for one in rows]
    draw.shuffle(rows)
    found = sf.profile(pa.table({"Unnamed:_0": rows, "age": [exact[one] for one in rows]}))
    assert found["Unnamed:_0"].role == "identifier"


def test_codes_that_most_rows_have_are_no_missing_values() -> None:
    often, rarely = [88] * 500 + [at % 7 for at in range(400)], [88] * 20 + [at % 7 for at in range(400)]
    assert sf.profile(pa.table({"drinks": often})).na == {}
    assert sf.profile(pa.table({"drinks": rarely})).na == {"drinks": ("88",)}


def test_marks_of_numbered_tests_are_private_though_not_every_test_has_all() -> None:
    draw = random.Random(7)
    marks = {
        f"G{at}": [draw.randint(low, high) for _ in range(900)]
        for at, low, high in ((1, 3, 19), (2, 0, 18), (3, 0, 20))
    }
    assert [sf.profile(of_people(**marks)).roles[name] for name in marks] == ["sensitive"] * 3
