"""Every loss that can be minimized: lowered, never raised, and what an independent recomputation finds."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples
from tests.helpers import GRADES, PlainTable, table_strategy
from tests.methods.refinement.test_refinement import MODELS, allowed_start

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.hierarchies import IntervalDomain, codes_meant
from sfumato.loss import Minimized, find_objective
from sfumato.methods import Auto, Best, Hilbert, Refined, Task
from sfumato.methods.refinement import ABLE, RefinementLimit
from sfumato.methods.refinement.search import refine
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding


@st.composite
def workloads(draw: st.DrawFn, table: PlainTable) -> list[dict[str, Any]]:
    """Draw queries about columns of a table that ask for values which it has."""
    queries = []
    for _ in range(draw(st.integers(1, 4))):
        names = draw(st.lists(st.sampled_from(list(table.cells)), min_size=1, unique=True))
        where = {name: draw(_condition(name, table.cells[name])) for name in names}
        aggregate = draw(st.sampled_from(["plain", "count", "mean"]))
        query: dict[str, Any] = {"where": where, "weight": draw(st.sampled_from([0.5, 1, 7]))}
        if aggregate == "mean":
            query |= {"aggregate": "mean", "column": draw(st.sampled_from(list(table.cells)))}
        queries.append(where if aggregate == "plain" else query)
    return queries


def _condition(name: str, cells: list[Any]) -> st.SearchStrategy[Any]:
    held = sorted({cell for cell in cells if cell is not None}, key=GRADES.index if name == "grade" else None)
    if name in {"category", "country", "zip"}:
        return st.lists(st.sampled_from(held), min_size=1, max_size=3)
    return st.tuples(st.integers(0, len(held) - 1), st.integers(0, len(held) - 1)).map(
        lambda pair: (held[min(pair)], held[max(pair)])
    )


def slow_loss(table: PlainTable, microdata: Microdata, classes: NDArray[np.int32], minimize: Minimized) -> float:
    """Work a loss out from its definition, class by class."""
    groups = [np.flatnonzero(classes == group) for group in np.unique(classes)]
    if minimize == "dm":
        return float(sum(len(rows) ** 2 for rows in groups))
    if minimize == "cm":
        labels = table.sensitive["s0"]
        return sum(len(rows) - max(Counter(labels[row] for row in rows).values()) for rows in groups) / len(microdata)
    total = possible = 0.0
    for at, domain in enumerate(microdata.domains):
        codes = [int(code) for code in microdata.codes[:, at]]
        counts = Counter(codes)
        for rows in groups:
            shown = _shown(domain, {codes[row] for row in rows})
            if minimize == "gcp":
                total += len(rows) * microdata.weights[at] * _certainty(domain, shown)
            elif minimize == "entropy":
                inside = sum(counts[code] for code in shown)
                total += microdata.weights[at] * sum(math.log2(inside / counts[codes[row]]) for row in rows)
            else:
                total += len(rows) * sum(_undecided(domain, query, shown, counts) for query in minimize)
        if minimize == "entropy":
            possible += microdata.weights[at] * sum(math.log2(len(codes) / counts[code]) for code in codes)
        elif minimize != "gcp":
            everything = set(range(domain.size))
            possible += len(codes) * sum(_undecided(domain, query, everything, counts) for query in minimize)
    if minimize == "gcp":
        return total / len(microdata)
    return total / possible if possible else 0.0


def _shown(domain: Any, codes: set[int]) -> set[int]:
    """Return all codes that a class with these may stand for."""
    everything = set(range(domain.size))
    if len(codes) == 1:
        return codes
    if isinstance(domain, IntervalDomain):
        return everything if domain.missing_code in codes else set(range(min(codes), max(codes) + 1))
    for level in domain.levels:
        groups = {int(level.groups[code]) for code in codes}
        if len(groups) == 1:
            return {code for code in everything if int(level.groups[code]) in groups}
    return everything


def _certainty(domain: Any, shown: set[int]) -> float:
    lo, hi = np.array([min(shown)]), np.array([max(shown)])
    return float(domain.span_costs(lo, hi)[0])


def _undecided(domain: Any, query: dict[str, Any], shown: set[int], counts: Counter[int]) -> float:
    """Return what a query costs that a class may stand for these codes: its weight for every boundary among them.

    A boundary weighs more the smaller the share of rows that keep the condition. A column that is summed up costs what
    it spans.
    """
    where, weight = query.get("where", query), query.get("weight", 1)
    cost = weight * _certainty(domain, shown) if query.get("column") == domain.name else 0.0
    if domain.name not in where:
        return cost
    kept = codes_meant(domain, where[domain.name])
    held = sum(count for code, count in counts.items() if kept[code])
    each = weight * sum(counts.values()) / max(1, held)
    if isinstance(domain, IntervalDomain):
        values = [code for code in sorted(shown) if code != domain.missing_code]
        return cost + each * sum(bool(kept[low]) != bool(kept[high]) for low, high in pairwise(values))
    return cost + each * (0 < sum(bool(kept[code]) for code in shown) < len(shown))


def draw_objective(data: st.DataObject, table: PlainTable) -> Minimized:
    name = data.draw(st.sampled_from(["gcp", "entropy", "dm", "cm", "workload"]))
    return data.draw(workloads(table)) if name == "workload" else name


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_the_loss_never_rises_and_every_model_still_holds(data: st.DataObject) -> None:
    table = data.draw(table_strategy(rows=(6, 50)))
    microdata = table.encoded()
    requirements = Requirements(data.draw(st.sampled_from(MODELS)), microdata)
    assume(not requirements.broken_by_table())
    minimize = draw_objective(data, table)
    labels = data.draw(st.lists(st.integers(0, 6), min_size=len(microdata), max_size=len(microdata)))
    start = allowed_start(requirements, labels)
    task = Task(microdata, requirements, seed=data.draw(st.integers(0, 9)))
    goal = TaskLoss(task, find_objective("Refined", minimize, ABLE))
    refined = refine(goal, start, RefinementLimit(rounds=data.draw(st.sampled_from([1, 8]))))
    before, after = (slow_loss(table, microdata, classes, minimize) for classes in (start, refined))
    assert after <= before + 1e-9
    assert not requirements.broken_by(Recoding(classes=refined))
    measured = goal.measure_rows(refined)
    assert measured.loss == pytest.approx(after, abs=1e-9)
    assert measured.gcp == pytest.approx(slow_loss(table, microdata, refined, "gcp"), abs=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_portfolios_lower_what_is_asked_for(data: st.DataObject) -> None:
    table = data.draw(table_strategy(rows=(6, 40)))
    microdata = table.encoded()
    requirements = Requirements(data.draw(st.sampled_from(MODELS)), microdata)
    assume(not requirements.broken_by_table())
    minimize = draw_objective(data, table)
    task = Task(microdata, requirements)
    for method in (Best(minimize=minimize), Auto(minimize=minimize), Refined(Hilbert(), minimize=minimize)):
        recoding = method.run(task)
        assert recoding.classes is not None
        assert not requirements.broken_by(recoding)
        found = slow_loss(table, microdata, recoding.classes, minimize)
        tried = recoding.details["tried"]
        assert found == pytest.approx(min(tried.values()), abs=1e-9)
        assert found == pytest.approx(tried.get("refined", found), abs=1e-9)


CENSUS = sf.datasets.census(rows=1500, seed=3).without_levels()
QUERIES = [
    {"age": (20, 39), "gender": "Female"},
    {"age": (40, None)},
    {"education": (13, 16), "race": ["White", "Black"]},
]


def measured(minimize: Minimized, of: Minimized, **privacy: Any) -> float:
    """Return what a release that minimizes one loss loses by another."""
    release = sf.anonymize(CENSUS.table, CENSUS.schema, method=sf.Best(minimize=minimize), **privacy)
    if isinstance(of, str):
        return float(release.loss[of])
    return boundaries_inside(release, of)


def boundaries_inside(release: sf.Release, queries: list[dict[str, Any]]) -> float:
    """Count, in the released table alone, the rows and conditions where nobody can say whether a row keeps it."""
    total = 0
    for row in release.data.to_pylist():
        for query in queries:
            for name, condition in query.items():
                shown = row[name]
                if isinstance(condition, tuple):
                    low, high = (
                        (float(end) for end in shown.strip("[]").split(",")) if "[" in shown else [float(shown)] * 2
                    )
                    total += condition[0] is not None and low < condition[0] <= high
                    total += condition[1] is not None and low <= condition[1] < high
                else:
                    total += shown == "*"
    return float(total)


@pytest.mark.parametrize("loss", ["entropy", "dm", "cm", QUERIES], ids=["entropy", "dm", "cm", "workload"])
def test_each_objective_is_lowest_when_it_is_asked_for(loss: Minimized) -> None:
    asked = measured(loss, loss, k=10)
    assert asked < measured("gcp", loss, k=10)


def test_discernibility_reaches_its_least_under_k_alone() -> None:
    assert measured("dm", "dm", k=10) == 150 * 10**2


def test_labels_stay_together_unless_diversity_forbids() -> None:
    counts = Counter(CENSUS.table["occupation"].to_pylist())
    rare = sum(count for count in counts.values() if count < 5)
    assert measured("cm", "cm", k=5) <= rare / 1500 < 0.01
    bound = measured("cm", "cm", privacy=[KAnonymity(5), LDiversity(2, column="occupation")])
    assert 0.4 <= bound < 1


def test_weights_of_the_schema_are_part_of_the_certainty_penalty() -> None:
    plain, heavy = (
        sf.anonymize(
            CENSUS.table,
            sf.Schema(CENSUS.schema.quasi_identifiers, CENSUS.schema.sensitive, weights=weights),
            k=10,
            method="best",
        ).loss.by_attribute
        for weights in ({}, {"age": 20.0})
    )
    assert heavy["age"] < 0.5 * plain["age"]


def test_rules_on_spans_are_about_what_is_shown() -> None:
    models = [KAnonymity(3), MinimumSpan("age", 5)]
    for minimize in ("entropy", [{"age": (30, 39)}]):
        release = sf.anonymize(CENSUS.table, CENSUS.schema, privacy=models, method=sf.Best(minimize=minimize))
        assert release.verification.ok


def test_a_label_needs_a_sensitive_column() -> None:
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        sf.anonymize(pa.table({"a": [1, 2, 3]}), quasi_identifiers="a", k=2, method=sf.Best(minimize="cm"))


@pytest.mark.parametrize("minimize", ["cost", [], [{}], [1], None, 3])
def test_what_is_no_loss_is_refused(minimize: Any) -> None:
    for method in (Best, Auto):
        with pytest.raises(ParameterError, match="minimize"):
            method(minimize=minimize)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"shoe": (1, 2)}, "'shoe', which is no quasi-identifier"),
        ({"age": (1, 2, 3)}, "takes a range"),
        ({"age": "old"}, "neither a value"),
        ({"gender": "Nobody"}, "neither a value"),
    ],
)
def test_a_query_that_means_nothing_is_refused(query: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sf.anonymize(CENSUS.table, CENSUS.schema, k=10, method=sf.Auto(minimize=[query]))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"where": {"age": (20, 30)}, "weight": 0}, "'weight' parameter of a query"),
        ({"where": {"age": (20, 30)}, "aggregate": "median"}, "'aggregate' parameter of a query"),
        ({"where": {"age": (20, 30)}, "aggregate": "mean"}, "'column' parameter of a query"),
        ({"where": {"age": (20, 30)}, "column": "age"}, "'column' parameter of a query"),
        ({"where": {"age": (20, 30)}, "importance": 3}, "A query has no 'importance'"),
    ],
)
def test_a_query_that_is_said_wrongly_is_refused_at_once(query: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sf.BestCuts(minimize=[query])


def test_what_weighs_more_is_answered_better() -> None:
    young, women = {"age": (20, 29)}, {"gender": "Female", "education": (9, 12)}

    def errors(minimize: Minimized) -> list[float]:
        release = sf.anonymize(CENSUS.table, CENSUS.schema, k=60, method=sf.BestCuts(minimize=minimize), seed=1)
        original = sf.Released(CENSUS.table, dict.fromkeys(CENSUS.schema.quasi_identifiers))
        truths, found = ([one.count(asked).estimate for asked in (young, women)] for one in (original, release))
        return [abs(guess - truth) / truth for guess, truth in zip(found, truths, strict=True)]

    for_young = errors([{"where": young, "weight": 100}, women])
    for_women = errors([young, {"where": women, "weight": 100}])
    for_gcp = errors("gcp")
    assert for_young[0] <= for_women[0]
    assert for_women[1] <= for_young[1]
    assert for_young[0] < for_gcp[0]
    assert for_women[1] < for_gcp[1]


def test_a_policy_keeps_weighted_queries(tmp_path: Path) -> None:
    queries = [{"where": {"age": [20, 39], "gender": "Female"}, "weight": 3.0}, {"education": [13, 16]}]
    policy = sf.Policy(CENSUS.schema, [KAnonymity(10)], sf.BestCuts(minimize=queries))
    policy.write(tmp_path / "policy.toml")
    again = sf.Policy.read(tmp_path / "policy.toml")
    assert again.method == sf.BestCuts(minimize=queries)


def test_a_manifest_shows_no_query() -> None:
    release = sf.anonymize(CENSUS.table, CENSUS.schema, k=10, method=sf.Auto(minimize=QUERIES))
    assert release.manifest["method"]["parameters"]["minimize"] == "3 queries"
