"""Columns that are released as they are: what they single out, what they tell, and whose rows they are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assess.cautions.views import cautions, released, requested

from sfumato.assess.cautions.rows_per_person import persons_per_class
from sfumato.assess.cautions.rows_view import count_unique, fingerprints
from sfumato.hierarchies import Taxonomy
from sfumato.privacy import KAnonymity
from sfumato.table.schema import Schema

ROWS = 100


def numbers(size: int, rows: int = ROWS) -> list[int]:
    return [row % size for row in range(rows)]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2)), max_size=40))
def test_unique_rows_are_counted_as_by_hand(rows) -> None:
    columns = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    assert count_unique(fingerprints(columns)) == sum(count == 1 for count in Counter(rows).values())


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 5)), min_size=1, max_size=40))
def test_persons_are_counted_as_by_hand(rows) -> None:
    classes, persons = (np.array(column) for column in zip(*rows, strict=True))
    expected = []
    for group in range(max(classes) + 1):
        inside = [person for of, person in rows if of == group]
        expected.append(len({person for person in inside if person >= 0}) + inside.count(-1))
    assert persons_per_class(persons, classes).tolist() == expected


def test_a_plain_column_that_is_as_good_as_a_name_is_an_error() -> None:
    schema = Schema("age", plain=["phone", "ward"])
    view = requested({"age": numbers(9), "phone": numbers(60), "ward": numbers(4)}, schema)
    assert cautions(view, "near-unique") == []
    view = requested({"age": numbers(9), "phone": numbers(ROWS - 1), "ward": numbers(4)}, schema)
    [found] = cautions(view, "near-unique")
    assert (found.severity, found.columns, found.count) == ("error", ("phone",), ROWS - 2)


def test_a_sensitive_column_that_is_as_good_as_a_name_is_a_warning() -> None:
    view = requested({"age": numbers(9), "pay": numbers(ROWS)}, Schema("age", sensitive="pay"))
    assert [(found.severity, found.count) for found in cautions(view, "near-unique")] == [("warning", ROWS)]


def test_a_small_table_is_unique_by_chance() -> None:
    view = requested({"age": numbers(3, 20), "pay": numbers(20, 20)}, Schema("age", plain="pay"))
    assert cautions(view, "near-unique") == []


def test_missing_values_are_not_alone() -> None:
    view = requested({"age": numbers(9), "note": [None] * ROWS}, Schema("age", plain="note"))
    assert cautions(view, "near-unique") == []


def test_rows_are_unique_alone_and_beside_the_quasi_identifiers() -> None:
    cells = {"age": [1, 1, 2, 2, 2], "ward": list("aabbc"), "ill": list("xyxxx")}
    view = released(cells, Schema("age", plain="ward", sensitive="ill"), [0, 0, 1, 1, 1])
    [found] = cautions(view, "unique-rows")
    assert found.count == 1
    assert "1 of 5 (20 %) rows are unique in the plain column 'ward' alone, 1 (20 %) together" in found.found
    assert "3 with the sensitive ones too" in found.found


def test_classes_that_look_alike_are_one() -> None:
    cells = {"age": [1, 2, 1, 2], "ward": list("abab")}
    assert cautions(released(cells, Schema("age", plain="ward"), [0, 0, 1, 1]), "unique-rows") == []


def test_rows_that_are_left_out_are_not_counted() -> None:
    cells = {"age": [1, 1, 2, 2], "ward": list("aabc")}
    assert cautions(released(cells, Schema("age", plain="ward"), [0, 0, -1, -1]), "unique-rows") == []


def test_sensitive_columns_alone_are_told_where_they_single_out() -> None:
    schema = Schema("age", sensitive="pay")
    many = released({"age": [1] * ROWS, "pay": numbers(60)}, schema, [0] * ROWS)
    assert [(found.severity, found.count) for found in cautions(many, "unique-rows")] == [("warning", 20)]
    few = released({"age": [1] * ROWS, "pay": numbers(5)}, schema, [0] * ROWS)
    assert cautions(few, "unique-rows") == []


def school() -> dict[str, list[object]]:
    names = [["primary", "secondary", "college"][row % 3] for row in range(ROWS)]
    return {"education": names, "years": [{"primary": 4, "secondary": 9, "college": 13}[name] for name in names]}


TREE = Taxonomy.from_dict({"school": ["primary", "secondary"], "more": ["college"]})


def test_a_plain_column_that_tells_a_hidden_one_is_named() -> None:
    schema = Schema({"education": TREE}, plain="years")
    [found] = cautions(released(school(), schema, [0] * ROWS), "tells-hidden")
    assert (found.columns, found.count) == (("years",), ROWS)
    assert "tells 'education' in 100 of 100 (100 %) rows that hide it: exactly." in found.found


def test_a_plain_column_that_tells_what_is_shown_anyway_is_not() -> None:
    cells = school()
    shown = [["primary", "secondary", "college"].index(name) for name in cells["education"]]
    assert cautions(released(cells, Schema({"education": TREE}, plain="years"), shown), "tells-hidden") == []


def test_a_plain_column_that_has_nothing_to_do_with_it_is_not_named() -> None:
    random = np.random.default_rng(0)
    cells = {"education": random.permutation(school()["education"]).tolist(), "years": school()["years"]}
    assert cautions(released(cells, Schema({"education": TREE}, plain="years"), [0] * ROWS), "tells-hidden") == []


@pytest.mark.parametrize("rows_each", [2, 3, 10, 30])
def test_a_column_that_tells_is_found_however_few_rows_a_value_has(rows_each: int) -> None:
    ages = [row // rows_each for row in range(300)]
    cells = {"age": ages, "born": [1990 - age for age in ages]}
    [found] = cautions(
        released(cells, Schema("age", sensitive="born"), [row // 60 for row in range(300)]), "tells-hidden"
    )
    assert (found.columns, found.count) == (("born",), 300)


@pytest.mark.parametrize("rows_each", [1, 2, 3, 10, 30])
def test_values_of_few_rows_that_tell_by_chance_are_not_named(rows_each: int) -> None:
    random = np.random.default_rng(1)
    values = random.permutation(np.arange(300) // rows_each).tolist()
    # Most people are of one age, so that two people with one value mostly are of the same.
    ages = [0 if row % 10 else 50 for row in range(300)]
    cells = {"age": ages, "number": values}
    assert cautions(released(cells, Schema("age", plain="number"), [0] * 300), "tells-hidden") == []


def test_a_column_that_narrows_a_number_is_named() -> None:
    ages = [row % 50 for row in range(10 * ROWS)]
    cells = {"age": ages, "decade of birth": [2020 - age // 10 * 10 for age in ages]}
    view = released(cells, Schema("age", plain="decade of birth"), [0] * len(ages))
    [found] = cautions(view, "tells-hidden")
    assert "at least twice as closely, in 0 exactly" in found.found


@pytest.mark.parametrize(("visits", "few"), [(1, 0), (2, 25), (5, 25)])
def test_a_class_of_k_rows_can_hold_fewer_persons(visits, few) -> None:
    cells = {"age": [1] * ROWS, "patient": [f"p{row // visits}" for row in range(ROWS)]}
    classes = [row // 4 for row in range(ROWS)]
    cells["age"] = classes
    view = released(cells, Schema("age", identifiers="patient"), classes, models=(KAnonymity(4),))
    found = cautions(view, "several-rows-per-person")
    assert [caution.count for caution in found] == ([few] if few else [])


def test_a_dropped_column_that_groups_people_names_nobody() -> None:
    cells = {"age": [row // 4 for row in range(1000)], "town": [row % 4 for row in range(1000)]}
    view = released(cells, Schema("age", identifiers="town"), cells["age"], models=(KAnonymity(4),))
    assert cautions(view, "several-rows-per-person") == []


def test_classes_that_show_a_star_look_alike() -> None:
    cells = {"job": list("abcd"), "ward": list("xyxy")}
    view = released(cells, Schema("job", plain="ward"), [0, 0, 1, 1])
    assert len(set(view.visible.tolist())) == 1
    assert cautions(view, "unique-rows") == []


def test_a_repeating_identifier_is_a_question_where_nothing_tells_whose_it_is() -> None:
    visits = [f"{row // 2:04x}" for row in range(ROWS)]
    cells = {"cost": [row // 4 for row in range(ROWS)], "case_id": visits}
    view = released(cells, Schema("cost", identifiers="case_id"), cells["cost"], models=(KAnonymity(4),))
    [found] = cautions(view, "several-rows-per-person")
    assert "100 rows with 50 values, and 25 of 25" in found.found
    assert "Does it stand for people?" in found.advice
