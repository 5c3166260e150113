"""Portfolios: never above the methods in them, the same every time, and open about what they tried."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import Auto, Best, BestCuts, CostAware, Hilbert, Method, Mondrian, Peeling, Task, auto, best
from sfumato.methods import warm_up as warming
from sfumato.methods.auto import promising
from sfumato.methods.portfolio import cheap, suitable
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding


def census(rows: int) -> Microdata:
    data = sf.datasets.census(rows=rows, seed=5).without_levels()
    return encode(data.table, {name: data.hierarchies[name] for name in data.quasi_identifiers}, data.sensitive[:1])


def correlated(rows: int, columns: int) -> Microdata:
    random = np.random.default_rng(columns)
    values = random.normal(size=(rows, columns)) + random.normal(size=(rows, 1))
    return encode(
        pa.table({f"x{at}": values[:, at] for at in range(columns)}), {f"x{at}": None for at in range(columns)}
    )


def lost(method: Method, microdata: Microdata, *models: PrivacyModel) -> float:
    task = Task(microdata, Requirements(models, microdata))
    recoding = method.run(task)
    assert not task.requirements.broken_by(recoding)
    return METRICS["gcp"].measure(RecodedTable(microdata, EquivalenceClasses.of(microdata, recoding)))


@pytest.mark.parametrize("k", [3, 20])
def test_mixed_data_lose_far_less_than_with_hilbert(k: int) -> None:
    microdata = census(3000)
    hilbert = lost(Hilbert(), microdata, KAnonymity(k))
    auto, best = lost(Auto(), microdata, KAnonymity(k)), lost(Best(), microdata, KAnonymity(k))
    assert auto <= 0.70 * hilbert
    assert best <= 0.60 * hilbert
    assert best <= auto


@pytest.mark.parametrize("columns", [2, 4, 6])
def test_correlated_numbers_lose_less_than_with_hilbert(columns: int) -> None:
    microdata = correlated(2000, columns)
    assert lost(Best(), microdata, KAnonymity(10)) <= 0.93 * lost(Hilbert(), microdata, KAnonymity(10))
    assert lost(Auto(), microdata, KAnonymity(10)) <= lost(Hilbert(), microdata, KAnonymity(10))


def test_diverse_classes_lose_less_than_with_hilbert() -> None:
    microdata = census(2000)
    models = KAnonymity(5), LDiversity(3)
    assert lost(Best(), microdata, *models) <= 0.75 * lost(Hilbert(), microdata, *models)


def test_without_seconds_the_result_is_always_the_same() -> None:
    microdata = census(1500)
    task = Task(microdata, Requirements((KAnonymity(5),), microdata), seed=3)
    assert np.array_equal(Best().run(task).classes, Best().run(task).classes)


def names(methods: Iterable[Method]) -> set[str]:
    return {method.name for method in methods}


def asked(microdata: Microdata, *models: PrivacyModel) -> Task:
    return Task(microdata, Requirements(models, microdata))


def test_the_shape_of_the_data_decides_what_is_tried() -> None:
    mixed, numeric = census(600), correlated(600, 3)
    always = {"hilbert", "cost-aware"}
    assert names(suitable(asked(mixed, KAnonymity(2)), None)) == {*always, "best-cuts", "peeling"}
    assert names(suitable(asked(numeric, KAnonymity(2)), None)) == {*always, "best-cuts"}
    assert names(suitable(asked(mixed, KAnonymity(2), LDiversity(2)), None)) == {*always, "best-cuts"}
    assert names(cheap(asked(mixed, KAnonymity(2)))) == {*always, "peeling"}
    assert (
        names(cheap(asked(mixed, KAnonymity(2), LDiversity(2))))
        == names(cheap(asked(numeric, KAnonymity(2))))
        == always
    )
    flat = encode(pa.table({"a": list("xyz") * 200, "b": list("uvuwu") * 120}), {"a": None, "b": None})
    assert names(cheap(asked(flat, KAnonymity(2)))) == {*always, "peeling"}
    assert names(cheap(asked(correlated(50_000, 2), KAnonymity(2)))) == {*always, "mondrian"}
    many = flat.take(np.arange(50_000) % len(flat))
    assert names(cheap(asked(many, KAnonymity(2)))) == {*always, "peeling"}
    flags = {f"flag {at}": ["x", "y"] * 25_000 for at in range(10)}  # too many nodes to visit all
    wide = encode(pa.table(flags), dict.fromkeys(flags))
    assert names(cheap(asked(wide, KAnonymity(2)))) == {*always, "peeling", "mondrian"}


def test_of_few_rows_the_default_loses_no_more_than_any_method() -> None:
    singles = [Mondrian(), Hilbert(), CostAware(), BestCuts(), Peeling(nodes=1_000)]
    best = set()
    for microdata, *models in (
        (census(150), KAnonymity(3)),
        (census(40), KAnonymity(2), LDiversity(2)),
        (correlated(120, 3), KAnonymity(5)),
        (correlated(30, 2), KAnonymity(2)),
    ):
        found = {method.name: lost(method, microdata, *models) for method in singles}
        best.add(min(found, key=lambda name: found[name]))
        assert lost(Auto(), microdata, *models) <= min(found.values())
    assert len(best) > 1  # none of them would do alone


def test_what_does_not_fit_into_the_time_is_not_tried() -> None:
    task = asked(census(3000), KAnonymity(2))
    long, short = (next(m for m in suitable(task, seconds) if m.name == "peeling") for seconds in (10.0, 0.1))
    assert isinstance(long, Peeling)
    assert isinstance(short, Peeling)
    assert long.visits > short.visits
    assert long.time_limit is not None
    assert long.time_limit < 5
    assert names(suitable(task, 1e-3)) == {"hilbert", "cost-aware", "peeling"}  # what `auto` tries


def test_however_short_the_time_best_tries_whatever_auto_tries() -> None:
    flat = encode(pa.table({"a": list("xyz") * 20, "b": list("uvuwu") * 12}), {"a": None, "b": None})
    task = asked(flat, KAnonymity(2))
    tried = {method.name: method for method in suitable(task, 1e-6)}
    assert tried == {method.name: method for method in cheap(task)}
    assert "peeling" in tried


def test_a_sample_of_a_large_table_tells_what_is_not_worth_trying(monkeypatch) -> None:
    microdata = census(2000)
    goal = TaskLoss(Task(microdata, Requirements((KAnonymity(5),), microdata)))
    assert promising(goal, [CostAware(), Hilbert()]) == [CostAware(), Hilbert()]  # too small to draw a sample from
    for name, value in {"ENOUGH_ROWS": 1000, "ENOUGH_CLASSES": 1, "MANY_SAMPLES": 2}.items():
        monkeypatch.setattr(auto, name, value)
    assert promising(goal, [CostAware(), Hilbert()]) == [CostAware()]
    assert promising(goal, [Hilbert(), CostAware()]) == [Hilbert(), CostAware()]  # nothing may be worse than the first


def test_the_manifest_says_what_was_tried_and_what_it_lost() -> None:
    data = sf.datasets.census(rows=500, seed=5).without_levels()
    release = sf.anonymize(data.table, data.schema, k=5, method="best")
    record = json.loads(json.dumps(release.manifest["method"]))
    assert record["chosen"] in record["tried"]
    assert record["tried"][record["chosen"]] == min(loss for name, loss in record["tried"].items() if name != "refined")
    assert record["tried"]["refined"] == pytest.approx(release.loss.gcp)
    assert release.tried == record["tried"]


def test_the_time_limit_is_checked() -> None:
    with pytest.raises(ParameterError, match="time_limit"):
        Best(time_limit=0)


class FakeTime:
    """A clock that stands still but for what is compiled."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
