"""The verifier on tables that can be checked by hand: what it finds, what it names, what it refuses."""

from __future__ import annotations

import json
import math
from typing import Any

import pyarrow as pa
import pytest

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.verify.release import verify_release

K2 = {"model": "k-anonymity", "k": 2}

# zip    age    illness     class
# 537**  20-29  flu         A: 4 rows, flu flu ulcer cold
# 537**  20-29  flu
# 537**  20-29  ulcer
# 537**  20-29  cold
# 537**  30-39  flu         B: 3 rows, flu ulcer cold
# 537**  30-39  ulcer
# 537**  30-39  cold
# *      30-39  cold        C: 2 rows, cold (missing)
# *      30-39  (missing)
PATIENTS = pa.table(
    {
        "zip": ["537**"] * 7 + ["*"] * 2,
        "age": ["[20, 29]"] * 4 + ["[30, 39]"] * 5,
        "illness": ["flu", "flu", "ulcer", "cold", "flu", "ulcer", "cold", "cold", None],
    }
)


def check(table: pa.Table, *requirements: dict[str, Any], sensitive: tuple[str, ...] = ("illness",), **options: Any):
    names = [name for name in table.column_names if name not in sensitive]
    return verify_release(table, names, sensitive, requirements, **options)


def test_the_patients_by_hand() -> None:
    result = check(PATIENTS)
    assert (result.rows, result.classes, result.k) == (9, 3, 2)
    achieved = result.achieved.sensitive["illness"]
    assert achieved.distinct_l == 2
    assert achieved.frequency_l == result.l == 2.0
    assert achieved.entropy_l == pytest.approx(2.0)
    # The table: flu 3/9, ulcer 2/9, cold 3/9, missing 1/9.
    # Class C has too much of cold (1/2 - 1/3) and of missing (1/2 - 1/9).
    assert result.t == pytest.approx(1 / 6 + 7 / 18)
    assert achieved.distance == "equal"
    assert result.ok
    assert bool(result)
    assert "nothing to check" in result.summary()


def test_the_order_of_rows_and_of_columns_does_not_matter() -> None:
    mixed = PATIENTS.take(pa.array([8, 3, 0, 6, 2, 5, 7, 1, 4])).select(["illness", "age", "zip"])
    assert check(mixed).achieved == check(PATIENTS).achieved


@pytest.mark.parametrize(
    ("requirement", "breaking", "worst"),
    [
        ({"model": "k-anonymity", "k": 2}, 0, 2),
        ({"model": "k-anonymity", "k": 3}, 1, 2),
        ({"model": "k-anonymity", "k": 4}, 2, 2),
        ({"model": "l-diversity", "l": 2}, 0, 2),
        ({"model": "l-diversity", "l": 2.001}, 2, 2),
        ({"model": "l-diversity", "l": 3}, 2, 2),
        ({"model": "l-diversity", "l": 2, "kind": "distinct"}, 0, 2),
        ({"model": "l-diversity", "l": 3, "kind": "distinct"}, 1, 2),
        ({"model": "l-diversity", "l": 4, "kind": "distinct"}, 3, 2),
        ({"model": "l-diversity", "l": 2, "kind": "entropy"}, 0, 2),
        ({"model": "l-diversity", "l": 2.001, "kind": "entropy"}, 1, 2),
        ({"model": "l-diversity", "l": 3, "kind": "entropy"}, 2, 2),  # A: 2 ** 1.5 = 2.83
        # From the second most frequent on, A has 2, B 2 and C 1 rows: the factors are 2/2, 1/2 and 1/1.
        ({"model": "l-diversity", "l": 2, "kind": "recursive", "c": 1.001}, 0, 1),
        ({"model": "l-diversity", "l": 2, "kind": "recursive", "c": 1}, 2, 1),
        ({"model": "l-diversity", "l": 3, "kind": "recursive", "c": 2.001}, 1, math.inf),
        ({"model": "l-diversity", "l": 1, "kind": "recursive", "c": 0.51}, 0, 0.5),
        ({"model": "t-closeness", "t": 5 / 9}, 0, 5 / 9),
        ({"model": "t-closeness", "t": 0.555}, 1, 5 / 9),
    ],
)
def test_each_model_at_its_limit_and_just_over(requirement: dict[str, Any], breaking: int, worst: float) -> None:
    result = check(PATIENTS, requirement)
    (rule,) = result.checks
    assert rule.breaking == breaking
    assert rule.found == pytest.approx(worst)
    assert result.ok == rule.ok == (breaking == 0)
    assert result.violations == (() if breaking == 0 else (rule,))


