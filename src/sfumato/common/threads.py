"""Starts all threads of the package; the division of work never depends on the number of threads.

Threads help where the work releases the interpreter, as compiled kernels, Arrow and DuckDB do. Every call starts
threads of its own, so that work on a thread may itself use threads without waiting for itself.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from threading import Thread
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: The rows that a thread takes at a time.
CHUNK = 1 << 15

#: From how many rows on threads share the parts, and into how many stretches of neighbouring parts these are divided.
LONG, STRETCHES = 1 << 14, 64

Piece = TypeVar("Piece")
Made = TypeVar("Made")


#: The name of every thread begins with this.
NAME = "sfumato"


@contextmanager
def threads(workers: int | None = None) -> Iterator[Executor]:
    """Start threads, as many as there are processors unless said otherwise; at the end all their work is done.

    What a piece of work raises is raised where its result is asked for. If the block itself fails, or the user
    interrupts it, work that has not begun is dropped, and the error goes on once the threads are done with the rest.
    """
    pool = ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix=NAME)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown()


def in_background(work: Callable[..., object], *given: object) -> None:
    """Start work in the background, without waiting for a result; the program does not end before the work does."""
    Thread(target=work, args=given, name=f"{NAME}-background").start()


def side_by_side(work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: int | None = None) -> list[Made]:
    """Do work on all pieces, on several threads if there is more than one piece; results are in the pieces' order."""
    pieces = list(pieces)
    if len(pieces) <= 1:
        return [work(piece) for piece in pieces]
    with threads(workers) as pool:
        return list(pool.map(work, pieces))


def in_order(work: Callable[[Piece], Made], pieces: Iterable[Piece], workers: int | None = None) -> Iterator[Made]:
    """Yield the result for each piece, in their order; no more pieces are taken in advance than there are threads."""
    waiting: deque[Future[Made]] = deque()
    workers = workers or os.cpu_count() or 1
    with threads(workers) as pool:
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def in_chunks(rows: int, work: Callable[[int, int], object]) -> None:
    """Do work on stretches of rows on several threads."""
    side_by_side(lambda stretch: work(*stretch), pairwise([*range(0, rows, CHUNK), rows]))


def on_stretches(parts: NDArray[np.int64], work: Callable[[NDArray[np.int64]], object]) -> None:
    """Do work on several threads on parts that lie one behind the other, given where each begins and the last ends.

    Neighbouring parts go to the same thread; no part is divided.
    """
    if len(parts) <= 2 or parts[-1] - parts[0] < LONG:
        work(parts)
        return
    wanted = np.linspace(parts[0], parts[-1], STRETCHES + 1)
    places = np.unique(np.searchsorted(parts, wanted)).tolist()
    side_by_side(lambda ends: work(parts[ends[0] : ends[1] + 1]), pairwise(places))
