"""The optimal cut of a long line, from both ends at once.

What is cheapest from the left is found up to the middle, what is cheapest from the right down to it, each by its own
thread. No run is longer than 2k - 1 units, so some run ends within that distance of the middle: the cheapest such place
joins both halves to an optimum of the whole.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent
from sfumato.methods.linear.kernels.runs import cheapest_runs, run_of_unit
from sfumato.table.kernels.spans import Spans

#: Lines of fewer units are cut from the left alone.
LONG = 1 << 14

#: Units between two reports of how far the work is.
STRETCH = 1 << 19


@dataclass(frozen=True)
class UnitBoxes:
    """Units in order: their packed bounds, how many rows lie before each, the width of a field, the span costs."""

    lo: NDArray[np.uint64]
    hi: NDArray[np.uint64]
    ends: NDArray[np.int64]
    width: int
    spans: Spans

    def __len__(self) -> int:
        return len(self.lo)

    def before(self, stop: int) -> UnitBoxes:
        """Return the units before a place."""
        return UnitBoxes(self.lo[:stop], self.hi[:stop], self.ends[: stop + 1], self.width, self.spans)

    def backwards_from(self, start: int) -> UnitBoxes:
        """Return the units from a place on, the last one first."""
        lo = np.ascontiguousarray(self.lo[start:][::-1])
        hi = lo if self.hi is self.lo else np.ascontiguousarray(self.hi[start:][::-1])
        return UnitBoxes(lo, hi, self.ends[-1] - self.ends[start:][::-1], self.width, self.spans)

    def cheapest(self, k: int, price: float, tell: Tell) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return the least loss before every unit, and where the last run begins."""
        loss = np.zeros(len(self) + 1)
        begin = np.full(len(self) + 1, -1, np.int32)
        latest = latest_begins(self.ends, k)
        for done, until in pairwise([*range(0, len(self), STRETCH), len(self)]):
            cheapest_runs(self.lo, self.hi, self.ends, latest, price, self.width, self.spans, loss, begin, done, until)
            tell(until / len(self))
        return loss, begin


def latest_begins(ends: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return for every place between units the latest place such that k rows lie between; -1 for none."""
    if ends[-1] == len(ends) - 1:
        return np.maximum(ends - k, -1)
    return np.searchsorted(ends, ends - k, side="right").astype(np.int64) - 1


def cut_boxes(boxes: UnitBoxes, k: int, price: float, tell: Tell = silent) -> tuple[float, NDArray[np.int32]]:
    """Return the least loss of all cuts into runs of at least k rows, and the run of every unit."""
    middle, longest = len(boxes) // 2, 2 * k - 1
    if len(boxes) < LONG or middle < longest:
        loss, begin = boxes.cheapest(k, price, tell)
        return float(loss[-1]), run_of_unit(begin)
    start = middle - longest + 1
    with ThreadPoolExecutor(max_workers=2) as pool:
        left_job = pool.submit(lambda: boxes.before(middle).cheapest(k, price, tell))
        right_job = pool.submit(lambda: boxes.backwards_from(start).cheapest(k, price, silent))
        (left, left_begin), (right, right_begin) = left_job.result(), right_job.result()
    places = np.arange(start, middle + 1)
    joined = left[places] + right[len(boxes) - places]
    place = int(places[np.argmin(joined)])
    return float(joined.min()), _joined(run_of_unit(left_begin[: place + 1]), right_begin[: len(boxes) - place + 1])


def _joined(runs: NDArray[np.int32], right_begin: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the runs of both sides, numbered on; the right ones were found from the end."""
    right = run_of_unit(right_begin)[::-1]
    renumbered = np.where(right < 0, right, runs.max(initial=-1) + 1 + right.max(initial=-1) - right)
    return np.concatenate([runs, renumbered]).astype(np.int32)
