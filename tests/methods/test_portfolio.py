"""Portfolios: never above the methods in them, the same every time, and open about what they tried."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.methods import Balanced, Best, Hilbert, Method, Task
from sfumato.methods.portfolio import loss_of, suitable
from sfumato.microdata import Microdata, encode
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements


def census(rows: int) -> Microdata:
    data = sf.datasets.census(rows=rows, seed=5)
    return encode(data.table, {name: data.hierarchies[name] for name in data.quasi_identifiers}, data.sensitive[:1])


def correlated(rows: int, columns: int) -> Microdata:
    random = np.random.default_rng(columns)
    values = random.normal(size=(rows, columns)) + random.normal(size=(rows, 1))
    return encode(
        pa.table({f"x{at}": values[:, at] for at in range(columns)}), {f"x{at}": None for at in range(columns)}
    )


def lost(method: Method, microdata: Microdata, *models: PrivacyModel) -> float:
    task = Task(microdata, Requirements(models, microdata))
    recoding = method.recode(task)
    assert not task.requirements.broken_by(recoding)
    return loss_of(task, recoding)


@pytest.mark.parametrize("k", [3, 20])
def test_mixed_data_lose_far_less_than_with_hilbert(k: int) -> None:
    microdata = census(3000)
    hilbert = lost(Hilbert(), microdata, KAnonymity(k))
    balanced, best = lost(Balanced(), microdata, KAnonymity(k)), lost(Best(), microdata, KAnonymity(k))
    assert balanced <= 0.70 * hilbert
    assert best <= 0.60 * hilbert
    assert best <= balanced


@pytest.mark.parametrize("columns", [2, 4, 6])
def test_correlated_numbers_lose_less_than_with_hilbert(columns: int) -> None:
    microdata = correlated(2000, columns)
    assert lost(Best(), microdata, KAnonymity(10)) <= 0.93 * lost(Hilbert(), microdata, KAnonymity(10))
    assert lost(Balanced(), microdata, KAnonymity(10)) <= lost(Hilbert(), microdata, KAnonymity(10))


def test_diverse_classes_lose_less_than_with_hilbert() -> None:
    microdata = census(2000)
    models = KAnonymity(5), LDiversity(3)
    assert lost(Best(), microdata, *models) <= 0.75 * lost(Hilbert(), microdata, *models)


def test_without_seconds_the_result_is_always_the_same() -> None:
    microdata = census(1500)
    task = Task(microdata, Requirements((KAnonymity(5),), microdata), seed=3)
    assert np.array_equal(Best().recode(task).classes, Best().recode(task).classes)


def test_the_shape_of_the_data_decides_what_is_tried() -> None:
    mixed, numeric = census(300), correlated(300, 3)
    assert "peeling" in {method.name for method in suitable(Task(mixed, Requirements((KAnonymity(2),), mixed)))}
    assert "peeling" not in {method.name for method in suitable(Task(numeric, Requirements((KAnonymity(2),), numeric)))}
    diverse = Task(mixed, Requirements((KAnonymity(2), LDiversity(2)), mixed))
    assert {method.name for method in suitable(diverse)} == {"hilbert", "cost-aware", "best-cuts"}


def test_the_manifest_says_what_was_tried_and_what_it_lost() -> None:
    data = sf.datasets.census(rows=500, seed=5)
    release = sf.anonymize(data.table, data.schema, k=5, method="best")
    record = json.loads(json.dumps(release.manifest["method"]))
    assert record["chosen"] in record["tried"]
    assert record["tried"][record["chosen"]] == min(loss for name, loss in record["tried"].items() if name != "refined")
    assert record["tried"]["refined"] == pytest.approx(release.loss.gcp)
    assert release.tried == record["tried"]


def test_the_time_limit_is_checked() -> None:
    with pytest.raises(ParameterError, match="seconds"):
        Best(seconds=0)
