"""The search: parts of the table refined side by side, round after round, in ever other orders."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.grouping import Grouping, Table
from sfumato.kernels.moving import Neighbours, dissolve_classes, move_rows
from sfumato.kernels.pooling import Effort, regroup_classes
from sfumato.methods.base import Task
from sfumato.methods.refining.grouping import make_grouping
from sfumato.methods.refining.neighbours import NeighbourOrders
from sfumato.methods.refining.objective import Minimized, Objective
from sfumato.microdata import SUPPRESSED

#: Rows of a part: it stays in the processor's cache, and two parts keep two processors busy.
PART_ROWS = 16_384

#: Rounds over a part before the table is cut into other parts.
ROUNDS_PER_PART = 4

#: How far steps look: rows on either side, fewer for single rows, classes grouped anew together, groupings tried.
WINDOW, MOVE_WINDOW, CLASSES, TRIALS = 24, 8, 3, 2

#: When a batch of rounds gains less than this share of the loss, the search has come near a dead end. From then on a
#: step may raise the loss by another share, falling to none over most of the rest, to get out of it.
CALM, SLACK, SLACK_FOR = 0.01, 0.05, 0.8


@dataclass(frozen=True)
class Limit:
    """When to stop.

    Attributes
    ----------
    rounds
        Passes over the table, at most.
    seconds
        Time, at most; results then depend on the machine's speed.
    patience
        The share of the loss that a batch of rounds must gain for the search to go on.
    """

    rounds: int = 16
    seconds: float = np.inf
    patience: float = 1e-3


def refine(task: Task, classes: NDArray[np.int32], limit: Limit, minimize: Minimized = "gcp") -> NDArray[np.int32]:
    """Return classes that lose at most what the given ones lose, and keep every requirement as they do."""
    search = _Search(Objective(task, minimize))
    begin = time.perf_counter()
    current = best = classes
    least = search.objective.measure_rows(best)
    done, share = 0, 0.0 if limit.rounds else 1.0
    calm: float | None = None
    while share < 1 and not search.stopped:
        search.slack = 0.0 if calm is None else search.slack_after(share, calm)
        rounds = min(ROUNDS_PER_PART, limit.rounds - done)
        current = search.improve(current, rounds, begin + limit.seconds)
        found, before = search.objective.measure_rows(current), least
        if found < least:
            best, least = current, found
        done += rounds
        share = max(done / limit.rounds, (time.perf_counter() - begin) / max(limit.seconds, 1e-9))
        search.report(least.loss, min(1.0, share))
        gain = least.gain_over(before)
        if calm is None and gain <= CALM:
            calm = share
        elif not search.slack and gain <= limit.patience:
            break
    return best


class _Search:
    """What stays the same from round to round."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.task = objective.task
        self.codes = np.ascontiguousarray(self.task.microdata.codes, np.uint32)
        self.sensitive = objective.sensitive_codes()
        self.random = self.task.random()
        self.orders = NeighbourOrders(self.task.microdata.domains)
        self.aim = objective.aim()
        self.slack = 0.0
        self.stopped = False

    def slack_after(self, share: float, calm: float) -> float:
        """Return by how much a step may raise the loss, given when the search came to rest; sizes never need it."""
        return SLACK * max(0.0, 1 - (share - calm) / (SLACK_FOR * (1 - calm))) if self.objective.by_spans else 0.0

    def report(self, loss: float, share: float) -> None:
        """Tell how far the search is; whoever interrupts it here wants what it found so far."""
        try:
            self.task.progress(f"refining, loss {loss:.4f}" if loss < 1000 else f"refining, loss {loss:,.0f}", share)
            if self.stopped:
                self.task.progress("refining stopped", 1.0)
        except KeyboardInterrupt:
            self.stopped = True

    def improve(self, classes: NDArray[np.int32], rounds: int, deadline: float) -> NDArray[np.int32]:
        """Refine all parts of the table for a few rounds.

        After an interrupt the parts that are being worked on end with their round, and all others stay as they are.
        """
        parts = list(self._parts(classes))
        seeds = self.random.integers(1, 1 << 62, size=len(parts))
        found: list[NDArray[np.int32]] = [classes[part] for part in parts]

        def work(at: int) -> None:
            if not self.stopped:
                found[at] = self._improve_part(parts[at], found[at], rounds, int(seeds[at]), deadline)

        with ThreadPoolExecutor(max_workers=min(len(parts), os.cpu_count() or 1) or 1) as pool:
            jobs = [pool.submit(work, at) for at in range(len(parts))]
            try:
                for job in jobs:
                    job.result()
            except KeyboardInterrupt:
                self.stopped = True
        result = np.full(len(classes), SUPPRESSED, np.int32)
        count = 0
        for part, of_part in zip(parts, found, strict=True):
            numbered = _renumbered(of_part)
            result[part] = numbered + count
            count += int(numbered.max(initial=-1)) + 1
        return result

    def _parts(self, classes: NDArray[np.int32]) -> Iterator[NDArray[np.intp]]:
        """Cut the table into parts of similar classes, each with all its rows."""
        order = self.orders.order(self.codes, self.random)
        order = order[classes[order] >= 0]
        if not len(order):
            return
        seen, first = np.unique(classes[order], return_index=True)
        place = np.empty(int(seen[-1]) + 1, np.int64)
        place[seen] = first
        rows = np.flatnonzero(classes >= 0)
        key = place[classes[rows]]
        rows = rows[np.argsort(key, kind="stable")]
        key = place[classes[rows]]
        count = max(1, round(len(rows) / PART_ROWS), min(2, len(seen) // 64))
        cuts = [_class_begin(key, len(rows) * part // count) for part in range(count)]
        yield from (part for part in np.split(rows, cuts[1:]) if len(part))

    def _improve_part(
        self, part: NDArray[np.intp], classes: NDArray[np.int32], rounds: int, seed: int, deadline: float
    ) -> NDArray[np.int32]:
        random = np.random.default_rng(seed)
        table = Table(self.codes[part], self.sensitive[part])
        groups = make_grouping(table, self.aim, _renumbered(classes))
        for _ in range(rounds):
            if self.stopped or time.perf_counter() > deadline:
                break
            self._round(table, groups, random)
        return groups.of_row

    def _round(self, table: Table, groups: Grouping, random: np.random.Generator) -> None:
        near = Neighbours.of(self.orders.order(table.codes, random))
        effort = Effort(WINDOW, CLASSES, 4 * self.aim.smallest + 16, TRIALS, self.slack)
        if self.aim.label < 0:  # these steps know nothing of labels
            move_rows(table, self.aim, groups, near, MOVE_WINDOW)
            dissolve_classes(table, self.aim, groups, near, WINDOW, effort.rows)
        regroup_classes(table, self.aim, groups, near, effort, int(random.integers(1, 1 << 62)))


def _class_begin(key: NDArray[np.int64], place: int) -> int:
    """Return where the class of the row at a place begins."""
    return int(np.searchsorted(key, key[place]))


def _renumbered(classes: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)
