"""What round ends of intervals cost: the loss with ends="grid" beside that with ends="data", and who is alone there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.measure import ADULT, NO_ADULT, Result
from sfumato.loss import IntervalEndRisk, RecodedTable, singling_out
from sfumato.loss.metrics import GCP
from sfumato.methods import Task, find_method
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.recoding import EquivalenceClasses

KS = (5, 10, 50)
METHODS = ("auto", "mondrian")
ROWS = 30_000


@dataclass(frozen=True)
class Released:
    """What was lost, and how many are alone at an end."""

    gcp: float
    alone: IntervalEndRisk


def tables() -> Iterator[tuple[str, pa.Table, sf.Schema]]:
    """Yield Adult, a census, and tables of numbers: whole ones in narrow and in wide ranges, and fractions."""
    known = [sf.datasets.census(ROWS, seed=1), sf.datasets.simple_normal(10_000, seed=1)]
    for dataset in [sf.datasets.adult(ADULT), *known] if ADULT.exists() else known:
        yield dataset.name, dataset.table, dataset.without_levels().schema
    yield "numbers", numbers(ROWS), sf.Schema(["age", "pay", "height"])


def numbers(rows: int) -> pa.Table:
    """Ages, salaries and heights: whole numbers in a narrow and in a wide range, and fractions."""
    random = np.random.default_rng(1)
    age = random.gamma(9, 5, rows).astype(np.int64) % 100
    pay = np.round(random.lognormal(10, 0.5, rows)).astype(np.int64)
    return pa.table({"age": age, "pay": pay, "height": np.round(random.normal(172, 9, rows), 1)})


def released(table: pa.Table, schema: sf.Schema, k: int, method: str, ends: str) -> Released:
    microdata = encode(table, schema.quasi_identifiers, ends=ends)
    task = Task(microdata, Requirements((KAnonymity(k),), microdata), seed=1)
    classes = EquivalenceClasses.of(microdata, find_method(method).run(task))
    alone = singling_out(microdata, classes, np.random.default_rng(1))
    return Released(GCP.measure(RecodedTable(microdata, classes)), alone)


def run() -> Iterator[Result]:
    if not ADULT.exists():
        yield NO_ADULT
    for title, table, schema in tables():
        for method in METHODS:
            for k in KS:
                data, grid = (released(table, schema, k, method, ends) for ends in ("data", "grid"))
                note = (
                    f"GCP {data.gcp:.4f} -> {grid.gcp:.4f}, alone at an end in {data.alone.share:.0%} -> "
                    f"{grid.alone.share:.0%} of classes with intervals"
                )
                yield Result(f"GCP of grid / data, {title}, {method}, k={k}", grid.gcp / data.gcp, note=note)
