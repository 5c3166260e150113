"""Work on rows that several threads share, divided in a way that does not depend on how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

#: Rows per task of a thread.
CHUNK = 1 << 15

#: From how many rows on parts are shared among threads, and the stretches of neighbouring parts that are made of them.
LONG, STRETCHES = 1 << 14, 64


def in_chunks(rows: int, work: Callable[[int, int], object]) -> None:
    """Do work on stretches of rows, several at a time."""
    stretches = list(pairwise([*range(0, rows, CHUNK), rows]))
    if len(stretches) == 1:
        work(*stretches[0])
        return
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for job in [pool.submit(work, start, stop) for start, stop in stretches]:
            job.result()


def on_stretches(parts: NDArray[np.int64], work: Callable[[NDArray[np.int64]], object]) -> None:
    """Do work on parts that lie one behind the other, given where each begins and the last ends, several at a time.

    Neighbours go to the same thread; no part is divided.
    """
    if len(parts) <= 2 or parts[-1] - parts[0] < LONG:
        work(parts)
        return
    wanted = np.linspace(parts[0], parts[-1], STRETCHES + 1)
    places = np.unique(np.searchsorted(parts, wanted)).tolist()
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for job in [pool.submit(work, parts[start : stop + 1]) for start, stop in pairwise(places)]:
            job.result()