def test_exactly_at_a_recursive_limit_is_not_less_than_it() -> None:
    # 55 flu and 25 others: 55 < 2.2 * 25 is false, though 2.2 * 25 is a little over 55 in floating point.
    table = pa.table({"q": ["*"] * 80, "illness": ["flu"] * 55 + ["cold"] * 25})
    assert 55 < 2.2 * 25
    rule = {"model": "l-diversity", "l": 2, "kind": "recursive"}
    assert not check(table, rule | {"c": 2.2})
    assert check(table, rule | {"c": 2.2001})


def test_rounding_does_not_break_what_holds() -> None:
    # Forty-nine equally frequent values: the entropy is a sum of 49 rounded terms.
    table = pa.table({"q": ["*"] * 49, "illness": list(range(49))})
    for kind in ("frequency", "entropy", "distinct"):
        assert check(table, {"model": "l-diversity", "l": 49, "kind": kind})
    assert check(table, {"model": "t-closeness", "t": 0})


def test_ordered_distance_by_hand() -> None:
    # Nine salaries in three classes; the paper on t-closeness works out 0.375 for {3, 4, 5} and 0.167 for {6, 8, 11}.
    salaries = [3, 4, 5, 6, 8, 11, 7, 9, 10]
    table = pa.table({"q": ["a"] * 3 + ["b"] * 3 + ["c"] * 3, "illness": salaries})
    rule = {"model": "t-closeness", "t": 0.375, "distance": "ordered"}
    result = check(table, rule)
    assert result
    assert result.t == pytest.approx(0.375)
    assert result.achieved.sensitive["illness"].distance == "ordered"
    assert not check(table, rule | {"t": 0.3749})
    # For {7, 9, 10} the curves are 1, 2, 3, 4, 2, 3, 1, 1 and 0 ninths apart: 17/9 over 8 steps.
    found = {one.values["q"]: one.found for one in check(table, rule | {"t": 0}).violations[0].sample}
    assert found == pytest.approx({"a": 0.375, "b": 1 / 6, "c": 17 / 72})


TREE = [["flu", "lung", "*"], ["cold", "lung", "*"], ["ulcer", "stomach", "*"], ["cancer", "stomach", "*"]]


def test_hierarchical_distance_by_hand() -> None:
    # Class a: flu flu; class b: cold ulcer. The table: flu 1/2, cold 1/4, ulcer 1/4.
    # a has 1/2 flu too much: 1/4 goes to cold (half way up), 1/4 to ulcer (all the way): 1/8 + 1/4.
    table = pa.table({"q": ["a", "a", "b", "b"], "illness": ["flu", "flu", "cold", "ulcer"]})
    rule = {
        "model": "t-closeness",
        "t": 0.375,
        "distance": "hierarchical",
        "taxonomy": {"type": "taxonomy", "rows": TREE},
    }
    result = check(table, rule)
    assert result
    assert result.t == pytest.approx(0.375)
    assert not check(table, rule | {"t": 0.374})
    without_root = [row[:-1] for row in TREE]
    assert check(table, rule | {"taxonomy": without_root}).achieved == result.achieved


