"""The optimal cut of sorted rows into runs of at least k, on all cores, with the cuts that one core would find.

A program over prefixes finds the optimum from left to right, and all it needs to go on are the losses of the last 2k
prefixes, less whatever all of them have in common. Long lines are therefore divided into stretches that are solved side
by side. Each begins some way before its own part, as if the line began there: what was cut at the far left soon makes
no difference. Where the losses at a border differ from those of the stretch before by more than a constant, it does,
and the stretch is solved again from there, until they agree. Losses are whole numbers, so that "by a constant" is
exact, and so are ties.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent
from sfumato.common.threads import in_order
from sfumato.methods.linear.kernels.runs import UNREACHABLE, cheapest_runs, run_of_unit
from sfumato.table.kernels.spans import Spans

#: The number of units in a stretch, at least.
STRETCH = 1 << 15

#: How far before its own part a stretch begins, at least: in units, and in multiples of k.
BEFORE, RUNS_BEFORE = 1 << 10, 32

#: How many times its beginning a stretch is long, at least: the beginning is solved twice.
SHARE = 16

Losses = NDArray[np.int64]


@dataclass(frozen=True)
class UnitBoxes:
    """Units in order.

    Attributes
    ----------
    lo, hi
        Their packed bounds.
    ends
        The number of rows before each, followed by the number of all rows.
    width, spans
        The width of a field, and the span costs.
    most
        The most that a row can lose.
    """

    lo: NDArray[np.uint64]
    hi: NDArray[np.uint64]
    ends: NDArray[np.int64]
    width: int
    spans: Spans
    most: float

    def __len__(self) -> int:
        return len(self.lo)


@dataclass
class Stretch:
    """Some neighbouring units, from ``first`` to before ``stop``, and the cheapest cut of each of their prefixes."""

    first: int
    stop: int
    ends: NDArray[np.int64]
    latest: NDArray[np.int64]
    loss: Losses
    begin: NDArray[np.int32]

    def from_here(self, place: int) -> slice:
        """The prefixes that matter for what comes behind a place, both counted from the first unit."""
        after = min(place + 1, len(self.latest) - 1)
        return slice(int(self.latest[max(0, self.latest[after])]) + 1, place + 1)


@dataclass(frozen=True)
class CheapestCut:
    """The search for the cheapest cut of units into runs of at least ``k`` rows, each row left out at a ``price``."""

    boxes: UnitBoxes
    k: int
    price: float

    @property
    def before(self) -> int:
        """How many units before its own part a stretch begins."""
        return max(BEFORE, RUNS_BEFORE * self.k)

    @property
    def scale(self) -> float:
        """How many units of loss, as whole numbers, a loss of 1 has: as many as can be added up for all rows."""
        most = max(self.boxes.most, self.price if math.isfinite(self.price) else 0.0) * float(self.boxes.ends[-1])
        return 2.0 ** math.floor(math.log2(UNREACHABLE / 2 / most)) if most > 0 else 1.0

    def borders(self) -> list[tuple[int, int]]:
        """Where the own part of every stretch begins and ends."""
        units, length = len(self.boxes), max(STRETCH, SHARE * self.before)
        return list(pairwise([*range(0, max(1, units - length // 2), length), units]))

    def alone(self, own: tuple[int, int]) -> Stretch:
        """Solve a stretch as if nothing were before it."""
        first, stop = max(0, own[0] - self.before), own[1]
        ends = self.boxes.ends[first : stop + 1]
        size = stop - first + 1
        found = Stretch(
            first, stop, ends, latest_begins(ends, self.k), np.zeros(size, np.int64), np.full(size, -1, np.int32)
        )
        self.solve(found, 0, size - 1)
        return found

    def solve(self, stretch: Stretch, done: int, until: int) -> None:
        """Find the cheapest cuts of the prefixes of a stretch after the first ``done``, which are known."""
        lo, hi = (side[stretch.first : stretch.stop] for side in (self.boxes.lo, self.boxes.hi))
        scale = self.scale
        price = round(self.price * scale) if math.isfinite(self.price) else UNREACHABLE
        cheapest_runs(
            lo,
            hi,
            stretch.ends,
            stretch.latest,
            price,
            scale,
            self.boxes.width,
            self.boxes.spans,
            stretch.loss,
            stretch.begin,
            done,
            until,
        )

    def join(self, before: Stretch, after: Stretch, border: int) -> None:
        """Make the losses of a stretch those of prefixes of the whole line, given those of the stretch before it."""
        place = border - after.first
        known = after.from_here(place)
        moved = after.first - before.first
        truth = before.loss[known.start + moved : known.stop + moved].copy()
        while (constant := in_common(truth, after.loss[known])) is None:
            if place == len(after.loss) - 1:
                after.loss[known] = truth
                return
            guessed = after.loss.copy()
            after.loss[known] = truth
            until = min(place + self.before, len(after.loss) - 1)
            self.solve(after, place, until)
            place = until
            known = after.from_here(place)
            truth, after.loss[known] = after.loss[known].copy(), guessed[known]
        rest = after.loss[known.start :]
        rest[rest < UNREACHABLE] += constant


def in_common(truth: Losses, guess: Losses) -> int | None:
    """By how much losses are higher than guessed ones, if that is the same for all."""
    reached = truth < UNREACHABLE
    if (reached != (guess < UNREACHABLE)).any() or not reached.any():
        return None
    higher = (truth - guess)[reached]
    return int(higher[0]) if (higher == higher[0]).all() else None


def latest_begins(ends: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """For every position between units, find the latest one at least k rows before it; -1 where there is none."""
    if ends[-1] - ends[0] == len(ends) - 1:
        return np.maximum(np.arange(len(ends)) - k, -1)
    return np.searchsorted(ends, ends - k, side="right").astype(np.int64) - 1


def cut_boxes(boxes: UnitBoxes, k: int, price: float, tell: Tell = silent) -> tuple[float, NDArray[np.int32]]:
    """Find the least loss of all cuts into runs of at least k rows, and the run of every unit."""
    search = CheapestCut(boxes, k, price)
    borders = search.borders()
    begin = np.full(len(boxes) + 1, -1, np.int32)
    last: Stretch | None = None
    for own, stretch in zip(borders, in_order(search.alone, borders), strict=True):
        if last is not None:
            search.join(last, stretch, own[0])
        found = stretch.begin[own[0] - stretch.first :][1:]
        begin[own[0] + 1 : own[1] + 1] = np.where(found < 0, found, found + stretch.first)
        last = stretch
        tell(own[1] / max(1, len(boxes)))
    least = int(last.loss[-1]) if last is not None else 0
    return least / search.scale if least < UNREACHABLE else np.inf, run_of_unit(begin)
