"""What notebooks show of every object: whole, without script, and with nothing of the original that is not released."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from tests.common.test_html import HOSTILE, assert_harmless
from tests.release.report import test_browser
from tests.release.report.test_browser import browser  # noqa: F401

import sfumato as sf

#: Values of rows that are left out, and of columns that are dropped or generalized.
PLANTED = re.compile("zq|918273")
TOWNS = sf.Taxonomy({"coast": ["bay", "zqcape"], "hills": ["glen", "zqpeak"]})


def people(rows: int = 24) -> pa.Table:
    return pa.table(
        {
            "name": [f"zqname{row}" for row in range(rows)],
            "number": [918_273] * rows,
            "age": [*range(20, 19 + rows), None],
            "town": [*(["bay", "glen"] * rows)[: rows - 2], "zqcape", "zqpeak"],
            "illness": [*(["flu", "ulcer", "acne"] * rows)[: rows - 1], "zqillness"],
        }
    )


ROLES: dict[str, Any] = {
    "quasi_identifiers": {"age": None, "town": TOWNS},
    "sensitive": "illness",
    "identifiers": ["name", "number"],
}


@pytest.fixture(scope="module")
def release() -> sf.Release:
    made = sf.anonymize(people(), **ROLES, k=3, method="mondrian", missing="suppress", seed=1)
    assert made.suppressed == 1
    assert "zqillness" not in made.table["illness"].to_pylist()
    return made


SHOWN: dict[str, Callable[[sf.Release], Any]] = {
    "Release": lambda release: release,
    "Verification": lambda release: release.verification,
    "Risk before": lambda release: release.risk.before,
    "Risk before and after": lambda release: release.risk,
    "Utility": lambda release: sf.utility(people(), release, seed=1),
    "Attacks": lambda release: sf.attack(people(), release, seed=1),
    "Profile": lambda release: sf.profile(people()),
    "Comparison": lambda release: sf.compare(people(), sf.Schema(**ROLES), methods=["mondrian"], k=[2, 99], seed=1),
}


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_is_shown_that_is_not_released(name: str, release: sf.Release) -> None:
    text = SHOWN[name](release)._repr_html_()
    page = assert_harmless(text)
    assert {"style", "table", "h3"} <= set(page.tags)
    assert not PLANTED.search(text)


def test_an_explanation_is_shown_in_paragraphs(release: sf.Release) -> None:
    found = release.explain(column="age", k=4)
    page = assert_harmless(found._repr_html_())
    assert page.tags.count("p") == len(found.why) + len(found.what_if) > 1
    assert page.tags.count("h4") == 2
    assert not PLANTED.search(found._repr_html_())


def test_a_profile_shows_every_column_with_its_role_and_why(release: sf.Release) -> None:
    found = sf.profile(people())
    page = assert_harmless(found._repr_html_())
    said = " ".join(page.words)
    for one in found.columns:
        assert one.name in said
        assert one.suggestion.reason in said
    assert page.tags.count("tr") == 1 + len(found.columns)


def test_a_release_shows_what_its_summary_says_with_a_bar_for_each_column(release: sf.Release) -> None:
    page = assert_harmless(release._repr_html_())
    said = " ".join(page.words)
    for word in ("k-anonymity k=3", "quasi-identifiers", "GCP", "before", "after", *release.table.column_names):
        assert word in said
    assert page.tags.count("svg") == 2
    assert str(release.table["age"][0]) in said


def test_a_broken_rule_is_called_broken() -> None:
    found = sf.check(pa.table({"age": [1, 1, 2]}), quasi_identifiers="age", k=2)
    said = " ".join(assert_harmless(found._repr_html_()).words)
    assert "NOT verified" in said
    assert "BROKEN by 1 class" in said
    assert "age=2" in said
    nothing = sf.check(pa.table({"age": pa.array([], pa.int64())}), quasi_identifiers="age", k=2)
    assert "not checked" in nothing._repr_html_()


def test_a_failed_cell_says_why(release: sf.Release) -> None:
    said = " ".join(assert_harmless(SHOWN["Comparison"](release)._repr_html_()).words)
    assert "k=99 is not possible" in said
    assert "* no cell of at least this k loses less" in said


def test_people_whom_an_attack_found_are_only_counted() -> None:
    shown = pa.table({"age": ["1", "2", "3"], "illness": ["a", "b", "zqc"]})
    found = sf.attack(shown, shown, quasi_identifiers="age", sensitive="illness", show=5, seed=1)
    assert "zqc" in found.summary()
    text = found._repr_html_()
    assert "zqc" not in text
    assert f"{len(found.found)} people are found for certain" in text


def test_a_policy_shows_its_roles_and_its_file_and_keeps_its_seed() -> None:
    schema = sf.Schema(ROLES["quasi_identifiers"], "illness", "name", rest="drop", weights={"age": 2.5})
    policy = sf.Policy(schema, [sf.KAnonymity(3), sf.LDiversity(2)], method=sf.Mondrian(relaxed=True), seed=918_273)
    text = policy._repr_html_()
    said = " ".join(assert_harmless(text).words)
    for word in ("k-anonymity (k=3)", "relaxed=True", "[[privacy]]", "all others", "dropped", "2.5", "Taxonomy"):
        assert word in said
    assert "918273" not in text
    no_file = sf.Policy(schema, [sf.KAnonymity(3)], method=sf.Hilbert(minimize=sf.Objective("own", spread=1.0)))
    assert "As a file" not in no_file._repr_html_()


@pytest.mark.parametrize(
    ("hierarchy", "words"),
    [
        (sf.Numeric(widths=[5, 10]), ["widths", "5, 10"]),
        (sf.Ordered(["low", "high"]), ["order", "low, high"]),
        (sf.Prefix(length=5), ["length", "5", "53715"]),
        (sf.Dates(["month", "year"]), ["levels", "month, year"]),
        (sf.Categorical(), ["Categorical"]),
        (TOWNS, ["4 → 2 → 1", "zqpeak", "hills"]),
        (sf.Taxonomy([[f"value {row}", f"group {row // 5}"] for row in range(100)]), ["value 39", "60 more values"]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_hierarchy_shows_what_was_declared(hierarchy: Any, words: list[str]) -> None:
    said = " ".join(assert_harmless(hierarchy._repr_html_()).words)
    for word in words:
        assert word in said


def test_hostile_names_and_labels_are_only_text() -> None:
    names = [*HOSTILE[:4], HOSTILE[5], HOSTILE[6]]
    table = pa.table({name: [name, "x", name, "x"] for name in names})
    schema = sf.Schema({name: sf.Taxonomy({names[0]: [name], "rest": ["x"]}) for name in names[:-1]}, names[-1])
    made = sf.anonymize(table, schema, k=2, method="mondrian", seed=1)
    shown = [made, made.verify(), made.risk, made.risk.before, schema, sf.Policy(schema, [sf.KAnonymity(2)])]
    for one in [*shown, *schema.quasi_identifiers.values()]:
        text = one._repr_html_()
        assert_harmless(text)
        assert len(text) < 60_000


@test_browser.pytestmark
@pytest.mark.parametrize("colours", ["#ffffff; color: #111111", "#111111; color: #eeeeee"], ids=["light", "dark"])
def test_everybody_can_read_it_on_light_and_dark_paper(
    colours: str,
    release: sf.Release,
    browser: Any,  # noqa: F811
) -> None:
    shown = [release, release.risk, SHOWN["Comparison"](release), TOWNS]
    parts = "".join(one._repr_html_() for one in shown)
    tab = browser.new_page()
    try:
        tab.set_content(
            f"<!doctype html><html lang='en'><title>Notebook</title><body style='background: {colours}'>"
            f"<main><h1>Cells</h1><h2>Output</h2>{parts}</main></body></html>"
        )
        tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        tab.evaluate(test_browser.axe_source())
        found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert not found, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    finally:
        tab.close()


def test_two_hundred_columns_are_counted_and_the_first_are_shown() -> None:
    table = pa.table({f"column {number}": [1, 1] for number in range(200)})
    made = sf.anonymize(table, quasi_identifiers=table.column_names, k=2, method="mondrian", seed=1)
    text = made._repr_html_()
    assert "and 150 more, which lost less" in text
    assert "and 180 more columns" in text
    assert len(text) < 60_000