def test_in_a_tree_a_missing_value_is_far_from_everything() -> None:
    table = pa.table({"q": ["a", "a", "b", "b"], "illness": ["flu", "flu", None, None]})
    rule = {"model": "t-closeness", "t": 0.5, "distance": "hierarchical", "taxonomy": TREE}
    assert check(table, rule).t == pytest.approx(0.5)
    assert check(table.set_column(1, "illness", [["flu", "flu", "cold", "cold"]]), rule).t == pytest.approx(0.25)


def test_several_sensitive_columns_and_rules_about_one() -> None:
    table = PATIENTS.append_column("pay", [[1, 1, 1, 1, 1, 2, 3, 4, 5]])
    sensitive = ("illness", "pay")
    result = check(table, {"model": "l-diversity", "l": 2}, sensitive=sensitive)
    assert [(rule.column, rule.breaking) for rule in result.checks] == [("illness", 0), ("pay", 1)]
    assert result.l == 1.0
    assert result.t == pytest.approx(result.achieved.sensitive["pay"].t)
    assert check(table, {"model": "l-diversity", "l": 2, "column": "illness"}, sensitive=sensitive)


def test_rules_are_reported_in_the_order_in_which_they_were_asked() -> None:
    table = PATIENTS.append_column("pay", [list(range(9))])
    rules = [{"model": "t-closeness", "t": 1}, K2, {"model": "l-diversity", "l": 1}]
    result = check(table, *rules, sensitive=("pay", "illness"))
    assert [(rule.rule.split()[0], rule.column) for rule in result.checks] == [
        ("t-closeness", "pay"),
        ("t-closeness", "illness"),
        ("k-anonymity", None),
        ("l-diversity", "pay"),
        ("l-diversity", "illness"),
    ]


def test_recursive_factors_are_reported_for_the_l_asked() -> None:
    rule = {"model": "l-diversity", "kind": "recursive", "c": 9}
    achieved = check(PATIENTS, rule | {"l": 2}, rule | {"l": 3}).achieved.sensitive["illness"]
    assert achieved.recursive_c == {2: 1.0, 3: math.inf}


# What is named


def test_a_planted_violation_is_named_with_class_and_rule() -> None:
    planted = pa.table({"zip": ["999**"], "age": ["[20, 29]"], "illness": ["flu"]})
    result = check(pa.concat_tables([PATIENTS, planted]), K2, {"model": "l-diversity", "l": 2})
    size, diversity = result.violations
    assert size.rule == "k-anonymity k=2"
    assert diversity.rule == "l-diversity l=2 (frequency)"
    assert diversity.column == "illness"
    for violation in (size, diversity):
        (culprit,) = violation.sample
        assert violation.breaking == 1
        assert culprit.values == {"zip": "999**", "age": "[20, 29]"}
        assert culprit.size == culprit.found == 1
    assert result.summary().splitlines() == [
        "NOT verified: 10 rows in 4 classes",
        "k-anonymity k=2: BROKEN by 1 class, smallest class 1",
        "  zip=999**, age=[20, 29]: 1 row, found 1 (asked 2)",
        "l-diversity l=2 (frequency) of 'illness': BROKEN by 1 class, lowest 1",
        "  zip=999**, age=[20, 29]: 1 row, found 1 (asked 2)",
    ]


def test_the_worst_classes_are_named_first_and_the_others_counted() -> None:
    table = pa.table({"q": [name for name, size in zip("abcdefgh", range(8, 0, -1), strict=True) for _ in range(size)]})
    result = check(table, {"model": "k-anonymity", "k": 8}, sensitive=(), sample=2)
    (violation,) = result.violations
    assert [(one.values["q"], one.size) for one in violation.sample] == [("h", 1), ("g", 2)]
    assert violation.breaking == 7
    assert "  and 5 more" in result.summary()


def test_a_huge_cell_does_not_flood_the_summary() -> None:
    result = check(pa.table({"q": ["x" * 200_000]}), K2, sensitive=())
    assert len(result.summary()) < 300
    assert result.violations[0].sample[0].values == {"q": "x" * 200_000}


