"""Sorting rows by keys of several words, on all cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent

#: Longer tables are divided by their highest word into this many stretches that are sorted separately.
STRETCHES = 64
LONG = 1 << 17


def sort_rows(words: Sequence[NDArray[np.generic]], tell: Tell = silent) -> NDArray[np.int64]:
    """Return the order of rows by several words, the most significant last, as `numpy.lexsort` does."""
    highest = words[-1]
    if len(highest) < LONG:
        return np.lexsort(words)
    stretch = np.searchsorted(_dividers(highest), highest, side="right").astype(np.uint8)
    order = np.argsort(stretch, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(stretch, minlength=1))])

    def sort_stretch(start: int, stop: int) -> None:
        rows = order[start:stop]
        order[start:stop] = rows[np.lexsort([word[rows] for word in words])]

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for job, stop in [(pool.submit(sort_stretch, start, stop), stop) for start, stop in pairwise(ends.tolist())]:
            job.result()
            tell(stop / len(order))
    return order


def _dividers(highest: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the words at which stretches of about the same length begin."""
    sample = np.sort(highest[:: len(highest) // 4096])
    places = np.linspace(0, len(sample) - 1, STRETCHES + 1).astype(np.int64)[1:-1]
    return np.unique(sample[places])
