"""Releases made for a purpose against those made for GCP: errors of a workload, and what a classifier learns.

On the real Adult if it lies beside the repository, else on the generated census. Prediction is judged on rows that are
not in the release: the area under the ROC curve of a boosted model and of a logistic one, trained on what the release
shows of every row (the share of each value that may hide there), over three divisions of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import sfumato as sf
from benchmarks.measure import ADULT, Result
from sfumato.assess.utility import UtilityComparison
from sfumato.common.randomness import Secret

METHODS = ("best-cuts", "auto")
KS = (5, 20, 50)


def run() -> Iterator[Result]:
    table, names, label = people()
    yield from workloads(table, names)
    yield from predictions(table, names, label)


def people() -> tuple[pa.Table, dict[str, Any], str]:
    """A table, how its quasi-identifiers without the label generalize, and the label, which has two values."""
    given = sf.datasets.adult(ADULT).without_levels() if ADULT.exists() else sf.datasets.census(30_000, seed=1)
    label = "salary-class" if ADULT.exists() else "salary_class"
    names = {name: how for name, how in given.schema.quasi_identifiers.items() if name != label}
    return given.table.select([*names, label]), names, label


def workloads(table: pa.Table, names: Mapping[str, Any]) -> Iterator[Result]:
    """Lower the error of twenty queries about one or two columns, some of which count ten times as much."""
    queries = drawn_queries(table, names, 20)
    for method in METHODS:
        for k in KS:
            made = {
                what: release_for(table, names, [], k, method, aim)
                for what, aim in (("gcp", "gcp"), ("queries", queries))
            }
            error = {what: weighted_error(table, release, queries) for what, release in made.items()}
            note = f"{error['queries']:.3f} / {error['gcp']:.3f}"
            yield Result(
                f"error of the workload, {method}, k={k}: made for it / for GCP",
                error["queries"] / error["gcp"],
                1.0,
                note=note,
            )


def drawn_queries(table: pa.Table, names: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(1)
    found: list[dict[str, Any]] = []
    for number in range(count):
        where: dict[str, Any] = {}
        for name in random.choice(list(names), 1 + number % 2, replace=False):
            values = sorted(set(table[str(name)].drop_null().to_pylist()))
            if isinstance(values[0], str):
                where[str(name)] = [str(one) for one in random.choice(values, max(1, len(values) // 4), replace=False)]
            else:
                low = int(random.integers(0, 3 * len(values) // 4))
                where[str(name)] = (values[low], values[low + len(values) // 4])
        found.append({"where": where, "weight": 10.0 if number % 5 == 0 else 1.0})
    found.append({"where": dict(found[0]["where"]), "aggregate": "mean", "column": "age", "weight": 1.0})
    return found


def weighted_error(table: pa.Table, release: sf.Release, queries: Sequence[dict[str, Any]]) -> float:
    """The mean of |estimate - truth| / truth over the queries, by their weights."""
    exact = sf.Released(table, dict.fromkeys(release.answering.quasi_identifiers))
    errors = []
    for query in queries:
        where = {name: set(part) if isinstance(part, list) else part for name, part in query["where"].items()}
        asked = (query["column"], where) if "column" in query else (where,)
        truth, guess = (getattr(one, query.get("aggregate", "count"))(*asked).estimate for one in (exact, release))
        errors.append(abs(guess - truth) / max(abs(truth), 1))
    return float(np.average(errors, weights=[query["weight"] for query in queries]))


def release_for(
    table: pa.Table, names: Mapping[str, Any], sensitive: Sequence[str], k: int, method: str, aim: Any
) -> sf.Release:
    made = {"best-cuts": sf.BestCuts, "auto": sf.Auto}[method](minimize=aim)
    schema = sf.Schema(names, sensitive, rest="drop")
    return sf.anonymize(table, schema, k=k, method=made, seed=1)


def predictions(table: pa.Table, names: Mapping[str, Any], label: str) -> Iterator[Result]:
    for method in METHODS:
        for k in KS:
            aims = ("gcp", "prediction") if method == "best-cuts" else ("gcp", "cm", "prediction")
            areas: dict[str, list[float]] = {aim: [] for aim in aims}
            for division in range(3):
                order = np.random.default_rng(division).permutation(table.num_rows)
                train, test = (table.take(part) for part in np.split(order, [2 * len(order) // 3]))
                for aim in aims:
                    release = release_for(train, names, [label], k, method, aim)
                    areas[aim].append(area(train, test, release, names, label))
            mean = {aim: float(np.mean(found)) for aim, found in areas.items()}
            note = ", ".join(f"{aim} {one:.4f}" for aim, one in mean.items())
            yield Result(
                f"1 - AUC on held-out rows, {method}, k={k}: for prediction / for GCP",
                (1 - mean["prediction"]) / (1 - mean["gcp"]),
                1.0,
                note=note,
            )


def area(train: pa.Table, test: pa.Table, release: sf.Release, names: Mapping[str, Any], label: str) -> float:
    """The mean area under the ROC curve of two models that learnt from a release, on other originals."""
    scene = UtilityComparison(train, release.answering, (*names, label), label, None, Secret(1))
    known = np.concatenate([scene.bins(name).shares[release.answering.column(name).cells] for name in names], axis=1)
    unknown = np.concatenate([placed(scene, name, test) for name in names], axis=1)
    given, wanted = (
        np.array(part[label].to_pylist()) == max(set(test[label].to_pylist())) for part in (release.table, test)
    )
    models = (HistGradientBoostingClassifier(max_iter=60, random_state=1), LogisticRegression(max_iter=300))
    return float(np.mean([roc_auc_score(wanted, one.fit(known, given).predict_proba(unknown)[:, 1]) for one in models]))


def placed(scene: UtilityComparison, name: str, test: pa.Table) -> NDArray[np.float64]:
    """In which bin of a column every original lies."""
    exact = UtilityComparison(scene.original, sf.Released(test, {name: None}), (name,), None, None, Secret(1))
    return exact.bins(name).shares[exact.released.column(name).cells]
