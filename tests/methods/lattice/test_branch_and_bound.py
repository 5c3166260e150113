"""Lattices that are too large to list, and what is proven about their best answer."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from tests.helpers import task_of

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.methods import BottomUp, Incognito, Lattice, Samarati
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


def crowd(attributes: int = 15, rows: int = 2000) -> Microdata:
    random = np.random.default_rng(1)
    common = random.normal(size=rows)
    columns = {
        f"q{at}": np.clip(common * 4 + random.normal(size=rows) * 6 + 40, 0, 80).astype(int) for at in range(attributes)
    }
    columns["s"] = random.integers(0, 3, rows)
    hierarchies = {name: sf.Numeric(widths=(10, 20, 40)) for name in columns if name != "s"}
    return encode(pa.table(columns), hierarchies, ["s"])


@pytest.mark.parametrize("models", [(KAnonymity(5),), (KAnonymity(5), LDiversity(2))], ids=str)
@pytest.mark.parametrize("suppressible", [0, 100])
def test_a_lattice_of_30_billion_nodes_has_an_answer_within_the_time_limit(models, suppressible: int) -> None:
    task = task_of(crowd(), models, suppressible=suppressible)
    Lattice(time_limit=0).run(task)
    begin = time.perf_counter()
    tracemalloc.start()
    recoding = Lattice(time_limit=1).run(task)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert time.perf_counter() - begin < 30
    assert peak < 500e6
    gone = 0 if recoding.suppressed is None else int(recoding.suppressed.sum())
    assert gone <= suppressible
    kept = np.ones(len(task.microdata), bool) if recoding.suppressed is None else ~recoding.suppressed
    part = task.microdata.take(kept)
    assert not Requirements(models, part).broken_by(type(recoding)(levels=recoding.levels))
    search = recoding.details["search"]
    assert "lattice" not in recoding.details
    loss = recoding.details["alternatives"].to_columns()["gcp"][0]
    assert search.bound <= loss + 1e-9


@pytest.mark.parametrize(
    "method",
    [Lattice(answers="all"), Lattice(answers="minimal"), Incognito(), Incognito("cube"), BottomUp(), Samarati()],
    ids=str,
)
def test_nobody_tries_to_list_such_a_lattice(method) -> None:
    with pytest.raises(ParameterError, match=r"30,517,578,125 nodes.*Lattice\(\) finds the best"):
        method.run(task_of(crowd(rows=50), 5))


def test_more_nodes_than_a_length_can_say() -> None:
    task = task_of(crowd(attributes=30, rows=200), 5)
    recoding = Lattice(time_limit=0.2).run(task)
    assert not task.requirements.broken_by(recoding)
    assert recoding.details["search"].bound <= recoding.details["alternatives"].to_columns()["gcp"][0] + 1e-9


def test_what_is_proven_is_true() -> None:
    task = task_of(crowd(attributes=5, rows=400), 5, suppressible=20)
    complete = Lattice().run(task).details["alternatives"].to_columns()["gcp"]
    hurried = Lattice(answers="best", time_limit=0).run(task).details
    assert hurried["search"].bound <= min(complete) + 1e-12
    patient = Lattice(answers="best", time_limit=60).run(task).details
    assert patient["search"].bound == pytest.approx(min(complete))
    assert patient["alternatives"].to_columns()["gcp"] == [pytest.approx(min(complete))]


def test_a_function_can_be_minimized_without_listing_the_lattice() -> None:
    def few_levels(levels: dict[str, int], losses: dict[str, float]) -> float:
        return sum(levels.values()) + losses["gcp"]

    task = task_of(crowd(attributes=4, rows=300), 5)
    complete = Lattice(minimize=few_levels).run(task).levels
    assert sum(Lattice(minimize=few_levels, answers="best").run(task).levels) == sum(complete)
