"""Linear methods on the encoded table, against sorting the same keys."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

import sfumato as sf
from benchmarks.measure import ADULT, NO_ADULT, Result, ratio, seconds
from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import HilbertCurve, Method, Task, find_method
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

ROWS = 1_000_000
GROWTH = (50_000, 100_000, 200_000, 400_000, 1_600_000, 6_400_000)
ADULT_LIMITS = {5: 0.049, 10: 0.083, 50: 0.207}


def census(rows: int, sensitive: tuple[str, ...] = ("occupation",)) -> Microdata:
    people = sf.datasets.census(rows, seed=1).without_levels()
    return encode(people.table, people.schema.quasi_identifiers, sensitive)


def task(microdata: Microdata, *models: PrivacyModel) -> Task:
    return Task(microdata, Requirements(models, microdata))


def gcp(microdata: Microdata, recoding: Recoding) -> float:
    return METRICS["gcp"].measure(RecodedTable(microdata, EquivalenceClasses.of(microdata, recoding)))


def run() -> Iterator[Result]:
    yield from against_sorting()
    yield from growth()
    yield from quality()
    yield from other_models()


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Limit this process and its threads to a number of cores."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(allowed)[:count]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def against_sorting() -> Iterator[Result]:
    microdata = census(ROWS)
    keys = HilbertCurve().keys(microdata, np.random.default_rng(0))
    wanted = (("hilbert", 10, 4.0), ("hilbert", 50, 8.0), ("hilbert-fast", 10, 3.0), ("cost-aware", 10, None))
    for threads in (1, 2):
        with cores(threads):
            for name, k, limit in wanted:
                value, mine, peer = ratio(recoder(name, task(microdata, KAnonymity(k))), lambda: np.lexsort(keys[::-1]))
                text = f"{name} k={k}, {ROWS:,} census rows, {threads} thread(s) / lexsort"
                yield Result(text, value, limit, note=f"{mine:.2f} s / {peer:.2f} s")


def recoder(name: str, job: Task) -> Callable[[], Recoding]:
    method: Method = find_method(name)
    return lambda: method.run(job)


def growth() -> Iterator[Result]:
    """Time per row at k=50, on one core so that all sizes are worked on alike: linear means that it stays the same."""
    tables = [census(rows) for rows in GROWTH]
    with cores(1):
        each = {len(table): seconds(recoder("hilbert", task(table, KAnonymity(50)))) / len(table) for table in tables}
    first = each[GROWTH[0]]
    for rows, took in each.items():
        text = f"hilbert k=50, time per row, {rows:,} rows against {GROWTH[0]:,}, either way"
        yield Result(text, max(took / first, first / took), 1.25, note=f"{took * 1e9:.0f} ns")
    spread = max(each.values()) / min(each.values())
    yield Result("hilbert k=50, time per row, the slowest of these against the fastest", spread, 1.25)


def quality() -> Iterator[Result]:
    if not ADULT.exists():
        yield NO_ADULT
        return
    adult = sf.datasets.adult(ADULT).without_levels()
    microdata = encode(adult.table, adult.schema.quasi_identifiers, [])
    for name in ("hilbert", "cost-aware", "idistance", "mondrian"):
        for k, limit in ADULT_LIMITS.items():
            found = gcp(microdata, find_method(name).run(task(microdata, KAnonymity(k))))
            aimed = limit if name in {"hilbert", "cost-aware"} else None
            yield Result(f"GCP of {name}, Adult 30,162 rows, k={k}", found, aimed, unit="")


def other_models() -> Iterator[Result]:
    """The same models by runs of a line and by Mondrian: the loss as a share of Mondrian's."""
    microdata = census(50_000)
    models: dict[str, tuple[PrivacyModel, ...]] = {
        "l=5": (LDiversity(5),),
        "k=10, l=3": (KAnonymity(10), LDiversity(3)),
        "entropy l=3": (LDiversity(3, kind="entropy"),),
        "distinct l=3": (LDiversity(3, kind="distinct"),),
        "k=5, t=0.3": (KAnonymity(5), sf.TCloseness(0.3)),
    }
    for text, asked in models.items():
        job = task(microdata, *asked)
        mondrian = gcp(microdata, sf.Mondrian().run(job))
        for name in ("hilbert", "cost-aware"):
            ours = gcp(microdata, find_method(name).run(job))
            yield Result(f"{name} / Mondrian, GCP at {text}", ours / mondrian, note=f"{ours:.4f} / {mondrian:.4f}")
