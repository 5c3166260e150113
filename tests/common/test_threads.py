"""Work that threads share comes out in order, whole, and no sooner than asked for."""

from __future__ import annotations

import ast
import gc
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato
from sfumato.common.threads import (
    CHUNK,
    at_most,
    how_many,
    in_background,
    in_chunks,
    in_order,
    shared_property,
    side_by_side,
    threads,
)

SOURCES = Path(sfumato.__file__).parent


def slow_first(piece: int) -> int:
    time.sleep(0.02 if piece == 0 else 0)
    return piece * piece


def failing(piece: int) -> int:
    if piece == 2:
        raise ValueError("piece 2")
    return piece


@pytest.fixture(params=[1, 2, 7])
def number(request) -> Iterator[int]:
    """So many threads share the work of a test."""
    with at_most(request.param):
        yield request.param


@pytest.mark.parametrize("pieces", [[], [3], list(range(20))])
def test_what_becomes_of_pieces_is_in_their_order(pieces: list[int], number: int) -> None:
    assert side_by_side(slow_first, iter(pieces)) == [piece * piece for piece in pieces]
    assert list(in_order(slow_first, iter(pieces))) == [piece * piece for piece in pieces]
    assert list(in_order(slow_first, iter(pieces), 1)) == [piece * piece for piece in pieces]


def test_a_failure_of_any_piece_is_raised(number: int) -> None:
    with pytest.raises(ValueError, match="piece 2"):
        side_by_side(failing, range(5))
    with pytest.raises(ValueError, match="piece 2"):
        list(in_order(failing, range(5)))
    assert side_by_side(slow_first, range(3)) == [0, 1, 4]


@pytest.mark.parametrize(("number", "ahead"), [(1, 0), (2, 2), (3, 3)])
def test_only_so_many_pieces_are_taken_before_the_first_is_asked_for(number: int, ahead: int) -> None:
    taken = []
    with at_most(number):
        found = in_order(slow_first, (taken.append(piece) or piece for piece in range(10)))
        assert not taken
        for done, _ in enumerate(found, start=1):
            assert len(taken) == min(10, ahead + done)


def test_chunks_are_all_rows_once(number: int) -> None:
    for rows in (0, 1, CHUNK, 3 * CHUNK + 1):
        seen: list[int] = []
        in_chunks(rows, lambda start, stop, seen=seen: seen.extend(range(start, stop)))
        assert sorted(seen) == list(range(rows))


def test_threads_have_a_name_and_are_gone_afterwards() -> None:
    with at_most(3):
        names = side_by_side(lambda piece: (time.sleep(0.01), threading.current_thread().name)[1], range(6))
        assert {"sfumato-1", "sfumato-2"} <= set(names) <= {"sfumato-1", "sfumato-2", "MainThread"}
    assert not {"sfumato-1", "sfumato-2"} & {thread.name for thread in threading.enumerate()}


def test_a_single_thread_does_everything_itself() -> None:
    with at_most(1), threads() as beside:
        looked = beside.submit(threading.current_thread)
        seen = {*side_by_side(lambda piece: threading.current_thread(), range(9)), looked.result()}
        seen |= set(in_order(lambda piece: threading.current_thread(), range(9)))
    assert seen == {threading.current_thread()}


@pytest.mark.parametrize("depth", [1, 3])
def test_nested_work_shares_the_threads_and_never_waits_for_itself(depth: int, number: int) -> None:
    working, most, lock = [0], [0], threading.Lock()

    def work(below: int) -> int:
        if below:
            return sum(side_by_side(lambda piece: work(below - 1), range(5))) + sum(in_order(work, [0] * 3))
        with lock:
            working[0] += 1
            most[0] = max(most[0], working[0])
        time.sleep(0.0005)
        with lock:
            working[0] -= 1
        return 1

    leaves = [1]
    for _ in range(depth):
        leaves.append(5 * leaves[-1] + 3)
    assert work(depth) == leaves[-1]
    assert most[0] <= number


