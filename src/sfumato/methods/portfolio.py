"""Portfolios: several methods, the least loss of them, refined."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.methods.base import Method, Task, register
from sfumato.methods.linear.linear import CostAware, Hilbert
from sfumato.methods.multidim.best_cuts import BestCuts
from sfumato.methods.peeling import Peeling
from sfumato.methods.refining import Limit, Minimized, Objective, check_minimized, refine
from sfumato.methods.refining.levels import mostly_categories
from sfumato.methods.refining.objective import Measured
from sfumato.methods.refining.starting_classes import shaped
from sfumato.methods.warming import warm_up
from sfumato.microdata import EquivalenceClasses, Recoding

#: Rounds of refinement without a time limit; the work, and so the result, is the same on every machine.
ROUNDS = 64

#: Where the default method refines: a table of so many rows once, of half as many twice, larger ones not at all.
LIGHT_WORK = 64_000


class Candidate(NamedTuple):
    """What one method found."""

    method: str
    classes: NDArray[np.int32]
    loss: Measured


@dataclass(frozen=True)
class Best(Method):
    """Try every method that suits the table, keep the least loss, and refine it.

    Parameters
    ----------
    time_limit
        How many seconds it may take, compilation on the first run not counted; what the methods tried need at least
        is taken in any case. None: a fixed amount of work, so that the result is the same on every machine, which it is
        not under a time limit.
    minimize
        What is lowered, as in `Refined`: ``"gcp"``, ``"entropy"``, ``"dm"``, ``"cm"``, or a list of queries.
    """

    time_limit: float | None = None
    minimize: Minimized = "gcp"

    name: ClassVar[str] = "best"
    summary: ClassVar[str] = "The least loss of several methods, refined; give it time. Never above Hilbert."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            parameters.number("Best", "time_limit", self.time_limit, above=0)
        check_minimized("Best", self.minimize)

    def run(self, task: Task) -> Recoding:
        """Run the methods that suit the table, and refine the best of what they found."""
        if self.time_limit is not None:
            warm_up(task, replace(self, time_limit=None))
        begin = time.perf_counter()
        objective = Objective(task, self.minimize)
        candidates = try_all(objective, list(suitable(task)))
        if self.time_limit is None:
            return _refined(objective, candidates, Limit(rounds=ROUNDS))
        left = max(0.0, self.time_limit - (time.perf_counter() - begin))
        return _refined(objective, candidates, Limit(rounds=100_000, seconds=left, patience=0.0))


@dataclass(frozen=True)
class Auto(Method):
    """The least loss that can be had in a few times the time of the fastest good method.

    Parameters
    ----------
    minimize
        What is lowered, as in `Refined`: ``"gcp"``, ``"entropy"``, ``"dm"``, ``"cm"``, or a list of queries.
    """

    minimize: Minimized = "gcp"

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "The better of two linear methods, by any loss. Never above Hilbert. O(kn)."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_minimized("Auto", self.minimize)

    def run(self, task: Task) -> Recoding:
        """Run the two linear methods, which lower the certainty penalty; for another loss, refine small tables."""
        objective = Objective(task, self.minimize)
        candidates = try_all(objective, [Hilbert(), CostAware()])
        # Refinement gains a few percent more, but its kernels take longer to compile than all others together, and the
        # first run of the default method should not be a long one.
        rounds = 0 if self.minimize == "gcp" else min(16, LIGHT_WORK // max(1, len(task.microdata)))
        return _refined(objective, candidates, Limit(rounds=rounds))


def suitable(task: Task) -> Iterator[Method]:
    """Choose methods by the shape of the data: its kinds of attributes, its size, and the models."""
    yield Hilbert()
    yield CostAware()
    yield BestCuts()
    # Nodes need levels that mean something, and models on sensitive values leave too many cells behind.
    if mostly_categories(task.microdata.domains) and not task.requirements.sensitive_codes.shape[1]:
        yield Peeling(nodes=max(200, min(20_000, 1_000_000_000 // max(1, len(task.microdata)))))


def try_all(objective: Objective, methods: Sequence[Method]) -> list[Candidate]:
    """Run methods side by side; return what they found, the least loss first."""
    task = objective.start
    task.progress(f"trying {', '.join(method.name for method in methods)}", 0.0)
    with ThreadPoolExecutor(max_workers=min(len(methods), os.cpu_count() or 1)) as pool:
        recodings = list(pool.map(lambda method: method.run(task), methods))
    found = [
        Candidate(method.name, recoding.classes, objective.measure_rows(recoding.classes))
        for method, recoding in zip(methods, recodings, strict=True)
        if recoding.classes is not None
    ]
    found += [
        Candidate(f"{candidate.method}, {shape}", classes, objective.measure_rows(classes))
        for candidate in found
        for shape, classes in shaped(objective, candidate.classes)
    ]
    return sorted(found, key=_loss)


def _loss(candidate: Candidate) -> Measured:
    return candidate.loss


def loss_of(task: Task, recoding: Recoding, minimize: Minimized = "gcp") -> float:
    """Return what a recoding loses; a row that is left out loses everything."""
    return Objective(task, minimize).measure(EquivalenceClasses.of(task.microdata, recoding)).loss


def _refined(objective: Objective, candidates: Sequence[Candidate], limit: Limit) -> Recoding:
    best = candidates[0]
    tried: dict[str, Any] = {candidate.method: candidate.loss.loss for candidate in candidates}
    classes = best.classes
    if limit.rounds:
        classes = refine(objective.task, classes, limit, objective.minimize)
        tried["refined"] = objective.measure_rows(classes).loss
    details = {"tried": tried, "chosen": best.method, "minimized": objective.name}
    return Recoding(classes=classes, details=details)


register()(Best)
register()(Auto)