def test_what_the_first_run_compiles_is_not_taken_from_the_time_limit(monkeypatch, dtype) -> None:
    clock, compiled, limits = FakeTime(), set(), []

    def try_all(goal, methods):
        codes = goal.task.microdata.codes
        if codes.dtype not in compiled:
            compiled.add(codes.dtype)
            clock.now += 100  # seconds that only the first call takes
        return portfolio_try_all(goal, methods)

    def refined(goal, candidates, rounds, seconds=np.inf, patience=0.0):
        limits.append(seconds)
        return Recoding(classes=candidates[0].classes)

    portfolio_try_all = best.try_all
    monkeypatch.setattr(best, "time", clock)
    monkeypatch.setattr(best, "try_all", try_all)
    monkeypatch.setattr(best, "refine_best", refined)
    monkeypatch.setattr(warming, "_called", set())
    microdata = census(600)
    microdata = replace(microdata, codes=microdata.codes.astype(dtype))
    Best(time_limit=5).run(Task(microdata, Requirements((KAnonymity(5),), microdata)))
    assert limits == [np.inf, 5.0]
    Best(time_limit=5).run(Task(microdata, Requirements((KAnonymity(5),), microdata)))
    assert limits == [np.inf, 5.0, 5.0]


def test_warming_up_a_table_that_is_too_small_for_the_models_does_nothing(monkeypatch) -> None:
    monkeypatch.setattr(warming, "_called", set())
    microdata = census(600)
    illnesses = microdata.sensitive[0]
    sorted_codes = np.sort(illnesses.codes)  # the first rows all have the same value
    microdata = replace(microdata, sensitive=(replace(illnesses, codes=sorted_codes),))
    task = Task(microdata, Requirements((LDiversity(2),), microdata))
    assert not task.requirements.broken_by(Best(time_limit=0.01).run(task))


def test_methods_side_by_side_report_one_share_that_grows() -> None:
    heard: list[tuple[str, float]] = []
    people = sf.datasets.census(rows=3_000, seed=1)
    sf.anonymize(
        people.table, people.schema, k=5, l=2, progress=lambda stage, share: heard.append((stage, share)), seed=1
    )
    shares = [share for stage, share in heard if stage.startswith("trying ")]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert len(set(shares)) > 2