def test_whoever_waits_for_a_piece_helps_with_its_parts() -> None:
    begun = threading.Event()
    names = set()

    def part(piece: int) -> None:
        names.add(threading.current_thread().name)
        time.sleep(0.01)

    def divided() -> None:
        begun.set()
        side_by_side(part, range(10))

    with at_most(2), threads() as beside:
        job = beside.submit(divided)
        begun.wait(5)
        job.result()
    assert names == {"MainThread", "sfumato-1"}


class Large:
    """Stands for what takes much memory."""


def test_what_work_made_goes_when_nobody_holds_it(number: int) -> None:
    gc.collect()
    gc.disable()  # memory must not wait until somebody looks for cycles
    try:
        for _ in range(3):
            made = side_by_side(lambda _: [*side_by_side(lambda _: Large(), range(3))], range(20))
            made.append(list(in_order(lambda _: Large(), range(20))))
            kept = [weakref.ref(one) for some in made for one in some]
            del made
            patience = time.monotonic() + 10  # a helper lets go of it when it looks for more to do
            while any(one() is not None for one in kept) and time.monotonic() < patience:
                time.sleep(0.001)
            assert [one() for one in kept] == [None] * len(kept)
    finally:
        gc.enable()


def test_work_beside_a_block_is_done_at_its_end(number: int) -> None:
    done: list[int] = []
    with threads() as beside:
        for piece in range(4):
            beside.submit(done.append, piece)
    assert sorted(done) == list(range(4))


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

    with pytest.raises(error), at_most(2), threads() as pool:
        fail(pool)
    assert begun == [0]


def test_an_interrupt_during_work_is_raised_even_if_nobody_asks_for_a_result() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), at_most(1), threads() as beside:
        beside.submit(interrupted)


def test_the_number_of_threads_is_that_of_the_innermost_block_that_names_one() -> None:
    with at_most(5):
        with at_most():
            assert how_many() == 5
            assert side_by_side(lambda piece: how_many(), range(3)) == [5, 5, 5]
        with at_most(2):
            assert how_many() == 2
        assert how_many() == 5


def test_arrow_uses_no_more_threads_and_gets_its_own_back() -> None:
    usual = pa.cpu_count()
    try:
        pa.set_cpu_count(6)
        with at_most(3):
            assert pa.cpu_count() == 3
            with at_most(9), at_most(2):
                assert pa.cpu_count() == 2
            assert pa.cpu_count() == 3
        assert pa.cpu_count() == 6
        with at_most(8):
            assert pa.cpu_count() == 6
    finally:
        pa.set_cpu_count(usual)


def test_if_the_system_allows_no_more_threads_the_caller_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with at_most(4):
        assert side_by_side(slow_first, range(4)) == [0, 1, 4, 9]


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


class Asked:
    """Counts how often its property is computed, by work that is divided itself."""

    def __init__(self) -> None:
        self.times: list[int] = []

    @shared_property
    def total(self) -> int:
        """The sum of squares."""
        self.times.append(1)
        return sum(side_by_side(slow_first, range(9)))

    @shared_property
    def wrong(self) -> int:
        """What cannot be computed."""
        self.times.append(1)
        raise ValueError("cannot")


def test_a_property_is_computed_once_for_all_threads_that_ask(number: int) -> None:
    for _ in range(20):
        asked = Asked()
        assert set(side_by_side(lambda _, asked=asked: asked.total, range(12))) == {204}
        assert asked.times == [1]
        assert asked.total == 204


def test_a_property_that_fails_says_so_to_everybody_and_is_tried_again(number: int) -> None:
    asked = Asked()
    for _ in range(2):
        with pytest.raises(ValueError, match="cannot"):
            side_by_side(lambda _: asked.wrong, range(5))
    assert len(asked.times) >= 2
    assert "_making_wrong" not in vars(asked)
