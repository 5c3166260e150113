"""EnumMulti: the optimum in the plane against the clock, and the proven ratio of cost to bound on Adult."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.measure import ADULT, NO_ADULT, Result
from benchmarks.papers.enummulti import ADULT_SPLITS
from benchmarks.papers.tables import adult_trees, normal
from sfumato.methods import EnumMulti, Task
from sfumato.methods.enumeration.optimality import Optimality
from sfumato.privacy import KAnonymity, PrivacyModel, Requirements
from sfumato.table.microdata import Microdata

#: Splits per attribute, and how long the proof of the optimum may take, in seconds.
IN_THE_PLANE = ((5, 0.01), (20, 0.1), (50, 5.0))


def optimality(microdata: Microdata, models: list[PrivacyModel], method: EnumMulti) -> Optimality:
    task = Task(microdata, Requirements(tuple(models), microdata))
    found: Optimality = method.run(task).details["optimality"]
    return found


def run() -> Iterator[Result]:
    yield from in_the_plane()
    yield from on_adult()


def in_the_plane() -> Iterator[Result]:
    """Time from the coded table to the proven optimum: 10,000 points, the slowest of three k."""
    microdata = normal()
    for splits, limit in IN_THE_PLANE:
        method = EnumMulti(splits=splits, placing="width")
        slowest = 0.0
        for k in (10, 25, 100):
            optimality(microdata, [KAnonymity(k)], method)
            times = []
            for _ in range(3):
                begin = time.perf_counter()
                found = optimality(microdata, [KAnonymity(k)], method)
                times.append(time.perf_counter() - begin)
                assert found.proven, "The optimum must be proven."
            slowest = max(slowest, min(times))
        yield Result(f"simple_normal, {splits} × {splits} splits, proven optimum", slowest, limit, unit="s")


def on_adult() -> Iterator[Result]:
    if not ADULT.exists():
        yield NO_ADULT
        return
    microdata = adult_trees()
    for k in (1000, 500, 250, 100):
        found = optimality(microdata, [KAnonymity(k)], EnumMulti(splits=ADULT_SPLITS, time_limit=60))
        note = f"DM {found.cost:,.0f}, {found.greedy / found.cost:.2f} × better than greedy"
        yield Result(
            f"Adult, 101 splits, k={k}: cost / bound in 60 s", 1 + found.gap, 1.35 if k == 1000 else None, note=note
        )
        yield Result(f"Adult, 101 splits, k={k}: EnumMulti / greedy", found.cost / found.greedy, 1.0)
