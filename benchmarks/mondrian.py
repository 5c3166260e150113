"""Mondrian on the encoded table, against building a k-d tree on the same codes."""

from __future__ import annotations

from collections.abc import Iterator

from scipy.spatial import cKDTree

import sfumato as sf
from benchmarks.measure import ADULT, NO_ADULT, Result, ratio, seconds
from sfumato.methods import Task
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

ROWS = 1_000_000
GROWTH = (250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)


def census(rows: int) -> Microdata:
    people = sf.datasets.census(rows, seed=1).without_levels()
    return encode(people.table, people.schema.quasi_identifiers, people.schema.sensitive)


def task(microdata: Microdata, k: int) -> Task:
    requirements = Requirements((KAnonymity(k),), microdata)
    return Task(microdata, requirements)


def run() -> Iterator[Result]:
    yield from against_tree()
    yield from growth()
    yield from quality()


def against_tree() -> Iterator[Result]:
    job = task(census(ROWS), 10)
    for relaxed in (False, True):
        method = sf.Mondrian(relaxed=relaxed)
        value, mine, peer = ratio(
            lambda method=method: method.run(job), lambda: cKDTree(job.microdata.codes, leafsize=20)
        )
        name = f"{'relaxed' if relaxed else 'strict'}, {ROWS:,} census rows, k=10 / cKDTree"
        yield Result(name, value, 1.0, note=f"{mine:.2f} s / {peer:.2f} s")


def growth() -> Iterator[Result]:
    """Time per row and per level of the recursion: n log n means that this stays the same."""
    import math

    first = 0.0
    for rows in GROWTH:
        job = task(census(rows), 10)
        each = seconds(lambda job=job: sf.Mondrian().run(job)) / (rows * math.log2(rows / 10))
        first = first or each
        yield Result(f"time / (n log n), {rows:,} rows against {GROWTH[0]:,}", each / first, 1.5)


def quality() -> Iterator[Result]:
    if not ADULT.exists():
        yield NO_ADULT
        return
    adult = sf.datasets.adult(ADULT).without_levels()
    names = [*["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]]
    schema = sf.Schema({name: adult.hierarchies.get(name) for name in names}, sensitive="occupation", rest="drop")
    for k, limit in ((5, 0.056), (10, 0.102), (50, 0.272)):
        release = sf.anonymize(adult.table, schema, k=k, method="mondrian")
        yield Result(f"GCP of strict Mondrian, Adult 30,162 rows, k={k}", release.loss.gcp, limit, unit="")
