"""Work that several threads share, divided in a way that does not depend on how many there are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: Rows per task of a thread.
CHUNK = 1 << 15

#: From how many rows on parts are shared among threads, and the stretches of neighbouring parts that are made of them.
LONG, STRETCHES = 1 << 14, 64

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def side_by_side(work: Callable[[Piece], Made], pieces: Iterable[Piece]) -> list[Made]:
    """Return what becomes of each piece, in their order; as many are worked on at a time as there are processors.

    This helps where the work lets go of the interpreter, as compiled kernels and Arrow do.
    """
    pieces = list(pieces)
    if len(pieces) <= 1:
        return [work(piece) for piece in pieces]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, pieces))


def in_order(work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: int) -> Iterator[Made]:
    """Yield what becomes of each piece, in their order, so many worked on at a time; others are not begun before."""
    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def in_chunks(rows: int, work: Callable[[int, int], object]) -> None:
    """Do work on stretches of rows, several at a time."""
    side_by_side(lambda stretch: work(*stretch), pairwise([*range(0, rows, CHUNK), rows]))


def on_stretches(parts: NDArray[np.int64], work: Callable[[NDArray[np.int64]], object]) -> None:
    """Do work on parts that lie one behind the other, given where each begins and the last ends, several at a time.

    Neighbours go to the same thread; no part is divided.
    """
    if len(parts) <= 2 or parts[-1] - parts[0] < LONG:
        work(parts)
        return
    wanted = np.linspace(parts[0], parts[-1], STRETCHES + 1)
    places = np.unique(np.searchsorted(parts, wanted)).tolist()
    side_by_side(lambda ends: work(parts[ends[0] : ends[1] + 1]), pairwise(places))
