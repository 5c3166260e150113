"""Work that threads share comes out in order, whole, and no sooner than asked for."""

from __future__ import annotations

import ast
import threading
import time
from pathlib import Path

import pytest

import sfumato
from sfumato.common.threads import CHUNK, in_background, in_chunks, in_order, side_by_side, threads

SOURCES = Path(sfumato.__file__).parent


def slow_first(piece: int) -> int:
    time.sleep(0.02 if piece == 0 else 0)
    return piece * piece


def failing(piece: int) -> int:
    if piece == 2:
        raise ValueError("piece 2")
    return piece


@pytest.mark.parametrize("pieces", [[], [3], list(range(20))])
def test_what_becomes_of_pieces_is_in_their_order(pieces: list[int]) -> None:
    assert side_by_side(slow_first, iter(pieces)) == [piece * piece for piece in pieces]
    assert list(in_order(slow_first, iter(pieces), 2)) == [piece * piece for piece in pieces]


def test_a_failure_of_any_piece_is_raised() -> None:
    with pytest.raises(ValueError, match="piece 2"):
        side_by_side(failing, range(5))
    with pytest.raises(ValueError, match="piece 2"):
        list(in_order(failing, range(5), 1))


@pytest.mark.parametrize("workers", [1, 3])
def test_only_so_many_pieces_are_taken_before_the_first_is_asked_for(workers: int) -> None:
    taken = []
    found = in_order(slow_first, (taken.append(piece) or piece for piece in range(10)), workers)
    assert not taken
    for done, _ in enumerate(found, start=1):
        assert len(taken) == min(10, workers + done)


def test_chunks_are_all_rows_once() -> None:
    for rows in (0, 1, CHUNK, 3 * CHUNK + 1):
        seen: list[int] = []
        in_chunks(rows, lambda start, stop, seen=seen: seen.extend(range(start, stop)))
        assert sorted(seen) == list(range(rows))


def test_threads_have_a_name_and_are_gone_afterwards() -> None:
    names = side_by_side(lambda piece: (time.sleep(0.01), threading.current_thread().name)[1], range(4), 2)
    assert all(name.startswith("sfumato") for name in names)
    assert not set(names) & {thread.name for thread in threading.enumerate()}


def test_work_on_threads_may_use_threads() -> None:
    def outer(piece: int) -> int:
        return sum(side_by_side(slow_first, range(piece), 2))

    assert side_by_side(outer, range(4), 2) == [0, 0, 1, 5]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_or_an_interrupt_no_more_work_begins(error: type[BaseException]) -> None:
    begun: list[int] = []
    release = threading.Event()

    def work(piece: int) -> None:
        begun.append(piece)
        release.wait(5)

    def fail(pool) -> None:
        for piece in range(5):
            pool.submit(work, piece)
        while not begun:
            time.sleep(0.001)
        threading.Timer(0.05, release.set).start()
        raise error

    with pytest.raises(error), threads(1) as pool:
        fail(pool)
    assert begun == [0]


def test_work_in_the_background_is_done_without_waiting() -> None:
    done = threading.Event()
    in_background(lambda wanted: wanted.set(), done)
    assert done.wait(5)


def test_no_other_module_starts_threads() -> None:
    starters = {"ThreadPoolExecutor", "ProcessPoolExecutor", "Thread", "Timer"}
    own = SOURCES / "common" / "threads.py"
    found = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if path != own
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.ImportFrom) and starters & {name.name for name in node.names})
        or (isinstance(node, ast.Attribute) and node.attr in starters)
    }
    assert not found
