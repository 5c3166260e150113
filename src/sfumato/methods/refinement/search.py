"""The search of refinement: parts of the table improved in parallel, each round in another order of rows."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.common.interrupts import Interrupts
from sfumato.common.threads import how_many, side_by_side
from sfumato.methods.refinement.kernel_arguments import aim_of, sensitive_codes
from sfumato.methods.refinement.kernels.move_rows import Neighbours, dissolve_classes, move_rows
from sfumato.methods.refinement.kernels.mutable_classes import Grouping, Table, make_grouping
from sfumato.methods.refinement.kernels.regroup_classes import Effort, regroup_classes
from sfumato.methods.refinement.kernels.squeeze_classes import squeeze_classes
from sfumato.methods.refinement.neighbour_orders import NeighbourOrders
from sfumato.methods.refinement.refined import RefinementLimit
from sfumato.methods.search_levels import mostly_categories
from sfumato.methods.task_loss import TaskLoss
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

#: Cells of a part, so that it fits the processor's cache and a round over one is short enough to keep a time limit
#: whatever the number of columns; and the least number of its rows.
PART_CELLS, PART_ROWS = 131_072, 1_024

#: When a batch of rounds gains less than this share of the loss, parts become so many times smaller: rows then move to
#: classes nearby, which parts of one or two thousand rows hold, and many processors share tables of few rows.
SMALL_GAIN, FINER = 0.03, 8

#: Rounds between two looks at the loss, and rounds over a part before the table is cut into other parts: small parts
#: have more borders, which classes do not cross.
BATCH, ROUNDS_PER_PART, ROUNDS_PER_FINE_PART = 4, 4, 1

#: How far steps look: rows on either side, fewer for single rows; classes regrouped together; groupings tried.
WINDOW, MOVE_WINDOW, CLASSES, TRIALS = 24, 8, 3, 2

#: How much regrouping over- and underrates attributes, as a power of 2, so that groupings differ.
TILT = 1.0

#: When a batch of rounds gains less than this share of the loss, the search is near a local optimum. To escape it, a
#: step may then raise the loss by the second share, which falls to 0 over the third share of the remaining search.
CALM, SLACK, SLACK_FOR = 0.01, 0.05, 0.8


#: If prices are known, every other batch of rounds works only on the classes that lose most beyond the prices of their
#: rows, up to this share of the rows.
AVOIDABLE = 0.5


def refine(
    goal: TaskLoss, classes: NDArray[np.int32], limit: RefinementLimit, prices: NDArray[np.float64] | None = None
) -> NDArray[np.int32]:
    """Improve classes: the result loses at most as much as the given ones and keeps the same requirements.

    ``prices`` is the least that every row must lose, if known: it shows where loss can be avoided.
    """
    with Interrupts() as interrupts:
        search = _Search(goal, classes, interrupts, prices)
        try:
            if limit.rounds:
                search.run(limit)
        except KeyboardInterrupt as interrupt:
            interrupts.take(interrupt)
        return search.best


class _Search:
    """The best classes so far, and what does not change between rounds."""

    def __init__(
        self,
        goal: TaskLoss,
        classes: NDArray[np.int32],
        interrupts: Interrupts,
        prices: NDArray[np.float64] | None = None,
    ) -> None:
        self.goal, self.best, self.interrupts, self.prices = goal, classes, interrupts, prices
        self.batches = 0
        self.least = goal.measure_rows(classes)
        self.task = goal.task
        self.codes = np.ascontiguousarray(self.task.microdata.codes, np.uint32)
        self.sensitive = sensitive_codes(goal)
        self.random = self.task.random()
        self.orders = NeighbourOrders(self.task.microdata.domains)
        self.aim = aim_of(goal, classes >= 0)
        self.slack = 0.0
        # In numeric columns few rows share a boundary, and where sensitive values count most squeezes are refused in
        # the end: the time is better spent regrouping.
        self.squeezing = mostly_categories(self.task.microdata.domains) and not self.sensitive.shape[1]

    def run(self, limit: RefinementLimit) -> None:
        """Search until a limit is reached, rounds gain too little, or the user interrupts."""
        begin = time.perf_counter()
        current, done, share = self.best, 0, 0.0
        calm: float | None = None
        fine = False
        while share < 1 and not self.interrupts.asked:
            self.slack = 0.0 if calm is None else self._slack_after(share, calm)
            rounds = min(BATCH, limit.rounds - done)
            each = ROUNDS_PER_FINE_PART if fine else ROUNDS_PER_PART
            for first in range(0, rounds, each):
                current = self.improve(current, min(each, rounds - first), begin + limit.seconds, fine)
            gain = self._keep(current)
            # Within a time limit, which nobody can repeat exactly, only if processors have nothing to do otherwise.
            fine = fine or (
                gain <= SMALL_GAIN and (np.isinf(limit.seconds) or how_many() > max(2, self._many(PART_CELLS)))
            )
            done += rounds
            share = max(done / limit.rounds, (time.perf_counter() - begin) / max(limit.seconds, 1e-9))
            loss = self.least.loss
            shown = f"{loss:.4f}" if loss < 1000 else f"{loss:,.0f}"
            self.task.progress(f"refining, loss {shown}", min(1.0, share))
            if calm is None and gain <= CALM:
                calm = share
            elif not self.slack and gain <= limit.patience:
                break
        if self.interrupts.asked:
            self.task.progress("refining stopped", 1.0)

    def _slack_after(self, share: float, calm: float) -> float:
        """Compute how much a step may raise the loss, given when the search calmed down; 0 for losses by size."""
        return SLACK * max(0.0, 1 - (share - calm) / (SLACK_FOR * (1 - calm))) if self.goal.by_spans else 0.0

    def _keep(self, classes: NDArray[np.int32]) -> float:
        """Keep classes that lose less than all before; return the relative gain."""
        found, before = self.goal.measure_rows(classes), self.least
        if found < before:
            self.best, self.least = classes, found
        return self.least.gain_over(before)

    def improve(
        self, classes: NDArray[np.int32], rounds: int, deadline: float, fine: bool = False
    ) -> NDArray[np.int32]:
        """Refine all parts of the table for a few rounds, or only those where most can be gained.

        After an interrupt the parts in progress finish their round, and all others stay as they are.
        """
        self.batches += 1
        guided = self.prices is not None and self.batches % 2 == 1
        chosen = self._avoidable(classes) if guided else classes >= 0
        parts = list(self._parts(np.where(chosen, classes, SUPPRESSED), PART_CELLS // FINER if fine else PART_CELLS))
        seeds = self.random.integers(1, 1 << 62, size=len(parts))
        seeded = zip(parts, seeds.tolist(), strict=True)
        found = side_by_side(lambda one: self._improve_part(one[0], classes[one[0]], rounds, one[1], deadline), seeded)
        result = np.full(len(classes), SUPPRESSED, np.int32)
        count = 0
        for part, of_part in zip(parts, found, strict=True):
            result[part] = of_part + count
            count += int(of_part.max(initial=-1)) + 1
        others = ~chosen & (classes >= 0)
        result[others] = _renumbered(classes[others]) + count
        return result

    def _avoidable(self, classes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Select the rows in the classes that lose most beyond the prices of their rows."""
        microdata = self.task.microdata
        shown = EquivalenceClasses.of(microdata, Recoding(classes=classes))
        inside = shown.of_row >= 0
        paid = np.bincount(shown.of_row[inside], self.prices[inside], len(shown.sizes))  # type: ignore[index]
        avoidable = microdata.penalties(shown.lo, shown.hi) - paid / shown.sizes
        ranked = np.argsort(-avoidable, kind="stable")
        worst = np.zeros(len(avoidable) + 1, np.bool_)
        worst[ranked[np.cumsum(shown.sizes[ranked]) <= AVOIDABLE * inside.sum()]] = True
        # Suppressed rows index the last place, which is False.
        return np.asarray(worst[shown.of_row], np.bool_)

    def _parts(self, classes: NDArray[np.int32], cells: int) -> Iterator[NDArray[np.intp]]:
        """Cut the table into parts of similar classes, each class whole."""
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
        count = max(self._many(cells, len(rows)), min(2, len(seen) // 64))
        cuts = [_class_begin(key, len(rows) * part // count) for part in range(count)]
        yield from (part for part in np.split(rows, cuts[1:]) if len(part))

    def _many(self, cells: int, rows: int | None = None) -> int:
        """Compute into how many parts to cut rows, or the table."""
        size = max(PART_ROWS, cells // max(8, self.codes.shape[1]))
        return max(1, round((len(self.codes) if rows is None else rows) / size))

    def _improve_part(
        self, part: NDArray[np.intp], classes: NDArray[np.int32], rounds: int, seed: int, deadline: float
    ) -> NDArray[np.int32]:
        if self.interrupts.asked or time.perf_counter() > deadline:
            return _renumbered(classes)
        random = np.random.default_rng(seed)
        table = Table(self.codes[part], self.sensitive[part])
        groups = make_grouping(table, self.aim, _renumbered(classes))
        for _ in range(rounds):
            if self.interrupts.asked or time.perf_counter() > deadline:
                break
            self._round(table, groups, random, deadline)
        return _renumbered(groups.of_row)

    def _round(self, table: Table, groups: Grouping, random: np.random.Generator, deadline: float) -> None:
        near = Neighbours.of(self.orders.order(table.codes, random))
        tilt = TILT if self.squeezing else 0.0
        effort = Effort(WINDOW, CLASSES, 4 * self.aim.smallest + 16, TRIALS, self.slack, tilt)
        if self.aim.label < 0:  # these steps ignore labels
            move_rows(table, self.aim, groups, near, MOVE_WINDOW)
            dissolve_classes(table, self.aim, groups, near, WINDOW, effort.rows)
        if self.squeezing:
            seed = int(random.integers(1, 1 << 62))
            squeeze_classes(table, self.aim, groups, near, WINDOW, effort.rows, self.slack, seed)
        if time.perf_counter() > deadline:
            return
        regroup_classes(table, self.aim, groups, near, effort, int(random.integers(1, 1 << 62)))


def _class_begin(key: NDArray[np.int64], place: int) -> int:
    """Find where the class of the row at a place begins."""
    return int(np.searchsorted(key, key[place]))


def _renumbered(classes: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)
