"""Sensitive values that classes give away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.assess.cautions.views import cautions, released

from sfumato.privacy import KAnonymity, LDiversity, TCloseness
from sfumato.table.schema import Schema

CELLS = {"age": [1] * 3 + [2] * 3 + [3] * 10, "ill": [*"aaa", *"abc", *"bbbbbbbbba"]}
CLASSES = [0] * 3 + [1] * 3 + [2] * 10


def view_of(*models):
    return replace(released(CELLS, Schema("age", sensitive="ill"), CLASSES), models=models)


def test_k_alone_is_told_with_the_classes_that_give_a_value_away() -> None:
    [found] = cautions(view_of(KAnonymity(3)), "sensitive-unprotected")
    assert (found.severity, found.count) == ("warning", 1)
    assert "certain in 1 of 3 (33.3 %) classes with 3 rows, and makes up at least 90% of 1 more" in found.found


def test_classes_that_do_not_exist_are_not_counted() -> None:
    one = released({"age": [1, 1], "ill": ["a", "a"]}, Schema("age", sensitive="ill"), [0, 0])
    [found] = cautions(one, "sensitive-unprotected")
    assert found.found.endswith("one value is certain in 1 of 1 (100 %) classes with 2 rows.")


def test_k_alone_is_noted_where_nothing_is_given_away_yet() -> None:
    mixed = released({"age": [1, 1], "ill": ["a", "b"]}, Schema("age", sensitive="ill"), [0, 0])
    assert [found.severity for found in cautions(mixed, "sensitive-unprotected")] == ["note"]


@pytest.mark.parametrize("model", [LDiversity(2), LDiversity(2, column="ill"), TCloseness(0.5)])
def test_a_model_about_the_column_is_enough(model) -> None:
    assert cautions(view_of(KAnonymity(3), model), "sensitive-unprotected") == []


def test_a_model_about_another_column_is_not() -> None:
    assert len(cautions(view_of(KAnonymity(3), LDiversity(2, column="pay")), "sensitive-unprotected")) == 1


def test_minimizing_cm_is_warned_of() -> None:
    view = replace(view_of(KAnonymity(3)), minimized="cm")
    [found] = cautions(view, "minimizes-label")
    assert found.count == 3
    [found] = cautions(replace(view, minimized="prediction:ill"), "minimizes-label")
    assert "minimize='prediction:ill'" in found.found
    assert cautions(replace(view, minimized="gcp"), "minimizes-label") == []
    assert cautions(replace(view, models=(LDiversity(2),)), "minimizes-label") == []
