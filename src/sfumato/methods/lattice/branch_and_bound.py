"""The best answer of a lattice that is too large to list: a good one at once, better ones as time permits.

A queue holds boxes of nodes, ordered by lower bounds of their losses. The nodes ruled out are kept as an antichain, not
one by one. As soon as no box in the queue has a bound below the loss of the best answer, that answer is proven optimal;
if time runs out before, the least bound in the queue is the proven bound.
"""

from __future__ import annotations

import heapq
import itertools
import time

import numpy as np
from numpy.typing import NDArray

from sfumato.loss import Objective
from sfumato.methods.lattice.answers import Choice, Search, tolerance
from sfumato.methods.lattice.box_search import Box
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.full_domain import FoundAnswers
from sfumato.methods.lattice.judge import Verdict


class BoundedSearch:
    """Branch and bound over boxes of the lattice."""

    def __init__(self, choice: Choice, seconds: float) -> None:
        self.choice = choice
        self.judge = choice.scorer.judge
        self.space = choice.space
        self.search = Search(complete=False)
        self.best: tuple[float, int, Levels] | None = None
        self._deadline = time.perf_counter() + seconds
        self._hopeless: NDArray[np.int64] = np.empty((0, len(self.space.tops)), np.int64)
        self._number = itertools.count()
        self._judged: dict[Levels, Verdict] = {}

    def run(self) -> FoundAnswers:
        """Search until the best answer is proven optimal or the time limit is reached."""
        base = self.judge.scan(self.space.bottom)
        self._descend(Box(self.space.bottom, self.space.tops, base))
        waiting: list[tuple[float, int, Box]] = []
        self._wait(waiting, Box(self.space.bottom, self.space.tops, base))
        while waiting and not self._proven(waiting[0][0]):
            if time.perf_counter() > self._deadline:
                self.search.bound = waiting[0][0]
                break
            _, number, box = heapq.heappop(waiting)
            shrunk = self._shrunk(box)
            if shrunk is None or self._decided(shrunk):
                continue
            if number % 8 == 0:
                self._descend(shrunk)
            for half in self._halves(shrunk):
                self._wait(waiting, half)
        else:
            self.search.bound = self.best[0] if self.best else None
        return FoundAnswers([] if self.best is None else [self.best[2]], self.search)

    def _proven(self, least: float) -> bool:
        return self.best is not None and least >= self.best[0] - tolerance(self.best[0])

    def _wait(self, waiting: list[tuple[float, int, Box]], box: Box) -> None:
        """Put a box into the queue, ordered by the lower bound of its nodes' losses."""
        heapq.heappush(waiting, (self._least(box), next(self._number), box))

    def _least(self, box: Box) -> float:
        objective, scorer = self.choice.minimize, self.choice.scorer
        if not isinstance(objective, Objective):
            return -np.inf
        if objective.additive:
            return float(scorer.at_least(objective, np.array([box.low]))[0])
        # The class sizes of the lowest node give a bound: suppressing a class costs no less than keeping it.
        counts = box.frequencies.counts.astype(np.float64)
        if self.judge.counts_values:
            of_key, classes = self.judge.roller.classes(box.frequencies.keys, box.low, box.low)
            counts = np.bincount(of_key, counts, classes).astype(np.float64)
        return scorer.loss_of_sizes(objective, counts, box.low)

    def _check(self, frequencies: Frequencies, node: Levels) -> Verdict:
        """Check a node, record what it rules out, and measure it if it is an answer."""
        if node in self._judged:
            return self._judged[node]
        counted = self.judge.roller.up(frequencies, node)
        verdict = self._judged[node] = self.judge.verdict(counted)
        self.search.nodes_checked += 1
        if verdict.hopeless:
            below = (self._hopeless <= np.array(node)).all(axis=1)
            self._hopeless = np.vstack([self._hopeless[~below], node])
        if verdict.answer:
            self._remember(self.choice.score(counted), node)
        return verdict

    def _remember(self, loss: float, node: Levels) -> None:
        """Keep an answer if it is better; among losses equal up to rounding, the lowest node, then the first."""
        found = (loss, sum(node), node)
        if self.best is None:
            self.best = found
            return
        slack = tolerance(self.best[0])
        if loss < self.best[0] - slack or (loss <= self.best[0] + slack and found[1:] < self.best[1:]):
            self.best = found

    def _ruled_out(self, node: Levels) -> bool:
        return bool((self._hopeless >= np.array(node)).all(axis=1).any())

    def _descend(self, box: Box) -> None:
        """Descend greedily from the top of a box: each step is the one that saves most among those to an answer."""
        node = box.high
        if self._ruled_out(node) or not self._check(box.frequencies, node).answer:
            return
        tops = {at for at, low in enumerate(box.low) if node[at] > low}
        totals = self.choice.scorer.costs(self.choice.additive).totals
        while tops:
            at = max(tops, key=lambda place: totals[place, node[place]] - totals[place, node[place] - 1])
            lower = (*node[:at], node[at] - 1, *node[at + 1 :])
            if self._ruled_out(lower) or not self._check(box.frequencies, lower).answer:
                tops.discard(at)
                continue
            node = lower
            if node[at] == box.low[at]:
                tops.discard(at)

    def _shrunk(self, box: Box) -> Box | None:
        """Raise the lower corner of a box to the levels that its top can reach; None if nothing remains."""
        if self._ruled_out(box.high) or self._check(box.frequencies, box.high).hopeless:
            return None
        low = list(box.low)
        for at, high in enumerate(box.high):
            first, last = low[at], high
            while first < last:
                level = (first + last) // 2
                node = (*box.high[:at], level, *box.high[at + 1 :])
                if self._ruled_out(node) or self._check(box.frequencies, node).hopeless:
                    first = level + 1
                else:
                    last = level
            low[at] = first
        floor = tuple(low)
        return Box(floor, box.high, self.judge.roller.up(box.frequencies, floor))

    def _decided(self, box: Box) -> bool:
        """Whether the lowest node of a box is the best or the only one of the box."""
        verdict = self._check(box.frequencies, box.low)
        return box.low == box.high or (verdict.answer and verdict.suppressed == 0)

    def _halves(self, box: Box) -> list[Box]:
        """Cut a box along the attribute with the widest range of losses."""
        totals = self.choice.scorer.costs(self.choice.additive).totals
        spread = [
            (totals[at, high] - totals[at, low], high - low)
            for at, (low, high) in enumerate(zip(box.low, box.high, strict=True))
        ]
        at = max(range(len(spread)), key=lambda place: (spread[place][1] > 0, spread[place]))
        middle = (box.low[at] + box.high[at]) // 2
        low = (*box.low[:at], middle + 1, *box.low[at + 1 :])
        upper = Box(low, box.high, self.judge.roller.up(box.frequencies, low))
        return [Box(box.low, (*box.high[:at], middle, *box.high[at + 1 :]), box.frequencies), upper]