def test_what_holds_is_said_plainly() -> None:
    assert check(PATIENTS, K2).summary().splitlines() == [
        "Verified: 9 rows in 3 classes",
        "k-anonymity k=2: holds, smallest class 2",
    ]


def test_results_are_ready_for_json() -> None:
    rule = {"model": "l-diversity", "l": 3, "kind": "recursive", "c": 2}
    plain = json.loads(json.dumps(check(PATIENTS, K2, rule).to_dict(), allow_nan=False))
    assert plain["ok"] is False
    assert plain["k"] == 2
    assert plain["sensitive"]["illness"]["recursive_c"] == {"3": None}
    assert [rule["breaking"] for rule in plain["rules"]] == [0, 2]
    assert plain["rules"][1]["sample"][0] == {"values": {"zip": "*", "age": "[30, 39]"}, "size": 2, "found": None}


# Mistakes seen elsewhere


def test_missing_values_do_not_escape_the_count() -> None:
    table = pa.table({"age": ["[20, 29]", "[20, 29]", None]})
    result = check(table, K2, sensitive=())
    assert not result
    assert (result.k, result.classes) == (1, 2)
    assert result.violations[0].sample[0].values == {"age": None}
    assert "age=(missing): 1 row" in result.summary()


def test_a_table_of_two_rows_is_not_5_anonymous() -> None:
    table = pa.table({"q": ["*", "*"]})
    result = check(table, {"model": "k-anonymity", "k": 5}, sensitive=())
    assert not result
    assert result.k == 2


def test_every_threshold_counts_and_stays_as_it_was_given() -> None:
    rules = [{"model": "k-anonymity", "k": 3}, {"model": "k-anonymity", "k": 2}]
    result = check(PATIENTS, *rules)
    assert [rule.ok for rule in result.checks] == [False, True]
    assert rules == [{"model": "k-anonymity", "k": 3}, {"model": "k-anonymity", "k": 2}]


def test_not_a_number_is_missing_and_an_empty_text_is_not() -> None:
    numbers = check(pa.table({"q": pa.array([1.0, math.nan, None, math.nan], from_pandas=False)}), sensitive=())
    assert (numbers.classes, numbers.k) == (2, 1)
    texts = check(pa.table({"q": ["", None, "", None]}), sensitive=())
    assert (texts.classes, texts.k) == (2, 2)
    shown = check(pa.table({"q": pa.array([math.nan], from_pandas=False)}), K2, sensitive=())
    assert shown.violations[0].sample[0].values == {"q": None}


def test_the_two_zeros_are_one_number() -> None:
    table = pa.table({"q": ["*"] * 2, "illness": [0.0, -0.0]})
    assert check(table).achieved.sensitive["illness"].distinct_l == 1


def test_a_missing_sensitive_value_is_a_value() -> None:
    assert check(pa.table({"q": ["*"] * 2, "illness": ["flu", None]}), {"model": "l-diversity", "l": 2})
    assert not check(pa.table({"q": ["*"] * 2, "illness": pa.nulls(2)}), {"model": "l-diversity", "l": 2})


def test_an_empty_table_is_not_verified_and_says_why() -> None:
    rules = [
        K2,
        {"model": "l-diversity", "l": 2},
        {"model": "l-diversity", "l": 2, "kind": "entropy"},
        {"model": "l-diversity", "l": 2, "kind": "recursive", "c": 2},
        {"model": "t-closeness", "t": 0.1},
        {"model": "t-closeness", "t": 0.1, "distance": "ordered"},
        {"model": "t-closeness", "t": 0.1, "distance": "hierarchical", "taxonomy": TREE},
        {"model": "minimum-span", "column": "age", "width": 2},
    ]
    for empty in (PATIENTS.slice(0, 0), PATIENTS.schema.empty_table(), pa.table(PATIENTS.slice(0, 0).to_pydict())):
        result = check(empty, *rules)
        assert not result.ok
        assert (result.rows, result.classes, result.k, result.l, result.t) == (0, 0, None, None, None)
        assert "no rows" in result.summary()
        assert "k-anonymity k=2: not checked, as there are no classes" in result.summary()


