"""The optimal cut of sorted rows into runs of at least k, for long tables from both ends at once.

One thread solves the left half from the start, another the right half from the end. No run is longer than 2k - 1 units,
so some run of the optimum ends within that distance of the middle: joining the halves at the best such position gives
an optimum of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent
from sfumato.common.threads import threads
from sfumato.methods.linear.kernels.runs import cheapest_runs, run_of_unit
from sfumato.table.kernels.spans import Spans

#: Shorter lines are solved by one thread, from the left.
LONG = 1 << 14

#: The number of units between two progress reports.
STRETCH = 1 << 19


@dataclass(frozen=True)
class UnitBoxes:
    """Units in order: their packed bounds, the number of rows before each, the width of a field, the span costs."""

    lo: NDArray[np.uint64]
    hi: NDArray[np.uint64]
    ends: NDArray[np.int64]
    width: int
    spans: Spans

    def __len__(self) -> int:
        return len(self.lo)

    def before(self, stop: int) -> UnitBoxes:
        """The units before position ``stop``."""
        return UnitBoxes(self.lo[:stop], self.hi[:stop], self.ends[: stop + 1], self.width, self.spans)

    def backwards_from(self, start: int) -> UnitBoxes:
        """The units from position ``start`` to the end, in reverse order."""
        lo = np.ascontiguousarray(self.lo[start:][::-1])
        hi = lo if self.hi is self.lo else np.ascontiguousarray(self.hi[start:][::-1])
        return UnitBoxes(lo, hi, self.ends[-1] - self.ends[start:][::-1], self.width, self.spans)

    def cheapest(self, k: int, price: float, tell: Tell) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Solve every prefix of the units: its least loss, and where the last run of that cut begins."""
        loss = np.zeros(len(self) + 1)
        begin = np.full(len(self) + 1, -1, np.int32)
        latest = latest_begins(self.ends, k)
        for done, until in pairwise([*range(0, len(self), STRETCH), len(self)]):
            cheapest_runs(self.lo, self.hi, self.ends, latest, price, self.width, self.spans, loss, begin, done, until)
            tell(until / len(self))
        return loss, begin


def latest_begins(ends: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """For every position between units, find the latest one at least k rows before it; -1 where there is none."""
    if ends[-1] == len(ends) - 1:
        return np.maximum(ends - k, -1)
    return np.searchsorted(ends, ends - k, side="right").astype(np.int64) - 1


def cut_boxes(boxes: UnitBoxes, k: int, price: float, tell: Tell = silent) -> tuple[float, NDArray[np.int32]]:
    """Find the least loss of all cuts into runs of at least k rows, and the run of every unit."""
    middle, longest = len(boxes) // 2, 2 * k - 1
    if len(boxes) < LONG or middle < longest:
        loss, begin = boxes.cheapest(k, price, tell)
        return float(loss[-1]), run_of_unit(begin)
    start = middle - longest + 1
    with threads() as pool:
        left_job = pool.submit(lambda: boxes.before(middle).cheapest(k, price, tell))
        right_job = pool.submit(lambda: boxes.backwards_from(start).cheapest(k, price, silent))
        (left, left_begin), (right, right_begin) = left_job.result(), right_job.result()
    places = np.arange(start, middle + 1)
    joined = left[places] + right[len(boxes) - places]
    place = int(places[np.argmin(joined)])
    return float(joined.min()), _joined(run_of_unit(left_begin[: place + 1]), right_begin[: len(boxes) - place + 1])


def _joined(runs: NDArray[np.int32], right_begin: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the runs of both halves consecutively; those of the right half are numbered from the end."""
    right = run_of_unit(right_begin)[::-1]
    renumbered = np.where(right < 0, right, runs.max(initial=-1) + 1 + right.max(initial=-1) - right)
    return np.concatenate([runs, renumbered]).astype(np.int32)