def test_nothing_is_changed() -> None:
    before = PATIENTS.to_pydict()
    check(PATIENTS, K2)
    assert PATIENTS.to_pydict() == before


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], ["illness"], []), "at least one quasi-identifier"),
        ((["zip", "sex"], [], []), "no column 'sex'. Its columns: 'zip', 'age', 'illness'"),
        ((["zip", "zip"], [], []), "'zip': each column"),
        ((["zip", "illness"], ["illness"], []), "'illness': each column"),
        ((["zip"], [], [{"model": "l-diversity", "l": 2}]), "needs a sensitive column"),
        ((["zip"], ["illness"], [{"model": "l-diversity", "l": 2, "column": "age"}]), "not one of the sensitive"),
        ((["zip"], [], [{"model": "minimum-span", "column": "age", "width": 2}]), "'age_min', 'age_max'"),
    ],
)
def test_columns_that_do_not_fit_are_refused(arguments: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message.replace("*", r"\*")):
        verify_release(PATIENTS, *arguments)


def test_a_table_with_a_column_twice_is_refused() -> None:
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["q", "q"])
    with pytest.raises(SchemaError, match="'q'"):
        verify_release(twice, ["q"])


@pytest.mark.parametrize(
    "requirement",
    [
        {},
        {"model": "magic"},
        {"model": "k-anonymity"},
        {"model": "k-anonymity", "k": 0},
        {"model": "k-anonymity", "k": "2"},
        {"model": "k-anonymity", "k": 2, "min": 3},
        {"model": "l-diversity", "l": 0.5},
        {"model": "l-diversity", "l": 2, "kind": "loud"},
        {"model": "l-diversity", "l": 2, "kind": "recursive"},
        {"model": "l-diversity", "l": 2.5, "kind": "recursive", "c": 1},
        {"model": "t-closeness", "t": 20},
        {"model": "t-closeness", "t": 0.2, "distance": "far"},
        {"model": "t-closeness", "t": 0.2, "distance": "hierarchical"},
        {"model": "t-closeness", "t": 0.2, "distance": "hierarchical", "taxonomy": {"file": "tree.csv"}},
        {"model": "minimum-span", "column": "age", "width": 0},
    ],
)
def test_a_requirement_that_is_not_understood_is_never_taken_as_kept(requirement: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        check(PATIENTS, requirement)


def test_a_value_that_is_not_in_the_taxonomy_is_named() -> None:
    rule = {"model": "t-closeness", "t": 0.2, "distance": "hierarchical", "taxonomy": TREE}
    with pytest.raises(ValueError, match=r"'illness'.*'gout'"):
        check(pa.table({"q": ["*"], "illness": ["gout"]}), rule)


def test_values_without_an_order_have_no_ordered_distance() -> None:
    spans = pa.array([pa.MonthDayNano([1, 2, 3]), pa.MonthDayNano([3, 2, 1])])
    table = pa.table({"q": ["*"] * 2, "illness": spans})
    assert check(table, {"model": "t-closeness", "t": 0.1})
    with pytest.raises(DataError, match=r"'illness' .* have no order"):
        check(table, {"model": "t-closeness", "t": 0.1, "distance": "ordered"})


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_sensitive_column_of_nothing_is_as_close_as_can_be(distance: str) -> None:
    rule = {"model": "t-closeness", "t": 0, "distance": distance}
    rule |= {"taxonomy": TREE} if distance == "hierarchical" else {}
    table = pa.table({"q": ["a", "b"], "illness": pa.nulls(2)})
    assert check(table, rule).t == 0


def test_types_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(DataError, match="'q' has the type list"):
        check(pa.table({"q": [[1], [2]]}), sensitive=())
